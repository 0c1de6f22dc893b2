! The stencil of stencil.c in Fortran, by each of the three bindings: -DF08, -DMODULE, or mpif.h.
program stencil
#if defined(F08)
    use mpi_f08
    implicit none
    type(MPI_Comm) :: grid
#elif defined(MODULE)
    use mpi
    implicit none
    integer :: grid
#else
    implicit none
    include 'mpif.h'
    integer :: grid
#endif
    integer, parameter :: side = 24, steps = 20
    integer, parameter :: long = selected_int_kind(18)
    double precision :: field(0:side + 1, 0:side + 1), next(side, side)
    double precision :: out(side), in(side)
    integer :: dims(2), at(2), ranks, rank, i, j, step, ierror, near(4), length, s
    integer(long) :: hash, sent(2), all(2), x, y
    integer(long), allocatable :: hashes(:)
    logical :: periods(2)
    character(len=MPI_MAX_PROCESSOR_NAME) :: host
    character(len=MPI_MAX_PROCESSOR_NAME), allocatable :: hosts(:)

    call MPI_Init(ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    dims = 0
    periods = .false.
    call MPI_Dims_create(ranks, 2, dims, ierror)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., grid, ierror)
    call MPI_Comm_rank(grid, rank, ierror)
    call MPI_Cart_coords(grid, rank, 2, at, ierror)
    call MPI_Cart_shift(grid, 0, 1, near(1), near(2), ierror)
    call MPI_Cart_shift(grid, 1, 1, near(3), near(4), ierror)
    field = 0
    do j = 1, side
        do i = 1, side
            x = at(1) * side + i
            y = at(2) * side + j
            field(i, j) = dble(mod(x * 7919_long + y * 104729_long, 1000_long)) / 1000
        end do
    end do
    do step = 1, steps
        do s = 1, 4
            in = 0
            select case (s)
            case (1); out = field(1, 1:side)
            case (2); out = field(side, 1:side)
            case (3); out = field(1:side, 1)
            case (4); out = field(1:side, side)
            end select
            i = merge(s + 1, s - 1, mod(s, 2) == 1)
            call MPI_Sendrecv(out, side, MPI_DOUBLE_PRECISION, near(s), s, in, side, MPI_DOUBLE_PRECISION, near(i), s, &
                grid, MPI_STATUS_IGNORE, ierror)
            select case (s)
            case (1); field(side + 1, 1:side) = in
            case (2); field(0, 1:side) = in
            case (3); field(1:side, side + 1) = in
            case (4); field(1:side, 0) = in
            end select
        end do
        do j = 1, side
            do i = 1, side
                next(i, j) = 0.2d0 * (field(i, j) + field(i - 1, j) + field(i + 1, j) + field(i, j - 1) + field(i, j + 1))
            end do
        end do
        field(1:side, 1:side) = next
    end do
    hash = 0
    do j = 1, side
        do i = 1, side
            hash = ieor(ishftc(hash, 7), transfer(field(i, j), hash))
        end do
    end do
    host = ' '
    call MPI_Get_processor_name(host, length, ierror)
    allocate (hosts(0:ranks - 1), hashes(0:ranks - 1))
    call MPI_Allgather(host, MPI_MAX_PROCESSOR_NAME, MPI_CHARACTER, hosts, MPI_MAX_PROCESSOR_NAME, MPI_CHARACTER, grid, ierror)
    sent = 0
    do s = 1, 4
        if (near(s) == MPI_PROC_NULL) cycle
        if (hosts(near(s)) /= host) sent(1) = sent(1) + steps * side * 8
        sent(2) = sent(2) + steps * side * 8
    end do
    call MPI_Reduce(sent, all, 2, MPI_INTEGER8, MPI_SUM, 0, grid, ierror)
    call MPI_Gather(hash, 1, MPI_INTEGER8, hashes, 1, MPI_INTEGER8, 0, grid, ierror)
    if (rank == 0) then
        hash = 0
        do i = 0, ranks - 1
            hash = ieor(ishftc(hash, 11), hashes(i))
        end do
        print '(a,z16.16,a,i0,a,i0)', 'field ', hash, ' on ', dims(1), 'x', dims(2)
        print '(a,i0,a,i0)', 'bytes between hosts ', all(1), ' of ', all(2)
    end if
    call MPI_Finalize(ierror)
end program stencil
