/* The arithmetic of a net: adding rows of weights to a hidden layer, its activation, and the outputs.
 *
 * Everything here goes eight numbers at a time in one fixed order, without fused multiply-add, so
 * that every build gives the same bits: two registers of four do what one of eight does. */
#ifndef TAVLI_FAST_NET_H
#define TAVLI_FAST_NET_H

#include "net/accumulator.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

/* Unroll the loop that follows, over outputs or registers: else GCC may clear their places in memory. */
#define TF_UNROLL _Pragma("GCC unroll 8")

typedef float tf_floats __attribute__((vector_size(32)));
typedef int32_t tf_ints __attribute__((vector_size(32)));
typedef float tf_floats_anywhere __attribute__((vector_size(32), aligned(4), may_alias));

enum {
    TF_LANES = 8,
    TF_BLOCK = 32,   /* the number of hidden units is filled up to a multiple of this */
    TF_WIDEST = 1024 /* hidden units at most */
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
 * polynomial (the one through six Chebyshev points). Each step is done for all registers before the
 * next, so that they are independent work for the processor. */
#define TF_EACH for (int i = 0; i < n; i++)
TF_INLINE void tf_exp_minus(tf_floats *x, int n)
{
    const float round = 12582912.0f; /* 1.5 * 2^23 */
    tf_floats t[TF_OUTPUTS], f[TF_OUTPUTS], square[TF_OUTPUTS], low[TF_OUTPUTS], high[TF_OUTPUTS];
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

/* The sum of each of eight registers, in the order ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)). */
TF_INLINE tf_floats tf_across(const tf_floats *x)
{
#if defined(__AVX__)
    __m256 low = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
    __m256 high = _mm256_hadd_ps(_mm256_hadd_ps(x[4], x[5]), _mm256_hadd_ps(x[6], x[7]));
    return _mm256_permute2f128_ps(low, high, 0x20) + _mm256_permute2f128_ps(low, high, 0x31);
#else
    tf_floats sums;
    for (int k = 0; k < TF_LANES; k++)
        sums[k] = ((x[k][0] + x[k][1]) + (x[k][2] + x[k][3]))
            + ((x[k][4] + x[k][5]) + (x[k][6] + x[k][7]));
    return sums;
#endif
}

/* The rows of weights that a hidden layer is the sum of: those of `plus` less those of `minus`. */
typedef struct {
    const float *plus[TF_MOST_ROWS], *minus[TF_MOST_ROWS];
    int n_plus, n_minus;
} tf_rows;

/* `n` registers of the layer, from `unit` on; a constant, so that they stay in registers. */
TF_INLINE void tf_sum_block(tf_floats *lanes, const tf_rows *rows, int unit, const int n)
{
    for (int k = 0; k < n; k++)
        lanes[k] = tf_at(rows->plus[0] + unit + 8 * k);
    for (int i = 1; i < rows->n_plus; i++)
        for (int k = 0; k < n; k++)
            lanes[k] += tf_at(rows->plus[i] + unit + 8 * k);
    for (int i = 0; i < rows->n_minus; i++)
        for (int k = 0; k < n; k++)
            lanes[k] -= tf_at(rows->minus[i] + unit + 8 * k);
}

/* Write the layer. */
TF_OUTLINE void tf_sum_rows(float *sums, const tf_rows *rows, int width)
{
    int unit = 0;
    tf_floats lanes[8];
    for (; unit + 2 * TF_BLOCK <= width; unit += 2 * TF_BLOCK) {
        tf_sum_block(lanes, rows, unit, 8);
        for (int k = 0; k < 8; k++)
            tf_put(sums + unit + 8 * k, lanes[k]);
    }
    if (unit < width) {
        tf_sum_block(lanes, rows, unit, 4);
        for (int k = 0; k < 4; k++)
            tf_put(sums + unit + 8 * k, lanes[k]);
    }
}

/* Output weights lie in blocks: for each eight units, the eight weights of each of six outputs. So one
 * pointer runs through all of them. */
TF_INLINE void tf_order_outputs(float *ordered, const float *out, int width)
{
    for (int unit = 0; unit < width; unit += TF_LANES)
        for (int k = 0; k < TF_OUTPUTS; k++, ordered += TF_LANES)
            tf_put(ordered, tf_at(out + k * width + unit));
}

/* Add the products of `n` registers of hidden units with their output weights. */
TF_INLINE void tf_add_products(
    tf_floats *sums, const tf_floats *hidden, const float *ordered, const int n, const int outputs)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < outputs; k++)
            sums[k] += hidden[i] * tf_at(ordered + TF_LANES * (TF_OUTPUTS * i + k));
}

/* Apply the activation to `n` registers, a multiple of 4. */
TF_INLINE void tf_activate(tf_floats *hidden, const int n, const int clipped)
{
    if (clipped)
        for (int i = 0; i < n; i++)
            hidden[i] = tf_clamp(hidden[i], 0.0f, 1.0f);
    else
        for (int i = 0; i < n; i += 4)
            tf_sigmoids(hidden + i);
}

/* The outputs' sums, eight lanes each, of a hidden layer of any rows; it is nowhere stored. */
TF_INLINE void tf_sums_of_rows(
    tf_floats *sums, int stride, const tf_rows *rows, const float *ordered, int width,
    const int outputs, const int clipped)
{
    tf_floats found[TF_OUTPUTS], hidden[4];
    TF_UNROLL for (int k = 0; k < outputs; k++)
        found[k] = tf_all(0.0f);
    for (int unit = 0; unit < width; unit += TF_BLOCK) {
        tf_sum_block(hidden, rows, unit, 4);
        tf_activate(hidden, 4, clipped);
        tf_add_products(found, hidden, ordered + unit * TF_OUTPUTS, 4, outputs);
    }
    for (int k = 0; k < outputs; k++)
        sums[k * stride] = found[k];
}

/* Every product of a scalar's level and its row is exact, and so is each sum: a fused multiply-add
 * gives the same bits. */
TF_INLINE tf_floats tf_add_times(tf_floats x, tf_floats row, tf_floats times)
{
#if defined(__FMA__)
    return _mm256_fmadd_ps(row, times, x);
#else
    return x + row * times;
#endif
}

/* Scalars of which a board has more or less than another: bit k of the set is level k, and times[k] is
 * how much more. Where the row of each level lies, in floats from the first row on, is the net's. */
typedef struct {
    float times[TF_SCALAR_ROOM] __attribute__((aligned(32)));
    uint32_t set;
} tf_change;

/* Add the scalars' rows to `n` registers. */
TF_INLINE void tf_add_change(
    tf_floats *lanes, const float *rows, const uint32_t *places, const tf_change *change, int unit,
    const int n)
{
    for (uint32_t set = change->set; set; set &= set - 1) {
        int level = tf_lowest(set);
        const float *row = rows + places[level] + unit;
        tf_floats times = tf_all(change->times[level]);
        for (int k = 0; k < n; k++)
            lanes[k] = tf_add_times(lanes[k], tf_at(row + 8 * k), times);
    }
}

TF_INLINE void tf_write_changed(
    float *sums, const float *start, const float *rows, const uint32_t *places,
    const tf_change *change, int unit, const int n)
{
    tf_floats lanes[8];
    for (int k = 0; k < n; k++)
        lanes[k] = tf_at(start + unit + 8 * k);
    tf_add_change(lanes, rows, places, change, unit, n);
    for (int k = 0; k < n; k++)
        tf_put(sums + unit + 8 * k, lanes[k]);
}

/* Write sums and scalars' rows. */
TF_OUTLINE void tf_write_sums(
    float *sums, const float *start, const float *rows, const uint32_t *places,
    const tf_change *change, int width)
{
    int unit = 0;
    for (; unit + 2 * TF_BLOCK <= width; unit += 2 * TF_BLOCK)
        tf_write_changed(sums, start, rows, places, change, unit, 8);
    if (unit < width)
        tf_write_changed(sums, start, rows, places, change, unit, 4);
}

/* A candidate: the rows of its flags, summed up, and those to add to its root's sums and to subtract,
 * as floats from the first row on. */
typedef struct {
    const float *flags;
    const uint32_t *plus, *minus;
} tf_candidate;

/* The outputs' sums of two clipped candidates that differ from their root by `pairs` rows either way,
 * each bit as if one by one: output weights are read once for both, and the hidden layers stay in
 * registers. */
TF_INLINE void tf_sums_of_two(
    tf_floats *sums, int stride, const float *root, const float *rows, tf_candidate a,
    tf_candidate b, const float *ordered, int width, const int pairs, const int outputs)
{
    const float *plus[TF_PAIRS], *plus2[TF_PAIRS], *minus[TF_PAIRS], *minus2[TF_PAIRS];
    for (int i = 0; i < pairs; i++) {
        plus[i] = rows + a.plus[i];
        plus2[i] = rows + b.plus[i];
        minus[i] = rows + a.minus[i];
        minus2[i] = rows + b.minus[i];
    }
    tf_floats found[TF_OUTPUTS], found2[TF_OUTPUTS];
    TF_UNROLL for (int k = 0; k < outputs; k++)
        found[k] = found2[k] = tf_all(0.0f);
    for (int unit = 0; unit < width; unit += TF_LANES, ordered += TF_OUTPUTS * TF_LANES) {
        tf_floats x = tf_at(root + unit), y = x + tf_at(b.flags + unit);
        x += tf_at(a.flags + unit);
        for (int i = 0; i < pairs; i++) {
            x += tf_at(plus[i] + unit);
            y += tf_at(plus2[i] + unit);
            x -= tf_at(minus[i] + unit);
            y -= tf_at(minus2[i] + unit);
        }
        x = tf_clamp(x, 0.0f, 1.0f);
        y = tf_clamp(y, 0.0f, 1.0f);
        for (int k = 0; k < outputs; k++) {
            tf_floats weights = tf_at(ordered + TF_LANES * k);
            found[k] += x * weights;
            found2[k] += y * weights;
        }
    }
    for (int k = 0; k < outputs; k++) {
        sums[k * stride] = found[k];
        sums[k * stride + 1] = found2[k];
    }
}

/* `n` registers of units of one clipped candidate, whose products are added to the outputs' sums. */
TF_INLINE void tf_scaled_block(
    tf_floats *found, const float *root, const float *rows, const tf_candidate *candidate,
    const uint32_t *places, const tf_change *change, const float *ordered, int unit, const int n,
    const int pairs, const int outputs)
{
    tf_floats lanes[8];
    for (int k = 0; k < n; k++)
        lanes[k] = tf_at(root + unit + 8 * k) + tf_at(candidate->flags + unit + 8 * k);
    for (int i = 0; i < pairs; i++)
        for (int k = 0; k < n; k++) {
            lanes[k] += tf_at(rows + candidate->plus[i] + unit + 8 * k);
            lanes[k] -= tf_at(rows + candidate->minus[i] + unit + 8 * k);
        }
    tf_add_change(lanes, rows, places, change, unit, n);
    tf_activate(lanes, n, 1);
    tf_add_products(found, lanes, ordered + unit * TF_OUTPUTS, n, outputs);
}

/* The outputs' sums of a clipped candidate that differs from its root by `pairs` rows either way and by
 * scalars; the hidden layer is nowhere stored. */
TF_INLINE void tf_sums_of_scaled(
    tf_floats *sums, int stride, const float *root, const float *rows, tf_candidate candidate,
    const uint32_t *places, const tf_change *change, const float *ordered, int width, const int pairs,
    const int outputs)
{
    tf_floats found[TF_OUTPUTS];
    int unit = 0;
    TF_UNROLL for (int k = 0; k < outputs; k++)
        found[k] = tf_all(0.0f);
    for (; unit + 2 * TF_BLOCK <= width; unit += 2 * TF_BLOCK)
        tf_scaled_block(
            found, root, rows, &candidate, places, change, ordered, unit, 8, pairs, outputs);
    if (unit < width)
        tf_scaled_block(
            found, root, rows, &candidate, places, change, ordered, unit, 4, pairs, outputs);
    for (int k = 0; k < outputs; k++)
        sums[k * stride] = found[k];
}

/* The outputs of eight boards, of which `sums` has `outputs` times `stride` registers: an output of
 * all eight is one register, `values[k]`. */
TF_INLINE void tf_outputs_of_eight(
    tf_floats *values, const tf_floats *sums, int stride, const float *biases, const int outputs)
{
    for (int k = 0; k < outputs; k++)
        values[k] = tf_across(sums + k * stride) + biases[k];
    tf_exp_minus(values, 3);
    tf_exp_minus(values + 3, outputs - 3);
    for (int k = 0; k < outputs; k++)
        values[k] = 1.0f / (1.0f + values[k]);
    if (outputs < TF_OUTPUTS)
        values[TF_OUTPUTS - 1] = tf_all(0.0f);
}

/* The mean points of six outputs of eight boards. */
TF_INLINE tf_floats tf_equities(const tf_floats *values)
{
    return (values[0] + values[1] + values[2])
        - ((1.0f - values[0] - values[5]) + values[3] + values[4]);
}

#endif
