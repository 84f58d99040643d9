"""How the positions of a game of few checkers are numbered.

A position is the mover's side, the opponent's side, and for each point with one checker of each
whose is the pinned one. Sides are numbered by their pips, so all sides of as many pips stand
together. The positions of one mover's side stand in a row, by the opponent's side.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint16_t, uint32_t
from libc.string cimport memcpy

from tavli_fast._core.board.masks cimport above, lowest, pinned
from tavli_fast._core.board.result cimport UNDECIDED
from tavli_fast._core.ruleset cimport HIT, PIN, RuleSet

cdef enum:
    SPOTS = 26  # off, the points and the bar
    MOST = 3  # checkers of a side
    NO_PAIR = 0x8000
    MASKS = 1 << MOST
    PLACE_BITS = 12  # of a play in hitting games; above them stands what is hit

ctypedef struct Numbering:
    RuleSet rules
    int sides
    int most_pips
    const int8_t* planes  # [sides, 26]
    const uint16_t* number  # [multiset]: its side
    const int32_t* pips_end  # [pips + 1]: how many sides have at most so many pips
    const int32_t* pips  # [sides]
    const int8_t* farthest  # [sides]: the spot of the last checker
    const int32_t* row  # [mover's side]: his first position
    # [mover's side, opponent's side]: the position's place in the row, with NO_PAIR if there is none
    const uint16_t* place
    const uint16_t* hits  # [side, mask of its checkers in order]: the side after these hits
    const int16_t* bar  # [side]: counts those of as many pips on the bar, -1 for the others
    const int8_t* results  # [position]: the points of the player on roll, or UNDECIDED


cdef inline int multiset(const int8_t* plane) noexcept nogil:
    """The number of a side among the multisets of its checkers' spots, pinned or not."""
    cdef uint32_t there = above(plane, 0) | pinned(plane)
    cdef int found = 0, k = 0, p, n
    while there:
        p = lowest(there)
        there &= there - 1
        n = plane[p] if plane[p] > 0 else 1
        while n:
            k += 1
            if k == 1:
                found += p
            elif k == 2:
                found += (p + 1) * p // 2
            else:
                found += (p + 2) * (p + 1) * p // 6
            n -= 1
    return found


cdef inline int side_of(const Numbering* n, const int8_t* plane) noexcept nogil:
    """The number of a side."""
    return n.number[multiset(plane)]


cdef inline int variants(const Numbering* n, int a, int b) noexcept nogil:
    """How many positions these sides have: 2 for each point with one checker of each."""
    cdef int p, found = 1
    if n.rules.contact != PIN:
        return 1
    for p in range(1, 25):
        if n.planes[a * SPOTS + p] == 1 and n.planes[b * SPOTS + 25 - p] == 1:
            found *= 2
    return found


cdef inline int64_t position(const Numbering* n, int a, int b) noexcept nogil:
    """The first position of these sides, or -1 if they have none."""
    cdef uint16_t place = n.place[a * n.sides + b]
    return -1 if place & NO_PAIR else n.row[a] + place


cdef inline void board_of(const Numbering* n, int a, int b, int e, int8_t* board) noexcept nogil:
    """Write the board of a position: bit i of `e` says that of the i-th point with one checker of
    each, in the mover's order, the mover's is pinned."""
    cdef int p, mine, theirs
    memcpy(board, n.planes + a * SPOTS, SPOTS)
    memcpy(board + SPOTS, n.planes + b * SPOTS, SPOTS)
    if n.rules.contact != PIN:
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


cdef inline int variant_after(const int8_t* board) noexcept nogil:
    """Which variant the board is for the opponent of plane 0, who is on roll next."""
    cdef int p, e = 0, i = 0
    for p in range(1, 25):
        if board[SPOTS + p] * board[25 - p] == -1:
            e |= (board[SPOTS + p] < 0) << i
            i += 1
    return e


cdef inline int side_hit(const Numbering* n, int b, int hits) noexcept nogil:
    """The side after hits; bit k of `hits` is its k-th blot, in the order of who hits it."""
    cdef int p, k = n.rules.checkers, blots = 0, mask = 0
    if not hits:
        return b
    for p in range(24, 0, -1):
        k -= n.planes[b * SPOTS + p + 1]
        if n.planes[b * SPOTS + p] == 1:
            mask |= (hits >> blots & 1) << (k - 1)
            blots += 1
    return n.hits[b * MASKS + mask]


cdef inline int shift_of(const RuleSet* rules) noexcept nogil:
    """By how much a play, in its 16 bits, is shifted to find what it hits."""
    return PLACE_BITS if rules.contact == HIT else 16


cdef inline bint settled(const Numbering* n, int a, int b) noexcept nogil:
    """Whether the sides have passed each other, so that one sweep finds what they are worth."""
    return not n.rules.parallel and n.farthest[a] + n.farthest[b] < 25


cdef inline int64_t swept(const Numbering* n, int a, int b, bint all_of) noexcept nogil:
    """The position of these sides, or -1 if sweeps do not find its value."""
    cdef int64_t here = position(n, a, b)
    if here < 0 or n.results[here] != UNDECIDED or (not all_of and settled(n, a, b)):
        return -1
    return here


cdef inline int64_t pending_at(const Numbering* n, int a, int b) noexcept nogil:
    """Where what a position with the mover on the bar is worth waits to take effect."""
    return <int64_t>n.bar[a] * n.sides + b


cdef inline int cut(int first, int end, int part, int parts) noexcept nogil:
    """Where a part of a range begins."""
    return first + <int>(<int64_t>(end - first) * part // parts)


cdef inline int fill(Numbering* n, object positions) except -1:
    """Fill in where the arrays of a `Positions` are, which must be kept as long."""
    cdef const int8_t[:, ::1] planes = positions.planes
    cdef const uint16_t[::1] number = positions.number
    cdef const int32_t[::1] pips_end = positions.pips_end
    cdef const int32_t[::1] pips = positions.pips
    cdef const int8_t[::1] farthest = positions.farthest
    cdef const int32_t[::1] row = positions.row
    cdef const uint16_t[:, ::1] place = positions.place
    cdef const uint16_t[:, ::1] hits = positions.hits
    cdef const int16_t[::1] bar = positions.bar
    cdef const int8_t[::1] results = positions.results
    n.sides = positions.sides
    n.most_pips = positions.most_pips
    n.planes = &planes[0, 0]
    n.number = &number[0]
    n.pips_end = &pips_end[0]
    n.pips = &pips[0]
    n.farthest = &farthest[0]
    n.row = &row[0]
    n.place = &place[0, 0]
    n.hits = &hits[0, 0]
    n.bar = &bar[0]
    n.results = &results[0]
    return 0
