/* As LAMMPS does it: ranks of neighbours are taken from the grid and used in the world. Ranks and coordinates are turned into each
 * other in every way there is, in the grid, a copy of it, its rows and its columns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;
static void check(int is_right) { wrong += !is_right; }

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks, world, dims[2] = {0, 0}, periods[2] = {0, 1}, got[2], wraps[2], at[2], near[4];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Comm made, grid, part[2];
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &made);
    MPI_Comm_dup(made, &grid);
    MPI_Comm_free(&made);
    int rank;
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_get(grid, 2, got, wraps, at);
    check(got[0] == dims[0] && got[1] == dims[1] && !wraps[0] && wraps[1]);
    for (int r = 0; r < ranks; r++) {
        int where[2], again;
        MPI_Cart_coords(grid, r, 2, where);
        MPI_Cart_rank(grid, where, &again);
        check(again == r && (r != rank || (where[0] == at[0] && where[1] == at[1])));
    }
    MPI_Cart_shift(grid, 0, 1, &near[0], &near[1]);
    MPI_Cart_shift(grid, 1, 1, &near[2], &near[3]);

    /* Coordinates travel along the world, by ranks of the grid. */
    int mine[2] = {at[0], at[1]}, theirs[2] = {-1, -1};
    MPI_Sendrecv(mine, 2, MPI_INT, near[1], 0, theirs, 2, MPI_INT, near[0], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(at[0] == 0 ? near[0] == MPI_PROC_NULL && theirs[0] == -1 : theirs[0] == at[0] - 1 && theirs[1] == at[1]);
    MPI_Sendrecv(mine, 2, MPI_INT, near[3], 0, theirs, 2, MPI_INT, near[2], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(rank == world && theirs[0] == at[0] && theirs[1] == (at[1] + dims[1] - 1) % dims[1]);

    for (int dimension = 0; dimension < 2; dimension++) {
        int remains[2] = {dimension == 0, dimension == 1}, number, size, of[1], is_wrapped[1], where[1], both[2], first[2];
        MPI_Cart_sub(grid, remains, &part[dimension]);
        MPI_Comm_rank(part[dimension], &number), MPI_Comm_size(part[dimension], &size);
        MPI_Cart_get(part[dimension], 1, of, is_wrapped, where);
        check(number == at[dimension] && size == dims[dimension] && where[0] == number && is_wrapped[0] == periods[dimension]);
        both[0] = first[0] = at[0], both[1] = first[1] = at[1];
        MPI_Bcast(first, 2, MPI_INT, 0, part[dimension]);
        both[dimension] = 0;
        check(first[0] == both[0] && first[1] == both[1]);
        MPI_Comm_free(&part[dimension]);
    }

    char host[MPI_MAX_PROCESSOR_NAME] = {0};
    int length;
    MPI_Get_processor_name(host, &length);
    char *hosts = malloc((size_t)ranks * sizeof host);
    MPI_Allgather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, grid);
    long sent = 0, all = 0, errors = wrong, every = 0;
    for (int side = 0; side < 4; side++)
        if (near[side] != MPI_PROC_NULL) sent += strcmp(host, hosts + (size_t)near[side] * sizeof host) != 0;
    MPI_Reduce(&sent, &all, 1, MPI_LONG, MPI_SUM, 0, grid);
    MPI_Reduce(&errors, &every, 1, MPI_LONG, MPI_SUM, 0, grid);
    if (rank == 0) printf("errors %ld\nbytes between hosts %ld\n", every, all);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return every != 0 && rank == 0;
}
