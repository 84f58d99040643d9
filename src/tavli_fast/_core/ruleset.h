/* RuleSet: the plain struct that a Rules object compiles to, read by the core without the GIL. */
#ifndef TAVLI_FAST_RULESET_H
#define TAVLI_FAST_RULESET_H

#include <stdbool.h>
#include <stdint.h>

/* Contact: what landing on a lone enemy checker does. */
enum {
    TF_HIT = 0,
    TF_PIN = 1,
    TF_NO_CONTACT = 2, /* it cannot be done */
};

/* What it costs to have the last checker on the start pinned there. */
enum {
    TF_NO_MOTHER = 0,
    TF_LOSE_UNLESS_OWN_START = 1,
    TF_LOSE_ALWAYS = 2,
    TF_DRAW_ONLY = 3,
};

/* Which prime may not stand. */
enum {
    TF_NO_TRAP = 0,
    TF_SINGLE_POINT = 1,
    TF_IMMOBILE = 2,
    TF_NEED_AHEAD = 3,
};

typedef struct {
    int checkers;            /* a side's checkers; a plane's sum of absolute values */
    bool parallel;           /* both sides run the same way round, 12 points apart */
    int contact;             /* TF_HIT, TF_PIN or TF_NO_CONTACT */
    uint32_t stop;           /* bit p: a checker that hits on the mover's point p may not move on */
    bool max_dice;           /* as many dice as possible must be played */
    bool higher_die;         /* of two dice that exclude each other the higher must be played */
    bool win_needs_all_dice; /* both duties bind the winning play too */
    bool cascade;            /* doubles go on, up to the sixes */
    uint32_t gate;           /* until a checker stands on one of these, only the foremost moves; or 0 */
    int head_limit;          /* how many checkers may leave the 24-point in a turn (15: all) */
    uint32_t head_first;     /* bit d: with this double, one more in a side's first turn */
    int prime_len;           /* points that make a prime, for `trap` */
    bool own_start_prime;    /* all of 24-19 may be held */
    int opp_start_max;       /* how many of 12-7 may be held */
    bool each_die;           /* the two rules above, and TF_NEED_AHEAD, are read after each die */
    int trap;                /* TF_NO_TRAP, TF_SINGLE_POINT, TF_IMMOBILE or TF_NEED_AHEAD */
    bool trap_first;         /* avoiding the trap comes before playing more dice */
    bool bearoff_oversize;   /* a larger die bears off the farthest checker */
    bool bearoff_internal;   /* with all checkers home, they may still move within the home */
    bool bearoff_while_pinned;
    int mother;              /* TF_NO_MOTHER, TF_LOSE_UNLESS_OWN_START, ... */
    int mother_points;
    bool mother_draw;        /* both mothers pinned is a draw */
    bool mother_immediate;   /* the mother rule ends the game in the middle of a turn */
    int single_points;
    int gammon_points;
    int backgammon_points;
    bool triple_in_home;     /* a checker in the winner's home makes a backgammon, not only the bar */
} tf_rules;

#endif
