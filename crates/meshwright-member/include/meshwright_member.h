/* What one node does in a group that splits, synchronises and joins; see the documentation of the crate meshwright-member.
 *
 * No allocation, no system calls, no threads: a member is a block of memory that you own. You ask it to begin one operation at
 * a time, hand it every message that comes, and get the messages it sends through a function of yours, which must not call
 * the member it is called from. All members of a group begin the same operations in the same order.
 *
 *   cargo rustc -p meshwright-member --release --features c --crate-type staticlib -- -C panic=abort
 */
#ifndef MESHWRIGHT_MEMBER_H
#define MESHWRIGHT_MEMBER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memory of one member in words of 8 bytes. */
#define MESHWRIGHT_MEMBER_WORDS 720
/* Groups around each other, the first one among them. */
#define MESHWRIGHT_LEVELS 8
/* Messages that may come before their time. */
#define MESHWRIGHT_EARLY 20
/* Packets of others that may wait during a split. */
#define MESHWRIGHT_HELD 32

/* No node, no rank. */
#define MESHWRIGHT_NONE UINT32_MAX

/* A node in a group. The content is the library's; align and copy it as you like, but not while a call runs. */
typedef struct { uint64_t words[MESHWRIGHT_MEMBER_WORDS]; } meshwright_member;

/* 16 bytes on a wire, in the order of bytes of the node: send it as it is. */
typedef struct {
    uint64_t word;   /* what it carries */
    uint32_t number; /* which operation of its group it belongs to */
    uint16_t level;  /* how many splits are around that */
    uint16_t kind;   /* what it is */
} meshwright_message;

/* What an operation has left. */
typedef struct {
    uint64_t value;     /* of a broadcast, a reduction (at the root), an all-reduction, a scan */
    uint64_t group;     /* a number for the group it was done in, equal for all its members */
    uint32_t size;      /* the size of that group */
    uint32_t level;     /* how many splits were around it */
    uint32_t has_value; /* 1 if there is a value */
} meshwright_result;

/* Where a member is in its present group. */
typedef struct {
    uint32_t rank, size;
    uint32_t parent, left, right; /* nodes, or MESHWRIGHT_NONE */
    uint32_t adjacent_root;       /* at a root: the root of the other group of the split */
    uint32_t depth;               /* how many splits are around it */
    uint32_t early;               /* messages that wait for their time */
} meshwright_place;

/* What all members of a group begin together. */
enum {
    MESHWRIGHT_SPLIT = 0,      /* argument: 0 or 1, the group to go to; ranks keep their order */
    MESHWRIGHT_JOIN = 1,       /* the groups of the last split become one again */
    MESHWRIGHT_BARRIER = 2,    /* nobody goes on before all have come */
    MESHWRIGHT_BROADCAST = 3,  /* argument: the rank whose value all learn */
    MESHWRIGHT_REDUCE = 4,     /* argument: how values are put together; the root of the tree learns it */
    MESHWRIGHT_ALL_REDUCE = 5, /* all learn it */
    MESHWRIGHT_SCAN = 6        /* each learns that of the ranks up to its own */
};
enum { MESHWRIGHT_SUM = 0, MESHWRIGHT_MIN = 1, MESHWRIGHT_MAX = 2 };

/* Steps of a split beside those it needs: 2 of the paper, before packets are routed; 5, a barrier at the end. */
enum { MESHWRIGHT_STEP_2 = 1, MESHWRIGHT_STEP_5 = 2 };

/* What functions return. */
enum {
    MESHWRIGHT_NOT_YET = 0,  /* done; an operation is under way, or there is none */
    MESHWRIGHT_OVER = 1,     /* the operation is over, and the result written; begin the next one */
    MESHWRIGHT_FULL = -1,    /* more splits or messages than there is memory for; the member cannot be used any more */
    MESHWRIGHT_MISUSED = -2  /* a null pointer, a number out of range, a message of nobody, or one operation inside another */
};

/* Sends a message to a node; it stands as long as the call. */
typedef void (*meshwright_send)(void *context, uint32_t to, const meshwright_message *message);

/* The ranks of parent, left and right child of a rank in the tree of a group of this size. */
int32_t meshwright_ranks_beside(uint32_t rank, uint32_t size, uint32_t ranks[3]);

/* A member with its rank in the first group; neighbours are the nodes of the ranks that meshwright_ranks_beside names. */
int32_t meshwright_member_init(meshwright_member *member, uint32_t node, uint32_t rank, uint32_t size,
                               const uint32_t neighbours[3], uint32_t steps);

/* Begins an operation. */
int32_t meshwright_member_begin(meshwright_member *member, uint32_t operation, uint32_t argument, uint64_t value,
                                meshwright_send send, void *context, meshwright_result *result);

/* Hands over a message that has come. */
int32_t meshwright_member_receive(meshwright_member *member, uint32_t from, const meshwright_message *message,
                                  meshwright_send send, void *context, meshwright_result *result);

/* Where the member is. */
int32_t meshwright_member_place(const meshwright_member *member, meshwright_place *place);

#ifdef __cplusplus
}
#endif

#endif
