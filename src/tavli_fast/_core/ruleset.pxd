"""RuleSet: the plain struct that a Rules object compiles to, read by the core without the GIL."""

from libc.stdint cimport uint32_t

cdef enum:
    # Contact: what landing on a lone enemy checker does.
    HIT = 0
    PIN = 1
    BLOCK = 2  # it cannot be done

cdef enum:
    # What it costs to have the last checker on the start pinned there.
    NO_MOTHER = 0
    LOSE_UNLESS_OWN_START = 1
    LOSE_ALWAYS = 2
    DRAW_ONLY = 3

cdef enum:
    # Which prime may not stand.
    NO_TRAP = 0
    SINGLE_POINT = 1
    IMMOBILE = 2
    NEED_AHEAD = 3


cdef struct RuleSet:
    int checkers            # a side's checkers; a plane's sum of absolute values
    bint parallel           # both sides run the same way round, 12 points apart
    int contact             # HIT, PIN or BLOCK
    uint32_t stop           # bit p: a checker that hits on the mover's point p may not move on
    bint max_dice           # as many dice as possible must be played
    bint higher_die         # of two dice that exclude each other the higher must be played
    bint win_needs_all_dice # both duties bind the winning play too
    bint cascade            # doubles go on, up to the sixes
    uint32_t gate           # until a checker stands on one of these, only the foremost moves; or 0
    int head_limit          # how many checkers may leave the 24-point in a turn (15: all)
    uint32_t head_first     # bit d: with this double, one more in a side's first turn
    int prime_len           # points that make a prime, for `trap`
    bint own_start_prime    # all of 24-19 may be held
    int opp_start_max       # how many of 12-7 may be held
    bint each_die           # the two rules above, and NEED_AHEAD, are read after each die
    int trap                # NO_TRAP, SINGLE_POINT, IMMOBILE or NEED_AHEAD
    bint trap_first         # avoiding the trap comes before playing more dice
    bint bearoff_oversize   # a larger die bears off the farthest checker
    bint bearoff_internal   # with all checkers home, they may still move within the home
    bint bearoff_while_pinned
    int mother              # NO_MOTHER, LOSE_UNLESS_OWN_START, LOSE_ALWAYS or DRAW_ONLY
    int mother_points
    bint mother_draw        # both mothers pinned is a draw
    bint mother_immediate   # the mother rule ends the game in the middle of a turn
    int single_points
    int gammon_points
    int backgammon_points
    bint triple_in_home     # a checker in the winner's home makes a backgammon, not only the bar


cdef RuleSet rule_set(object rules) except *
