/* What nets see of single boards (see evaluate.h). */
#include "net/evaluate.h"

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
    for (uint64_t cells = tf_above_both(board, 0) | tf_below_both(board, 0); cells;
         cells &= cells - 1) {
        int cell = __builtin_ctzll(cells), checkers = board[cell], first = cell * TF_LEVELS;
        if (__builtin_expect(checkers < 0, 0)) {
            inputs->ones[ones++] = (uint16_t)(first + TF_PINNED);
            continue;
        }
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
