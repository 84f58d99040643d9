"""For tests only: parts of the kernel that no public function shows by themselves."""

import numpy as np

from libc.stdint cimport int8_t, int64_t, uint32_t

from tavli_fast._core.cube.janowski cimport (
    CENTRE, CubeLevels, CubePolicyParams, TakeCash, decide, read_levels, read_take_cash, value_of,
)
from tavli_fast._core.board.planes cimport Side, load_side, store_side
from tavli_fast._core.generate.movegen cimport Roll, find_plays, pick_play, search_plays
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.search cimport Work, free_work, new_work, too_many

cdef extern from "random/games.h" nogil:
    int64_t draw_plays "tf_drawn_plays"(
        const Side* mover, const Side* enemy, int die1, int die2, const RuleSet* rules,
        const uint32_t* bits, int64_t n, Work* work, int8_t* boards, unsigned char* drawn)


def chosen_plays(const int8_t[:, ::1] board not None, int die1, int die2, rules):
    """Return int8[n, 2, 26]: the boards after each play that the random policy can choose, in the
    order of its draw. It must be the set that the generator lists."""
    return _plays(board, die1, die2, rules, False)


def searched_plays(const int8_t[:, ::1] board not None, int die1, int die2, rules):
    """Return int8[n, 2, 26]: the boards after each play that the search finds, whether or not the
    roll needs it. It must be the set that the mask formulas list."""
    return _plays(board, die1, die2, rules, True)


cdef object _plays(
    const int8_t[:, ::1] board, int die1, int die2, object rules, bint by_search
):
    cdef RuleSet compiled = rule_set(rules)
    cdef Side first = load_side(&board[0, 0]), second = load_side(&board[1, 0])
    cdef Side mover, enemy
    cdef Work* work = new_work()
    cdef Roll roll
    cdef int k, n
    cdef int8_t[:, :, ::1] out
    try:
        if by_search:
            n = search_plays(&roll, &first, &second, die1, die2, &compiled, work)
        else:
            n = find_plays(&roll, &first, &second, die1, die2, &compiled, work)
        if work.failed:
            raise too_many()
        boards = np.empty((n, 2, 26), np.int8)
        out = boards
        for k in range(n):
            mover = first
            enemy = second
            pick_play(&roll, k, &mover, &enemy, &compiled, work)
            store_side(&mover, compiled.checkers, &out[k, 0, 0])
            store_side(&enemy, compiled.checkers, &out[k, 1, 0])
    finally:
        free_work(work)
    return boards


def drawn_plays(
    const int8_t[:, ::1] board not None, int die1, int die2, rules,
    const uint32_t[::1] bits not None
):
    """Make the play of `random_games` once for each number that a game's stream may give.

    Returns the boards after the plays int8[n, 2, 26]; bool[n] whether a play was drawn and not
    rejected; and the number of proposals that it was drawn from, 0 for a dance or a roll that does
    not go through the lanes.
    """
    cdef RuleSet compiled = rule_set(rules)
    cdef Side mover = load_side(&board[0, 0]), enemy = load_side(&board[1, 0])
    cdef int64_t n = bits.shape[0], proposals
    cdef Work* work = new_work()
    boards = np.zeros((n, 2, 26), np.int8)
    drawn = np.zeros(n, np.bool_)
    cdef int8_t[:, :, ::1] after = boards
    cdef unsigned char[::1] played = drawn.view(np.uint8)
    try:
        proposals = draw_plays(
            &mover, &enemy, die1, die2, &compiled, &bits[0], n, work, &after[0, 0, 0], &played[0]
        )
    finally:
        free_work(work)
    if proposals < 0:
        raise too_many()
    return boards, drawn, proposals


def cube_values(const float[:, ::1] outcomes not None, tuple levels, double efficiency):
    """Return float64[N, 4]: what outcomes of the player on roll are worth at the lowest cube in
    the middle, his own, his opponent's, and after the best decision with the cube in the middle.
    For tests, which hold it against tavli_fast/cube/model.py."""
    cdef CubeLevels read
    cdef TakeCash take_cash
    cdef CubePolicyParams params
    cdef Py_ssize_t i
    cdef int place
    read_levels(&read, levels)
    params.efficiency = efficiency
    params.beavers = params.refusable = False
    result = np.zeros((outcomes.shape[0], 4))
    cdef double[:, ::1] out = result
    for i in range(outcomes.shape[0]):
        read_take_cash(&take_cash, &read, &outcomes[i, 0])
        for place in range(3):
            out[i, place] = value_of(&read, &take_cash, 0, place, efficiency)
        out[i, 3] = decide(&read, &take_cash, 0, CENTRE, &params).value
    return result
