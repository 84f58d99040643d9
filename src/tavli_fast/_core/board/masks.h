/* A turn as bit masks: who holds what, where the mover may land, which checkers a die may move, and
 * one move. Rule numbers are those of docs/rules.md. */
#ifndef TAVLI_FAST_MASKS_H
#define TAVLI_FAST_MASKS_H

#include "board/simd.h"
#include "ruleset.h"

/* Bit p of a mask stands for the mover's point p; 25 is the bar, and 0 (borne off) is never set. */
enum {
    TF_BAR = 25,
    TF_BAR_BIT = 1 << 25,
    TF_START_BIT = 1 << 24,
    TF_POINTS = 0x1fffffe,  /* 1..24 */
    TF_OUTSIDE = 0x3ffff80, /* 7..24 and the bar: a checker there forbids bearing off (53, 62) */
    TF_HOME = 0x7e,         /* 1..6 */
};

typedef struct {
    /* The mover's checkers that may move, in thresholds, one bit a point: a count of 3 sets the bit
     * in the first three masks. A turn moves at most four checkers, and the move from a point must
     * know whether any is left there; so 5 stands for "5 or more". A count cut to 5 may be too low by
     * the end of a turn, but never while a move still depends on it. */
    uint32_t ge1, ge2, ge3, ge4, ge5;
    /* Own checkers that stand there but may not move in this turn: pinned ones, a hitter that must
     * stop, those on the head beyond the number that may leave it. */
    uint32_t fixed;
} tf_own;

/* What does not change during a turn, and the mover's checkers at its start. */
typedef struct {
    tf_own own;
    uint32_t land;  /* points on which a checker may land */
    uint32_t lone;  /* enemy checkers alone on a point, to be hit or pinned (or pinned already) */
    uint32_t blot;  /* those of `lone` that landing sends to the bar */
    uint32_t pins;  /* those of `lone` that are pinned as long as a checker of ours is there */
    uint32_t stop;  /* blots whose hitter may not move on in this turn */
    uint32_t gate;  /* a closed gate: while none of ours is on these points, only the foremost moves */
    uint32_t enemy; /* the enemy's points, in his own numbers */
    int head;       /* own checkers on the 24-point; games without contact only */
    int head_limit; /* how many of them may leave it with this roll (see `tf_head_limit`) */
    bool enemy_all_there;  /* none of his checkers has been borne off; games without contact only */
    bool may_bear_off;     /* unless a pinned checker forbids it */
    bool oversize;         /* a larger die bears off the farthest checker */
    bool moves_in_home;    /* with all checkers home, they may still move within it */
} tf_turn;

TF_INLINE uint32_t tf_bit(int point) { return (uint32_t)1 << point; }

/* The points 0..point. */
TF_INLINE uint32_t tf_up_to(int point) { return ((uint32_t)2 << point) - 1; }

/* How many checkers stand outside the home board, counted to 4 a point. */
TF_INLINE int tf_outside(const tf_own *own)
{
    return tf_count_bits(own->ge1 & TF_OUTSIDE) + tf_count_bits(own->ge2 & TF_OUTSIDE)
        + tf_count_bits(own->ge3 & TF_OUTSIDE) + tf_count_bits(own->ge4 & TF_OUTSIDE);
}

/* The other side's points in the mover's numbers: p is 25 - p, or 12 further on in the games in which
 * both sides move in the same direction. */
TF_INLINE uint32_t tf_opposite(uint32_t points, const tf_rules *rules)
{
    points &= TF_POINTS;
    if (rules->parallel)
        return (points << 12 | points >> 12) & TF_POINTS;
    return tf_mirror(points);
}

/* Finishes a turn whose `own` is set: the enemy's checkers come as masks of 1 or more, of 2 or more
 * and of the pinned ones, in the enemy's numbers. `tf_look_ahead` sets what only games without contact
 * need. */
TF_INLINE void tf_make_turn(
    tf_turn *turn, uint32_t enemy1, uint32_t enemy2, uint32_t enemy_pinned, const tf_rules *rules)
{
    uint32_t fixed = turn->own.fixed;
    turn->enemy = enemy1;
    turn->pins = turn->gate = 0;
    turn->head = 0;
    turn->head_limit = rules->head_limit;
    turn->enemy_all_there = false;
    turn->may_bear_off = fixed == 0 || rules->bearoff_while_pinned;
    turn->oversize = rules->bearoff_oversize;
    turn->moves_in_home = rules->bearoff_internal;
    if (rules->contact == TF_HIT) {
        enemy2 = tf_opposite(enemy2, rules);
        turn->land = ~enemy2 & TF_POINTS; /* 24, 25 */
        turn->lone = turn->blot = tf_opposite(enemy1, rules) & ~enemy2; /* 40 */
        turn->stop = turn->blot & rules->stop;
        return;
    }
    turn->blot = turn->stop = 0;
    if (rules->contact == TF_PIN) {
        /* Closed are two enemy checkers, or one on top of ours (section 4.2). */
        enemy2 = tf_opposite(enemy2, rules) | fixed;
        turn->land = ~enemy2 & TF_POINTS;
        turn->lone = (tf_opposite(enemy1, rules) & ~enemy2) | tf_opposite(enemy_pinned, rules);
        turn->pins = turn->lone;
    } else {
        turn->land = ~tf_opposite(enemy1, rules) & TF_POINTS; /* section 4.5 */
        turn->lone = 0;
    }
}

/* Sets what only games without contact need: `head` is the number of own checkers on 24, and the
 * others say whether a side has borne off none. */
TF_INLINE void tf_look_ahead(
    tf_turn *turn, int head, bool all_there, bool enemy_all_there, const tf_rules *rules)
{
    turn->head = head;
    turn->enemy_all_there = enemy_all_there;
    if (all_there && !(turn->own.ge1 & rules->gate))
        turn->gate = rules->gate;
}

/* How many checkers may leave the head (section 4.7): one more with some doubles in a side's first
 * turn, in which all its checkers are still there. `doubles` has the bit of the double rolled, none
 * for a mixed roll, and all to ask whether any roll allows it. */
TF_INLINE int tf_head_limit(const tf_rules *rules, int head, uint32_t doubles)
{
    return rules->head_limit + (head == rules->checkers && (rules->head_first & doubles) != 0);
}

/* The points of a plane's pinned checkers. */
TF_INLINE uint32_t tf_pinned(const int8_t *plane) { return ~tf_above(plane, -1) & 0x3ffffff; }

/* Plane 0's and plane 1's points of what `tf_above_both` returns. */
TF_INLINE uint32_t tf_first_plane(uint64_t above) { return above & 0x3ffffff; }
TF_INLINE uint32_t tf_second_plane(uint64_t above) { return above >> 26 & 0x3ffffff; }

/* Reads the turn of plane 0 of a board in memory. */
TF_INLINE void tf_load_turn(tf_turn *turn, const int8_t *board, const tf_rules *rules)
{
    const uint32_t on_board = ~(uint32_t)1;
    uint64_t ge1 = tf_above_both(board, 0), ge2 = tf_above_both(board, 1);
    uint32_t enemy_pinned = 0;
    turn->own.ge1 = tf_first_plane(ge1) & on_board;
    turn->own.ge2 = tf_first_plane(ge2) & on_board;
    turn->own.ge3 = tf_first_plane(tf_above_both(board, 2)) & on_board;
    turn->own.ge4 = tf_first_plane(tf_above_both(board, 3)) & on_board;
    turn->own.ge5 = tf_first_plane(tf_above_both(board, 4)) & on_board;
    turn->own.fixed = 0;
    if (rules->contact == TF_PIN) {
        uint64_t pinned = ~tf_above_both(board, -1);
        turn->own.fixed = tf_first_plane(pinned);
        enemy_pinned = tf_second_plane(pinned);
    }
    tf_make_turn(
        turn, tf_second_plane(ge1) & on_board, tf_second_plane(ge2) & on_board, enemy_pinned, rules);
    if (rules->contact == TF_NO_CONTACT)
        tf_look_ahead(turn, board[24], board[0] == 0, board[26] == 0, rules);
}

/* The points from which `die` reaches an open point (never off the board). */
TF_INLINE uint32_t tf_landings(const tf_turn *turn, int die) { return turn->land << die; }

/* Whether all of ours, `mine`, are behind a closed gate; `all_there`: none has been borne off. */
TF_INLINE bool tf_behind_gate(const tf_turn *turn, uint32_t mine, bool all_there)
{
    return turn->gate && !(mine & turn->gate) && all_there;
}

/* Which of the checkers `mine` may go at all: those on the bar before all others (43, 47), and behind
 * a closed gate only the foremost (F1, F2). */
TF_INLINE uint32_t tf_movable(const tf_turn *turn, uint32_t mine, bool all_there)
{
    if (mine & TF_BAR_BIT)
        return TF_BAR_BIT;
    return tf_behind_gate(turn, mine, all_there) ? mine & -mine : mine;
}

/* The points among `movable` from which `die` moves a checker, if checkers of ours stand on the
 * points `there`: by landing on an open point, or by bearing off. The die bears off from its own
 * point, or from the farthest checker's if that is nearer (53, 55, 57). */
TF_INLINE uint32_t tf_sources_of(
    const tf_turn *turn, uint32_t movable, uint32_t there, int die)
{
    uint32_t from = movable & tf_landings(turn, die);
    uint32_t off = tf_bit(die);
    if (there & TF_OUTSIDE || there == 0)
        return from;
    if (!turn->moves_in_home)
        from = 0;
    if (!turn->may_bear_off)
        return from; /* P10 */
    if (there < off && turn->oversize)
        off = tf_bit(tf_highest(there));
    return from | (movable & off);
}

/* The same for the mover's checkers in thresholds. */
TF_INLINE uint32_t tf_sources(const tf_turn *turn, const tf_own *own, int die)
{
    return tf_sources_of(turn, tf_movable(turn, own->ge1, true), own->ge1 | own->fixed, die);
}

/* The mover's checkers after one move from `point`. Thresholds: a count that loses one gives up its
 * highest bit, one that gains one sets the next. */
TF_INLINE tf_own tf_moved(const tf_turn *turn, tf_own own, int point, int die)
{
    uint32_t b = tf_bit(point);
    own.ge1 &= ~b | own.ge2;
    own.ge2 &= ~b | own.ge3;
    own.ge3 &= ~b | own.ge4;
    own.ge4 &= ~b | own.ge5;
    own.ge5 &= ~b;
    if (point <= die)
        return own;
    b >>= die;
    if (b & turn->stop & ~own.fixed) {
        /* It hits where a hitter must stop (section 4.9); those that follow may go on. */
        own.fixed |= b;
        return own;
    }
    own.ge5 |= b & own.ge4;
    own.ge4 |= b & own.ge3;
    own.ge3 |= b & own.ge2;
    own.ge2 |= b & own.ge1;
    own.ge1 |= b;
    return own;
}

#endif
