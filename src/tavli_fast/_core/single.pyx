"""One board at a time: the calls of a bot that takes its turn, and perft."""

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from cpython.long cimport PyLong_AsLongAndOverflow
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tavli_fast._core.board.masks cimport load_row, load_turn
from tavli_fast._core.search cimport Work, free_work, new_work, too_many
from tavli_fast._core.generate.movegen cimport Roll, enumerate_plays, fill_tables, find_plays, needs_care
from tavli_fast._core.generate.listing cimport count_turn, decode, list_turn
from tavli_fast._core.generate.play cimport BOARD_BYTES, SPARE_BYTES, Play, Sink, Tables
from tavli_fast._core.board.check cimport is_position
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.board.result cimport is_over

cnp.import_array()

cdef Tables TABLES
fill_tables(&TABLES)


cdef enum:
    _FEW = 64  # plays of one board that need no memory of their own


def count_of_one(board, dice, rules):
    """Return int32[1], or None as `plays_of_one` does."""
    cdef int8_t copy[BOARD_BYTES]
    cdef Roll roll
    cdef cnp.npy_intp length = 1
    if not _find_for_one(board, dice, rules, copy, &roll):
        return None
    counts = cnp.PyArray_SimpleNew(1, &length, cnp.NPY_INT32)
    (<int32_t*>cnp.PyArray_DATA(<cnp.ndarray>counts))[0] = roll.plays
    return counts


def plays_of_one(board, dice, rules, bint with_moves):
    """Return (int8[M, 4, 2] or None, int8[M, 2, 26], int64[2]): moves, afterstates and offsets of a
    single board, a bot's call. None unless the arguments are its usual ones, good and in no need of
    conversion, and the roll needs no care; the general way takes the others, or says what is wrong
    with them."""
    cdef int8_t copy[BOARD_BYTES]
    cdef int8_t boards[_FEW * BOARD_BYTES + SPARE_BYTES]
    cdef Play codes[_FEW]
    cdef Roll roll
    cdef Sink sink
    cdef void* room = NULL
    cdef cnp.npy_intp shape[3]
    cdef int8_t* to
    cdef int i, n
    if not _find_for_one(board, dice, rules, copy, &roll):
        return None
    n = roll.plays
    to = boards
    sink.tables = &TABLES
    sink.codes = codes if with_moves else NULL
    if n > _FEW:
        room = malloc(n * (BOARD_BYTES + sizeof(Play)) + SPARE_BYTES + sizeof(Play))
        if room == NULL:
            raise MemoryError(f"no room for {n} plays")
        # The codes first: they are words.
        to = <int8_t*>room + n * sizeof(Play)
        if with_moves:
            sink.codes = <Play*>room
    try:
        shape[0], shape[1], shape[2] = n, 2, 26
        after = cnp.PyArray_SimpleNew(3, shape, cnp.NPY_INT8)
        shape[1], shape[2] = 4, 2
        moves = cnp.PyArray_SimpleNew(3, shape, cnp.NPY_INT8) if with_moves else None
        if n:
            sink.boards = to
            load_row(&sink.base, copy)
            enumerate_plays(&roll, &sink)
            memcpy(cnp.PyArray_DATA(<cnp.ndarray>after), to, n * BOARD_BYTES)
        if with_moves:
            for i in range(n):
                decode(
                    (sink.codes - n)[i], <int8_t*>cnp.PyArray_DATA(<cnp.ndarray>moves) + 8 * i, 4
                )
    finally:
        free(room)
    shape[0] = 2
    offsets = cnp.PyArray_SimpleNew(1, shape, cnp.NPY_INT64)
    (<int64_t*>cnp.PyArray_DATA(<cnp.ndarray>offsets))[0] = 0
    (<int64_t*>cnp.PyArray_DATA(<cnp.ndarray>offsets))[1] = n
    return moves, after, offsets


cdef bint _find_for_one(board, dice, rules, int8_t* copy, Roll* roll) except -1:
    """Copy a board and find the plays of its roll, if they can be had in a short way."""
    cdef RuleSet compiled
    cdef int dice_read[2]
    cdef cnp.ndarray array
    cdef int i, overflow = 0
    cdef long die
    if not cnp.PyArray_CheckExact(board) or type(dice) is not tuple or len(dice) != 2:
        return False
    array = board
    if (
        cnp.PyArray_NDIM(array) != 2 or cnp.PyArray_TYPE(array) != cnp.NPY_INT8
        or cnp.PyArray_DIM(array, 0) != 2 or cnp.PyArray_DIM(array, 1) != 26
        or not cnp.PyArray_IS_C_CONTIGUOUS(array)
    ):
        return False
    for i in range(2):
        die_read = (<tuple>dice)[i]
        if type(die_read) is not int:  # a bool is none
            return False
        die = PyLong_AsLongAndOverflow(die_read, &overflow)
        if overflow or die < 1 or die > 6:
            return False
        dice_read[i] = die
    compiled = rule_set(rules)
    # A copy, which nobody changes after it has been checked.
    memcpy(copy, cnp.PyArray_DATA(array), BOARD_BYTES)
    if not is_position(copy, &compiled):
        return False
    roll.plays = 0
    if is_over(copy, &compiled):
        return True
    load_turn(&roll.turn, copy, &compiled)
    if compiled.cascade or needs_care(&roll.turn, dice_read[0], dice_read[1], &compiled):
        return False
    find_plays(roll, dice_read[0], dice_read[1], &compiled)
    return True


def perft(const int8_t[:, ::1] board not None, int depth, rules):
    """Return the number of positions `depth` plies on, over all 21 rolls; a dance counts 1."""
    cdef RuleSet compiled = rule_set(rules)
    cdef int64_t nodes
    cdef Work* work = new_work()
    try:
        with nogil:
            nodes = _perft(&board[0, 0], depth, &compiled, work)
        if work.failed:
            raise too_many()
    finally:
        free_work(work)
    return nodes


cdef int64_t _perft(
    const int8_t* board, int depth, const RuleSet* rules, Work* work
) except -1 nogil:
    """Count the positions; of no use if `work.failed`."""
    cdef int8_t child[BOARD_BYTES]
    cdef int8_t* after
    cdef int64_t nodes = 0
    cdef int die1, die2, n, i
    if is_over(board, rules):
        return 0
    if depth > 1 or rules.cascade:  # the last ply takes no time, but for cascades
        with gil:
            PyErr_CheckSignals()
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            n = count_turn(board, die1, die2, rules, work)
            if work.failed:
                return 0
            if depth == 1:
                nodes += n if n else 1
                continue
            after = <int8_t*>malloc((n + 1) * BOARD_BYTES + SPARE_BYTES)
            if after == NULL:
                with gil:
                    raise MemoryError
            if n == 0:
                memcpy(after, board, BOARD_BYTES)
                n = 1
            else:
                list_turn(board, die1, die2, rules, work, &TABLES, after, NULL, 0)
            try:
                for i in range(n):
                    if work.failed:
                        return 0
                    memcpy(child, after + i * BOARD_BYTES + 26, 26)
                    memcpy(child + 26, after + i * BOARD_BYTES, 26)
                    nodes += _perft(child, depth - 1, rules, work)
            finally:
                free(after)
    return nodes
