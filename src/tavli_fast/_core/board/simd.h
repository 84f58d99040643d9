/* What Cython cannot say: bit counting, and the board as vector registers (any GCC or Clang target;
 * x86 gets SSE2 compares, everything else plain loops that the compiler vectorises as it can). */
#ifndef TAVLI_FAST_BOARD_H
#define TAVLI_FAST_BOARD_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
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

/* x == 0 as an integer. The asm keeps the compiler from turning the use of the result into a branch,
 * which would be unpredictable: it depends on where a set of points ends. */
TF_INLINE uint32_t tf_none_left(uint32_t x)
{
    uint32_t none = x == 0;
    __asm__("" : "+r"(none));
    return none;
}

/* Bit p to bit 25 - p: the same points in the other player's numbers (opposed games). */
TF_INLINE uint32_t tf_mirror(uint32_t x)
{
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(x) >> 6;
}

/* A board (52 bytes) and 12 bytes of whatever follows, in the widest vector registers that this
 * build may use. Each lane is loaded and stored whole: a load of bytes that were stored in smaller
 * pieces waits for all of them, which can cost more than everything else. For the same reason rows are
 * passed by pointer: a call would pass them in pieces. */
#if defined(__AVX2__)
#define TF_LANE 32
#else
#define TF_LANE 16
#endif
typedef int8_t tf_lane __attribute__((vector_size(TF_LANE)));
typedef int8_t tf_lane_anywhere __attribute__((vector_size(TF_LANE), aligned(1), may_alias));
typedef int32_t tf_lane_of_words __attribute__((vector_size(TF_LANE)));
typedef struct {
    tf_lane lane[64 / TF_LANE];
} tf_row;

/* Loads 52 bytes exactly; the last 12 of the row are 0. The last 4 go into a register by themselves:
 * copied into the row first, they would make its last lane wait (see above). */
TF_INLINE void tf_load(tf_row *row, const int8_t *board)
{
    int32_t last;
    memcpy(&last, board + 48, sizeof last);
#if defined(__AVX2__)
    row->lane[0] = *(const tf_lane_anywhere *)board;
    row->lane[1] = (tf_lane)_mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(board + 32))),
        _mm_cvtsi32_si128(last), 1);
#else
    for (int i = 0; i < 3; i++)
        row->lane[i] = *(const tf_lane_anywhere *)(board + 16 * i);
    row->lane[3] = (tf_lane)(tf_lane_of_words){last, 0, 0, 0};
#endif
}

TF_INLINE void tf_copy(tf_row *row, const tf_row *from)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        row->lane[i] = from->lane[i];
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

/* The same of both planes: bit b is for byte b of the board. So the low 26 bits are plane 0's points, the next
 * 26 plane 1's. Reads 52 bytes exactly: the last load overlaps the one before. */
TF_INLINE uint64_t tf_above_both(const int8_t *board, int floor)
{
    uint64_t mask = 0;
#if defined(__AVX2__)
    __m256i limit = _mm256_set1_epi8((char)floor);
    for (int i = 0; i <= 20; i += 20) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(board + i));
        mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(bytes, limit)) << i;
    }
#elif defined(__SSE2__)
    __m128i limit = _mm_set1_epi8((char)floor);
    for (int i = 0; i <= 36; i += i < 32 ? 16 : 4) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(board + i));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(bytes, limit)) << i;
    }
#else
    for (int b = 0; b < 52; b++)
        mask |= (uint64_t)(board[b] > floor) << b;
#endif
    return mask;
}

/* The sum of a plane's 26 bytes, each taken as 0 to 255. */
TF_INLINE int tf_total(const int8_t *plane)
{
#if defined(__SSE2__)
    __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_loadu_si128((const __m128i *)plane);
    __m128i high = _mm_loadu_si128((const __m128i *)(plane + 10));
    /* The second load overlaps the first by 6 bytes. */
    __m128i sum = _mm_sad_epu8(low, zero);
    sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_srli_si128(high, 6), zero));
    return _mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4);
#else
    int sum = 0;
    for (int p = 0; p < 26; p++)
        sum += (uint8_t)plane[p];
    return sum;
#endif
}

/* Adds a table's 64 bytes. */
TF_INLINE void tf_add(tf_row *row, const int8_t *entry)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        row->lane[i] += *(const tf_lane_anywhere *)(entry + TF_LANE * i);
}

/* Writes 64 bytes: a board and 12 bytes past it, which the next board overwrites. */
TF_INLINE void tf_store(int8_t *to, const tf_row *row)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        *(tf_lane_anywhere *)(to + TF_LANE * i) = row->lane[i];
}

/* Points of no board, for steps that are not taken: the row of such a step is 0. */
#define TF_NOWHERE (7u << 29)

/* Writes `row` plus a step from each point p of the set, as boards of 52 bytes, and returns their
 * end. A step is 64 bytes at steps + 64 * p, or, where bit p of `joining` says so, those 32 points
 * further on. It always writes three at a time, because the end of a set is an unpredictable branch and
 * a misprediction costs more than the extra boards. So up to 168 bytes behind the last board are
 * overwritten. */
TF_INLINE int8_t *tf_store_each(
    int8_t *to, const tf_row *row, const int8_t *steps, uint32_t points, uint32_t joining)
{
    int8_t *end = to + 52 * tf_count_bits(points);
    uint32_t left = points | TF_NOWHERE;
    uint64_t further = (uint64_t)joining << 11; /* bit p as 32 rows: 64 * 32 is bit 11 */
    tf_row base = *row; /* in registers: what is written might be the row */
    do {
        for (int k = 0; k < 3; k++) {
            uint64_t p = (uint64_t)tf_lowest(left);
            const int8_t *step = steps + (64 * p + (further >> p & 1 << 11));
            for (int i = 0; i < 64 / TF_LANE; i++)
                *(tf_lane_anywhere *)(to + TF_LANE * i) =
                    base.lane[i] + *(const tf_lane_anywhere *)(step + TF_LANE * i);
            to += 52;
            left &= left - 1;
        }
    } while (left & ~TF_NOWHERE);
    return end;
}

#endif
