/* The outcomes of a position, from those that its plays lead to. */
#ifndef TAVLI_FAST_OUTCOME_SUMS_H
#define TAVLI_FAST_OUTCOME_SUMS_H

#include <stdint.h>

#include "board/simd.h"

typedef double tf_four __attribute__((vector_size(32)));
typedef double tf_four_anywhere __attribute__((vector_size(32), aligned(8), may_alias));

/* Adds up eight numbers for each of the plays `from` to `to`. The compiler left to itself rearranges
 * the numbers for what is done with them afterwards. */
TF_INLINE void tf_add_plays(
    const uint16_t *plays, int from, int to, const double *const *rows, int shift, double *sums)
{
    tf_four first = {0}, second = {0};
    uint32_t mask = ((uint32_t)1 << shift) - 1;
    for (int i = from; i < to; i++) {
        const double *there = rows[plays[i] >> shift] + 8 * (plays[i] & mask);
        first += *(const tf_four_anywhere *)there;
        second += *(const tf_four_anywhere *)(there + 4);
    }
    *(tf_four_anywhere *)sums = first;
    *(tf_four_anywhere *)(sums + 4) = second;
}

#endif
