"""What a net sees of a board: cells in steps, flags, and the phase of the game.

A board is seen after a move, by the player who has made it: plane 0 is his. Each of the 52 cells is
worth a number of steps, each flag is a yes or no; docs/evaluators.md says what they mean.
"""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._board cimport POINTS, above, highest, mirror, pinned
from tavli_fast._rules cimport BLOCK, PIN, RuleSet

cdef enum:
    CELLS = 52
    # A cell of n checkers has the steps 0, 1 and 2 if n reaches 1, 2 and 3, and n - 3 times step 3
    # if it is more; a pinned checker is step 4.
    STEPS = 5
    PINNED = 4
    FLAGS = 32
    PHASES = 2
    CONTACT = 0
    RACE = 1
    ON_BOARD = 0x3fffffe  # the points and the bar
    FIRST_HALF = 0x1ffe000  # 13..24: what parallel games begin with


cdef struct Sight:
    # Who stands where, each side in its own numbers, borne off apart.
    uint32_t mine, theirs
    uint32_t my_closed, their_closed  # points of two and more, or of one on top of an enemy's
    int phase


cdef inline void look(Sight* sight, const int8_t* board, const RuleSet* rules) noexcept nogil:
    """See who stands where, and whether the sides can still meet. In opposed games they cannot once
    the rearmost checkers have passed each other; where both run the same way, once both are in
    their second half."""
    cdef uint32_t my_pinned, their_pinned
    sight.mine = above(board, 0) & ON_BOARD
    sight.theirs = above(board + 26, 0) & ON_BOARD
    sight.my_closed = above(board, 1) & POINTS
    sight.their_closed = above(board + 26, 1) & POINTS
    if rules.parallel:
        sight.phase = RACE if not (sight.mine | sight.theirs) & FIRST_HALF else CONTACT
        return
    if rules.contact == PIN:
        my_pinned = pinned(board)
        their_pinned = pinned(board + 26)
        sight.my_closed |= mirror(their_pinned)
        sight.their_closed |= mirror(my_pinned)
        sight.phase = RACE if passed(sight.mine | my_pinned, sight.theirs | their_pinned) else CONTACT
        return
    sight.phase = RACE if passed(sight.mine, sight.theirs) else CONTACT


cdef inline bint passed(uint32_t mine, uint32_t theirs) noexcept nogil:
    """Whether the rearmost checkers have passed each other; who has none left has passed."""
    return highest(mine | 1) + highest(theirs | 1) < 25


cdef inline uint32_t longest_run(uint32_t points) noexcept nogil:
    """Bit k of the result: there is a run of 2 + k points, up to 6."""
    cdef uint32_t two = points & points >> 1
    cdef uint32_t three = two & points >> 2
    cdef uint32_t four = two & two >> 2
    cdef uint32_t five = four & points >> 4
    cdef uint32_t six = four & two >> 4
    return (
        <uint32_t>(two != 0) | <uint32_t>(three != 0) << 1 | <uint32_t>(four != 0) << 2
        | <uint32_t>(five != 0) << 3 | <uint32_t>(six != 0) << 4
    )


cdef inline uint32_t shots(uint32_t targets, uint32_t shooters) noexcept nogil:
    """Bit k of the result: more than k of the six numbers bring a shooter to a target. Both are in
    the numbers of the targets' owner, whose bar is bit 25 and the shooters' bit 0."""
    cdef int numbers = (
        (targets & shooters << 1 != 0) + (targets & shooters << 2 != 0)
        + (targets & shooters << 3 != 0) + (targets & shooters << 4 != 0)
        + (targets & shooters << 5 != 0) + (targets & shooters << 6 != 0)
    )
    return (<uint32_t>1 << numbers) - 1


cdef inline uint32_t flags_of(
    const Sight* sight, const int8_t* board, const RuleSet* rules
) noexcept nogil:
    """The flags of a board in contact; in a race there are none. Hitting and pinning games: bits
    0-3 the mover's longest run of closed points reaches 3, 4, 5, 6; 4-7 the enemy's; 8-13 more than
    0 to 5 numbers hit (or pin) one of the mover's lone checkers directly; 14-19 the enemy's
    likewise. Blocking games: 0-4 the mover's longest run of points reaches 2 to 6; 5-9 the enemy's;
    10 the mover's gate is closed, 11 the enemy's."""
    cdef uint32_t flags, lone
    if sight.phase == RACE:
        return 0
    if rules.contact == BLOCK:
        flags = longest_run(sight.mine) | longest_run(sight.theirs) << 5
        if rules.gate:
            flags |= <uint32_t>(board[0] == 0 and not sight.mine & rules.gate) << 10
            flags |= <uint32_t>(board[26] == 0 and not sight.theirs & rules.gate) << 11
        return flags
    flags = longest_run(sight.my_closed) >> 1 | longest_run(sight.their_closed) >> 1 << 4
    lone = sight.mine & POINTS & ~sight.my_closed
    flags |= shots(lone, mirror(sight.theirs & POINTS) | sight.theirs >> 25) << 8
    lone = sight.theirs & POINTS & ~sight.their_closed
    return flags | shots(lone, mirror(sight.mine & POINTS) | sight.mine >> 25) << 14
