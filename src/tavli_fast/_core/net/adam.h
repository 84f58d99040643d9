/* Fitting one net's weights to labels by Adam (Kingma and Ba, 2015), a minibatch at a time.
 *
 * The weights are those of one phase, a block of rows of `width` units: one for each feature, the
 * biases, one for each output, and eight floats of the outputs' biases. The same fixed order and width
 * as in layers.h, so that every build fits the same bits. */
#ifndef TAVLI_FAST_ADAM_H
#define TAVLI_FAST_ADAM_H

#include "net/gradient.h"

enum { TF_MOST_FEATURES = 512 };

/* The features of one board that are not 0: their rows' places in a block, and their values. */
typedef struct {
    int n;
    long places[TF_MOST_FEATURES];
    float values[TF_MOST_FEATURES];
} tf_sparse;

TF_INLINE void tf_read_features(tf_sparse *inputs, const float *features, int count, int width)
{
    inputs->n = 0;
    for (int i = 0; i < count; i++) {
        inputs->places[inputs->n] = (long)i * width;
        inputs->values[inputs->n] = features[i];
        inputs->n += features[i] != 0.0f;
    }
}

/* layer = bias + the rows, each times its value. */
TF_INLINE void tf_sum_features(
    float *layer, const float *weights, const tf_sparse *inputs, const float *bias, int width)
{
    for (int unit = 0; unit < width; unit += TF_BLOCK) {
        tf_floats lanes[4];
        for (int k = 0; k < 4; k++)
            lanes[k] = tf_at(bias + unit + 8 * k);
        for (int i = 0; i < inputs->n; i++) {
            const float *row = weights + inputs->places[i] + unit;
            for (int k = 0; k < 4; k++)
                lanes[k] += inputs->values[i] * tf_at(row + 8 * k);
        }
        for (int k = 0; k < 4; k++)
            tf_put(layer + unit + 8 * k, lanes[k]);
    }
}

/* Add to `gradient` one board's of the cross-entropy between its outputs and a label, and return the
 * outputs in `values`. `label` has eight floats. */
TF_INLINE void tf_add_gradient(
    float *values, float *gradient, const float *weights, const tf_sparse *inputs, int features,
    const float *label, int width, const int outputs, const int clipped)
{
    float layer[TF_WIDEST] __attribute__((aligned(64)));
    float errors[TF_LANES];
    const float *bias = weights + (long)features * width, *out = bias + width;
    float *to_bias = gradient + (long)features * width, *to_out = to_bias + width;
    tf_sum_features(layer, weights, inputs, bias, width);
    tf_read_layer(values, layer, width, out, out + (long)outputs * width, outputs, clipped);
    for (int k = 0; k < outputs; k++) {
        errors[k] = values[k] - label[k];
        to_out[(long)outputs * width + k] += errors[k];
    }
    for (int unit = 0; unit < width; unit += TF_BLOCK) {
        tf_floats slope[4];
        for (int i = 0; i < 4; i++) {
            tf_floats hidden = tf_at(layer + unit + 8 * i), back = tf_all(0.0f);
            for (int k = 0; k < outputs; k++) {
                float *at = to_out + (long)k * width + unit + 8 * i;
                back += errors[k] * tf_at(out + (long)k * width + unit + 8 * i);
                tf_put(at, tf_at(at) + errors[k] * hidden);
            }
            if (clipped)
                slope[i] = (tf_floats)((tf_ints)back & ((hidden > 0.0f) & (hidden < 1.0f)));
            else
                slope[i] = back * (hidden * (1.0f - hidden));
            tf_put(to_bias + unit + 8 * i, tf_at(to_bias + unit + 8 * i) + slope[i]);
        }
        for (int r = 0; r < inputs->n; r++) {
            float *row = gradient + inputs->places[r] + unit;
            for (int i = 0; i < 4; i++)
                tf_put(row + 8 * i, tf_at(row + 8 * i) + inputs->values[r] * slope[i]);
        }
    }
}

TF_INLINE tf_floats tf_root_of(tf_floats x)
{
#if defined(__AVX__)
    return _mm256_sqrt_ps(x);
#else
    for (int i = 0; i < TF_LANES; i++)
        x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}

/* One step of all weights, `n` floats, a multiple of eight, down the mean of a sum of gradients of
 * `boards` boards, which is cleared. `mean` and `square` are the running means of the gradient and of
 * its square; `mean_part` and `square_part` what they have of their full weight so far. */
TF_INLINE void tf_adam_step(
    float *weights, float *gradient, float *mean, float *square, long n, int boards, float rate,
    float mean_part, float square_part)
{
    const float first = 0.9f, second = 0.999f, least = 1e-8f;
    const float share = 1.0f / (float)boards, step = rate / mean_part, full = 1.0f / square_part;
    for (long i = 0; i < n; i += TF_LANES) {
        tf_floats slope = tf_at(gradient + i) * share;
        tf_floats m = first * tf_at(mean + i) + (1.0f - first) * slope;
        tf_floats s = second * tf_at(square + i) + (1.0f - second) * (slope * slope);
        tf_put(gradient + i, tf_all(0.0f));
        tf_put(mean + i, m);
        tf_put(square + i, s);
        tf_put(weights + i, tf_at(weights + i) - step * m / (tf_root_of(s * full) + least));
    }
}

#endif
