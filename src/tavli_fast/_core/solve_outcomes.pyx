"""Sweeps that find the chances of all outcomes for given plays, in the steps of `solve.pyx`."""

import numpy as np

cimport cython
from libc.math cimport fabs
from libc.stdint cimport int64_t, uint16_t
from libc.string cimport memcpy

from tavli_fast._core.board.result cimport UNDECIDED
from tavli_fast._core.ruleset cimport rule_set
from tavli_fast._core.solved.numbering cimport (
    MASKS, NO_PAIR, Numbering, cut, fill, pending_at, settled, shift_of, side_hit, swept, variants,
)
from tavli_fast._core.solved.play_lists cimport MIXED, ROLLS

cdef extern from "solved/outcome_sums.h" nogil:
    void add_plays "tf_add_plays"(
        const uint16_t* plays, int first, int end, const double** rows, int shift, double* sums)

cdef enum:
    # Chances to win, win 2, win 3, lose, lose 2, lose 3 and draw, and the plies to come. The turn
    # passes: what he wins, I lose.
    PARTS = 8
    LOSE = 3
    DRAW = 6
    PLIES = 7


@cython.final
@cython.auto_pickle(False)
cdef class OutcomeSweeps:
    """The chances of the outcomes in all positions, and the sweeps that find them."""

    cdef readonly object positions
    cdef readonly object parts
    """float64[size, 8]: the chances to win (2, 3), to lose (2, 3) and to draw, and the plies."""
    cdef Numbering numbering
    cdef const uint16_t[:, ::1] plays
    cdef double[:, ::1] parts_now
    cdef double[:, ::1] pending  # those of positions with the mover on the bar
    cdef int shift  # of plays

    def __init__(self, positions not None, const uint16_t[:, ::1] plays not None):
        """Take the plays of `Values`, and begin with the finished games."""
        cdef int64_t i, size = positions.size
        cdef int points, k
        self.positions = positions
        self.numbering.rules = rule_set(positions.rules)
        fill(&self.numbering, positions)
        self.shift = shift_of(&self.numbering.rules)
        self.plays = plays
        # What a position has shall be in one line of the cache.
        room = np.zeros((size + 1) * PARTS)
        first = -(room.ctypes.data // sizeof(double)) % PARTS
        self.parts = room[first : first + size * PARTS].reshape(size, PARTS)
        self.parts_now = self.parts
        self.pending = np.zeros((positions.most_pending, PARTS))
        with nogil:
            for i in range(size):
                points = self.numbering.results[i]
                if points == UNDECIDED:
                    continue
                if points == 0:
                    self.parts_now[i, DRAW] = 1
                for k in range(3):
                    self.parts_now[i, k] = points > k
                    self.parts_now[i, LOSE + k] = -points > k

    def sweep(
        self, int pips, bint second, int part, int parts, bint all_of
    ):
        """Find the chances anew for the plays as they are chosen; otherwise as `sweep`."""
        cdef double change = 0
        cdef Numbering* n = &self.numbering
        cdef int b, first = n.pips_end[pips], end = n.pips_end[pips + 1]
        with nogil:
            if not second:
                for b in range(cut(0, first, part, parts), cut(0, first, part + 1, parts)):
                    change = max(change, self._sweep(
                        first, end, b, True, all_of
                    ))
            else:
                for b in range(cut(first, end, part, parts), cut(first, end, part + 1, parts)):
                    change = max(change, self._sweep(
                        0, first, b, False, all_of
                    ))
                for b in range(first, end if part == 0 else 0):
                    change = max(change, self._sweep(
                        first, end, b, False, all_of
                    ))
        return change

    cdef double _sweep(
        self, int first, int end, int b, bint later, bint all_of
    ) noexcept nogil:
        cdef Numbering* n = &self.numbering
        cdef int a, e, k
        cdef uint16_t place
        cdef int64_t here
        cdef double mixed[PARTS]
        cdef double doubles[PARTS]
        cdef double weight, change = 0
        cdef const double* rows[MASKS]
        cdef const uint16_t* best
        for k in range(MASKS):
            rows[k] = &self.parts_now[n.row[side_hit(n, b, k)], 0]
        for a in range(first, end):
            place = n.place[b * n.sides + a]
            if place & NO_PAIR or (not all_of and settled(n, a, b)):
                continue
            for e in range(variants(n, a, b)):
                here = n.row[a] + n.place[a * n.sides + b] + e
                if n.results[here] != UNDECIDED:
                    continue
                best = &self.plays[n.row[b] + place + e, 0]
                add_plays(best, 0, MIXED, rows, self.shift, mixed)
                add_plays(best, MIXED, ROLLS, rows, self.shift, doubles)
                for k in range(PARTS):
                    mixed[k] = (2 * mixed[k] + doubles[k]) / 36
                for k in range(LOSE):
                    weight = mixed[k]
                    mixed[k] = mixed[LOSE + k]
                    mixed[LOSE + k] = weight
                mixed[PLIES] += 1
                for k in range(PLIES):
                    change = max(change, fabs(mixed[k] - self.parts_now[here, k]))
                if later and n.bar[a] >= 0:
                    memcpy(&self.pending[pending_at(n, a, b), 0], mixed, sizeof(mixed))
                else:
                    memcpy(&self.parts_now[here, 0], mixed, sizeof(mixed))
        return change

    def commit(self, int pips, bint all_of):
        """Let what `sweep` has found take effect where the mover is on the bar."""
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
                        memcpy(
                            &self.parts_now[here, 0],
                            &self.pending[pending_at(n, a, b), 0], PARTS * sizeof(double),
                        )
