"""What a net sees of a board: cells in steps, flags, and the phase of the game.

A board is seen after a move, by the player who has made it: plane 0 is his. Each of the 52 cells is
worth a number of steps, each flag is a yes or no; docs/evaluators.md says what they mean.
"""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._core.board.masks cimport POINTS, above, highest, mirror, pinned
from tavli_fast._core.ruleset cimport BLOCK, PIN, RuleSet

cdef extern from "net/accumulator.h" nogil:
    enum:
        STEPS "TF_STEPS"
        PINNED "TF_PINNED"

cdef enum:
    CELLS = 52
    FLAGS = 32
    CONTACT = 0
    RACE = 1
    ON_BOARD = 0x3fffffe  # the points and the bar
    FIRST_HALF = 0x1ffe000  # 13..24: what parallel games begin with


cdef inline float tail_scale(int cell) noexcept nogil:
    """What a checker above the third of a cell is worth to its fourth feature."""
    return 0.125 if cell % 26 == 0 else 0.5


cdef struct Enemy:
    # The side that has not moved: what most of the mover's plays leave as it is.
    uint32_t there  # in his own numbers
    uint32_t pinned_below  # the mover's points on which the mover holds one of his
    uint32_t shooters  # his checkers in the mover's numbers, those on the bar as bit 0
    uint32_t targets  # his lone checkers in the mover's numbers
    uint32_t flags  # those that tell of him alone


cdef struct Sight:
    # A board as a net sees it, cells apart.
    int phase
    uint32_t flags


cdef inline void look_at_enemy(
    Enemy* enemy, const int8_t* board, const RuleSet* rules
) noexcept nogil:
    """See who of the enemy stands where."""
    cdef const int8_t* plane = board + 26
    cdef uint32_t closed, lone
    enemy.there = above(plane, 0) & ON_BOARD
    if rules.contact == BLOCK:
        enemy.flags = longest_run(enemy.there) << 5
        if rules.gate and plane[0] == 0 and not enemy.there & rules.gate:
            enemy.flags |= 1 << 11
        return
    closed = above(plane, 1) & POINTS
    lone = enemy.there & POINTS & ~closed
    enemy.pinned_below = 0
    if rules.contact == PIN:
        enemy.pinned_below = mirror(pinned(plane))
        enemy.there |= pinned(plane)
        closed |= mirror(pinned(board))
        lone &= ~closed
        enemy.shooters = mirror(enemy.there & ~pinned(plane) & POINTS)
    else:
        enemy.shooters = mirror(enemy.there & POINTS) | enemy.there >> 25
    enemy.targets = mirror(lone)
    enemy.flags = longest_run(closed) >> 1 << 4


cdef inline void look(
    Sight* sight, const Enemy* enemy, const int8_t* board, const RuleSet* rules
) noexcept nogil:
    """See the phase of a board and its flags; a race has none. In opposed games the sides cannot
    meet any more once their rearmost checkers have passed each other; where both run the same way,
    once both are in their second half.

    Hitting and pinning games: bits 0-3 the mover's longest run of closed points reaches 3, 4, 5, 6;
    4-7 the enemy's; 8-13 more than 0 to 5 numbers hit (or pin) one of the mover's lone checkers
    directly; 14-19 the enemy's likewise. Blocking games: 0-4 the mover's longest run of points
    reaches 2 to 6; 5-9 the enemy's; 10 the mover's gate is closed, 11 the enemy's."""
    cdef uint32_t mine = above(board, 0) & ON_BOARD
    cdef uint32_t closed, there = mine
    sight.flags = 0
    if rules.contact == BLOCK:
        if rules.parallel:
            sight.phase = RACE if not (mine | enemy.there) & FIRST_HALF else CONTACT
        else:
            sight.phase = RACE if passed(mine, enemy.there) else CONTACT
        if sight.phase == CONTACT:
            sight.flags = longest_run(mine) | enemy.flags
            if rules.gate and board[0] == 0 and not mine & rules.gate:
                sight.flags |= 1 << 10
        return
    if rules.contact == PIN:
        there |= pinned(board)
    sight.phase = RACE if passed(there, enemy.there) else CONTACT
    if sight.phase == CONTACT:
        closed = (above(board, 1) & POINTS) | enemy.pinned_below
        sight.flags = (
            longest_run(closed) >> 1 | enemy.flags
            | more_than(numbers_up(mine & POINTS & ~closed, enemy.shooters)) << 8
            | more_than(numbers_down(enemy.targets, mine)) << 14
        )


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


cdef inline uint32_t more_than(int numbers) noexcept nogil:
    """Bit k of the result: it is more than k."""
    return (<uint32_t>1 << numbers) - 1


cdef inline int numbers_up(uint32_t targets, uint32_t shooters) noexcept nogil:
    """How many of the six numbers of a die bring a shooter to a target, counting upwards."""
    return (
        (targets & shooters << 1 != 0) + (targets & shooters << 2 != 0)
        + (targets & shooters << 3 != 0) + (targets & shooters << 4 != 0)
        + (targets & shooters << 5 != 0) + (targets & shooters << 6 != 0)
    )


cdef inline int numbers_down(uint32_t targets, uint32_t shooters) noexcept nogil:
    """The same, counting downwards."""
    return (
        (targets & shooters >> 1 != 0) + (targets & shooters >> 2 != 0)
        + (targets & shooters >> 3 != 0) + (targets & shooters >> 4 != 0)
        + (targets & shooters >> 5 != 0) + (targets & shooters >> 6 != 0)
    )


cdef inline void look_at_all(
    Sight* sight, const int8_t* board, const RuleSet* rules
) noexcept nogil:
    """See the phase and the flags of a board by itself."""
    cdef Enemy enemy
    look_at_enemy(&enemy, board, rules)
    look(sight, &enemy, board, rules)
