"""When a game is over, and what it is worth: read off the two sides' points, nothing else."""

from libc.stdint cimport int8_t, uint32_t, uint64_t

from tavli_fast._core.board.masks cimport BAR_BIT, above_both, first_plane, opposite, second_plane
from tavli_fast._core.ruleset cimport (
    DRAW_ONLY, LOSE_ALWAYS, NO_MOTHER, RuleSet,
)

cdef enum:
    UNDECIDED = 127  # no number of points: the game goes on
    START_BIT = 1 << 24
    HOME_POINTS = 0x7e  # 1..6


cdef inline int points_lost(uint32_t there, int borne_off, const RuleSet* rules) noexcept nogil:
    """The points that the loser of a race loses, from the points he stands on in his own numbers
    and how many checkers he has borne off (RULES 64-67)."""
    if borne_off:
        return rules.single_points
    if there & BAR_BIT or (rules.triple_in_home and there & opposite(HOME_POINTS, rules)):
        return rules.backgammon_points
    return rules.gammon_points


cdef inline int mother_result(
    uint32_t mine, uint32_t my_pinned, uint32_t theirs, uint32_t their_pinned,
    const RuleSet* rules
) noexcept nogil:
    """The points for "mine" if the mother rule ends the game, else UNDECIDED (RULES 4.2). The
    points are those of free checkers and of pinned ones, each in the side's own numbers; who is
    pinned on the start is alone there, and so the last."""
    cdef bint mine_caught = my_pinned & START_BIT != 0
    cdef bint theirs_caught = their_pinned & START_BIT != 0
    if rules.mother == NO_MOTHER or not (mine_caught or theirs_caught):
        return UNDECIDED
    if mine_caught and theirs_caught:
        return 0 if rules.mother_draw else UNDECIDED
    if rules.mother == DRAW_ONLY:
        return UNDECIDED
    if theirs_caught and (rules.mother == LOSE_ALWAYS or not mine & START_BIT):
        return rules.mother_points
    if mine_caught and (rules.mother == LOSE_ALWAYS or not theirs & START_BIT):
        return -rules.mother_points
    return UNDECIDED


cdef inline int board_result(const int8_t* board, const RuleSet* rules) noexcept nogil:
    """The points for plane 0 of a game that is over, else UNDECIDED."""
    cdef uint64_t there, pinned
    if board[0] != rules.checkers and board[26] != rules.checkers and (
        rules.mother == NO_MOTHER or not (board[24] < 0 or board[26 + 24] < 0)
    ):
        return UNDECIDED
    there = above_both(board, 0)
    pinned = ~above_both(board, -1)
    if board[0] == rules.checkers:
        return points_lost(second_plane(there | pinned), board[26], rules)
    if board[26] == rules.checkers:
        return -points_lost(first_plane(there | pinned), board[0], rules)
    return mother_result(
        first_plane(there), first_plane(pinned), second_plane(there), second_plane(pinned), rules
    )


cdef inline bint is_over(const int8_t* board, const RuleSet* rules) noexcept nogil:
    """Whether the game is over."""
    return board_result(board, rules) != UNDECIDED
