"""RuleSet: the plain struct that a Rules object compiles to, read by the core without the GIL."""

from libc.stdint cimport uint32_t


cdef struct RuleSet:
    int checkers            # a side's checkers; a plane's sum
    bint max_dice           # as many dice as possible must be played
    bint higher_die         # of two dice that exclude each other the higher must be played
    bint win_needs_all_dice # both duties bind the winning play too
    uint32_t stop           # bit p: a checker that hits on the mover's point p may not move on
    int single_points
    int gammon_points
    int backgammon_points
    bint triple_in_home     # a checker in the winner's home makes a backgammon, not only the bar


cdef inline RuleSet rule_set(object rules) except *:
    """Compile a Rules (already checked by its own constructor)."""
    if (
        rules.contact != "hit"
        or rules.cascade
        or not rules.bearoff_oversize
        or not rules.bearoff_internal
    ):
        raise NotImplementedError(f"{rules!r}: the compiled core plays the hitting games only")
    cdef RuleSet compiled
    compiled.checkers = rules.checkers
    compiled.max_dice = rules.max_dice
    compiled.higher_die = rules.higher_die
    compiled.win_needs_all_dice = rules.win_needs_all_dice
    compiled.stop = 0 if rules.hit_and_run_home else 0x7e
    compiled.single_points = rules.single_points
    compiled.gammon_points = rules.gammon_points
    compiled.backgammon_points = rules.backgammon_points
    compiled.triple_in_home = rules.backgammon_needs == "home_or_bar"
    return compiled
