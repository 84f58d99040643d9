/* What a side may not close: its own start, the enemy's, and the way of an enemy whom it traps. */
#ifndef TAVLI_FAST_PRIMES_H
#define TAVLI_FAST_PRIMES_H

#include "generate/move.h"

enum {
    TF_OWN_START = 0x1f80000, /* 19..24 */
    TF_ENEMY_START = 0x1f80,  /* 7..12 */
};

/* Whether more points of a start quadrant are held than may be (F4, F5, section 4.6). */
TF_INLINE bool tf_holds_too_much(uint32_t there, uint32_t quadrant, const tf_rules *rules)
{
    int most = quadrant == TF_OWN_START ? (rules->own_start_prime ? 6 : 5) : rules->opp_start_max;
    return tf_count_bits(there & quadrant) > most;
}

/* The first (lowest) points of the mover's primes, in the enemy's numbers, which are his walk (F10). */
TF_INLINE uint32_t tf_primes(uint32_t there, const tf_rules *rules)
{
    uint32_t held = tf_opposite(there, rules), first = held;
    for (int i = 1; i < rules->prime_len; i++)
        first &= held >> i;
    return first;
}

/* The enemy's points from 1 to that of his foremost checker: a prime that begins there has no enemy
 * checker past it. None if he has borne off. */
TF_INLINE uint32_t tf_up_to_foremost(const tf_turn *turn)
{
    return turn->enemy_all_there ? (turn->enemy ^ (turn->enemy - 1)) & TF_POINTS : 0;
}

/* Whether the mover may not have brought checkers to the points `gained`. Only what adds to the points
 * in question is barred, so that a position which has come about in another way does not freeze. */
static inline bool tf_is_barred(
    uint32_t there, uint32_t gained, const tf_turn *turn, const tf_rules *rules)
{
    if (gained & TF_OWN_START && tf_holds_too_much(there, TF_OWN_START, rules))
        return true;
    if (gained & TF_ENEMY_START && tf_holds_too_much(there, TF_ENEMY_START, rules))
        return true;
    if (rules->trap == TF_NEED_AHEAD) {
        /* Section 4.7: a prime needs an enemy checker past it. */
        uint32_t firsts = tf_primes(there, rules) & tf_up_to_foremost(turn);
        gained = tf_opposite(gained, rules);
        for (; firsts; firsts &= firsts - 1)
            if (gained >> tf_lowest(firsts) & (tf_bit(rules->prime_len) - 1))
                return true;
    }
    return false;
}

/* Whether the prime rules, where they are read after each die, let the move that led to `after` land
 * on `to`. */
TF_INLINE bool tf_may_land(
    const tf_node *after, const tf_turn *turn, int to, const tf_rules *rules)
{
    return !(rules->parallel && rules->each_die
             && tf_is_barred(tf_standing(after, turn), tf_bit(to), turn, rules));
}

/* Whether the prime rules, where they are read at the end of the turn, let it end here. */
static inline bool tf_may_end(
    const tf_node *start, const tf_node *end, const tf_turn *turn, const tf_rules *rules)
{
    uint32_t gained = 0;
    if (rules->each_die || !rules->parallel)
        return true;
    for (int point = 1; point <= 24; point++)
        if (tf_count_at(&end->mine, point) > tf_count_at(&start->mine, point))
            gained |= tf_bit(point);
    return !tf_is_barred(tf_standing(end, turn), gained, turn, rules);
}

/* Whether some roll lets the first side move. */
static inline bool tf_can_move(const tf_side *mine, const tf_side *theirs, const tf_rules *rules)
{
    tf_turn turn;
    tf_node node = {0};
    tf_side_turn(&turn, mine, theirs, rules);
    turn.head_limit = tf_head_limit(rules, turn.head, ~(uint32_t)0);
    node.mine = *mine;
    for (int die = 1; die <= 6; die++) {
        uint32_t left = tf_node_sources(&node, &turn, die, rules);
        for (; left; left &= left - 1) {
            int from = tf_lowest(left);
            tf_node after = tf_node_moved(&node, &turn, from, die);
            if (from <= die || tf_may_land(&after, &turn, from - die, rules))
                return true;
        }
    }
    return false;
}

/* Whether the enemy, whose checkers are `theirs`, is left trapped (F7). */
static inline bool tf_is_trap(
    const tf_node *end, const tf_turn *turn, const tf_side *theirs, const tf_rules *rules)
{
    if (rules->trap == TF_SINGLE_POINT) {
        if (turn->enemy == 0 || turn->enemy & (turn->enemy - 1))
            return false;
        int behind = tf_lowest(turn->enemy) - rules->prime_len;
        return behind > 0 && (tf_primes(tf_standing(end, turn), rules) >> behind & 1) != 0;
    }
    if (rules->trap == TF_IMMOBILE)
        return !tf_can_move(theirs, &end->mine, rules);
    return false;
}

#endif
