"""RuleSet: the plain struct that a Rules object compiles to, read by the core without the GIL."""

from libc.stdint cimport uint32_t

cdef extern from "ruleset.h" nogil:
    enum:
        # Contact: what landing on a lone enemy checker does.
        HIT "TF_HIT"
        PIN "TF_PIN"
        BLOCK "TF_NO_CONTACT"  # it cannot be done
    enum:
        # What it costs to have the last checker on the start pinned there.
        NO_MOTHER "TF_NO_MOTHER"
        LOSE_UNLESS_OWN_START "TF_LOSE_UNLESS_OWN_START"
        LOSE_ALWAYS "TF_LOSE_ALWAYS"
        DRAW_ONLY "TF_DRAW_ONLY"
    enum:
        # Which prime may not stand.
        NO_TRAP "TF_NO_TRAP"
        SINGLE_POINT "TF_SINGLE_POINT"
        IMMOBILE "TF_IMMOBILE"
        NEED_AHEAD "TF_NEED_AHEAD"
    ctypedef struct RuleSet "tf_rules":  # what the fields mean stands in the header
        int checkers
        bint parallel
        int contact
        uint32_t stop
        bint max_dice
        bint higher_die
        bint win_needs_all_dice
        bint cascade
        uint32_t gate
        int head_limit
        uint32_t head_first
        int prime_len
        bint own_start_prime
        int opp_start_max
        bint each_die
        int trap
        bint trap_first
        bint bearoff_oversize
        bint bearoff_internal
        bint bearoff_while_pinned
        int mother
        int mother_points
        bint mother_draw
        bint mother_immediate
        int single_points
        int gammon_points
        int backgammon_points
        bint triple_in_home


cdef RuleSet rule_set(object rules) except *
