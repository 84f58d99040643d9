/* What a net sees of boards, eight at a time: the phase of the game, and flags such as runs and shots.
 *
 * A board is seen after a move, by the player who has made it: plane 0 is his. docs/evaluators.md says
 * what the flags mean. Boards differ in the values of their masks only, so no branch depends on them. */
#ifndef TAVLI_FAST_FEATURES_H
#define TAVLI_FAST_FEATURES_H

#include "board/result.h"

/* Functions too large to be copied into each caller. */
#define TF_OUTLINE static __attribute__((noinline, unused))

enum {
    TF_CELLS = 52,
    TF_EIGHT = 8,
    TF_CONTACT = 0, /* the phases: each has weights of its own */
    TF_RACE = 1,
    TF_PHASES = 2,
    TF_MOST_PHASES = 5, /* with experts: four of contact, and the race */
    /* What a net has beside cells and flags. */
    TF_SCALARS = 4,
    TF_EXPERTS = 8
};

typedef uint32_t tf_words __attribute__((vector_size(32)));
typedef uint32_t tf_words_anywhere __attribute__((vector_size(32), aligned(4), may_alias));

/* Masks of eight boards, a lane each, for both planes: bit p stands for point p in the numbers of the
 * plane's owner, bit 0 for checkers borne off, bit 25 for the bar. */
typedef struct {
    uint32_t one[2][TF_EIGHT];    /* 1 checker or more */
    uint32_t two[2][TF_EIGHT];    /* 2 or more */
    uint32_t pinned[2][TF_EIGHT]; /* -1; used in pin games only */
} tf_eight;

TF_INLINE tf_words tf_lanes(const uint32_t *from) { return *(const tf_words_anywhere *)from; }
TF_INLINE void tf_put_lanes(uint32_t *to, tf_words x) { *(tf_words_anywhere *)to = x; }

/* All combinations of flags are numbered: which runs there are (`runs`, below TF_RUNS) and which shots
 * or gates (`shots`, below TF_SHOTS). */
enum { TF_RUNS = 36, TF_SHOTS = 49, TF_SHOT_BITS = 6, TF_CODES = TF_RUNS << TF_SHOT_BITS };

typedef struct {
    uint32_t code[TF_EIGHT]; /* runs << TF_SHOT_BITS | shots; 0 in a race */
    uint32_t race[TF_EIGHT]; /* 0 or 1 */
    /* Made by `tf_see_more`: which expert judges the board, and its scalars, 0 in a race. */
    uint32_t phase[TF_EIGHT];
    uint32_t levels[TF_EIGHT][8]; /* four levels in a word, the first lowest */
} tf_seen;

enum {
    TF_ON_BOARD = TF_POINTS | TF_BAR_BIT,
    TF_FIRST_HALF = 0x1ffe000 /* 13..24: what parallel games begin with */
};

/* Bit p to bit 25 - p in each lane. */
TF_INLINE tf_words tf_mirror_each(tf_words x)
{
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return ((x >> 16) | (x << 16)) >> 6;
}

/* Bit c of the result: cell c of 52 is below `limit`. */
TF_INLINE uint64_t tf_below_both(const int8_t *board, int limit)
{
    return ~tf_above_both(board, limit - 1) & 0xfffffffffffffu;
}

/* 1 where x is not 0. */
TF_INLINE tf_words tf_any(tf_words x) { return (tf_words)(x == 0) + 1; }

/* How long the longest run is above `least` points (1 or 2), up to 6. */
TF_INLINE tf_words tf_longest_run(tf_words points, int least)
{
    tf_words two = points & points >> 1, three = two & points >> 2, four = two & two >> 2;
    tf_words five = four & points >> 4, six = four & two >> 4;
    /* A comparison that holds is -1. */
    tf_words missing = (tf_words)(three == 0) + (tf_words)(four == 0) + (tf_words)(five == 0)
        + (tf_words)(six == 0);
    return least == 1 ? missing + (tf_words)(two == 0) + 5 : missing + 4;
}

/* How many of the six numbers of a die bring a checker of `from` to one of `targets`, upwards. */
TF_INLINE tf_words tf_shots_up(tf_words targets, tf_words from)
{
    tf_words missing = {0};
    for (int die = 1; die <= 6; die++)
        missing += (tf_words)((targets & from << die) == 0);
    return missing + 6;
}

/* The same, downwards. */
TF_INLINE tf_words tf_shots_down(tf_words targets, tf_words from)
{
    tf_words missing = {0};
    for (int die = 1; die <= 6; die++)
        missing += (tf_words)((targets & from >> die) == 0);
    return missing + 6;
}

/* 1 where the rearmost checkers of opposed sides have passed each other: the mover's highest point is
 * below the lowest that the enemy holds, whose points come in the mover's numbers. */
TF_INLINE tf_words tf_passed(tf_words mine, tf_words mirrored)
{
    mirrored |= TF_BAR_BIT; /* where nobody is left */
    return (tf_words)((mine | 1) < (mirrored & -mirrored)) & 1;
}

TF_INLINE void tf_see_blocked(
    tf_words *code, tf_words *race, const tf_rules *rules, const tf_eight *boards)
{
    tf_words mine = tf_lanes(boards->one[0]) & TF_ON_BOARD;
    tf_words theirs = tf_lanes(boards->one[1]) & TF_ON_BOARD;
    tf_words runs = tf_longest_run(mine, 1) + 6 * tf_longest_run(theirs, 1);
    tf_words gates = {0};
    *race = rules->parallel ? 1 - tf_any((mine | theirs) & TF_FIRST_HALF) : tf_passed(mine, tf_mirror_each(theirs));
    if (rules->gate) /* closed as long as nobody is past it: on its points, or borne off */
        gates = (1 - tf_any(tf_lanes(boards->one[0]) & (rules->gate | 1)))
            + 2 * (1 - tf_any(tf_lanes(boards->one[1]) & (rules->gate | 1)));
    *code = runs << TF_SHOT_BITS | gates;
}

TF_INLINE void tf_see_contact(
    tf_words *code, tf_words *race, const tf_eight *boards, const int contact)
{
    tf_words mine = tf_lanes(boards->one[0]) & TF_ON_BOARD;
    tf_words theirs = tf_lanes(boards->one[1]) & TF_ON_BOARD;
    tf_words closed = tf_lanes(boards->two[0]) & TF_POINTS;
    tf_words their_closed = tf_lanes(boards->two[1]) & TF_POINTS;
    tf_words there = mine, mirrored = tf_mirror_each(theirs), their_there = mirrored, runs, shots;
    if (contact == TF_PIN) {
        /* A point is closed by one checker too if it lies on an enemy's. */
        tf_words pinned = tf_mirror_each(tf_lanes(boards->pinned[1]));
        closed |= pinned;
        their_there |= pinned;
        there |= tf_lanes(boards->pinned[0]);
        their_closed |= tf_mirror_each(tf_lanes(boards->pinned[0]));
    }
    *race = tf_passed(there, their_there);
    runs = tf_longest_run(closed, 2) + 5 * tf_longest_run(their_closed, 2);
    shots = tf_shots_up(mine & TF_POINTS & ~closed, mirrored)
        + 7 * tf_shots_down(tf_mirror_each(theirs & TF_POINTS & ~their_closed), mine);
    *code = runs << TF_SHOT_BITS | shots;
}

/* Bit i of the result: lane i is not 0. */
TF_INLINE uint32_t tf_which(tf_words x)
{
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)(x != 0));
#else
    uint32_t which = 0;
    for (int i = 0; i < TF_EIGHT; i++)
        which |= (uint32_t)(x[i] != 0) << i;
    return which;
#endif
}

/* Bit i of the result: byte i of 32 is `value`. */
TF_INLINE uint32_t tf_equal_bytes(const uint8_t *bytes, int value)
{
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(
        _mm256_loadu_si256((const __m256i *)bytes), _mm256_set1_epi8((char)value)));
#else
    uint32_t which = 0;
    for (int i = 0; i < 32; i++)
        which |= (uint32_t)(bytes[i] == value) << i;
    return which;
#endif
}

/* See eight boards. Return as bits which games may be over. */
TF_INLINE uint32_t tf_see(tf_seen *seen, const tf_rules *rules, const tf_eight *boards, const int contact)
{
    tf_words code, race, off = 1 - tf_any(tf_lanes(boards->one[0]) & TF_ON_BOARD);
    if (contact == TF_NO_CONTACT)
        tf_see_blocked(&code, &race, rules, boards);
    else
        tf_see_contact(&code, &race, boards, contact);
    if (contact == TF_PIN && rules->mother != TF_NO_MOTHER)
        off |= tf_any((tf_lanes(boards->pinned[0]) | tf_lanes(boards->pinned[1])) & TF_START_BIT);
    code &= race - 1;
    tf_put_lanes(seen->code, code);
    tf_put_lanes(seen->race, race);
    tf_put_lanes(seen->phase, race);
    return tf_which(off);
}

/* Put the masks of a board's 52 cells into a lane: cells of 1 or more, of 2 or more, of -1. */
TF_INLINE void tf_put_masks(tf_eight *boards, int lane, uint64_t one, uint64_t two, uint64_t pinned)
{
    boards->one[0][lane] = (uint32_t)one & 0x3ffffff;
    boards->one[1][lane] = (uint32_t)(one >> 26);
    boards->two[0][lane] = (uint32_t)two & 0x3ffffff;
    boards->two[1][lane] = (uint32_t)(two >> 26);
    boards->pinned[0][lane] = (uint32_t)pinned & 0x3ffffff;
    boards->pinned[1][lane] = (uint32_t)(pinned >> 26);
}

/* The flags of a code as bits. Hitting and pinning games: 0-3 the mover's longest run of closed points
 * reaches 3, 4, 5, 6; 4-7 the enemy's; 8-13 more than 0 to 5 numbers hit (or pin) one of the mover's
 * lone checkers directly; 14-19 the enemy's likewise. Blocking games: 0-4 the mover's longest run of
 * points reaches 2 to 6; 5-9 the enemy's; 10 the mover's gate is closed, 11 the enemy's. */
TF_INLINE uint32_t tf_flags_of(uint32_t code, int contact)
{
    uint32_t runs = code >> TF_SHOT_BITS, shots = code & ((1u << TF_SHOT_BITS) - 1);
    if (contact == TF_NO_CONTACT)
        return ((1u << runs % 6) - 1) | ((1u << runs / 6) - 1) << 5 | shots << 10;
    return ((1u << runs % 5) - 1) | ((1u << runs / 5) - 1) << 4 | ((1u << shots % 7) - 1) << 8
        | ((1u << shots / 7) - 1) << 14;
}

#endif
