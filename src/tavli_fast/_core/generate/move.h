/* One move of a turn under way in the search, on exact counts. What may go and where to is decided by
 * the same functions of board/masks.h that the mask formulas use. */
#ifndef TAVLI_FAST_MOVE_H
#define TAVLI_FAST_MOVE_H

#include "board/planes.h"
#include "board/result.h"

/* A turn under way: the mover's checkers, what he has hit, and the move that led here. */
typedef struct {
    tf_side mine;
    uint32_t hits;  /* the mover's points on which a lone enemy checker has been hit in this turn */
    int32_t parent; /* the node before the move; -1 at the start of the turn */
    uint8_t from;
    uint8_t die;
    uint8_t depth;     /* moves made */
    uint8_t first_die; /* that of the first of them */
} tf_node;

/* The points where a checker of the mover's stands. */
TF_INLINE uint32_t tf_standing(const tf_node *node, const tf_turn *turn)
{
    return tf_one_or_more(&node->mine) | turn->own.fixed;
}

/* The checkers that have hit where a hitter must stop, and so may not move on (section 4.9). */
TF_INLINE uint32_t tf_stopped(const tf_node *node, const tf_turn *turn)
{
    return node->hits & turn->stop & ~tf_two_or_more(&node->mine);
}

/* Whether as many checkers have left the head as may (section 4.7). */
TF_INLINE bool tf_head_is_spent(const tf_node *node, const tf_turn *turn)
{
    return turn->head - tf_count_at(&node->mine, 24) >= turn->head_limit;
}

/* Whether the mother rule would end the game here. */
static inline bool tf_mother_decides(
    const tf_node *node, const tf_turn *turn, const tf_rules *rules)
{
    uint32_t mine = tf_one_or_more(&node->mine);
    if (rules->mother == TF_NO_MOTHER)
        return false;
    uint32_t their_pinned = tf_opposite(turn->lone & mine, rules);
    return tf_mother_result(
        mine, turn->own.fixed, turn->enemy & ~their_pinned, their_pinned, rules) != TF_UNDECIDED;
}

/* The points from which a checker may go at all, whatever the die. */
TF_INLINE uint32_t tf_may_leave(const tf_node *node, const tf_turn *turn, const tf_rules *rules)
{
    uint32_t mine = tf_one_or_more(&node->mine) & ~tf_stopped(node, turn);
    if (rules->mother_immediate && tf_mother_decides(node, turn, rules))
        return 0; /* P6 */
    mine = tf_movable(
        turn, mine, turn->gate == 0 || tf_on_board(&node->mine) == rules->checkers);
    return tf_head_is_spent(node, turn) ? mine & ~TF_START_BIT : mine;
}

/* The points from which one checker may move by `die`, but for the bans on primes. */
TF_INLINE uint32_t tf_node_sources(
    const tf_node *node, const tf_turn *turn, int die, const tf_rules *rules)
{
    return tf_sources_of(turn, tf_may_leave(node, turn, rules), tf_standing(node, turn), die);
}

/* The turn after a move; its parent is for the caller to set. */
TF_INLINE tf_node tf_node_moved(const tf_node *node, const tf_turn *turn, int from, int die)
{
    tf_node after = *node;
    after.from = (uint8_t)from;
    after.die = (uint8_t)die;
    tf_remove_checker(&after.mine, tf_bit(from));
    if (from > die) {
        after.hits |= tf_bit(from - die) & turn->blot;
        tf_add_checker(&after.mine, tf_bit(from - die));
    }
    return after;
}

#endif
