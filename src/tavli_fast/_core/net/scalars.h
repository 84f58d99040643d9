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

/* What follows from the points that the enemy has closed, kept for the next eight boards: those of a side
 * are the same for all afterstates of a root, for a play hits, pins and moves but leaves them closed. */
typedef struct {
    tf_words closed, blocked[TF_BLOCKED_BITS], held_back, held_middle;
    int16_t mobile[32] __attribute__((aligned(32))); /* if all eight have the same closed: see below */
    int known, same;
} tf_ahead;

/* Sums over a side's checkers, of one board: pips of those with an enemy before them, beyond it; pips of
 * the others; and what each adds to mobility. */
enum { TF_PIPS_TO_BREAK, TF_PIPS_BROKEN, TF_MOBILE, TF_PIP_SUMS = 4 };

#if defined(__AVX2__)
/* By point, 26 bytes of a register. Plane 1 is loaded with the last 6 cells of plane 0 before it. */
TF_INLINE __m256i tf_sixteen_bits(__m256i bytes, int half)
{
    return _mm256_cvtepi8_epi16(
        half ? _mm256_extracti128_si256(bytes, 1) : _mm256_castsi256_si128(bytes));
}

/* The number of each point; 0 for those borne off and for what is not this plane's. */
TF_INLINE __m256i tf_point_numbers(const int plane)
{
    static const uint8_t number[64] __attribute__((aligned(32))) = {
        [1] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
        [39] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
    return _mm256_load_si256((const __m256i *)(number + 32 * plane));
}

/* What a checker on each point adds to a side's mobility: (p - 6) times the rolls that bring it away, of
 * p above 6. `blocked` are the planes of one board. */
TF_INLINE void tf_weigh_points(int16_t *mobile, const int plane, const uint32_t *blocked)
{
    const __m256i points = tf_point_numbers(plane);
    const __m256i byte_of = _mm256_srli_epi16(_mm256_andnot_si256(_mm256_set1_epi8(7), points), 3);
    const __m256i bit_of = _mm256_shuffle_epi8(
        _mm256_set1_epi64x((long long)0x8040201008040201u),
        _mm256_and_si256(points, _mm256_set1_epi8(7)));
    __m256i outside = _mm256_subs_epu8(points, _mm256_set1_epi8(6));
    __m256i not_away = _mm256_setzero_si256();
    for (int j = TF_BLOCKED_BITS - 1; j >= 0; j--) {
        __m256i mask = _mm256_shuffle_epi8(_mm256_set1_epi32((int)blocked[j * TF_EIGHT]), byte_of);
        mask = _mm256_cmpeq_epi8(_mm256_and_si256(mask, bit_of), bit_of);
        not_away = _mm256_sub_epi8(_mm256_add_epi8(not_away, not_away), mask);
    }
    __m256i away = _mm256_sub_epi8(_mm256_set1_epi8(36), not_away);
    for (int half = 0; half < 2; half++)
        _mm256_store_si256(
            (__m256i *)mobile + half,
            _mm256_mullo_epi16(tf_sixteen_bits(outside, half), tf_sixteen_bits(away, half)));
}

TF_INLINE void tf_sum_checkers(
    uint32_t *sums, const int8_t *board, const int plane, uint32_t foremost, const int16_t *mobile,
    const int pins)
{
    const __m256i points = tf_point_numbers(plane), ones = _mm256_set1_epi16(1);
    __m256i checkers = _mm256_loadu_si256((const __m256i *)(board + 20 * plane));
    __m256i all = pins ? _mm256_abs_epi8(checkers) : checkers;
    __m256i free = pins ? _mm256_max_epi8(checkers, _mm256_setzero_si256()) : checkers;
    __m256i enemy = _mm256_set1_epi8((char)foremost);
    __m256i beyond = _mm256_subs_epu8(points, enemy);
    __m256i before = _mm256_and_si256(points, _mm256_cmpgt_epi8(enemy, points));
    __m256i moving = _mm256_add_epi32(
        _mm256_madd_epi16(tf_sixteen_bits(free, 0), _mm256_load_si256((const __m256i *)mobile)),
        _mm256_madd_epi16(
            tf_sixteen_bits(free, 1), _mm256_load_si256((const __m256i *)(mobile + 16))));
    __m256i pips = _mm256_hadd_epi32(
        _mm256_madd_epi16(_mm256_maddubs_epi16(beyond, all), ones),
        _mm256_madd_epi16(_mm256_maddubs_epi16(before, all), ones));
    pips = _mm256_hadd_epi32(pips, _mm256_hadd_epi32(moving, moving));
    _mm_storeu_si128(
        (__m128i *)sums,
        _mm_add_epi32(_mm256_castsi256_si128(pips), _mm256_extracti128_si256(pips, 1)));
}
#else
TF_INLINE void tf_weigh_points(int16_t *mobile, const int plane, const uint32_t *blocked)
{
    (void)plane;
    for (int p = 0; p <= TF_BAR; p++) {
        int not_away = 0;
        for (int j = 0; j < TF_BLOCKED_BITS; j++)
            not_away |= (int)(blocked[j * TF_EIGHT] >> p & 1) << j;
        mobile[p] = (int16_t)(p > 6 ? (p - 6) * (36 - not_away) : 0);
    }
}

TF_INLINE void tf_sum_checkers(
    uint32_t *sums, const int8_t *board, const int plane, uint32_t foremost, const int16_t *mobile,
    const int pins)
{
    const int8_t *side = board + 26 * plane;
    (void)pins;
    sums[TF_PIPS_TO_BREAK] = sums[TF_PIPS_BROKEN] = sums[TF_MOBILE] = 0;
    for (uint32_t p = 1; p <= TF_BAR; p++) {
        uint32_t checkers = (uint32_t)(side[p] < 0 ? 1 : side[p]);
        if (p > foremost)
            sums[TF_PIPS_TO_BREAK] += checkers * (p - foremost);
        else if (p < foremost)
            sums[TF_PIPS_BROKEN] += checkers * p;
        if (side[p] > 0)
            sums[TF_MOBILE] += checkers * (uint32_t)mobile[p];
    }
}
#endif

TF_INLINE tf_words tf_at_most(tf_words x, uint32_t most)
{
    tf_words more = (tf_words)(x > most);
    return (x & ~more) | (more & most);
}

/* Find what follows from the closed points of eight boards, unless it is known. */
TF_INLINE void tf_look_ahead_of(tf_ahead *ahead, tf_words closed, const int plane)
{
    if (ahead->known && !tf_which(ahead->closed ^ closed))
        return;
    ahead->known = 1;
    ahead->closed = closed;
    tf_count_blocked(ahead->blocked, closed);
    ahead->held_back = 36 - tf_most_blocked(ahead->blocked, 0x3ff << 15 | (tf_words){0});
    ahead->held_middle = 36 - tf_most_blocked(ahead->blocked, 0x3f << 9 | (tf_words){0});
    ahead->same = !tf_which(closed ^ closed[0]);
    if (ahead->same)
        tf_weigh_points(ahead->mobile, plane, (const uint32_t *)ahead->blocked);
}

/* A side's scalars: of each of eight boards 16 levels, a byte each, as four words. */
TF_INLINE void tf_side_scalars(
    tf_words *words, int n, tf_ahead *ahead, const tf_side_masks *side, const int plane,
    const int8_t *const *boards, const int contact)
{
    const tf_words number = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t foremost[TF_EIGHT];
    uint32_t sums[TF_EIGHT][TF_PIP_SUMS] = {{0}}, by_sum[TF_PIP_SUMS - 1][TF_EIGHT];
    tf_words blocked[TF_BLOCKED_BITS], hits = {0}, loss = {0};
    tf_words rear = tf_largest_bit(side->there), held = side->held & TF_DEEP;
    tf_words unused = (tf_words)(number >= (uint32_t)n);
    int same;
    tf_look_ahead_of(
        ahead, (side->closed & ~unused) | (side->closed[0] & unused), plane);
    same = ahead->same;
    memcpy(blocked, ahead->blocked, sizeof blocked);
    if (contact == TF_NO_CONTACT && tf_which(side->behind_gate)) {
        tf_words stuck = side->behind_gate & ~tf_smallest_bit(side->there);
        for (int j = 0; j < TF_BLOCKED_BITS; j++)
            blocked[j] = 36 >> j & 1 ? blocked[j] | stuck : blocked[j] & ~stuck;
        same = 0;
    }
    tf_put_lanes(foremost, tf_largest_number(side->foremost));
    for (int i = 0; i < n; i++) {
        int16_t own[32] __attribute__((aligned(32)));
        if (!same)
            tf_weigh_points(own, plane, (const uint32_t *)blocked + i);
        tf_sum_checkers(
            sums[i], boards[i], plane, foremost[i], same ? ahead->mobile : own, contact == TF_PIN);
    }
    for (int k = 0; k < TF_PIP_SUMS - 1; k++)
        for (int i = 0; i < TF_EIGHT; i++)
            by_sum[k][i] = sums[i][k];
    tf_words escape = 36 - tf_blocked_at(blocked, rear);
    tf_words escape2 = 36 - tf_blocked_at(blocked, tf_largest_bit(side->there ^ rear));
    words[0] = escape | escape2 << 8 | ahead->held_back << 16 | ahead->held_middle << 24;
    /* How many of six bits there are. */
    tf_words home = side->closed >> 19, count = (home & 0x15) + (home >> 1 & 0x15);
    count = (count & 3) + (count >> 2 & 3) + (count >> 4);
    words[1] = tf_at_most(tf_lanes(by_sum[TF_MOBILE]) >> 5, TF_MOST_LEVEL)
        | (36 - count * count) << 8 | tf_lanes(by_sum[TF_PIPS_TO_BREAK]) >> 1 << 16
        | tf_lanes(by_sum[TF_PIPS_BROKEN]) >> 1 << 24;
    if (contact != TF_NO_CONTACT)
        tf_count_hits(&hits, &loss, side, contact);
    words[2] = tf_largest_number(rear) | tf_largest_number(tf_smallest_bit(held) >> 17) << 8
        | tf_largest_number(held >> 17) << 16 | hits << 24;
    words[3] = loss >> 3;
}

/* Write eight registers of eight boards' words as the eight words of each board. */
TF_INLINE void tf_put_by_board(uint32_t (*boards)[8], const tf_words *words)
{
#if defined(__AVX2__)
    __m256i pair[8], four[8];
    for (int k = 0; k < 8; k += 2) {
        pair[k] = _mm256_unpacklo_epi32((__m256i)words[k], (__m256i)words[k + 1]);
        pair[k + 1] = _mm256_unpackhi_epi32((__m256i)words[k], (__m256i)words[k + 1]);
    }
    for (int k = 0; k < 8; k += 4) {
        four[k] = _mm256_unpacklo_epi64(pair[k], pair[k + 2]);
        four[k + 1] = _mm256_unpackhi_epi64(pair[k], pair[k + 2]);
        four[k + 2] = _mm256_unpacklo_epi64(pair[k + 1], pair[k + 3]);
        four[k + 3] = _mm256_unpackhi_epi64(pair[k + 1], pair[k + 3]);
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_si256(
            (__m256i *)boards[i], _mm256_permute2x128_si256(four[i], four[i + 4], 0x20));
        _mm256_storeu_si256(
            (__m256i *)boards[i + 4], _mm256_permute2x128_si256(four[i], four[i + 4], 0x31));
    }
#else
    for (int i = 0; i < TF_EIGHT; i++)
        for (int k = 0; k < 8; k++)
            boards[i][k] = words[k][i];
#endif
}

TF_INLINE void tf_see_scalars_of(
    tf_seen *seen, tf_ahead *ahead, const tf_rules *rules, const tf_eight *masks,
    const int8_t *const *boards, int n, int form, const int contact)
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
    tf_words words[8], contact_only = tf_lanes(seen->race) - 1;
    tf_side_scalars(words, n, &ahead[0], &sides[0], 0, boards, contact);
    tf_side_scalars(words + 4, n, &ahead[1], &sides[1], 1, boards, contact);
    for (int k = 0; k < 8; k++)
        words[k] &= contact_only;
    tf_put_by_board(seen->levels, words);
}

/* What only some nets ask for, of up to eight boards that `tf_see` has seen: the scalars, and the
 * expert. `ahead` is of both sides, and may be that of the boards before. */
TF_OUTLINE void tf_see_more(
    tf_seen *seen, tf_ahead *ahead, const tf_rules *rules, const tf_eight *masks,
    const int8_t *const *boards, int n, int form)
{
    if (rules->contact == TF_HIT)
        tf_see_scalars_of(seen, ahead, rules, masks, boards, n, form, TF_HIT);
    else if (rules->contact == TF_PIN)
        tf_see_scalars_of(seen, ahead, rules, masks, boards, n, form, TF_PIN);
    else
        tf_see_scalars_of(seen, ahead, rules, masks, boards, n, form, TF_NO_CONTACT);
}

#endif
