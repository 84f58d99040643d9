"""Batches of boards for evaluators: features, the outputs of nets, and the best play of each roll."""

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t
from libc.string cimport memcpy

from tavli_fast._core.net.select cimport (
    Desk, View, choose, free_desk, judge, list_afterstates, new_desk, set_base,
)
from tavli_fast._core.net.features cimport CELLS, Sight, look_at_all, tail_scale
from tavli_fast._core.net.net cimport (
    OUTPUTS, Brain, exact_outputs, open_brain, outputs_of, phase_floats,
)
from tavli_fast._core.generate.play cimport BOARD_BYTES
from tavli_fast._core.ruleset cimport PIN, RuleSet, rule_set
from tavli_fast._core.board.result cimport UNDECIDED, board_result

from tavli_fast.errors import ResultTooLargeError


def features(const int8_t[:, :, ::1] boards not None, rules, float[:, ::1] out not None):
    """Write what nets see of each board to float32[N, F]: for each of the 52 cells whether it
    holds 1, 2 or 3 checkers or more, and by how many it is above 3, in halves (eighths for those
    borne off); in pin games whether each of the points 1-24 of plane 0, then of plane 1, holds a
    pinned checker; then the flags, all 0 in a race."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef int cell, point, column, flag
    cdef Sight sight
    cdef const int8_t* board
    with nogil:
        for i in range(n):
            board = &boards[i, 0, 0]
            column = 0
            for cell in range(CELLS):
                out[i, column] = board[cell] >= 1
                out[i, column + 1] = board[cell] >= 2
                out[i, column + 2] = board[cell] >= 3
                out[i, column + 3] = max(board[cell] - 3, 0) * tail_scale(cell)
                column += 4
            if compiled.contact == PIN:
                for cell in range(CELLS):
                    point = cell % 26
                    if 1 <= point <= 24:
                        out[i, column] = board[cell] < 0
                        column += 1
            look_at_all(&sight, board, &compiled)
            for flag in range(out.shape[1] - column):
                out[i, column + flag] = sight.flags >> flag & 1


def phases(const int8_t[:, :, ::1] boards not None, rules, int8_t[::1] out not None):
    """Write to int8[N] which weights each board is judged by: 0 contact, 1 race."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i
    cdef Sight sight
    with nogil:
        for i in range(boards.shape[0]):
            look_at_all(&sight, &boards[i, 0, 0], &compiled)
            out[i] = sight.phase


def block_floats(int width):
    """Return how many floats the weights of a net of that width take: both phases."""
    return 2 * phase_floats(width)


def outcomes(
    const int8_t[:, :, ::1] boards not None, rules, const float[::1] weights not None, int kind,
    int width, int outputs, float[:, ::1] out not None
):
    """Write to float32[N, 6] the outputs for each board, as the player who has just moved (plane
    0) sees them; a game that is over has its result."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Brain brain
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef float values[8]
    cdef int points
    open_brain(&brain, &weights[0], kind, width, outputs)
    with nogil:
        for i in range(n):
            points = board_result(&boards[i, 0, 0], &compiled)
            if points != UNDECIDED:
                exact_outputs(values, points)
            else:
                outputs_of(values, &brain, &boards[i, 0, 0], &compiled)
            memcpy(&out[i, 0], values, OUTPUTS * sizeof(float))


def best(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    const float[::1] weights not None, int kind, int width, int outputs,
    int32_t[::1] places not None, int8_t[:, :, ::1] after not None, float[:, ::1] out not None
):
    """Write for each board and roll the afterstate that the net judges best, its place among those
    that `afterstates` lists (the first of equals), and its outputs for the mover. A board without a
    legal move stays as it is, at place -1; one that is over is at -2, with its result."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Brain brain
    cdef Desk* desk
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef float values[8]
    cdef int points, plays = 0
    open_brain(&brain, &weights[0], kind, width, outputs)
    desk = new_desk()
    try:
        with nogil:
            for i in range(n):
                points = board_result(&boards[i, 0, 0], &compiled)
                if points != UNDECIDED:
                    exact_outputs(values, points)
                    places[i] = -2
                    memcpy(&after[i, 0, 0], &boards[i, 0, 0], BOARD_BYTES)
                else:
                    set_base(desk, &boards[i, 0, 0], &compiled)
                    places[i] = choose(
                        desk, &brain, dice[i, 0], dice[i, 1], &compiled, &after[i, 0, 0], values,
                        &plays,
                    )
                    if plays < 0:
                        break
                memcpy(&out[i, 0], values, OUTPUTS * sizeof(float))
        if plays < 0:
            raise _too_many(i)
    finally:
        free_desk(desk)


def judged(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    const float[::1] weights not None, int kind, int width, int outputs,
    const int64_t[::1] starts not None, float[:, ::1] out not None
):
    """Write for each board, none of them over, and its roll the outputs of all afterstates, in the
    order of `afterstates` and from row `starts[i]` on; of a board without a legal move its own."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Brain brain
    cdef Desk* desk
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef View view
    cdef int k, plays = 0
    open_brain(&brain, &weights[0], kind, width, outputs)
    desk = new_desk()
    try:
        with nogil:
            for i in range(n):
                set_base(desk, &boards[i, 0, 0], &compiled)
                plays = list_afterstates(
                    desk, max(dice[i, 0], dice[i, 1]), min(dice[i, 0], dice[i, 1]), &compiled
                )
                if plays < 0:
                    break
                if plays == 0:
                    judge(desk, &brain, desk.base.board, &compiled, &view)
                    memcpy(&out[starts[i], 0], view.values, OUTPUTS * sizeof(float))
                for k in range(plays):
                    judge(desk, &brain, desk.boards + k * BOARD_BYTES, &compiled, &view)
                    memcpy(&out[starts[i] + k, 0], view.values, OUTPUTS * sizeof(float))
        if plays < 0:
            raise _too_many(i)
    finally:
        free_desk(desk)


cdef object _too_many(Py_ssize_t board):
    """The error for a roll whose plays cannot be listed."""
    return ResultTooLargeError(
        f"the plays of boards[{board}] are too many to list: a cascade of doubles can lead to many "
        "millions of positions"
    )
