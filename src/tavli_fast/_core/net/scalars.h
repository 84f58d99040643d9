/* The scalars of boards, eight at a time: how freely a side's checkers move, what contact is left, its
 * anchors, and the shots at its enemy's lone checkers; and which contact expert judges a board.
 *
 * Each scalar is a small whole number, its level, so that sums of a net's weights stay exact.
 * docs/evaluators.md says what they mean; tavli_fast/nets/scalars.py has the same in NumPy. */
#ifndef TAVLI_FAST_SCALARS_H
#define TAVLI_FAST_SCALARS_H

#include "net/sides.h"

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
