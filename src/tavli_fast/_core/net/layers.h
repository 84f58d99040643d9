/* The arithmetic of a net: adding rows of weights to a hidden layer, squashing it, and the outputs.
 *
 * Everything here goes eight numbers at a time in one fixed order, without fused multiply-add, so
 * that every build gives the same bits: what a wider register does, two narrower ones do alike. */
#ifndef TAVLI_FAST_NET_H
#define TAVLI_FAST_NET_H

#include "net/accumulator.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

typedef float tf_floats __attribute__((vector_size(32)));
typedef int32_t tf_ints __attribute__((vector_size(32)));
typedef float tf_floats_anywhere __attribute__((vector_size(32), aligned(4), may_alias));

enum {
    TF_LANES = 8,
    TF_BLOCK = 32, /* what the number of hidden units is filled up to a multiple of */
    TF_OUTPUTS = 6
};

TF_INLINE tf_floats tf_at(const float *from) { return *(const tf_floats_anywhere *)from; }
TF_INLINE void tf_put(float *to, tf_floats x) { *(tf_floats_anywhere *)to = x; }
TF_INLINE tf_floats tf_all(float x) { return (tf_floats){x, x, x, x, x, x, x, x}; }

TF_INLINE tf_floats tf_clamp(tf_floats x, float low, float high)
{
#if defined(__AVX__)
    return _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(low)), _mm256_set1_ps(high));
#else
    for (int i = 0; i < TF_LANES; i++) {
        x[i] = x[i] > low ? x[i] : low;
        x[i] = x[i] < high ? x[i] : high;
    }
    return x;
#endif
}

/* exp(-x) for |x| up to 20, and beyond that as for 20, of `n` registers: 2^n * 2^f with |f| <= 1/2,
 * where n is read off the last bits of a float so large that it has no fraction, and 2^f is a
 * polynomial (the one through six Chebyshev points). Step by step for all registers, because the
 * processor looks ahead not far enough to find other work while one waits for its last step. */
#define TF_EACH for (int i = 0; i < n; i++)
TF_INLINE void tf_exp_minus(tf_floats *x, int n)
{
    const float round = 12582912.0f; /* 1.5 * 2^23 */
    tf_floats t[4], f[4], square[4], low[4], high[4];
    TF_EACH t[i] = tf_clamp(x[i], -20.0f, 20.0f) * -1.44269504f;
    TF_EACH x[i] = t[i] + round;
    TF_EACH f[i] = t[i] - (x[i] - round);
    TF_EACH x[i] = (tf_floats)((tf_ints)x[i] << 23);
    TF_EACH square[i] = f[i] * f[i];
    TF_EACH high[i] = f[i] * 1.33908634e-3f + 9.67603192e-3f;
    TF_EACH low[i] = f[i] * 5.55035711e-2f + 2.40221075e-1f;
    TF_EACH f[i] = f[i] * 6.93147188e-1f + 1.0f;
    TF_EACH high[i] = low[i] + square[i] * high[i];
    TF_EACH high[i] = f[i] + square[i] * high[i];
    TF_EACH x[i] = (tf_floats)((tf_ints)x[i] + (tf_ints)high[i]);
}
#undef TF_EACH

/* The logistic function 1 / (1 + exp(-x)), within 3e-7; from 20 on it is 1, or 2e-9. */
TF_INLINE tf_floats tf_sigmoid(tf_floats x)
{
    tf_exp_minus(&x, 1);
    return 1.0f / (1.0f + x);
}

/* The same of four registers: one division, the slowest of all that is done here, serves them all.
 * (The product is at most exp(80), which a float can hold.) */
TF_INLINE void tf_sigmoids(tf_floats *x)
{
    tf_exp_minus(x, 4);
    tf_floats a = 1.0f + x[0], b = 1.0f + x[1], c = 1.0f + x[2], d = 1.0f + x[3];
    tf_floats ab = a * b, cd = c * d;
    tf_floats inverse = 1.0f / (ab * cd);
    tf_floats of_ab = inverse * cd, of_cd = inverse * ab;
    x[0] = of_ab * b, x[1] = of_ab * a, x[2] = of_cd * d, x[3] = of_cd * c;
}

/* The sum of each of six registers, in the order ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)); the last
 * two results are 0. */
TF_INLINE tf_floats tf_across(const tf_floats *x)
{
#if defined(__AVX__)
    __m256 low = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
    __m256 high = _mm256_hadd_ps(_mm256_hadd_ps(x[4], x[5]), _mm256_setzero_ps());
    return _mm256_permute2f128_ps(low, high, 0x20) + _mm256_permute2f128_ps(low, high, 0x31);
#else
    tf_floats sums = tf_all(0.0f);
    for (int k = 0; k < 6; k++)
        sums[k] = ((x[k][0] + x[k][1]) + (x[k][2] + x[k][3]))
            + ((x[k][4] + x[k][5]) + (x[k][6] + x[k][7]));
    return sums;
#endif
}

/* `n` registers of the layer start + change, from `unit` on; a constant, so that they stay in
 * registers. */
TF_INLINE void tf_add_block(
    float *sum, const float *start, const tf_change *change, int pairs, int unit, const int n)
{
    tf_floats lanes[8];
    for (int k = 0; k < n; k++)
        lanes[k] = tf_at(start + unit + 8 * k);
    for (int i = 0; i < pairs; i += 2) {
        const float *plus = (const float *)change->plus[i] + unit;
        const float *minus = (const float *)change->minus[i] + unit;
        const float *plus2 = (const float *)change->plus[i + 1] + unit;
        const float *minus2 = (const float *)change->minus[i + 1] + unit;
        for (int k = 0; k < n; k++)
            lanes[k] += (tf_at(plus + 8 * k) - tf_at(minus + 8 * k))
                + (tf_at(plus2 + 8 * k) - tf_at(minus2 + 8 * k));
    }
    for (int k = 0; k < n; k++)
        tf_put(sum + unit + 8 * k, lanes[k]);
}

/* sum = start + change, for a hidden layer of `width` units (a multiple of TF_BLOCK); the two layers
 * may be one. */
TF_INLINE void tf_add_rows(
    float *sum, const float *start, tf_change *change, const float *zeros, int width)
{
    int pairs = tf_pairs(change, zeros), unit = 0;
    for (; unit + 2 * TF_BLOCK <= width; unit += 2 * TF_BLOCK)
        tf_add_block(sum, start, change, pairs, unit, 8);
    if (unit < width)
        tf_add_block(sum, start, change, pairs, unit, 4);
}

/* The same where rows only come: a whole board. */
TF_INLINE void tf_sum_block(
    float *sum, const float *start, const tf_change *change, int unit, const int n)
{
    tf_floats lanes[8];
    for (int k = 0; k < n; k++)
        lanes[k] = tf_at(start + unit + 8 * k);
    for (int i = 0; i < change->n_plus; i++)
        for (int k = 0; k < n; k++)
            lanes[k] += tf_at((const float *)change->plus[i] + unit + 8 * k);
    for (int k = 0; k < n; k++)
        tf_put(sum + unit + 8 * k, lanes[k]);
}

static __attribute__((noinline)) void tf_sum_rows(
    float *sum, const float *start, const tf_change *change, int width)
{
    int unit = 0;
    for (; unit + 2 * TF_BLOCK <= width; unit += 2 * TF_BLOCK)
        tf_sum_block(sum, start, change, unit, 8);
    if (unit < width)
        tf_sum_block(sum, start, change, unit, 4);
}

/* Eight outputs, of which `outputs` (5 or 6) are more than their biases, of a hidden layer, which is
 * squashed in place. */
TF_INLINE tf_floats tf_outputs(
    float *layer, int width, const float *out, const float *biases, int outputs, int clipped)
{
    tf_floats sums[TF_OUTPUTS];
    for (int k = 0; k < TF_OUTPUTS; k++)
        sums[k] = tf_all(0.0f);
    if (!clipped)
        for (int unit = 0; unit < width; unit += TF_BLOCK) {
            tf_floats lanes[4];
            for (int i = 0; i < 4; i++)
                lanes[i] = tf_at(layer + unit + 8 * i);
            tf_sigmoids(lanes);
            for (int i = 0; i < 4; i++)
                tf_put(layer + unit + 8 * i, lanes[i]);
        }
    for (int unit = 0; unit < width; unit += TF_LANES) {
        tf_floats x = tf_at(layer + unit);
        if (clipped) {
            x = tf_clamp(x, 0.0f, 1.0f);
            tf_put(layer + unit, x);
        }
        for (int k = 0; k < outputs; k++)
            sums[k] += x * tf_at(out + k * width + unit);
    }
    return tf_sigmoid(tf_across(sums) + tf_at(biases));
}

/* The outputs of a hidden layer, which is squashed in place; the number of outputs and the activation
 * are constants where it counts, so that the sums stay in registers. */
TF_INLINE void tf_read(
    float *values, float *layer, int width, const float *out, const float *biases, int outputs,
    int clipped)
{
    tf_floats found;
    if (outputs == 5)
        found = clipped ? tf_outputs(layer, width, out, biases, 5, 1)
                        : tf_outputs(layer, width, out, biases, 5, 0);
    else
        found = clipped ? tf_outputs(layer, width, out, biases, 6, 1)
                        : tf_outputs(layer, width, out, biases, 6, 0);
    tf_put(values, found);
}

/* The same of two clipped layers and five outputs, each bit as if one by one: the weights are read
 * once for both, and while one waits for its last steps there is the other. */
TF_INLINE void tf_read_two(
    float *values, float *values2, const float *layer, const float *layer2, int width,
    const float *out, const float *biases)
{
    tf_floats sums[TF_OUTPUTS], sums2[TF_OUTPUTS], x[2];
    for (int k = 0; k < TF_OUTPUTS; k++)
        sums[k] = sums2[k] = tf_all(0.0f);
    for (int unit = 0; unit < width; unit += TF_LANES) {
        tf_floats a = tf_clamp(tf_at(layer + unit), 0.0f, 1.0f);
        tf_floats b = tf_clamp(tf_at(layer2 + unit), 0.0f, 1.0f);
        for (int k = 0; k < 5; k++) {
            tf_floats weights = tf_at(out + k * width + unit);
            sums[k] += a * weights;
            sums2[k] += b * weights;
        }
    }
    x[0] = tf_across(sums) + tf_at(biases);
    x[1] = tf_across(sums2) + tf_at(biases);
    tf_exp_minus(x, 2);
    tf_put(values, 1.0f / (1.0f + x[0]));
    tf_put(values2, 1.0f / (1.0f + x[1]));
}

/* The same without a hidden layer: the first units are the outputs. */
TF_INLINE void tf_read_linear(float *values, const float *layer, const float *biases)
{
    tf_put(values, tf_sigmoid(tf_at(layer) + tf_at(biases)));
}

#endif
