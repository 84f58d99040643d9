/* The rows of weights by which the hidden layers of two boards differ. */
#ifndef TAVLI_FAST_CHANGE_H
#define TAVLI_FAST_CHANGE_H

#include "board/simd.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* A cell of n checkers has the steps 0, 1 and 2 if n reaches 1, 2 and 3, and n - 3 times step 3 if it
 * is more; a pinned checker, -1, is step 4. Each step has a row of weights. */
enum { TF_STEPS = 5, TF_PINNED = 4 };

/* `plus` come, `minus` go. Moves change as many either way, so that both are read in pairs, the
 * shorter list filled up with rows of zeros. */
enum { TF_ROWS = 192 };
typedef struct {
    const void *plus[TF_ROWS], *minus[TF_ROWS]; /* of floats, or of shorts */
    int n_plus, n_minus;
} tf_change;

/* Fill up the shorter list; how many pairs there are: an even number, for the fewer lengths a loop
 * has, the less often its end comes as a surprise. */
TF_INLINE int tf_pairs(tf_change *change, const void *zeros)
{
    int plus = change->n_plus, minus = change->n_minus;
    int pairs = ((plus > minus ? plus : minus) + 1) & ~1, shorter = plus < minus ? plus : minus;
    /* Four on either side are hardly ever too few, and no branch has to find out how many it takes. */
    for (int k = 0; k < 4; k++)
        change->plus[plus + k] = change->minus[minus + k] = zeros;
    for (int k = shorter + 4; __builtin_expect(k < pairs, 0); k++)
        (plus < minus ? change->plus : change->minus)[k] = zeros;
    return pairs;
}

/* Note the rows, of `size` bytes each, by which a cell of `after` checkers differs from one of
 * `before`. */
static __attribute__((noinline)) void tf_note_many(
    tf_change *change, const char *rows, int size, int before, int after)
{
    if (before < 0) {
        change->minus[change->n_minus++] = rows + TF_PINNED * size;
        before = 0;
    }
    if (after < 0) {
        change->plus[change->n_plus++] = rows + TF_PINNED * size;
        after = 0;
    }
    for (; before < after; before++)
        change->plus[change->n_plus++] = rows + (before < 3 ? before : 3) * size;
    for (; before > after; before--)
        change->minus[change->n_minus++] = rows + (before < 4 ? before - 1 : 3) * size;
}

/* The same of all `cells` of two boards. */
TF_INLINE void tf_note_cells(
    tf_change *change, const char *rows, int size, const int8_t *before, const int8_t *after,
    uint64_t cells)
{
    int plus = change->n_plus, minus = change->n_minus;
    for (; cells; cells &= cells - 1) {
        int cell = __builtin_ctzll(cells);
        int was = before[cell], is = after[cell], less = was < is ? was : is, by = is - was;
        const char *steps = rows + cell * TF_STEPS * size;
        if (__builtin_expect((less < 0) | ((unsigned)(by + 2) > 4), 0)) {
            change->n_plus = plus, change->n_minus = minus;
            tf_note_many(change, steps, size, was, is);
            plus = change->n_plus, minus = change->n_minus;
            continue;
        }
        /* One checker or two, more or less, without a branch on which: that would be a toss of a
         * coin. What is written and not counted is written over. */
        const char *first = steps + (less < 3 ? less : 3) * size;
        const char *second = steps + (less < 2 ? less + 1 : 3) * size;
        change->plus[plus] = change->minus[minus] = first;
        plus += by > 0, minus += by < 0;
        change->plus[plus] = change->minus[minus] = second;
        plus += by > 1, minus += by < -1;
    }
    change->n_plus = plus, change->n_minus = minus;
}

/* The rows of a whole board, whose checkers stand on `cells`. */
static __attribute__((noinline)) void tf_note_board(
    tf_change *change, const char *rows, int size, const int8_t *board, uint64_t cells)
{
    int plus = change->n_plus;
    for (; cells; cells &= cells - 1) {
        int cell = __builtin_ctzll(cells), checkers = board[cell];
        const char *steps = rows + cell * TF_STEPS * size;
        if (__builtin_expect((unsigned)checkers > 4, 0)) {
            change->n_plus = plus;
            tf_note_many(change, steps, size, 0, checkers);
            plus = change->n_plus;
            continue;
        }
        /* All that there may be are written; those that do not count are written over. */
        for (int k = 0; k < 4; k++)
            change->plus[plus + k] = steps + k * size;
        plus += checkers;
    }
    change->n_plus = plus;
}

/* The same of flags: bit k of the masks is row k. */
TF_INLINE void tf_note_flags(
    tf_change *change, const char *rows, int size, uint32_t before, uint32_t after)
{
    int plus = change->n_plus, minus = change->n_minus;
    for (uint32_t changed = before ^ after; changed; changed &= changed - 1) {
        int flag = tf_lowest(changed);
        change->plus[plus] = change->minus[minus] = rows + flag * size;
        plus += after >> flag & 1;
        minus += before >> flag & 1;
        __asm__ volatile(""); /* hardly ever long: the compiler is not to prepare for it */
    }
    change->n_plus = plus, change->n_minus = minus;
}

/* Bit c of the result: the boards differ in cell c of 52. The last register overlaps the one before
 * it, so that nothing beyond the boards is read. */
TF_INLINE uint64_t tf_differ(const int8_t *x, const int8_t *y)
{
    uint64_t mask = 0;
#if defined(__AVX2__)
    for (int at = 0; at <= 20; at += 20) {
        __m256i equal = _mm256_cmpeq_epi8(
            _mm256_loadu_si256((const __m256i *)(x + at)),
            _mm256_loadu_si256((const __m256i *)(y + at)));
        mask |= (uint64_t)(uint32_t)~_mm256_movemask_epi8(equal) << at;
    }
#elif defined(__SSE2__)
    for (int at = 0; at <= 36; at += 12) {
        __m128i equal = _mm_cmpeq_epi8(
            _mm_loadu_si128((const __m128i *)(x + at)),
            _mm_loadu_si128((const __m128i *)(y + at)));
        mask |= (uint64_t)(0xffff & ~_mm_movemask_epi8(equal)) << at;
    }
#else
    for (int c = 0; c < 52; c++)
        mask |= (uint64_t)(x[c] != y[c]) << c;
#endif
    return mask;
}

/* The cells on which somebody stands. */
TF_INLINE uint64_t tf_occupied(const int8_t *board)
{
    static const int8_t empty[52];
    return tf_differ(board, empty);
}

TF_INLINE int tf_lowest_long(uint64_t x) { return __builtin_ctzll(x); }

#endif
