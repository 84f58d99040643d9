"""A game in registers: both sides' counts as bit planes, moved without touching memory."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._core.board.masks cimport (
    BAR_BIT, Turn, bit, count_bits, look_ahead, lowest, make_turn, mirror,
)
from tavli_fast._core.generate.play cimport Play, code_die, code_from
from tavli_fast._core.ruleset cimport BLOCK, NO_MOTHER, PIN, RuleSet
from tavli_fast._core.board.result cimport UNDECIDED, mother_result, points_lost


cdef struct Side:
    # The count on point p is bit p of b0 + 2 * b1 + 4 * b2 + 8 * b3, in the side's own numbers;
    # those borne off are the ones that are missing.
    uint32_t b0, b1, b2, b3
    uint32_t pinned  # points of pinned checkers, which are not in the planes


cdef inline Side load_side(const int8_t* plane) noexcept nogil:
    """Read a plane of a board."""
    cdef Side side
    cdef int point
    side.b0 = side.b1 = side.b2 = side.b3 = side.pinned = 0
    for point in range(1, 26):
        if plane[point] < 0:
            side.pinned |= bit(point)
            continue
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
        plane[point] = count_at(side, point) - (side.pinned >> point & 1)


cdef inline int count_at(Side side, int point) noexcept nogil:
    """How many free checkers stand on a point."""
    return (
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
        + 8 * count_bits(side.b3) + count_bits(side.pinned)
    )


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


cdef inline void meet(
    Side before, Side after, Side* enemy, uint32_t hits, const RuleSet* rules
) noexcept nogil:
    """Do to the enemy what the mover's turn from `before` to `after` does: `hits` are the mover's
    points on which it hit; whom it pins or frees, the boards tell."""
    cdef uint32_t single, caught
    while hits:
        enemy.b0 ^= bit(25 - lowest(hits))  # a blot is one checker: no borrow
        add_checker(enemy, BAR_BIT)
        hits &= hits - 1
    if rules.contact == PIN:
        # All lone enemy checkers that do not themselves pin one of ours are pinned if we are there.
        single = (enemy.b0 & ~two_or_more(enemy[0]) & ~mirror(before.pinned)) | enemy.pinned
        caught = single & mirror(one_or_more(after))
        enemy.pinned = caught
        enemy.b0 = (enemy.b0 & ~single) | (single ^ caught)


cdef inline void make_play(
    Side* mover, Side* enemy, Play play, uint32_t blot, const RuleSet* rules
) noexcept nogil:
    """Play a legal play; `blot` are the enemy's lone checkers that can be hit, on the mover's
    points."""
    cdef Side before = mover[0]
    cdef uint32_t hits = 0
    cdef int from_, to
    while play:
        from_ = code_from(play)
        to = from_ - code_die(play)
        remove_checker(mover, bit(from_))
        if to > 0:
            add_checker(mover, bit(to))
            hits |= bit(to) & blot
        play >>= 8
    meet(before, mover[0], enemy, hits, rules)


cdef inline void side_turn(
    Turn* turn, Side mover, Side enemy, const RuleSet* rules
) noexcept nogil:
    """Set up the turn of the mover."""
    turn.own.ge4 = mover.b2 | mover.b3
    turn.own.ge5 = mover.b3 | (mover.b2 & (mover.b1 | mover.b0))
    turn.own.ge3 = turn.own.ge4 | (mover.b1 & mover.b0)
    turn.own.ge2 = turn.own.ge4 | mover.b1
    turn.own.ge1 = turn.own.ge2 | mover.b0
    turn.own.held = mover.pinned
    make_turn(turn, one_or_more(enemy), two_or_more(enemy), enemy.pinned, rules)
    if rules.contact == BLOCK:
        look_ahead(
            turn, count_at(mover, 24), on_board(mover) == rules.checkers,
            on_board(enemy) == rules.checkers, rules,
        )


cdef inline int game_result(Side mover, Side enemy, const RuleSet* rules) noexcept nogil:
    """The points for the mover if his play has ended the game, else UNDECIDED."""
    if (one_or_more(mover) | mover.pinned) == 0:
        return points_lost(
            one_or_more(enemy) | enemy.pinned, rules.checkers - on_board(enemy), rules
        )
    if rules.mother == NO_MOTHER:
        return UNDECIDED
    return mother_result(
        one_or_more(mover), mover.pinned, one_or_more(enemy), enemy.pinned, rules
    )
