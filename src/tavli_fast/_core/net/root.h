/* The first layer of a root: its sums with the weights of each phase, with scalars or without, and the
 * rows by which a candidate differs from it. */
#ifndef TAVLI_FAST_ROOT_H
#define TAVLI_FAST_ROOT_H

#include "net/evaluate.h"

TF_INLINE const float *tf_row_at(const tf_net *net, int phase, int row)
{
    return net->rows[phase] + (long)row * net->width;
}

/* Add the rows of a delta to those that there are. */
TF_INLINE void tf_add_delta(tf_rows *rows, const tf_net *net, int phase, const tf_row_delta *delta)
{
    for (int k = 0; k < delta->n_plus; k++)
        rows->plus[rows->n_plus++] = tf_row_at(net, phase, delta->plus[k]);
    for (int k = 0; k < delta->n_minus; k++)
        rows->minus[rows->n_minus++] = tf_row_at(net, phase, delta->minus[k]);
}

/* The rows of a board, flags apart. */
TF_INLINE void tf_rows_of_board(tf_rows *rows, const tf_net *net, int phase, const int8_t *board)
{
    tf_row_delta delta;
    tf_note_board(&delta, board);
    rows->n_minus = 0;
    rows->n_plus = 1;
    rows->plus[0] = tf_row_at(net, phase, TF_BIAS_ROW);
    tf_add_delta(rows, net, phase, &delta);
}

/* Make the root's first layer with the weights of one phase: of that of an earlier root, if little has
 * changed since. */
TF_OUTLINE void tf_make_root_sums(tf_accumulator *acc, const tf_net *net, int phase)
{
    /* More rows than this are no less work than the whole board; and sums are exact as long as no more
     * checkers come on top of the whole board's (`rounded` in nets/packing.py). */
    enum { MOST = 16 };
    tf_first_layer *layer = &acc->layers[acc->turn];
    tf_rows rows;
    tf_row_delta delta;
    int near = layer->known[phase] == TF_STALE;
    if (near) {
        tf_note_boards(&delta, layer->boards[phase], acc->root.board);
        near = delta.n_plus <= MOST;
    }
    if (near) {
        rows.plus[0] = layer->sums[phase];
        rows.n_plus = 1;
        rows.n_minus = 0;
        tf_add_delta(&rows, net, phase, &delta);
    } else
        tf_rows_of_board(&rows, net, phase, acc->root.board);
    tf_sum_rows(layer->sums[phase], &rows, net->width);
    memcpy(layer->boards[phase], acc->root.board, sizeof acc->root.board);
    layer->known[phase] = TF_KNOWN;
}

/* The root's first layer with the weights of one phase, whatever its own phase is. */
TF_INLINE const float *tf_root_sums(tf_accumulator *acc, const tf_net *net, int phase)
{
    tf_first_layer *layer = &acc->layers[acc->turn];
    if (__builtin_expect(layer->known[phase] != TF_KNOWN, 0))
        tf_make_root_sums(acc, net, phase);
    return layer->sums[phase];
}

/* Note the scalars of which a board has more or less than another. */
TF_INLINE void tf_note_change(tf_change *change, const uint32_t *before, const uint32_t *after)
{
#if defined(__AVX2__)
    const __m256i from = _mm256_loadu_si256((const __m256i *)before);
    const __m256i to = _mm256_loadu_si256((const __m256i *)after);
    change->set = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(from, to));
    for (int k = 0; k < TF_SCALAR_ROOM / TF_LANES; k++) {
        __m256i more = _mm256_sub_epi32(
            _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(after + 2 * k))),
            _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(before + 2 * k))));
        _mm256_store_ps(change->times + TF_LANES * k, _mm256_cvtepi32_ps(more));
    }
#else
    uint8_t from[TF_SCALAR_ROOM], to[TF_SCALAR_ROOM];
    memcpy(from, before, sizeof from);
    memcpy(to, after, sizeof to);
    change->set = 0;
    for (int k = 0; k < TF_SCALAR_ROOM; k++) {
        change->set |= (uint32_t)(from[k] != to[k]) << k;
        change->times[k] = (float)(to[k] - from[k]);
    }
#endif
}

typedef uint8_t tf_bytes __attribute__((vector_size(TF_SCALAR_ROOM)));

TF_INLINE tf_bytes tf_levels_at(const tf_batch *batch, int i)
{
    tf_bytes levels;
    memcpy(&levels, batch->seen[i / TF_EIGHT].levels[i % TF_EIGHT], sizeof levels);
    return levels;
}

/* Settle the scalars that the root is given: of three candidates' each level that most of the batch have.
 * From these the candidates differ in fewer than from the root's own. */
TF_OUTLINE void tf_settle_scalars(tf_scaled_layer *scaled, const tf_batch *batch)
{
    tf_bytes levels = {0}, most = {0};
    for (int k = 0; k < 3; k++) {
        tf_bytes one = tf_levels_at(batch, k * (batch->n - 1) / 2), equal = {0};
        for (int i = 0; i < batch->n; i++)
            equal -= (tf_bytes)(one == tf_levels_at(batch, i));
        tf_bytes more = (tf_bytes)(equal > most);
        levels = (one & more) | (levels & ~more);
        most = (equal & more) | (most & ~more);
    }
    memcpy(scaled->levels, &levels, sizeof levels);
    scaled->seen = 1;
}

/* The root's first layer with the weights of one phase that is no race, and with settled scalars. */
TF_INLINE const float *tf_scaled_root(tf_accumulator *acc, const tf_net *net, int phase)
{
    tf_scaled_layer *scaled = &acc->scaled;
    if (!scaled->known[phase]) {
        const uint32_t none[8] = {0};
        const float *sums = tf_root_sums(acc, net, phase);
        tf_change change;
        tf_note_change(&change, none, scaled->levels);
        tf_write_sums(
            scaled->sums[phase], sums, net->rows[phase], net->places, &change, net->width);
        scaled->known[phase] = 1;
    }
    return scaled->sums[phase];
}

TF_OUTLINE const float *tf_make_flags(tf_flag_sums *made, long width, uint32_t code)
{
    float *sums = made->flags + made->used * width;
    const float *runs = made->runs + (code >> TF_SHOT_BITS) * width;
    const float *shots = made->shots + (code & ((1 << TF_SHOT_BITS) - 1)) * width;
    for (int unit = 0; unit < width; unit += TF_LANES)
        tf_put(sums + unit, tf_at(runs + unit) + tf_at(shots + unit));
    made->place[code] = ++made->used;
    return sums;
}

/* The sums of the flags' rows of a code. */
TF_INLINE const float *tf_flags_at(tf_net *net, int phase, uint32_t code)
{
    if (phase == net->phases - 1)
        return tf_row_at(net, phase, TF_ZERO_ROW);
    tf_flag_sums *sums = &net->contact[phase];
    if (__builtin_expect(sums->place[code] == 0, 0))
        return tf_make_flags(sums, net->width, code);
    return sums->flags + (uint32_t)(sums->place[code] - 1) * (uint32_t)net->width;
}

#endif
