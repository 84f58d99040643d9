/* What Cython cannot say: bit counting, and the board as vector registers (any GCC or Clang target;
 * x86 gets SSE2 compares, everything else plain loops that the compiler vectorises as it can). */
#ifndef TAVLI_FAST_BOARD_H
#define TAVLI_FAST_BOARD_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define TF_INLINE static inline __attribute__((always_inline))

TF_INLINE int tf_count_bits(uint32_t x)
{
#if defined(__POPCNT__) || !defined(__x86_64__)
    return __builtin_popcount(x);
#else /* without the instruction GCC calls a library function; this is shorter than the call */
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (int)((x * 0x01010101u) >> 24);
#endif
}

/* Undefined for 0, like the instruction. */
TF_INLINE int tf_lowest(uint32_t x) { return __builtin_ctz(x); }
TF_INLINE int tf_highest(uint32_t x) { return 31 - __builtin_clz(x); }

/* Bit p to bit 25 - p: the same points in the other player's numbers (opposed games). */
TF_INLINE uint32_t tf_mirror(uint32_t x)
{
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(x) >> 6;
}

/* Bit p of the result: plane[p] > floor, for p in 0..25. Reads exactly 26 bytes. */
TF_INLINE uint32_t tf_above(const int8_t *plane, int floor)
{
#if defined(__SSE2__)
    __m128i limit = _mm_set1_epi8((char)floor);
    __m128i low = _mm_loadu_si128((const __m128i *)plane);
    __m128i high = _mm_loadu_si128((const __m128i *)(plane + 10));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(low, limit))
        | ((uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(high, limit)) << 10);
#else
    uint32_t mask = 0;
    for (int p = 0; p < 26; p++)
        mask |= (uint32_t)(plane[p] > floor) << p;
    return mask;
#endif
}

/* The sum of a plane's 26 values, each 0 or more. */
TF_INLINE int tf_total(const int8_t *plane)
{
    int sum = 0;
    for (int p = 0; p < 26; p++)
        sum += plane[p];
    return sum;
}

/* A board (52 bytes) and 12 bytes of whatever follows, in the widest vector registers that this
 * build may use. Named lanes, not an array: the compiler keeps those in registers. */
#if defined(__AVX512F__)
typedef int8_t tf_lane __attribute__((vector_size(64)));
typedef struct {
    tf_lane a;
} tf_row;
#define TF_EACH_LANE(do) do(a)
#elif defined(__AVX2__)
typedef int8_t tf_lane __attribute__((vector_size(32)));
typedef struct {
    tf_lane a, b;
} tf_row;
#define TF_EACH_LANE(do) do(a) do(b)
#else
typedef int8_t tf_lane __attribute__((vector_size(16)));
typedef struct {
    tf_lane a, b, c, d;
} tf_row;
#define TF_EACH_LANE(do) do(a) do(b) do(c) do(d)
#endif

/* Loads 52 bytes exactly; the last 12 of the row are 0. */
TF_INLINE tf_row tf_load(const int8_t *board)
{
    int8_t whole[64] = {0};
    tf_row row;
    memcpy(whole, board, 52);
    memcpy(&row, whole, 64);
    return row;
}

/* Loads a row of 64 bytes (a table's). */
TF_INLINE tf_row tf_load64(const int8_t *from)
{
    tf_row row;
    memcpy(&row, from, 64);
    return row;
}

TF_INLINE tf_row tf_add(tf_row x, tf_row y)
{
#define TF_ADD(lane) x.lane += y.lane;
    TF_EACH_LANE(TF_ADD)
#undef TF_ADD
    return x;
}

/* Writes 64 bytes: the board and 12 bytes past it, which the next board overwrites. */
TF_INLINE void tf_store(int8_t *to, tf_row row)
{
    memcpy(to, &row, 64);
}

#endif
