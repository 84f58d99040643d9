"""Playing whole games out with the random policy, and collecting positions that such games meet."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t

from tavli_fast._core.search cimport Work, free_work, new_work
from tavli_fast._core.random.xoshiro cimport Stream, below, next_word, seeded
from tavli_fast._core.board.planes cimport Side, load_side, store_side
from tavli_fast._core.generate.movegen cimport Roll, find_plays, pick_play
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.board.result cimport UNDECIDED, game_result


cdef extern from "random/games.h" nogil:
    void play_games "tf_random_games"(
        const Side* mover, const Side* enemy, const RuleSet* rules, Stream stream, int64_t trials,
        int64_t max_plies, const unsigned char* stop, Work* work, int64_t* out)


cdef inline bint _random_turn(
    Side* mover, Side* enemy, const RuleSet* rules, Stream* stream, Work* work
) noexcept nogil:
    """Roll, and make a play chosen uniformly among the distinct ones, if there is any. False if
    they are too many to find (a cascade of doubles): such a game cannot go on."""
    cdef uint64_t word = next_word(stream)
    cdef uint32_t dice = below(stream, word >> 32, 36)
    cdef Roll roll
    cdef int n = find_plays(
        &roll, mover, enemy, 1 + dice // 6, 1 + dice % 6, rules, work
    )
    if n:
        n = below(stream, <uint32_t>word, n)
        pick_play(&roll, n, mover, enemy, rules, work)
    elif work.failed:
        work.failed = False
        return False
    return True


def random_games(
    const int8_t[:, ::1] board not None, rules, const uint64_t[::1] seed not None,
    int64_t trials, int64_t max_plies, const unsigned char[::1] stop not None
):
    """Play `trials` games from a board that is not over; return int64[9]: games ended at -3..+3
    points for plane 0, games cut at `max_plies`, and the plies of all of them. `seed` is four
    words, not all 0. Once another thread sets `stop[0]`, it returns soon, and what it returns is
    to be thrown away."""
    cdef RuleSet compiled = rule_set(rules)
    result = np.zeros(9, np.int64)
    cdef int64_t[::1] out = result
    cdef Side mover = load_side(&board[0, 0]), enemy = load_side(&board[1, 0])
    cdef Stream stream = seeded(seed)
    cdef Work* work = new_work()
    try:
        with nogil:
            play_games(
                &mover, &enemy, &compiled, stream, trials, max_plies, &stop[0], work, &out[0]
            )
    finally:
        free_work(work)
    return result


def random_boards(
    const int8_t[:, ::1] start not None, rules, const uint64_t[::1] seed not None,
    int8_t[:, :, ::1] boards not None, int64_t max_plies
):
    """Fill int8[n, 2, 26]: each position met in random games from `start`, player on roll first,
    is taken with probability 1/8, and games are played until there are enough."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Stream stream = seeded(seed)
    cdef Side first = load_side(&start[0, 0])
    cdef Side second = load_side(&start[1, 0])
    cdef Side mover, enemy, swap
    cdef Py_ssize_t taken = 0, n = boards.shape[0]
    cdef int64_t ply, games = 0
    cdef Work* work = new_work()
    try:
        with nogil:
            while taken < n:
                mover = first
                enemy = second
                for ply in range(max_plies):
                    if next_word(&stream) >> 61 == 0:
                        store_side(&mover, compiled.checkers, &boards[taken, 0, 0])
                        store_side(&enemy, compiled.checkers, &boards[taken, 1, 0])
                        taken += 1
                        if taken == n:
                            break
                    if not _random_turn(&mover, &enemy, &compiled, &stream, work):
                        break
                    if game_result(&mover, &enemy, &compiled) != UNDECIDED:
                        break
                    swap = mover
                    mover = enemy
                    enemy = swap
                games += 1
                if games & 0xfff == 0:
                    with gil:
                        PyErr_CheckSignals()
    finally:
        free_work(work)
