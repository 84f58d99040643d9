"""Doubles: counting, choosing and enumerating the distinct plays of four equal dice.

A play's position is told by how often each point is a source: going down from the highest, the
change at a point less what arrived from above gives that point's number. So if sources are chosen
in non-increasing order, every distinct position comes up exactly once, and nothing need be looked
up. No order allows more: a checker further out never needs to wait for one nearer home, since
landing points stay open, and bearing off asks that those further out have gone first.
"""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._core.board.masks cimport (
    BAR, BAR_BIT, OUTSIDE, Own, Row, Turn, add_entry, bit, copy_row, count_bits, highest, landings,
    lowest, moved, none_left, outside, sources, store_each,
)
from tavli_fast._core.generate.play cimport (
    ENTRY_BYTES, JOINING, Play, Sink, Tables, add_step, code_length, joining, leaving, move_code,
    nth_of, play_row, put, put_last, steps_of,
)
from tavli_fast._core.ruleset cimport RuleSet


cdef struct Doubles:
    int die
    Own own  # after the moves that all plays begin with
    Play forced  # those: checkers on the bar that enter, or a runner until it has passed the gate
    int left  # the moves left after them: no play makes more, and some play makes all of these
    bint free  # no move can bear off
    bint stops_early  # plays that end where no more can be moved count beside the longest
    int plays  # how many distinct plays
    # Where `free` and four are left: how many plays begin from each first source, going down.
    int begun[25]


cdef inline uint32_t up_to(int point) noexcept nogil:
    """The points 0..point."""
    return (<uint32_t>2 << point) - 1


cdef inline int count_free_pairs(
    const Turn* turn, Own own, int die, uint32_t cap
) noexcept nogil:
    """How many ways two moves have, from sources within `cap`, when none bears off: two of the
    points, the same twice, or one checker twice onto and from a point that was not ours."""
    cdef uint32_t land = landings(turn, die)
    cdef uint32_t from_ = own.ge1 & land & cap
    cdef int n = count_bits(from_)
    return (
        (n * (n - 1) >> 1) + count_bits(from_ & own.ge2)
        + count_bits(from_ & ~((own.ge1 | (turn.stop & ~own.held)) << die) & land << die)
    )


cdef inline int count_free_triples(
    const Turn* turn, Own own, int die, uint32_t cap
) noexcept nogil:
    """How many ways three moves have from sources within `cap`, when none bears off."""
    cdef uint32_t from_ = own.ge1 & landings(turn, die) & cap
    cdef int n = 0, point
    while from_:
        point = highest(from_)
        from_ ^= bit(point)
        n += count_free_pairs(turn, moved(turn, own, point, die), die, up_to(point))
    return n


cdef inline int count_free(
    const Turn* turn, Own own, int die, uint32_t cap, int left
) noexcept nogil:
    """How many ways 0 to 3 moves have from sources within `cap`, when none bears off."""
    if left == 0:
        return 1
    if left == 1:
        return count_bits(own.ge1 & landings(turn, die) & cap)
    if left == 2:
        return count_free_pairs(turn, own, die, cap)
    return count_free_triples(turn, own, die, cap)


cdef inline int count_free_fours(const Turn* turn, Doubles* d) noexcept nogil:
    """How many ways four moves have when none bears off; kept by their first source."""
    cdef uint32_t from_ = d.own.ge1 & landings(turn, d.die)
    cdef int n = 0, i = 0, point
    while from_:
        point = highest(from_)
        from_ ^= bit(point)
        d.begun[i] = count_free_triples(turn, moved(turn, d.own, point, d.die), d.die, up_to(point))
        n += d.begun[i]
        i += 1
    return n


cdef inline int count_walk(
    const Turn* turn, Own own, int die, uint32_t cap, int left, bint stops_early
) noexcept nogil:
    """How many ways `left` moves have from sources within `cap`; with `stops_early` also those of
    fewer moves after which none is possible."""
    cdef uint32_t everywhere = sources(turn, own, die)
    cdef uint32_t from_ = everywhere & cap
    cdef int n = 0, point
    if stops_early and everywhere == 0:
        return 1
    if left == 1:
        return count_bits(from_)
    while from_:
        point = highest(from_)
        from_ ^= bit(point)
        n += count_walk(
            turn, moved(turn, own, point, die), die, up_to(point), left - 1, stops_early
        )
    return n


cdef inline void begin_doubles(
    const Turn* turn, int die, const RuleSet* rules, Doubles* d
) noexcept nogil:
    """Make the moves that leave no choice. If none is left after them, that is the only play."""
    cdef uint32_t from_
    d.die = die
    d.own = turn.own
    d.forced = 0
    d.left = 4
    d.plays = 0
    d.stops_early = not rules.max_dice
    d.free = (
        turn.own.ge1 & BAR_BIT != 0 or not turn.may_bear_off or turn.own.held & OUTSIDE != 0
        or outside(turn.own) >= 4
    )
    while d.left and (d.own.ge1 & BAR_BIT or (turn.gate and not d.own.ge1 & turn.gate)):
        from_ = sources(turn, d.own, die)
        if from_ == 0:
            d.left = 0  # RULES 48 and F1: the rest of the roll is lost, for nobody else may move
            break
        d.own = moved(turn, d.own, lowest(from_), die)
        d.forced |= move_code(lowest(from_), die) << 8 * (4 - d.left)
        d.left -= 1
    if d.left == 0:
        d.plays = d.forced != 0


cdef inline void find_doubles(
    const Turn* turn, int die, const RuleSet* rules, Doubles* d
) noexcept nogil:
    """Make the moves that leave no choice, and count the plays of as many more as can be made."""
    begin_doubles(turn, die, rules, d)
    if d.left == 0:
        return
    if d.stops_early:
        if d.forced or sources(turn, d.own, die):
            d.plays = count_walk(turn, d.own, die, up_to(BAR), d.left, True)
        return
    while True:
        if d.free and d.left == 4:
            d.plays = count_free_fours(turn, d)
        elif d.free:
            d.plays = count_free(turn, d.own, die, up_to(BAR), d.left)
        else:
            d.plays = count_walk(turn, d.own, die, up_to(BAR), d.left, False)
        if d.plays or d.left == 1:
            break
        d.left -= 1  # RULES 38
    if d.plays == 0 and d.forced:
        d.plays = 1  # only the forced moves can be played
        d.left = 0


cdef enum:
    # No more ways to make two moves: two of 15 checkers' points or the same twice (15 * 16 / 2), or
    # one checker twice. (A division here would be no constant in a Debug build.)
    BRANCHES = 15 * 8 + 15


cdef struct Branch:
    # Plays that begin with the same moves.
    Row row
    Own own  # after those moves
    uint32_t from_  # where the next one may start, one point at least
    Play play


cdef inline int grow_branches(
    const Turn* turn, const Doubles* d, const Branch* branch, int children, Branch* to, int shift,
    const Tables* tables
) noexcept nogil:
    """Fill `to` with the branches one move further on that can go on from there, when none bears
    off, and return how many children those have; the branches from `branch` on have so many."""
    cdef uint32_t land = landings(turn, d.die), left = branch.from_, none
    cdef int i, point, grandchildren = 0
    for i in range(children):
        point = highest(left)
        left ^= bit(point)
        copy_row(&to.row, &branch.row)
        add_step(&to.row, tables, turn, &branch.own, point, d.die)
        to.own = moved(turn, branch.own, point, d.die)
        to.from_ = to.own.ge1 & land & up_to(point)
        to.play = branch.play | move_code(point, d.die) << shift
        grandchildren += count_bits(to.from_)
        to += to.from_ != 0  # one that is overwritten has no children
        # On to the next branch when this one's points are used up, without a jump (`none_left`).
        none = none_left(left)
        branch += none
        left |= branch.from_ & (0 - none)
    to.from_ = 0
    return grandchildren


cdef inline void put_free(
    const Turn* turn, const Doubles* d, int left, const Row* row, Sink* sink
) noexcept nogil:
    """Put the plays of `left` moves after the forced ones, when none bears off. All branches are
    first taken a move further, then all of those: one long loop for each move is left once, where
    loops inside loops are left at a hundred points that nobody foresees."""
    cdef Branch root[2]
    cdef Branch first[26]
    cdef Branch second[BRANCHES + 2]
    cdef const Branch* branch = root
    cdef int shift = 8 * code_length(d.forced), children
    copy_row(&root[0].row, row)
    root[0].own = d.own
    root[0].from_ = d.own.ge1 & landings(turn, d.die)
    root[0].play = d.forced
    root[1].from_ = 0
    if left == 1:
        put_ends(turn, d, &d.own, root[0].from_, row, d.forced, shift, sink)
        return
    children = count_bits(root[0].from_)
    if left > 2:
        children = grow_branches(turn, d, branch, children, first, shift, sink.tables)
        branch = first
        shift += 8
    if left > 3:
        children = grow_branches(turn, d, branch, children, second, shift, sink.tables)
        branch = second
        shift += 8
    put_free_pairs(turn, d, branch, children, shift, sink)


cdef inline void put_ends(
    const Turn* turn, const Doubles* d, const Own* own, uint32_t from_, const Row* row, Play play,
    int shift, Sink* sink
) noexcept nogil:
    """Put the plays that end with one move more, from the points `from_`; `own` are the checkers
    before it."""
    put_last(
        sink, row, steps_of(sink.tables, turn, d.die), from_, joining(turn, own, d.die),
        leaving(turn, own), play, shift, d.die, 0,
    )


cdef inline void put_free_pairs(
    const Turn* turn, const Doubles* d, const Branch* branch, int children, int shift, Sink* sink
) noexcept nogil:
    """Put the plays that end with two moves more, when none bears off (see `count_free_pairs`)."""
    if sink.codes == NULL and turn.freed == 0:
        put_pairs(turn, d, branch, children, shift, sink, True)
    else:
        put_pairs(turn, d, branch, children, shift, sink, False)


cdef inline void put_pairs(
    const Turn* turn, const Doubles* d, const Branch* branch, int children, int shift, Sink* sink,
    bint plain
) noexcept nogil:
    """Do what `put_free_pairs` does; `plain` says that no codes are wanted and that no checker can
    be pinned: the compiler makes a loop of its own for that, of half the instructions."""
    cdef int die = d.die
    cdef const int8_t* steps = steps_of(sink.tables, turn, die)
    cdef uint32_t land = landings(turn, die), stop = turn.stop, alone = turn.alone
    cdef uint32_t left = branch.from_, b, second, none, joins, leaves = 0
    cdef int8_t* to = sink.boards
    cdef const Own* own
    cdef Own after
    cdef Row row
    cdef int point
    while children:
        children -= 1
        own = &branch.own
        point = highest(left)
        b = bit(point)
        left ^= b
        second = left | (b & own.ge2)
        second |= b >> die & land & ~((stop & ~own.held) | own.ge1)
        joins = (alone & ~(own.ge1 | own.held)) << die  # `joining`, without asking the turn again
        copy_row(&row, &branch.row)
        # Where the first of the two lands, the second joins nobody any more: that would be from the
        # same point.
        if plain:
            add_entry(&row, steps + ENTRY_BYTES * (point + JOINING * (joins >> point & 1)))
            to = store_each(to, &row, steps, second, joins & ~b)
        else:
            add_step(&row, sink.tables, turn, own, point, die)
            if turn.freed:
                after = moved(turn, own[0], point, die)
                leaves = leaving(turn, &after)
            put_last(
                sink, &row, steps, second, joins & ~b, leaves,
                branch.play | move_code(point, die) << shift, shift + 8, die, 0,
            )
        none = none_left(left)
        branch += none
        left |= branch.from_ & (0 - none)
    if plain:
        sink.boards = to


cdef inline void put_walk(
    const Turn* turn, const Doubles* d, const Own* own, uint32_t cap, int left, const Row* row,
    Play play, int shift, Sink* sink
) noexcept nogil:
    """Put the plays that go on from `play` with `left` more moves from sources within `cap`."""
    cdef uint32_t everywhere = sources(turn, own[0], d.die)
    cdef uint32_t from_ = everywhere & cap
    cdef Own after
    cdef Row next_row
    cdef int point
    if d.stops_early and everywhere == 0:
        put(sink, row, play)
        return
    if left == 1:
        put_ends(turn, d, own, from_, row, play, shift, sink)
        return
    while from_:
        point = highest(from_)
        from_ ^= bit(point)
        after = moved(turn, own[0], point, d.die)
        copy_row(&next_row, row)
        add_step(&next_row, sink.tables, turn, own, point, d.die)
        put_walk(
            turn, d, &after, up_to(point), left - 1, &next_row,
            play | move_code(point, d.die) << shift, shift + 8, sink,
        )


cdef inline void enumerate_doubles(
    const Turn* turn, const Doubles* d, Sink* sink
) noexcept nogil:
    """Put every distinct play, once."""
    if d.plays:
        put_longest(turn, d, d.left, d.left, sink)


cdef inline void list_doubles(
    const Turn* turn, int die, const RuleSet* rules, Doubles* d, Sink* sink
) noexcept nogil:
    """Put every distinct play, once, without counting them first; the sink wants boards."""
    begin_doubles(turn, die, rules, d)
    if d.left == 0:
        enumerate_doubles(turn, d, sink)
    elif not d.stops_early:
        put_longest(turn, d, d.left, 0 if d.forced else 1, sink)
    elif d.forced or sources(turn, d.own, die):
        put_longest(turn, d, d.left, d.left, sink)


cdef inline void put_longest(
    const Turn* turn, const Doubles* d, int most, int least, Sink* sink
) noexcept nogil:
    """Put the plays of `most` moves after the forced ones, or of the most that can be made, down to
    `least` (RULES 38)."""
    cdef Row row
    cdef int8_t* before = sink.boards
    copy_row(&row, &sink.base)
    play_row(&row, sink.tables, turn, d.forced)
    while most:
        if d.free and not d.stops_early:
            put_free(turn, d, most, &row, sink)
        else:
            put_walk(
                turn, d, &d.own, up_to(BAR), most, &row, d.forced, 8 * code_length(d.forced), sink
            )
        if most == least or sink.boards != before:
            return
        most -= 1
    if least == 0:
        put(sink, &row, d.forced)


cdef inline Play pick_doubles(const Turn* turn, const Doubles* d, int k) noexcept nogil:
    """The k-th play, k from 0 and below `d.plays`, in an order of its own."""
    cdef Own own = d.own, after
    cdef Play play = d.forced
    cdef int left = d.left, shift = 8 * code_length(d.forced), n, i, point
    cdef uint32_t cap = up_to(BAR), everywhere, from_
    while left:
        everywhere = sources(turn, own, d.die)
        if d.stops_early and everywhere == 0:
            break
        from_ = everywhere & cap
        if left == 1:
            return play | nth_of(from_, k, d.die) << shift
        i = 0
        while True:
            point = highest(from_)
            from_ ^= bit(point)
            if left == 4 and d.free and not d.stops_early:
                n = d.begun[i]
                i += 1
            else:
                after = moved(turn, own, point, d.die)
                if d.free and not d.stops_early:
                    n = count_free(turn, after, d.die, up_to(point), left - 1)
                else:
                    n = count_walk(turn, after, d.die, up_to(point), left - 1, d.stops_early)
            if k < n:
                break
            k -= n
        own = moved(turn, own, point, d.die)
        cap = up_to(point)
        play |= move_code(point, d.die) << shift
        shift += 8
        left -= 1
    return play
