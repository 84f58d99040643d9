/* Choices that the processor makes without a jump, which here could not be foreseen. */
#ifndef TAVLI_FAST_BRANCHLESS_H
#define TAVLI_FAST_BRANCHLESS_H

#include <stdint.h>

#include "board/simd.h"

#if defined(__BMI2__)
#include <immintrin.h>
#endif

/* The comparisons are those of the minsd and maxsd instructions. */
TF_INLINE double tf_least_of(double a, double b) { return a < b ? a : b; }
TF_INLINE double tf_most_of(double a, double b) { return a > b ? a : b; }

/* The bits of x that the mask has, side by side; the mask has three at the most. */
TF_INLINE uint32_t tf_gathered_bits(uint32_t x, uint32_t mask)
{
#if defined(__BMI2__)
    return _pext_u32(x, mask);
#else
    uint32_t first = mask & -mask, rest = mask ^ first, second = rest & -rest, third = rest ^ second;
    return ((x & first) != 0) | ((x & second) != 0) << 1 | ((x & third) != 0) << 2;
#endif
}

#endif
