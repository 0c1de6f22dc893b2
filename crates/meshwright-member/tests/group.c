/* A group of 13 members over a toy queue: two splits, sums of each group, two joins; see tests/c.rs. */
#include <stdio.h>
#include <string.h>

#include "meshwright_member.h"

enum { NODES = 13, QUEUE = 4096, STEPS = 7 };

static struct { uint32_t from, to; meshwright_message message; } queue[QUEUE];
static unsigned first, last, sent, early;
static meshwright_member members[NODES];
static unsigned done[NODES];
static uint64_t sums[NODES][2];

static void put(void *from, uint32_t to, const meshwright_message *message) {
    queue[last % QUEUE].from = *(uint32_t *)from;
    queue[last % QUEUE].to = to;
    queue[last % QUEUE].message = *message;
    last++;
    sent++;
}

/* The call number n of a node: split by node % 3 > 0, sum, split by node % 2, sum, join, join, barrier. */
static int32_t call(uint32_t node, unsigned n, meshwright_result *result) {
    static const uint32_t what[STEPS] = { MESHWRIGHT_SPLIT, MESHWRIGHT_ALL_REDUCE, MESHWRIGHT_SPLIT, MESHWRIGHT_SCAN,
                                          MESHWRIGHT_JOIN, MESHWRIGHT_JOIN, MESHWRIGHT_BARRIER };
    uint32_t argument = n == 0 ? node % 3 > 0 : n == 2 ? node % 2 : MESHWRIGHT_SUM;
    return meshwright_member_begin(&members[node], what[n], argument, node + 1, put, &node, result);
}

/* As far as a node comes by itself. */
static int go_on(uint32_t node, int32_t over, meshwright_result result) {
    while (over == MESHWRIGHT_OVER) {
        if (result.has_value) sums[node][done[node] > 2] = result.value;
        if (++done[node] == STEPS) return 0;
        over = call(node, done[node], &result);
    }
    return over == MESHWRIGHT_NOT_YET ? 0 : 1;
}

int main(void) {
    meshwright_result result;
    memset(&result, 0, sizeof result);
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t beside[3];
        if (meshwright_ranks_beside(node, NODES, beside)) return 2; /* rank and node are the same here */
        if (meshwright_member_init(&members[node], node, node, NODES, beside, MESHWRIGHT_STEP_5)) return 3;
    }
    for (uint32_t node = 0; node < NODES; node++)
        if (go_on(node, call(node, 0, &result), result)) return 4;
    for (; first != last; first++) {
        uint32_t from = queue[first % QUEUE].from, to = queue[first % QUEUE].to;
        meshwright_message message = queue[first % QUEUE].message;
        meshwright_place place;
        int32_t over = meshwright_member_receive(&members[to], from, &message, put, &to, &result);
        if (meshwright_member_place(&members[to], &place)) return 5;
        if (place.early > early) early = place.early;
        if (go_on(to, over, result)) return 6;
    }
    for (uint32_t node = 0; node < NODES; node++) {
        uint64_t sum = 0, scan = 0;
        for (uint32_t other = 0; other < NODES; other++) {
            int alike = (other % 3 > 0) == (node % 3 > 0);
            if (alike) sum += other + 1;
            if (alike && other % 2 == node % 2 && other <= node) scan += other + 1;
        }
        if (done[node] != STEPS || sums[node][0] != sum || sums[node][1] != scan) return 7;
    }
    /* What is refused. */
    if (meshwright_member_begin(0, MESHWRIGHT_BARRIER, 0, 0, put, 0, 0) != MESHWRIGHT_MISUSED) return 8;
    if (meshwright_member_begin(&members[0], MESHWRIGHT_JOIN, 0, 0, put, 0, 0) != MESHWRIGHT_MISUSED) return 9;
    if (meshwright_member_begin(&members[0], MESHWRIGHT_SPLIT, 2, 0, put, 0, 0) != MESHWRIGHT_MISUSED) return 10;
    meshwright_message nobodys = { 0, 0, 0, 99 };
    if (meshwright_member_receive(&members[0], 1, &nobodys, put, 0, 0) != MESHWRIGHT_MISUSED) return 11;
    printf("%d members, %u messages, %u early at most\n", NODES, sent, early);
    return 0;
}
