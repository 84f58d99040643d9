/* The rows of weights by which the hidden layers of boards differ.
 *
 * A cell of n checkers has the levels 0, 1 and 2 if n reaches 1, 2 and 3, and n - 3 times level 3 if it
 * is more; a pinned checker, -1, has level 4. Each level of each cell has a row of weights. */
#ifndef TAVLI_FAST_ACCUMULATOR_H
#define TAVLI_FAST_ACCUMULATOR_H

#include "net/scalars.h"

enum {
    TF_LEVELS = 5,
    TF_PINNED = 4,
    TF_FLAG_ROWS = 32,
    TF_OUTPUTS = 6,
    /* The rows of one phase's weights, in the order in which they lie in memory. */
    TF_FIRST_FLAG = TF_CELLS * TF_LEVELS,
    TF_BIAS_ROW = TF_FIRST_FLAG + TF_FLAG_ROWS,
    TF_FIRST_OUTPUT,
    TF_ZERO_ROW = TF_FIRST_OUTPUT + TF_OUTPUTS, /* a row of zeros */
    TF_ALL_ROWS,
    TF_FIRST_SCALAR = TF_ALL_ROWS, /* only in nets with scalars */
    TF_MOST_ROWS = 192, /* that two boards can differ by, either way */
    TF_PAIRS = 6        /* rows either way of a candidate that is added up in registers */
};

/* Where the row of a level lies: plane 1's come right behind plane 0's. */
TF_INLINE int tf_scalar_row(int level)
{
    return TF_FIRST_SCALAR + level - (level < TF_SIDE_ROOM ? 0 : TF_SIDE_ROOM - TF_SIDE_SCALARS);
}

/* The rows, by number, that come (`plus`) and go (`minus`) from one board to another. */
typedef struct {
    uint16_t plus[TF_MOST_ROWS], minus[TF_MOST_ROWS];
    int n_plus, n_minus;
} tf_row_delta;

/* Note the rows by which a cell of `after` checkers differs from one of `before`. */
TF_INLINE void tf_note_cell(tf_row_delta *delta, int cell, int before, int after)
{
    int first = cell * TF_LEVELS;
    if (before < 0) {
        delta->minus[delta->n_minus++] = (uint16_t)(first + TF_PINNED);
        before = 0;
    }
    if (after < 0) {
        delta->plus[delta->n_plus++] = (uint16_t)(first + TF_PINNED);
        after = 0;
    }
    for (; before < after; before++)
        delta->plus[delta->n_plus++] = (uint16_t)(first + (before < 3 ? before : 3));
    for (; before > after; before--)
        delta->minus[delta->n_minus++] = (uint16_t)(first + (before < 4 ? before - 1 : 3));
}

/* Note the rows of a whole board, flags apart. */
TF_OUTLINE void tf_note_board(tf_row_delta *delta, const int8_t *board)
{
    uint64_t cells = tf_above_both(board, 0) | tf_below_both(board, 0);
    int n = 0;
    delta->n_minus = 0;
    for (; cells; cells &= cells - 1) {
        int cell = __builtin_ctzll(cells), checkers = board[cell], first = cell * TF_LEVELS;
        if (__builtin_expect((unsigned)checkers > 4, 0)) {
            delta->n_plus = n;
            tf_note_cell(delta, cell, 0, checkers);
            n = delta->n_plus;
            continue;
        }
        /* Four rows are written without a branch; those that do not count are overwritten. */
        for (int k = 0; k < 4; k++)
            delta->plus[n + k] = (uint16_t)(first + k);
        n += checkers;
    }
    delta->n_plus = n;
}

/* A board whose afterstates are to be evaluated, with all that does not depend on the play. */
typedef struct {
    int8_t board[64]; /* 52 cells, and zeros */
    /* The row of each cell that a first and a second checker take along when they leave, or bring when
     * they come, as floats from the first row on; behind the cells, rows of zeros. */
    uint32_t leave[2][64], come[2][64];
    uint64_t pinned; /* cells of -1 */
    uint32_t width;  /* floats of a row */
} tf_root;

TF_OUTLINE void tf_set_root(tf_root *root, const int8_t *board, uint32_t width)
{
    memset(root->board, 0, sizeof root->board);
    memcpy(root->board, board, TF_CELLS);
    root->pinned = tf_below_both(board, 0);
    root->width = width;
    for (int k = 0; k < 2; k++) {
        int8_t leave[64], come[64];
        for (int c = 0; c < 64; c++) {
            int8_t before = (int8_t)(root->board[c] - k), now = (int8_t)(root->board[c] + k);
            before = before < 4 ? before : 4;
            leave[c] = (int8_t)(before > 1 ? before - 1 : 0);
            come[c] = now < 3 ? (now > 0 ? now : 0) : 3;
        }
        for (int c = 0; c < 64; c++) {
            root->leave[k][c] = (uint32_t)(TF_LEVELS * c + leave[c]) * width;
            root->come[k][c] = (uint32_t)(TF_LEVELS * c + come[c]) * width;
        }
        for (int c = TF_CELLS; c < TF_CELLS + 4; c++)
            root->leave[k][c] = root->come[k][c] = TF_ZERO_ROW * width;
    }
}

/* Candidates: afterstates of one root that are evaluated together. */
enum { TF_BATCH = 32 };
typedef struct {
    const int8_t *boards; /* 52 bytes each, one behind the other */
    int n;
    tf_eight masks[TF_BATCH / TF_EIGHT];
    tf_seen seen[TF_BATCH / TF_EIGHT];
    tf_ahead ahead[2]; /* of the last eight */
    /* Rows to add and to subtract, as floats from the first row on: as many of both, for no checker
     * comes or goes. Rows of zeros fill them up. */
    uint32_t plus[TF_BATCH][TF_PAIRS], minus[TF_BATCH][TF_PAIRS];
    /* How many of each; TF_PAIRS + 1 stands for a candidate whose rows are not listed here. */
    uint8_t pairs[TF_BATCH];
    uint32_t phases[TF_MOST_PHASES]; /* bit i: candidate i is judged by these weights */
} tf_batch;

/* In which cells of 52 a board differs from another: bit c of each is cell c. */
typedef struct {
    uint64_t leave, come;   /* it has fewer checkers there, or more */
    uint64_t leave2, come2; /* by two or more */
    uint64_t far;           /* by more than two */
} tf_difference;

TF_INLINE tf_difference tf_compare(const int8_t *before, const int8_t *after)
{
    tf_difference found = {0, 0, 0, 0, 0};
#if defined(__AVX2__)
    const __m256i one = _mm256_set1_epi8(1), two = _mm256_set1_epi8(2), none = _mm256_setzero_si256();
    __m256i by[2];
    for (int k = 0; k < 2; k++) {
        by[k] = _mm256_sub_epi8(
            _mm256_loadu_si256((const __m256i *)(after + 20 * k)),
            _mm256_loadu_si256((const __m256i *)(before + 20 * k)));
        found.leave |= (uint64_t)(uint32_t)_mm256_movemask_epi8(by[k]) << 20 * k;
        found.come |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(by[k], none))
            << 20 * k;
    }
    __m256i most = _mm256_max_epu8(_mm256_abs_epi8(by[0]), _mm256_abs_epi8(by[1]));
    if (_mm256_movemask_epi8(_mm256_cmpgt_epi8(most, one)))
        for (int k = 0; k < 2; k++) {
            __m256i size = _mm256_abs_epi8(by[k]);
            uint64_t come2 = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(by[k], one));
            uint64_t large = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(size, one));
            uint64_t far = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(size, two));
            found.come2 |= come2 << 20 * k;
            found.leave2 |= (large & ~come2) << 20 * k;
            found.far |= far << 20 * k;
        }
#else
    for (int c = 0; c < TF_CELLS; c++) {
        int by = after[c] - before[c];
        found.leave |= (uint64_t)(by < 0) << c;
        found.come |= (uint64_t)(by > 0) << c;
        found.leave2 |= (uint64_t)(by < -1) << c;
        found.come2 |= (uint64_t)(by > 1) << c;
        found.far |= (uint64_t)(by < -2 || by > 2) << c;
    }
#endif
    return found;
}

/* Four cells behind all others, which have rows of zeros: a set of cells with them is never empty. */
#define TF_SPARE_CELLS ((uint64_t)15 << TF_CELLS)

/* Note the rows by which two boards differ, flags apart. */
TF_OUTLINE void tf_note_boards(
    tf_row_delta *delta, const int8_t *before, const int8_t *after)
{
    tf_difference by = tf_compare(before, after);
    delta->n_plus = delta->n_minus = 0;
    for (uint64_t cells = by.leave | by.come; cells; cells &= cells - 1) {
        int cell = __builtin_ctzll(cells);
        tf_note_cell(delta, cell, before[cell], after[cell]);
    }
}

/* List the rows of a candidate. Four of each are written without a branch on how many there are: those
 * that are missing are rows of zeros. */
TF_INLINE int tf_list_rows(
    uint32_t *plus, uint32_t *minus, const tf_root *root, const int8_t *after, int contact)
{
    tf_difference by = tf_compare(root->board, after);
    uint64_t pins = 0;
    if (contact == TF_PIN) {
        /* In the enemy's plane a checker has become pinned, or free. */
        const uint64_t mine = 0x3ffffff;
        pins = (by.leave | by.come) & ~mine;
        by.leave &= mine, by.come &= mine, by.leave2 &= mine, by.come2 &= mine, by.far &= mine;
    }
    int gone = __builtin_popcountll(by.leave), here = __builtin_popcountll(by.come), pairs = gone;
    if (__builtin_expect((by.leave2 | by.come2 | pins | (uint64_t)(gone > 4)) != 0, 0)) {
        pairs += __builtin_popcountll(by.leave2) + __builtin_popcountll(pins);
        for (uint64_t far = by.far & by.leave; far; far &= far - 1) {
            int cell = __builtin_ctzll(far);
            pairs += root->board[cell] - after[cell] - 2;
        }
        if (pairs > TF_PAIRS)
            return TF_PAIRS + 1;
    }
    for (int k = 4; k < TF_PAIRS; k++)
        plus[k] = minus[k] = TF_ZERO_ROW * root->width;
    by.leave |= TF_SPARE_CELLS;
    by.come |= TF_SPARE_CELLS;
    for (int k = 0; k < 4; k++) {
        minus[k] = root->leave[0][__builtin_ctzll(by.leave)];
        plus[k] = root->come[0][__builtin_ctzll(by.come)];
        by.leave &= by.leave - 1;
        by.come &= by.come - 1;
    }
    if (__builtin_expect(pairs > 4 || pairs > gone || here != gone, 0)) {
        int k = 4;
        by.leave &= ~(~(uint64_t)0 << TF_CELLS);
        by.come &= ~(~(uint64_t)0 << TF_CELLS);
        for (; by.leave; by.leave &= by.leave - 1)
            minus[k++] = root->leave[0][__builtin_ctzll(by.leave)];
        for (k = 4; by.come; by.come &= by.come - 1)
            plus[k++] = root->come[0][__builtin_ctzll(by.come)];
        for (; by.leave2; by.leave2 &= by.leave2 - 1)
            minus[gone++] = root->leave[1][__builtin_ctzll(by.leave2)];
        for (; by.come2; by.come2 &= by.come2 - 1)
            plus[here++] = root->come[1][__builtin_ctzll(by.come2)];
        for (; by.far; by.far &= by.far - 1) {
            int cell = __builtin_ctzll(by.far), was = root->board[cell], is = after[cell];
            for (int n = was - 2; n > is; n--)
                minus[gone++] = (uint32_t)(TF_LEVELS * cell + (n < 4 ? n - 1 : 3)) * root->width;
            for (int n = was + 2; n < is; n++)
                plus[here++] = (uint32_t)(TF_LEVELS * cell + (n < 3 ? n : 3)) * root->width;
        }
        for (; pins; pins &= pins - 1) {
            int cell = __builtin_ctzll(pins), free = (int)(root->pinned >> cell & 1);
            uint32_t first = (uint32_t)(TF_LEVELS * cell) * root->width;
            uint32_t pinned = first + TF_PINNED * root->width;
            minus[gone++] = free ? pinned : first;
            plus[here++] = free ? first : pinned;
        }
    }
    return pairs;
}

/* Read `n` candidates of a root that lie one behind the other: what is seen of them by a net of this
 * form, and their rows. Return as bits which games may be over. */
TF_INLINE uint32_t tf_read_some(
    tf_batch *batch, const tf_root *root, const tf_rules *rules, const int8_t *boards, int n, int form,
    const int contact)
{
    uint32_t over = 0;
    batch->boards = boards;
    batch->n = n;
    for (int i = 0; i < n; i++) {
        const int8_t *board = boards + TF_CELLS * i;
        tf_put_masks(
            &batch->masks[i / TF_EIGHT], i % TF_EIGHT, tf_above_both(board, 0),
            tf_above_both(board, 1), contact == TF_PIN ? tf_below_both(board, 0) : 0);
        batch->pairs[i] =
            (uint8_t)tf_list_rows(batch->plus[i], batch->minus[i], root, board, contact);
    }
    memset(batch->phases, 0, sizeof batch->phases);
    for (int i = 0; i < n; i += TF_EIGHT) {
        tf_seen *seen = &batch->seen[i / TF_EIGHT];
        const tf_eight *masks = &batch->masks[i / TF_EIGHT];
        over |= tf_see(seen, rules, masks, contact) << i;
        if (form == 0) {
            uint32_t races = tf_which(tf_lanes(seen->race));
            batch->phases[TF_CONTACT] |= (races ^ 0xff) << i;
            batch->phases[TF_RACE] |= races << i;
            continue;
        }
        const int8_t *eight[TF_EIGHT];
        for (int k = 0; k < TF_EIGHT; k++)
            eight[k] = boards + TF_CELLS * (i + k);
        tf_see_more(seen, batch->ahead, rules, masks, eight, n - i < TF_EIGHT ? n - i : TF_EIGHT, form);
        tf_words phase = tf_lanes(seen->phase);
        for (uint32_t k = 0; k < TF_MOST_PHASES; k++)
            batch->phases[k] |= tf_which((tf_words)(phase == k)) << i;
    }
    return over & (0xffffffffu >> (TF_BATCH - n));
}

/* The same; the contact is a constant, so that no branch asks for it. */
TF_OUTLINE uint32_t tf_read_batch(
    tf_batch *batch, const tf_root *root, const tf_rules *rules, const int8_t *boards, int n, int form)
{
    if (rules->contact == TF_HIT)
        return tf_read_some(batch, root, rules, boards, n, form, TF_HIT);
    if (rules->contact == TF_PIN)
        return tf_read_some(batch, root, rules, boards, n, form, TF_PIN);
    return tf_read_some(batch, root, rules, boards, n, form, TF_NO_CONTACT);
}

#endif
