"""The search's memory, and judging given moves (`generate/search.h`)."""

from libc.stdint cimport int8_t, int32_t, uint8_t

from tavli_fast._core.board.planes cimport Side
from tavli_fast._core.ruleset cimport RuleSet

cdef extern from "generate/search.h" nogil:
    ctypedef struct Verdict "tf_verdict":
        int why
        int at
    ctypedef struct Node "tf_node":  # a turn under way
        Side mine
        uint8_t die
        uint8_t depth
    enum:
        LEGAL "TF_LEGAL"
    ctypedef struct Work "tf_work":
        int32_t most_nodes
        Node* nodes
        int32_t n_nodes
        int32_t* edges
        int32_t n_edges
        uint8_t* marks
        bint failed
    void begin_work "tf_begin_work"(Work* work)
    void end_work "tf_end_work"(Work* work)
    Work* create_work "tf_new_work"()
    void free_work "tf_free_work"(Work* work)
    bint search_turns "tf_search_turns"(
        const Side* mine, const Side* theirs, int die1, int die2, const RuleSet* rules, Work* work)
    void sides_after "tf_sides_after"(
        const Work* work, int32_t node, Side* mine, Side* theirs, const RuleSet* rules)
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
