! Broadcast, reduction and all-reduce by each of the three bindings: -DF08, -DMODULE, or mpif.h.
program plans
#if defined(F08)
    use mpi_f08
    implicit none
#elif defined(MODULE)
    use mpi
    implicit none
#else
    implicit none
    include 'mpif.h'
#endif
    integer :: rank, ranks, ierror, i, given(1000), got(1000)
    double precision :: numbers(0:999), sums(0:999)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    given = [(rank * 7919 + i, i=1, 1000)]
    numbers = [(dble(rank * 7 + i), i=0, 999)]
    got = -1
    sums = -1
    call MPI_Allreduce(given, got, 1000, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call tell('all', got)
    call MPI_Allreduce(MPI_IN_PLACE, got, 1000, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call tell('in place', got)
    got = rank
    call MPI_Reduce(given, got, 1000, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD, ierror)
    call tell('to root', got)
    if (rank == 0) then
        call MPI_Reduce(MPI_IN_PLACE, given, 1000, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    else
        call MPI_Reduce(given, got, 1000, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    end if
    call tell('to root in place', given)
    call MPI_Bcast(given, 1000, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call tell('from root', given)
    call MPI_Allreduce(numbers, sums, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    call tell('numbers', int(sums))
    ! Every other one: a section of an array.
    call MPI_Bcast(numbers(0:999:2), 500, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
    call tell('section', int(numbers))
    call MPI_Finalize(ierror)

contains

    subroutine tell(what, values)
        character(len=*), intent(in) :: what
        integer, intent(in) :: values(1000)
        integer :: hash, all(0:1023)
        hash = 0
        do i = 1, 1000
            hash = ieor(ishftc(hash, 7), values(i))
        end do
        all = 0
        call MPI_Gather(hash, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        do i = 1, ranks - 1
            all(0) = ieor(ishftc(all(0), 11), all(i))
        end do
        if (rank == 0) print '(a,a,z8.8)', what, ' ', all(0)
    end subroutine
end program plans
