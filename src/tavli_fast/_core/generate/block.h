/* A block of boards of a hitting game as masks, eight boards in the lanes of a vector register, and the
 * plays of its mixed rolls: what differs between boards is data here, and not a branch. */
#ifndef TAVLI_FAST_BLOCK_H
#define TAVLI_FAST_BLOCK_H

#include <stddef.h>

#include "board/masks.h"

enum {
    TF_BLOCK = 64, /* boards that go through the stages together: their masks stay in the first cache */
    TF_LANES = 8,  /* words in a vector register of 32 bytes */
    TF_HALVES = 16, /* half words in it */
    TF_MOVES = 7   /* a roll whose order matters has at most so many first moves by each die */
};

/* A word, or a half word, of each of several boards. */
typedef uint32_t tf_words __attribute__((vector_size(32)));
typedef int32_t tf_signed_words __attribute__((vector_size(32)));
typedef uint16_t tf_halves __attribute__((vector_size(32)));
typedef int16_t tf_signed_halves __attribute__((vector_size(32)));
typedef uint8_t tf_many_bytes __attribute__((vector_size(32)));

/* How a board's plays are found. */
enum {
    TF_MIXED = 0,   /* two different dice whose order does not matter: by the formulas */
    TF_ORDERED = 1, /* two different dice, and a checker may be borne off: in both orders */
    TF_DOUBLES = 2  /* four equal dice */
};

/* --- words of several boards --------------------------------------------------------------- */

TF_INLINE tf_words tf_words_of(uint32_t x)
{
    return (tf_words){x, x, x, x, x, x, x, x};
}

TF_INLINE tf_words tf_get(const uint32_t *words) { return *(const tf_words *)words; }

TF_INLINE void tf_put(uint32_t *words, tf_words x) { *(tf_words *)words = x; }

/* All bits where the word is 0, else none. */
TF_INLINE tf_words tf_is_zero(tf_words x) { return (tf_words)(x == 0); }

/* All bits where the word is not 0, else none. */
TF_INLINE tf_words tf_is_set(tf_words x) { return (tf_words)(x != 0); }

/* Whether any word has a bit. */
TF_INLINE int tf_any(tf_words x)
{
#if defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
    uint32_t all = 0;
    for (int i = 0; i < TF_LANES; i++)
        all |= x[i];
    return all != 0;
#endif
}

/* The set bits of each byte. */
TF_INLINE tf_words tf_byte_counts(tf_words x)
{
#if defined(__AVX2__)
    const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                            2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_and_si256((__m256i)x, nibble);
    __m256i high = _mm256_and_si256((__m256i)(x >> 4), nibble);
    return (tf_words)_mm256_add_epi8(_mm256_shuffle_epi8(counts, low),
                                     _mm256_shuffle_epi8(counts, high));
#else
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return (x + (x >> 4)) & 0x0f0f0f0fu;
#endif
}

/* The sum of a word's four bytes, up to 255. */
TF_INLINE tf_words tf_sum_bytes(tf_words x)
{
    x += x >> 16;
    return (x + (x >> 8)) & 0xffu;
}

TF_INLINE tf_words tf_count_words(tf_words x) { return tf_sum_bytes(tf_byte_counts(x)); }

/* `tf_mirror` of several boards. */
TF_INLINE tf_words tf_mirror_words(tf_words x)
{
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return ((x >> 16) | (x << 16)) >> 6;
}

/* The highest bit of words below 1 << 8. */
TF_INLINE tf_words tf_highest_at_home(tf_words x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    return x & ~(x >> 1);
}

/* --- the first stage: from bytes to masks ---------------------------------------------------- */

/* A board in two overlapping halves, bytes 0 to 31 and 20 to 51: two stores write it, and not a byte
 * more. The first half has all of plane 0, the second all of plane 1. */
enum { TF_SECOND = 20 }; /* where the second half begins */
typedef struct {
    tf_lane lane[64 / TF_LANE];
} tf_halved;

TF_INLINE void tf_load_halved(tf_halved *row, const int8_t *board)
{
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 32 / TF_LANE; i++)
            row->lane[half * 32 / TF_LANE + i] =
                *(const tf_lane_anywhere *)(board + TF_SECOND * half + TF_LANE * i);
}

TF_INLINE void tf_store_halved(int8_t *board, const tf_halved *row)
{
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 32 / TF_LANE; i++)
            *(tf_lane_anywhere *)(board + TF_SECOND * half + TF_LANE * i) =
                row->lane[half * 32 / TF_LANE + i];
}

/* The mask of 32 bytes that are above a floor. */
TF_INLINE uint32_t tf_above_32(const tf_lane *half, int floor)
{
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpgt_epi8((__m256i)half[0], _mm256_set1_epi8((char)floor)));
#elif defined(__SSE2__)
    __m128i limit = _mm_set1_epi8((char)floor);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8((__m128i)half[0], limit))
        | (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8((__m128i)half[1], limit)) << 16;
#else
    const int8_t *bytes = (const int8_t *)half;
    uint32_t mask = 0;
    for (int b = 0; b < 32; b++)
        mask |= (uint32_t)(bytes[b] > floor) << b;
    return mask;
#endif
}

/* The mover's points with more than `floor` checkers, and the bar. */
TF_INLINE uint32_t tf_own_above(const tf_halved *row, int floor)
{
    return tf_above_32(row->lane, floor) & 0x3fffffeu;
}

/* The enemy's, in his own numbers. */
TF_INLINE uint32_t tf_enemy_above(const tf_halved *row, int floor)
{
    return tf_above_32(row->lane + 32 / TF_LANE, floor) >> 6 & 0x3fffffeu;
}

/* 0 if each side of the board has `checkers` checkers and no count is below 0. */
TF_INLINE uint64_t tf_wrong_totals(const tf_halved *row, uint32_t checkers)
{
    const uint64_t expected = checkers | (uint64_t)checkers << 32;
#if defined(__AVX2__)
    const __m256i zero = _mm256_setzero_si256();
    const __m256i mine = _mm256_setr_epi64x(-1, -1, -1, 0xffff); /* up to byte 25 */
    const __m256i theirs = _mm256_setr_epi64x(~0xffffffffffffL, -1, -1, -1); /* from byte 26 - 20 on */
    __m256i first = (__m256i)row->lane[0], second = (__m256i)row->lane[1];
    __m256i own = _mm256_sad_epu8(_mm256_and_si256(first, mine), zero);
    __m256i enemy = _mm256_sad_epu8(_mm256_and_si256(second, theirs), zero);
    __m256i both = _mm256_add_epi64(own, _mm256_slli_epi64(enemy, 32));
    __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
    uint64_t total = (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum)));
    uint32_t below = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(first, second));
    return (total ^ expected) | below;
#else
    int8_t board[52];
    tf_store_halved(board, row);
    uint64_t total = (uint64_t)tf_total(board) | (uint64_t)tf_total(board + 26) << 32;
    return (total ^ expected) | (~tf_above_both(board, -1) & 0xfffffffffffffu);
#endif
}

/* A block of boards, each field for all of them. Masks are of the mover's points. */
typedef struct {
    tf_halved board[TF_BLOCK];
    uint32_t own1[TF_BLOCK] __attribute__((aligned(32)));   /* the mover's points: 1 or more */
    uint32_t own2[TF_BLOCK] __attribute__((aligned(32)));   /* 2 or more */
    uint32_t enemy1[TF_BLOCK] __attribute__((aligned(32))); /* the enemy's, in his numbers */
    uint32_t enemy2[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t high[TF_BLOCK] __attribute__((aligned(32)));   /* the dice */
    uint32_t low[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t land[TF_BLOCK] __attribute__((aligned(32)));   /* open points; none when the game is over */
    uint32_t blot[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t kind[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t plays[TF_BLOCK] __attribute__((aligned(32)));  /* of the kind TF_MIXED */
    /* Of the kind TF_MIXED, as in mixed.h: the points from which each die can be played, those
     * of runs by both dice from the bar or the points, and the plays of one die. */
    uint32_t high_from[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t low_from[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t high_runs[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t low_runs[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t high_only[TF_BLOCK] __attribute__((aligned(32)));
    uint32_t low_only[TF_BLOCK] __attribute__((aligned(32)));
} tf_block;

/* Reads n boards and their dice into the block; returns whether something is wrong with a board.
 * Nothing but the copies in the block is read later: should somebody change the boards in the
 * meantime, the answer for them may be wrong, and no more. */
TF_INLINE int tf_load_block(
    tf_block *block, const int8_t *boards, const int8_t *dice, int n, const tf_rules *rules)
{
    uint64_t wrong = 0;
    tf_words both = tf_words_of(0);
    for (int i = 0; i < n; i++) {
        tf_halved *row = &block->board[i];
        uint32_t die1 = (uint8_t)dice[2 * i], die2 = (uint8_t)dice[2 * i + 1];
        tf_load_halved(row, boards + 52 * (ptrdiff_t)i);
        wrong |= tf_wrong_totals(row, (uint32_t)rules->checkers);
        block->own1[i] = tf_own_above(row, 0);
        block->own2[i] = tf_own_above(row, 1);
        block->enemy1[i] = tf_enemy_above(row, 0);
        block->enemy2[i] = tf_enemy_above(row, 1);
        block->high[i] = die1 > die2 ? die1 : die2;
        block->low[i] = die1 > die2 ? die2 : die1;
    }
    for (int i = n; i < TF_BLOCK; i++) { /* a lost game, which has no plays */
        block->own1[i] = 2;
        block->own2[i] = block->enemy1[i] = block->enemy2[i] = 0;
        block->high[i] = 2;
        block->low[i] = 1;
    }
    for (int i = 0; i < TF_BLOCK; i += TF_LANES) {
        tf_words own = tf_get(block->own1 + i), enemy = tf_get(block->enemy1 + i);
        tf_words closed = tf_mirror_words(tf_get(block->enemy2 + i) & TF_POINTS);
        tf_words there = tf_mirror_words(enemy & TF_POINTS);
        tf_words going = tf_is_set(enemy);
        both |= (own & there) | tf_is_zero(own | enemy); /* on one point; two winners */
        tf_put(block->land + i, ~closed & TF_POINTS & going);
        tf_put(block->blot + i, there & ~closed & going);
    }
    return wrong != 0 || tf_any(both);
}

/* --- the second stage: mixed rolls, and each board's kind ------------------------------------ */

/* Finds the kind of each board of a block, and the plays of mixed rolls as `tf_find_mixed` does. */
TF_INLINE void tf_find_block(tf_block *block, const tf_rules *rules)
{
    for (int i = 0; i < TF_BLOCK; i += TF_LANES) {
        tf_words own = tf_get(block->own1 + i), own2 = tf_get(block->own2 + i);
        tf_words land = tf_get(block->land + i), blot = tf_get(block->blot + i);
        tf_words high = tf_get(block->high + i), low = tf_get(block->low + i);
        tf_words bar = own & TF_BAR_BIT, equal = (tf_words)(high == low);
        tf_words entering = tf_is_set(bar), one_enters = entering & ~tf_is_set(own2 & TF_BAR_BIT);
        tf_words all_enter = entering & ~one_enters;

        tf_words out = own & TF_OUTSIDE;
        tf_words first = (out & (out - 1)) | (own2 & TF_OUTSIDE);
        tf_words ordered = tf_is_zero(first) & tf_is_zero((out >> high) >> 7) & ~equal;

        tf_words high_from = own & (land << high), low_from = own & (land << low);
        tf_words only = tf_words_of(TF_BAR_BIT) | ~entering; /* RULES 43, 47: all enter first */
        tf_words high_only = high_from & only, low_only = low_from & only;
        tf_words rest = ~all_enter | TF_BAR_BIT;
        high_from &= rest;
        low_from &= rest;
        tf_words both = (land << (high + low)) & ~all_enter;
        tf_words stop = blot & rules->stop;
        tf_words high_way = both & ~(stop << high), low_way = both & ~(stop << low);
        tf_words high_runs = high_only & high_way, low_runs = low_only & low_way;
        /* One play, whatever the way, unless a way hits. */
        low_runs &= ~(high_runs & ~(blot << high) & ~(blot << low));

        /* Where one checker enters, the pairs are those of the bar with either die; else all, less
         * those of one checker and those that are the run of another (mixed.h). */
        tf_words high_enters = tf_is_set(high_from & bar) & one_enters;
        tf_words low_enters = tf_is_set(low_from & bar) & one_enters;
        tf_words with_high = low_from & ~(tf_words_of(TF_BAR_BIT) >> high) & ~bar & high_enters;
        tf_words with_low = high_from & ~(tf_words_of(TF_BAR_BIT) >> low) & ~bar & low_enters;
        tf_words factor1 = (high_from & ~one_enters) | with_high;
        tf_words factor2 = (low_from & ~one_enters) | with_low;
        tf_words n1 = tf_count_words(factor1), n2 = tf_count_words(factor2);
        tf_words less = tf_byte_counts(high_from & low_from & ~own2)
            + tf_byte_counts(high_from & (low_from << high))
            + tf_byte_counts(low_from & (high_from << low));
        tf_words runs = tf_sum_bytes(tf_byte_counts(high_runs) + tf_byte_counts(low_runs));
        tf_words product = n1 * n2 - tf_sum_bytes(less);
        tf_words plays = ((n1 + n2) & one_enters) + (product & ~one_enters) + runs;

        tf_words none = tf_is_zero(plays);
        if (rules->higher_die) /* RULES 31 */
            low_only &= ~(none & tf_is_set(high_only));
        if (rules->max_dice) { /* RULES 29, 30 */
            high_only &= none;
            low_only &= none;
        } else {
            /* Only those after which the other die has no move: it could be played by no other
             * checker, and the run is not possible. */
            tf_words alone1 = tf_is_zero(low_from & (low_from - 1)) & low_from & ~own2;
            tf_words alone2 = tf_is_zero(high_from & (high_from - 1)) & high_from & ~own2;
            alone1 |= tf_is_zero(low_from);
            alone2 |= tf_is_zero(high_from);
            high_only &= none | (alone1 & ~high_way);
            low_only &= none | (alone2 & ~low_way);
        }
        plays += tf_sum_bytes(tf_byte_counts(high_only) + tf_byte_counts(low_only));

        tf_words going = tf_is_set(land); /* else the game is over: no formula finds a play */
        tf_put(block->kind + i, ((ordered & TF_ORDERED) | (equal & TF_DOUBLES)) & going);
        tf_put(block->plays + i, plays);
        tf_put(block->high_from + i, high_from);
        tf_put(block->low_from + i, low_from);
        tf_put(block->high_runs + i, high_runs);
        tf_put(block->low_runs + i, low_runs);
        tf_put(block->high_only + i, high_only);
        tf_put(block->low_only + i, low_only);
    }
}

/* --- rolls whose order matters: both orders, eight boards at a time ------------------------- */

/* Rolls whose order matters, collected from blocks until there are enough. */
typedef struct {
    uint32_t own1[TF_LANES] __attribute__((aligned(32)));
    uint32_t own2[TF_LANES] __attribute__((aligned(32)));
    uint32_t land[TF_LANES] __attribute__((aligned(32)));
    uint32_t blot[TF_LANES] __attribute__((aligned(32)));
    uint32_t high[TF_LANES] __attribute__((aligned(32)));
    uint32_t low[TF_LANES] __attribute__((aligned(32)));
    int64_t board[TF_LANES]; /* which board of the batch, or of the block */
    int n;
} tf_ordered_queue;

/* The plays of eight rolls whose order matters: for the k-th point from which the higher die can
 * be played first, `first[k]`, the points from which the lower one follows; then for the lower die
 * first, those that are not yet among them; then the plays of one die. */
typedef struct {
    tf_words high_first[TF_MOVES], low_follows[TF_MOVES];
    tf_words low_first[TF_MOVES], high_follows[TF_MOVES];
    tf_words high_only, low_only;
    int n_high, n_low; /* how many such points at most */
    tf_words plays;
} tf_ordered_plays;

/* Puts a board of the block into the queue, which `tf_find_ordered` empties when it is full. */
TF_INLINE void tf_queue_ordered(
    tf_ordered_queue *q, const tf_block *block, int i, int64_t board)
{
    int k = q->n;
    q->own1[k] = block->own1[i];
    q->own2[k] = block->own2[i];
    q->land[k] = block->land[i];
    q->blot[k] = block->blot[i];
    q->high[k] = block->high[i];
    q->low[k] = block->low[i];
    q->board[k] = board;
    q->n = k + 1;
}

/* The points from which `die` can be played: `own` may move, `there` are all that stand. */
TF_INLINE tf_words tf_sources_of_words(
    tf_words own, tf_words there, tf_words land, tf_words die, int oversize)
{
    tf_words from = tf_words_of(1) << die;
    tf_words home = tf_is_zero(there & TF_OUTSIDE);
    if (oversize) { /* RULES 55 */
        tf_words larger = (tf_words)((tf_signed_words)there < (tf_signed_words)from);
        from = (from & ~larger) | (tf_highest_at_home(there & TF_HOME) & larger);
    }
    return own & ((land << die) | (from & home));
}

/* The points from which `second` can be played after `first` from the point of bit b (maybe none).
 */
TF_INLINE tf_words tf_follow(
    const tf_ordered_queue *q, tf_words b, tf_words first, tf_words second,
    const tf_rules *rules, tf_words *there)
{
    tf_words own = tf_get(q->own1), own2 = tf_get(q->own2);
    tf_words landed = (b >> first) & ~1u;
    tf_words held = landed & tf_get(q->blot) & rules->stop;
    *there = (own & ~b) | (own2 & b) | landed;
    return tf_sources_of_words(*there & ~held, *there, tf_get(q->land), second, rules->bearoff_oversize)
        & tf_is_set(b);
}

/* Finds the plays of both orders. A play is told by the pair (a, b): the higher die from a, the
 * lower from b, in whatever order; a run is the pair whose second point is where the first move
 * lands. Two pairs give the same position only if they are the two ways of one run and neither
 * hits, or if both checkers are borne off by either die. */
TF_INLINE void tf_find_ordered(
    const tf_ordered_queue *q, const tf_rules *rules, tf_ordered_plays *found)
{
    tf_words own = tf_get(q->own1), land = tf_get(q->land);
    tf_words blot = tf_get(q->blot), high = tf_get(q->high), low = tf_get(q->low);
    tf_words alone1 = tf_words_of(0), alone2 = alone1, wins1 = alone1, wins2 = alone1;
    tf_words runs1 = alone1, runs2 = alone1, n = alone1, there;
    tf_words plain = ~(blot << high) & ~(blot << low); /* from here both ways hit nothing */
    tf_words ways = alone1; /* from where a pair does what a run by the higher die first would */
    tf_words left = tf_sources_of_words(own, own, land, high, rules->bearoff_oversize);
    int k;
    for (k = 0; tf_any(left); k++) {
        tf_words b = left & -left;
        tf_words next = tf_follow(q, b, high, low, rules, &there);
        left ^= b;
        alone1 |= b & tf_is_zero(next);
        wins1 |= b & tf_is_zero(there);
        runs1 |= b & tf_is_set(next & (b >> high));
        next &= ~((b >> high) & tf_is_set(b & ways & plain)); /* the points come in rising order */
        ways |= next & (b << low);
        found->high_first[k] = b;
        found->low_follows[k] = next;
        n += tf_byte_counts(next);
    }
    found->n_high = k;
    /* If all stand within the lower die, both dice bear off the same two whatever the order. */
    tf_words near = (tf_words)((tf_signed_words)own < (tf_signed_words)(tf_words_of(2) << low));
    left = tf_sources_of_words(own, own, land, low, rules->bearoff_oversize);
    for (k = 0; tf_any(left); k++) {
        tf_words b = left & -left;
        tf_words next = tf_follow(q, b, low, high, rules, &there);
        left ^= b;
        alone2 |= b & tf_is_zero(next);
        wins2 |= b & tf_is_zero(there);
        runs2 |= b & tf_is_set(next & (b >> low));
        next &= ~((b >> low) & tf_is_set(b & runs1 & plain)) & ~((b << high) & ways & plain) & ~near;
        for (int i = 0; i < found->n_high; i++)
            next &= ~(found->high_first[i] & tf_is_set(found->low_follows[i] & b));
        found->low_first[k] = b;
        found->high_follows[k] = next;
        n += tf_byte_counts(next);
    }
    found->n_low = k;
    n = tf_sum_bytes(n);

    tf_words none = tf_is_zero(n), keep = none;
    if (!rules->max_dice) /* RULES 29, 30 */
        keep = ~tf_words_of(0);
    if (rules->win_needs_all_dice)
        wins1 = wins2 = tf_words_of(0);
    found->high_only = alone1 & (keep | wins1);
    if (rules->higher_die) /* RULES 31 */
        keep &= ~(none & tf_is_set(alone1));
    found->low_only = alone2 & (keep | wins2);
    /* The same by the other die, or by both. */
    found->low_only &= ~(found->high_only & (((tf_words_of(2) << low) - 1)));
    found->high_only &= ~(runs2 & ~(blot << low) & ((tf_words_of(2) << high) - 1));
    found->plays =
        n + tf_sum_bytes(tf_byte_counts(found->high_only) + tf_byte_counts(found->low_only));
}

#endif
