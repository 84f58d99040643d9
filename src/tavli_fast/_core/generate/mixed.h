/* Mixed rolls: counting, choosing and enumerating the distinct plays of two different dice.
 *
 * Two checkers may move, `high` from one point and `low` from another, or one checker runs with both.
 * While no checker can be borne off, a play is told by its sources alone:
 *  - a pair (a, b): `high` from a and `low` from b, both possible at the start of the turn;
 *  - a run from a, through a - high or through a - low.
 * Two different pairs give different positions, with one exception: a pair whose second checker stands
 * where the first lands (b = a - high, or a = b - low) is the run of the other checker. Such pairs are
 * left out, and a run counts once, except that the ways through the two points differ if a blot is hit
 * on the way: a way that hits is a play of its own.
 * Bearing off breaks this (a checker may go only when no other is outside, or behind it), and so does
 * a gate that is closed (only the foremost may move until it has passed): there the few plays are
 * found in both orders, move by move, and those that come up twice are dropped. So are those of a roll
 * in which a ban on primes may bar a landing.
 *
 * The rules of docs/rules.md that these formulas know besides those in board/masks.h: 29 and 30 (both
 * dice), 31 (the higher die), 43 and 47 (the bar before all others), section 4.9 (a hitter at home may
 * not move on). tests/test_differential.py holds them to the reference, and
 * tests/test_search.py to the search. */
#ifndef TAVLI_FAST_MIXED_H
#define TAVLI_FAST_MIXED_H

#include "generate/play.h"
#include "generate/primes.h"

enum {
    /* At most so many plays are found move by move: each of 15 points by one die with each by the
     * other, a run from each, and each die alone. */
    TF_MAX_ORDERED_PLAYS = 15 * 15 + 15 + 2 * 15,
};

/* All plays of a mixed roll. */
typedef struct {
    int high, low;
    int plays;    /* how many distinct plays */
    bool ordered; /* they were found move by move: `codes` lists them, and the rest is not set */
    tf_play codes[TF_MAX_ORDERED_PLAYS];
    uint32_t high_from, low_from; /* the points from which each die can be played first or alone */
    /* From where a run by both dice is possible, playing that die first: */
    uint32_t high_plain, low_plain; /* those that hit nothing on the way: one play, either way */
    uint32_t high_hits, low_hits;   /* those that hit on the way: two plays, if both ways do */
    uint32_t high_only, low_only;   /* the plays of one die */
} tf_mixed;

/* Whether the order of the moves matters: behind a gate, or if a play of two dice could bear off,
 * with at most one checker outside and that one home after the higher die. */
TF_INLINE bool tf_is_ordered(const tf_turn *turn, int high)
{
    uint32_t out = turn->own.ge1 & TF_OUTSIDE;
    if (turn->gate)
        return true;
    if (out & (out - 1) || (turn->own.ge2 | turn->own.fixed) & TF_OUTSIDE || !turn->may_bear_off)
        return false;
    return out >> high < tf_bit(7);
}

/* What a play changes, exactly: a nibble for each of the points 0..15 and 16..25, and the blots that
 * it hits. */
typedef struct {
    uint64_t near, far;
    uint32_t hits;
} tf_play_delta;

TF_INLINE tf_play_delta tf_delta_of(const tf_turn *turn, tf_play play)
{
    tf_play_delta delta = {0, 0, tf_code_landings(play) & turn->blot};
    for (; play; play >>= 8) {
        int from = tf_code_from(play), to = from - tf_code_die(play);
        if (from < 16)
            delta.near -= (uint64_t)1 << 4 * from;
        else
            delta.far -= (uint64_t)1 << 4 * (from - 16);
        if (to < 16)
            delta.near += (uint64_t)1 << 4 * (to > 0 ? to : 0);
        else
            delta.far += (uint64_t)1 << 4 * (to - 16);
    }
    return delta;
}

/* Appends a play unless one with the same afterstate is there; returns the new number. */
TF_INLINE int tf_add_if_new(
    tf_play play, const tf_turn *turn, tf_play *codes, tf_play_delta *deltas, int n)
{
    tf_play_delta delta = tf_delta_of(turn, play);
    for (int i = 0; i < n; i++)
        if (deltas[i].near == delta.near && deltas[i].far == delta.far
            && deltas[i].hits == delta.hits)
            return n;
    deltas[n] = delta;
    codes[n] = play;
    return n + 1;
}

/* The plays of one die, found in both orders: after them the other die has no move. */
typedef struct {
    tf_play codes[2][15]; /* by the die played, the higher first */
    bool wins[2][15];     /* it bears off the last checker */
    int n[2];
} tf_lone_moves;

/* Appends those plays of one die that may be played beside the n of both; returns the new number. */
static inline int tf_add_lone_moves(
    const tf_lone_moves *lone, int n, const tf_turn *turn, const tf_rules *rules, tf_play *codes,
    tf_play_delta *deltas)
{
    bool keep = n == 0 || !rules->max_dice; /* 29, 30 */
    bool high_rules = n == 0 && rules->higher_die && lone->n[0] > 0; /* 31 */
    for (int order = 0; order < 2; order++) {
        if (order == 1 && high_rules)
            keep = false;
        for (int i = 0; i < lone->n[order]; i++)
            if (keep || (lone->wins[order][i] && !rules->win_needs_all_dice)) /* H1 */
                n = tf_add_if_new(lone->codes[order][i], turn, codes, deltas, n);
    }
    return n;
}

/* Fills `codes` with the distinct plays of a roll, found move by move; returns how many. With `bans`
 * no landing that a ban on primes bars is made. */
TF_INLINE int tf_plays_in_both_orders(
    const tf_turn *turn, int high, int low, bool bans, const tf_rules *rules, tf_play *codes)
{
    tf_play_delta deltas[TF_MAX_ORDERED_PLAYS];
    tf_lone_moves lone;
    int n = 0;
    for (int order = 0; order < 2; order++) {
        int first = order == 0 ? high : low, second = order == 0 ? low : high;
        uint32_t as = bans ? tf_unbarred_sources(turn, &turn->own, first, rules)
                           : tf_sources(turn, &turn->own, first);
        lone.n[order] = 0;
        for (; as; as &= as - 1) {
            int a = tf_lowest(as);
            tf_own after = tf_moved(turn, turn->own, a, first);
            uint32_t bs = bans ? tf_unbarred_sources(turn, &after, second, rules)
                               : tf_sources(turn, &after, second);
            if (bs == 0) {
                lone.codes[order][lone.n[order]] = tf_move_code(a, first);
                lone.wins[order][lone.n[order]++] = (after.ge1 | after.fixed) == 0;
            }
            for (; bs; bs &= bs - 1) {
                tf_play play = tf_move_code(a, first) | tf_move_code(tf_lowest(bs), second) << 8;
                n = tf_add_if_new(play, turn, codes, deltas, n);
            }
        }
    }
    return tf_add_lone_moves(&lone, n, turn, rules, codes, deltas);
}

/* The same under bans where no checker can be borne off and no gate is closed, in games without
 * contact: there a play of both dice is told by its sources, a by the higher and b by the lower die,
 * if a run is written with its higher die first. */
static inline int tf_plays_under_bans(
    const tf_turn *turn, int high, int low, const tf_rules *rules, tf_play *codes)
{
    uint32_t found[26] = {0}; /* by a: the points b of the plays found */
    tf_play_delta deltas[30];
    tf_lone_moves lone;
    int n = 0;
    for (int order = 0; order < 2; order++) {
        int first = order == 0 ? high : low, second = order == 0 ? low : high;
        uint32_t lefts = tf_unbarred_sources(turn, &turn->own, first, rules);
        lone.n[order] = 0;
        for (; lefts; lefts &= lefts - 1) {
            int left = tf_lowest(lefts);
            tf_own after = tf_moved(turn, turn->own, left, first);
            uint32_t nexts = tf_unbarred_sources(turn, &after, second, rules);
            if (nexts == 0) {
                lone.codes[order][lone.n[order]] = tf_move_code(left, first);
                lone.wins[order][lone.n[order]++] = false;
            }
            for (; nexts; nexts &= nexts - 1) {
                int next = tf_lowest(nexts);
                int a = order == 0 ? left : next, b = order == 0 ? next : left;
                if (b == a + low) { /* the run of the checker on b */
                    a = b;
                    b -= high;
                }
                if (found[a] >> b & 1)
                    continue;
                found[a] |= tf_bit(b);
                codes[n++] = tf_move_code(left, first) | tf_move_code(next, second) << 8;
            }
        }
    }
    if (n && rules->max_dice)
        return n;
    /* Plays of one die are all distinct, and differ from those of both. */
    return n + tf_add_lone_moves(&lone, 0, turn, rules, codes + n, deltas);
}

/* The points of `low_from` from which `low` may be played beside `high` from a: not the same checker,
 * and not a pair that is another checker's run. */
TF_INLINE uint32_t tf_pairs_of(uint32_t ge2, uint32_t a_bit, uint32_t low_from, int high, int low)
{
    return low_from & ~((a_bit & ~ge2) | a_bit >> high | a_bit << low);
}

/* The points from which `low` may be played beside `high` from a. */
TF_INLINE uint32_t tf_partners(const tf_turn *turn, const tf_mixed *m, int a)
{
    uint32_t low_from = m->low_from;
    if (turn->own.ge1 & TF_BAR_BIT && a != TF_BAR) /* a pair must enter the checker on the bar */
        low_from &= TF_BAR_BIT;
    return tf_pairs_of(turn->own.ge2, tf_bit(a), low_from, m->high, m->low);
}

/* The sum of `tf_partners` over `m->high_from`, without the loop. */
TF_INLINE int tf_count_pairs(const tf_turn *turn, const tf_mixed *m)
{
    uint32_t high_from = m->high_from, low_from = m->low_from;
    if (turn->own.ge1 & TF_BAR_BIT) {
        int n = 0;
        if (high_from & TF_BAR_BIT) {
            n = tf_count_bits(tf_partners(turn, m, TF_BAR));
            high_from ^= TF_BAR_BIT;
        }
        if (low_from & TF_BAR_BIT) /* not from 25 - low: that pair is the entered checker's run */
            n += tf_count_bits(high_from & ~tf_bit(TF_BAR - m->low));
        return n;
    }
    return tf_count_bits(high_from) * tf_count_bits(low_from)
        - tf_count_bits(high_from & low_from & ~turn->own.ge2)
        - tf_count_bits(high_from & low_from << m->high)
        - tf_count_bits(low_from & high_from << m->low);
}

/* How many distinct plays move one checker by both dice. */
TF_INLINE int tf_count_runs(const tf_mixed *m)
{
    return tf_count_bits(m->high_plain | m->low_plain) + tf_count_bits(m->high_hits)
        + tf_count_bits(m->low_hits);
}

/* The points of `singles` from which `first` may be played and `second` cannot be after it. */
TF_INLINE uint32_t tf_dead_ends(const tf_turn *turn, uint32_t singles, int first, int second)
{
    uint32_t dead = 0;
    for (uint32_t left = singles; left; left &= left - 1) {
        tf_own after = tf_moved(turn, turn->own, tf_lowest(left), first);
        if (tf_sources(turn, &after, second) == 0)
            dead |= left & -left;
    }
    return dead;
}

/* Finds the plays of a mixed roll, and how many they are. */
static inline void tf_find_mixed(
    const tf_turn *turn, int high, int low, const tf_rules *rules, tf_mixed *m)
{
    uint32_t own = turn->own.ge1;
    uint32_t both = turn->land << (high + low);
    m->high = high;
    m->low = low;
    m->ordered = tf_is_ordered(turn, high);
    if (m->ordered) {
        m->plays = tf_plays_in_both_orders(turn, high, low, false, rules, m->codes);
        return;
    }
    m->high_from = own & tf_landings(turn, high);
    m->low_from = own & tf_landings(turn, low);
    m->high_only = m->high_from;
    m->low_only = m->low_from;
    if (own & TF_BAR_BIT) { /* 43, 47: all enter first */
        m->high_only &= TF_BAR_BIT;
        m->low_only &= TF_BAR_BIT;
        if (turn->own.ge2 & TF_BAR_BIT) { /* two on the bar take both dice */
            m->high_from &= TF_BAR_BIT;
            m->low_from &= TF_BAR_BIT;
            both = 0;
        }
    }
    m->high_plain = m->high_only & both & ~(turn->blot << high);
    m->low_plain = m->low_only & both & ~(turn->blot << low);
    /* Where a hitter must stop, there is no run through that blot (section 4.9). */
    m->high_hits = m->high_only & both & (turn->blot & ~turn->stop) << high;
    m->low_hits = m->low_only & both & (turn->blot & ~turn->stop) << low;
    m->plays = tf_count_pairs(turn, m) + tf_count_runs(m);
    if (m->plays == 0) {
        if (rules->higher_die && m->high_only) /* 31 */
            m->low_only = 0;
    } else if (rules->max_dice) { /* 29, 30 */
        m->high_only = m->low_only = 0;
        return;
    } else {
        m->high_only = tf_dead_ends(turn, m->high_only, high, low);
        m->low_only = tf_dead_ends(turn, m->low_only, low, high);
    }
    m->plays += tf_count_bits(m->high_only) + tf_count_bits(m->low_only);
}

/* The same of a roll in which a ban on primes may bar a landing. */
static inline void tf_find_mixed_under_bans(
    const tf_turn *turn, int high, int low, const tf_rules *rules, tf_mixed *m)
{
    m->high = high;
    m->low = low;
    m->plays = tf_is_ordered(turn, high)
        ? tf_plays_in_both_orders(turn, high, low, true, rules, m->codes)
        : tf_plays_under_bans(turn, high, low, rules, m->codes);
    m->ordered = true;
}

/* The run of the checker on `a` by both dice. */
TF_INLINE tf_play tf_run_code(int a, int first, int second)
{
    return tf_move_code(a, first) | tf_move_code(a - first, second) << 8;
}

/* The pair of `high` from a and a move by `low`; a checker on the bar goes first. */
TF_INLINE tf_play tf_pair_code(const tf_mixed *m, int a, tf_play low_move)
{
    if (tf_code_from(low_move) == TF_BAR)
        return low_move | tf_move_code(a, m->high) << 8;
    return tf_move_code(a, m->high) | low_move << 8;
}

/* The k-th play, k from 0 and below `m->plays`, in an order of its own. */
static inline tf_play tf_pick_mixed(const tf_turn *turn, const tf_mixed *m, int k)
{
    int n;
    if (m->ordered)
        return m->codes[k];
    for (uint32_t left = m->high_from; left; left &= left - 1) {
        int a = tf_lowest(left);
        uint32_t partners = tf_partners(turn, m, a);
        n = tf_count_bits(partners);
        if (k < n)
            return tf_pair_code(m, a, tf_nth_of(partners, k, m->low));
        k -= n;
    }
    n = tf_count_bits(m->high_plain);
    if (k < n)
        return tf_run_code(tf_code_from(tf_nth_of(m->high_plain, k, 0)), m->high, m->low);
    k -= n;
    n = tf_count_bits(m->high_hits);
    if (k < n)
        return tf_run_code(tf_code_from(tf_nth_of(m->high_hits, k, 0)), m->high, m->low);
    k -= n;
    uint32_t low_runs = m->low_hits | (m->low_plain & ~m->high_plain);
    n = tf_count_bits(low_runs);
    if (k < n)
        return tf_run_code(tf_code_from(tf_nth_of(low_runs, k, 0)), m->low, m->high);
    k -= n;
    n = tf_count_bits(m->high_only);
    return k < n ? tf_nth_of(m->high_only, k, m->high) : tf_nth_of(m->low_only, k - n, m->low);
}

/* Puts the plays of both dice with a checker on the bar, so in a game of hitting: `low` enters it and
 * `high` is played, or the other way round. */
TF_INLINE void tf_put_entering(const tf_turn *turn, const tf_mixed *m, tf_sink *sink)
{
    int high = m->high, low = m->low;
    const int8_t *high_rows = tf_move_rows(turn, high), *low_rows = tf_move_rows(turn, low);
    uint32_t high_joins = tf_joining(turn, &turn->own, high);
    uint32_t low_joins = tf_joining(turn, &turn->own, low);
    tf_row row;
    if (m->low_from & TF_BAR_BIT) {
        uint32_t entered = TF_BAR_BIT >> low;
        uint32_t points = m->high_from & ~(TF_BAR_BIT | entered);
        points |= (m->low_hits | (m->low_plain & ~m->high_plain)) >> low;
        tf_copy(&row, &sink->base);
        tf_add(&row, low_rows + TF_ENTRY_BYTES * (TF_BAR + TF_JOINING * (low_joins >> TF_BAR & 1)));
        tf_put_last(
            sink, &row, high_rows, points, high_joins & ~(entered << high), 0,
            tf_move_code(TF_BAR, low), 8, high, 0);
    }
    if (m->high_from & TF_BAR_BIT) {
        uint32_t entered = TF_BAR_BIT >> high;
        uint32_t points = tf_partners(turn, m, TF_BAR) | (m->high_plain | m->high_hits) >> high;
        tf_copy(&row, &sink->base);
        tf_add(&row, high_rows + TF_ENTRY_BYTES * (TF_BAR + TF_JOINING * (high_joins >> TF_BAR & 1)));
        tf_put_last(
            sink, &row, low_rows, points, low_joins & ~(entered << low), 0,
            tf_move_code(TF_BAR, high), 8, low, TF_BAR_BIT);
    }
}

/* Puts the plays of both dice, none of them from the bar. Each adds to the board what `high` from a
 * does, and what `low` from b does; for each a, all b go at once. So does a run: b = a - high if it
 * plays `high` first, and else a = b - low. `plain` says that no codes are wanted and that no checker
 * can be pinned: the compiler makes a loop of its own for that. */
TF_INLINE void tf_put_fans(const tf_turn *turn, const tf_mixed *m, tf_sink *sink, bool plain)
{
    /* Copies, for a store might change the originals as far as the compiler knows. */
    int high = m->high, low = m->low;
    uint32_t high_from = m->high_from, low_from = m->low_from, ge2 = turn->own.ge2;
    uint32_t runs = m->high_plain | m->high_hits;
    uint32_t low_runs = m->low_hits | (m->low_plain & ~m->high_plain);
    const int8_t *high_rows = tf_move_rows(turn, high), *low_rows = tf_move_rows(turn, low);
    uint32_t high_joins = tf_joining(turn, &turn->own, high);
    uint32_t low_joins = tf_joining(turn, &turn->own, low);
    int8_t *to = sink->boards;
    tf_row row, base;
    uint32_t apart = 0, leaves = 0;
    if (!plain && turn->pins) {
        /* The move by `high` is the second, and leaves whom the first has joined: as the first it may
         * do something else. */
        apart = low_runs;
        low_runs = 0;
    }
    tf_copy(&base, &sink->base);
    for (uint32_t left = high_from | low_runs >> low; left; left &= left - 1) {
        int a = tf_lowest(left);
        uint32_t a_bit = left & -left;
        uint32_t last = a_bit & high_from ? tf_pairs_of(ge2, a_bit, low_from, high, low) : 0;
        last |= (runs & a_bit) >> high | (low_runs & a_bit << low);
        /* The first move has joined that one already. */
        uint32_t joins = low_joins & ~(a_bit >> high << low);
        tf_copy(&row, &base);
        tf_add(&row, high_rows + TF_ENTRY_BYTES * (a + TF_JOINING * (int)(high_joins >> a & 1)));
        if (plain) {
            to = tf_store_each(to, &row, low_rows, last, joins);
            continue;
        }
        if (turn->pins) {
            if (tf_leaving(turn, &turn->own) & a_bit)
                tf_add(&row, TF_TABLES.unpin[a]);
            tf_own after = tf_moved(turn, turn->own, a, high);
            leaves = tf_leaving(turn, &after);
        }
        /* `low` goes first in its runs. */
        tf_put_last(
            sink, &row, low_rows, last, joins, leaves, tf_move_code(a, high), 8, low, a_bit << low);
    }
    if (plain)
        sink->boards = to;
    for (; apart; apart &= apart - 1)
        tf_put_play(sink, turn, tf_run_code(tf_lowest(apart), low, high));
}

/* Puts every distinct play, once. */
static inline void tf_enumerate_mixed(const tf_turn *turn, const tf_mixed *m, tf_sink *sink)
{
    if (m->ordered) {
        for (int i = 0; i < m->plays; i++)
            tf_put_play(sink, turn, m->codes[i]);
        return;
    }
    if (turn->own.ge1 & TF_BAR_BIT)
        tf_put_entering(turn, m, sink);
    else if (sink->codes == NULL && turn->pins == 0)
        tf_put_fans(turn, m, sink, true);
    else
        tf_put_fans(turn, m, sink, false);
    for (uint32_t left = m->high_only; left; left &= left - 1)
        tf_put_play(sink, turn, tf_move_code(tf_lowest(left), m->high));
    for (uint32_t left = m->low_only; left; left &= left - 1)
        tf_put_play(sink, turn, tf_move_code(tf_lowest(left), m->low));
}

#endif
