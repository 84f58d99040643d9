/* Counting and listing in stages: each stage does the same work for all boards of a block, so that what
 * differs between boards is data and not an unpredictable branch (docs/performance.md). */
#include "generate/stages.h"

#include <stdlib.h>

#include "aligned.h"
#include "board/check.h"
#include "generate/block.h"

/* --- counting: doubles: counted point by point, sixteen boards at a time ------------------------------ */

enum { TF_OWN1, TF_OWN2, TF_OWN3, TF_OWN4, TF_OPEN, TF_STOP, TF_MASKS };

/* Boards with the same double, collected from blocks until there are enough. Each mask is in two
 * halves, points 0 to 15 and 16 to 25. */
typedef struct {
    uint16_t mask[TF_MASKS][2][TF_HALVES] __attribute__((aligned(32)));
    uint16_t entered[TF_HALVES] __attribute__((aligned(32))); /* moves that have entered checkers */
    uint16_t farthest[4][TF_HALVES] __attribute__((aligned(32))); /* see `bear_off_farthest` */
    int64_t board[TF_HALVES];
    int n;
} doubles_queue;

static inline tf_halves tf_get_halves(const uint16_t *halves) { return *(const tf_halves *)halves; }

/* All bits in the lanes in which a mask has bit `point`. */
static inline tf_halves tf_lanes_with(const uint16_t mask[2][TF_HALVES], int point)
{
    return (tf_halves)((tf_signed_halves)(tf_get_halves(mask[point >> 4]) << (15 - (point & 15)))
                       >> 15);
}

/* Counts the plays of doubles of `die`. In sorted order (doubles.h) the sources along a chain of
 * points, each `die` further in, are a recurrence: ways[j][k] is the number of ways to make k
 * moves, j of them from the point just passed; from the next one, m moves are possible if it has m
 * checkers with the j that have arrived. Chains do not touch each other. */
static void count_doubles(const doubles_queue *q, int die, uint32_t *plays)
{
    const tf_halves zero = {0}, one = zero + 1;
    tf_halves entered = tf_get_halves(q->entered);
    tf_halves f00 = (tf_halves)(entered == 0) & one, f01 = zero, f02 = zero, f03 = zero, f04 = zero;
    tf_halves f11 = (tf_halves)(entered == 1) & one, f12 = zero, f13 = zero, f14 = zero;
    tf_halves f22 = (tf_halves)(entered == 2) & one, f23 = zero, f24 = zero;
    tf_halves f33 = (tf_halves)(entered == 3) & one, f34 = zero;
    tf_halves f44 = (tf_halves)(entered == 4) & one;
    for (int chain = 0; chain < die; chain++) {
        /* The first chain is that of the bar, whose moves are made. */
        for (int point = chain ? 25 - chain : 25 - die; point >= die; point -= die) {
            tf_halves own1 = tf_lanes_with(q->mask[TF_OWN1], point);
            tf_halves own2 = tf_lanes_with(q->mask[TF_OWN2], point);
            tf_halves own3 = tf_lanes_with(q->mask[TF_OWN3], point);
            tf_halves own4 = tf_lanes_with(q->mask[TF_OWN4], point);
            tf_halves open = tf_lanes_with(q->mask[TF_OPEN], point);
            tf_halves go_on = ~tf_lanes_with(q->mask[TF_STOP], point);
            tf_halves n01 = f01 + f11, n02 = f02 + f12 + f22, n03 = f03 + f13 + f23 + f33;
            tf_halves n04 = f04 + f14 + f24 + f34 + f44;
            tf_halves n11 = f00 & own1;
            tf_halves n12 = (f11 & go_on) + (f01 & own1);
            tf_halves n13 = f22 + (f12 & go_on) + (f02 & own1);
            tf_halves n14 = f33 + f23 + (f13 & go_on) + (f03 & own1);
            tf_halves n22 = f00 & own2;
            tf_halves n23 = (f11 & own1) + (f01 & own2);
            tf_halves n24 = (f22 & go_on) + (f12 & own1) + (f02 & own2);
            tf_halves n33 = f00 & own3;
            tf_halves n34 = (f11 & own2) + (f01 & own3);
            tf_halves n44 = f00 & own4;
            f01 = n01, f02 = n02, f03 = n03, f04 = n04;
            f11 = n11 & open, f12 = n12 & open, f13 = n13 & open, f14 = n14 & open;
            f22 = n22 & open, f23 = n23 & open, f24 = n24 & open;
            f33 = n33 & open, f34 = n34 & open, f44 = n44 & open;
        }
        f01 += f11, f02 += f12 + f22, f03 += f13 + f23 + f33, f04 += f14 + f24 + f34 + f44;
        f11 = f12 = f13 = f14 = f22 = f23 = f24 = f33 = f34 = f44 = zero;
    }
    /* The most moves that can be made (RULES 38). */
    tf_halves n = f04 + tf_get_halves(q->farthest[3]);
    n += (f03 + tf_get_halves(q->farthest[2])) & (tf_halves)(n == 0);
    n += (f02 + tf_get_halves(q->farthest[1])) & (tf_halves)(n == 0);
    n += (f01 + tf_get_halves(q->farthest[0])) & (tf_halves)(n == 0);
    for (int i = 0; i < TF_HALVES; i++)
        plays[i] = n[i];
}

/* Bit k - 1: k moves of doubles can bear off the farthest checkers by a larger die; there is one
 * such play of k moves at most, for all further out have to be home or off first. All are home. */
static inline uint32_t bear_off_farthest(const int8_t *board, uint32_t land, int die)
{
    int moves = 0, checkers = 0;
    for (int point = 1; point <= 6; point++) {
        if (!board[point])
            continue;
        checkers += board[point];
        for (int at = point; at >= die; at -= die) {
            if (at > die && !(land >> (at - die) & 1))
                return 0;
            moves += board[point];
        }
        if (point >= die && point % die == 0)
            checkers -= board[point];
    }
    if (moves > 3)
        return 0;
    return (((1u << (checkers < 4 ? checkers : 4)) - 1) << moves) & 15u;
}

/* Puts a board with doubles into the queue; returns 0 if its plays cannot be counted there: a
 * checker outside may come home and another be borne off. */
static inline int queue_doubles(
    doubles_queue *q, const tf_block *block, int i, const tf_rules *rules)
{
    const int8_t *board = (const int8_t *)&block->board[i];
    int die = (int)block->high[i], k = q->n, entered = board[25];
    uint32_t masks[TF_MASKS], land = block->land[i], farthest = 0;
    masks[TF_OWN1] = block->own1[i];
    masks[TF_OWN2] = block->own2[i];
    masks[TF_OWN3] = tf_own_above(&block->board[i], 2) & TF_POINTS;
    masks[TF_OWN4] = tf_own_above(&block->board[i], 3) & TF_POINTS;
    masks[TF_OPEN] = (land << die) & TF_POINTS;
    masks[TF_STOP] = block->blot[i] & rules->stop;
    if (entered) {
        entered = entered < 4 ? entered : 4;
        if (!(land >> (25 - die) & 1)) {
            masks[TF_OPEN] = 0;
            entered = 5; /* no way at all */
        }
    } else if (!(masks[TF_OWN1] & TF_OUTSIDE)) {
        masks[TF_OPEN] |= 1u << die;
        if (rules->bearoff_oversize)
            farthest = bear_off_farthest(board, land, die);
    } else {
        /* Bearing off asks that all outside come home first, in fewer than four moves. */
        int moves = 0;
        uint32_t out = masks[TF_OWN1] & TF_OUTSIDE;
        while (out && moves < 4) {
            int point = tf_lowest(out);
            moves += board[point] * ((point - 7) / die + 1);
            out &= out - 1;
        }
        if (moves < 4)
            return 0;
    }
    for (int m = 0; m < TF_MASKS; m++) {
        q->mask[m][0][k] = (uint16_t)masks[m];
        q->mask[m][1][k] = (uint16_t)(masks[m] >> 16);
    }
    q->entered[k] = (uint16_t)entered;
    for (int m = 0; m < 4; m++)
        q->farthest[m][k] = farthest >> m & 1;
    q->n = k + 1;
    return 1;
}

/* --- counting ------------------------------------------------------------------------------- */

/* What counting a batch keeps from block to block. */
typedef struct {
    tf_block block;
    tf_ordered_queue ordered;
    doubles_queue doubles[7]; /* by die */
} counter_state;

static void count_ordered_queue(
    tf_ordered_queue *q, const tf_rules *rules, int32_t *counts)
{
    tf_ordered_plays found;
    tf_find_ordered(q, rules, &found);
    for (int k = 0; k < q->n; k++)
        counts[q->board[k]] = (int32_t)found.plays[k];
    q->n = 0;
}

static void count_doubles_queue(doubles_queue *q, int die, int32_t *counts)
{
    uint32_t plays[TF_HALVES];
    count_doubles(q, die, plays);
    for (int k = 0; k < q->n; k++)
        counts[q->board[k]] = (int32_t)plays[k];
    q->n = 0;
}

/* Counts the plays of the boards from `first` on, a block at most; those whose kinds need others to
 * fill the lanes are counted later. Returns whether all can be positions. */
static bool count_block(
    counter_state *counter, const int8_t *boards, const int8_t *dice, int64_t first, int n,
    const tf_rules *rules, tf_work *work, int32_t *counts)
{
    tf_block *block = &counter->block;
    int n_other = 0;
    uint8_t other[TF_BLOCK];
    if (tf_load_block(block, boards + TF_BOARD_BYTES * first, dice + 2 * first, n, rules))
        return false;
    tf_find_block(block, rules);
    for (int i = 0; i < n; i++) {
        counts[first + i] = (int32_t)block->plays[i];
        other[n_other] = (uint8_t)i;
        n_other += block->kind[i] != TF_MIXED;
    }
    for (int k = 0; k < n_other; k++) {
        int i = other[k], die = (int)block->high[i];
        if (block->kind[i] == TF_ORDERED) {
            tf_queue_ordered(&counter->ordered, block, i, first + i);
            if (counter->ordered.n == TF_LANES)
                count_ordered_queue(&counter->ordered, rules, counts);
            continue;
        }
        doubles_queue *q = &counter->doubles[die];
        q->board[q->n] = first + i;
        if (rules->max_dice && queue_doubles(q, block, i, rules)) {
            if (q->n == TF_HALVES)
                count_doubles_queue(q, die, counts);
        } else {
            int8_t board[TF_BOARD_BYTES];
            tf_store_halved(board, &block->board[i]);
            counts[first + i] = tf_count_turn(board, die, die, rules, work);
        }
    }
    return true;
}

/* Whether the stages know the rules: those of hitting games, unless a turn needs the search. */
static bool has_stages(const tf_rules *rules)
{
    return rules->contact == TF_HIT && rules->bearoff_internal && !rules->cascade;
}

int64_t tf_count_boards(
    const int8_t *boards, const int8_t *dice, int64_t n, const tf_rules *rules, tf_work *work,
    int32_t *counts)
{
    if (!has_stages(rules)) {
        for (int64_t i = 0; i < n; i++) {
            int8_t board[TF_BOARD_BYTES];
            memcpy(board, boards + TF_BOARD_BYTES * i, sizeof board);
            if (!tf_is_position(board, rules))
                return TF_NO_POSITION;
            counts[i] = tf_count_turn(board, dice[2 * i], dice[2 * i + 1], rules, work);
            if (work->failed)
                return TF_FAILED;
        }
        return n;
    }
    counter_state counter;
    memset(&counter.ordered, 0, sizeof counter.ordered);
    memset(counter.doubles, 0, sizeof counter.doubles);
    for (int64_t first = 0; first < n; first += TF_BLOCK) {
        int size = n - first < TF_BLOCK ? (int)(n - first) : TF_BLOCK;
        if (!count_block(&counter, boards, dice, first, size, rules, work, counts))
            return TF_NO_POSITION;
    }
    if (counter.ordered.n)
        count_ordered_queue(&counter.ordered, rules, counts);
    for (int die = 1; die <= 6; die++)
        if (counter.doubles[die].n)
            count_doubles_queue(&counter.doubles[die], die, counts);
    return n;
}


/* --- listing: entries ------------------------------------------------------------------------ */

enum {
    STEPS = 64, /* of a die: 2 * point, and 1 more if the move hits; the rest are 0 */
    NO_DIE = 0, /* its steps change nothing: for a play that needs no more move */
    /* Positions before the last of four moves: 1, 15, 15 + C(15, 2), and of three moves 15, or
     * 15 * 15 by 2 + 1, or C(17, 3) by 1 + 1 + 1. */
    MOST_ROWS = 1 + 15 + 135 + 15 + 225 + 680,
    /* So many plays are prepared, then written: about as many as a processor's store buffer takes,
     * which empties itself while the next are prepared. */
    ENOUGH = 32,
    AHEAD = 4096, /* bytes: where is written soon is fetched while the next plays are prepared */
    ROWS = ENOUGH + MOST_ROWS,
    ENTRIES = ENOUGH + TF_MAX_PLAYS + 8, /* and 8 that may be overwritten */
};

/* What moves add to a board, by die, point, and whether they hit. */
static tf_halved STEP[7][STEPS];

/* The places of a byte's set bits, the lowest first. */
static uint8_t CHOSEN[256][8];

/* An entry names a play: the row before its last move, and in its low half where that move is in
 * STEP, in bytes. */
enum { ROW_SHIFT = 16, DIE_SHIFT = 12, POINT_SHIFT = 7, HIT_SHIFT = 6 };

static inline uint32_t entry_of(int row, int die)
{
    return (uint32_t)row << ROW_SHIFT | (uint32_t)die << DIE_SHIFT;
}

static inline uint32_t row_of(uint32_t entry) { return entry >> ROW_SHIFT; }
static inline int die_of(uint32_t entry) { return (int)(entry >> DIE_SHIFT & 7); }
static inline int point_of(uint32_t entry) { return (int)(entry >> POINT_SHIFT & 31); }

static inline const tf_halved *step_of(uint32_t entry)
{
    return (const tf_halved *)((const char *)STEP + (entry & ((1u << ROW_SHIFT) - 1)));
}

__attribute__((constructor)) static void fill_tables(void)
{
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0, n = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                CHOSEN[byte][n++] = (uint8_t)bit;
    for (int die = 1; die <= 6; die++) {
        for (int point = 1; point <= TF_BAR; point++) {
            for (int hits = 0; hits <= (point > die); hits++) {
                int8_t board[TF_BOARD_BYTES] = {0};
                board[point] = -1;
                board[point > die ? point - die : 0] = 1;
                if (hits) {
                    board[26 + 25 - (point - die)] = -1;
                    board[26 + TF_BAR] = 1;
                }
                tf_load_halved(&STEP[die][2 * point + hits], board);
            }
        }
    }
}

/* A block and the plays that are prepared. */
struct tf_lister {
    tf_block block;
    int n;    /* the boards of the block */
    int done; /* those whose plays are prepared or written */
    int n_rows, n_entries;
    tf_halved row[ROWS]; /* boards before the last move */
    uint32_t entry[ENTRIES];
    uint32_t grown[MOST_ROWS + 8]; /* the entries of a turn's moves before the last */
    /* If moves are wanted: those that led to a row, as four pairs of from and to and -1 for none;
     * how many; and the points whose last moves are to come first. */
    uint64_t moves[ROWS];
    uint8_t n_moves[ROWS];
    uint32_t before[ROWS];
    /* The rolls whose order matters, by eights, and where each board's is. */
    tf_ordered_plays ordered[TF_BLOCK / TF_LANES];
    uint8_t place[TF_BLOCK];
    int8_t *spare; /* for boards that go by themselves, if it was needed */
};

/* Takes the lowest eight bits away, and returns where they are as bytes, the lowest first. */
static inline uint64_t next_eight(uint64_t *bits)
{
    uint64_t bytes = 0, left = *bits;
    for (int k = 0; k < 8; k++) {
        bytes |= (uint64_t)__builtin_ctzll(left) << 8 * k;
        left &= left - 1;
    }
    *bits = left;
    return bytes;
}

/* Appends an entry for each of the points, in rising order; `hits` are those from which the move
 * hits. Four at a time, whatever follows, because the end of a set is an unpredictable branch. */
static inline uint32_t *add_rising(uint32_t *to, uint32_t points, uint32_t hits, uint32_t entry)
{
    uint32_t *end = to + tf_count_bits(points);
    points |= 0xfc000000u; /* points of no board, for the places that are left */
    do {
        for (int k = 0; k < 4; k++) {
            uint32_t point = (uint32_t)tf_lowest(points);
            to[k] = entry + (point << POINT_SHIFT) + ((hits >> point & 1) << HIT_SHIFT);
            points &= points - 1;
        }
        to += 4;
    } while (to < end);
    return end;
}

/* The same in falling order. */
static inline uint32_t *add_falling(uint32_t *to, uint32_t points, uint32_t hits, uint32_t entry)
{
    uint32_t *end = to + tf_count_bits(points);
    uint64_t left = (uint64_t)points << 32 | 0xf0000000u;
    do {
        for (int k = 0; k < 4; k++) {
            int at = 63 - __builtin_clzll(left);
            uint32_t point = (uint32_t)at & 31;
            to[k] = entry + (point << POINT_SHIFT) + ((hits >> point & 1) << HIT_SHIFT);
            left ^= 1ull << at;
        }
        to += 4;
    } while (to < end);
    return end;
}

#if defined(__AVX2__)
/* Eight points of a list as entries, to be chosen from again and again. */
typedef struct {
    __m256i to_top; /* how far a mask is shifted to have each point's bit at the top */
    __m256i entry;
} eight_points;

/* A number above 31 stands for no point. */
static inline eight_points eight_of(uint64_t points)
{
    __m256i list = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)points));
    return (eight_points){_mm256_sub_epi32(_mm256_set1_epi32(31), list),
                          _mm256_slli_epi32(list, POINT_SHIFT)};
}

/* Appends an entry for each of the eight that is among `points`, in the list's order: they are packed
 * together in a register, without a loop. */
TF_INLINE uint32_t *add_chosen(
    uint32_t *to, eight_points of, uint32_t points, uint32_t hits, uint32_t entry)
{
    __m256i wanted = _mm256_sllv_epi32(_mm256_set1_epi32((int)points), of.to_top);
    unsigned byte = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(wanted));
    /* Added without a branch, which whether there is a blot at all would make unpredictable. */
    __m256i hit = _mm256_sllv_epi32(_mm256_set1_epi32((int)hits), of.to_top);
    hit = _mm256_slli_epi32(_mm256_srli_epi32(hit, 31), HIT_SHIFT);
    __m256i entries = _mm256_add_epi32(of.entry, _mm256_set1_epi32((int)entry));
    entries = _mm256_add_epi32(entries, hit);
    __m256i places = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)CHOSEN[byte]));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(entries, places));
    return to + tf_count_bits(byte);
}
#endif

static inline void add_step(tf_halved *to, const tf_halved *row, const tf_halved *step)
{
    for (int i = 0; i < 64 / TF_LANE; i++)
        to->lane[i] = row->lane[i] + step->lane[i];
}

/* The moves so far and one more, which goes before them if `first`. */
static inline uint64_t add_move(uint64_t moves, int n, int die, int point, bool first)
{
    uint64_t move = (uint64_t)point | (uint64_t)(point > die ? point - die : 0) << 8;
    if (first)
        return moves << 16 | move;
    return moves ^ (move ^ 0xffff) << 16 * n;
}

/* Notes the first move that leads to a row, by NO_DIE none; `before` are the points whose moves are to
 * come before it. */
static inline void note_first(tf_lister *l, int row, int die, int point, uint32_t before)
{
    l->moves[row] = die == NO_DIE ? ~0ull : add_move(~0ull, 0, die, point, false);
    l->n_moves[row] = die != NO_DIE;
    l->before[row] = before;
}

/* Appends a row: the board of the block after a move from a point, or by NO_DIE itself. */
TF_INLINE int add_row(
    tf_lister *l, int i, int die, int point, uint32_t hits, uint32_t before, const bool wants_moves)
{
    int row = l->n_rows++;
    add_step(&l->row[row], &l->block.board[i], &STEP[die][2 * point + (int)(hits >> point & 1)]);
    if (wants_moves)
        note_first(l, row, die, point, before);
    return row;
}

/* --- listing: mixed rolls -------------------------------------------------------------------- */

/* Prepares the plays of one die: of the higher, then of the lower. */
static inline uint32_t *prepare_singles(
    tf_lister *l, int i, uint32_t high_only, uint32_t low_only, const bool wants_moves, uint32_t *to)
{
    int high = (int)l->block.high[i], low = (int)l->block.low[i];
    uint32_t blot = l->block.blot[i];
    int row = add_row(l, i, NO_DIE, 0, 0, 0, wants_moves);
    to = add_rising(to, high_only, blot << high, entry_of(row, high));
    return add_rising(to, low_only, blot << low, entry_of(row, low));
}

/* Prepares the plays of a roll of which a checker enters: by one die, and the other is played. */
static inline uint32_t *prepare_entering(tf_lister *l, int i, const bool wants_moves, uint32_t *to)
{
    const tf_block *b = &l->block;
    int high = (int)b->high[i], low = (int)b->low[i];
    uint32_t two = b->own2[i] & TF_BAR_BIT, blot = b->blot[i];
    uint32_t high_from = b->high_from[i], low_from = b->low_from[i], entered, points;
    if (low_from & TF_BAR_BIT && !two) {
        entered = TF_BAR_BIT >> low;
        points = (high_from & ~(TF_BAR_BIT | entered)) | (b->low_runs[i] & TF_BAR_BIT) >> low;
        int row = add_row(l, i, low, TF_BAR, blot << low, 0, wants_moves);
        to = add_rising(to, points, (blot & ~entered) << high, entry_of(row, high));
    }
    if (high_from & TF_BAR_BIT) {
        entered = TF_BAR_BIT >> high;
        points = (low_from & ~((TF_BAR_BIT & ~two) | entered))
            | (b->high_runs[i] & TF_BAR_BIT) >> high;
        int row = add_row(l, i, high, TF_BAR, blot << high, TF_BAR_BIT, wants_moves);
        to = add_rising(to, points, (blot & ~entered) << low, entry_of(row, low));
    }
    return to;
}

/* Prepares the plays of both dice of a roll whose order does not matter, with none on the bar: a row
 * for each point a of the higher die, and its last moves are those by the lower from all partners of a
 * (mixed.h). A run is the pair whose second point is where the first move lands. */
TF_INLINE uint32_t *prepare_pairs(tf_lister *l, int i, const bool wants_moves, uint32_t *to)
{
    const tf_block *b = &l->block;
    int high = (int)b->high[i], low = (int)b->low[i];
    uint32_t own2 = b->own2[i], high_from = b->high_from[i], low_from = b->low_from[i];
    uint32_t high_runs = b->high_runs[i], low_runs = b->low_runs[i];
    uint32_t blot = b->blot[i], high_hits = blot << high;
    uint32_t left = high_from | low_runs >> low;
    const tf_halved board = b->board[i];
    tf_halved *row = &l->row[l->n_rows];
    uint32_t entry = entry_of(l->n_rows, low);
#if defined(__AVX2__)
    uint32_t all = low_from | high_runs >> high;
    uint64_t bits = all | 0xff00000000u;
    eight_points partners = eight_of(next_eight(&bits));
    bool few = tf_count_bits(all) <= 8;
#endif
    for (; left; left &= left - 1, row++, entry += entry_of(1, 0)) {
        int point = tf_lowest(left);
        uint32_t a = left & -left;
        uint32_t last = low_from & ~((a & ~own2) | a >> high | a << low);
        last &= -(high_from >> point & 1);
        last |= (high_runs & a) >> high | (low_runs & a << low);
        uint32_t hits = (blot & ~(a >> high)) << low; /* a blot that the first has hit is gone */
        add_step(row, &board, &STEP[high][2 * (uint32_t)point + (high_hits >> point & 1)]);
        if (wants_moves)
            note_first(l, (int)(row - l->row), high, point, a << low);
#if defined(__AVX2__)
        if (few) {
            to = add_chosen(to, partners, last, hits, entry);
            continue;
        }
#endif
        to = add_rising(to, last, hits, entry);
    }
    l->n_rows = (int)(row - l->row);
    return to;
}

/* Prepares the plays of a roll whose order matters. */
static inline uint32_t *prepare_ordered(tf_lister *l, int i, const bool wants_moves, uint32_t *to)
{
    const tf_ordered_plays *found = &l->ordered[l->place[i] / TF_LANES];
    int lane = l->place[i] % TF_LANES;
    int high = (int)l->block.high[i], low = (int)l->block.low[i];
    uint32_t blot = l->block.blot[i];
    for (int k = 0; k < found->n_high; k++) {
        uint32_t a = found->high_first[k][lane], last = found->low_follows[k][lane];
        if (last) {
            int row = add_row(l, i, high, tf_lowest(a), blot << high, 0, wants_moves);
            to = add_rising(to, last, (blot & ~(a >> high)) << low, entry_of(row, low));
        }
    }
    for (int k = 0; k < found->n_low; k++) {
        uint32_t a = found->low_first[k][lane], last = found->high_follows[k][lane];
        if (last) {
            int row = add_row(l, i, low, tf_lowest(a), blot << low, 0, wants_moves);
            to = add_rising(to, last, (blot & ~(a >> low)) << high, entry_of(row, high));
        }
    }
    uint32_t high_only = found->high_only[lane], low_only = found->low_only[lane];
    if (high_only | low_only)
        to = prepare_singles(l, i, high_only, low_only, wants_moves, to);
    return to;
}

/* --- listing: doubles ------------------------------------------------------------------------ */

/* A turn of doubles, as its rows ask. */
typedef struct {
    int die;
    uint32_t from; /* the points from which the die reaches an open point */
    uint32_t blot;
    uint32_t stop; /* blots on which a hitter must stop */
    bool bears_off; /* a checker may be borne off, maybe */
    bool oversize;
    /* The points from which a move may start in this turn as bytes in rising order, the first eight
     * and the next, with some above 31 behind them. */
    uint64_t eight[2];
    bool second; /* there are more than eight */
    bool others; /* there are more than sixteen: seldom */
} doubles_turn;

/* The points within `cap` from which a row's next move may start. `special` says that the turn has
 * anything to do with stopping or bearing off: the compiler makes functions of their own. */
TF_INLINE uint32_t row_sources(
    const doubles_turn *turn, const tf_halved *row, uint32_t cap, const bool special, uint32_t *own)
{
    uint32_t there = tf_own_above(row, 0), may_move = there, from = turn->from;
    *own = there;
    if (special) {
        may_move &= ~turn->stop | tf_own_above(row, 1); /* the first who has come there stays */
        if (turn->bears_off && !(there & TF_OUTSIDE)) {
            uint32_t off = 1u << turn->die;
            if (there < off && there && turn->oversize)
                off = 1u << tf_highest(there);
            from |= off;
        }
    }
    return may_move & from & cap;
}

/* Sets the lists of sources; `own` are the points held by the turn's first row. */
static inline void list_sources(doubles_turn *turn, uint32_t own)
{
    uint32_t from = turn->from | (turn->bears_off ? TF_HOME : 0), all = own & from;
    for (int moves = 1; moves < 4; moves++)
        all |= all >> turn->die & from;
    uint64_t left = all | 0xffff00000000u;
    for (int half = 0; half < 2; half++)
        turn->eight[half] = next_eight(&left);
    turn->second = tf_count_bits(all) > 8;
    turn->others = tf_count_bits(all) > 16;
}

/* Makes the rows of entries, whose moves are all by one die. */
TF_INLINE void grow_rows(
    tf_lister *l, const uint32_t *entry, const uint32_t *end, const bool wants_moves)
{
    tf_halved *to = &l->row[l->n_rows];
    for (const uint32_t *e = entry; e < end; e++)
        add_step(to++, &l->row[row_of(*e)], step_of(*e));
    if (wants_moves) {
        int row = l->n_rows;
        for (const uint32_t *e = entry; e < end; e++, row++) {
            uint32_t from = row_of(*e);
            int n = l->n_moves[from];
            l->moves[row] = add_move(l->moves[from], n, die_of(*e), point_of(*e), false);
            l->n_moves[row] = (uint8_t)(n + 1);
            l->before[row] = 0;
        }
    }
    l->n_rows += (int)(end - entry);
}

/* Appends the entries of the next moves of rows from `first` on, each from points within that of the
 * move that made it. */
TF_INLINE uint32_t *add_next(
    const tf_lister *l, const doubles_turn *turn, int first, int last, const uint32_t *made,
    const bool rising, const bool special, uint32_t *to)
{
    uint32_t cap = tf_up_to(TF_BAR), own;
#if defined(__AVX2__)
    uint64_t low = turn->eight[0], high = turn->eight[1];
    eight_points one, two;
    if (rising) {
        one = eight_of(low);
        two = eight_of(high);
    } else {
        one = eight_of(__builtin_bswap64(turn->second ? high : low));
        two = eight_of(__builtin_bswap64(low));
    }
#endif
    uint32_t entry = entry_of(first, turn->die);
    const tf_halved *end = &l->row[last];
    for (const tf_halved *row = &l->row[first]; row < end; row++, entry += entry_of(1, 0)) {
        if (made)
            cap = tf_up_to(point_of(*made++));
        uint32_t from = row_sources(turn, row, cap, special, &own);
        uint32_t hits = (turn->blot & ~own) << turn->die;
#if defined(__AVX2__)
        if (!turn->others) {
            to = add_chosen(to, one, from, hits, entry);
            if (turn->second)
                to = add_chosen(to, two, from, hits, entry);
            continue;
        }
#endif
        to = rising ? add_rising(to, from, hits, entry) : add_falling(to, from, hits, entry);
    }
    return to;
}

/* Prepares the plays that go on from a row that has made so many moves: move by move, all positions
 * that sources in falling order lead to (doubles.h), until no more can be moved. The last moves are
 * in rising order. */
TF_INLINE uint32_t *prepare_moves(
    tf_lister *l, const doubles_turn *turn, int moves, int first, const bool special,
    const bool wants_moves, uint32_t *to)
{
    const uint32_t *made = NULL, *made_before = NULL; /* the entries that have made the rows */
    uint32_t *end = l->grown, *start = to;
    int last = first + 1, before = -1;
    for (; moves < 3; moves++) {
        uint32_t *next = end;
        end = add_next(l, turn, first, last, made, false, special, next);
        if (end == next)
            break;
        made_before = made;
        made = next;
        before = first;
        first = last;
        last = l->n_rows + (int)(end - next);
        grow_rows(l, next, end, wants_moves);
    }
    if (moves == 3)
        to = add_next(l, turn, first, last, made, true, special, to);
    if (to == start) { /* no more can be moved: the plays are the rows (RULES 38) */
        if (before >= 0)
            to = add_next(l, turn, before, first, made_before, true, special, to);
        else if (moves)
            *to++ = entry_of(first, NO_DIE);
    }
    return to;
}

/* Whether doubles may bear off a checker, maybe: none is on the bar, and three outside at most. */
static inline bool may_bear_off(const tf_halved *row, uint32_t own1, uint32_t own2)
{
    if (own1 & TF_BAR_BIT)
        return false;
    return tf_count_bits(own1 & TF_OUTSIDE) + tf_count_bits(own2 & TF_OUTSIDE)
        + tf_count_bits(tf_own_above(row, 2) & TF_OUTSIDE)
        + tf_count_bits(tf_own_above(row, 3) & TF_OUTSIDE) < 4;
}

/* Prepares the plays of doubles. */
TF_INLINE uint32_t *prepare_doubles(
    tf_lister *l, int i, const tf_rules *rules, const bool wants_moves, uint32_t *to)
{
    const tf_block *b = &l->block;
    doubles_turn turn;
    int bar = ((const int8_t *)&b->board[i])[TF_BAR], moves = 0;
    turn.die = (int)b->high[i];
    turn.from = b->land[i] << turn.die;
    turn.blot = b->blot[i];
    turn.stop = turn.blot & rules->stop;
    turn.oversize = rules->bearoff_oversize;
    turn.bears_off = may_bear_off(&b->board[i], b->own1[i], b->own2[i]);
    int first = add_row(l, i, NO_DIE, 0, 0, 0, wants_moves);
    for (; moves < bar && moves < 4; moves++) { /* RULES 43 */
        if (!(turn.from & TF_BAR_BIT))
            return to;
        uint32_t entry = entry_of(first, turn.die) + (TF_BAR << POINT_SHIFT);
        entry += (uint32_t)(moves == 0 && turn.blot << turn.die & TF_BAR_BIT) << HIT_SHIFT;
        first = l->n_rows;
        grow_rows(l, &entry, &entry + 1, wants_moves);
    }
    if (moves == 4) {
        *to++ = entry_of(first, NO_DIE);
        return to;
    }
    list_sources(&turn, tf_own_above(&l->row[first], 0));
    return turn.stop || turn.bears_off
        ? prepare_moves(l, &turn, moves, first, true, wants_moves, to)
        : prepare_moves(l, &turn, moves, first, false, wants_moves, to);
}

/* --- listing: blocks ------------------------------------------------------------------------- */

/* Reads a block of n boards at most and finds its kinds; returns whether all can be positions. */
static bool start_block(
    tf_lister *l, const int8_t *boards, const int8_t *dice, int n, const tf_rules *rules)
{
    tf_block *b = &l->block;
    tf_ordered_queue q;
    int n_ordered = 0;
    if (tf_load_block(b, boards, dice, n, rules))
        return false;
    tf_find_block(b, rules);
    memset(&q, 0, sizeof q);
    for (int i = 0; i < n; i++) {
        if (b->kind[i] != TF_ORDERED)
            continue;
        l->place[i] = (uint8_t)n_ordered++;
        tf_queue_ordered(&q, b, i, i);
        if (q.n == TF_LANES) {
            tf_find_ordered(&q, rules, &l->ordered[(n_ordered - 1) / TF_LANES]);
            q.n = 0;
        }
    }
    if (q.n)
        tf_find_ordered(&q, rules, &l->ordered[(n_ordered - 1) / TF_LANES]);
    l->n = n;
    l->done = 0;
    return true;
}

/* Prepares the plays of the block's next boards until there are enough, or up to one that the stages
 * leave: then none, if that is the next. `total` plays come before, and `offsets` gets the sums. */
TF_INLINE void prepare(
    tf_lister *l, const tf_rules *rules, int64_t total, int64_t *offsets, const bool wants_moves)
{
    const tf_block *b = &l->block;
    uint32_t *to = l->entry;
    int i = l->done;
    l->n_rows = 0;
    for (; i < l->n && to < l->entry + ENOUGH && l->n_rows < ENOUGH; i++) {
        if (b->kind[i] == TF_MIXED) {
            if (b->own1[i] & TF_BAR_BIT)
                to = prepare_entering(l, i, wants_moves, to);
            else
                to = prepare_pairs(l, i, wants_moves, to);
            if (b->high_only[i] | b->low_only[i])
                to = prepare_singles(l, i, b->high_only[i], b->low_only[i], wants_moves, to);
        } else if (b->kind[i] == TF_ORDERED) {
            to = prepare_ordered(l, i, wants_moves, to);
        } else if (rules->max_dice) {
            to = prepare_doubles(l, i, rules, wants_moves, to);
        } else {
            break;
        }
        offsets[i + 1] = total + (to - l->entry);
    }
    l->n_entries = (int)(to - l->entry);
    l->done = i;
}

static void prepare_boards(tf_lister *l, const tf_rules *rules, int64_t total, int64_t *offsets)
{
    prepare(l, rules, total, offsets, false);
}

static void prepare_with_moves(tf_lister *l, const tf_rules *rules, int64_t total, int64_t *offsets)
{
    prepare(l, rules, total, offsets, true);
}

TF_INLINE void write_board(const tf_lister *l, uint32_t entry, int8_t *to)
{
    tf_halved after;
    __builtin_prefetch(to + AHEAD, 1);
    add_step(&after, &l->row[row_of(entry)], step_of(entry));
    tf_store_halved(to, &after);
}

static void write_boards(const tf_lister *l, int8_t *to)
{
    const uint32_t *e = l->entry, *end = e + l->n_entries;
    if (l->n_entries & 1) {
        write_board(l, *e++, to);
        to += TF_BOARD_BYTES;
    }
    for (; e < end; e += 2, to += 2 * TF_BOARD_BYTES) {
        write_board(l, e[0], to);
        write_board(l, e[1], to + TF_BOARD_BYTES);
    }
}

/* Writes the moves that lead to the boards, as four pairs. */
static void write_moves(const tf_lister *l, int8_t *to)
{
    const uint32_t *end = l->entry + l->n_entries;
    for (const uint32_t *e = l->entry; e < end; e++, to += 8) {
        uint32_t row = row_of(*e);
        int die = die_of(*e), point = point_of(*e);
        uint64_t moves = l->moves[row];
        if (die != NO_DIE)
            moves = add_move(moves, l->n_moves[row], die, point, l->before[row] >> point & 1);
        for (int k = 0; k < 8; k++)
            to[k] = (int8_t)(moves >> 8 * k);
    }
}

/* --- listing: batches ------------------------------------------------------------------------ */

tf_lister *tf_new_lister(void)
{
    tf_lister *lister = tf_new_aligned(sizeof(tf_lister));
    if (lister)
        lister->spare = NULL;
    return lister;
}

void tf_free_lister(tf_lister *lister)
{
    if (lister)
        free(lister->spare);
    tf_free_aligned(lister);
}

/* How far a batch is listed. */
typedef struct {
    int64_t boards, done, plays;
} progress;

/* Makes room for so many plays in all; returns whether there is. */
static bool make_room(tf_sheet *sheet, int64_t plays, progress so_far)
{
    double part = so_far.done ? (double)so_far.plays / (double)so_far.done : 0;
    return sheet->grow && sheet->grow(sheet, plays, (int64_t)(part * (double)so_far.boards));
}

/* What `tf_list_turn` overwrites behind its boards, in boards. */
enum { SPARE_BOARDS = (TF_SPARE_BYTES + TF_BOARD_BYTES - 1) / TF_BOARD_BYTES };

/* Lists the plays of one board behind those that are listed. What `tf_list_turn` overwrites behind them
 * is not always ours, so they may have to be listed elsewhere, and copied. */
static int64_t list_board(
    tf_lister *l, const int8_t *board, int die1, int die2, const tf_rules *rules, tf_work *work,
    tf_sheet *sheet, progress so_far)
{
    int64_t total = so_far.plays, most = TF_MAX_PLAYS, n;
    int8_t *moves = sheet->moves ? sheet->moves + 2 * sheet->move_room * total : NULL;
    while (sheet->grow || sheet->exact) {
        int64_t room = sheet->room - total - SPARE_BOARDS;
        n = tf_list_turn(
            board, die1, die2, rules, work, sheet->after + TF_BOARD_BYTES * total,
            room < 0 ? 0 : room, moves, sheet->move_room);
        if (work->failed)
            return TF_FAILED;
        if (n == 0 || n <= room)
            return n;
        if (!sheet->grow)
            break;
        if (!make_room(sheet, total + n + SPARE_BOARDS, so_far))
            return TF_NO_ROOM;
    }
    for (;;) {
        if (!l->spare && !(l->spare = malloc((size_t)(TF_BOARD_BYTES * most + TF_SPARE_BYTES))))
            return TF_NO_ROOM;
        n = tf_list_turn(board, die1, die2, rules, work, l->spare, most, moves, sheet->move_room);
        if (work->failed)
            return TF_FAILED;
        if (total + n > sheet->room)
            return TF_NO_ROOM;
        if (n <= most)
            break;
        free(l->spare); /* a cascade of doubles */
        l->spare = NULL;
        most = n;
    }
    memcpy(sheet->after + TF_BOARD_BYTES * total, l->spare, (size_t)(TF_BOARD_BYTES * n));
    if (most > TF_MAX_PLAYS) {
        free(l->spare);
        l->spare = NULL;
    }
    return n;
}

/* Lists the plays of a block that has been started; returns 0, or why not. */
static int list_block(
    tf_lister *l, const int8_t *dice, const tf_rules *rules, tf_work *work, tf_sheet *sheet,
    progress *so_far, int64_t *offsets)
{
    while (l->done < l->n) {
        int i = l->done;
        if (sheet->moves)
            prepare_with_moves(l, rules, so_far->plays, offsets);
        else
            prepare_boards(l, rules, so_far->plays, offsets);
        int64_t plays = so_far->plays + l->n_entries;
        if (plays > sheet->room && !make_room(sheet, plays, *so_far))
            return TF_NO_ROOM;
        write_boards(l, sheet->after + TF_BOARD_BYTES * so_far->plays);
        if (sheet->moves)
            write_moves(l, sheet->moves + 8 * so_far->plays);
        so_far->plays = plays;
        if (i == l->done) {
            int8_t board[TF_BOARD_BYTES];
            tf_store_halved(board, &l->block.board[i]);
            int64_t n =
                list_board(l, board, dice[2 * i], dice[2 * i + 1], rules, work, sheet, *so_far);
            if (n < 0)
                return (int)n;
            so_far->plays += n;
            offsets[++l->done] = so_far->plays;
        }
        so_far->done += l->done - i;
    }
    return 0;
}

int64_t tf_list_boards(
    tf_lister *lister, const int8_t *boards, const int8_t *dice, int64_t n, const tf_rules *rules,
    tf_work *work, tf_sheet *sheet, int64_t *offsets)
{
    progress so_far = {n, 0, 0};
    bool staged = has_stages(rules);
    while (so_far.done < n) {
        int64_t first = so_far.done;
        const int8_t *from = boards + TF_BOARD_BYTES * first, *roll = dice + 2 * first;
        if (staged) {
            int size = n - first < TF_BLOCK ? (int)(n - first) : TF_BLOCK;
            if (!start_block(lister, from, roll, size, rules))
                return TF_NO_POSITION;
            int why = list_block(lister, roll, rules, work, sheet, &so_far, offsets + first);
            if (why < 0)
                return why;
        } else {
            int8_t board[TF_BOARD_BYTES];
            memcpy(board, from, sizeof board);
            if (!tf_is_position(board, rules))
                return TF_NO_POSITION;
            int64_t plays =
                list_board(lister, board, roll[0], roll[1], rules, work, sheet, so_far);
            if (plays < 0)
                return plays;
            so_far.plays += plays;
            offsets[++so_far.done] = so_far.plays;
        }
    }
    return so_far.plays;
}
