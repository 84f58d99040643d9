/* Whole games with the random policy, many at a time (lanes.h has one ply of eight). */
#ifndef TAVLI_FAST_RANDOM_GAMES_H
#define TAVLI_FAST_RANDOM_GAMES_H

#include "generate/search.h"
#include "random/xoshiro.h"

/* Plays `trials` games that are not over, `mover` on roll, and adds to `out`: games ended at -3..+3 points
 * for `mover`, games cut after `max_plies` or at a roll with too many plays to find, and the plies of
 * all of them. A game's result depends on its number and `stream` alone: each has a stream of its own,
 * which begins with two words of this one, in the order of the trials. Once another thread sets
 * `stop`, it returns soon, and what it has added is to be thrown away. */
void tf_random_games(
    const tf_side *mover, const tf_side *enemy, const tf_rules *rules, tf_stream stream,
    int64_t trials, int64_t max_plies, const volatile unsigned char *stop, tf_work *work,
    int64_t *out);

/* For tests: makes the play of a roll once for each of `n` numbers that a game's stream may give.
 * `boards` gets the boards after it, `drawn` whether a play was drawn and not rejected. Returns the
 * number of proposals that it was drawn from: 0 for a dance, or a roll that does not go through the
 * lanes; -1 if it has too many plays to find. */
int64_t tf_drawn_plays(
    const tf_side *mover, const tf_side *enemy, int die1, int die2, const tf_rules *rules,
    const uint32_t *bits, int64_t n, tf_work *work, int8_t *boards, unsigned char *drawn);

#endif
