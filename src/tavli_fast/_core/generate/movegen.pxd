"""Any board and roll: the one entry point to counting, listing and choosing plays (`movegen.h`, which
says what each function asks for and returns)."""

from libc.stdint cimport int8_t, int64_t

from tavli_fast._core.board.planes cimport Side
from tavli_fast._core.ruleset cimport RuleSet
from tavli_fast._core.search cimport Work

cdef extern from "generate/movegen.h" nogil:
    ctypedef struct Roll "tf_roll":
        int plays
    int count_turn "tf_count_turn"(
        const int8_t* board, int die1, int die2, const RuleSet* rules, Work* work)
    int64_t list_turn "tf_list_turn"(
        const int8_t* board, int die1, int die2, const RuleSet* rules, Work* work, int8_t* after,
        int64_t capacity, int8_t* moves, int room)
    int find_plays "tf_find_plays"(
        Roll* roll, const Side* mover, const Side* enemy, int die1, int die2,
        const RuleSet* rules, Work* work)
    int search_plays "tf_search_roll"(
        Roll* roll, const Side* mover, const Side* enemy, int die1, int die2,
        const RuleSet* rules, Work* work)
    void pick_play "tf_pick_play"(
        const Roll* roll, int k, Side* mover, Side* enemy, const RuleSet* rules, const Work* work)
