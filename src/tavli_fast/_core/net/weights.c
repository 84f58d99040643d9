/* The weights of a net in their block, and what is made of them (`tf_net` in evaluate.h). */
#include "net/evaluate.h"

void tf_open_net(
    tf_net *net, const float *weights, float *prepared, int kind, int width, int outputs)
{
    net->form = tf_form_of(kind);
    net->kind = kind & ~(net->form | TF_WITH_SIEVE | TF_WITH_BEAROFF);
    net->phases = tf_phases_of(net->form);
    net->sieve = NULL;
    net->sieve_head = net->table = NULL;
    const float *behind = weights + net->phases * tf_phase_floats(width, net->form);
    if (kind & TF_WITH_SIEVE) {
        int form = tf_form_of((int)behind[0]);
        net->sieve_head = behind;
        net->kept = (int)behind[3];
        behind += TF_SIEVE_HEAD + tf_phases_of(form) * tf_phase_floats((int)behind[1], form);
    }
    if (kind & TF_WITH_BEAROFF)
        net->table = behind;
    net->width = width;
    net->outputs = outputs;
    net->prepared = prepared;
    for (int level = 0; level < TF_SCALAR_ROOM; level++)
        net->places[level] = (uint32_t)tf_scalar_row(level) * (uint32_t)width;
    if (net->kind == TF_RANDOM)
        return;
    for (int phase = 0; phase < net->phases; phase++) {
        net->rows[phase] = weights + phase * tf_phase_floats(width, net->form);
        net->biases[phase] = net->rows[phase] + (long)tf_rows_of_phase(net->form) * width;
        net->ordered[phase] = prepared;
        prepared += (long)TF_OUTPUTS * width;
    }
    for (int phase = 0; phase < net->phases - 1; phase++) {
        tf_flag_sums *sums = &net->contact[phase];
        sums->runs = prepared;
        sums->shots = sums->runs + (long)TF_RUNS * width;
        sums->flags = sums->shots + (long)TF_SHOTS * width;
        prepared = sums->flags + (long)TF_CODES * width;
    }
}

/* Sum up flags' rows for `base` * `base` codes: the rows from `first` on belong to code % base, those
 * from `second` on to code / base, each to one more than its number. */
TF_INLINE void tf_sum_flags(float *sums, const float *flags, int width, int base, int first, int second)
{
    memset(sums, 0, sizeof(float) * (size_t)width);
    for (int code = 1; code < base * base; code++) {
        int low = code % base, from = low ? code - 1 : code - base;
        const float *row = flags + (long)(low ? first + low - 1 : second + code / base - 1) * width;
        for (int unit = 0; unit < width; unit += TF_LANES)
            tf_put(
                sums + (long)code * width + unit,
                tf_at(sums + (long)from * width + unit) + tf_at(row + unit));
    }
}

void tf_prepare(tf_net *net, const tf_rules *rules)
{
    if (!rules->bearoff_oversize || !rules->bearoff_internal || rules->cascade)
        net->table = NULL; /* it is of another bear-off */
    for (int phase = 0; phase < net->phases; phase++)
        tf_order_outputs(
            net->ordered[phase], net->rows[phase] + (long)TF_FIRST_OUTPUT * net->width, net->width);
    for (int phase = 0; phase < net->phases - 1; phase++) {
        const float *flags = net->rows[phase] + (long)TF_FIRST_FLAG * net->width;
        tf_flag_sums *sums = &net->contact[phase];
        sums->used = 0;
        memset(sums->place, 0, sizeof sums->place);
        if (rules->contact == TF_NO_CONTACT) {
            tf_sum_flags(sums->runs, flags, net->width, 6, 0, 5);
            tf_sum_flags(sums->shots, flags, net->width, 2, 10, 11);
        } else {
            tf_sum_flags(sums->runs, flags, net->width, 5, 0, 4);
            tf_sum_flags(sums->shots, flags, net->width, 7, 8, 14);
        }
    }
}
