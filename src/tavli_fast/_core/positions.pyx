"""All positions of a game of at most three checkers a side, numbered (`solved/numbering.pxd`)."""

from itertools import combinations_with_replacement

import numpy as np

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t, uint16_t, uint32_t
from libc.string cimport memcpy

from tavli_fast._core.board.check cimport is_position, opposite
from tavli_fast._core.board.masks cimport above
from tavli_fast._core.board.result cimport UNDECIDED, board_result
from tavli_fast._core.generate.play cimport BOARD_BYTES
from tavli_fast._core.ruleset cimport HIT, PIN, rule_set
from tavli_fast._core.solved.numbering cimport (
    MOST, NO_PAIR, SPOTS, Numbering, board_of, fill, multiset, position, side_of,
    variant_after, variants,
)


@cython.final
@cython.auto_pickle(False)
cdef class Positions:
    """All positions of a rule set, numbered, and the results of those in which the game is over."""

    cdef readonly object rules
    cdef readonly int64_t size
    """How many numbers positions have; `valid` of them can be."""
    cdef readonly int64_t valid
    cdef readonly int sides
    cdef readonly int most_pips
    cdef readonly object planes
    """int8[sides, 26]: the sides."""
    cdef readonly object number
    """uint16[K]: the side of each multiset of spots."""
    cdef readonly object pips
    """int32[sides]: the pips of each side, which are in this order."""
    cdef readonly object pips_end
    """int32[most_pips + 2]: how many sides have fewer pips than this."""
    cdef readonly object farthest
    """int8[sides]: the spot of the last checker."""
    cdef readonly object row
    """int32[sides + 1]: the first position of each mover's side."""
    cdef readonly object place
    """uint16[sides, sides]: the places of positions in their rows, + 0x8000 where there is none."""
    cdef readonly object hits
    """uint16[sides, 8]: the side after hits of these checkers, a mask of them in order."""
    cdef readonly object bar
    """int16[sides]: counts those of as many pips with a checker on the bar, -1 for the others."""
    cdef readonly int most_pending
    """How much may wait at once to take effect, see `solve.pyx`."""
    cdef readonly object results
    """int8[size]: the points of the player on roll in games that are over, else 127."""
    cdef Numbering numbering

    def __init__(self, rules):
        cdef int checkers = rules.checkers, s, p, i, mask
        self.numbering.rules = rule_set(rules)
        self.rules = rules
        spots = SPOTS if self.numbering.rules.contact == HIT else SPOTS - 1
        found = sorted(combinations_with_replacement(range(spots), checkers), key=lambda s: (sum(s), s))
        self.sides = len(found)
        planes = np.zeros((self.sides, SPOTS), np.int8)
        for s, side in enumerate(found):
            for p in side:
                planes[s, p] += 1
        self.planes = planes
        cdef const int8_t[:, ::1] plane = planes
        cdef uint16_t[::1] number = np.zeros(SPOTS * (SPOTS + 1) * (SPOTS + 2) // 6, np.uint16)
        for s in range(self.sides):
            number[multiset(&plane[s, 0])] = s
        self.number = number.base
        self.pips = np.array([sum(side) for side in found], np.int32)
        self.most_pips = self.pips[self.sides - 1]
        self.pips_end = np.searchsorted(
            self.pips, np.arange(-1, self.most_pips + 1), "right"
        ).astype(np.int32)
        self.farthest = np.array([max(side) for side in found], np.int8)
        hits = np.zeros((self.sides, 1 << MOST), np.uint16)
        index = {side: s for s, side in enumerate(found)}
        for s, side in enumerate(found):
            for mask in range(1 << checkers):
                hit = tuple(sorted(25 if mask >> i & 1 else p for i, p in enumerate(side)))
                hits[s, mask] = index.get(hit, 0)
        self.hits = hits
        on_bar = planes[:, 25] > 0
        count = np.cumsum(on_bar) - on_bar
        self.bar = np.where(on_bar, count - count[self.pips_end[self.pips]], -1).astype(np.int16)
        self.most_pending = (int(max(self.bar)) + 1) * self.sides
        self._number()

    def _number(self):
        """Number the positions, and find the results of those that are over."""
        cdef int a, b, e, count, sides = self.sides
        cdef int64_t here, valid = 0
        cdef int8_t board[BOARD_BYTES]
        cdef uint16_t[:, ::1] place = np.empty((sides, sides), np.uint16)
        cdef int32_t[::1] row = np.zeros(sides + 1, np.int32)
        cdef const int8_t[:, ::1] planes = self.planes
        cdef uint32_t[::1] facing = np.empty(sides, np.uint32)
        cdef uint32_t there
        # Of the checkers that meet on a point one must be alone, and pinned; else none may meet.
        cdef bint pins = self.numbering.rules.contact == PIN
        cdef int free = 1 if pins else 0
        cdef Numbering* n = &self.numbering
        self.place, self.row = place.base, row.base
        self.results = np.empty(1, np.int8)
        fill(n, self)
        with nogil:
            for b in range(sides):
                facing[b] = opposite(above(&planes[b, 0], free), &n.rules)
            for a in range(sides):
                there = above(&planes[a, 0], free)
                count = 0
                for b in range(sides):
                    place[a, b] = <uint16_t>count
                    if there & facing[b] or a == 0 and b == 0:
                        place[a, b] |= NO_PAIR
                    else:
                        count += variants(n, a, b)
                row[a + 1] = row[a] + count
        self.size = row[sides]
        cdef int8_t[::1] results = np.empty(self.size, np.int8)
        self.results = results.base
        with nogil:
            for a in range(sides):
                for b in range(sides):
                    here = position(n, a, b)
                    if here < 0:
                        continue
                    if not pins and a and b:
                        results[here] = UNDECIDED
                        valid += 1
                        continue
                    for e in range(variants(n, a, b)):
                        board_of(n, a, b, e, board)
                        results[here + e] = 0
                        if is_position(board, &n.rules):
                            results[here + e] = board_result(board, &n.rules)
                            valid += 1
        self.valid = valid
        fill(n, self)

    def find(self, const int8_t[:, :, ::1] boards not None, int32_t[::1] found not None):
        """Write the number of each position; the boards have been checked."""
        cdef Py_ssize_t i
        cdef int a, b
        cdef int8_t turned[BOARD_BYTES]
        cdef Numbering* n = &self.numbering
        with nogil:
            for i in range(boards.shape[0]):
                a = side_of(n, &boards[i, 0, 0])
                b = side_of(n, &boards[i, 1, 0])
                found[i] = <int32_t>position(n, a, b)
                if n.rules.contact == PIN:
                    memcpy(turned, &boards[i, 1, 0], SPOTS)
                    memcpy(turned + SPOTS, &boards[i, 0, 0], SPOTS)
                    found[i] += variant_after(turned)
