/* The outputs' sums of boards and of candidates, by nets of each kind: loops of constant length. */
#ifndef TAVLI_FAST_SUMS_H
#define TAVLI_FAST_SUMS_H

#include "net/root.h"

/* The outputs' sums of a board with any rows, by any net with a hidden layer. */
TF_OUTLINE void tf_sums_of_one(
    tf_floats *sums, const tf_net *net, int phase, const tf_rows *rows)
{
    const float *ordered = net->ordered[phase];
    if (net->kind == TF_LINEAR) {
        /* The sums of one register each across come to the units themselves. */
        tf_floats units = tf_at(rows->plus[0]);
        for (int i = 1; i < rows->n_plus; i++)
            units += tf_at(rows->plus[i]);
        for (int i = 0; i < rows->n_minus; i++)
            units -= tf_at(rows->minus[i]);
        for (int k = 0; k < net->outputs; k++)
            sums[k * TF_SLOTS] = (tf_floats){units[k]};
    } else if (net->kind == TF_SIGMOID)
        tf_sums_of_rows(sums, TF_SLOTS, rows, ordered, net->width, TF_OUTPUTS, 0);
    else if (net->outputs < TF_OUTPUTS)
        tf_sums_of_rows(sums, TF_SLOTS, rows, ordered, net->width, TF_OUTPUTS - 1, 1);
    else
        tf_sums_of_rows(sums, TF_SLOTS, rows, ordered, net->width, TF_OUTPUTS, 1);
}

/* The number of rows and of outputs as constants, so that loops over them need no count. */
#define TF_TWO(pairs, outputs) \
    TF_OUTLINE void tf_two_##pairs##_##outputs( \
        tf_floats *sums, const float *root, const float *rows, tf_candidate a, tf_candidate b, \
        const float *ordered, int width) \
    { \
        tf_sums_of_two(sums, TF_SLOTS, root, rows, a, b, ordered, width, pairs, outputs); \
    }
#define TF_TWOS(outputs) \
    TF_TWO(1, outputs) TF_TWO(2, outputs) TF_TWO(3, outputs) TF_TWO(4, outputs) TF_TWO(6, outputs)
TF_TWOS(5)
TF_TWOS(6)
typedef void tf_two(
    tf_floats *sums, const float *root, const float *rows, tf_candidate a, tf_candidate b,
    const float *ordered, int width);

/* One candidate with scalars. */
#define TF_SCALED(pairs, outputs) \
    TF_OUTLINE void tf_scaled_##pairs##_##outputs( \
        tf_floats *sums, const float *root, const float *rows, tf_candidate candidate, \
        const uint32_t *places, const tf_change *change, const float *ordered, int width) \
    { \
        tf_sums_of_scaled( \
            sums, TF_SLOTS, root, rows, candidate, places, change, ordered, width, pairs, outputs); \
    }
#define TF_SCALEDS(outputs) \
    TF_SCALED(1, outputs) TF_SCALED(2, outputs) TF_SCALED(3, outputs) TF_SCALED(4, outputs) \
    TF_SCALED(6, outputs)
TF_SCALEDS(5)
TF_SCALEDS(6)
typedef void tf_scaled(
    tf_floats *sums, const float *root, const float *rows, tf_candidate candidate,
    const uint32_t *places, const tf_change *change, const float *ordered, int width);

TF_INLINE tf_scaled *tf_scaled_of(int pairs, int outputs)
{
    static tf_scaled *const five[TF_PAIRS + 1] = {
        tf_scaled_1_5, tf_scaled_1_5, tf_scaled_2_5, tf_scaled_3_5, tf_scaled_4_5, tf_scaled_6_5,
        tf_scaled_6_5};
    static tf_scaled *const six[TF_PAIRS + 1] = {
        tf_scaled_1_6, tf_scaled_1_6, tf_scaled_2_6, tf_scaled_3_6, tf_scaled_4_6, tf_scaled_6_6,
        tf_scaled_6_6};
    return outputs < TF_OUTPUTS ? five[pairs] : six[pairs];
}

/* What adds up two candidates of so many pairs of rows. */
TF_INLINE tf_two *tf_two_of(int pairs, int outputs)
{
    static tf_two *const five[TF_PAIRS + 1] = {
        tf_two_1_5, tf_two_1_5, tf_two_2_5, tf_two_3_5, tf_two_4_5, tf_two_6_5, tf_two_6_5};
    static tf_two *const six[TF_PAIRS + 1] = {
        tf_two_1_6, tf_two_1_6, tf_two_2_6, tf_two_3_6, tf_two_4_6, tf_two_6_6, tf_two_6_6};
    return outputs < TF_OUTPUTS ? five[pairs] : six[pairs];
}

/* One candidate by its rows, however many. */
TF_OUTLINE void tf_sum_alone(
    tf_floats *sums, const float *root_sums, const tf_net *net, int phase, const float *flags,
    const int8_t *root, const int8_t *board)
{
    tf_row_delta delta;
    tf_rows rows;
    tf_note_boards(&delta, root, board);
    rows.plus[0] = root_sums;
    rows.plus[1] = flags;
    rows.n_plus = 2;
    rows.n_minus = 0;
    tf_add_delta(&rows, net, phase, &delta);
    tf_sums_of_one(sums, net, phase, &rows);
}

#endif
