"""Mixed rolls: counting, choosing and enumerating the distinct plays of two different dice.

Two checkers may move, `high` from one point and `low` from another, or one checker runs with both.
While no checker can be borne off, a play is told by its sources alone:
 - a pair (a, b): `high` from a and `low` from b, both possible at the start of the turn;
 - a run from a, through a - high or through a - low.
Two different pairs give different positions, but for this: a pair whose second checker stands
where the first lands (b = a - high, or a = b - low) is the run of the other checker. Such pairs
are left out, and a run counts once, except that the ways through the two points differ if a blot is
hit on the way: a way that hits is a play of its own.
Bearing off breaks this (a checker may go only when no other is outside, or behind it), and so does
a gate that is closed (only the foremost may move until it has passed): there the few plays are
found in both orders, move by move, and those that come up twice are dropped.
"""

from libc.stdint cimport int8_t, uint32_t, uint64_t

from tavli_fast._core.board.masks cimport (
    BAR, BAR_BIT, OUTSIDE, Own, Row, Turn, add_entry, bit, copy_row, count_bits, landings, lowest,
    moved, sources, store_each,
)
from tavli_fast._core.generate.play cimport (
    ENTRY_BYTES, JOINING, Play, Sink, code_die, code_from, code_landings, joining, leaving,
    move_code, nth_of, put_last, put_play, steps_of,
)
from tavli_fast._core.ruleset cimport RuleSet


cdef enum:
    # In two orders: both dice from at most 7 points each (1-6 and one outside), and each die alone;
    # behind a gate the foremost first and then any of 15.
    MAX_ORDERED_PLAYS = 2 * 7 * 7 + 2 * 7


cdef struct Mixed:
    # All plays of a mixed roll.
    int high, low
    int plays  # how many distinct plays
    bint ordered  # they were found move by move: `codes` lists them, and the rest is not set
    Play codes[MAX_ORDERED_PLAYS]
    uint32_t high_from, low_from  # the points from which each die can be played first or alone
    # From where a run by both dice is possible, playing that die first:
    uint32_t high_plain, low_plain  # those that hit nothing on the way: one play, whatever the way
    uint32_t high_hits, low_hits  # those that hit on the way: two plays, if both ways do
    uint32_t high_only, low_only  # the plays of one die


cdef inline bint is_ordered(const Turn* turn, int high) noexcept nogil:
    """Whether the order of the moves matters: behind a gate, or if a play of two dice could bear
    off, with at most one checker outside and that one home after the higher die."""
    cdef uint32_t out = turn.own.ge1 & OUTSIDE
    if turn.gate:
        return True
    if out & (out - 1) or (turn.own.ge2 | turn.own.held) & OUTSIDE or not turn.may_bear_off:
        return False
    return out >> high < bit(7)


cdef inline void find_mixed(
    const Turn* turn, int high, int low, const RuleSet* rules, Mixed* m
) noexcept nogil:
    """Find the plays of a mixed roll, and how many they are."""
    cdef uint32_t own = turn.own.ge1
    cdef uint32_t both = turn.land << (high + low)
    m.high = high
    m.low = low
    m.ordered = is_ordered(turn, high)
    if m.ordered:
        m.plays = ordered_plays(turn, high, low, rules, m.codes)
        return
    m.high_from = own & landings(turn, high)
    m.low_from = own & landings(turn, low)
    m.high_only = m.high_from
    m.low_only = m.low_from
    if own & BAR_BIT:  # RULES 43, 47: all enter first
        m.high_only &= BAR_BIT
        m.low_only &= BAR_BIT
        if turn.own.ge2 & BAR_BIT:  # two on the bar take both dice
            m.high_from &= BAR_BIT
            m.low_from &= BAR_BIT
            both = 0
    m.high_plain = m.high_only & both & ~(turn.blot << high)
    m.low_plain = m.low_only & both & ~(turn.blot << low)
    # Where the rules stop a hitter, there is no run through that blot.
    m.high_hits = m.high_only & both & (turn.blot & ~turn.stop) << high
    m.low_hits = m.low_only & both & (turn.blot & ~turn.stop) << low
    m.plays = count_pairs(turn, m) + count_runs(m)
    if m.plays == 0:
        if rules.higher_die and m.high_only:  # RULES 31
            m.low_only = 0
    elif rules.max_dice:  # RULES 29, 30
        m.high_only = m.low_only = 0
        return
    else:
        m.high_only = dead_ends(turn, m.high_only, high, low)
        m.low_only = dead_ends(turn, m.low_only, low, high)
    m.plays += count_bits(m.high_only) + count_bits(m.low_only)


cdef inline uint32_t pairs_of(
    uint32_t ge2, uint32_t a_bit, uint32_t low_from, int high, int low
) noexcept nogil:
    """The points of `low_from` from which `low` may be played beside `high` from a: not the same
    checker, and not a pair that is another checker's run."""
    return low_from & ~((a_bit & ~ge2) | a_bit >> high | a_bit << low)


cdef inline uint32_t partners(const Turn* turn, const Mixed* m, int a) noexcept nogil:
    """The points from which `low` may be played beside `high` from a."""
    cdef uint32_t low_from = m.low_from
    if turn.own.ge1 & BAR_BIT and a != BAR:  # a pair must enter the checker on the bar
        low_from &= BAR_BIT
    return pairs_of(turn.own.ge2, bit(a), low_from, m.high, m.low)


cdef inline int count_pairs(const Turn* turn, const Mixed* m) noexcept nogil:
    """The sum of `partners` over `m.high_from`, without the loop."""
    cdef uint32_t high_from = m.high_from
    cdef uint32_t low_from = m.low_from
    cdef int n
    if turn.own.ge1 & BAR_BIT:
        n = 0
        if high_from & BAR_BIT:
            n = count_bits(partners(turn, m, BAR))
            high_from ^= BAR_BIT
        if low_from & BAR_BIT:
            # 25 - low may not be the source of `high`: that pair is the entered checker's run.
            n += count_bits(high_from & ~bit(BAR - m.low))
        return n
    return (
        count_bits(high_from) * count_bits(low_from)
        - count_bits(high_from & low_from & ~turn.own.ge2)
        - count_bits(high_from & low_from << m.high)
        - count_bits(low_from & high_from << m.low)
    )


cdef inline int count_runs(const Mixed* m) noexcept nogil:
    """How many distinct plays move one checker by both dice."""
    return (
        count_bits(m.high_plain | m.low_plain) + count_bits(m.high_hits) + count_bits(m.low_hits)
    )


cdef inline uint32_t dead_ends(
    const Turn* turn, uint32_t singles, int first, int second
) noexcept nogil:
    """The points of `singles` from which `first` may be played and `second` cannot be after it."""
    cdef uint32_t dead = 0
    cdef uint32_t left = singles
    cdef int from_
    while left:
        from_ = lowest(left)
        left &= left - 1
        if sources(turn, moved(turn, turn.own, from_, first), second) == 0:
            dead |= bit(from_)
    return dead


cdef struct Change:
    # What a play changes, exactly: a nibble for each of the points 0..15 and 16..25, and the blots
    # that it hits.
    uint64_t low, high
    uint32_t hits


cdef inline Change change_of(const Turn* turn, Play play) noexcept nogil:
    cdef Change change
    cdef int from_, to
    change.low = change.high = 0
    change.hits = code_landings(play) & turn.blot
    while play:
        from_ = code_from(play)
        to = from_ - code_die(play)
        if from_ < 16:
            change.low -= <uint64_t>1 << 4 * from_
        else:
            change.high -= <uint64_t>1 << 4 * (from_ - 16)
        if to < 16:
            change.low += <uint64_t>1 << 4 * (to if to > 0 else 0)
        else:
            change.high += <uint64_t>1 << 4 * (to - 16)
        play >>= 8
    return change


cdef inline int add_if_new(
    Play play, const Turn* turn, Play* codes, Change* changes, int n
) noexcept nogil:
    """Append a play unless one with the same afterstate is there; return the new number."""
    cdef Change change = change_of(turn, play)
    cdef int i
    for i in range(n):
        if (
            changes[i].low == change.low and changes[i].high == change.high
            and changes[i].hits == change.hits
        ):
            return n
    changes[n] = change
    codes[n] = play
    return n + 1


cdef inline int ordered_plays(
    const Turn* turn, int high, int low, const RuleSet* rules, Play* codes
) noexcept nogil:
    """Fill `codes` with the distinct plays of a roll, found move by move; return how many."""
    cdef Change changes[MAX_ORDERED_PLAYS]
    cdef Play alone[2][7]  # by the die played first: plays after which the other die has no move
    cdef bint wins[2][7]
    cdef int n_alone[2]
    cdef int n = 0, order, first, second, a, b, i
    cdef uint32_t a_left, b_left
    cdef Own after
    cdef bint keep, high_rules
    for order in range(2):
        first, second = (high, low) if order == 0 else (low, high)
        n_alone[order] = 0
        a_left = sources(turn, turn.own, first)
        while a_left:
            a = lowest(a_left)
            a_left &= a_left - 1
            after = moved(turn, turn.own, a, first)
            b_left = sources(turn, after, second)
            if b_left == 0:
                alone[order][n_alone[order]] = move_code(a, first)
                wins[order][n_alone[order]] = (after.ge1 | after.held) == 0
                n_alone[order] += 1
            while b_left:
                b = lowest(b_left)
                b_left &= b_left - 1
                n = add_if_new(
                    move_code(a, first) | move_code(b, second) << 8, turn, codes, changes, n
                )
    high_rules = n == 0 and rules.higher_die and n_alone[0] > 0  # RULES 31
    keep = n == 0 or not rules.max_dice  # RULES 29, 30
    for order in range(2):
        if order == 1 and high_rules:
            keep = False
        for i in range(n_alone[order]):
            if keep or (wins[order][i] and not rules.win_needs_all_dice):
                n = add_if_new(alone[order][i], turn, codes, changes, n)
    return n


cdef inline Play run_code(int a, int first, int second) noexcept nogil:
    """The run of the checker on `a` by both dice."""
    return move_code(a, first) | move_code(a - first, second) << 8


cdef inline Play pair_code(const Mixed* m, int a, Play low_move) noexcept nogil:
    """The pair of `high` from a and a move by `low`; a checker on the bar goes first."""
    if code_from(low_move) == BAR:
        return low_move | move_code(a, m.high) << 8
    return move_code(a, m.high) | low_move << 8


cdef inline Play pick_mixed(const Turn* turn, const Mixed* m, int k) noexcept nogil:
    """The k-th play, k from 0 and below `m.plays`, in an order of its own."""
    cdef uint32_t left
    cdef int a, n
    if m.ordered:
        return m.codes[k]
    left = m.high_from
    while left:
        a = lowest(left)
        left &= left - 1
        n = count_bits(partners(turn, m, a))
        if k < n:
            return pair_code(m, a, nth_of(partners(turn, m, a), k, m.low))
        k -= n
    left = m.high_plain
    n = count_bits(left)
    if k < n:
        return run_code(code_from(nth_of(left, k, 0)), m.high, m.low)
    k -= n
    n = count_bits(m.high_hits)
    if k < n:
        return run_code(code_from(nth_of(m.high_hits, k, 0)), m.high, m.low)
    k -= n
    left = m.low_hits | (m.low_plain & ~m.high_plain)
    n = count_bits(left)
    if k < n:
        return run_code(code_from(nth_of(left, k, 0)), m.low, m.high)
    k -= n
    n = count_bits(m.high_only)
    return nth_of(m.high_only, k, m.high) if k < n else nth_of(m.low_only, k - n, m.low)


cdef inline void put_twos(const Turn* turn, const Mixed* m, Sink* sink) noexcept nogil:
    """Put all the plays of both dice."""
    if turn.own.ge1 & BAR_BIT:
        put_entering(turn, m, sink)
    elif sink.codes == NULL and turn.freed == 0:
        put_fans(turn, m, sink, True)
    else:
        put_fans(turn, m, sink, False)


cdef inline void put_entering(const Turn* turn, const Mixed* m, Sink* sink) noexcept nogil:
    """Put the plays of both dice with a checker on the bar, so in a game of hitting: `low` enters it
    and `high` is played, or the other way round."""
    cdef int high = m.high, low = m.low
    cdef const int8_t* high_steps = steps_of(sink.tables, turn, high)
    cdef const int8_t* low_steps = steps_of(sink.tables, turn, low)
    cdef uint32_t high_joins = joining(turn, &turn.own, high)
    cdef uint32_t low_joins = joining(turn, &turn.own, low)
    cdef uint32_t entered = BAR_BIT >> low, points
    cdef Row row
    if m.low_from & BAR_BIT:
        points = m.high_from & ~(BAR_BIT | entered)
        points |= (m.low_hits | (m.low_plain & ~m.high_plain)) >> low
        copy_row(&row, &sink.base)
        add_entry(&row, low_steps + ENTRY_BYTES * (BAR + JOINING * (low_joins >> BAR & 1)))
        put_last(
            sink, &row, high_steps, points, high_joins & ~(entered << high), 0,
            move_code(BAR, low), 8, high, 0,
        )
    if m.high_from & BAR_BIT:
        entered = BAR_BIT >> high
        points = partners(turn, m, BAR) | (m.high_plain | m.high_hits) >> high
        copy_row(&row, &sink.base)
        add_entry(&row, high_steps + ENTRY_BYTES * (BAR + JOINING * (high_joins >> BAR & 1)))
        put_last(
            sink, &row, low_steps, points, low_joins & ~(entered << low), 0,
            move_code(BAR, high), 8, low, BAR_BIT,
        )


cdef inline void put_fans(
    const Turn* turn, const Mixed* m, Sink* sink, bint plain
) noexcept nogil:
    """Put the plays of both dice, none of them from the bar. Each adds to the board what `high` from
    a does, and what `low` from b does; for each a, all b go at once. So does a run: b = a - high if
    it plays `high` first, and else a = b - low. `plain` says that no codes are wanted and that no
    checker can be pinned: the compiler makes a loop of its own for that."""
    # Copies, for a store might change the originals as far as the compiler knows.
    cdef int high = m.high, low = m.low
    cdef uint32_t high_from = m.high_from, low_from = m.low_from, ge2 = turn.own.ge2
    cdef uint32_t runs = m.high_plain | m.high_hits
    cdef uint32_t low_runs = m.low_hits | (m.low_plain & ~m.high_plain)
    cdef const int8_t* high_steps = steps_of(sink.tables, turn, high)
    cdef const int8_t* low_steps = steps_of(sink.tables, turn, low)
    cdef uint32_t high_joins = joining(turn, &turn.own, high)
    cdef uint32_t low_joins = joining(turn, &turn.own, low)
    cdef int8_t* to = sink.boards
    cdef Row row, base
    cdef Own after
    cdef uint32_t apart = 0, leaves = 0, left, a_bit, last, joins
    cdef int a
    if not plain and turn.freed:
        # The move by `high` is the second, and leaves whom the first has joined: as the first it
        # may do something else.
        apart = low_runs
        low_runs = 0
    copy_row(&base, &sink.base)
    left = high_from | low_runs >> low
    while left:
        a = lowest(left)
        a_bit = left & -left
        left ^= a_bit
        last = pairs_of(ge2, a_bit, low_from, high, low)
        if not a_bit & high_from:
            last = 0
        last |= (runs & a_bit) >> high | (low_runs & a_bit << low)
        joins = low_joins & ~(a_bit >> high << low)  # the first move has joined that one already
        copy_row(&row, &base)
        add_entry(&row, high_steps + ENTRY_BYTES * (a + JOINING * (high_joins >> a & 1)))
        if plain:
            to = store_each(to, &row, low_steps, last, joins)
            continue
        if turn.freed:
            if leaving(turn, &turn.own) & a_bit:
                add_entry(&row, &sink.tables.free[a][0])
            after = moved(turn, turn.own, a, high)
            leaves = leaving(turn, &after)
        put_last(
            sink, &row, low_steps, last, joins, leaves, move_code(a, high), 8, low,
            a_bit << low,  # `low` goes first in its runs
        )
    if plain:
        sink.boards = to
    while apart:
        put_play(sink, turn, run_code(lowest(apart), low, high))
        apart &= apart - 1


cdef inline void enumerate_mixed(const Turn* turn, const Mixed* m, Sink* sink) noexcept nogil:
    """Put every distinct play, once."""
    cdef uint32_t singles
    cdef int i
    if m.ordered:
        for i in range(m.plays):
            put_play(sink, turn, m.codes[i])
        return
    put_twos(turn, m, sink)
    singles = m.high_only
    while singles:
        put_play(sink, turn, move_code(lowest(singles), m.high))
        singles &= singles - 1
    singles = m.low_only
    while singles:
        put_play(sink, turn, move_code(lowest(singles), m.low))
        singles &= singles - 1
