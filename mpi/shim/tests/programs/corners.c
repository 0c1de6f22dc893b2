/* What a library in between must leave as it is: each line says what MPI did, and is the same with and without it. */
#include <mpi.h>
#include <stdio.h>

static int world;

/* Who is in, how the new communicator compares to the old one, and whether the ranks are a permutation. */
static void tell(const char *what, MPI_Comm old, MPI_Comm made, int code, int may_move) {
    int is_in = made != MPI_COMM_NULL, size = 0, rank = -1, same = 1, old_rank, members, moved, sum = 0, kind = MPI_UNDEFINED;
    MPI_Comm_rank(old, &old_rank);
    if (is_in) {
        MPI_Comm_size(made, &size), MPI_Comm_rank(made, &rank), MPI_Topo_test(made, &kind);
        same = rank == old_rank;
    }
    int gone = !same;
    MPI_Allreduce(&is_in, &members, 1, MPI_INT, MPI_SUM, old);
    MPI_Allreduce(&gone, &moved, 1, MPI_INT, MPI_SUM, old);
    int index = is_in ? rank + 1 : 0;
    MPI_Allreduce(&index, &sum, 1, MPI_INT, MPI_SUM, old);
    int sizes;
    MPI_Allreduce(&size, &sizes, 1, MPI_INT, MPI_MAX, old);
    if (old_rank == 0)
        printf("%s: code %d, %d in, size %d, sum of ranks %d, cart %d%s\n", what, code != MPI_SUCCESS, members, sizes, sum,
               kind == MPI_CART, may_move ? "" : moved ? ", MOVED" : ", in place");
    if (is_in) MPI_Comm_free(&made);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &world), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm made = MPI_COMM_NULL;
    int dims[3] = {0, 0, 0}, off[3] = {0, 0, 0}, on[3] = {1, 1, 1}, code;

    MPI_Dims_create(ranks, 2, dims);
    code = MPI_Cart_create(MPI_COMM_WORLD, 2, dims, off, 0, &made);
    tell("reorder false", MPI_COMM_WORLD, made, code, 0);
    int self[1] = {1};
    code = MPI_Cart_create(MPI_COMM_SELF, 1, self, on, 1, &made);
    tell("self", MPI_COMM_SELF, made, code, 0);
    code = MPI_Cart_create(MPI_COMM_WORLD, 0, dims, off, 1, &made);
    tell("no dimensions", MPI_COMM_WORLD, made, code, 0);
    int fewer[2] = {2, (ranks - 1) / 2};
    code = MPI_Cart_create(MPI_COMM_WORLD, 2, fewer, on, 1, &made);
    int is_in = made != MPI_COMM_NULL, wanted = world < fewer[0] * fewer[1], wrong = is_in != wanted, wrongs;
    MPI_Allreduce(&wrong, &wrongs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world == 0) printf("others than without take part: %d\n", wrongs);
    if (is_in) {
        int got[2], wraps[2], at[2];
        MPI_Cart_get(made, 2, got, wraps, at);
        if (got[0] != fewer[0] || got[1] != fewer[1] || !wraps[0] || !wraps[1]) printf("WRONG grid\n");
    }
    tell("smaller grid", MPI_COMM_WORLD, made, code, 1);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, world % 2, -world, &half);
    int members, line[1];
    MPI_Comm_size(half, &members), line[0] = members;
    code = MPI_Cart_create(half, 1, line, off, 1, &made);
    tell("half of the ranks", half, made, code, 1);
    int sources = (world + 1) % ranks, degree = 1, target = (world + 2) % ranks, nothing = 0;
    code = MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &sources, &degree, &target, &nothing, MPI_INFO_NULL, 1, &made);
    tell("weights of zero", MPI_COMM_WORLD, made, code, 0);
    code = MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &made);
    tell("no edges", MPI_COMM_WORLD, made, code, 0);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int more[1] = {2 * ranks};
    made = MPI_COMM_NULL;
    code = MPI_Cart_create(MPI_COMM_WORLD, 1, more, off, 1, &made);
    tell("larger grid", MPI_COMM_WORLD, MPI_COMM_NULL, code, 0);
    int below[1] = {-1};
    code = MPI_Cart_create(MPI_COMM_WORLD, 1, below, off, 1, &made);
    tell("side below zero", MPI_COMM_WORLD, MPI_COMM_NULL, code, 0);
    MPI_Comm other;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world % 2 ? (ranks - 1) / 2 * 2 : ranks / 2 * 2 - 1, 7, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    code = MPI_Cart_create(other, 1, line, off, 1, &made);
    tell("between two groups", MPI_COMM_WORLD, MPI_COMM_NULL, code, 0);
    MPI_Comm_free(&other), MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
