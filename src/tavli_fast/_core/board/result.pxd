"""When a game is over, and what it is worth (`result.h`)."""

from libc.stdint cimport int8_t

from tavli_fast._core.board.planes cimport Side
from tavli_fast._core.ruleset cimport RuleSet

cdef extern from "board/result.h" nogil:
    enum:
        UNDECIDED "TF_UNDECIDED"  # no number of points: the game goes on
    int board_result "tf_board_result"(const int8_t* board, const RuleSet* rules)
    bint is_over "tf_is_over"(const int8_t* board, const RuleSet* rules)
    int game_result "tf_game_result"(const Side* mover, const Side* enemy, const RuleSet* rules)
