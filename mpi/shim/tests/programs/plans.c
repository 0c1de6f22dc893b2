/* Broadcasts, reductions and all-reduces of many kinds. Each line is a hash of what every rank got: the same with and without a library
 * in between. Numbers that are not whole are chosen so that their sums are exact, but for one line. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3001 };

static uint64_t hash_of(const void *data, size_t bytes) {
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    return hash;
}

/* What a rank has to say, until rank 0 says all: the lines of several writers may be mixed. */
static char told[1 << 20];
static int length;

static void tell_all(int world, int ranks) {
    if (world != 0) {
        MPI_Send(told, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int from = 0; from < ranks; from++) {
        MPI_Status status;
        if (from > 0) {
            MPI_Recv(told, sizeof told, MPI_CHAR, from, 1, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_CHAR, &length);
        }
        fwrite(told, 1, (size_t)length, stdout);
    }
}

/* The hashes of all ranks as one; what no rank is to get is no part of it. */
static void tell(const char *what, int count, int root, MPI_Comm comm, const void *data, size_t bytes) {
    int rank, ranks, world;
    MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks), MPI_Comm_rank(MPI_COMM_WORLD, &world);
    uint64_t own = hash_of(data, bytes), *all = malloc((size_t)ranks * sizeof own);
    MPI_Gather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, comm);
    if (rank == 0)
        length += snprintf(told + length, sizeof told - (size_t)length, "%s %d from %d, world %d, %d ranks: %016llx\n", what,
                           count, root, world, ranks, (unsigned long long)hash_of(all, (size_t)ranks * sizeof own));
    free(all);
}

static void broadcasts(MPI_Comm comm, int count, int root) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    static char bytes[MOST * 16];
    static double numbers[MOST];
    static int pairs[2 * MOST];
    for (int i = 0; i < MOST; i++)
        bytes[i] = (char)(rank * 31 + i), numbers[i] = 0.1 * rank + i, pairs[2 * i] = rank + i, pairs[2 * i + 1] = -rank;
    MPI_Bcast(bytes, count, MPI_BYTE, root, comm);
    tell("bytes", count, root, comm, bytes, sizeof bytes);
    MPI_Bcast(numbers, count, MPI_DOUBLE, root, comm);
    tell("numbers", count, root, comm, numbers, sizeof numbers);
    /* Every other integer at the root, and at each other rank as it likes: the bytes are the same. */
    MPI_Datatype gaps;
    MPI_Type_vector(count, 1, 2, MPI_INT, &gaps), MPI_Type_commit(&gaps);
    if (rank % 2 || rank == root) MPI_Bcast(pairs, 1, gaps, root, comm);
    else MPI_Bcast(pairs, count, MPI_INT, root, comm);
    tell("gaps", count, root, comm, pairs, sizeof pairs);
    MPI_Type_free(&gaps);
}

#define REDUCED(name, type, kind, operator, value)                                              \
    do {                                                                                         \
        static type in[MOST], out[MOST];                                                         \
        for (int i = 0; i < MOST; i++) in[i] = (type)(value), out[i] = (type)7;                  \
        MPI_Allreduce(in, out, count, kind, operator, comm);                                     \
        tell("all " name, count, root, comm, out, sizeof out);                                   \
        MPI_Allreduce(MPI_IN_PLACE, out, count, kind, operator, comm);                           \
        tell("all in place " name, count, root, comm, out, sizeof out);                          \
        for (int i = 0; i < MOST; i++) out[i] = (type)7;                                         \
        MPI_Reduce(in, out, count, kind, operator, root, comm);                                  \
        tell("to root " name, count, root, comm, out, sizeof out);                               \
        tell("what went in " name, count, root, comm, in, sizeof in);                            \
        for (int i = 0; i < MOST; i++) out[i] = (type)(value);                                   \
        /* Many elements in place at another root than 0 are more than MPICH 4.0.2 itself can do. */ \
        if (count > 1000 && root) break;                                                         \
        if (rank == root) MPI_Reduce(MPI_IN_PLACE, out, count, kind, operator, root, comm);      \
        else MPI_Reduce(in, NULL, count, kind, operator, root, comm);                            \
        tell("to root in place " name, count, root, comm, out, sizeof out);                      \
    } while (0)

static void twice(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++) ((int *)inout)[i] += 2 * ((int *)in)[i];
}

static void reductions(MPI_Comm comm, int count, int root) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    REDUCED("sum of int", int, MPI_INT, MPI_SUM, rank * 1000003 + i);
    REDUCED("product of unsigned long", unsigned long, MPI_UNSIGNED_LONG, MPI_PROD, 2654435761u * (unsigned)(rank + i) + 1);
    REDUCED("least of short", short, MPI_SHORT, MPI_MIN, (rank * 7919 + i * 31) % 30011 - 15000);
    REDUCED("exclusive or of 8 bits", uint8_t, MPI_UINT8_T, MPI_BXOR, rank * 37 + i);
    REDUCED("logical and of int", int, MPI_INT, MPI_LAND, (rank + i) % 5);
    REDUCED("sum of whole double", double, MPI_DOUBLE, MPI_SUM, rank * 1025 + i);
    REDUCED("greatest of float", float, MPI_FLOAT, MPI_MAX, (rank * 7919 + i * 31) % 30011 + 0.25f);
    MPI_Op operator;
    MPI_Op_create(twice, 1, &operator);
    REDUCED("of an operator of its own", int, MPI_INT, operator, 1);
    MPI_Op_free(&operator);
    struct { double value; int place; } in[8], out[8];
    memset(in, 0, sizeof in), memset(out, 0, sizeof out);
    for (int i = 0; i < 8; i++) in[i].value = (rank * 5 + i) % 7, in[i].place = rank;
    MPI_Allreduce(in, out, 8, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    tell("all places", 8, root, comm, out, sizeof out);
}

int main(int argc, char **argv) {
    int provided, ranks, world;
    if (argc > 1) MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    else MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static const int counts[] = {1, 3, 100, MOST};
    for (int i = 0; i < 4; i++)
        for (int root = 0; root < ranks; root += ranks - 1)
            broadcasts(MPI_COMM_WORLD, counts[i], root), reductions(MPI_COMM_WORLD, counts[i], root);
    /* Half of the ranks, the other way round, a copy, oneself; none of them longer than needed. */
    MPI_Comm half, copy, back, other;
    MPI_Comm_split(MPI_COMM_WORLD, world % 2, world, &half);
    broadcasts(half, 100, 0), reductions(half, 101, 0);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world, &back);
    broadcasts(back, 100, 0), reductions(back, 101, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    broadcasts(copy, 100, 0), reductions(copy, 101, 0);
    broadcasts(MPI_COMM_SELF, 100, 0), reductions(MPI_COMM_SELF, 101, 0);
    /* Between two groups: the sum of the other group; from the first of the one to the other. */
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world % 2 ? 0 : 1, 7, &other);
    int in[4] = {world, 1, 2, 3}, out[4] = {0};
    MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, other);
    tell("between groups", 4, 0, MPI_COMM_WORLD, out, sizeof out);
    int role = world % 2 ? 0 : world == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(in, 4, MPI_INT, role, other);
    tell("from the other group", 4, 0, MPI_COMM_WORLD, in, sizeof in);
    MPI_Comm_free(&other), MPI_Comm_free(&copy), MPI_Comm_free(&back), MPI_Comm_free(&half);
    /* What comes and goes again and again, and nothing at all. */
    for (int i = 0; i < 20; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        in[0] = world + i;
        MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, copy);
        MPI_Bcast(in, 0, MPI_INT, 0, copy);
        MPI_Comm_free(&copy);
    }
    tell("again and again", 4, 0, MPI_COMM_WORLD, out, sizeof out);
    /* Sums that are not exact: their last bits depend on the order. */
    static double part[1000], sum[1000];
    for (int i = 0; i < 1000; i++) part[i] = 1.0 / (1 + world * 1000 + i);
    MPI_Allreduce(part, sum, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    tell("rounded", 1000, 0, MPI_COMM_WORLD, sum, sizeof sum);
    /* Whatever the order was, it was that of all ranks. */
    uint64_t own = hash_of(sum, sizeof sum), least, most;
    MPI_Allreduce(&own, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&own, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    tell_all(world, ranks);
    if (world == 0) printf("ranks differ: %d\n", least != most);
    MPI_Finalize();
    return 0;
}
