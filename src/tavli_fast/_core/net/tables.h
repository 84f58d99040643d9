/* The bear-off table of a net: the exact chances of positions in which both sides are nearly off.
 *
 * Both sides have 1 to 6 checkers left, all on their first six points, and have borne one off: nobody is
 * in the other's way, and every win is a single one. The table has for each pair of sides the chance to
 * win of the one on roll; which plays are best depends on nothing else, so it serves all rules with this
 * bear-off. Sides are numbered as in bearoff.pyx. */
#ifndef TAVLI_FAST_TABLES_H
#define TAVLI_FAST_TABLES_H

#include "net/layers.h"

enum {
    TF_TABLE_POINTS = 6,
    TF_TABLE_CHECKERS = 6,
    TF_TABLE_SIDES = 924,
    TF_TABLE_FLOATS = TF_TABLE_SIDES * TF_TABLE_SIDES
};

/* The number of a side: in lexicographic order, the checkers on the farthest point first. -1 if it has
 * too many. */
TF_INLINE int tf_side_number(const int8_t *plane)
{
    /* Of fewer than k checkers there are (p + k - 1 choose p) sides on p points. A side's number is the sum
     * over its points of how many come before it there; with `left`, 7 less the checkers on point p and
     * beyond, that is 924 plus one term for each point: those on p - 1 points less those on p (on point 1
     * only these). */
    static const int16_t terms[TF_TABLE_POINTS][TF_TABLE_CHECKERS + 2] = {
        {0, -1, -2, -3, -4, -5, -6, -7},
        {0, 0, -1, -3, -6, -10, -15, -21},
        {0, 0, -1, -4, -10, -20, -35, -56},
        {0, 0, -1, -5, -15, -35, -70, -126},
        {0, 0, -1, -6, -21, -56, -126, -252},
        {0, 0, -1, -7, -28, -84, -210, -462},
    };
    int total = 0, number = TF_TABLE_SIDES;
    for (int k = 1; k <= TF_TABLE_POINTS; k++)
        total += plane[k];
    if (total > TF_TABLE_CHECKERS)
        return -1;
    int left = TF_TABLE_CHECKERS + 1 - total;
    for (int k = 0; k < TF_TABLE_POINTS; k++) {
        number += terms[k][left];
        left += plane[1 + k];
    }
    return number;
}

/* Which of eight boards may be in the table, as bits. */
TF_INLINE uint32_t tf_maybe_in_table(const tf_eight *boards, const int contact)
{
    const uint32_t inside = TF_HOME | 1;
    tf_words mine = tf_lanes(boards->one[0]), theirs = tf_lanes(boards->one[1]);
    tf_words outside = (mine | theirs) & ~inside, none = {0};
    if (contact == TF_PIN)
        outside |= tf_lanes(boards->pinned[0]) | tf_lanes(boards->pinned[1]);
    return tf_which((tf_words)(outside == none) & (mine & theirs & 1));
}

/* Read the outcomes of a board that may be in the table, and is not over, for plane 0, who has just
 * moved. False if it is not there. */
TF_INLINE bool tf_read_table(
    float *outcomes, const float *table, const tf_rules *rules, const int8_t *board)
{
    int mine = tf_side_number(board), theirs = tf_side_number(board + 26);
    if (mine < 0 || theirs < 0)
        return false;
    float lose = table[(long)theirs * TF_TABLE_SIDES + mine], win = 1.0f - lose;
    outcomes[0] = win;
    outcomes[1] = rules->single_points >= 2 ? win : 0;
    outcomes[2] = rules->single_points >= 3 ? win : 0;
    outcomes[3] = rules->single_points >= 2 ? lose : 0;
    outcomes[4] = rules->single_points >= 3 ? lose : 0;
    outcomes[5] = 0;
    return true;
}

/* The same for a board of which nothing is known. */
TF_INLINE bool tf_look_up(
    float *outcomes, const float *table, const tf_rules *rules, const int8_t *board)
{
    if (board[0] == 0 || board[26] == 0 || board[0] + TF_TABLE_CHECKERS < rules->checkers
        || board[26] + TF_TABLE_CHECKERS < rules->checkers || board[0] == rules->checkers
        || board[26] == rules->checkers)
        return false;
    uint64_t there = tf_above_both(board, 0) | tf_below_both(board, 0);
    const uint64_t inside = (uint64_t)(TF_HOME | 1) << 26 | (TF_HOME | 1);
    return !(there & ~inside) && !tf_below_both(board, 0)
        && tf_read_table(outcomes, table, rules, board);
}

#endif
