/* The two sides of eight boards to each other, as masks: what each has closed before the other, from
 * which points it gets away, and where it hits.
 *
 * All that depends on where points are closed goes by shifts of the masks of closed points: a bit of the
 * result for every point from which a checker might start. */
#ifndef TAVLI_FAST_SIDES_H
#define TAVLI_FAST_SIDES_H

#include "net/features.h"

enum {
    TF_SIDE_SCALARS = 13,
    TF_SIDE_ROOM = 16, /* where plane 1's levels begin */
    TF_SCALAR_ROOM = 2 * TF_SIDE_ROOM,
    TF_MOST_LEVEL = 255,
    /* The scalars of a side, by number. */
    TF_ESCAPE = 0,   /* rolls that bring the rearmost checker away */
    TF_ESCAPE_2,     /* the same of the point next to it */
    TF_HELD_BACK,    /* least escapes from 15..24 */
    TF_HELD_MIDDLE,  /* and from 9..14 */
    TF_MOBILITY,
    TF_ENTERING,     /* rolls that enter from the bar */
    TF_TO_BREAK,     /* pips until contact is broken */
    TF_BROKEN,       /* pips of those past all enemies */
    TF_REAR,         /* the rearmost checker's point */
    TF_ANCHOR,       /* the foremost point closed in 18..24, less 17 */
    TF_REAR_ANCHOR,  /* the rearmost */
    TF_HITS,         /* rolls that hit or pin; not in blocking games */
    TF_LOSS,         /* what the best hits cost the enemy */
    TF_BACK = 0x3fe0000, /* 17..25: where an expert's key counts checkers */
    TF_DEEP = 0x1fc0000, /* 18..24 */
    TF_BLOCKED_BITS = 6  /* of numbers up to 36 */
};

/* A side of eight boards. All masks are in this side's own numbers. */
typedef struct {
    tf_words movers;     /* its checkers that are not pinned, the bar included */
    tf_words there;      /* pinned ones too */
    tf_words two;        /* two or more that are not pinned */
    tf_words held;       /* points that it has closed */
    tf_words closed;     /* points that the enemy has closed */
    tf_words blots;      /* lone checkers of the enemy that can be hit or pinned */
    tf_words foremost;   /* the enemy that is nearest to its home or past all others: one bit, 0 to 25 */
    tf_words behind_gate; /* all ones where only the foremost of its checkers may move */
} tf_side_masks;

TF_INLINE tf_words tf_smallest_bit(tf_words x) { return x & -x; }

/* All ones where x is not 0. */
TF_INLINE tf_words tf_is_any(tf_words x) { return (tf_words)(x != 0); }

typedef float tf_reals __attribute__((vector_size(32)));
typedef int32_t tf_signed_words __attribute__((vector_size(32)));

/* The number of the largest bit, up to 30, and 127: the exponent of x as a float; 0 for none. Below the
 * largest bit the upper one of each two is dropped, so that nothing is rounded up. */
TF_INLINE tf_words tf_exponent(tf_words x)
{
    return (tf_words)__builtin_convertvector((tf_signed_words)(x & ~(x >> 1)), tf_reals) >> 23;
}

/* The number of the largest bit; 0 where there is none. */
TF_INLINE tf_words tf_largest_number(tf_words x)
{
    return (tf_exponent(x) - 127) & tf_is_any(x);
}

TF_INLINE tf_words tf_largest_bit(tf_words x)
{
#if defined(__AVX2__)
    return ((tf_words){1, 1, 1, 1, 1, 1, 1, 1} << tf_largest_number(x)) & tf_is_any(x);
#else
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return x ^ x >> 1;
#endif
}

TF_INLINE tf_words tf_mirror_points(tf_words x, const tf_rules *rules)
{
    x &= TF_POINTS;
    return rules->parallel ? (x << 12 | x >> 12) & TF_POINTS : tf_mirror_each(x);
}

/* What both sides of eight boards are to each other. */
TF_INLINE void tf_look_at_sides(
    tf_side_masks *sides, const tf_rules *rules, const tf_eight *boards, const int contact)
{
    const tf_words none = {0};
    for (int s = 0; s < 2; s++) {
        tf_side_masks *side = &sides[s];
        tf_words one = tf_lanes(boards->one[s]) & TF_ON_BOARD, pinned = none;
        tf_words pinned_by = none; /* the enemy's, in this side's numbers */
        side->movers = one;
        side->two = tf_lanes(boards->two[s]) & TF_ON_BOARD;
        if (contact == TF_PIN) {
            pinned = tf_lanes(boards->pinned[s]);
            pinned_by = tf_mirror_each(tf_lanes(boards->pinned[1 - s]));
        }
        side->there = one | pinned;
        side->held = contact == TF_NO_CONTACT ? one : side->two | pinned_by;
        side->held &= TF_POINTS;
        side->behind_gate = none;
        if (contact == TF_NO_CONTACT && rules->gate)
            side->behind_gate =
                (tf_words)((tf_lanes(boards->one[s]) & (rules->gate | 1)) == 0);
    }
    for (int s = 0; s < 2; s++) {
        tf_side_masks *side = &sides[s];
        const tf_side_masks *enemy = &sides[1 - s];
        tf_words seen = rules->parallel ? tf_mirror_points(enemy->there, rules)
                                        : tf_mirror_each(enemy->there);
        side->closed = tf_mirror_points(enemy->held, rules);
        side->blots = tf_mirror_points(enemy->movers & ~enemy->held, rules);
        side->foremost = tf_smallest_bit(seen | TF_BAR_BIT);
    }
}

/* 1 where two checkers or more are far back and have an enemy to pass. */
TF_INLINE tf_words tf_two_back(const tf_side_masks *side)
{
    tf_words zone = TF_BACK & ~(side->foremost | (side->foremost - 1));
    tf_words back = side->there & zone;
    return tf_any((side->two & zone) | (back & (back - 1)));
}

/* Add three masks of one weight: `sum` of that weight, and the result of double weight. */
TF_INLINE tf_words tf_add_three(tf_words *sum, tf_words a, tf_words b, tf_words c)
{
    tf_words half = a ^ b;
    *sum = half ^ c;
    return (a & b) | (half & c);
}

/* Add up `n` masks of one weight, which are overwritten: return their sum's bit of that weight, and
 * write the carries, half as many. */
TF_INLINE tf_words tf_add_masks(tf_words *carries, int *n_carries, tf_words *masks, int n)
{
    int many = 0;
    for (; n >= 3; n -= 2)
        carries[many++] = tf_add_three(&masks[n - 3], masks[n - 1], masks[n - 2], masks[n - 3]);
    if (n == 2) {
        carries[many++] = masks[0] & masks[1];
        masks[0] ^= masks[1];
    }
    *n_carries = many;
    return masks[0];
}

/* For each point, how many of the 36 rolls do not carry a checker from there the sum of both dice
 * further on: the last point is closed, or both on the way are. As bit planes: bit p of blocked[j] has
 * the weight 2**j. */
TF_INLINE void tf_count_blocked(tf_words *blocked, tf_words closed)
{
    tf_words at[13], masks[24], carries[24];
    int n = 0, n_carries;
    for (int pips = 1; pips <= 12; pips++)
        at[pips] = closed << pips;
    for (int die = 1; die <= 6; die++)
        masks[n++] = at[die] | at[2 * die];
    blocked[0] = tf_add_masks(carries, &n_carries, masks, n);
    n = 0;
    for (int high = 2; high <= 6; high++) /* each twice as likely as a double */
        for (int low = 1; low < high; low++)
            masks[n++] = (at[high] & at[low]) | at[high + low];
    for (int j = 1; j < TF_BLOCKED_BITS; j++) {
        for (int i = 0; i < n_carries; i++)
            masks[n++] = carries[i];
        blocked[j] = n ? tf_add_masks(carries, &n_carries, masks, n) : (tf_words){0};
        n = 0;
    }
}

/* The largest of those numbers at the points of a set; 0 if it is empty. */
TF_INLINE tf_words tf_most_blocked(const tf_words *blocked, tf_words set)
{
    tf_words missing = {0}; /* a bit that no point of the set has counts -1 */
    for (int j = TF_BLOCKED_BITS - 1; j >= 0; j--) {
        tf_words some = set & blocked[j], none = (tf_words)(some == 0);
        set = some | (set & none);
        missing = missing + missing + none;
    }
    return missing + ((1u << TF_BLOCKED_BITS) - 1);
}

/* The number at a single point; 0 if there is none. */
TF_INLINE tf_words tf_blocked_at(const tf_words *blocked, tf_words point)
{
    tf_words missing = {0};
    for (int j = TF_BLOCKED_BITS - 1; j >= 0; j--)
        missing = missing + missing + (tf_words)((point & blocked[j]) == 0);
    return missing + ((1u << TF_BLOCKED_BITS) - 1);
}

/* How many of the 36 rolls hit or pin, and what that costs the enemy: over all rolls, the most pips
 * that a checker which is hit has gone, or that a pinned one has to go. A roll hits with either die, or
 * with both by one checker which steps on a point that is not closed. A checker on the bar enters first,
 * another one then; two leave no die for others. */
TF_INLINE void tf_count_hits(
    tf_words *hits, tf_words *loss, const tf_side_masks *side, const int contact)
{
    tf_words bar = side->movers & TF_BAR_BIT, on_bar = tf_is_any(bar), blots = side->blots;
    tf_words first = bar | (side->movers & ~on_bar); /* what the first die moves */
    tf_words rest = side->movers & TF_POINTS & on_bar; /* what else the second may, after entering */
    tf_words alone = ~tf_is_any(side->two & TF_BAR_BIT); /* it may move anything */
    tf_words open = ~side->closed & TF_POINTS & alone;
    tf_words direct[7], after[7]; /* where a die hits, and what may move after it */
    tf_words many = {0}, few = {0}, much = {0}, little = {0}; /* mixed rolls, and doubles */
    *hits = *loss = many;
    if (!tf_which(blots))
        return;
    rest &= alone;
    for (int die = 1; die <= 6; die++) {
        tf_words to = first >> die;
        direct[die] = to & blots;
        to &= open;
        after[die] = to | (rest & tf_is_any(to));
    }
    for (int high = 1; high <= 6; high++) {
        for (int low = 1; low < high; low++) {
            tf_words where = direct[high] | direct[low]
                | ((after[high] >> low | after[low] >> high) & blots);
            many += (tf_words)(where == 0);
            much += tf_exponent(contact == TF_PIN ? tf_smallest_bit(where) : where);
        }
        tf_words where = direct[high], from = after[high];
        for (int step = 0; step < 3; step++) {
            from >>= high;
            where |= from & blots;
            from &= open;
        }
        few += (tf_words)(where == 0);
        little += tf_exponent(contact == TF_PIN ? tf_smallest_bit(where) : where);
    }
    *hits = 2 * (many + 15) + few + 6; /* a comparison that holds is -1 */
    *loss = 2 * much + little - 127 * *hits;
    if (contact == TF_PIN)
        *loss = 25 * *hits - *loss;
}

#endif
