"""One board at a time: the calls of a bot that takes its turn, and perft."""

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from cpython.long cimport PyLong_AsLongAndOverflow
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tavli_fast._core.search cimport (
    Work, begin_work, end_work, free_work, new_work, too_many,
)
from tavli_fast._core.generate.movegen cimport count_turn, list_turn
from tavli_fast._core.generate.play cimport BOARD_BYTES, SPARE_BYTES
from tavli_fast._core.board.check cimport is_position
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.board.result cimport is_over

cnp.import_array()

cdef enum:
    _FEW = 64  # plays of one board that need no memory of their own
    _MOVE_BYTES = 8  # four moves


def count_of_one(board, dice, rules):
    """Return int32[1], or None as `plays_of_one` does."""
    cdef int8_t copy[BOARD_BYTES]
    cdef int read[2]
    cdef RuleSet compiled
    cdef Work work
    cdef cnp.npy_intp length = 1
    cdef int n
    if not _read_one(board, dice, rules, copy, read, &compiled):
        return None
    begin_work(&work)
    n = count_turn(copy, read[0], read[1], &compiled, &work)
    end_work(&work)
    counts = cnp.PyArray_SimpleNew(1, &length, cnp.NPY_INT32)
    (<int32_t*>cnp.PyArray_DATA(<cnp.ndarray>counts))[0] = n
    return counts


def plays_of_one(board, dice, rules, bint with_moves):
    """Return (int8[M, 4, 2] or None, int8[M, 2, 26], int64[2]): moves, afterstates and offsets of a
    single board, a bot's call. None unless the arguments are its usual ones, good and in no need of
    conversion; the general way takes the others, or says what is wrong with them."""
    cdef int8_t copy[BOARD_BYTES]
    cdef int8_t boards[_FEW * BOARD_BYTES + SPARE_BYTES]
    cdef int8_t few_moves[_FEW * _MOVE_BYTES]
    cdef int8_t* to = boards
    cdef int8_t* moves_to = few_moves if with_moves else NULL
    cdef int8_t* more = NULL
    cdef int read[2]
    cdef RuleSet compiled
    cdef Work work
    cdef cnp.npy_intp shape[3]
    cdef int64_t n
    if not _read_one(board, dice, rules, copy, read, &compiled):
        return None
    begin_work(&work)
    try:
        n = list_turn(copy, read[0], read[1], &compiled, &work, to, _FEW, moves_to, 4)
        if n > _FEW:
            more = <int8_t*>malloc(n * (BOARD_BYTES + _MOVE_BYTES) + SPARE_BYTES)
            if more == NULL:
                raise MemoryError(f"no room for {n} plays")
            to = more
            if with_moves:
                moves_to = more + n * BOARD_BYTES + SPARE_BYTES
            list_turn(copy, read[0], read[1], &compiled, &work, to, n, moves_to, 4)
        shape[0], shape[1], shape[2] = n, 2, 26
        after = cnp.PyArray_SimpleNew(3, shape, cnp.NPY_INT8)
        memcpy(cnp.PyArray_DATA(<cnp.ndarray>after), to, n * BOARD_BYTES)
        moves = None
        if with_moves:
            shape[1], shape[2] = 4, 2
            moves = cnp.PyArray_SimpleNew(3, shape, cnp.NPY_INT8)
            memcpy(cnp.PyArray_DATA(<cnp.ndarray>moves), moves_to, n * _MOVE_BYTES)
    finally:
        free(more)
        end_work(&work)
    shape[0] = 2
    offsets = cnp.PyArray_SimpleNew(1, shape, cnp.NPY_INT64)
    (<int64_t*>cnp.PyArray_DATA(<cnp.ndarray>offsets))[0] = 0
    (<int64_t*>cnp.PyArray_DATA(<cnp.ndarray>offsets))[1] = n
    return moves, after, offsets


cdef bint _read_one(
    board, dice, rules, int8_t* copy, int* read, RuleSet* compiled
) except -1:
    """Copy a board and read its dice and rules; return whether they are a bot's usual ones."""
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
        read[i] = die
    compiled[0] = rule_set(rules)
    if compiled.cascade:  # more moves than four, and maybe more plays than there is room for
        return False
    # A copy, which nobody changes after it has been checked.
    memcpy(copy, cnp.PyArray_DATA(array), BOARD_BYTES)
    return is_position(copy, compiled)


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
                list_turn(board, die1, die2, rules, work, after, n, NULL, 0)
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
