/* Eight unsigned numbers of 32 bits side by side: the operations on them that C does not have. Each
 * has an AVX2 form and a portable one with the same result; arithmetic, shifts and comparisons are
 * those of GCC's and Clang's vector types, so any build gives the same bits. */
#ifndef TAVLI_FAST_VECTOR_H
#define TAVLI_FAST_VECTOR_H

#include "board/simd.h"

enum { TF_LANES = 8 };

typedef uint32_t tf_lanes __attribute__((vector_size(4 * TF_LANES)));
typedef int32_t tf_signed_lanes __attribute__((vector_size(4 * TF_LANES)));
typedef float tf_float_lanes __attribute__((vector_size(4 * TF_LANES)));

TF_INLINE tf_lanes tf_all(uint32_t x)
{
    return (tf_lanes){x, x, x, x, x, x, x, x};
}

/* Comparisons: all bits of a lane are 1 where they hold. Numbers below 2^31, for the sake of SSE2
 * and AVX2, which compare signed ones. */
TF_INLINE tf_lanes tf_less(tf_lanes x, tf_lanes y)
{
    return (tf_lanes)((tf_signed_lanes)x < (tf_signed_lanes)y);
}
TF_INLINE tf_lanes tf_equal(tf_lanes x, tf_lanes y) { return (tf_lanes)(x == y); }
TF_INLINE tf_lanes tf_is_zero(tf_lanes x) { return (tf_lanes)(x == 0); }
TF_INLINE tf_lanes tf_is_set(tf_lanes x) { return ~(tf_lanes)(x == 0); }

/* x where the mask is set, else y; a mask's lanes are all 1 or all 0. */
TF_INLINE tf_lanes tf_choose(tf_lanes mask, tf_lanes x, tf_lanes y)
{
#if defined(__AVX2__)
    return (tf_lanes)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)mask);
#else
    return y ^ ((x ^ y) & mask);
#endif
}

TF_INLINE tf_lanes tf_lesser(tf_lanes x, tf_lanes y) { return tf_choose(tf_less(x, y), x, y); }
TF_INLINE tf_lanes tf_greater(tf_lanes x, tf_lanes y) { return tf_choose(tf_less(x, y), y, x); }

/* Bit i of the result: the mask is set in lane i. */
TF_INLINE uint32_t tf_lane_bits(tf_lanes mask)
{
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < TF_LANES; i++)
        bits |= (mask[i] >> 31) << i;
    return bits;
#endif
}

/* How many bits each byte has. */
TF_INLINE tf_lanes tf_count_in_bytes(tf_lanes x)
{
#if defined(__AVX2__)
    const __m256i table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_and_si256((__m256i)x, nibble);
    __m256i high = _mm256_and_si256(_mm256_srli_epi32((__m256i)x, 4), nibble);
    return (tf_lanes)_mm256_add_epi8(
        _mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
#else
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return (x + (x >> 4)) & 0x0f0f0f0fu;
#endif
}

/* The sum of each lane's four bytes, which is below 256. */
TF_INLINE tf_lanes tf_sum_of_bytes(tf_lanes x)
{
#if defined(__AVX2__)
    return (tf_lanes)_mm256_madd_epi16(
        _mm256_maddubs_epi16((__m256i)x, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
#else
    x += x >> 8;
    return (x + (x >> 16)) & 0xffu;
#endif
}

TF_INLINE tf_lanes tf_count(tf_lanes x) { return tf_sum_of_bytes(tf_count_in_bytes(x)); }

/* Bit p to bit 25 - p, and bits 26 to 31 to nowhere: `tf_mirror` in lanes. */
TF_INLINE tf_lanes tf_mirror_lanes(tf_lanes x)
{
#if defined(__AVX2__)
    const __m256i low_to_high = _mm256_setr_epi8(
        0, -128, 64, -64, 32, -96, 96, -32, 16, -112, 80, -48, 48, -80, 112, -16,
        0, -128, 64, -64, 32, -96, 96, -32, 16, -112, 80, -48, 48, -80, 112, -16);
    const __m256i high_to_low = _mm256_setr_epi8(
        0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15,
        0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
    const __m256i last_first = _mm256_setr_epi8(
        3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
        3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i bits = _mm256_or_si256(
        _mm256_shuffle_epi8(low_to_high, _mm256_and_si256((__m256i)x, nibble)),
        _mm256_shuffle_epi8(
            high_to_low, _mm256_and_si256(_mm256_srli_epi32((__m256i)x, 4), nibble)));
    return (tf_lanes)_mm256_srli_epi32(_mm256_shuffle_epi8(bits, last_first), 6);
#else
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return ((x >> 16) | (x << 16)) >> 6;
#endif
}

/* Bit k of those that are set, counted from 0 and from the lowest; 0 if there are no more than k. */
TF_INLINE tf_lanes tf_nth_bit(tf_lanes x, tf_lanes k)
{
#if defined(__AVX2__)
    /* A binary search by the numbers of bits in the lower half of 32, 16, 8, 4 and 2 bits. */
    tf_lanes pairs = x - ((x >> 1) & 0x55555555u);
    tf_lanes nibbles = (pairs & 0x33333333u) + ((pairs >> 2) & 0x33333333u);
    tf_lanes bytes = (nibbles + (nibbles >> 4)) & 0x0f0f0f0fu;
    tf_lanes halves = bytes + (bytes >> 8);
    tf_lanes below = halves & 0xffu;
    tf_lanes further = ~tf_less(k, below), at = further & 16u;
    k -= below & further;
    below = (bytes >> at) & 0xfu;
    further = ~tf_less(k, below);
    k -= below & further;
    at += further & 8u;
    below = (nibbles >> at) & 0xfu;
    further = ~tf_less(k, below);
    k -= below & further;
    at += further & 4u;
    below = (pairs >> at) & 3u;
    further = ~tf_less(k, below);
    k -= below & further;
    at += further & 2u;
    below = (x >> at) & 1u;
    at -= ~tf_less(k, below); /* one further */
    return (tf_all(1) << at) & x;
#else
    /* Without a shift for each lane: the lowest bit is given up k times. */
    for (uint32_t i = 0; i < 25; i++) {
        tf_lanes on = tf_less(tf_all(i), k);
        if (!tf_lane_bits(on))
            break;
        x &= ~on | (x - 1);
    }
    return x & (0 - x);
#endif
}

/* The high and the low half of x * n. */
TF_INLINE tf_lanes tf_multiply(tf_lanes x, tf_lanes n, tf_lanes *low)
{
#if defined(__AVX2__)
    __m256i even = _mm256_mul_epu32((__m256i)x, (__m256i)n);
    __m256i odd = _mm256_mul_epu32(
        _mm256_srli_epi64((__m256i)x, 32), _mm256_srli_epi64((__m256i)n, 32));
    *low = (tf_lanes)_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    return (tf_lanes)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
#else
    tf_lanes high;
    for (int i = 0; i < TF_LANES; i++) {
        uint64_t product = (uint64_t)x[i] * n[i];
        high[i] = (uint32_t)(product >> 32);
        (*low)[i] = (uint32_t)product;
    }
    return high;
#endif
}

/* x / n for x below 2^24, and n from 1 to 255; what is left of x goes to `rest`. The quotient of two floats
 * is rounded to the next float, and from below no float next to a whole number comes out: that
 * would have to be nearer than 1 / 255 to it. */
TF_INLINE tf_lanes tf_divide(tf_lanes x, tf_lanes n, tf_lanes *rest)
{
    tf_float_lanes quotient =
        __builtin_convertvector((tf_signed_lanes)x, tf_float_lanes)
        / __builtin_convertvector((tf_signed_lanes)n, tf_float_lanes);
    tf_lanes whole = (tf_lanes)__builtin_convertvector(quotient, tf_signed_lanes);
    *rest = x - whole * n;
    return whole;
}

/* Lane i's word f to lane f's word i. */
#if defined(__AVX2__)
TF_INLINE void tf_transpose(tf_lanes *x)
{
    __m256i a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32((__m256i)x[i], (__m256i)x[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32((__m256i)x[i], (__m256i)x[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        x[i] = (tf_lanes)_mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
        x[i + 4] = (tf_lanes)_mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
    }
}
#endif

#endif
