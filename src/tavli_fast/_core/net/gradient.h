/* Learning: one gradient step of a net's error, for one board.
 *
 * The same fixed order and width as in layers.h, so that every build learns the same bits. */
#ifndef TAVLI_FAST_TRAIN_H
#define TAVLI_FAST_TRAIN_H

#include "net/layers.h"

/* The rows of weights of the features that a board has: those of value 1, and those of other values,
 * with the rate at which each learns. */
typedef struct {
    float *ones[TF_MOST_ROWS], *rows[TF_MOST_ROWS];
    float values[TF_MOST_ROWS], rates[TF_MOST_ROWS];
    int n_ones, n;
} tf_inputs;

/* sums = bias + the rows, each times its value, before the activation. `layer` gets a copy. */
TF_INLINE void tf_sum_inputs(
    float *sums, float *layer, const float *bias, const tf_inputs *inputs, int width)
{
    for (int unit = 0; unit < width; unit += TF_BLOCK) {
        tf_floats lanes[4];
        for (int k = 0; k < 4; k++)
            lanes[k] = tf_at(bias + unit + 8 * k);
        for (int i = 0; i < inputs->n_ones; i++)
            for (int k = 0; k < 4; k++)
                lanes[k] += tf_at(inputs->ones[i] + unit + 8 * k);
        for (int i = 0; i < inputs->n; i++) {
            const float *row = inputs->rows[i] + unit;
            float value = inputs->values[i];
            for (int k = 0; k < 4; k++)
                lanes[k] += value * tf_at(row + 8 * k);
        }
        for (int k = 0; k < 4; k++) {
            tf_put(sums + unit + 8 * k, lanes[k]);
            tf_put(layer + unit + 8 * k, lanes[k]);
        }
    }
}

/* Computes eight output lanes, of which the first `outputs` (5 or 6) are real, from a hidden layer; the
 * activation is applied in place. */
TF_INLINE tf_floats tf_read(
    float *layer, int width, const float *out, const float *biases, const int outputs,
    const int clipped)
{
    tf_floats sums[TF_LANES], hidden[4];
    for (int k = 0; k < TF_LANES; k++)
        sums[k] = tf_all(0.0f);
    for (int unit = 0; unit < width; unit += TF_BLOCK) {
        for (int i = 0; i < 4; i++)
            hidden[i] = tf_at(layer + unit + 8 * i);
        tf_activate(hidden, 4, clipped);
        for (int i = 0; i < 4; i++) {
            tf_put(layer + unit + 8 * i, hidden[i]);
            for (int k = 0; k < outputs; k++)
                sums[k] += hidden[i] * tf_at(out + k * width + unit + 8 * i);
        }
    }
    return tf_sigmoid(tf_across(sums) + tf_at(biases));
}

/* The same; the number of outputs and the activation are constants where it counts, so that the sums
 * stay in registers. */
TF_INLINE void tf_read_layer(
    float *values, float *layer, int width, const float *out, const float *biases, int outputs,
    int clipped)
{
    tf_floats found;
    if (outputs == 5)
        found = clipped ? tf_read(layer, width, out, biases, 5, 1)
                        : tf_read(layer, width, out, biases, 5, 0);
    else
        found = clipped ? tf_read(layer, width, out, biases, 6, 1)
                        : tf_read(layer, width, out, biases, 6, 0);
    tf_put(values, found);
}

/* The outputs of the board's inputs; `sums` gets the hidden layer's sums, `layer` their activations. */
TF_INLINE void tf_forward(
    float *values, float *sums, float *layer, const tf_inputs *inputs, int width,
    const float *bias, const float *out, const float *out_bias, int outputs, int clipped)
{
    tf_sum_inputs(sums, layer, bias, inputs, width);
    tf_read_layer(values, layer, width, out, out_bias, outputs, clipped);
}

/* Move all weights that had a part in it by `rate` down the gradient of the cross-entropy between the
 * outputs and their targets. `errors` are the targets less the outputs, `layer` the hidden units after
 * the activation; `sums` are their sums, which become those with the new weights: each changes by
 * rate * slope * sum(value_i * rate_i) over its inputs. */
TF_INLINE void tf_gradient_step(
    const float *errors, float rate, float *sums, const float *layer, const tf_inputs *inputs,
    int width, float *bias, float *out, float *out_bias, int outputs, int clipped)
{
    float moved = 1.0f + (float)inputs->n_ones; /* the bias and those of value and rate 1 */
    for (int r = 0; r < inputs->n; r++)
        moved += inputs->values[r] * inputs->rates[r];
    for (int k = 0; k < outputs; k++)
        out_bias[k] += rate * errors[k];
    for (int unit = 0; unit < width; unit += TF_BLOCK) {
        tf_floats slope[4];
        for (int i = 0; i < 4; i++) {
            tf_floats hidden = tf_at(layer + unit + 8 * i);
            tf_floats back = tf_all(0.0f);
            for (int k = 0; k < outputs; k++) {
                float *at = out + k * width + unit + 8 * i;
                tf_floats weights = tf_at(at);
                back += errors[k] * weights;
                tf_put(at, weights + rate * errors[k] * hidden);
            }
            if (clipped) {
                tf_ints open = (hidden > 0.0f) & (hidden < 1.0f);
                slope[i] = rate * (tf_floats)((tf_ints)back & open);
            } else {
                slope[i] = rate * back * (hidden * (1.0f - hidden));
            }
            float *at = bias + unit + 8 * i;
            tf_put(at, tf_at(at) + slope[i]);
            at = sums + unit + 8 * i;
            tf_put(at, tf_at(at) + moved * slope[i]);
        }
        for (int r = 0; r < inputs->n_ones; r++) {
            float *row = inputs->ones[r] + unit;
            for (int i = 0; i < 4; i++)
                tf_put(row + 8 * i, tf_at(row + 8 * i) + slope[i]);
        }
        for (int r = 0; r < inputs->n; r++) {
            float *row = inputs->rows[r] + unit;
            float factor = inputs->rates[r];
            for (int i = 0; i < 4; i++)
                tf_put(row + 8 * i, tf_at(row + 8 * i) + factor * slope[i]);
        }
    }
}

/* The same; the most common number of outputs and the activation are constants, so that a unit's values
 * stay in registers. */
TF_INLINE void tf_learn(
    const float *errors, float rate, float *sums, const float *layer, const tf_inputs *inputs,
    int width, float *bias, float *out, float *out_bias, int outputs, int clipped)
{
    if (outputs == 5 && clipped)
        tf_gradient_step(errors, rate, sums, layer, inputs, width, bias, out, out_bias, 5, 1);
    else
        tf_gradient_step(errors, rate, sums, layer, inputs, width, bias, out, out_bias, outputs, clipped);
}

#endif
