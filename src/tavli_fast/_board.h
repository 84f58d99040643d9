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
 * build may use. Each lane is loaded and stored whole: a load of bytes that were stored in smaller
 * pieces waits for all of them, which in a sketch cost more than everything else. So rows go by
 * pointer too, for a call would pass them in pieces. */
#if defined(__AVX2__)
#define TF_LANE 32
#else
#define TF_LANE 16
#endif
typedef int8_t tf_lane __attribute__((vector_size(TF_LANE)));
typedef int8_t tf_lane_anywhere __attribute__((vector_size(TF_LANE), aligned(1), may_alias));
typedef struct {
    tf_lane lane[64 / TF_LANE];
} tf_row;

/* Loads 52 bytes exactly; the last 12 of the row are 0. */
TF_INLINE void tf_load(tf_row *row, const int8_t *board)
{
    memset(row, 0, sizeof *row);
    memcpy(row, board, 52);
}

TF_INLINE void tf_copy(tf_row *row, const tf_row *from)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        row->lane[i] = from->lane[i];
}

TF_INLINE void tf_clear(tf_row *row)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        row->lane[i] = (tf_lane){0};
}

/* Adds a table's 64 bytes. */
TF_INLINE void tf_add(tf_row *row, const int8_t *entry)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        row->lane[i] += *(const tf_lane_anywhere *)(entry + TF_LANE * i);
}

/* Writes the sum as 64 bytes: a board and 12 bytes past it, which the next board overwrites. */
TF_INLINE void tf_store_sum(int8_t *to, const tf_row *x, const tf_row *y)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        *(tf_lane_anywhere *)(to + TF_LANE * i) = x->lane[i] + y->lane[i];
}

TF_INLINE void tf_store(int8_t *to, const tf_row *row)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        *(tf_lane_anywhere *)(to + TF_LANE * i) = row->lane[i];
}

#endif
