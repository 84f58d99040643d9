"""The search's memory, and judging given moves (`generate/search.h`)."""

from libc.stdint cimport int8_t, int32_t

from tavli_fast._core.board.planes cimport Side
from tavli_fast._core.ruleset cimport RuleSet

cdef extern from "generate/search.h" nogil:
    ctypedef struct Verdict "tf_verdict":
        int why
        int at
    ctypedef struct Work "tf_work":
        int32_t most_nodes
        bint failed
    void begin_work "tf_begin_work"(Work* work)
    void end_work "tf_end_work"(Work* work)
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


cdef inline object too_many():
    """Return the error for a turn with more positions on the way than there is room for."""
    from tavli_fast.errors import ResultTooLargeError

    return ResultTooLargeError(
        "the plays of one roll are too many to list: a cascade of doubles can lead to many "
        "millions of positions"
    )
