/* A side in registers: its counts as bit planes, moved without touching memory. */
#ifndef TAVLI_FAST_PLANES_H
#define TAVLI_FAST_PLANES_H

#include "board/masks.h"

typedef struct {
    /* The count on point p is bit p of b0 + 2 * b1 + 4 * b2 + 8 * b3, in the side's own numbers;
     * those borne off are the ones that are missing. */
    uint32_t b0, b1, b2, b3;
    uint32_t pinned; /* points of pinned checkers, which are not in the planes */
} tf_side;

/* How many free checkers stand on a point. */
TF_INLINE int tf_count_at(const tf_side *side, int point)
{
    return (side->b0 >> point & 1) | (side->b1 >> point & 1) << 1 | (side->b2 >> point & 1) << 2
        | (side->b3 >> point & 1) << 3;
}

TF_INLINE uint32_t tf_two_or_more(const tf_side *side) { return side->b1 | side->b2 | side->b3; }
TF_INLINE uint32_t tf_one_or_more(const tf_side *side) { return side->b0 | tf_two_or_more(side); }

/* How many checkers are not yet borne off. */
TF_INLINE int tf_on_board(const tf_side *side)
{
    return tf_count_bits(side->b0) + 2 * tf_count_bits(side->b1) + 4 * tf_count_bits(side->b2)
        + 8 * tf_count_bits(side->b3) + tf_count_bits(side->pinned);
}

/* Reads a plane of a board. */
static inline tf_side tf_load_side(const int8_t *plane)
{
    tf_side side = {0, 0, 0, 0, 0};
    for (int point = 1; point <= TF_BAR; point++) {
        if (plane[point] < 0) {
            side.pinned |= tf_bit(point);
            continue;
        }
        side.b0 |= (uint32_t)(plane[point] & 1) << point;
        side.b1 |= (uint32_t)(plane[point] >> 1 & 1) << point;
        side.b2 |= (uint32_t)(plane[point] >> 2 & 1) << point;
        side.b3 |= (uint32_t)(plane[point] >> 3 & 1) << point;
    }
    return side;
}

/* Writes a plane of a board. */
static inline void tf_store_side(const tf_side *side, int checkers, int8_t *plane)
{
    plane[0] = (int8_t)(checkers - tf_on_board(side));
    for (int point = 1; point <= TF_BAR; point++)
        plane[point] = (int8_t)(tf_count_at(side, point) - (int)(side->pinned >> point & 1));
}

/* Takes one checker from the point of bit `b`: subtracts 1, with the borrow going up. */
TF_INLINE void tf_remove_checker(tf_side *side, uint32_t b)
{
    side->b0 ^= b;
    b &= side->b0;
    side->b1 ^= b;
    b &= side->b1;
    side->b2 ^= b;
    b &= side->b2;
    side->b3 ^= b;
}

/* Puts one checker on the point of bit `b`: adds 1, with the carry going up. */
TF_INLINE void tf_add_checker(tf_side *side, uint32_t b)
{
    side->b0 ^= b;
    b &= ~side->b0;
    side->b1 ^= b;
    b &= ~side->b1;
    side->b2 ^= b;
    b &= ~side->b2;
    side->b3 ^= b;
}

/* Applies to the enemy the effects of the mover's turn from `before` to `after`: `hits` are the mover's
 * points on which it hit; the pins that it makes and ends follow from the boards. */
TF_INLINE void tf_meet(
    const tf_side *before, const tf_side *after, tf_side *enemy, uint32_t hits,
    const tf_rules *rules)
{
    while (hits) {
        enemy->b0 ^= tf_bit(25 - tf_lowest(hits)); /* a blot is one checker: no borrow */
        tf_add_checker(enemy, TF_BAR_BIT);
        hits &= hits - 1;
    }
    if (rules->contact == TF_PIN) {
        /* All lone enemy checkers that do not themselves pin one of ours are pinned if a checker of
         * ours is there. */
        uint32_t single =
            (enemy->b0 & ~tf_two_or_more(enemy) & ~tf_mirror(before->pinned)) | enemy->pinned;
        uint32_t caught = single & tf_mirror(tf_one_or_more(after));
        enemy->pinned = caught;
        enemy->b0 = (enemy->b0 & ~single) | (single ^ caught);
    }
}

/* Sets up the turn of the mover. */
TF_INLINE void tf_side_turn(
    tf_turn *turn, const tf_side *mover, const tf_side *enemy, const tf_rules *rules)
{
    turn->own.ge4 = mover->b2 | mover->b3;
    turn->own.ge5 = mover->b3 | (mover->b2 & (mover->b1 | mover->b0));
    turn->own.ge3 = turn->own.ge4 | (mover->b1 & mover->b0);
    turn->own.ge2 = turn->own.ge4 | mover->b1;
    turn->own.ge1 = turn->own.ge2 | mover->b0;
    turn->own.fixed = mover->pinned;
    tf_make_turn(turn, tf_one_or_more(enemy), tf_two_or_more(enemy), enemy->pinned, rules);
    if (rules->contact == TF_NO_CONTACT)
        tf_look_ahead(
            turn, tf_count_at(mover, 24), tf_on_board(mover) == rules->checkers,
            tf_on_board(enemy) == rules->checkers, rules);
}

#endif
