"""A game in registers: both sides' counts as bit planes, moved without touching memory."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._board cimport BAR_BIT, Own, bit, count_bits
from tavli_fast._plays cimport Play, code_die, code_from


cdef struct Side:
    # The count on point p is bit p of b0 + 2 * b1 + 4 * b2 + 8 * b3, in the side's own numbers;
    # those borne off are the ones that are missing.
    uint32_t b0, b1, b2, b3


cdef inline Side load_side(const int8_t* plane) noexcept nogil:
    """Read a plane of a board."""
    cdef Side side
    cdef int point
    side.b0 = side.b1 = side.b2 = side.b3 = 0
    for point in range(1, 26):
        side.b0 |= <uint32_t>(plane[point] & 1) << point
        side.b1 |= <uint32_t>(plane[point] >> 1 & 1) << point
        side.b2 |= <uint32_t>(plane[point] >> 2 & 1) << point
        side.b3 |= <uint32_t>(plane[point] >> 3 & 1) << point
    return side


cdef inline void store_side(Side side, int checkers, int8_t* plane) noexcept nogil:
    """Write a plane of a board."""
    cdef int point
    plane[0] = checkers - on_board(side)
    for point in range(1, 26):
        plane[point] = (
            (side.b0 >> point & 1) | (side.b1 >> point & 1) << 1
            | (side.b2 >> point & 1) << 2 | (side.b3 >> point & 1) << 3
        )


cdef inline uint32_t two_or_more(Side side) noexcept nogil:
    return side.b1 | side.b2 | side.b3


cdef inline uint32_t one_or_more(Side side) noexcept nogil:
    return side.b0 | side.b1 | side.b2 | side.b3


cdef inline int on_board(Side side) noexcept nogil:
    """How many checkers are not yet borne off."""
    return (
        count_bits(side.b0) + 2 * count_bits(side.b1) + 4 * count_bits(side.b2)
        + 8 * count_bits(side.b3)
    )


cdef inline Own thresholds(Side side) noexcept nogil:
    """The side's checkers as the move generator takes them."""
    cdef Own own
    own.ge4 = side.b2 | side.b3
    own.ge3 = own.ge4 | (side.b1 & side.b0)
    own.ge2 = own.ge4 | side.b1
    own.ge1 = own.ge2 | side.b0
    own.held = 0
    return own


cdef inline void remove_checker(Side* side, uint32_t b) noexcept nogil:
    """Take one checker from the point of bit `b`: subtract 1, with the borrow going up."""
    side.b0 ^= b
    b &= side.b0
    side.b1 ^= b
    b &= side.b1
    side.b2 ^= b
    b &= side.b2
    side.b3 ^= b


cdef inline void add_checker(Side* side, uint32_t b) noexcept nogil:
    """Put one checker on the point of bit `b`: add 1, with the carry going up."""
    side.b0 ^= b
    b &= ~side.b0
    side.b1 ^= b
    b &= ~side.b1
    side.b2 ^= b
    b &= ~side.b2
    side.b3 ^= b


cdef inline void make_play(Side* mover, Side* enemy, Play play, uint32_t blot) noexcept nogil:
    """Play a legal play; `blot` are the enemy's lone checkers in the mover's numbers."""
    cdef int from_, to
    while play:
        from_ = code_from(play)
        to = from_ - code_die(play)
        remove_checker(mover, bit(from_))
        if to > 0:
            add_checker(mover, bit(to))
            if blot >> to & 1:
                blot ^= bit(to)
                enemy.b0 ^= bit(25 - to)  # a blot is one checker: no borrow
                add_checker(enemy, BAR_BIT)
        play >>= 8
