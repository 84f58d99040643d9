"""Any roll: the one door to counting, choosing and enumerating plays, and the tables they use."""

from libc.stdint cimport int8_t, uint32_t
from libc.string cimport memset

from tavli_fast._board cimport BAR, Turn
from tavli_fast._doubles cimport count_doubles, enumerate_doubles, pick_doubles
from tavli_fast._mixed cimport count_mixed, enumerate_mixed, pick_mixed
from tavli_fast._plays cimport Play, Sink, Tables
from tavli_fast._rules cimport RuleSet


cdef inline void fill_tables(Tables* tables) noexcept nogil:
    """Fill the rows that moves and hits add to a board (see `Tables`)."""
    cdef int die, point, to
    memset(tables, 0, sizeof(Tables))
    for die in range(1, 7):
        for point in range(1, BAR + 1):
            to = point - die if point > die else 0
            tables.move_rows[die][point][point] = -1
            tables.move_rows[die][point][to] = 1
    for point in range(1, BAR):
        tables.hit_rows[point][26 + 25 - point] = -1
        tables.hit_rows[point][26 + BAR] = 1


cdef inline int count_plays(
    const Turn* turn, int die1, int die2, const RuleSet* rules
) noexcept nogil:
    """How many distinct plays a roll has; 0 if no move is legal."""
    if die1 == die2:
        return count_doubles(turn, die1, rules)
    if die1 > die2:
        return count_mixed(turn, die1, die2, rules)
    return count_mixed(turn, die2, die1, rules)


cdef inline Play pick_play(
    const Turn* turn, int die1, int die2, int k, const RuleSet* rules
) noexcept nogil:
    """The k-th distinct play, k from 0 and below `count_plays`, in an order of its own."""
    if die1 == die2:
        return pick_doubles(turn, die1, k, rules)
    if die1 > die2:
        return pick_mixed(turn, die1, die2, k, rules)
    return pick_mixed(turn, die2, die1, k, rules)


cdef inline void enumerate_plays(
    const Turn* turn, int die1, int die2, const RuleSet* rules, Sink* sink
) noexcept nogil:
    """Put every distinct play of a roll into the sink, once."""
    if die1 == die2:
        enumerate_doubles(turn, die1, rules, sink)
    elif die1 > die2:
        enumerate_mixed(turn, die1, die2, rules, sink)
    else:
        enumerate_mixed(turn, die2, die1, rules, sink)
