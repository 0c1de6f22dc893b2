/* How long an all-reduce of integers takes: for each size the median and the least of many, of the rank that is ready last. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, rounds = argc > 1 ? atoi(argv[1]) : 51;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *times = malloc((size_t)rounds * sizeof *times);
    for (int count = 2; count <= 1 << 20; count *= 8) {
        int *in = calloc((size_t)count, sizeof *in), *out = calloc((size_t)count, sizeof *out);
        for (int round = -2; round < rounds; round++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime(), time, most;
            MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            time = MPI_Wtime() - begin;
            MPI_Reduce(&time, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
            if (round >= 0) times[round] = most;
        }
        if (rank == 0) {
            qsort(times, (size_t)rounds, sizeof *times, by_value);
            printf("%ld bytes: %.1f us, the least %.1f us\n", (long)count * 4, 1e6 * times[rounds / 2], 1e6 * times[0]);
        }
        free(in), free(out);
    }
    MPI_Finalize();
    return 0;
}
