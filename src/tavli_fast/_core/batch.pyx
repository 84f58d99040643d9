"""Batches of boards: checking, counting, listing and playing moves, and scoring."""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free, realloc

from tavli_fast._core.constants cimport FINE, GAME_OVER
from tavli_fast._core.search cimport (
    Verdict, Work, free_work, judge_moves, new_work, too_many,
)
from tavli_fast._core.board.planes cimport Side, load_side, store_side
from tavli_fast._core.generate.play cimport BOARD_BYTES, MAX_PLAYS
from tavli_fast._core.generate.stages cimport (
    FAILED, NO_POSITION, NO_ROOM, Lister, Sheet, count_boards, free_lister, list_boards, new_lister,
)
from tavli_fast._core.board.check cimport is_position, why_bad
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.board.result cimport UNDECIDED, board_result, is_over

cnp.import_array()


def first_bad_board(const int8_t[:, :, ::1] boards not None, rules):
    """Return (index, why) of the first board that is no position under `rules`, or None."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i = 0, n = boards.shape[0]
    with nogil:
        while i < n and is_position(&boards[i, 0, 0], &compiled):
            i += 1
    if i == n:
        return None
    return i, why_bad(boards[i], &compiled)


def has_bad_die(const int8_t[:, ::1] dice not None):
    """Return whether a die is not 1 to 6."""
    cdef Py_ssize_t i, n = dice.shape[0]
    cdef bint bad = False
    with nogil:
        for i in range(n):
            bad |= dice[i, 0] < 1 or dice[i, 0] > 6 or dice[i, 1] < 1 or dice[i, 1] > 6
    return bad


def count(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    int32_t[::1] counts not None
):
    """Write to int32[N] how many distinct plays each board has with its roll; return whether all
    boards can be positions, which is checked on the way."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t n = boards.shape[0]
    cdef int64_t counted
    cdef Work* work
    if n == 0:
        return True
    work = new_work()
    try:
        with nogil:
            counted = count_boards(
                &boards[0, 0, 0], &dice[0, 0], n, &compiled, work, &counts[0]
            )
        if counted == FAILED:
            raise too_many()
    finally:
        free_work(work)
    return counted != NO_POSITION


cdef int64_t _list(
    const int8_t[:, :, ::1] boards, const int8_t[:, ::1] dice, object rules, Sheet* sheet,
    int64_t[::1] offsets
) except? -1:
    """List the plays of boards into the sheet; see `list_boards`."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t n = boards.shape[0]
    cdef int64_t plays = 0
    cdef Work* work = NULL
    cdef Lister* lister = NULL
    offsets[0] = 0
    if n == 0:
        return 0
    try:
        work = new_work()
        lister = new_lister()
        if lister == NULL:
            raise MemoryError("no room for a block of boards")
        with nogil:
            plays = list_boards(
                lister, &boards[0, 0, 0], &dice[0, 0], n, &compiled, work, sheet, &offsets[0]
            )
        if plays == FAILED:
            raise too_many()
    finally:
        free_work(work)
        free_lister(lister)
    return plays


def fill(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    const int64_t[::1] offsets not None, int8_t[:, :, ::1] after not None,
    int8_t[:, :, ::1] moves
):
    """Write each board's afterstates to `after`, and a play for each to `moves` (int8[M, K, 2])
    unless that is None: those of board i from `offsets[i]` on, the sums of `count`. The boards may
    be a part of a batch, with their part of its offsets. Return whether all boards can be positions
    and have as many plays as the offsets say."""
    cdef Py_ssize_t n = boards.shape[0]
    cdef Sheet sheet
    sheet.room = offsets[n] - offsets[0]
    sheet.exact = True
    sheet.after = NULL
    sheet.moves = NULL
    sheet.move_room = 0
    sheet.grow = NULL
    if sheet.room:
        sheet.after = &after[offsets[0], 0, 0]
        if moves is not None:
            sheet.moves = &moves[offsets[0], 0, 0]
            sheet.move_room = moves.shape[1]
    return _list(boards, dice, rules, &sheet, np.empty(n + 1, np.int64)) == sheet.room


def list_into(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    int8_t[:, :, ::1] after not None, int64_t[::1] offsets not None
):
    """Write all afterstates to `after` and where each board's begin to `offsets` (int64[N + 1]).
    Return how many; None if there is no room for them, or if a board cannot be a position."""
    cdef Sheet sheet
    cdef int64_t plays
    sheet.room = after.shape[0]
    sheet.exact = False
    sheet.after = &after[0, 0, 0] if sheet.room else NULL
    sheet.moves = NULL
    sheet.move_room = 0
    sheet.grow = NULL
    plays = _list(boards, dice, rules, &sheet, offsets)
    return None if plays < 0 else plays


cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    /* Ask for large pages: filling fresh memory in small ones costs as much as the boards do. */
    static void tf_large_pages(void *memory, size_t size)
    {
        const size_t page = 4096;
        if (size >= ((size_t)1 << 22)) {
            size_t first = ((size_t)memory + page - 1) / page * page;
            madvise((void *)first, (size_t)memory + size - first, MADV_HUGEPAGE);
        }
    }
    #else
    static void tf_large_pages(void *memory, size_t size) { (void)memory; (void)size; }
    #endif
    """
    void large_pages "tf_large_pages"(void* memory, size_t size) nogil


@cython.final
cdef class _Memory:
    """Memory that grew while it was filled, as a buffer for an array to own."""

    cdef int8_t* data
    cdef Py_ssize_t size
    cdef Py_ssize_t room
    cdef Py_ssize_t most  # bytes that it may take

    def __dealloc__(self):
        free(self.data)

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.size, 0, flags)

    cdef bint require(self, Py_ssize_t room) noexcept nogil:
        """Make room for so many bytes in all; return whether there is."""
        cdef void* larger
        if room <= self.room:
            return True
        larger = realloc(self.data, room)
        if larger == NULL:
            return False
        large_pages(larger, room)
        self.data = <int8_t*>larger
        self.room = room
        return True


cdef enum:
    # On average in random games of backgammon mixed rolls have 14.0 plays, doubles 42.9.
    _USUAL_PLAYS = 15
    _OF_DOUBLES = 45
    _MANY = 20_000  # boards


cdef int64_t _usual_plays(const int8_t[:, ::1] dice, Py_ssize_t n) noexcept nogil:
    """Return how many plays so many rolls usually have."""
    cdef Py_ssize_t i, doubles = 0
    for i in range(n):
        doubles += dice[i, 0] == dice[i, 1]
    return n * _USUAL_PLAYS + doubles * (_OF_DOUBLES - _USUAL_PLAYS)


cdef bint _grow(Sheet* sheet, int64_t plays, int64_t likely) noexcept with gil:
    """Make room in a `_Memory` for so many plays, and for all that the batch is likely to have."""
    cdef _Memory memory = <_Memory>sheet.owner
    cdef int64_t most = memory.most // BOARD_BYTES
    if plays > most:
        return False
    plays = min(max(plays + plays // 8, likely + likely // 32) + MAX_PLAYS, most)
    if not memory.require(plays * BOARD_BYTES):
        return False
    sheet.after = memory.data
    sheet.room = memory.room // BOARD_BYTES
    return True


def afterstates(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    int64_t most_bytes
):
    """Return (int8[M, 2, 26], int64[N + 1]): all afterstates, listed without counting them first,
    which is faster. None if they would take more than `most_bytes`, or if a board cannot be a
    position."""
    cdef Py_ssize_t n = boards.shape[0]
    cdef int64_t plays
    cdef _Memory memory = _Memory()
    cdef Sheet sheet
    memory.most = most_bytes
    sheet.after = NULL
    sheet.moves = NULL
    sheet.move_room = 0
    sheet.room = 0
    sheet.exact = False
    sheet.grow = _grow
    sheet.owner = <void*>memory
    # Of a large batch, room for a part at first: then it is known how many the rest will have.
    if not _grow(&sheet, 0, _usual_plays(dice, n if n < _MANY else n // 16)):
        return None
    offsets = np.empty(n + 1, np.int64)
    plays = _list(boards, dice, rules, &sheet, offsets)
    if plays < 0:
        return None
    if plays == 0:
        return np.empty((0, 2, 26), np.int8), offsets
    memory.size = plays * BOARD_BYTES
    # Not for a little: memory that is returned as it came is used again without being cleared.
    if memory.room > memory.size + memory.size // 8 + 2 * MAX_PLAYS * BOARD_BYTES:
        memory.data = <int8_t*>realloc(memory.data, memory.size)
    return np.frombuffer(memory, np.int8).reshape(-1, 2, 26), offsets


def outcomes(const int8_t[:, :, ::1] boards not None, rules):
    """Return (over bool[N], points int8[N]): which games have ended, and how for plane 0."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, n = boards.shape[0]
    over = np.zeros(n, np.bool_)
    points = np.zeros(n, np.int8)
    cdef unsigned char[::1] over_out = over.view(np.uint8)
    cdef int8_t[::1] points_out = points
    cdef int result
    with nogil:
        for i in range(n):
            result = board_result(&boards[i, 0, 0], &compiled)
            if result != UNDECIDED:
                over_out[i] = True
                points_out[i] = result
    return over, points


def apply(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, :, ::1] moves not None,
    const int8_t[:, ::1] dice, rules
):
    """Return (boards after the moves int8[N, K, 2], None), or (None, (index, move, why)) for the
    first board on which they are refused. Without dice each move must be possible in itself."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i = 0, n = boards.shape[0]
    cdef int room = moves.shape[1]
    cdef Verdict verdict
    cdef Work* work = new_work()
    after = np.empty((n, 2, 26), np.int8)
    cdef int8_t[:, :, ::1] out = after
    verdict.why = FINE
    try:
        with nogil:
            for i in range(n):
                verdict = _apply(
                    &boards[i, 0, 0], &moves[i, 0, 0], room,
                    0 if dice is None else dice[i, 0], 0 if dice is None else dice[i, 1],
                    &compiled, work, &out[i, 0, 0],
                )
                if verdict.why != FINE:
                    break
        if work.failed:
            raise too_many()
    finally:
        free_work(work)
    if verdict.why != FINE:
        return None, (i, verdict.at, verdict.why)
    return after, None


cdef Verdict _apply(
    const int8_t* board, const int8_t* moves, int room, int die1, int die2,
    const RuleSet* rules, Work* work, int8_t* after
) noexcept nogil:
    """Write the board after the moves, if they are fine."""
    cdef Side mine = load_side(board), theirs = load_side(board + 26)
    cdef Verdict verdict
    verdict.why = FINE
    verdict.at = 0
    if not is_over(board, rules):
        verdict = judge_moves(&mine, &theirs, moves, room, die1, die2, rules, work)
    elif moves[0] != -1:
        verdict.why = GAME_OVER
    if verdict.why == FINE:
        store_side(&mine, rules.checkers, after)
        store_side(&theirs, rules.checkers, after + 26)
    return verdict
