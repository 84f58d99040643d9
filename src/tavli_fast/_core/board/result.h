/* When a game is over, and what it is worth: read off the two sides' points, nothing else. */
#ifndef TAVLI_FAST_RESULT_H
#define TAVLI_FAST_RESULT_H

#include "board/planes.h"

enum { TF_UNDECIDED = 127 }; /* not a number of points: the game goes on */

/* The points that the loser of a race loses, from the points he stands on in his own numbers and how
 * many checkers he has borne off (64-67). */
TF_INLINE int tf_points_lost(uint32_t there, int borne_off, const tf_rules *rules)
{
    if (borne_off)
        return rules->single_points;
    if (there & TF_BAR_BIT || (rules->triple_in_home && there & tf_opposite(TF_HOME, rules)))
        return rules->backgammon_points;
    return rules->gammon_points;
}

/* The points for "mine" if the mother rule ends the game, else TF_UNDECIDED (section 4.2). The points
 * are those of free checkers and of pinned ones, each in the side's own numbers; one that is pinned
 * on the start is alone there, so it is the last. */
static inline int tf_mother_result(
    uint32_t mine, uint32_t my_pinned, uint32_t theirs, uint32_t their_pinned,
    const tf_rules *rules)
{
    bool mine_caught = (my_pinned & TF_START_BIT) != 0;
    bool theirs_caught = (their_pinned & TF_START_BIT) != 0;
    if (rules->mother == TF_NO_MOTHER || !(mine_caught || theirs_caught))
        return TF_UNDECIDED;
    if (mine_caught && theirs_caught)
        return rules->mother_draw ? 0 : TF_UNDECIDED;
    if (rules->mother == TF_DRAW_ONLY)
        return TF_UNDECIDED;
    if (theirs_caught && (rules->mother == TF_LOSE_ALWAYS || !(mine & TF_START_BIT)))
        return rules->mother_points;
    if (mine_caught && (rules->mother == TF_LOSE_ALWAYS || !(theirs & TF_START_BIT)))
        return -rules->mother_points;
    return TF_UNDECIDED;
}

/* The points for plane 0 of a game that is over, else TF_UNDECIDED. */
TF_INLINE int tf_board_result(const int8_t *board, const tf_rules *rules)
{
    uint64_t there, pinned;
    if (board[0] != rules->checkers && board[26] != rules->checkers
        && (rules->mother == TF_NO_MOTHER || !(board[24] < 0 || board[26 + 24] < 0)))
        return TF_UNDECIDED;
    there = tf_above_both(board, 0);
    pinned = ~tf_above_both(board, -1);
    if (board[0] == rules->checkers)
        return tf_points_lost(tf_second_plane(there | pinned), board[26], rules);
    if (board[26] == rules->checkers)
        return -tf_points_lost(tf_first_plane(there | pinned), board[0], rules);
    return tf_mother_result(
        tf_first_plane(there), tf_first_plane(pinned), tf_second_plane(there),
        tf_second_plane(pinned), rules);
}

/* Whether the game is over. */
TF_INLINE bool tf_is_over(const int8_t *board, const tf_rules *rules)
{
    return tf_board_result(board, rules) != TF_UNDECIDED;
}

/* The points for the mover if his play has ended the game, else TF_UNDECIDED. */
TF_INLINE int tf_game_result(const tf_side *mover, const tf_side *enemy, const tf_rules *rules)
{
    if ((tf_one_or_more(mover) | mover->pinned) == 0)
        return tf_points_lost(
            tf_one_or_more(enemy) | enemy->pinned, rules->checkers - tf_on_board(enemy), rules);
    if (rules->mother == TF_NO_MOTHER)
        return TF_UNDECIDED;
    return tf_mother_result(
        tf_one_or_more(mover), mover->pinned, tf_one_or_more(enemy), enemy->pinned, rules);
}

#endif
