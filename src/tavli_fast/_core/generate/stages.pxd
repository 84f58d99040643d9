"""Batches of hitting games through the stages of `stages.h`; what they leave goes board by board."""

from libc.stdint cimport int8_t, int32_t, uint32_t

from tavli_fast._core.generate.movegen cimport count_turn
from tavli_fast._core.ruleset cimport HIT, RuleSet
from tavli_fast._core.search cimport Work

cdef extern from "generate/stages.h" nogil:
    enum:
        BLOCK "TF_BLOCK"

    ctypedef struct StageRules "tf_stage_rules":
        uint32_t checkers
        uint32_t stop
        bint max_dice
        bint higher_die
        bint win_needs_all_dice
        bint oversize

    ctypedef struct PaddedBoard "tf_row":
        pass

    ctypedef struct Block "tf_block":
        PaddedBoard board[64]

    ctypedef struct Counter "tf_counter":
        Block block

    void start_counter "tf_start_counter"(Counter* counter)
    int count_block "tf_count_block"(
        Counter* counter, const int8_t* boards, const int8_t* dice, uint32_t first, int n,
        const StageRules* rules, int32_t* counts, uint32_t* rest
    )
    void finish_counter "tf_finish_counter"(
        Counter* counter, const StageRules* rules, int32_t* counts
    )


cdef inline bint has_stages(const RuleSet* rules) noexcept nogil:
    """Whether the stages know the rules: those of hitting games, unless a turn asks for `search`."""
    return rules.contact == HIT and rules.bearoff_internal and not rules.cascade


cdef inline StageRules stage_rules(const RuleSet* rules) noexcept nogil:
    """What the stages ask of the rules."""
    cdef StageRules of
    of.checkers = rules.checkers
    of.stop = rules.stop
    of.max_dice = rules.max_dice
    of.higher_die = rules.higher_die
    of.win_needs_all_dice = rules.win_needs_all_dice
    of.oversize = rules.bearoff_oversize
    return of


cdef inline bint count_batch(
    const int8_t* boards, const int8_t* dice, int n, const RuleSet* rules, Work* work,
    int32_t* counts
) noexcept nogil:
    """Count the plays of n boards, which are checked on the way; return whether all can be
    positions. Each byte of the boards is read once."""
    cdef StageRules of = stage_rules(rules)
    cdef Counter counter
    cdef uint32_t rest[BLOCK]
    cdef int first = 0, n_rest, k
    cdef const int8_t* board
    start_counter(&counter)
    while first < n:
        n_rest = count_block(
            &counter, boards, dice, first, min(n - first, BLOCK), &of, counts, rest
        )
        if n_rest < 0:
            return False
        for k in range(n_rest):
            board = <const int8_t*>&counter.block.board[rest[k] - first]
            counts[rest[k]] = count_turn(
                board, dice[2 * rest[k]], dice[2 * rest[k] + 1], rules, work
            )
        first += BLOCK
    finish_counter(&counter, &of, counts)
    return True
