"""Whether a board can be a position under the rules, and what is wrong with one that cannot."""

from libc.stdint cimport int8_t, uint32_t, uint64_t

from tavli_fast._core.board.masks cimport (
    POINTS, above_both, count_bits, first_plane, lowest, opposite, second_plane, total,
)
from tavli_fast._core.ruleset cimport HIT, PIN, RuleSet


cdef inline bint is_position(const int8_t* board, const RuleSet* rules) noexcept nogil:
    """Whether a board can be a position: counts, both sides' points, pins."""
    cdef uint64_t there, pins
    cdef uint32_t mine, theirs, my_pinned, their_pinned
    cdef int my_total = total(board), their_total = total(board + 26)
    there = above_both(board, 0)
    pins = ~above_both(board, -1)
    mine = first_plane(there)
    theirs = second_plane(there)
    my_pinned = first_plane(pins)
    their_pinned = second_plane(pins)
    if my_pinned | their_pinned:
        if rules.contact != PIN or (my_pinned | their_pinned) & ~POINTS:
            return False
        pins = above_both(board, -2)
        if first_plane(pins) & second_plane(pins) != 0x3ffffff:
            return False
        # A pinned checker has an enemy on top: so no point holds two pinned ones.
        if my_pinned & ~opposite(theirs, rules) or opposite(their_pinned, rules) & ~mine:
            return False
        # Each was counted as 255 instead of 1.
        my_total -= 254 * count_bits(my_pinned)
        their_total -= 254 * count_bits(their_pinned)
    if my_total != rules.checkers or their_total != rules.checkers:
        return False
    if mine & opposite(theirs, rules):
        return False
    if rules.contact != HIT and (board[25] or board[26 + 25]):
        return False
    return not (board[0] == rules.checkers and board[26] == rules.checkers)


cdef inline str why_bad(const int8_t[:, ::1] board, const RuleSet* rules):
    """Say what is wrong with a board that `is_position` refuses."""
    cdef int plane, point, there, checkers, value
    sides = ("the player on roll", "the opponent")
    for plane in range(2):
        side = f"plane {plane} ({sides[plane]})"
        for point in range(26):
            value = board[plane, point]
            if value < 0 and rules.contact != PIN:
                return (
                    f"{side} holds {value} at [{point}]: expected counts of 0 or more (pins, -1, "
                    "come in pin games only)"
                )
            if value < -1 or (value < 0 and point in (0, 25)):
                return (
                    f"{side} holds {value} at [{point}]: expected a count, or -1 for a pinned "
                    "checker on a point"
                )
        if rules.contact != HIT and board[plane, 25]:
            return f"{side} has {board[plane, 25]} on the bar [25]: expected none in a game without"
        checkers = 0
        for point in range(26):
            checkers += abs(board[plane, point])
        if checkers != rules.checkers:
            return (
                f"{side} holds {checkers} checkers: expected {rules.checkers} with those on the "
                "bar [25] and borne off [0]"
            )
    for point in range(1, 25):
        there = lowest(opposite(1 << point, rules))
        where = f"point {point} of the player on roll ({there} of the opponent's)"
        mine, theirs = board[0, point], board[1, there]
        if mine < 0 and theirs <= 0 or theirs < 0 and mine <= 0:
            return f"{where} has a pinned checker without one on top: expected an enemy's there"
        if mine > 0 and theirs > 0:
            return f"both sides hold {where}: expected one side at most, or a pin"
    return "both sides have borne off all their checkers: expected one winner at most"
