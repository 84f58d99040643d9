"""Batches of boards for evaluators: features, the outputs of nets, and the best play of each roll."""

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy, memset

from tavli_fast._core.board.result cimport UNDECIDED, board_result
from tavli_fast._core.constants cimport CELLS, EXPERTS, OUTPUTS, SCALARS, SCALAR_ROOM, SIDE_SCALARS
from tavli_fast._core.generate.play cimport BOARD_BYTES
from tavli_fast._core.net.net cimport (
    BATCH, EIGHT, HITS, Net, evaluate_afterstates, evaluate_boards, flags_of, form_of, free_net,
    SIDE_ROOM, open_net, outputs_of, phase_floats, phases_of, possible_results, scalar_scale,
    see_one, tail_scale,
)
from tavli_fast._core.net.outcomes cimport exact_outcomes
from tavli_fast._core.net.select cimport (
    Workspace, free_workspace, list_afterstates, new_workspace, select_afterstate, set_root,
)
from tavli_fast._core.ruleset cimport BLOCK, PIN, RuleSet, rule_set

from tavli_fast.errors import ResultTooLargeError


ctypedef fused Feature:
    float
    uint8_t

# What a cell with -1 to 15 checkers adds to a row: of a point, off the board, and in whole checkers.
cdef float[2][17][4] _FLOATS
cdef uint8_t[17][4] _BYTES

cdef void _fill_tables() noexcept:
    cdef int kind, count, unit
    for count in range(-1, 16):
        for unit in range(3):
            _BYTES[count + 1][unit] = count > unit
            for kind in range(2):
                _FLOATS[kind][count + 1][unit] = count > unit
        _BYTES[count + 1][3] = max(count - 3, 0)
        for kind in range(2):
            _FLOATS[kind][count + 1][3] = max(count - 3, 0) * tail_scale(0 if kind else 1)

_fill_tables()


cdef inline void _see(
    const int8_t* board, const RuleSet* rules, Feature* row, Py_ssize_t width, bint scalars
) noexcept nogil:
    """Write the features of a board; the uint8 ones have whole checkers above the third, and the
    scalars as their levels."""
    cdef int cell, point, held, side, k
    cdef int side_scalars = HITS if rules.contact == BLOCK else SIDE_SCALARS
    cdef Py_ssize_t column = 4 * CELLS, end_of_flags = width - (2 * side_scalars if scalars else 0)
    cdef uint8_t levels[SCALAR_ROOM]
    cdef uint32_t words[8]
    cdef uint32_t code, flags
    for cell in range(CELLS):
        held = min(max(board[cell], -1), 15) + 1  # callables may pass on what is no board
        if Feature is float:
            memcpy(row + 4 * cell, _FLOATS[cell % 26 == 0][held], 16)
        else:
            memcpy(row + 4 * cell, _BYTES[held], 4)
    if rules.contact == PIN:
        for cell in range(2):
            for point in range(1, 25):
                row[column] = board[26 * cell + point] < 0
                column += 1
    see_one(&code, words if scalars else NULL, rules, SCALARS if scalars else 0, board)
    flags = flags_of(code, rules.contact)
    while column < end_of_flags:
        row[column] = flags & 1
        flags >>= 1
        column += 1
    if scalars:
        memcpy(levels, words, sizeof(words))
        for side in range(2):
            for k in range(side_scalars):
                if Feature is float:
                    row[column] = levels[side * SIDE_ROOM + k] * scalar_scale(k)
                else:
                    row[column] = levels[side * SIDE_ROOM + k]
                column += 1


def features(
    const int8_t[:, :, ::1] boards not None, rules, Feature[:, ::1] out not None,
    bint scalars=False, const int64_t[::1] offsets=None, Py_ssize_t room=0
):
    """Write what nets see of each board to float32[N, F]: for each of the 52 cells whether it
    holds 1, 2 or 3 checkers or more, and by how many it is above 3, in halves (eighths for those
    borne off); in pin games whether each of the points 1-24 of plane 0, then of plane 1, holds a
    pinned checker; then the flags, and if they are asked for the scalars, all 0 in a race. In
    uint8[N, F] checkers above 3 are whole, and scalars are levels.

    With `offsets`, boards `offsets[i]` to `offsets[i + 1] - 1` are put into the rows from
    `i * room` on, as far as they fit, and the rest of the `room` rows is 0."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, k, n, width = out.shape[1]
    with nogil:
        if offsets is None:
            for i in range(boards.shape[0]):
                _see(&boards[i, 0, 0], &compiled, &out[i, 0], width, scalars)
        else:
            for i in range(offsets.shape[0] - 1):
                n = min(room, offsets[i + 1] - offsets[i])
                for k in range(n):
                    _see(&boards[offsets[i] + k, 0, 0], &compiled, &out[i * room + k, 0], width,
                         scalars)
                if n < room:
                    memset(&out[i * room + n, 0], 0, (room - n) * width * sizeof(out[0, 0]))


def phases(
    const int8_t[:, :, ::1] boards not None, rules, int8_t[::1] out not None, bint experts=False
):
    """Write to int8[N] which weights each board is judged by: 0 contact, 1 race; with experts 0 to 3
    contact, 4 race."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i
    cdef uint32_t code
    with nogil:
        for i in range(boards.shape[0]):
            out[i] = see_one(&code, NULL, &compiled, EXPERTS if experts else 0, &boards[i, 0, 0])


def possible(const int8_t[:, :, ::1] boards not None, rules, uint8_t[::1] out not None):
    """Write to uint8[N] which results each board, whose game is not over, can still have: bits 0-2
    plane 0 wins exactly 1, 2, 3 points; bits 3-5 plane 1 does; bit 6 a draw."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i
    with nogil:
        for i in range(boards.shape[0]):
            out[i] = <uint8_t>possible_results(&compiled, &boards[i, 0, 0])


def scalar_scales():
    """Return what one level of each of a side's scalars adds to its feature."""
    return [scalar_scale(k) for k in range(SIDE_SCALARS)]


def block_floats(int width, int kind=0):
    """Return how many floats the weights of a net of that width and kind take: all phases."""
    cdef int form = form_of(kind)
    return phases_of(form) * phase_floats(width, form)


def outcomes(
    const int8_t[:, :, ::1] boards not None, rules, const float[::1] weights not None, int kind,
    int width, int outputs, float[:, ::1] out not None
):
    """Write to float32[N, 6] the outputs for each board, as the player who has just moved (plane
    0) sees them; a game that is over has its result."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Net net
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef const int8_t* some[EIGHT]
    cdef Py_ssize_t places[EIGHT]
    cdef float values[EIGHT * OUTPUTS]
    cdef int points, waiting = 0, k
    open_net(&net, &weights[0], kind, width, outputs, &compiled)
    with nogil:
        for i in range(n):
            points = board_result(&boards[i, 0, 0], &compiled)
            if points != UNDECIDED:
                exact_outcomes(&out[i, 0], points)
            else:
                some[waiting] = &boards[i, 0, 0]
                places[waiting] = i
                waiting += 1
            if waiting == EIGHT or i + 1 == n:
                evaluate_boards(values, &net, &compiled, some, waiting)
                for k in range(waiting):
                    memcpy(&out[places[k], 0], values + OUTPUTS * k, OUTPUTS * sizeof(float))
                waiting = 0
    free_net(&net)


def best(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    const float[::1] weights not None, int kind, int width, int outputs,
    int32_t[::1] places not None, int8_t[:, :, ::1] after not None, float[:, ::1] out not None,
    int8_t[:, :, ::1] moves=None
):
    """Write for each board and roll the afterstate that the net evaluates best, its place among those
    that `afterstates` lists (the first of equals), its outputs for the mover, and, unless `moves` is
    None, the moves to it, filled up with -1. A board without a
    legal move stays as it is, at place -1; one that is over is at -2, with its result. Neighbours that
    are equal, as for all rolls of a board, share what does not depend on the roll."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Net net
    cdef Workspace* space = NULL
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef int points, plays = 0
    cdef bint known = False
    memset(&net, 0, sizeof(net))
    try:
        open_net(&net, &weights[0], kind, width, outputs, &compiled)
        space = new_workspace(&compiled, 0 if moves is None else <int>moves.shape[1])
        with nogil:
            if moves is not None:
                memset(&moves[0, 0, 0], -1, moves.shape[0] * moves.shape[1] * 2)
            for i in range(n):
                points = board_result(&boards[i, 0, 0], &compiled)
                if points != UNDECIDED:
                    exact_outcomes(&out[i, 0], points)
                    places[i] = -2
                    memcpy(&after[i, 0, 0], &boards[i, 0, 0], BOARD_BYTES)
                    continue
                if not known or memcmp(space.acc.root.board, &boards[i, 0, 0], BOARD_BYTES):
                    set_root(space, &net, &boards[i, 0, 0])
                    known = True
                places[i] = select_afterstate(
                    space, &net, dice[i, 0], dice[i, 1], &after[i, 0, 0], &out[i, 0], &plays
                )
                if plays < 0:
                    break
                if moves is not None and places[i] >= 0:
                    memcpy(
                        &moves[i, 0, 0], space.moves + places[i] * 2 * space.room, 2 * space.room
                    )
        if plays < 0:
            raise _too_many(i)
    finally:
        free_workspace(space)
        free_net(&net)


def afterstate_outcomes(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    const float[::1] weights not None, int kind, int width, int outputs,
    const int64_t[::1] starts not None, float[:, ::1] out not None
):
    """Write for each board, none of them over, and its roll the outputs of all afterstates, in the
    order of `afterstates` and from row `starts[i]` on; of a board without a legal move its own."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Net net
    cdef Workspace* space = NULL
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef int first, many, k, plays = 0
    memset(&net, 0, sizeof(net))
    try:
        open_net(&net, &weights[0], kind, width, outputs, &compiled)
        space = new_workspace(&compiled, 0)
        with nogil:
            for i in range(n):
                set_root(space, &net, &boards[i, 0, 0])
                plays = list_afterstates(
                    space, max(dice[i, 0], dice[i, 1]), min(dice[i, 0], dice[i, 1])
                )
                if plays < 0:
                    break
                if plays == 0:
                    evaluate_afterstates(space.acc, &net, &compiled, space.acc.root.board, 1)
                    outputs_of(&out[starts[i], 0], space.acc, 0)
                first = 0
                while first < plays:
                    many = min(plays - first, <int>BATCH)
                    evaluate_afterstates(
                        space.acc, &net, &compiled, space.boards + first * BOARD_BYTES, many
                    )
                    for k in range(many):
                        outputs_of(&out[starts[i] + first + k, 0], space.acc, k)
                    first += many
        if plays < 0:
            raise _too_many(i)
    finally:
        free_workspace(space)
        free_net(&net)


cdef object _too_many(Py_ssize_t board):
    """The error for a roll whose plays cannot be listed."""
    return ResultTooLargeError(
        f"the plays of boards[{board}] are too many to list: a cascade of doubles can lead to many "
        "millions of positions"
    )
