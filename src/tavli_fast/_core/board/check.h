/* Whether a board can be a position under the rules. */
#ifndef TAVLI_FAST_CHECK_H
#define TAVLI_FAST_CHECK_H

#include "board/masks.h"

/* Whether a board can be a position: counts, both sides' points, pins. */
static inline bool tf_is_position(const int8_t *board, const tf_rules *rules)
{
    uint64_t there = tf_above_both(board, 0), pins = ~tf_above_both(board, -1);
    uint32_t mine = tf_first_plane(there), theirs = tf_second_plane(there);
    uint32_t my_pinned = tf_first_plane(pins), their_pinned = tf_second_plane(pins);
    int my_total = tf_total(board), their_total = tf_total(board + 26);
    if (my_pinned | their_pinned) {
        if (rules->contact != TF_PIN || (my_pinned | their_pinned) & ~(uint32_t)TF_POINTS)
            return false;
        pins = tf_above_both(board, -2);
        if ((tf_first_plane(pins) & tf_second_plane(pins)) != 0x3ffffff)
            return false;
        /* A pinned checker has an enemy on top: so no point holds two pinned ones. */
        if (my_pinned & ~tf_opposite(theirs, rules) || tf_opposite(their_pinned, rules) & ~mine)
            return false;
        /* Each was counted as 255 instead of 1. */
        my_total -= 254 * tf_count_bits(my_pinned);
        their_total -= 254 * tf_count_bits(their_pinned);
    }
    if (my_total != rules->checkers || their_total != rules->checkers)
        return false;
    if (mine & tf_opposite(theirs, rules))
        return false;
    if (rules->contact != TF_HIT && (board[25] || board[26 + 25]))
        return false;
    return !(board[0] == rules->checkers && board[26] == rules->checkers);
}

#endif
