/* See evaluate.h. */
#include "net/evaluate.h"

#include "net/coherent.h"
#include "net/tables.h"

void tf_open_net(
    tf_net *net, const float *weights, float *prepared, int kind, int width, int outputs)
{
    net->form = tf_form_of(kind);
    net->kind = kind & ~(net->form | TF_WITH_BEAROFF);
    net->phases = tf_phases_of(net->form);
    net->table = kind & TF_WITH_BEAROFF ? weights + net->phases * tf_phase_floats(width, net->form) : NULL;
    net->width = width;
    net->outputs = outputs;
    net->prepared = prepared;
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

TF_INLINE const float *tf_row_at(const tf_net *net, int phase, int row)
{
    return net->rows[phase] + (long)row * net->width;
}

/* The rows of a board, flags apart. */
TF_INLINE void tf_rows_of_board(tf_rows *rows, const tf_net *net, int phase, const int8_t *board)
{
    tf_row_delta delta;
    tf_note_board(&delta, board);
    rows->n_minus = 0;
    rows->n_plus = delta.n_plus + 1;
    rows->plus[0] = tf_row_at(net, phase, TF_BIAS_ROW);
    for (int i = 0; i < delta.n_plus; i++)
        rows->plus[i + 1] = tf_row_at(net, phase, delta.plus[i]);
}

/* Set the board whose afterstates will be evaluated, and forget its scalars. */
TF_INLINE void tf_begin_root(tf_accumulator *acc, const tf_net *net, const int8_t *board)
{
    tf_set_root(&acc->root, board, (uint32_t)net->width);
    acc->scaled.seen = 0;
    acc->batch.ahead[0].known = acc->batch.ahead[1].known = 0;
    memset(acc->scaled.known, 0, sizeof acc->scaled.known);
}

void tf_set_root_of(tf_accumulator *acc, const tf_net *net, const int8_t *board)
{
    tf_begin_root(acc, net, board);
    acc->turn = 0;
    for (int k = 0; k < 2; k++)
        memset(acc->layers[k].known, 0, sizeof acc->layers[k].known);
    memcpy(acc->layers[0].board, acc->root.board, sizeof acc->root.board);
}

void tf_set_next_root(tf_accumulator *acc, const tf_net *net, const int8_t *board)
{
    /* More rows than this are no less work than the whole board; and sums are exact as long as no more
     * checkers come on top of the whole board's (`rounded` in nets/packing.py). */
    enum { MOST = 16 };
    tf_begin_root(acc, net, board);
    acc->turn ^= 1;
    tf_first_layer *layer = &acc->layers[acc->turn];
    int any = 0;
    for (int phase = 0; phase < net->phases; phase++)
        any |= layer->known[phase];
    if (any) {
        tf_row_delta delta;
        tf_rows rows;
        tf_note_boards(&delta, layer->board, board);
        for (int phase = 0; phase < net->phases; phase++) {
            if (!layer->known[phase])
                continue;
            layer->known[phase] = delta.n_plus <= MOST;
            if (!layer->known[phase])
                continue;
            rows.plus[0] = layer->sums[phase];
            rows.n_plus = delta.n_plus + 1;
            rows.n_minus = delta.n_minus;
            for (int k = 0; k < delta.n_plus; k++)
                rows.plus[k + 1] = tf_row_at(net, phase, delta.plus[k]);
            for (int k = 0; k < delta.n_minus; k++)
                rows.minus[k] = tf_row_at(net, phase, delta.minus[k]);
            tf_sum_rows(layer->sums[phase], &rows, net->width);
        }
    }
    memcpy(layer->board, acc->root.board, sizeof acc->root.board);
}

/* The root's first layer with the weights of one phase, whatever its own phase is. */
TF_INLINE const float *tf_root_sums(tf_accumulator *acc, const tf_net *net, int phase)
{
    tf_first_layer *layer = &acc->layers[acc->turn];
    if (__builtin_expect(!layer->known[phase], 0)) {
        tf_rows rows;
        tf_rows_of_board(&rows, net, phase, acc->root.board);
        tf_sum_rows(layer->sums[phase], &rows, net->width);
        layer->known[phase] = 1;
    }
    return layer->sums[phase];
}

/* Where the row of a level lies: plane 1's come right behind plane 0's. */
TF_INLINE int tf_scalar_row(int level)
{
    return TF_FIRST_SCALAR + level - (level < TF_SIDE_ROOM ? 0 : TF_SIDE_ROOM - TF_SIDE_SCALARS);
}

/* Note the rows by which a candidate differs from its root, scalars apart. Places that are too many are
 * written over. */
TF_INLINE void tf_note_pairs(
    tf_scaled_rows *rows, const uint32_t *plus, const uint32_t *minus, int pairs)
{
    memcpy(rows->row, plus, sizeof(uint32_t) * TF_PAIRS);
    memcpy(rows->row + pairs, minus, sizeof(uint32_t) * TF_PAIRS);
    tf_put(rows->times, tf_all(1.0f));
    tf_put(rows->times + pairs, tf_all(-1.0f));
    rows->n = 2 * pairs;
}

/* Note further the scalars of which a board has more or less than another. */
TF_INLINE void tf_note_scalars(
    tf_scaled_rows *rows, const tf_net *net, const uint32_t *before, const uint32_t *after)
{
    uint8_t from[TF_SCALAR_ROOM], to[TF_SCALAR_ROOM];
    uint32_t differ;
    memcpy(from, before, sizeof from);
    memcpy(to, after, sizeof to);
#if defined(__AVX2__)
    differ = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(
        _mm256_loadu_si256((const __m256i *)from), _mm256_loadu_si256((const __m256i *)to)));
#else
    differ = 0;
    for (int k = 0; k < TF_SCALAR_ROOM; k++)
        differ |= (uint32_t)(from[k] != to[k]) << k;
#endif
    for (; differ; differ &= differ - 1) {
        int k = tf_lowest(differ);
        rows->row[rows->n] = (uint32_t)tf_scalar_row(k) * (uint32_t)net->width;
        rows->times[rows->n++] = (float)(to[k] - from[k]);
    }
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
        tf_scaled_rows rows;
        rows.n = 0;
        tf_note_scalars(&rows, net, none, scaled->levels);
        tf_add_scaled(scaled->sums[phase], sums, net->rows[phase], &rows, net->width);
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

#define TF_SCALED(outputs) \
    TF_OUTLINE void tf_scaled_##outputs( \
        tf_floats *sums, const float *root, const float *flags, const float *rows, \
        const tf_scaled_rows *scaled, const float *ordered, int width) \
    { \
        tf_sums_of_scaled(sums, TF_SLOTS, root, flags, rows, scaled, ordered, width, outputs); \
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

TF_SCALED(5)
TF_SCALED(6)

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
    rows.n_plus = delta.n_plus + 2;
    rows.n_minus = delta.n_minus;
    for (int k = 0; k < delta.n_plus; k++)
        rows.plus[k + 2] = tf_row_at(net, phase, delta.plus[k]);
    for (int k = 0; k < delta.n_minus; k++)
        rows.minus[k] = tf_row_at(net, phase, delta.minus[k]);
    tf_sums_of_one(sums, net, phase, &rows);
}

/* Candidates by a net with scalars: those of one phase, into the slots from `slot` on. */
TF_INLINE void tf_sum_scaled(
    tf_floats *sums, tf_accumulator *acc, tf_net *net, int phase, const uint8_t *order, int n,
    int slot)
{
    const tf_batch *batch = &acc->batch;
    const float *rows = net->rows[phase], *root = tf_scaled_root(acc, net, phase);
    for (int at = 0; at < n; at++, slot++) {
        int i = order[at], pairs = batch->pairs[i];
        const tf_seen *seen = &batch->seen[i / TF_EIGHT];
        const float *flags = tf_flags_at(net, phase, seen->code[i % TF_EIGHT]);
        int listed = pairs <= TF_PAIRS && net->kind == TF_CLIPPED;
        tf_scaled_rows scaled;
        acc->slot[i] = (uint8_t)slot;
        tf_note_pairs(&scaled, batch->plus[i], batch->minus[i], listed ? pairs : 0);
        tf_note_scalars(&scaled, net, acc->scaled.levels, seen->levels[i % TF_EIGHT]);
        if (__builtin_expect(!listed, 0)) {
            float start[TF_WIDEST] __attribute__((aligned(64)));
            tf_add_scaled(start, flags, rows, &scaled, net->width);
            tf_sum_alone(
                sums + slot, root, net, phase, start, acc->root.board,
                batch->boards + TF_CELLS * i);
        } else if (net->outputs < TF_OUTPUTS)
            tf_scaled_5(
                sums + slot, root, flags, rows, &scaled, net->ordered[phase], net->width);
        else
            tf_scaled_6(
                sums + slot, root, flags, rows, &scaled, net->ordered[phase], net->width);
    }
}

/* The outputs' sums of candidates of one phase, `n` of them in order of how many rows they take, into
 * the slots from `slot` on. */
TF_INLINE void tf_sum_candidates(
    tf_floats *sums, tf_accumulator *acc, tf_net *net, int phase, const uint8_t *order, int n,
    int slot)
{
    const tf_batch *batch = &acc->batch;
    const float *rows = net->rows[phase], *ordered = net->ordered[phase];
    const float *root = tf_root_sums(acc, net, phase);
    for (int at = 0; at < n; at += 2) {
        tf_candidate candidates[2];
        int places[2] = {order[at], order[at + 1 < n ? at + 1 : at]};
        int pairs = batch->pairs[places[1]];
        for (int k = 0; k < 2; k++) {
            int i = places[k];
            candidates[k].flags =
                tf_flags_at(net, phase, batch->seen[i / TF_EIGHT].code[i % TF_EIGHT]);
            candidates[k].plus = batch->plus[i];
            candidates[k].minus = batch->minus[i];
        }
        acc->slot[places[1]] = (uint8_t)(slot + at + 1);
        acc->slot[places[0]] = (uint8_t)(slot + at);
        if (__builtin_expect(pairs <= TF_PAIRS && net->kind == TF_CLIPPED, 1))
            tf_two_of(pairs, net->outputs)(
                sums + slot + at, root, rows, candidates[0], candidates[1], ordered,
                net->width);
        else
            for (int k = 0; k < 2; k++)
                tf_sum_alone(
                    sums + slot + at + k, root, net, phase, candidates[k].flags, acc->root.board,
                    batch->boards + TF_CELLS * places[k]);
    }
}

/* List the candidates of a set in the order of how many rows they take: loops then have one length
 * after the other. Return how many there are. */
TF_INLINE int tf_order_candidates(uint8_t *order, const tf_batch *batch, uint32_t set)
{
    int n = 0;
    for (int pairs = 0; set; pairs++) {
        uint32_t some = tf_equal_bytes(batch->pairs, pairs) & set;
        set ^= some;
        for (; some; some &= some - 1)
            order[n++] = (uint8_t)tf_lowest(some);
    }
    return n;
}

/* Evaluate the batch that has been read, but for the candidates of `skip`, whose game is over. */
TF_INLINE void tf_evaluate_batch(
    tf_accumulator *acc, tf_net *net, const tf_rules *rules, uint32_t skip)
{
    tf_batch *batch = &acc->batch;
    tf_floats sums[TF_OUTPUTS * TF_SLOTS];
    float equities[TF_SLOTS];
    uint32_t possible[TF_BATCH];
    uint8_t order[TF_SLOTS] = {0};
    uint32_t all = (0xffffffffu >> (TF_BATCH - batch->n)) & ~skip;
    int slot = 0;
    for (int i = 0; i < batch->n; i += TF_EIGHT)
        tf_put_lanes(
            possible + i, tf_possible(
                rules, &batch->masks[i / TF_EIGHT], batch->seen[i / TF_EIGHT].race,
                rules->contact));
    if (net->form & TF_SCALARS && !acc->scaled.seen)
        tf_settle_scalars(&acc->scaled, batch);
    for (int phase = 0; phase < net->phases; phase++) {
        uint32_t set = all & batch->phases[phase];
        if (!set)
            continue;
        int n = tf_order_candidates(order, batch, set), first = slot, end = slot + n;
        if (net->form & TF_SCALARS && phase < net->phases - 1)
            tf_sum_scaled(sums, acc, net, phase, order, n, slot);
        else
            tf_sum_candidates(sums, acc, net, phase, order, n, slot);
        for (; end % TF_EIGHT; end++)
            for (int k = 0; k < net->outputs; k++)
                sums[k * TF_SLOTS + end] = tf_all(0.0f);
        for (; slot < end; slot += TF_EIGHT) {
            tf_floats *values = acc->values[slot / TF_EIGHT];
            if (net->outputs < TF_OUTPUTS)
                tf_outputs_of_eight(
                    values, sums + slot, TF_SLOTS, net->biases[phase], TF_OUTPUTS - 1);
            else
                tf_outputs_of_eight(values, sums + slot, TF_SLOTS, net->biases[phase], TF_OUTPUTS);
            tf_words results;
            for (int k = 0; k < TF_EIGHT; k++)
                results[k] = possible[order[slot - first + k]];
            tf_order_outcomes(values, results);
            tf_put(equities + slot, tf_equities(values));
        }
    }
    for (; all; all &= all - 1)
        acc->equity[tf_lowest(all)] = equities[acc->slot[tf_lowest(all)]];
}

/* The outcomes of a game that has ended at so many points for the player. */
TF_INLINE void tf_exact_outcomes(float *outcomes, int points)
{
    const int reached[TF_OUTPUTS] = {
        points >= 1, points >= 2, points >= 3, points <= -2, points <= -3, points == 0};
    for (int k = 0; k < TF_OUTPUTS; k++)
        outcomes[k] = (float)reached[k];
}

/* Find the candidates that are in the table, as bits, with their outcomes and equities. */
TF_OUTLINE uint32_t tf_find_tabled(tf_accumulator *acc, const tf_net *net, const tf_rules *rules)
{
    const tf_batch *batch = &acc->batch;
    uint32_t found = 0, maybe = 0;
    for (int i = 0; i < batch->n; i += TF_EIGHT)
        maybe |= tf_maybe_in_table(&batch->masks[i / TF_EIGHT], rules->contact) << i;
    for (maybe &= ~acc->over & (0xffffffffu >> (TF_BATCH - batch->n)); maybe; maybe &= maybe - 1) {
        int i = tf_lowest(maybe);
        float *exact = acc->exact[i];
        if (!tf_read_table(exact, net->table, rules, batch->boards + TF_CELLS * i))
            continue;
        found |= 1u << i;
        acc->equity[i] = (exact[0] + exact[1] + exact[2])
            - ((1.0f - exact[0] - exact[5]) + exact[3] + exact[4]);
    }
    return found;
}

void tf_evaluate_afterstates(
    tf_accumulator *acc, tf_net *net, const tf_rules *rules, const int8_t *boards, int n)
{
    uint32_t unsure = tf_read_batch(&acc->batch, &acc->root, rules, boards, n, net->form);
    acc->over = 0;
    for (; unsure; unsure &= unsure - 1) {
        int i = tf_lowest(unsure);
        acc->points[i] = tf_board_result(boards + TF_CELLS * i, rules);
        if (acc->points[i] == TF_UNDECIDED)
            continue;
        acc->over |= 1u << i;
        acc->equity[i] = (float)acc->points[i];
    }
    acc->tabled = net->table ? tf_find_tabled(acc, net, rules) : 0;
    tf_evaluate_batch(acc, net, rules, acc->over | acc->tabled);
}

void tf_outputs_of(float *outputs, const tf_accumulator *acc, int i)
{
    if (acc->over >> i & 1) {
        tf_exact_outcomes(outputs, acc->points[i]);
        return;
    }
    if (acc->tabled >> i & 1) {
        memcpy(outputs, acc->exact[i], sizeof acc->exact[i]);
        return;
    }
    int slot = acc->slot[i];
    const float *values = (const float *)acc->values[slot / TF_EIGHT] + slot % TF_EIGHT;
    for (int k = 0; k < TF_OUTPUTS; k++)
        outputs[k] = values[k * TF_LANES];
}

int tf_best_afterstate(
    float *outputs, tf_accumulator *acc, tf_net *net, const tf_rules *rules, const int8_t *boards,
    int n)
{
    int best = -1;
    float highest = 0;
    for (int first = 0; first < n; first += TF_BATCH) {
        int many = n - first < TF_BATCH ? n - first : TF_BATCH, here = 0;
        tf_evaluate_afterstates(acc, net, rules, boards + TF_CELLS * first, many);
        for (int i = 1; i < many; i++)
            here = acc->equity[i] > acc->equity[here] ? i : here;
        if (best < 0 || acc->equity[here] > highest) {
            best = first + here;
            highest = acc->equity[here];
            tf_outputs_of(outputs, acc, here);
        }
    }
    return best;
}

/* The outputs of boards that the table, if any, does not have. */
TF_OUTLINE void tf_evaluate_others(
    float *outputs, tf_net *net, const tf_rules *rules, const int8_t *const *boards, int n)
{
    tf_eight masks = {0};
    tf_seen seen;
    tf_floats sums[TF_OUTPUTS * TF_SLOTS], found[TF_OUTPUTS];
    for (int i = 0; i < n; i++)
        tf_put_masks(
            &masks, i, tf_above_both(boards[i], 0), tf_above_both(boards[i], 1),
            rules->contact == TF_PIN ? tf_below_both(boards[i], 0) : 0);
    tf_see(&seen, rules, &masks, rules->contact);
    if (net->form) {
        tf_ahead ahead[2];
        ahead[0].known = ahead[1].known = 0;
        tf_see_more(&seen, ahead, rules, &masks, boards, n, net->form);
    }
    const tf_words possible = tf_possible(rules, &masks, seen.race, rules->contact);
    for (int i = 0; i < TF_EIGHT; i++)
        for (int k = 0; k < net->outputs; k++)
            sums[k * TF_SLOTS + i] = tf_all(0.0f);
    for (int i = 0; i < n; i++) {
        tf_rows rows;
        float with_scalars[TF_WIDEST] __attribute__((aligned(64)));
        int phase = (int)seen.phase[i];
        tf_rows_of_board(&rows, net, phase, boards[i]);
        if (phase < net->phases - 1)
            rows.plus[rows.n_plus++] = tf_flags_at(net, phase, seen.code[i]);
        if (phase < net->phases - 1 && net->form & TF_SCALARS) {
            const uint32_t none[8] = {0};
            tf_scaled_rows more;
            more.n = 0;
            tf_note_scalars(&more, net, none, seen.levels[i]);
            tf_add_scaled(
                with_scalars, rows.plus[rows.n_plus - 1], net->rows[phase], &more, net->width);
            rows.plus[rows.n_plus - 1] = with_scalars;
        }
        tf_sums_of_one(sums + i, net, phase, &rows);
    }
    for (int phase = 0; phase < net->phases; phase++) {
        if (net->outputs < TF_OUTPUTS)
            tf_outputs_of_eight(found, sums, TF_SLOTS, net->biases[phase], TF_OUTPUTS - 1);
        else
            tf_outputs_of_eight(found, sums, TF_SLOTS, net->biases[phase], TF_OUTPUTS);
        tf_order_outcomes(found, possible);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < TF_OUTPUTS && (int)seen.phase[i] == phase; k++)
                outputs[TF_OUTPUTS * i + k] = found[k][i];
    }
}

int tf_tabled(float *outcomes, const tf_net *net, const tf_rules *rules, const int8_t *board)
{
    return net->table && tf_look_up(outcomes, net->table, rules, board);
}

void tf_evaluate_boards(
    float *outputs, tf_net *net, const tf_rules *rules, const int8_t *const *boards, int n)
{
    const int8_t *others[TF_EIGHT];
    float found[TF_EIGHT * TF_OUTPUTS];
    int places[TF_EIGHT], m = 0;
    if (!net->table) {
        tf_evaluate_others(outputs, net, rules, boards, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (tf_tabled(outputs + TF_OUTPUTS * i, net, rules, boards[i]))
            continue;
        others[m] = boards[i];
        places[m++] = i;
    }
    if (m)
        tf_evaluate_others(found, net, rules, others, m);
    for (int i = 0; i < m; i++)
        memcpy(
            outputs + TF_OUTPUTS * places[i], found + TF_OUTPUTS * i, sizeof(float) * TF_OUTPUTS);
}

int tf_see_one(
    uint32_t *code, uint32_t *levels, const tf_rules *rules, int form, const int8_t *board)
{
    tf_eight boards = {0};
    tf_seen seen;
    tf_put_masks(
        &boards, 0, tf_above_both(board, 0), tf_above_both(board, 1),
        rules->contact == TF_PIN ? tf_below_both(board, 0) : 0);
    tf_see(&seen, rules, &boards, rules->contact);
    *code = seen.code[0];
    if (form) {
        tf_ahead ahead[2];
        ahead[0].known = ahead[1].known = 0;
        tf_see_more(&seen, ahead, rules, &boards, &board, 1, form);
    }
    if (levels != NULL)
        memcpy(levels, seen.levels[0], sizeof seen.levels[0]);
    return (int)seen.phase[0];
}

float tf_scalar_scale(int scalar)
{
    static const float scales[TF_SIDE_SCALARS] = {
        [TF_ESCAPE] = 1.0f / 32,      [TF_ESCAPE_2] = 1.0f / 32,   [TF_HELD_BACK] = 1.0f / 32,
        [TF_HELD_MIDDLE] = 1.0f / 32, [TF_MOBILITY] = 1.0f / 128,  [TF_ENTERING] = 1.0f / 32,
        [TF_TO_BREAK] = 1.0f / 128,   [TF_BROKEN] = 1.0f / 128,    [TF_REAR] = 1.0f / 32,
        [TF_ANCHOR] = 1.0f / 8,       [TF_REAR_ANCHOR] = 1.0f / 8, [TF_HITS] = 1.0f / 32,
        [TF_LOSS] = 1.0f / 64};
    return scales[scalar];
}

int tf_inputs_of_board(
    tf_board_inputs *inputs, const tf_rules *rules, int form, const int8_t *board)
{
    uint32_t words[8] = {0}, code, flags = 0;
    uint8_t levels[TF_SCALAR_ROOM];
    int phase = tf_see_one(&code, form & TF_SCALARS ? words : NULL, rules, form, board);
    int ones = 0, n = 0;
    for (int cell = 0; cell < TF_CELLS; cell++) {
        int checkers = board[cell], first = cell * TF_LEVELS;
        if (checkers < 0)
            inputs->ones[ones++] = (uint16_t)(first + TF_PINNED);
        if (checkers <= 0)
            continue;
        /* All three are written; those that do not count are overwritten. */
        for (int level = 0; level < 3; level++)
            inputs->ones[ones + level] = (uint16_t)(first + level);
        ones += checkers < 3 ? checkers : 3;
        if (checkers > 3) {
            inputs->rows[n] = (uint16_t)(first + 3);
            inputs->values[n] = (float)(checkers - 3);
            inputs->scales[n++] = cell % 26 == 0 ? 0.125f : 0.5f;
        }
    }
    if (phase < tf_phases_of(form) - 1)
        flags = tf_flags_of(code, rules->contact);
    for (; flags; flags &= flags - 1)
        inputs->ones[ones++] = (uint16_t)(TF_FIRST_FLAG + tf_lowest(flags));
    memcpy(levels, words, sizeof levels);
    for (int k = 0; k < TF_SCALAR_ROOM; k++) {
        if (levels[k] == 0)
            continue;
        inputs->rows[n] = (uint16_t)tf_scalar_row(k);
        inputs->values[n] = (float)levels[k];
        inputs->scales[n++] = tf_scalar_scale(k % TF_SIDE_ROOM);
    }
    inputs->n_ones = ones;
    inputs->n = n;
    return phase;
}

uint32_t tf_possible_results(const tf_rules *rules, const int8_t *board)
{
    tf_eight boards = {0};
    tf_seen seen;
    tf_put_masks(
        &boards, 0, tf_above_both(board, 0), tf_above_both(board, 1),
        rules->contact == TF_PIN ? tf_below_both(board, 0) : 0);
    tf_see(&seen, rules, &boards, rules->contact);
    return tf_possible(rules, &boards, seen.race, rules->contact)[0];
}
