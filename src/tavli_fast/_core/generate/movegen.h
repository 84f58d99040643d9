/* Any board and roll: the one entry point to counting, listing and choosing plays. It alone decides
 * whether the mask formulas of mixed.h and doubles.h find the plays, or the search.
 *
 * Boards are int8[2, 26], player on roll first, and positions under the rules; dice are 1 to 6, in any
 * order. A `tf_work` is one thread's: after each call `work->failed` says whether a search found no
 * room (a cascade of doubles can lead to many millions of positions); its answer is then 0 plays. */
#ifndef TAVLI_FAST_MOVEGEN_H
#define TAVLI_FAST_MOVEGEN_H

#include "generate/doubles.h"
#include "generate/mixed.h"
#include "generate/search.h"

/* How the plays of a roll are found. */
enum {
    TF_BY_MIXED = 0,
    TF_BY_MIXED_UNDER_BANS = 1,
    TF_BY_DOUBLES = 2,
    TF_BY_SEARCH = 3,
};

/* A turn and its roll, with all distinct plays found and counted, though none is written out. Those
 * found by the search are in `work` until its next use. */
typedef struct {
    int way; /* TF_BY_MIXED, ... */
    int plays;
    tf_turn turn;
    union {
        tf_mixed mixed;
        tf_doubles doubles;
    };
} tf_roll;

/* How many distinct plays a board has; none if the game is over. */
int tf_count_turn(
    const int8_t *board, int die1, int die2, const tf_rules *rules, tf_work *work);

/* Writes the distinct afterstates of a board to `after`, boards of 52 bytes, not flipped, and returns
 * how many they are; none if no move is legal or the game is over. There is room for `capacity` boards
 * and TF_SPARE_BYTES behind them, which are overwritten. If they do not fit, nothing is written, and
 * the caller may make room and ask again; with room for TF_MAX_PLAYS most need not be counted first.
 * Unless `moves` is NULL it gets a play for each, as `room` pairs of from and to, -1 behind the last:
 * 4, or TF_MAX_MOVES with a cascade. */
int64_t tf_list_turn(
    const int8_t *board, int die1, int die2, const tf_rules *rules, tf_work *work, int8_t *after,
    int64_t capacity, int8_t *moves, int room);

/* Finds the distinct plays of the mover, whose game is not over, and returns how many. */
int tf_find_plays(
    tf_roll *roll, const tf_side *mover, const tf_side *enemy, int die1, int die2,
    const tf_rules *rules, tf_work *work);

/* The same by the search, whether or not the roll needs it: tests hold the mask formulas to it. */
int tf_search_roll(
    tf_roll *roll, const tf_side *mover, const tf_side *enemy, int die1, int die2,
    const tf_rules *rules, tf_work *work);

/* Plays the k-th of the plays that `tf_find_plays` found, k from 0 and below `roll->plays`, in an order
 * of its own; the sides are those before the turn. */
void tf_pick_play(
    const tf_roll *roll, int k, tf_side *mover, tf_side *enemy, const tf_rules *rules,
    const tf_work *work);

#endif
