"""Batches of boards: counting and listing their plays, checking the boards on the way (`stages.h`)."""

from libc.stdint cimport int8_t, int32_t, int64_t

from tavli_fast._core.ruleset cimport RuleSet
from tavli_fast._core.search cimport Work

cdef extern from "generate/stages.h" nogil:
    enum:
        NO_POSITION "TF_NO_POSITION"
        NO_ROOM "TF_NO_ROOM"
        FAILED "TF_FAILED"

    int64_t count_boards "tf_count_boards"(
        const int8_t* boards, const int8_t* dice, int64_t n, const RuleSet* rules, Work* work,
        int32_t* counts)

    ctypedef struct Sheet "tf_sheet":
        int8_t* after
        int8_t* moves
        int move_room
        int64_t room
        bint exact
        bint (*grow)(Sheet* sheet, int64_t plays, int64_t likely) noexcept nogil
        void* owner

    ctypedef struct Lister "tf_lister":
        pass
    Lister* new_lister "tf_new_lister"()
    void free_lister "tf_free_lister"(Lister* lister)
    int64_t list_boards "tf_list_boards"(
        Lister* lister, const int8_t* boards, const int8_t* dice, int64_t n, const RuleSet* rules,
        Work* work, Sheet* sheet, int64_t* offsets)
