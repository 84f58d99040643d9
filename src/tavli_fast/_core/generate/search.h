/* The search through a turn, for the rules whose bans depend on what has been moved so far; and judging
 * given moves, under all rules. */
#ifndef TAVLI_FAST_SEARCH_H
#define TAVLI_FAST_SEARCH_H

#include "generate/move.h"

/* Why given moves are refused. */
enum tf_refusal {
    TF_FINE = 0,
    TF_NO_MOVE = 1, /* not a from of 1..25 and a to of 0..24 that one die can join */
    TF_NO_CHECKER = 2,
    TF_BAR_FIRST = 3,
    TF_CLOSED = 4,
    TF_NOT_HOME = 5,
    TF_STOPPED = 6, /* a hitter that may not move on */
    TF_NO_DIE = 7,
    TF_NOT_FARTHEST = 8,
    TF_NOT_A_PLAY = 9, /* each move can be made, but the roll demands another play */
    TF_GAME_OVER = 10,
    TF_IS_PINNED = 11,
    TF_GATE = 12,
    TF_HEAD = 13,
    TF_PRIME = 14,
    TF_HOME_ONLY = 15,
    TF_NOT_WHILE_PINNED = 16,
    TF_NOT_EXACT = 17,
};

enum {
    /* More positions in one turn than this are given up, and the caller is told: 1.5 GiB or so. */
    TF_MAX_NODES = 20000000,
    /* The most moves of one roll: a cascade of doubles from 1-1. */
    TF_MAX_MOVES = 24,
};

/* A node's mark: a play may end here. */
enum { TF_LEGAL = 4 };

typedef struct {
    int why;
    int at; /* the move (from 0) that is refused */
} tf_verdict;

/* Room for the turns under way, kept from one roll to the next. `plays` are the nodes in which the
 * roll's distinct plays end. */
typedef struct {
    tf_turn turn;
    tf_side theirs;
    tf_node *nodes;
    int32_t n_nodes, nodes_room;
    int32_t most_nodes; /* beyond these the search fails; whoever wants fewer may say so */
    int32_t *edges;     /* pairs of nodes, from and to */
    int32_t n_edges, edges_room;
    uint8_t *marks; /* a byte a node, for the way back from the ends */
    int32_t marks_room;
    int32_t *table; /* slots of a hash table; see search.c */
    int32_t table_room, table_base;
    uint32_t table_mask;
    int32_t *plays;
    int32_t n_plays, plays_room;
    int longest; /* the most dice that one of the plays uses */
    bool failed; /* out of memory, or too many nodes: the plays are not to be used */
} tf_work;

/* Begins with no memory, and gives back what has been taken since. */
void tf_begin_work(tf_work *work);
void tf_end_work(tf_work *work);

/* The same with the struct itself allocated; NULL if there is no memory. */
tf_work *tf_new_work(void);
void tf_free_work(tf_work *work);

/* Finds the distinct plays of a roll and returns how many; they are in `work->plays`. If there is no
 * room for them, `work->failed` is set, and 0 returned. */
int tf_search_plays(
    const tf_side *mine, const tf_side *theirs, int die1, int die2, const tf_rules *rules,
    tf_work *work);

/* Finds all turns of a roll, in every order of its dice, and marks those that may end with TF_LEGAL:
 * `nodes`, a root first for each order of the dice, and the moves between them, `edges`. Returns
 * whether there was room; if not, `work->failed` is set. */
bool tf_search_turns(
    const tf_side *mine, const tf_side *theirs, int die1, int die2, const tf_rules *rules,
    tf_work *work);

/* Writes the moves that lead to a node as `room` pairs of from and to, -1 behind the last. */
void tf_moves_to(const tf_work *work, int32_t node, int8_t *moves, int room);

/* Turns the sides from before the turn into those at a node. */
void tf_sides_after(
    const tf_work *work, int32_t node, tf_side *mine, tf_side *theirs, const tf_rules *rules);

/* Plays moves given as `room` pairs of from and to, ended by -1, and says whether they may be played.
 * With dice (not 0) they must be a play of that roll, in an order in which it can be played; without,
 * each must be possible in itself. The sides are changed only if all is fine. */
tf_verdict tf_judge_moves(
    tf_side *mine, tf_side *theirs, const int8_t *moves, int room, int die1, int die2,
    const tf_rules *rules, tf_work *work);

#endif
