"""Plays of hitting games, listed by the mover's side, the closed point and the roll.

With so few checkers an opponent closes one point at most. Where landing on a blot is like landing on
an empty point, his blots change nothing but what is hit: a list for a board with blots on all points
that are free has every play, with the points that it lands on.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from tavli_fast._core.board.masks cimport above, mirror
from tavli_fast._core.generate.movegen cimport list_turn
from tavli_fast._core.generate.play cimport BOARD_BYTES, MAX_PLAYS, SPARE_BYTES
from tavli_fast._core.ruleset cimport HIT, NO_TRAP, RuleSet
from tavli_fast._core.search cimport Work
from tavli_fast._core.solved.numbering cimport SPOTS, Numbering, side_of

cdef extern from "solved/branchless.h" nogil:
    double least_of "tf_least_of"(double a, double b)
    double most_of "tf_most_of"(double a, double b)
    uint32_t gathered_bits "tf_gathered_bits"(uint32_t x, uint32_t mask)

cdef enum:
    ROLLS = 21
    MIXED = 15  # of them, which come first

ctypedef struct PlayList:  # all plays against one closed point
    uint32_t* begin  # [side * 21 + roll], and the end of the last
    uint16_t* sides  # after the play
    uint32_t* landings  # points, of those that the mover does not hold before


cdef inline bint can_list(const RuleSet* rules) noexcept nogil:
    """Whether the plays of a game depend on the opponent's closed point alone."""
    return (
        rules.contact == HIT and not rules.stop and not rules.cascade and not rules.parallel
        and rules.trap == NO_TRAP
    )


cdef inline void roll_of(int roll, int* high, int* low) noexcept nogil:
    """The dice of a roll by its number: first the mixed rolls, then the doubles."""
    cdef int h
    if roll >= MIXED:
        high[0] = low[0] = roll - MIXED + 1
        return
    h = 2
    while roll >= h - 1:
        roll -= h - 1
        h += 1
    high[0] = h
    low[0] = roll + 1


cdef inline void free_list(PlayList* list) noexcept nogil:
    free(list.begin)
    free(list.sides)
    free(list.landings)
    memset(list, 0, sizeof(PlayList))


cdef inline bint list_plays(
    PlayList* list, const Numbering* n, int closed, Work* work
) noexcept nogil:
    """List all plays against this closed point of the mover's, 0 for none; False if there is no
    room.

    Those of a roll stand in the order of the sides after them, so that those which differ in their
    landings alone are next to each other.
    """
    cdef int8_t board[BOARD_BYTES]
    cdef int8_t after[MAX_PLAYS * BOARD_BYTES + SPARE_BYTES]
    cdef int s, p, roll, high, low, i, found
    cdef uint32_t count = 0, room = 0, before, k
    cdef uint16_t side
    cdef void* more
    list.begin = <uint32_t*>malloc((n.sides * ROLLS + 1) * sizeof(uint32_t))
    if list.begin == NULL:
        return False
    for s in range(n.sides):
        for p in range(SPOTS):
            board[p] = n.planes[s * SPOTS + p]
            board[SPOTS + p] = 0
        for p in range(1, 25):
            if p == closed:
                board[SPOTS + 25 - p] = 2
            elif not board[p]:
                board[SPOTS + 25 - p] = 1
        before = mirror(above(board + SPOTS, 0))
        for roll in range(ROLLS):
            list.begin[s * ROLLS + roll] = count
            if closed and board[closed]:
                continue
            roll_of(roll, &high, &low)
            found = <int>list_turn(board, high, low, &n.rules, work, after, MAX_PLAYS, NULL, 0)
            if count + found > room:
                room = 2 * room + 1024
                more = realloc(list.sides, room * sizeof(uint16_t))
                if more == NULL:
                    return False
                list.sides = <uint16_t*>more
                more = realloc(list.landings, room * sizeof(uint32_t))
                if more == NULL:
                    return False
                list.landings = <uint32_t*>more
            for i in range(found):
                side = <uint16_t>side_of(n, after + BOARD_BYTES * i)
                k = count
                while k > list.begin[s * ROLLS + roll] and list.sides[k - 1] > side:
                    list.sides[k] = list.sides[k - 1]
                    list.landings[k] = list.landings[k - 1]
                    k -= 1
                list.sides[k] = side
                list.landings[k] = before & ~mirror(above(after + BOARD_BYTES * i + SPOTS, 0))
                count += 1
    list.begin[n.sides * ROLLS] = count
    return True
