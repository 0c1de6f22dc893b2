/* Graph topologies, as anybody would ask for them: `graphs adjacent|unweighted|general|graph|empty`.
 * Each process tells the neighbours that its rank has in the new communicator, values come over the neighbour collective, and the
 * bytes that went from host to host are counted. What is printed, but for these, does not depend on who got which rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rank r sends much to its mate and little to the rank after next; there is an even number of ranks. */
static int mate(int r) { return r ^ 1; }
static int next(int r, int ranks) { return (r + 2) % ranks; }
static int last(int r, int ranks) { return (r + ranks - 2) % ranks; }

static int by_first(const void *a, const void *b) {
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *how = argc > 1 ? argv[1] : "adjacent";
    int ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm graph;
    int from[2] = {mate(rank), last(rank, ranks)}, to[2] = {mate(rank), next(rank, ranks)};
    int from_weights[2] = {100, 1 + last(rank, ranks)}, to_weights[2] = {100, 1 + rank};
    if (!strcmp(how, "adjacent")) {
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, from_weights, 2, to, to_weights, MPI_INFO_NULL, 1, &graph);
    } else if (!strcmp(how, "unweighted")) {
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
    } else if (!strcmp(how, "empty")) {
        /* A star round rank 0: the others only send, to it; odd ones say so with weights, all others have none. */
        int *all = malloc((size_t)ranks * sizeof *all), *ones = malloc((size_t)ranks * sizeof *all), zero = 0, heavy = rank;
        for (int r = 1; r < ranks; r++) all[r - 1] = r, ones[r - 1] = r;
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank ? 0 : ranks - 1, all, rank ? MPI_WEIGHTS_EMPTY : ones, rank ? 1 : 0,
                                       &zero, rank ? &heavy : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 1, &graph);
        free(all), free(ones);
    } else if (!strcmp(how, "general")) {
        /* Rank r tells the edges of rank r + 3. In which order MPI tells neighbours again is left open. */
        int who = (rank + 3) % ranks, degree = 2, edges[2] = {next(who, ranks), mate(who)}, weights[2] = {1 + who, 100};
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &who, &degree, edges, weights, MPI_INFO_NULL, 1, &graph);
    } else {
        int *index = malloc((size_t)ranks * sizeof *index), *edges = malloc((size_t)ranks * 3 * sizeof *edges);
        for (int r = 0; r < ranks; r++) {
            index[r] = 3 * (r + 1);
            edges[3 * r] = mate(r), edges[3 * r + 1] = next(r, ranks), edges[3 * r + 2] = last(r, ranks);
        }
        MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, &graph);
        free(index), free(edges);
    }

    int mine, in, out, weighted;
    MPI_Comm_rank(graph, &mine);
    int *lists = malloc((size_t)ranks * 8 * sizeof *lists), *tell = calloc((size_t)ranks * 8, sizeof *tell), told = 0;
    if (!strcmp(how, "graph")) {
        MPI_Graph_neighbors_count(graph, mine, &in);
        MPI_Graph_neighbors(graph, mine, in, lists);
        out = in, weighted = 0;
        memcpy(lists + 2 * in, lists, (size_t)in * sizeof *lists);
    } else {
        MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
        MPI_Dist_graph_neighbors(graph, in, lists, lists + in, out, lists + 2 * in, lists + 2 * in + out);
    }
    int *got = malloc((size_t)(in + 1) * sizeof *got), *send = malloc((size_t)(out + 1) * sizeof *send);
    for (int i = 0; i < out; i++) send[i] = 1000 * mine + lists[2 * in + i];
    MPI_Neighbor_alltoall(send, 1, MPI_INT, got, 1, MPI_INT, graph);
    tell[told++] = in, tell[told++] = out, tell[told++] = weighted;
    for (int i = 0; i < in; i++) tell[told++] = lists[i], tell[told++] = weighted ? lists[in + i] : 1, tell[told++] = got[i];
    for (int i = 0; i < out; i++)
        tell[told++] = lists[2 * in + i], tell[told++] = weighted ? lists[2 * in + out + i] : 1, tell[told++] = 0;
    if (!strcmp(how, "general")) {
        qsort(tell + 3, (size_t)in, 3 * sizeof *tell, by_first);
        qsort(tell + 3 + 3 * in, (size_t)out, 3 * sizeof *tell, by_first);
    }

    char host[MPI_MAX_PROCESSOR_NAME] = {0};
    int length;
    MPI_Get_processor_name(host, &length);
    char *hosts = malloc((size_t)ranks * sizeof host);
    MPI_Allgather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, graph);
    long between = 0, all = 0;
    for (int i = 0; i < out; i++)
        if (strcmp(host, hosts + (size_t)lists[2 * in + i] * sizeof host)) between += weighted ? lists[2 * in + out + i] : 1;
    MPI_Reduce(&between, &all, 1, MPI_LONG, MPI_SUM, 0, graph);
    int *every = malloc((size_t)ranks * 8 * (size_t)ranks * sizeof *every);
    MPI_Gather(tell, 8 * ranks, MPI_INT, every, 8 * ranks, MPI_INT, 0, graph);
    if (mine == 0) {
        for (int r = 0; r < ranks; r++) {
            int *one = every + (size_t)r * 8 * ranks, count = 3 + 3 * (one[0] + one[1]);
            printf("%d:", r);
            for (int i = 0; i < count; i++) printf(" %d", one[i]);
            printf("\n");
        }
        printf("weight between hosts %ld\n", all);
    }
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
