/* The scalars of boards, eight at a time: how freely a side's checkers move, what contact is left, its
 * anchors, and the shots at its enemy's lone checkers; and which contact expert judges a board.
 *
 * Each scalar is a small whole number, its level, so that sums of a net's weights stay exact.
 * docs/evaluators.md says what they mean; tavli_fast/nets/features.py has the same in NumPy. All that
 * depends on where points are closed goes by shifts of the masks of closed points: a bit of the result
 * for every point from which a checker might start. */
#ifndef TAVLI_FAST_SCALARS_H
#define TAVLI_FAST_SCALARS_H

#include "net/features.h"

enum {
    TF_SIDE_SCALARS = 13,
    TF_ALL_SCALARS = 2 * TF_SIDE_SCALARS,
    TF_SCALAR_ROOM = 32,
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

TF_INLINE tf_words tf_largest_bit(tf_words x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return x ^ x >> 1;
}

/* All ones where x is not 0. */
TF_INLINE tf_words tf_is_any(tf_words x) { return (tf_words)(x != 0); }

typedef float tf_reals __attribute__((vector_size(32)));
typedef int32_t tf_signed_words __attribute__((vector_size(32)));

/* The number of a single bit up to 30: the exponent of what it is as a float. 0 where there is none. */
TF_INLINE tf_words tf_bit_number(tf_words bit)
{
    tf_words exponent = (tf_words)__builtin_convertvector((tf_signed_words)bit, tf_reals) >> 23;
    return (exponent - 127) & tf_is_any(bit);
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
    tf_words most = {0};
    for (int j = TF_BLOCKED_BITS - 1; j >= 0; j--) {
        tf_words some = set & blocked[j], any = tf_is_any(some);
        set = (some & any) | (set & ~any);
        most |= any & (1u << j);
    }
    return most;
}

/* Where a roll hits, or pins: with either die, or with both by one checker which steps on a point that
 * is not closed. A checker on the bar enters first, another one then; two leave no die for others. */
typedef struct {
    tf_words first; /* what the first die can move: the bar before all others */
    tf_words rest;  /* what else the second die can, once one has entered */
    tf_words alone; /* all ones where the second die may still move anything */
    tf_words open, blots;
} tf_shooters;

TF_INLINE tf_words tf_step(const tf_shooters *by, tf_words from, int die, tf_words *hit)
{
    tf_words to = from >> die;
    *hit |= to & by->blots;
    return to & by->open;
}

/* The same for the first die. */
TF_INLINE tf_words tf_first_step(const tf_shooters *by, int die, tf_words *hit)
{
    tf_words to = tf_step(by, by->first, die, hit);
    return (to | (by->rest & tf_is_any(to))) & by->alone;
}

/* Add what a roll's hits come to: how likely it is, and the most that one of them costs the enemy: the
 * pips that the checker has gone, or that a pinned one has to go. */
TF_INLINE void tf_add_hits(
    tf_words *hits, tf_words *loss, tf_words where, uint32_t weight, const int contact)
{
    tf_words any = tf_is_any(where);
    *hits += any & weight;
    if (contact == TF_PIN)
        *loss += weight * ((25 - tf_bit_number(tf_smallest_bit(where))) & any);
    else /* of a run of bits the lower ones are dropped: as a float it could be rounded up */
        *loss += weight * tf_bit_number(where & ~(where >> 1));
}

TF_INLINE void tf_count_hits(
    tf_words *hits, tf_words *loss, const tf_side_masks *side, const int contact)
{
    const tf_words none = {0};
    tf_words bar = side->movers & TF_BAR_BIT, on_bar = tf_is_any(bar);
    tf_shooters by;
    *hits = *loss = none;
    if (!tf_which(side->blots))
        return;
    by.first = (bar & on_bar) | (side->movers & ~on_bar);
    by.rest = side->movers & TF_POINTS & on_bar;
    by.alone = ~tf_is_any(side->two & TF_BAR_BIT);
    by.open = ~side->closed & TF_POINTS;
    by.blots = side->blots;
    for (int high = 1; high <= 6; high++) {
        for (int low = 1; low < high; low++) {
            tf_words where = none;
            tf_words after = tf_first_step(&by, high, &where);
            tf_step(&by, after, low, &where);
            after = tf_first_step(&by, low, &where);
            tf_step(&by, after, high, &where);
            tf_add_hits(hits, loss, where, 2, contact);
        }
        tf_words where = none, after = tf_first_step(&by, high, &where);
        for (int step = 0; step < 3; step++)
            after = tf_step(&by, after, high, &where);
        tf_add_hits(hits, loss, where, 1, contact);
    }
}

/* Sums over a side's checkers, of one board. */
typedef struct {
    uint32_t mobility; /* (p - 6) times the rolls that bring a checker from p away, of p above 6 */
    uint32_t to_break, broken; /* pips of those with an enemy before them, beyond it; of the others */
} tf_pips;

TF_INLINE tf_pips tf_sum_checkers(const int8_t *plane, int foremost, const uint32_t *blocked)
{
    tf_pips found = {0, 0, 0};
    for (int p = 1; p <= TF_BAR; p++) {
        uint32_t checkers = (uint32_t)(plane[p] < 0 ? 1 : plane[p]), not_away = 0;
        if (p > foremost)
            found.to_break += checkers * (uint32_t)(p - foremost);
        else if (p < foremost)
            found.broken += checkers * (uint32_t)p;
        if (p <= 6 || plane[p] <= 0)
            continue;
        for (int j = 0; j < TF_BLOCKED_BITS; j++)
            not_away |= (blocked[j * TF_EIGHT] >> p & 1) << j;
        found.mobility += checkers * (uint32_t)(p - 6) * (36 - not_away);
    }
    return found;
}

TF_INLINE uint8_t tf_level(uint32_t x)
{
    return (uint8_t)(x < TF_MOST_LEVEL ? x : TF_MOST_LEVEL);
}

/* A side's scalars: `levels[i]` gets those of board i. */
TF_INLINE void tf_side_scalars(
    uint8_t (*levels)[TF_SCALAR_ROOM], int n, const tf_side_masks *side, int plane,
    const int8_t *const *boards, const int contact)
{
    uint32_t found[TF_SIDE_SCALARS][TF_EIGHT], blocked_of[TF_BLOCKED_BITS][TF_EIGHT];
    uint32_t foremost[TF_EIGHT];
    tf_words blocked[TF_BLOCKED_BITS], hits, loss;
    tf_words rear = tf_largest_bit(side->there), held = side->held & TF_DEEP, inner, count = {0};
    tf_count_blocked(blocked, side->closed);
    tf_put_lanes(found[TF_HELD_BACK], 36 - tf_most_blocked(blocked, 0x3ff << 15 | (tf_words){0}));
    tf_put_lanes(found[TF_HELD_MIDDLE], 36 - tf_most_blocked(blocked, 0x3f << 9 | (tf_words){0}));
    if (contact == TF_NO_CONTACT) {
        tf_words stuck = side->behind_gate & ~tf_smallest_bit(side->there);
        for (int j = 0; j < TF_BLOCKED_BITS; j++)
            blocked[j] = 36 >> j & 1 ? blocked[j] | stuck : blocked[j] & ~stuck;
    }
    tf_put_lanes(found[TF_ESCAPE], 36 - tf_most_blocked(blocked, rear));
    tf_put_lanes(
        found[TF_ESCAPE_2], 36 - tf_most_blocked(blocked, tf_largest_bit(side->there ^ rear)));
    inner = side->closed >> 19;
    for (int k = 0; k < 6; k++)
        count += inner >> k & 1;
    tf_put_lanes(found[TF_ENTERING], 36 - count * count);
    tf_put_lanes(found[TF_REAR], tf_bit_number(rear));
    tf_put_lanes(
        found[TF_ANCHOR], tf_bit_number(tf_smallest_bit(held) >> 17));
    tf_put_lanes(found[TF_REAR_ANCHOR], tf_bit_number(tf_largest_bit(held) >> 17));
    if (contact != TF_NO_CONTACT) {
        tf_count_hits(&hits, &loss, side, contact);
        tf_put_lanes(found[TF_HITS], hits);
        tf_put_lanes(found[TF_LOSS], loss >> 3);
    }
    for (int j = 0; j < TF_BLOCKED_BITS; j++)
        tf_put_lanes(blocked_of[j], blocked[j]);
    tf_put_lanes(foremost, tf_bit_number(side->foremost));
    for (int i = 0; i < n; i++) {
        tf_pips pips =
            tf_sum_checkers(boards[i] + 26 * plane, (int)foremost[i], &blocked_of[0][i]);
        found[TF_MOBILITY][i] = pips.mobility >> 5;
        found[TF_TO_BREAK][i] = pips.to_break >> 1;
        found[TF_BROKEN][i] = pips.broken >> 1;
        for (int k = 0; k < (contact == TF_NO_CONTACT ? TF_HITS : TF_SIDE_SCALARS); k++)
            levels[i][plane * TF_SIDE_SCALARS + k] = tf_level(found[k][i]);
    }
}

TF_INLINE void tf_see_scalars_of(
    tf_seen *seen, const tf_rules *rules, const tf_eight *masks, const int8_t *const *boards, int n,
    int form, const int contact)
{
    tf_side_masks sides[2];
    tf_look_at_sides(sides, rules, masks, contact);
    if (form & TF_EXPERTS) {
        tf_words expert = tf_two_back(&sides[0]) + 2 * tf_two_back(&sides[1]);
        tf_words race = tf_lanes(seen->race);
        tf_put_lanes(seen->phase, (expert & (race - 1)) | race * (TF_MOST_PHASES - 1));
    }
    if (!(form & TF_SCALARS))
        return;
    memset(seen->levels, 0, sizeof seen->levels);
    for (int plane = 0; plane < 2; plane++)
        tf_side_scalars(seen->levels, n, &sides[plane], plane, boards, contact);
    for (int i = 0; i < n; i++)
        if (seen->race[i])
            memset(seen->levels[i], 0, sizeof seen->levels[i]);
}

/* What only some nets ask for, of up to eight boards that `tf_see` has seen: the scalars, and the
 * expert. */
TF_OUTLINE void tf_see_more(
    tf_seen *seen, const tf_rules *rules, const tf_eight *masks, const int8_t *const *boards, int n,
    int form)
{
    if (rules->contact == TF_HIT)
        tf_see_scalars_of(seen, rules, masks, boards, n, form, TF_HIT);
    else if (rules->contact == TF_PIN)
        tf_see_scalars_of(seen, rules, masks, boards, n, form, TF_PIN);
    else
        tf_see_scalars_of(seen, rules, masks, boards, n, form, TF_NO_CONTACT);
}

#endif
