"""For tests only: parts of the kernel that no public function shows by themselves."""

import numpy as np

from libc.stdint cimport int8_t

from tavli_fast._core.board.planes cimport Side, load_side, store_side
from tavli_fast._core.generate.movegen cimport Roll, find_plays, pick_play, search_plays
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.search cimport Work, free_work, new_work, too_many


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
