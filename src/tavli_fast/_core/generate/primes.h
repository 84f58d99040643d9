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

/* Whether a ban on primes may bar a landing, where they are read after each die (F6). */
TF_INLINE bool tf_bars_landings(const tf_rules *rules)
{
    return rules->parallel && rules->each_die
        && (!rules->own_start_prime || rules->opp_start_max < 6 || rules->trap == TF_NEED_AHEAD);
}

/* Which of the sources `from` may not move by `die`, because the bans on primes that are read after each
 * die bar the landing: checkers of ours stand on the points `there`, one alone on those of `single`. */
static inline uint32_t tf_barred_sources(
    const tf_turn *turn, uint32_t from, uint32_t there, uint32_t single, int die,
    const tf_rules *rules)
{
    uint32_t barred = 0, left = from & ~tf_up_to(die);
    if (!tf_bars_landings(rules))
        return 0;
    if (rules->trap != TF_NEED_AHEAD)
        left &= (uint32_t)(TF_OWN_START | TF_ENEMY_START) << die;
    for (; left; left &= left - 1) {
        uint32_t b = left & -left;
        if (tf_is_barred((there & ~(b & single)) | b >> die, b >> die, turn, rules))
            barred |= b;
    }
    return barred;
}

/* The points from which one checker may move by `die` under all rules; of these the search knows more
 * than the masks. */
TF_INLINE uint32_t tf_legal_sources(
    const tf_node *node, const tf_turn *turn, int die, const tf_rules *rules)
{
    uint32_t from = tf_node_sources(node, turn, die, rules);
    uint32_t single = ~(tf_two_or_more(&node->mine) | turn->own.fixed);
    return from & ~tf_barred_sources(turn, from, tf_standing(node, turn), single, die, rules);
}

/* The same for the mover's checkers in thresholds. */
TF_INLINE uint32_t tf_unbarred_sources(
    const tf_turn *turn, const tf_own *own, int die, const tf_rules *rules)
{
    uint32_t from = tf_sources(turn, own, die);
    return from
        & ~tf_barred_sources(
            turn, from, own->ge1 | own->fixed, ~(own->ge2 | own->fixed), die, rules);
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
    for (int die = 1; die <= 6; die++)
        if (tf_legal_sources(&node, &turn, die, rules))
            return true;
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
