"""The search's memory, and judging given moves (`generate/search.h`)."""

from libc.stdint cimport int8_t, int32_t

from tavli_fast._core.board.planes cimport Side
from tavli_fast._core.ruleset cimport RuleSet

cdef extern from "generate/search.h" nogil:
    cpdef enum Refusal "tf_refusal":  # why given moves are refused
        FINE "TF_FINE"
        NO_MOVE "TF_NO_MOVE"
        NO_CHECKER "TF_NO_CHECKER"
        BAR_FIRST "TF_BAR_FIRST"
        CLOSED "TF_CLOSED"
        NOT_HOME "TF_NOT_HOME"
        STOPPED "TF_STOPPED"
        NO_DIE "TF_NO_DIE"
        NOT_FARTHEST "TF_NOT_FARTHEST"
        NOT_A_PLAY "TF_NOT_A_PLAY"
        GAME_OVER "TF_GAME_OVER"
        IS_PINNED "TF_IS_PINNED"
        GATE "TF_GATE"
        HEAD "TF_HEAD"
        PRIME "TF_PRIME"
        HOME_ONLY "TF_HOME_ONLY"
        NOT_WHILE_PINNED "TF_NOT_WHILE_PINNED"
        NOT_EXACT "TF_NOT_EXACT"
    cpdef enum:
        MAX_MOVES "TF_MAX_MOVES"  # the most moves of one roll, with a cascade of doubles
    ctypedef struct Verdict "tf_verdict":
        int why
        int at
    ctypedef struct Work "tf_work":
        int32_t most_nodes
        bint failed
    Work* create_work "tf_new_work"()
    void free_work "tf_free_work"(Work* work)
    Verdict judge_moves "tf_judge_moves"(
        Side* mine, Side* theirs, const int8_t* moves, int room, int die1, int die2,
        const RuleSet* rules, Work* work)


cdef inline Work* new_work() except NULL:
    """Return room for the turns of one thread; `free_work` gives it back."""
    cdef Work* work = create_work()
    if work == NULL:
        raise MemoryError("no room for a search")
    return work


cdef object too_many()
