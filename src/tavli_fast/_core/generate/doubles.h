/* Doubles: counting, choosing and enumerating the distinct plays of four equal dice.
 *
 * A play's position is told by how often each point is a source: going down from the highest, the
 * change at a point less what arrived from above gives that point's number. So if sources are chosen
 * in non-increasing order, every distinct position comes up exactly once, and nothing need be looked
 * up. No other order allows more: a checker further out never has to wait for one nearer home, since
 * landing points stay open, and bearing off requires that those further out have gone first.
 *
 * The rules of docs/rules.md that these formulas know besides those in board/masks.h: 38 (as many
 * moves as possible), 48 (the rest of the roll is lost), section 4.9 (a hitter at home may not move
 * on). That the winner may stop (H1) needs nothing here: each move takes exactly 1 from the sum of
 * point / die, rounded up, over all checkers, so every play that bears off the last one makes the same
 * number of moves, and no play makes more. tests/test_differential.py holds the formulas to the
 * reference, tests/test_search.py to the search.
 */
#ifndef TAVLI_FAST_DOUBLES_H
#define TAVLI_FAST_DOUBLES_H

#include "generate/play.h"

typedef struct {
    int die;
    tf_own own;     /* after the moves that all plays begin with */
    tf_play forced; /* those: checkers on the bar that enter, or a runner until it has passed the gate */
    int left;       /* the moves left after them: no play makes more, and some play makes all of these */
    bool free;      /* no move can bear off */
    bool stops_early; /* plays that end where no more can be moved count beside the longest */
    int plays;        /* how many distinct plays */
    /* Where `free` and four are left: how many plays begin from each first source, going down. */
    int begun[25];
} tf_doubles;

/* How many ways two moves have, from sources within `cap`, when none bears off: two of the points, the
 * same twice, or one checker twice onto and from a point that was not ours. */
TF_INLINE int tf_count_free_pairs(const tf_turn *turn, tf_own own, int die, uint32_t cap)
{
    uint32_t land = tf_landings(turn, die);
    uint32_t from = own.ge1 & land & cap;
    int n = tf_count_bits(from);
    return (n * (n - 1) >> 1) + tf_count_bits(from & own.ge2)
        + tf_count_bits(from & ~((own.ge1 | (turn->stop & ~own.fixed)) << die) & land << die);
}

/* How many ways three moves have from sources within `cap`, when none bears off. */
static inline int tf_count_free_triples(const tf_turn *turn, tf_own own, int die, uint32_t cap)
{
    uint32_t from = own.ge1 & tf_landings(turn, die) & cap;
    int n = 0;
    while (from) {
        int point = tf_highest(from);
        from ^= tf_bit(point);
        n += tf_count_free_pairs(turn, tf_moved(turn, own, point, die), die, tf_up_to(point));
    }
    return n;
}

/* How many ways 0 to 3 moves have from sources within `cap`, when none bears off. */
TF_INLINE int tf_count_free(const tf_turn *turn, tf_own own, int die, uint32_t cap, int left)
{
    if (left == 0)
        return 1;
    if (left == 1)
        return tf_count_bits(own.ge1 & tf_landings(turn, die) & cap);
    if (left == 2)
        return tf_count_free_pairs(turn, own, die, cap);
    return tf_count_free_triples(turn, own, die, cap);
}

/* How many ways four moves have when none bears off; kept by their first source. */
static inline int tf_count_free_fours(const tf_turn *turn, tf_doubles *d)
{
    uint32_t from = d->own.ge1 & tf_landings(turn, d->die);
    int n = 0;
    for (int i = 0; from; i++) {
        int point = tf_highest(from);
        from ^= tf_bit(point);
        d->begun[i] = tf_count_free_triples(
            turn, tf_moved(turn, d->own, point, d->die), d->die, tf_up_to(point));
        n += d->begun[i];
    }
    return n;
}

/* How many ways `left` moves have from sources within `cap`; with `stops_early` also those of fewer
 * moves after which none is possible. */
static inline int tf_count_walk(
    const tf_turn *turn, const tf_own *own, int die, uint32_t cap, int left, bool stops_early)
{
    uint32_t everywhere = tf_sources(turn, own, die);
    uint32_t from = everywhere & cap;
    int n = 0;
    if (stops_early && everywhere == 0)
        return 1;
    if (left == 1)
        return tf_count_bits(from);
    while (from) {
        int point = tf_highest(from);
        tf_own after = tf_moved(turn, *own, point, die);
        from ^= tf_bit(point);
        n += tf_count_walk(turn, &after, die, tf_up_to(point), left - 1, stops_early);
    }
    return n;
}

/* Makes the moves that leave no choice. If none is left after them, that is the only play. */
static inline void tf_begin_doubles(
    const tf_turn *turn, int die, const tf_rules *rules, tf_doubles *d)
{
    d->die = die;
    d->own = turn->own;
    d->forced = 0;
    d->left = 4;
    d->plays = 0;
    d->stops_early = !rules->max_dice;
    d->free = turn->own.ge1 & TF_BAR_BIT || !turn->may_bear_off
        || turn->own.fixed & TF_OUTSIDE || tf_outside(&turn->own) >= 4;
    while (d->left
        && (d->own.ge1 & TF_BAR_BIT || tf_behind_gate(turn, d->own.ge1, true))) {
        uint32_t from = tf_sources(turn, &d->own, die);
        if (from == 0) {
            d->left = 0; /* 48 and F1: the rest of the roll is lost, for no other may move */
            break;
        }
        d->own = tf_moved(turn, d->own, tf_lowest(from), die);
        d->forced |= tf_move_code(tf_lowest(from), die) << 8 * (4 - d->left);
        d->left--;
    }
    if (d->left == 0)
        d->plays = d->forced != 0;
}

/* Makes the moves that leave no choice, and counts the plays of as many more as can be made. */
static inline void tf_find_doubles(
    const tf_turn *turn, int die, const tf_rules *rules, tf_doubles *d)
{
    tf_begin_doubles(turn, die, rules, d);
    if (d->left == 0)
        return;
    if (d->stops_early) {
        if (d->forced || tf_sources(turn, &d->own, die))
            d->plays = tf_count_walk(turn, &d->own, die, tf_up_to(TF_BAR), d->left, true);
        return;
    }
    for (;;) {
        if (d->free && d->left == 4)
            d->plays = tf_count_free_fours(turn, d);
        else if (d->free)
            d->plays = tf_count_free(turn, d->own, die, tf_up_to(TF_BAR), d->left);
        else
            d->plays = tf_count_walk(turn, &d->own, die, tf_up_to(TF_BAR), d->left, false);
        if (d->plays || d->left == 1)
            break;
        d->left--; /* 38 */
    }
    if (d->plays == 0 && d->forced) {
        d->plays = 1; /* only the forced moves can be played */
        d->left = 0;
    }
}

enum {
    /* No more ways to make two moves: two of 15 checkers' points or the same twice (15 * 16 / 2), or
     * one checker twice. */
    TF_BRANCHES = 15 * 8 + 15,
};

/* Plays that begin with the same moves. */
typedef struct {
    tf_row row;
    tf_own own;    /* after those moves */
    uint32_t from; /* where the next one may start, one point at least */
    tf_play play;
} tf_branch;

/* Fills `to` with the branches one move further on that can go on from there, when none bears off, and
 * returns how many children those have; the branches from `branch` on have so many. */
static inline int tf_grow_branches(
    const tf_turn *turn, const tf_doubles *d, const tf_branch *branch, int children, tf_branch *to,
    int shift)
{
    uint32_t land = tf_landings(turn, d->die), left = branch->from;
    int grandchildren = 0;
    for (int i = 0; i < children; i++) {
        int point = tf_highest(left);
        left ^= tf_bit(point);
        tf_copy(&to->row, &branch->row);
        tf_add_move(&to->row, turn, &branch->own, point, d->die);
        to->own = tf_moved(turn, branch->own, point, d->die);
        to->from = to->own.ge1 & land & tf_up_to(point);
        to->play = branch->play | tf_move_code(point, d->die) << shift;
        grandchildren += tf_count_bits(to->from);
        to += to->from != 0; /* one that is overwritten has no children */
        /* On to the next branch when this one's points are used up, without a jump. */
        uint32_t none = tf_none_left(left);
        branch += none;
        left |= branch->from & (0 - none);
    }
    to->from = 0;
    return grandchildren;
}

/* Puts the plays that end with one move more, from the points `from`; `own` are the checkers before
 * it. */
TF_INLINE void tf_put_ends(
    const tf_turn *turn, const tf_doubles *d, const tf_own *own, uint32_t from, const tf_row *row,
    tf_play play, int shift, tf_sink *sink)
{
    tf_put_last(
        sink, row, tf_move_rows(turn, d->die), from, tf_joining(turn, own, d->die),
        tf_leaving(turn, own), play, shift, d->die, 0);
}

/* Puts the plays that end with two moves more, when none bears off (see `tf_count_free_pairs`).
 * `plain` says that no codes are wanted and that no checker can be pinned: the compiler makes a loop
 * of its own for that, of half the instructions. */
TF_INLINE void tf_put_pairs(
    const tf_turn *turn, const tf_doubles *d, const tf_branch *branch, int children, int shift,
    tf_sink *sink, bool plain)
{
    int die = d->die;
    const int8_t *rows = tf_move_rows(turn, die);
    uint32_t land = tf_landings(turn, die), stop = turn->stop, lone = turn->lone;
    uint32_t left = branch->from, leaves = 0;
    int8_t *to = sink->boards;
    tf_row row;
    for (; children; children--) {
        const tf_own *own = &branch->own;
        int point = tf_highest(left);
        uint32_t b = tf_bit(point);
        left ^= b;
        uint32_t second = left | (b & own->ge2);
        second |= b >> die & land & ~((stop & ~own->fixed) | own->ge1);
        /* `tf_joining`, without asking the turn again. */
        uint32_t joins = (lone & ~(own->ge1 | own->fixed)) << die;
        tf_copy(&row, &branch->row);
        /* Where the first of the two lands, the second joins no checker any more: that would be from
         * the same point. */
        if (plain) {
            tf_add(&row, rows + TF_ENTRY_BYTES * (point + TF_JOINING * (int)(joins >> point & 1)));
            to = tf_store_each(to, &row, rows, second, joins & ~b);
        } else {
            tf_add_move(&row, turn, own, point, die);
            if (turn->pins) {
                tf_own after = tf_moved(turn, *own, point, die);
                leaves = tf_leaving(turn, &after);
            }
            tf_put_last(
                sink, &row, rows, second, joins & ~b, leaves,
                branch->play | tf_move_code(point, die) << shift, shift + 8, die, 0);
        }
        uint32_t none = tf_none_left(left);
        branch += none;
        left |= branch->from & (0 - none);
    }
    if (plain)
        sink->boards = to;
}

/* Puts the plays of `left` moves after the forced ones, when none bears off. All branches are first
 * taken a move further, then all of those: one long loop for each move has one exit, where nested
 * loops would have a hundred exits, each an unpredictable branch. */
static inline void tf_put_free(
    const tf_turn *turn, const tf_doubles *d, int left, const tf_row *row, tf_sink *sink)
{
    tf_branch root[2], first[26], second[TF_BRANCHES + 2];
    const tf_branch *branch = root;
    int shift = 8 * tf_code_length(d->forced);
    tf_copy(&root[0].row, row);
    root[0].own = d->own;
    root[0].from = d->own.ge1 & tf_landings(turn, d->die);
    root[0].play = d->forced;
    root[1].from = 0;
    if (left == 1) {
        tf_put_ends(turn, d, &d->own, root[0].from, row, d->forced, shift, sink);
        return;
    }
    int children = tf_count_bits(root[0].from);
    if (left > 2) {
        children = tf_grow_branches(turn, d, branch, children, first, shift);
        branch = first;
        shift += 8;
    }
    if (left > 3) {
        children = tf_grow_branches(turn, d, branch, children, second, shift);
        branch = second;
        shift += 8;
    }
    if (sink->codes == NULL && turn->pins == 0)
        tf_put_pairs(turn, d, branch, children, shift, sink, true);
    else
        tf_put_pairs(turn, d, branch, children, shift, sink, false);
}

/* Puts the plays that go on from `play` with `left` more moves from sources within `cap`. */
static inline void tf_put_walk(
    const tf_turn *turn, const tf_doubles *d, const tf_own *own, uint32_t cap, int left,
    const tf_row *row, tf_play play, int shift, tf_sink *sink)
{
    uint32_t everywhere = tf_sources(turn, own, d->die);
    uint32_t from = everywhere & cap;
    if (d->stops_early && everywhere == 0) {
        tf_put_board(sink, row, play);
        return;
    }
    if (left == 1) {
        tf_put_ends(turn, d, own, from, row, play, shift, sink);
        return;
    }
    while (from) {
        int point = tf_highest(from);
        tf_own after = tf_moved(turn, *own, point, d->die);
        tf_row next;
        from ^= tf_bit(point);
        tf_copy(&next, row);
        tf_add_move(&next, turn, own, point, d->die);
        tf_put_walk(
            turn, d, &after, tf_up_to(point), left - 1, &next,
            play | tf_move_code(point, d->die) << shift, shift + 8, sink);
    }
}

/* Puts the plays of `most` moves after the forced ones, or of the most that can be made, down to
 * `least` (38). */
static inline void tf_put_longest(
    const tf_turn *turn, const tf_doubles *d, int most, int least, tf_sink *sink)
{
    tf_row row;
    int8_t *before = sink->boards;
    tf_copy(&row, &sink->base);
    tf_play_row(&row, turn, d->forced);
    for (; most; most--) {
        if (d->free && !d->stops_early)
            tf_put_free(turn, d, most, &row, sink);
        else
            tf_put_walk(
                turn, d, &d->own, tf_up_to(TF_BAR), most, &row, d->forced,
                8 * tf_code_length(d->forced), sink);
        if (most == least || sink->boards != before)
            return;
    }
    if (least == 0)
        tf_put_board(sink, &row, d->forced);
}

/* Puts every distinct play, once. */
static inline void tf_enumerate_doubles(const tf_turn *turn, const tf_doubles *d, tf_sink *sink)
{
    if (d->plays)
        tf_put_longest(turn, d, d->left, d->left, sink);
}

/* Puts every distinct play, once, without counting them first; the sink wants boards. */
static inline void tf_list_doubles(
    const tf_turn *turn, int die, const tf_rules *rules, tf_doubles *d, tf_sink *sink)
{
    tf_begin_doubles(turn, die, rules, d);
    if (d->left == 0)
        tf_enumerate_doubles(turn, d, sink);
    else if (!d->stops_early)
        tf_put_longest(turn, d, d->left, d->forced ? 0 : 1, sink);
    else if (d->forced || tf_sources(turn, &d->own, die))
        tf_put_longest(turn, d, d->left, d->left, sink);
}

/* The k-th play, k from 0 and below `d->plays`, in an order of its own. */
static inline tf_play tf_pick_doubles(const tf_turn *turn, const tf_doubles *d, int k)
{
    tf_own own = d->own;
    tf_play play = d->forced;
    uint32_t cap = tf_up_to(TF_BAR);
    int shift = 8 * tf_code_length(d->forced);
    for (int left = d->left; left; left--, shift += 8) {
        uint32_t everywhere = tf_sources(turn, &own, d->die);
        uint32_t from = everywhere & cap;
        int point;
        if (d->stops_early && everywhere == 0)
            break;
        if (left == 1)
            return play | tf_nth_of(from, k, d->die) << shift;
        for (int i = 0;; i++) {
            int n;
            point = tf_highest(from);
            from ^= tf_bit(point);
            if (left == 4 && d->free && !d->stops_early) {
                n = d->begun[i];
            } else {
                tf_own after = tf_moved(turn, own, point, d->die);
                n = d->free && !d->stops_early
                    ? tf_count_free(turn, after, d->die, tf_up_to(point), left - 1)
                    : tf_count_walk(
                        turn, &after, d->die, tf_up_to(point), left - 1, d->stops_early);
            }
            if (k < n)
                break;
            k -= n;
        }
        own = tf_moved(turn, own, point, d->die);
        cap = tf_up_to(point);
        play |= tf_move_code(point, d->die) << shift;
    }
    return play;
}

#endif
