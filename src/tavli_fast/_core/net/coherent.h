/* Which results of a game are still possible, and outcomes brought in order by them.
 *
 * The outputs of a net know nothing of each other, nor of what can no longer be. Here a win of 2 points
 * or more is no likelier than a win, what the rules or the board exclude is exactly 0, and what is left
 * to one side is no more than what the other side leaves. */
#ifndef TAVLI_FAST_COHERENT_H
#define TAVLI_FAST_COHERENT_H

#include "net/layers.h"

/* Bits: plane 0 can win exactly 1, 2 or 3 points; three bits on, plane 1 can; nobody. */
enum { TF_THEIR_RESULTS = 3, TF_DRAW_RESULT = 1 << 6, TF_RESULTS = 1 << 7 };

TF_INLINE tf_words tf_points_bit(int points) { return (tf_words){0} + (1u << (points - 1)); }

/* `x` where the bits `which` of `from` are not all 0, else 0. */
TF_INLINE tf_words tf_where(tf_words x, tf_words from, uint32_t which)
{
    return x & (tf_words)((from & which) != 0);
}

/* The results that are left to the winner, from the loser's points and those of his pinned checkers.
 * `apart`: in a hitting game nobody can be hit any more. */
TF_INLINE tf_words tf_wins(
    const tf_rules *rules, tf_words loser, tf_words pinned, tf_words apart, const int contact)
{
    const uint32_t far = rules->triple_in_home ? tf_opposite(TF_HOME, rules) : 0;
    tf_words behind = loser | pinned, none = {0};
    tf_words gammon = tf_points_bit(rules->gammon_points);
    /* Checkers only go forward, unless they are hit. */
    tf_words backgammon = tf_where(tf_points_bit(rules->backgammon_points), behind, far | TF_BAR_BIT);
    if (contact == TF_HIT)
        backgammon |= tf_points_bit(rules->backgammon_points) & (apart - 1);
    tf_words wins = (gammon | backgammon) & (tf_words)((loser & 1) == none);
    wins |= tf_points_bit(rules->single_points);
    if (contact == TF_PIN
        && (rules->mother == TF_LOSE_UNLESS_OWN_START || rules->mother == TF_LOSE_ALWAYS))
        wins |= tf_where(tf_points_bit(rules->mother_points), behind, TF_START_BIT);
    return wins;
}

/* The results that are possible on eight boards whose games are not over. */
TF_INLINE tf_words tf_possible(
    const tf_rules *rules, const tf_eight *boards, const uint32_t *race, const int contact)
{
    tf_words pinned[2] = {{0}, {0}}, apart = tf_lanes(race);
    tf_words mine = tf_lanes(boards->one[0]), theirs = tf_lanes(boards->one[1]);
    if (contact == TF_PIN)
        for (int k = 0; k < 2; k++)
            pinned[k] = tf_lanes(boards->pinned[k]);
    tf_words possible = tf_wins(rules, theirs, pinned[1], apart, contact)
        | tf_wins(rules, mine, pinned[0], apart, contact) << TF_THEIR_RESULTS;
    if (contact == TF_PIN && rules->mother != TF_NO_MOTHER && rules->mother_draw)
        possible |= tf_where(
            tf_where((tf_words){0} + TF_DRAW_RESULT, mine | pinned[0], TF_START_BIT),
            theirs | pinned[1], TF_START_BIT);
    return possible;
}

TF_INLINE tf_floats tf_least(tf_floats x, tf_floats y)
{
#if defined(__AVX__)
    return _mm256_min_ps(x, y);
#else
    tf_ints less = x < y;
    return (tf_floats)(((tf_ints)x & less) | ((tf_ints)y & ~less));
#endif
}

/* `x` where one of the bits `which` of `possible` is set, else `y`. */
TF_INLINE tf_floats tf_if_possible(tf_words possible, uint32_t which, tf_floats x, tf_floats y)
{
    tf_ints here = (tf_ints)((possible & which) != 0);
    return (tf_floats)(((tf_ints)x & here) | ((tf_ints)y & ~here));
}

/* Bring a side's chances to win 2 points or more, and 3, in order with its chance to win. */
TF_INLINE void tf_order_side(tf_floats win, tf_floats *two, tf_floats *three, tf_words possible)
{
    const tf_floats none = {0};
    tf_floats most = tf_if_possible(possible, 1, tf_least(*two, win), win);
    *two = tf_if_possible(possible, 2 | 4, most, none);
    most = tf_if_possible(possible, 2, tf_least(*three, *two), *two);
    *three = tf_if_possible(possible, 4, most, none);
}

/* Bring the six outcomes of eight boards in order, which have these possible results. */
TF_INLINE void tf_order_outcomes(tf_floats *values, tf_words possible)
{
    tf_floats left = 1.0f - values[0];
    /* By what may have been lost in rounding less, so that the sum is never more than 1. */
    left -= left * 0x1p-22f;
    values[5] = tf_if_possible(possible, TF_DRAW_RESULT, tf_least(values[5], left), tf_all(0.0f));
    left -= values[5];
    tf_order_side(values[0], &values[1], &values[2], possible);
    tf_order_side(left, &values[3], &values[4], possible >> TF_THEIR_RESULTS);
}

#endif
