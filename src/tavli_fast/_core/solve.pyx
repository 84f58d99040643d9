"""Sweeps over all positions of a game of few checkers: what each is worth, by best play or given plays.

A sweep takes sides by their pips, fewest first, in two steps for each number of pips: first these
sides on roll against all with fewer pips, then against them all with at most as many. Without a hit a
play so leads to a position that has just been done. After a hit the opponent is on the bar. What the
first step finds for movers on the bar takes effect at its end: within a step no position depends on
another one, so that it does not matter in which order threads come to them.

The best play of each roll is kept, and most sweeps only follow those.
"""

import numpy as np

cimport cython
from libc.math cimport fabs
from libc.stdint cimport int8_t, int64_t, uint16_t, uint32_t
from libc.string cimport memcmp

from tavli_fast._core.board.result cimport UNDECIDED
from tavli_fast._core.generate.movegen cimport list_turn
from tavli_fast._core.generate.play cimport BOARD_BYTES, MAX_PLAYS, SPARE_BYTES
from tavli_fast._core.ruleset cimport HIT, rule_set
from tavli_fast._core.search cimport Work, free_work, new_work, too_many
from tavli_fast._core.solved.numbering cimport (
    MASKS, NO_PAIR, PLACE_BITS, SPOTS, Numbering, board_of, cut, fill, pending_at, settled,
    shift_of, side_hit, side_of, swept, variant_after, variants,
)
from tavli_fast._core.solved.play_lists cimport (
    MIXED, ROLLS, PlayList, can_list, free_list, gathered_bits, least_of, list_plays, most_of,
    roll_of,
)

cdef enum:
    CLOSED = 25  # no closed point, or one of 24



@cython.final
@cython.auto_pickle(False)
cdef class Values:
    """What the positions are worth to the player on roll with the cube in one place, and the best
    play of each roll."""

    cdef readonly object rolled
    """float64[size]: if he rolls now."""
    cdef readonly object acted
    """float64[size]: if he may double before; the same array if he never may."""
    cdef readonly object plays
    """uint16[size, 21]: the best plays, by the opponent's side and then the mover's. Each is the
    place in its row of the position that it leads to; in hitting games 12 bits of it, and above them
    which of the blots are hit."""
    cdef double[::1] roll_now
    cdef double[::1] act_now
    cdef double[::1] pending  # what positions with the mover on the bar will be worth
    cdef uint16_t[:, ::1] best
    cdef float[::1] sure  # until `moved` is beyond this, the best plays stay the best
    cdef double moved  # the sum of the largest changes so far

    def __init__(self, positions not None, finished not None, bint doubles):
        """Begin with values of the finished games, float64[size], which become these."""
        self.rolled = self.roll_now = finished
        self.acted = self.act_now = finished.copy() if doubles else finished
        self.pending = np.zeros(positions.most_pending)
        self.plays = self.best = np.empty((positions.size, ROLLS), np.uint16)
        self.sure = np.full(positions.size, -1, np.float32)
        self.moved = 0

    def end_sweep(self, double change):
        """Note by how much values have changed at the most."""
        self.moved += change

    def keep_plays(self):
        """Give back the memory that only sweeps need."""
        self.pending = np.zeros(0)
        self.sure = np.zeros(0, np.float32)

    def keep_values(self):
        """Give back the plays' memory too."""
        self.keep_plays()
        self.plays = self.best = np.zeros((0, ROLLS), np.uint16)


cdef struct Rows:  # the rows of the positions that a play against a side leads to
    const double* values[MASKS]  # by what is hit: bit k is the k-th blot, in the mover's order
    const uint16_t* places[MASKS]
    int closed  # the point that he holds, in the mover's numbers, or 0
    uint32_t blots


@cython.final
@cython.auto_pickle(False)
cdef class Sweeps:
    """The sweeps over all positions, and what they share."""

    cdef readonly object positions
    cdef readonly bint listed
    """Whether plays are looked up in lists, which `list_plays` makes, 0 to 24."""
    cdef Numbering numbering
    cdef PlayList lists[CLOSED]
    cdef int shift, mask  # of plays

    def __cinit__(self, positions not None):
        self.positions = positions
        self.numbering.rules = rule_set(positions.rules)
        fill(&self.numbering, positions)
        self.listed = can_list(&self.numbering.rules)
        self.shift = shift_of(&self.numbering.rules)
        self.mask = (1 << self.shift) - 1

    def __dealloc__(self):
        self.forget_plays()

    def list_plays(self, int closed):
        """List all plays against one closed point, or against none for 0."""
        cdef Work* work = new_work()
        cdef bint found
        try:
            with nogil:
                free_list(&self.lists[closed])
                found = list_plays(&self.lists[closed], &self.numbering, closed, work)
            if not found:
                raise MemoryError("no room for the lists of plays")
        finally:
            free_work(work)

    cpdef forget_plays(self):
        """Give back the lists' memory."""
        cdef int closed
        for closed in range(CLOSED):
            free_list(&self.lists[closed])

    def sweep(
        self, Values values not None, Values then not None, Values doubled, double cash, int pips,
        bint second, int part, int parts, bint improve, bint all_of
    ):
        """Find the values of a part of the positions of a step; return the largest change.

        `then` are the values of the place in which the cube lies for the opponent, who acts next;
        `doubled` those of the cube with the opponent, if the player on roll may double, and `cash`
        is what a double that is passed wins. With `improve` best plays are chosen anew. Without
        `all_of` positions in which the sides have passed each other stay as they are. The first
        step's are complete with `commit`.
        """
        cdef Work* work = new_work()
        cdef double change = 0
        cdef Numbering* n = &self.numbering
        cdef int b, first = n.pips_end[pips], end = n.pips_end[pips + 1]
        try:
            with nogil:
                if not second:
                    for b in range(cut(0, first, part, parts), cut(0, first, part + 1, parts)):
                        change = max(change, self._sweep(
                            values, then, doubled, cash, first, end, b, True, improve, all_of,
                            work,
                        ))
                else:
                    for b in range(
                        cut(first, end, part, parts), cut(first, end, part + 1, parts)
                    ):
                        change = max(change, self._sweep(
                            values, then, doubled, cash, 0, first, b, False, improve, all_of,
                            work,
                        ))
                    # In these whoever cannot move leads to another of them.
                    for b in range(first, end if part == 0 else 0):
                        change = max(change, self._sweep(
                            values, then, doubled, cash, first, end, b, False, improve, all_of,
                            work,
                        ))
            if work.failed:
                raise too_many()
        finally:
            free_work(work)
        return change

    cdef double _sweep(
        self, Values values, Values then, Values doubled, double cash, int first, int end, int b,
        bint later, bint improve, bint all_of, Work* work
    ) noexcept nogil:
        """Sweep the positions of some movers' sides against one opponent's."""
        cdef Numbering* n = &self.numbering
        cdef Rows rows
        cdef int a, e
        cdef uint16_t place
        cdef int64_t here, slot
        cdef double value, change = 0
        self.face(b, &then.act_now[0], &rows)
        for a in range(first, end):
            place = rows.places[0][a]
            if place & NO_PAIR or (not all_of and settled(n, a, b)):
                continue
            slot = n.row[b] + place
            for e in range(variants(n, a, b)):
                here = n.row[a] + n.place[a * n.sides + b] + e
                if n.results[here] != UNDECIDED:
                    continue
                if not improve or values.moved < values.sure[slot + e]:
                    value = self._followed(&values.best[slot + e, 0], &rows)
                elif self.listed:
                    value = self._improved(values, slot + e, a, &rows)
                else:
                    value = self._improved_board(values, slot + e, a, b, e, &rows, work)
                change = max(change, fabs(value - values.roll_now[here]))
                if later and n.bar[a] >= 0:
                    values.pending[pending_at(n, a, b)] = value
                else:
                    self.put(values, doubled, cash, here, value)
        return change

    cdef inline void put(
        self, Values values, Values doubled, double cash, int64_t here, double value
    ) noexcept nogil:
        """Let a value take effect."""
        values.roll_now[here] = value
        if doubled is not None:
            values.act_now[here] = max(value, min(2 * doubled.roll_now[here], cash))

    cdef inline void face(self, int b, const double* values, Rows* rows) noexcept nogil:
        """Find where plays against a side lead."""
        cdef Numbering* n = &self.numbering
        cdef int hits, p, side
        for hits in range(MASKS):
            side = side_hit(n, b, hits)
            rows.values[hits] = values + n.row[side]
            rows.places[hits] = n.place + side * n.sides
        rows.closed = rows.blots = 0
        for p in range(1, 25):
            if n.planes[b * SPOTS + p] == 1:
                rows.blots |= <uint32_t>1 << (25 - p)
            elif n.planes[b * SPOTS + p] > 1:
                rows.closed = 25 - p

    cdef inline double _followed(self, const uint16_t* best, const Rows* rows) noexcept nogil:
        """What a position is worth by the plays as they are chosen."""
        cdef int roll, shift = self.shift, mask = self.mask
        cdef double mixed = 0, doubles = 0
        for roll in range(MIXED):
            mixed += rows.values[best[roll] >> shift][best[roll] & mask]
        for roll in range(MIXED, ROLLS):
            doubles += rows.values[best[roll] >> shift][best[roll] & mask]
        return -(2 * mixed + doubles) / 36

    cdef inline double _improved(
        self, Values values, int64_t slot, int a, const Rows* rows
    ) noexcept nogil:
        """Choose the best plays of a position anew from the lists; return what it is worth."""
        cdef const PlayList* plays = &self.lists[rows.closed]
        cdef int roll
        cdef double gap = 100, mixed = 0, doubles = 0
        for roll in range(MIXED):
            mixed += self._best(plays, a * ROLLS + roll, rows, a, &values.best[slot, roll], &gap)
        for roll in range(MIXED, ROLLS):
            doubles += self._best(plays, a * ROLLS + roll, rows, a, &values.best[slot, roll], &gap)
        # Two plays come closer by twice what values change at the most.
        values.sure[slot] = <float>((values.moved + gap / 2) * (1 - 1.2e-7))
        return -(2 * mixed + doubles) / 36

    cdef inline double _best(
        self, const PlayList* plays, int at, const Rows* rows, int a, uint16_t* chosen, double* gap
    ) noexcept nogil:
        """Choose the play after which the opponent has least."""
        cdef double value, least = 100, second = 100
        cdef uint32_t i = plays.begin[at], end = plays.begin[at + 1]
        cdef uint32_t hits, code, found = 0, last = 0xffff
        if i == end:
            chosen[0] = rows.places[0][a]
            return rows.values[0][chosen[0]]
        while i < end:
            hits = gathered_bits(plays.landings[i], rows.blots)
            code = rows.places[hits][plays.sides[i]]
            value = rows.values[hits][code]
            code |= hits << PLACE_BITS
            # The same play by another way does not count as the second best.
            second = least_of(second, most_of(least, value if code != last else 100.))
            found = code if value < least else found
            least = least_of(least, value)
            last = code
            i += 1
        chosen[0] = <uint16_t>found
        gap[0] = least_of(gap[0], second - least)
        return least

    cdef double _improved_board(
        self, Values values, int64_t slot, int a, int b, int e, const Rows* rows, Work* work
    ) noexcept nogil:
        """Choose the best plays of a position anew, as the move generator lists them."""
        cdef Numbering* n = &self.numbering
        cdef int8_t board[BOARD_BYTES]
        cdef int8_t after[MAX_PLAYS * BOARD_BYTES + SPARE_BYTES]
        cdef int high, low, roll, i, count
        cdef uint16_t code, chosen
        cdef double value, least, second, gap = 100, sum = 0
        board_of(n, a, b, e, board)
        for roll in range(ROLLS):
            roll_of(roll, &high, &low)
            count = <int>list_turn(board, high, low, &n.rules, work, after, MAX_PLAYS, NULL, 0)
            least = second = 100
            chosen = 0
            if count == 0:
                chosen = self.code_of(b, board, board, rows)
                least = rows.values[chosen >> self.shift][chosen & self.mask]
            for i in range(count):
                code = self.code_of(b, board, after + BOARD_BYTES * i, rows)
                value = rows.values[code >> self.shift][code & self.mask]
                if value < least:
                    second = least
                    least = value
                    chosen = code
                elif value < second:
                    second = value
            gap = min(gap, second - least)
            values.best[slot, roll] = chosen
            sum += 2 * least if roll < MIXED else least
        values.sure[slot] = <float>((values.moved + gap / 2) * (1 - 1.2e-7))
        return -sum / 36

    cdef inline uint16_t code_of(
        self, int b, const int8_t* before, const int8_t* after, const Rows* rows
    ) noexcept nogil:
        """A play in one word, from the boards before and after it."""
        cdef Numbering* n = &self.numbering
        cdef int mask = 0, there, side = side_of(n, after)
        if n.rules.contact != HIT:
            return rows.places[0][side] + <uint16_t>variant_after(after)
        if memcmp(before + SPOTS, after + SPOTS, SPOTS):
            there = side_of(n, after + SPOTS)
            while mask < MASKS - 1 and side_hit(n, b, mask) != there:
                mask += 1
        return rows.places[mask][side] | <uint16_t>(mask << PLACE_BITS)

    def commit(self, Values values not None, Values doubled, double cash, int pips, bint all_of):
        """Let what the first step has found take effect where the mover is on the bar."""
        cdef Numbering* n = &self.numbering
        cdef int a, b
        cdef int64_t here
        with nogil:
            for a in range(n.pips_end[pips], n.pips_end[pips + 1]):
                if n.bar[a] < 0:
                    continue
                for b in range(n.pips_end[pips]):
                    here = swept(n, a, b, all_of)
                    if here >= 0:
                        self.put(values, doubled, cash, here, values.pending[pending_at(n, a, b)])
