/* See evaluate.h. */
#include "net/coherent.h"
#include "net/sums.h"
#include "net/tables.h"

/* Set the board whose afterstates will be evaluated, and forget its scalars. */
TF_INLINE void tf_begin_root(tf_accumulator *acc, const tf_net *net, const int8_t *board)
{
    tf_set_root(&acc->root, board, (uint32_t)net->width);
    acc->scaled.seen = 0;
    acc->batch.ahead[0].known = acc->batch.ahead[1].known = 0;
    memset(acc->scaled.known, 0, sizeof acc->scaled.known);
}

void tf_forget_roots(tf_accumulator *acc)
{
    acc->turn = 0;
    for (int k = 0; k < 2; k++)
        memset(acc->layers[k].known, 0, sizeof acc->layers[k].known);
}

void tf_set_root_of(tf_accumulator *acc, const tf_net *net, const int8_t *board)
{
    tf_begin_root(acc, net, board);
    tf_forget_roots(acc);
}

void tf_set_next_root(tf_accumulator *acc, const tf_net *net, const int8_t *board)
{
    tf_begin_root(acc, net, board);
    acc->turn ^= 1;
    tf_first_layer *layer = &acc->layers[acc->turn];
    for (int phase = 0; phase < net->phases; phase++)
        layer->known[phase] = layer->known[phase] == TF_UNKNOWN ? TF_UNKNOWN : TF_STALE;
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
        tf_change change;
        acc->slot[i] = (uint8_t)slot;
        tf_note_change(&change, acc->scaled.levels, seen->levels[i % TF_EIGHT]);
        if (__builtin_expect(pairs <= TF_PAIRS && net->kind == TF_CLIPPED, 1)) {
            tf_candidate candidate = {flags, batch->plus[i], batch->minus[i]};
            tf_scaled_of(pairs, net->outputs)(
                sums + slot, root, rows, candidate, net->places, &change, net->ordered[phase],
                net->width);
        } else {
            float start[TF_WIDEST] __attribute__((aligned(64)));
            tf_write_sums(start, flags, rows, net->places, &change, net->width);
            tf_sum_alone(
                sums + slot, root, net, phase, start, acc->root.board,
                batch->boards + TF_CELLS * i);
        }
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

int tf_rank_afterstates(
    int *order, tf_accumulator *acc, tf_net *net, const tf_rules *rules, const int8_t *boards, int n,
    int most)
{
    float equities[TF_MOST_KEPT];
    int kept = 0;
    for (int first = 0; first < n; first += TF_BATCH) {
        int many = n - first < TF_BATCH ? n - first : TF_BATCH;
        tf_evaluate_afterstates(acc, net, rules, boards + TF_CELLS * first, many);
        for (int i = 0; i < many; i++) {
            float equity = acc->equity[i];
            if (kept == most && equity <= equities[most - 1])
                continue;
            kept += kept < most;
            int at = kept - 1;
            for (; at > 0 && equities[at - 1] < equity; at--) {
                equities[at] = equities[at - 1];
                order[at] = order[at - 1];
            }
            equities[at] = equity;
            order[at] = first + i;
        }
    }
    return kept;
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
            const float *start = rows.plus[rows.n_plus - 1];
            tf_change change;
            tf_note_change(&change, none, seen.levels[i]);
            tf_write_sums(
                with_scalars, start, net->rows[phase], net->places, &change, net->width);
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
