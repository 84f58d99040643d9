"""Exact bear-offs: how many rolls one side needs, and what a bear-off is worth against another.

A side is its checkers on the points 1 to `points`; it is counted in lexicographic order, the
checkers on the farthest point first. A move takes a checker nearer or off, so it leads to a side
of a smaller index: one pass in the order of the indices finds every value.

While no checker of the other side is in the way, a die can always be played as long as a checker
is left: from the farthest point at least (RULES 53, 57). So the plays of a roll are all that
moving die by die, in either order, can reach, and the best one of k moves by a die is the best
first move followed by the best of k - 1. Nothing is listed.
"""

import numpy as np

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free, malloc

cdef enum:
    MOST_POINTS = 12
    MOST_CHECKERS = 15
    HOME = 6
    DICE = 6


cdef struct Numbering:
    # How many sides of at most r checkers there are on the first q points: (q + r choose q).
    int points
    int checkers
    int64_t below[MOST_POINTS + 1][MOST_CHECKERS + 2]


cdef Numbering numbering(int points, int checkers) noexcept nogil:
    cdef Numbering n
    cdef int q, r
    n.points = points
    n.checkers = checkers
    for q in range(points + 1):
        for r in range(checkers + 2):
            # Column 0 is for -1 checkers, of which there is no side.
            if r == 0:
                n.below[q][r] = 0
            elif q == 0:
                n.below[q][r] = 1
            else:
                n.below[q][r] = n.below[q - 1][r] + n.below[q][r - 1]
    return n


cdef int64_t index_of(const Numbering* n, const int8_t* side) noexcept nogil:
    """The index of a side, which counts the point 1 first."""
    cdef int64_t index = 0
    cdef int left = n.checkers, p
    for p in range(n.points, 0, -1):
        index += n.below[p][left + 1] - n.below[p][left + 1 - side[p - 1]]
        left -= side[p - 1]
    return index


cdef void next_side(const Numbering* n, int8_t* side, int* total) noexcept nogil:
    """Step to the side of the next index, in place."""
    cdef int p
    if total[0] < n.checkers:
        side[0] += 1
        total[0] += 1
        return
    # All checkers stand: the nearest ones go off, and one more stands a point further out.
    for p in range(n.points):
        if side[p]:
            break
    total[0] -= side[p]
    side[p] = 0
    side[p + 1] += 1
    total[0] += 1


def count_sides(int points, int checkers):
    """Return how many sides of at most `checkers` checkers there are on `points` points."""
    cdef Numbering n = numbering(points, checkers)
    return n.below[points][checkers + 1]


def side_indices(const int8_t[:, ::1] sides not None, int checkers, int32_t[::1] indices not None):
    """Write the index of each side, int8[N, points], whose checkers have been counted."""
    cdef Numbering n = numbering(sides.shape[1], checkers)
    cdef Py_ssize_t i
    with nogil:
        for i in range(sides.shape[0]):
            indices[i] = index_of(&n, &sides[i, 0])


def all_sides(int points, int checkers):
    """Return int8[N, points]: every side, in the order of the indices."""
    cdef Numbering n = numbering(points, checkers)
    cdef int64_t i, count = n.below[points][checkers + 1]
    cdef int8_t side[MOST_POINTS]
    cdef int total = 0, p
    found = np.zeros((count, points), np.int8)
    cdef int8_t[:, ::1] out = found
    for p in range(points):
        side[p] = 0
    with nogil:
        for i in range(count):
            for p in range(points):
                out[i, p] = side[p]
            if i + 1 < count:
                next_side(&n, side, &total)
    return found


cdef int moves(const Numbering* n, int8_t* side, int die, int64_t index, int32_t* to) noexcept nogil:
    """Write the indices of the sides after one move by `die`; return how many."""
    cdef int found = 0, p, q, left = n.checkers, farthest = 0
    cdef int64_t change
    cdef int before[MOST_POINTS + 2]  # checkers left for the points up to p
    for p in range(n.points, 0, -1):
        before[p] = left
        left -= side[p - 1]
        if side[p - 1] and not farthest:
            farthest = p
    before[0] = left
    for p in range(farthest, 0, -1):
        if not side[p - 1]:
            continue
        # Bearing off: all are home, from the die's own point, or from the farthest (RULES 53-57).
        if p <= die and (farthest > HOME or (p < die and p < farthest)):
            continue
        # One fewer on p, so one more is left for each point below it down to where it stands again.
        change = (n.below[p][before[p] + 1 - side[p - 1]] - n.below[p][before[p] + 2 - side[p - 1]])
        for q in range(p - 1, 0, -1):
            if q == p - die:
                # Here it stands again: left below is as before.
                change += (
                    n.below[q][before[q] + 2] - n.below[q][before[q] + 1]
                )
                break
            change += (
                n.below[q][before[q] + 2] - n.below[q][before[q] + 2 - side[q - 1]]
                - n.below[q][before[q] + 1] + n.below[q][before[q] + 1 - side[q - 1]]
            )
        to[found] = <int32_t>(index + change)
        found += 1
    return found


cdef inline int32_t better(const double* mean, int32_t a, int32_t b) noexcept nogil:
    """The side of the smaller mean; of equals `a`, which was found first."""
    return b if mean[b] < mean[a] else a


def one_sided(
    int points, int checkers, bint first, double[::1] means not None, int32_t[:, ::1] best not None
):
    """Find the play of each roll that makes the mean number of rolls least.

    Write float64[N], the means, and int32[N, 21], the sides after the best plays of the rolls 1-1,
    2-1, 2-2, ... 6-6. The last checker ends it, or, with `first`, the first of all of them: then
    sides that have lost one have the mean 0.
    """
    cdef Numbering n = numbering(points, checkers)
    cdef int64_t i, count = n.below[points][checkers + 1]
    cdef int8_t side[MOST_POINTS]
    cdef int32_t after[DICE][MOST_POINTS]
    cdef int found[DICE]
    cdef int total = 0, p, high, low, k, roll
    cdef int32_t choice
    cdef double sum
    # The best side after 1, 2 and 3 moves by each die.
    cdef int32_t* ahead = <int32_t*>malloc(count * 3 * DICE * sizeof(int32_t))
    cdef double* mean
    if ahead == NULL:
        raise MemoryError(f"no memory for the plays of {count:,} sides")
    mean = &means[0]
    for p in range(points):
        side[p] = 0
    try:
        with nogil:
            for i in range(count):
                if i:
                    next_side(&n, side, &total)
                if total == 0 or (first and total < checkers):
                    mean[i] = 0
                    for k in range(3 * DICE):
                        ahead[3 * DICE * i + k] = i
                    for roll in range(21):
                        best[i, roll] = i
                    continue
                for high in range(DICE):
                    found[high] = moves(&n, side, high + 1, i, after[high])
                    for k in range(3):
                        ahead[3 * DICE * i + DICE * k + high] = best_of(
                            mean, ahead, after[high], found[high], high, k
                        )
                sum = 0
                roll = 0
                for high in range(DICE):
                    for low in range(high):
                        choice = better(
                            mean, best_of(mean, ahead, after[high], found[high], low, 1),
                            best_of(mean, ahead, after[low], found[low], high, 1),
                        )
                        best[i, roll] = choice
                        sum += 2 * mean[choice]
                        roll += 1
                    choice = best_of(mean, ahead, after[high], found[high], high, 3)
                    best[i, roll] = choice
                    sum += mean[choice]
                    roll += 1
                mean[i] = 1 + sum / 36
    finally:
        free(ahead)


cdef inline int32_t best_of(
    const double* mean, const int32_t* ahead, const int32_t* after, int found, int die, int further
) noexcept nogil:
    """The best side after one of the moves found and then `further` moves by `die`."""
    cdef int32_t choice = -1, there
    cdef int j
    for j in range(found):
        there = after[j]
        if further:
            there = ahead[3 * DICE * <int64_t>there + DICE * (further - 1) + die]
        if choice < 0 or mean[there] < mean[choice]:
            choice = there
    return choice


def distributions(const int32_t[:, ::1] best not None, double[:, ::1] chances not None):
    """Fill float64[N, K]: the chance that it takes exactly k rolls; a side that is done has k = 0,
    which its plays lead to itself."""
    cdef int64_t i, to
    cdef int high, low, roll, k, columns = chances.shape[1]
    cdef double weight
    with nogil:
        for i in range(best.shape[0]):
            for k in range(columns):
                chances[i, k] = 0
            if best[i, 0] == i:
                chances[i, 0] = 1
                continue
            roll = 0
            for high in range(DICE):
                for low in range(high + 1):
                    weight = (1 if low == high else 2) / 36.0
                    to = best[i, roll]
                    for k in range(columns - 1):
                        chances[i, k + 1] += weight * chances[to, k]
                    roll += 1


cdef enum:
    MOST_AFTER = 330  # sides after a roll: at most (11 choose 4) ways to share four moves out


cdef int add_new(int32_t* found, int n, int32_t side) noexcept nogil:
    """Append a side unless it is there; return how many there are."""
    cdef int i
    for i in range(n):
        if found[i] == side:
            return n
    found[n] = side
    return n + 1


def successors(int points, int checkers):
    """Return (int32[M], int64[N * 21 + 1]): the sides after every play of every side and roll.

    Those of side i and roll r (1-1, 2-1, 2-2, ... 6-6) begin at the number 21 * i + r. The side
    without checkers has none.
    """
    cdef Numbering n = numbering(points, checkers)
    cdef int64_t i, count = n.below[points][checkers + 1], m = 0, room = 0
    cdef int8_t side[MOST_POINTS]
    cdef int32_t one[DICE][MOST_POINTS]
    cdef int found[DICE]
    cdef int32_t* first
    cdef int32_t now[MOST_AFTER]
    cdef int32_t then[MOST_AFTER]
    cdef int total = 0, p, high, low, k, j, a, last
    cdef int32_t[::1] out
    sides = np.ascontiguousarray(all_sides(points, checkers))
    cdef const int8_t[:, ::1] all_of = sides
    offsets = np.zeros(count * 21 + 1, np.int64)
    cdef int64_t[::1] ends = offsets
    cdef int write, roll
    listed = np.empty(0, np.int32)
    # Once to count them and once to write them.
    for write in range(2):
        if write:
            listed = np.empty(m, np.int32)
        out = listed
        m = 0
        with nogil:
            for i in range(count):
                roll = 0
                for high in range(1, DICE + 1):
                    for low in range(1, high + 1):
                        k = 0
                        if i:
                            k = after_roll(&n, all_of, i, high, low, now, then)
                        if write:
                            for j in range(k):
                                out[m + j] = now[j]
                        m += k
                        ends[21 * i + roll + 1] = m
                        roll += 1
    return listed, offsets


cdef int after_roll(
    const Numbering* n, const int8_t[:, ::1] sides, int64_t i, int high, int low, int32_t* now,
    int32_t* then
) noexcept nogil:
    """Write the distinct sides after a roll to `now`; return how many."""
    cdef int32_t to[MOST_POINTS]
    cdef int found = 0, k, j, a, order, reached, first, second
    cdef int8_t side[MOST_POINTS]
    if high != low:
        for order in range(2):
            first, second = (high, low) if order == 0 else (low, high)
            reached = moves_from(n, sides, i, first, then)
            for j in range(reached):
                if then[j] == 0:
                    found = add_new(now, found, 0)
                    continue
                k = moves_from(n, sides, then[j], second, to)
                for a in range(k):
                    found = add_new(now, found, to[a])
        return found
    now[0] = <int32_t>i
    found = 1
    for order in range(4):
        reached = 0
        for j in range(found):
            if now[j] == 0:
                reached = add_new(then, reached, 0)
                continue
            k = moves_from(n, sides, now[j], high, to)
            for a in range(k):
                reached = add_new(then, reached, to[a])
        for j in range(reached):
            now[j] = then[j]
        found = reached
    return found


cdef int moves_from(
    const Numbering* n, const int8_t[:, ::1] sides, int64_t i, int die, int32_t* to
) noexcept nogil:
    cdef int8_t side[MOST_POINTS]
    cdef int p
    for p in range(n.points):
        side[p] = sides[i, p]
    return moves(n, side, die, i, to)


cdef enum:
    # What a pair of sides is worth to the player on roll, in points of the present stake: without
    # a cube; if he does not double now and owns the cube, shares it, or faces the other's; and
    # with the best action where he may double.
    NO_CUBE
    OWN
    CENTRED
    OTHERS
    OWN_BEST
    CENTRED_BEST
    PLACES


def two_sided(
    const int32_t[::1] after not None, const int64_t[::1] offsets not None,
    const double[::1] wins not None, double single, double[:, :, ::1] worth not None
):
    """Fill float64[N, N, 6] with what each pair of sides is worth to the first, who is on roll.

    `after` and `offsets` are what `successors` returns, `wins` float64[N] are the points for who
    is off while the other still has that side, `single` those for a double passed. A pair needs pairs with less of the side on roll,
    so the pairs are found in growing order of the larger of their indices.
    """
    cdef int64_t i, j, most, count = wins.shape[0]
    with nogil:
        for most in range(1, count):
            for j in range(1, most):
                find_pair(after, offsets, wins, single, worth, most, j)
            for i in range(1, most + 1):
                find_pair(after, offsets, wins, single, worth, i, most)


cdef inline void find_pair(
    const int32_t[::1] after, const int64_t[::1] offsets, const double[::1] wins,
    double single, double[:, :, ::1] worth, int64_t i, int64_t j
) noexcept nogil:
    cdef double sums[4]
    cdef double best[4]
    cdef double weight, doubled
    cdef const double* there
    cdef double* here = &worth[i, j, 0]
    cdef int high, low, roll = 0, k
    cdef int64_t a
    for k in range(4):
        sums[k] = 0
    for high in range(DICE):
        for low in range(high + 1):
            weight = 1 if low == high else 2
            for k in range(4):
                best[k] = -1e9
            for a in range(offsets[21 * i + roll], offsets[21 * i + roll + 1]):
                if after[a] == 0:
                    for k in range(4):
                        best[k] = wins[j]
                    break
                # The other side is on roll: what I own is his opponent's.
                there = &worth[j, after[a], 0]
                best[NO_CUBE] = max(best[NO_CUBE], -there[NO_CUBE])
                best[OWN] = max(best[OWN], -there[OTHERS])
                best[CENTRED] = max(best[CENTRED], -there[CENTRED_BEST])
                best[OTHERS] = max(best[OTHERS], -there[OWN_BEST])
            for k in range(4):
                sums[k] += weight * best[k]
            roll += 1
    for k in range(4):
        here[k] = sums[k] / 36
    doubled = min(2 * here[OTHERS], single)
    here[OWN_BEST] = max(here[OWN], doubled)
    here[CENTRED_BEST] = max(here[CENTRED], doubled)
