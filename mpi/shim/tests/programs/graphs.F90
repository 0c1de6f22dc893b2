! Graph topologies of graphs.c in Fortran, by each of the three bindings: `graphs adjacent|unweighted|general|graph`.
program graphs
#if defined(F08)
    use mpi_f08
    implicit none
    type(MPI_Comm) :: graph
#elif defined(MODULE)
    use mpi
    implicit none
    integer :: graph
#else
    implicit none
    include 'mpif.h'
    integer :: graph
#endif
    integer :: ranks, rank, mine, ierror, length, who, i, incoming, outgoing, between, all
    integer :: from(2), to(2), from_weights(2), to_weights(2), near(3, 3), got(3), numbers(7)
    integer, allocatable :: ends(:), edges(:), every(:, :)
    logical :: weighted
    character(len=16) :: how
    character(len=MPI_MAX_PROCESSOR_NAME) :: host
    character(len=MPI_MAX_PROCESSOR_NAME), allocatable :: hosts(:)

    call MPI_Init(ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call get_command_argument(1, how)
    from = [mate(rank), modulo(rank - 2, ranks)]
    to = [mate(rank), modulo(rank + 2, ranks)]
    from_weights = [100, 1 + from(2)]
    to_weights = [100, 1 + rank]
    incoming = 2
    outgoing = 2
    select case (how)
    case ('adjacent')
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, from_weights, 2, to, to_weights, MPI_INFO_NULL, &
            .true., graph, ierror)
    case ('unweighted')
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, &
            MPI_INFO_NULL, .true., graph, ierror)
    case ('general')
        ! A rank tells the edges of the one three after it.
        who = modulo(rank + 3, ranks)
        call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [who], [2], [modulo(who + 2, ranks), mate(who)], [1 + who, 100], &
            MPI_INFO_NULL, .true., graph, ierror)
    case default
        allocate (ends(ranks), edges(3 * ranks))
        do i = 0, ranks - 1
            ends(i + 1) = 3 * (i + 1)
            edges(3 * i + 1:3 * i + 3) = [mate(i), modulo(i + 2, ranks), modulo(i - 2, ranks)]
        end do
        call MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, .true., graph, ierror)
        incoming = 3
        outgoing = 3
    end select

    call MPI_Comm_rank(graph, mine, ierror)
    near = 1
    if (how == 'graph') then
        weighted = .false.
        call MPI_Graph_neighbors(graph, mine, 3, near(:, 1), ierror)
        near(:, 2) = near(:, 1)
    else
        call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, weighted, ierror)
        if (weighted) then
            call MPI_Dist_graph_neighbors(graph, 2, near(:, 1), from_weights, 2, near(:, 2), near(:, 3), ierror)
        else
            call MPI_Dist_graph_neighbors(graph, 2, near(:, 1), MPI_UNWEIGHTED, 2, near(:, 2), MPI_UNWEIGHTED, ierror)
        end if
    end if
    got = -1
    call MPI_Neighbor_allgather(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, graph, ierror)

    host = ' '
    call MPI_Get_processor_name(host, length, ierror)
    allocate (hosts(0:ranks - 1), every(7, 0:ranks - 1))
    call MPI_Allgather(host, MPI_MAX_PROCESSOR_NAME, MPI_CHARACTER, hosts, MPI_MAX_PROCESSOR_NAME, MPI_CHARACTER, graph, &
        ierror)
    between = 0
    do i = 1, outgoing
        if (hosts(near(i, 2)) /= host) between = between + near(i, 3)
    end do
    ! Sums: in which order MPI tells neighbours again is left open.
    numbers(1:3) = [incoming, outgoing, merge(1, 0, weighted)]
    numbers(4) = sum(near(1:incoming, 1))
    numbers(5) = sum(near(1:outgoing, 2))
    numbers(6) = sum(got(1:incoming))
    numbers(7) = sum(near(1:outgoing, 2) * near(1:outgoing, 3))
    call MPI_Reduce(between, all, 1, MPI_INTEGER, MPI_SUM, 0, graph, ierror)
    call MPI_Gather(numbers, 7, MPI_INTEGER, every, 7, MPI_INTEGER, 0, graph, ierror)
    if (mine == 0) then
        do i = 0, ranks - 1
            print '(i0,a,7(1x,i0))', i, ':', every(:, i)
        end do
        print '(a,i0)', 'weight between hosts ', all
    end if
    call MPI_Comm_free(graph, ierror)
    call MPI_Finalize(ierror)

contains

    ! Rank r sends much to it.
    pure integer function mate(r)
        integer, intent(in) :: r
        mate = ieor(r, 1)
    end function mate
end program graphs
