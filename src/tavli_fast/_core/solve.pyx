"""Games of at most three checkers a side solved exactly: what every position is worth.

A position is the mover's side, the opponent's side, and for each point with one checker of each
whose is the pinned one. Sides are numbered by their pips, so all sides of as many pips stand
together. A sweep takes the positions by the pips of both sides, fewest first: without a hit a play
leads to a position that has just been done.

Finding the plays of all rolls takes some thirty times as long as looking up what a play leads to.
So the best play of each roll is kept, as the mover's new side (12 bits) and what it does to the
opponent (which checkers are hit, or who lies on top), and most sweeps only follow those.
"""

import numpy as np

cimport cython
from libc.math cimport fabs
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy, memset

from tavli_fast._core.board.check cimport is_position
from tavli_fast._core.board.masks cimport above, lowest, pinned
from tavli_fast._core.board.result cimport UNDECIDED, board_result
from tavli_fast._core.generate.movegen cimport list_turn
from tavli_fast._core.generate.play cimport BOARD_BYTES, MAX_PLAYS, SPARE_BYTES
from tavli_fast._core.ruleset cimport HIT, PIN, RuleSet, rule_set
from tavli_fast._core.search cimport Work, free_work, new_work, too_many

cdef enum:
    SPOTS = 26  # off, the points and the bar
    ROLLS = 21
    MOST = 3
    SIDE_BITS = 12
    SIDE_MASK = (1 << SIDE_BITS) - 1
    # Chances to win, win 2, win 3, lose, lose 2, lose 3 and draw, and the plies to come. The turn
    # passes: what he wins, I lose.
    PARTS = 8
    LOSE = 3
    DRAW = 6
    PLIES = 7


cdef inline int rank_of(const int8_t* plane) noexcept nogil:
    """The number of a side among the multisets of its checkers' spots, pinned or not."""
    cdef uint32_t there = above(plane, 0) | pinned(plane)
    cdef int rank = 0, k = 0, p, n
    while there:
        p = lowest(there)
        there &= there - 1
        n = plane[p] if plane[p] > 0 else 1
        while n:
            k += 1
            if k == 1:
                rank += p
            elif k == 2:
                rank += (p + 1) * p // 2
            else:
                rank += (p + 2) * (p + 1) * p // 6
            n -= 1
    return rank


@cython.final
@cython.auto_pickle(False)
cdef class Values:
    """What the positions are worth to the player on roll with the cube in one place, and the best
    play of each roll."""

    cdef readonly object rolled
    """float64[size]: if he rolls now."""
    cdef readonly object acted
    """float64[size]: if he may double before; the same array if he never may."""
    cdef double[::1] roll_now
    cdef double[::1] act_now
    cdef double[::1] fresh
    cdef uint16_t[:, ::1] best  # [size, 21]
    cdef double moved  # the sum of the largest changes of all sweeps so far
    cdef float[::1] sure  # until `moved` is beyond this, the best plays stay the best

    def __init__(self, finished, bint doubles):
        """Begin with the values of the finished games, float64[size], and 0 for all others."""
        size = len(finished)
        self.rolled = self.roll_now = finished.copy()
        self.acted = self.act_now = finished.copy() if doubles else self.rolled
        self.fresh = np.zeros(size)
        self.best = np.zeros((size, ROLLS), np.uint16)
        self.sure = np.full(size, -1, np.float32)
        self.moved = 0

    def end_sweep(self, double change):
        """Note by how much a sweep has changed the values at the most."""
        self.moved += change

    def keep_plays(self):
        """Give back the memory that only sweeps need."""
        self.fresh = np.zeros(0)
        self.sure = np.zeros(0, np.float32)

    def keep_values(self):
        """Give back the plays' memory too."""
        self.keep_plays()
        self.best = np.zeros((0, ROLLS), np.uint16)


@cython.final
@cython.auto_pickle(False)
cdef class Space:
    """All positions of a rule set, numbered, and the sweeps over them."""

    cdef readonly object rules
    cdef readonly int64_t size
    """How many numbers positions have; `valid` of them can be."""
    cdef readonly int64_t valid
    cdef readonly int sides
    cdef readonly int most_pips
    cdef readonly object finished
    """float64[size]: the points of the player on roll in games that are over, else 0."""
    cdef readonly object parts
    """float64[size, 8], once asked for: chances to win (2, 3), to lose (2, 3) and to draw, plies."""
    cdef RuleSet compiled
    cdef int8_t[:, ::1] planes  # [sides, 26]
    cdef uint16_t[::1] number  # of a rank
    cdef int32_t[::1] pips_end  # sides of at most so many pips
    cdef int32_t[::1] pips
    cdef int8_t[::1] farthest
    cdef int32_t[:, ::1] base  # [mover's side, opponent's side]: the first position, -1 for none
    cdef uint16_t[:, ::1] hits  # [side, mask of its checkers in order]: the side after these hits
    cdef uint8_t[::1] over
    cdef double[:, ::1] shares

    def __init__(self, rules):
        cdef int checkers = rules.checkers, s, k, p, i, j, mask, rank, count
        cdef int8_t[:, ::1] planes
        self.rules = rules
        self.compiled = rule_set(rules)
        from itertools import combinations_with_replacement
        spots = SPOTS if self.compiled.contact == HIT else SPOTS - 1
        found = sorted(combinations_with_replacement(range(spots), checkers), key=lambda s: (sum(s), s))
        self.sides = count = len(found)
        array = np.zeros((count, SPOTS), np.int8)
        for s, side in enumerate(found):
            for p in side:
                array[s, p] += 1
        self.planes = planes = array
        self.number = np.zeros(SPOTS * (SPOTS + 1) * (SPOTS + 2) // 6, np.uint16)
        for s in range(count):
            self.number[rank_of(&planes[s, 0])] = s
        pips = np.array([sum(side) for side in found], np.int32)
        self.pips = pips
        self.most_pips = pips[count - 1]
        self.pips_end = np.searchsorted(pips, np.arange(-1, self.most_pips + 1), "right").astype(np.int32)
        self.farthest = np.array([max(side) for side in found], np.int8)
        hits = np.zeros((count, 1 << MOST), np.uint16)
        index = {side: s for s, side in enumerate(found)}
        for s, side in enumerate(found):
            for mask in range(1 << checkers):
                hit = tuple(sorted(25 if mask >> i & 1 else p for i, p in enumerate(side)))
                hits[s, mask] = index.get(hit, 0)
        self.hits = hits
        self._number_positions()

    def _number_positions(self):
        """Number the positions, mark those that are over, and give those their values."""
        cdef int a, b, e, points, variants
        cdef int64_t n = 0, valid = 0
        cdef int8_t board[BOARD_BYTES]
        cdef bint any_valid
        cdef double[::1] worth
        base = np.full((self.sides, self.sides), -1, np.int32)
        self.base = base
        with nogil:
            for a in range(self.sides):
                for b in range(self.sides):
                    variants = self.variants(a, b)
                    any_valid = False
                    for e in range(variants):
                        self.board_of(a, b, e, board)
                        if is_position(board, &self.compiled):
                            any_valid = True
                            valid += 1
                    if any_valid:
                        self.base[a, b] = <int32_t>n
                        n += variants
        self.size = n
        self.valid = valid
        self.over = np.zeros(n, np.uint8)
        self.finished = worth = np.zeros(n)
        with nogil:
            for a in range(self.sides):
                for b in range(self.sides):
                    if self.base[a, b] < 0:
                        continue
                    for e in range(self.variants(a, b)):
                        self.board_of(a, b, e, board)
                        if not is_position(board, &self.compiled):
                            self.over[self.base[a, b] + e] = 1
                            continue
                        points = board_result(board, &self.compiled)
                        if points != UNDECIDED:
                            self.over[self.base[a, b] + e] = 1
                            worth[self.base[a, b] + e] = points

    cdef inline int variants(self, int a, int b) noexcept nogil:
        """How many positions these sides have: 2 for each point with one checker of each."""
        cdef int p, found = 1
        if self.compiled.contact != PIN:
            return 1
        for p in range(1, 25):
            if self.planes[a, p] == 1 and self.planes[b, 25 - p] == 1:
                found *= 2
        return found

    cdef inline void board_of(self, int a, int b, int e, int8_t* board) noexcept nogil:
        """Write the board of a position: bit i of `e` says that of the i-th point with one checker
        of each, in the mover's order, the mover's is pinned."""
        cdef int p, mine, theirs
        memcpy(board, &self.planes[a, 0], SPOTS)
        memcpy(board + SPOTS, &self.planes[b, 0], SPOTS)
        if self.compiled.contact != PIN:
            return
        for p in range(1, 25):
            mine = board[p]
            theirs = board[SPOTS + 25 - p]
            if not mine or not theirs:
                continue
            if mine == 1 and theirs == 1:
                if e & 1:
                    board[p] = -1
                else:
                    board[SPOTS + 25 - p] = -1
                e >>= 1
            elif mine == 1:
                board[p] = -1
            elif theirs == 1:
                board[SPOTS + 25 - p] = -1

    cdef inline int variant_after(self, const int8_t* board) noexcept nogil:
        """Which variant the board is for the opponent of plane 0, who is on roll next."""
        cdef int p, e = 0, i = 0
        for p in range(1, 25):
            if board[SPOTS + p] * board[25 - p] == -1:
                e |= (board[SPOTS + p] < 0) << i
                i += 1
        return e

    cdef inline uint16_t code_of(self, int b, const int8_t* before, const int8_t* after) noexcept nogil:
        """A play in one word, from the boards before and after it."""
        cdef int mask = 0, there
        cdef uint16_t code = self.number[rank_of(after)]
        if self.compiled.contact == PIN:
            return code | <uint16_t>(self.variant_after(after) << SIDE_BITS)
        if self.compiled.contact == HIT and memcmp(before + SPOTS, after + SPOTS, SPOTS):
            there = self.number[rank_of(after + SPOTS)]
            while mask < 7 and self.hits[b, mask] != there:
                mask += 1
            code |= <uint16_t>(mask << SIDE_BITS)
        return code

    cdef inline int64_t follow(self, int b, uint16_t code) noexcept nogil:
        """The position after a play, as its next mover has it."""
        cdef int extra = code >> SIDE_BITS
        if self.compiled.contact == HIT:
            return self.base[self.hits[b, extra], code & SIDE_MASK]
        return self.base[b, code & SIDE_MASK] + extra

    cdef inline bint settled(self, int a, int b) noexcept nogil:
        """Whether the sides have passed each other, so that one sweep finds what they are worth."""
        return not self.compiled.parallel and self.farthest[a] + self.farthest[b] < 25

    def level(self, int pips):
        """Return int32[K]: the opponent's sides of the positions with so many pips of both."""
        first = self.pips_end[max(0, pips - self.most_pips)]
        last = self.pips_end[min(pips, self.most_pips) + 1]
        return np.arange(first, last, dtype=np.int32)

    def improve(
        self, Values values not None, Values then not None, int pips,
        const int32_t[::1] opponents not None, bint all_of
    ):
        """Choose the best play of each roll anew; return the largest change of a value.

        For the positions with so many pips of both and these opponent's sides. `then` are the
        values of the place in which the cube lies for the opponent, who acts next. What is found
        takes effect with `commit`. Without `all_of` positions in which the sides have passed each
        other stay as they are.
        """
        cdef Work* work = new_work()
        cdef double change = 0
        try:
            with nogil:
                change = self._improve(values, then.act_now, pips, opponents, all_of, work)
            if work.failed:
                raise too_many()
        finally:
            free_work(work)
        return change

    cdef double _improve(
        self, Values values, const double[::1] after_value, int pips,
        const int32_t[::1] opponents, bint all_of, Work* work
    ) noexcept nogil:
        cdef int8_t board[BOARD_BYTES]
        cdef int8_t after[MAX_PLAYS * BOARD_BYTES + SPARE_BYTES]
        cdef int a, b, e, high, low, roll, n, i
        cdef int64_t here
        cdef Py_ssize_t k
        cdef uint16_t code, chosen
        cdef double value, most, second, sum, gap, change = 0
        for k in range(opponents.shape[0]):
            b = opponents[k]
            for a in range(self.pips_end[pips - self.pips[b]], self.pips_end[pips - self.pips[b] + 1]):
                if self.base[a, b] < 0 or (not all_of and self.settled(a, b)):
                    continue
                for e in range(self.variants(a, b)):
                    here = self.base[a, b] + e
                    if self.over[here]:
                        continue
                    if values.moved < values.sure[here]:
                        values.fresh[here] = self._followed(values, after_value, b, here)
                        change = max(change, fabs(values.fresh[here] - values.roll_now[here]))
                        continue
                    self.board_of(a, b, e, board)
                    sum = 0
                    gap = 100
                    roll = 0
                    for high in range(1, 7):
                        for low in range(1, high + 1):
                            n = list_turn(
                                board, high, low, &self.compiled, work, after, MAX_PLAYS, NULL, 0
                            )
                            if n == 0:
                                chosen = self.code_of(b, board, board)
                                most = -after_value[self.follow(b, chosen)]
                            else:
                                most = second = -100
                                chosen = 0
                                for i in range(n):
                                    code = self.code_of(b, board, after + BOARD_BYTES * i)
                                    value = -after_value[self.follow(b, code)]
                                    if value > most:
                                        second = most
                                        most = value
                                        chosen = code
                                    elif value > second:
                                        second = value
                                gap = min(gap, most - second)
                            values.best[here, roll] = chosen
                            sum += most if low == high else 2 * most
                            roll += 1
                    sum /= 36
                    change = max(change, fabs(sum - values.roll_now[here]))
                    values.fresh[here] = sum
                    # Two plays come closer by twice what values change at the most.
                    values.sure[here] = <float>((values.moved + gap / 2) * (1 - 1e-6))
        return change

    cdef inline double _followed(
        self, Values values, const double[::1] after_value, int b, int64_t here
    ) noexcept nogil:
        """What a position is worth by the plays as they are chosen."""
        cdef int high, low, roll = 0
        cdef double value, sum = 0
        for high in range(1, 7):
            for low in range(1, high + 1):
                value = after_value[self.follow(b, values.best[here, roll])]
                sum -= value if low == high else 2 * value
                roll += 1
        return sum / 36

    def evaluate(
        self, Values values not None, Values then not None, int pips,
        const int32_t[::1] opponents not None, bint all_of
    ):
        """Find the values anew for the plays as they are chosen; otherwise as `improve`."""
        cdef double change = 0
        with nogil:
            change = self._evaluate(values, then.act_now, pips, opponents, all_of)
        return change

    cdef double _evaluate(
        self, Values values, const double[::1] after_value, int pips,
        const int32_t[::1] opponents, bint all_of
    ) noexcept nogil:
        cdef int a, b, e
        cdef int64_t here
        cdef Py_ssize_t k
        cdef double change = 0
        for k in range(opponents.shape[0]):
            b = opponents[k]
            for a in range(self.pips_end[pips - self.pips[b]], self.pips_end[pips - self.pips[b] + 1]):
                if self.base[a, b] < 0 or (not all_of and self.settled(a, b)):
                    continue
                for e in range(self.variants(a, b)):
                    here = self.base[a, b] + e
                    if not self.over[here]:
                        values.fresh[here] = self._followed(values, after_value, b, here)
                        change = max(change, fabs(values.fresh[here] - values.roll_now[here]))
        return change

    def commit(
        self, Values values not None, Values doubled, double cash, int pips,
        const int32_t[::1] opponents not None, bint all_of
    ):
        """Let the values that a sweep has found for a level take effect.

        `doubled` are those of the cube with the opponent, if the player on roll may double; `cash`
        is what a double that is passed wins.
        """
        cdef int a, b, e
        cdef int64_t here
        cdef Py_ssize_t k
        cdef bint doubles = doubled is not None
        with nogil:
            for k in range(opponents.shape[0]):
                b = opponents[k]
                for a in range(
                    self.pips_end[pips - self.pips[b]], self.pips_end[pips - self.pips[b] + 1]
                ):
                    if self.base[a, b] < 0 or (not all_of and self.settled(a, b)):
                        continue
                    for e in range(self.variants(a, b)):
                        here = self.base[a, b] + e
                        if self.over[here]:
                            continue
                        values.roll_now[here] = values.fresh[here]
                        if doubles:
                            values.act_now[here] = max(
                                values.fresh[here], min(2 * doubled.roll_now[here], cash)
                            )

    def begin_parts(self):
        """Make room for the chances of the outcomes."""
        cdef int64_t i
        cdef int points, k
        cdef double[::1] finished = self.finished
        self.parts = np.zeros((self.size, PARTS))
        self.shares = self.parts
        with nogil:
            for i in range(self.size):
                if self.over[i]:
                    points = <int>finished[i]
                    if points == 0:
                        self.shares[i, DRAW] = 1
                    for k in range(3):
                        self.shares[i, k] = points > k
                        self.shares[i, LOSE + k] = -points > k

    def count_level(self, int pips, const int32_t[::1] opponents not None):
        """Return how many numbers the positions with so many pips and these opponent's sides have."""
        cdef int64_t found = 0
        cdef int a, b
        cdef Py_ssize_t k
        with nogil:
            for k in range(opponents.shape[0]):
                b = opponents[k]
                for a in range(
                    self.pips_end[pips - self.pips[b]], self.pips_end[pips - self.pips[b] + 1]
                ):
                    if self.base[a, b] >= 0:
                        found += self.variants(a, b)
        return found

    def evaluate_parts(
        self, Values values not None, int pips, const int32_t[::1] opponents not None, bint all_of,
        double[:, ::1] found not None
    ):
        """Find the chances anew for the plays as they are chosen; return the largest change.

        They are written to `found`, float64[count_level, 8], and take effect with `commit_parts`.
        """
        cdef double change = 0
        with nogil:
            change = self._evaluate_parts(values, pips, opponents, all_of, found)
        return change

    def commit_parts(
        self, int pips, const int32_t[::1] opponents not None, bint all_of,
        const double[:, ::1] found not None
    ):
        """Let the chances that `evaluate_parts` has found take effect."""
        cdef int64_t at = 0
        cdef int a, b, e
        cdef Py_ssize_t k
        with nogil:
            for k in range(opponents.shape[0]):
                b = opponents[k]
                for a in range(
                    self.pips_end[pips - self.pips[b]], self.pips_end[pips - self.pips[b] + 1]
                ):
                    if self.base[a, b] < 0 or (not all_of and self.settled(a, b)):
                        continue
                    for e in range(self.variants(a, b)):
                        if not self.over[self.base[a, b] + e]:
                            memcpy(
                                &self.shares[self.base[a, b] + e, 0], &found[at, 0],
                                PARTS * sizeof(double),
                            )
                            at += 1

    cdef double _evaluate_parts(
        self, Values values, int pips, const int32_t[::1] opponents, bint all_of, double[:, ::1] found
    ) noexcept nogil:
        cdef int a, b, e, high, low, roll, k
        cdef int64_t here, at = 0
        cdef Py_ssize_t i
        cdef double sums[PARTS]
        cdef double weight, change = 0
        cdef const double* there
        for i in range(opponents.shape[0]):
            b = opponents[i]
            for a in range(self.pips_end[pips - self.pips[b]], self.pips_end[pips - self.pips[b] + 1]):
                if self.base[a, b] < 0 or (not all_of and self.settled(a, b)):
                    continue
                for e in range(self.variants(a, b)):
                    here = self.base[a, b] + e
                    if self.over[here]:
                        continue
                    for k in range(PARTS):
                        sums[k] = 0
                    roll = 0
                    for high in range(1, 7):
                        for low in range(1, high + 1):
                            weight = 1 if low == high else 2
                            there = &self.shares[self.follow(b, values.best[here, roll]), 0]
                            for k in range(PARTS):
                                sums[k] += weight * there[k]
                            roll += 1
                    for k in range(PARTS):
                        sums[k] /= 36
                    for k in range(LOSE):
                        weight = sums[k]
                        sums[k] = sums[LOSE + k]
                        sums[LOSE + k] = weight
                    sums[PLIES] += 1
                    for k in range(PLIES):
                        change = max(change, fabs(sums[k] - self.shares[here, k]))
                    for k in range(PARTS):
                        found[at, k] = sums[k]
                    at += 1
        return change

    def find(self, const int8_t[:, :, ::1] boards not None, int32_t[::1] places not None):
        """Write the number of each position; the boards have been checked."""
        cdef Py_ssize_t i
        cdef int a, b
        cdef int8_t turned[BOARD_BYTES]
        with nogil:
            for i in range(boards.shape[0]):
                a = self.number[rank_of(&boards[i, 0, 0])]
                b = self.number[rank_of(&boards[i, 1, 0])]
                places[i] = self.base[a, b]
                if self.compiled.contact == PIN:
                    memcpy(turned, &boards[i, 1, 0], SPOTS)
                    memcpy(turned + SPOTS, &boards[i, 0, 0], SPOTS)
                    places[i] += self.variant_after(turned)
