"""Batches of boards: checking, counting, listing and playing moves, scoring, and perft."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tavli_fast._apply cimport FINE, GAME_OVER, NOT_A_PLAY, NO_DIE, Verdict, is_complete, judge
from tavli_fast._board cimport (
    POINTS, Turn, above, is_over, load_row, load_turn, mirror, store_row, total,
)
from tavli_fast._generate cimport count_plays, enumerate_plays, fill_tables
from tavli_fast._plays cimport (
    BOARD_BYTES, MAX_PLAYS, ROW_BYTES, Play, Sink, Tables, code_die, code_from,
    code_length, play_row,
)
from tavli_fast._rules cimport RuleSet, rule_set
from tavli_fast._score cimport game_points

cdef Tables TABLES
fill_tables(&TABLES)


def first_bad_board(const int8_t[:, :, ::1] boards not None, rules):
    """Return (index, why) of the first board that is no position under `rules`, or None."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i = 0, n = boards.shape[0]
    with nogil:
        while i < n and _is_position(&boards[i, 0, 0], &compiled):
            i += 1
    if i == n:
        return None
    return i, _why_bad(boards[i], &compiled)


cdef bint _is_position(const int8_t* board, const RuleSet* rules) noexcept nogil:
    cdef uint32_t negative = ~(above(board, -1) & above(board + 26, -1)) & 0x3ffffff
    if negative or total(board) != rules.checkers or total(board + 26) != rules.checkers:
        return False
    if above(board, 0) & mirror(above(board + 26, 0)) & POINTS:
        return False
    return not (board[0] == rules.checkers and board[26] == rules.checkers)


cdef str _why_bad(const int8_t[:, ::1] board, const RuleSet* rules):
    """Say what is wrong with a board that `_is_position` refuses."""
    cdef int plane, point, checkers
    cdef str owner
    for plane in range(2):
        owner = ("the player on roll", "the opponent")[plane]
        for point in range(26):
            if board[plane, point] < 0:
                return (
                    f"plane {plane} ({owner}) holds {board[plane, point]} at [{point}]: "
                    "expected counts of 0 or more (there are no pins in a hitting game)"
                )
        checkers = sum(board[plane, point] for point in range(26))
        if checkers != rules.checkers:
            return (
                f"plane {plane} ({owner}) holds {checkers} checkers: expected {rules.checkers} "
                "with those on the bar [25] and borne off [0]"
            )
    for point in range(1, 25):
        if board[0, point] > 0 and board[1, 25 - point] > 0:
            return (
                f"both sides hold point {point} of the player on roll ({25 - point} of the "
                "opponent's): expected one side at most"
            )
    return "both sides have borne off all their checkers: expected one winner at most"


def count(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules
):
    """Return int32[N]: how many distinct plays each board has with its roll."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t n = boards.shape[0]
    counts = np.empty(n, np.int32)
    cdef int32_t[::1] out = counts
    if n:
        with nogil:
            _count(&boards[0, 0, 0], &dice[0, 0], n, &compiled, &out[0])
    return counts


cdef void _count(
    const int8_t* boards, const int8_t* dice, Py_ssize_t n, const RuleSet* rules, int32_t* out
) noexcept nogil:
    cdef Turn turn
    cdef Py_ssize_t i
    for i in range(n):
        if is_over(boards, rules):
            out[i] = 0
        else:
            turn = load_turn(boards, rules)
            out[i] = count_plays(&turn, dice[0], dice[1], rules)
        boards += BOARD_BYTES
        dice += 2


def fill(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    const int64_t[::1] offsets not None, int8_t[:, :, ::1] after not None, uint32_t[::1] codes
):
    """Write each board's afterstates to `after`, and its plays as codes to `codes` unless that is
    None: those of board i from `offsets[i]` on, where `offsets` are the sums of `count`."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef int64_t m = offsets[n], last
    cdef Sink sink
    cdef Turn turn
    cdef int8_t* spare
    if m == 0:
        return
    i = n
    while offsets[i] == m:
        i -= 1
    last = m - offsets[i]
    # A board is written as 64 bytes, 12 too many, so the last board's plays need a place with room.
    spare = <int8_t*>malloc(last * BOARD_BYTES + ROW_BYTES)
    if spare == NULL:
        raise MemoryError(f"no room for {last} plays")
    with nogil:
        sink.tables = &TABLES
        sink.codes = NULL
        for i in range(n):
            if offsets[i] == offsets[i + 1]:
                continue
            turn = load_turn(&boards[i, 0, 0], &compiled)
            sink.base = load_row(&boards[i, 0, 0])
            sink.boards = spare if offsets[i + 1] == m else &after[offsets[i], 0, 0]
            if codes is not None:
                sink.codes = &codes[offsets[i]]
            enumerate_plays(&turn, dice[i, 0], dice[i, 1], &compiled, &sink)
        memcpy(&after[m - last, 0, 0], spare, last * BOARD_BYTES)
        free(spare)


def decode(const uint32_t[::1] codes not None, int8_t[:, :, ::1] moves not None):
    """Write plays, given as codes, as four pairs of from and to each, to int8[M, 4, 2]."""
    cdef Py_ssize_t i, n = codes.shape[0]
    with nogil:
        for i in range(n):
            _decode(codes[i], &moves[i, 0, 0])


cdef void _decode(Play play, int8_t* moves) noexcept nogil:
    """Write a play as four pairs of from and to, -1 where there is no move."""
    cdef int i, from_, die
    for i in range(4):
        if play:
            from_ = code_from(play)
            die = code_die(play)
            moves[2 * i] = from_
            moves[2 * i + 1] = from_ - die if from_ > die else 0
            play >>= 8
        else:
            moves[2 * i] = moves[2 * i + 1] = -1


def outcomes(const int8_t[:, :, ::1] boards not None, rules):
    """Return (over bool[N], points int8[N]): which games have ended, and how for plane 0."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, n = boards.shape[0]
    over = np.zeros(n, np.bool_)
    points = np.zeros(n, np.int8)
    cdef unsigned char[::1] over_out = over.view(np.uint8)
    cdef int8_t[::1] points_out = points
    cdef int loser, won
    with nogil:
        for i in range(n):
            if is_over(&boards[i, 0, 0], &compiled):
                loser = 1 if boards[i, 0, 0] == compiled.checkers else 0
                won = game_points(
                    above(&boards[i, loser, 0], 0), compiled.checkers - boards[i, loser, 0],
                    &compiled,
                )
                over_out[i] = True
                points_out[i] = won if loser else -won
    return over, points


def apply(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, :, ::1] moves not None,
    const int8_t[:, ::1] dice, rules
):
    """Return (boards after the moves int8[N, 4, 2], None), or (None, (index, move, why)) for the
    first board on which they are refused. Without dice each move must be possible in itself."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef Turn turn
    cdef Verdict verdict
    cdef int8_t buffer[ROW_BYTES]
    cdef bint over
    after = np.empty((n, 2, 26), np.int8)
    cdef int8_t[:, :, ::1] out = after
    for i in range(n):
        over = is_over(&boards[i, 0, 0], &compiled)
        turn = load_turn(&boards[i, 0, 0], &compiled)
        if over and moves[i, 0, 0] != -1:
            return None, (i, 0, GAME_OVER)
        if dice is None or over:
            verdict = judge(&turn, &moves[i, 0, 0], NULL, 0)
        else:
            verdict = _judge_roll(&turn, &moves[i, 0, 0], dice[i, 0], dice[i, 1], &compiled)
        if verdict.why != FINE:
            return None, (i, verdict.at, verdict.why)
        store_row(buffer, play_row(&TABLES, load_row(&boards[i, 0, 0]), verdict.play, turn.blot))
        memcpy(&out[i, 0, 0], buffer, BOARD_BYTES)
    return after, None


cdef Verdict _judge_roll(
    const Turn* turn, const int8_t* moves, int die1, int die2, const RuleSet* rules
) noexcept nogil:
    """Judge moves by the dice of a roll, in either order; if neither will do, the verdict is that
    of the order in which more of the moves can be made."""
    cdef int8_t dice[4]
    cdef Verdict verdict, best
    cdef int longest = _longest_play(turn, die1, die2, rules)
    cdef int n_dice = 4 if die1 == die2 else 2
    cdef int order
    best.why = NO_DIE
    best.at = -1
    for order in range(1 if die1 == die2 else 2):
        dice[0] = dice[2] = die2 if order else die1
        dice[1] = dice[3] = die1 if order else die2
        verdict = judge(turn, moves, dice, n_dice)
        if verdict.why == FINE:
            if is_complete(turn, &verdict, dice, n_dice, longest, rules):
                return verdict
            verdict.why = NOT_A_PLAY
        # On a tie the reason is the one that is not about the other die.
        if verdict.at > best.at or (verdict.at == best.at and best.why == NO_DIE):
            best = verdict
    return best


cdef int _longest_play(
    const Turn* turn, int die1, int die2, const RuleSet* rules
) noexcept nogil:
    """The most dice that a play of the roll uses."""
    cdef Play codes[MAX_PLAYS]
    cdef Sink sink
    cdef int i, longest = 0, n = count_plays(turn, die1, die2, rules)
    sink.tables = &TABLES
    sink.boards = NULL
    sink.codes = codes
    enumerate_plays(turn, die1, die2, rules, &sink)
    for i in range(n):
        longest = max(longest, code_length(codes[i]))
    return longest


def perft(const int8_t[:, ::1] board not None, int depth, rules):
    """Return the number of positions `depth` plies on, over all 21 rolls; a dance counts 1."""
    cdef RuleSet compiled = rule_set(rules)
    cdef size_t level = MAX_PLAYS * BOARD_BYTES + ROW_BYTES
    cdef int64_t nodes
    cdef int8_t* spare = <int8_t*>malloc(depth * level)
    if spare == NULL:
        raise MemoryError
    try:
        with nogil:
            nodes = _perft(&board[0, 0], depth, &compiled, spare)
    finally:
        free(spare)
    return nodes


cdef int64_t _perft(
    const int8_t* board, int depth, const RuleSet* rules, int8_t* spare
) except -1 nogil:
    cdef Turn turn
    cdef Sink sink
    cdef int8_t child[BOARD_BYTES]
    cdef int64_t nodes = 0
    cdef int die1, die2, n, i
    if is_over(board, rules):
        return 0
    if depth > 2:
        with gil:
            PyErr_CheckSignals()
    turn = load_turn(board, rules)
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            n = count_plays(&turn, die1, die2, rules)
            if depth == 1:
                nodes += n if n else 1
                continue
            if n == 0:
                memcpy(spare, board, BOARD_BYTES)
                n = 1
            else:
                sink.tables = &TABLES
                sink.codes = NULL
                sink.boards = spare
                sink.base = load_row(board)
                enumerate_plays(&turn, die1, die2, rules, &sink)
            for i in range(n):
                memcpy(child, spare + i * BOARD_BYTES + 26, 26)
                memcpy(child + 26, spare + i * BOARD_BYTES, 26)
                nodes += _perft(
                    child, depth - 1, rules, spare + MAX_PLAYS * BOARD_BYTES + ROW_BYTES
                )
    return nodes
