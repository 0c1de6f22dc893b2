/* A stencil of five points on a grid of processes, as anybody would write it: it asks MPI for a grid with reorder true.
 * It prints a hash of the whole field, bit by bit, and the bytes that went from host to host. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, STEPS = 20 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks, dims[2] = {0, 0}, wraps = argc > 1 && !strcmp(argv[1], "torus"), periods[2] = {wraps, wraps};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    int rank, at[2], is_wrapped[2], near[4];
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_get(grid, 2, dims, is_wrapped, at);
    MPI_Cart_shift(grid, 0, 1, &near[0], &near[1]);
    MPI_Cart_shift(grid, 1, 1, &near[2], &near[3]);

    static double field[SIDE + 2][SIDE + 2], next[SIDE + 2][SIDE + 2];
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++) {
            long x = at[0] * SIDE + i, y = at[1] * SIDE + j;
            field[i][j] = (double)((x * 7919 + y * 104729) % 1000) / 1000;
        }
    MPI_Datatype column;
    MPI_Type_vector(SIDE, 1, SIDE + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(&field[1][1], SIDE, MPI_DOUBLE, near[0], 0, &field[SIDE + 1][1], SIDE, MPI_DOUBLE, near[1], 0, grid,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&field[SIDE][1], SIDE, MPI_DOUBLE, near[1], 1, &field[0][1], SIDE, MPI_DOUBLE, near[0], 1, grid,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&field[1][1], 1, column, near[2], 2, &field[1][SIDE + 1], 1, column, near[3], 2, grid,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&field[1][SIDE], 1, column, near[3], 3, &field[1][0], 1, column, near[2], 3, grid, MPI_STATUS_IGNORE);
        for (int i = 1; i <= SIDE; i++)
            for (int j = 1; j <= SIDE; j++)
                next[i][j] = 0.2 * (field[i][j] + field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]);
        for (int i = 1; i <= SIDE; i++) memcpy(&field[i][1], &next[i][1], SIDE * sizeof(double));
    }

    uint64_t hash = 1469598103934665603u;
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++) {
            uint64_t bits;
            memcpy(&bits, &field[i][j], 8);
            hash = (hash ^ bits) * 1099511628211u;
        }
    char host[MPI_MAX_PROCESSOR_NAME] = {0};
    int length;
    MPI_Get_processor_name(host, &length);
    char *hosts = malloc((size_t)ranks * sizeof host);
    MPI_Allgather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, grid);
    long sent[2] = {0, 0}, all[2];
    for (int side = 0; side < 4; side++)
        if (near[side] != MPI_PROC_NULL) {
            sent[0] += strcmp(host, hosts + (size_t)near[side] * sizeof host) ? STEPS * SIDE * 8 : 0;
            sent[1] += STEPS * SIDE * 8;
        }
    MPI_Reduce(sent, all, 2, MPI_LONG, MPI_SUM, 0, grid);
    uint64_t *hashes = malloc((size_t)ranks * 8);
    MPI_Gather(&hash, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, grid);
    if (rank == 0) {
        hash = 0;
        for (int part = 0; part < ranks; part++) {
            int r, where[2] = {part / dims[1], part % dims[1]};
            MPI_Cart_rank(grid, where, &r);
            hash = (hash ^ hashes[r]) * 1099511628211u;
        }
        printf("field %016llx on %dx%d\nbytes between hosts %ld of %ld\n", (unsigned long long)hash, dims[0], dims[1], all[0],
               all[1]);
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
