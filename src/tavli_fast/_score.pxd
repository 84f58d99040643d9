"""What a finished game is worth."""

from libc.stdint cimport uint32_t

from tavli_fast._board cimport BAR_BIT
from tavli_fast._rules cimport RuleSet

cdef enum:
    WINNERS_HOME = 0x1f80000  # 19..24 in the loser's own numbers


cdef inline int game_points(
    uint32_t loser, int loser_on_board, const RuleSet* rules
) noexcept nogil:
    """The points of the winner, from the loser's occupied points in his own numbers and how many
    checkers he has there (RULES 64-67)."""
    if loser_on_board < rules.checkers:
        return rules.single_points
    if loser & BAR_BIT or (rules.triple_in_home and loser & WINNERS_HOME):
        return rules.backgammon_points
    return rules.gammon_points
