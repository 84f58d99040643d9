"""Whether a board can be a position under the rules, and what is wrong with one that cannot."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._core.ruleset cimport HIT, PIN, RuleSet

cdef extern from "board/check.h" nogil:
    bint is_position "tf_is_position"(const int8_t* board, const RuleSet* rules)
    uint32_t opposite "tf_opposite"(uint32_t points, const RuleSet* rules)
    int lowest "tf_lowest"(uint32_t x)


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
