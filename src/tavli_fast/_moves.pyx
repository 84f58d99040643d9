"""Batches of boards: checking, counting, listing and playing moves, scoring, and perft."""

import numpy as np

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from tavli_fast._board cimport (
    POINTS, above, count_bits, load_row, load_turn, lowest, opposite, pinned, total,
)
from tavli_fast._careful cimport (
    FINE, GAME_OVER, Verdict, Work, careful_plays, free_work, judge_moves, moves_to, new_work,
    sides_after,
)
from tavli_fast._game cimport Side, load_side, store_side
from tavli_fast._generate cimport Roll, enumerate_plays, fill_tables, find_plays, needs_care
from tavli_fast._plays cimport (
    BOARD_BYTES, MAX_PLAYS, ROW_BYTES, Play, Sink, Tables, code_die, code_from,
)
from tavli_fast._rules cimport HIT, PIN, RuleSet, rule_set
from tavli_fast._score cimport UNDECIDED, board_result, is_over

from tavli_fast.errors import ResultTooLargeError

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


def has_bad_die(const int8_t[:, ::1] dice not None):
    """Return whether a die is not 1 to 6."""
    cdef Py_ssize_t i, n = dice.shape[0]
    cdef bint bad = False
    with nogil:
        for i in range(n):
            bad |= dice[i, 0] < 1 or dice[i, 0] > 6 or dice[i, 1] < 1 or dice[i, 1] > 6
    return bad


cdef bint _is_position(const int8_t* board, const RuleSet* rules) noexcept nogil:
    cdef uint32_t mine = above(board, 0), theirs = above(board + 26, 0)
    cdef uint32_t my_pinned = pinned(board), their_pinned = pinned(board + 26)
    cdef int my_total = total(board), their_total = total(board + 26)
    if my_pinned | their_pinned:
        if rules.contact != PIN or (my_pinned | their_pinned) & ~POINTS:
            return False
        if (above(board, -2) & above(board + 26, -2)) != 0x3ffffff:
            return False
        # A pinned checker has an enemy on top: so no point holds two pinned ones.
        if my_pinned & ~opposite(theirs, rules) or opposite(their_pinned, rules) & ~mine:
            return False
        my_total += 2 * count_bits(my_pinned)
        their_total += 2 * count_bits(their_pinned)
    if my_total != rules.checkers or their_total != rules.checkers:
        return False
    if mine & opposite(theirs, rules):
        return False
    if rules.contact != HIT and (board[25] or board[26 + 25]):
        return False
    return not (board[0] == rules.checkers and board[26] == rules.checkers)


cdef str _why_bad(const int8_t[:, ::1] board, const RuleSet* rules):
    """Say what is wrong with a board that `_is_position` refuses."""
    cdef int plane, point, there, checkers, value
    sides = ("the player on roll", "the opponent")
    for plane in range(2):
        side = f"plane {plane} ({sides[plane]})"
        for point in range(26):
            value = board[plane, point]
            if value < 0 and rules.contact != PIN:
                return (
                    f"{side} holds {value} at [{point}]: expected counts of 0 or more (pins, -1, "
                    "come in pin games only)"
                )
            if value < -1 or (value < 0 and point in (0, 25)):
                return (
                    f"{side} holds {value} at [{point}]: expected a count, or -1 for a pinned "
                    "checker on a point"
                )
        if rules.contact != HIT and board[plane, 25]:
            return f"{side} has {board[plane, 25]} on the bar [25]: expected none in a game without"
        checkers = sum(abs(board[plane, point]) for point in range(26))
        if checkers != rules.checkers:
            return (
                f"{side} holds {checkers} checkers: expected {rules.checkers} with those on the "
                "bar [25] and borne off [0]"
            )
    for point in range(1, 25):
        there = lowest(opposite(1 << point, rules))
        where = f"point {point} of the player on roll ({there} of the opponent's)"
        mine, theirs = board[0, point], board[1, there]
        if mine < 0 and theirs <= 0 or theirs < 0 and mine <= 0:
            return f"{where} has a pinned checker without one on top: expected an enemy's there"
        if mine > 0 and theirs > 0:
            return f"both sides hold {where}: expected one side at most, or a pin"
    return "both sides have borne off all their checkers: expected one winner at most"


def count(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    int32_t[::1] counts not None
):
    """Write to int32[N] how many distinct plays each board has with its roll."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef Work* work = new_work()
    try:
        with nogil:
            for i in range(n):
                counts[i] = _count(&boards[i, 0, 0], dice[i, 0], dice[i, 1], &compiled, work)
                if work.failed:
                    break
        if work.failed:
            raise _too_many()
    finally:
        free_work(work)


cdef int _count(
    const int8_t* board, int die1, int die2, const RuleSet* rules, Work* work
) noexcept nogil:
    """How many distinct plays a board has; none if the game is over."""
    cdef Roll roll
    if is_over(board, rules):
        return 0
    load_turn(&roll.turn, board, rules)
    if needs_care(&roll.turn, die1, die2, rules):
        return careful_plays(load_side(board), load_side(board + 26), die1, die2, rules, work)
    find_plays(&roll, die1, die2, rules)
    return roll.plays


def _too_many():
    """Return the error for a turn with more positions on the way than there is room for."""
    return ResultTooLargeError(
        "the plays of one roll are too many to list: a cascade of doubles can lead to many "
        "millions of positions"
    )


def fill(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    const int64_t[::1] offsets not None, int8_t[:, :, ::1] after not None,
    int8_t[:, :, ::1] moves
):
    """Write each board's afterstates to `after`, and a play for each to `moves` (int8[M, K, 2])
    unless that is None: those of board i from `offsets[i]` on, the sums of `count`. The boards may
    be a part of a batch, with their part of its offsets."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef int64_t m = offsets[n], last
    cdef int room = 0 if moves is None else moves.shape[1]
    cdef Work* work
    cdef int8_t* spare
    cdef int8_t* to
    if m == offsets[0]:
        return
    i = n
    while offsets[i] == m:
        i -= 1
    last = m - offsets[i]
    # A board is written as 64 bytes, 12 too many, so the last board's plays need a place with room.
    spare = <int8_t*>malloc(last * BOARD_BYTES + ROW_BYTES)
    if spare == NULL:
        raise MemoryError(f"no room for {last} plays")
    work = NULL
    try:
        work = new_work()
        with nogil:
            for i in range(n):
                if offsets[i] == offsets[i + 1]:
                    continue
                to = spare if offsets[i + 1] == m else &after[offsets[i], 0, 0]
                _list(
                    &boards[i, 0, 0], dice[i, 0], dice[i, 1], &compiled, work, to,
                    &moves[offsets[i], 0, 0] if room else NULL, room,
                )
            memcpy(&after[m - last, 0, 0], spare, last * BOARD_BYTES)
        if work.failed:
            raise _too_many()
    finally:
        free_work(work)
        free(spare)


def afterstates_of_one(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules
):
    """Return (int8[M, 2, 26], int64[2]) for a single board: a bot's call, without what pays for
    many boards only."""
    cdef RuleSet compiled = rule_set(rules)
    cdef _Memory memory = _Memory()
    cdef Work* work = new_work()
    cdef int64_t m = 0
    try:
        with nogil:
            m = _list_all(
                &boards[0, 0, 0], dice[0, 0], dice[0, 1], &compiled, work, memory, 0
            )
        if work.failed:
            raise _too_many()
    finally:
        free_work(work)
    if m < 0:
        raise MemoryError("no room for the plays of one board")
    after = np.empty((m, 2, 26), np.int8)
    cdef int8_t[:, :, ::1] out = after
    if m:
        memcpy(&out[0, 0, 0], memory.data, m * BOARD_BYTES)
    return after, np.array((0, m), np.int64)


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


cdef class _Memory:
    """Memory that grew while it was filled, as a buffer for an array to own."""

    cdef int8_t* data
    cdef Py_ssize_t size
    cdef Py_ssize_t room

    def __dealloc__(self):
        free(self.data)

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.size, 0, flags)

    cdef bint require(self, Py_ssize_t room) noexcept nogil:
        """Make room for so many bytes in all; return whether there is."""
        cdef void* larger
        if room <= self.room:
            return True
        if self.data != NULL:
            room += room // 4
        larger = realloc(self.data, room)
        if larger == NULL:
            return False
        large_pages(larger, room)
        self.data = <int8_t*>larger
        self.room = room
        return True


cdef enum:
    _USUAL_PLAYS = 20  # a roll's, on average, in random games: 18.6 of backgammon


def afterstates(
    const int8_t[:, :, ::1] boards not None, const int8_t[:, ::1] dice not None, rules,
    int64_t most_bytes
):
    """Return (int8[M, 2, 26], int64[N + 1]): all afterstates, listed without counting them first,
    which is faster for many boards. None if they would take more than `most_bytes`."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef int64_t m = 0, listed
    cdef bint fits = True
    cdef Work* work = new_work()
    cdef _Memory memory = _Memory()
    offsets = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] out = offsets
    try:
        with nogil:
            fits = memory.require((n * _USUAL_PLAYS + 2) * BOARD_BYTES)
            for i in range(n):
                if not fits or work.failed:
                    break
                listed = _list_all(
                    &boards[i, 0, 0], dice[i, 0], dice[i, 1], &compiled, work, memory, m
                )
                m += max(listed, 0)
                fits = listed >= 0 and m * BOARD_BYTES <= most_bytes
                out[i + 1] = m
        if work.failed:
            raise _too_many()
    finally:
        free_work(work)
    if not fits:
        return None
    if m == 0:
        return np.empty((0, 2, 26), np.int8), offsets
    memory.size = m * BOARD_BYTES
    # Not for a little: memory that is returned as it came is used again without being cleared.
    if memory.room > memory.size + memory.size // 8:
        memory.data = <int8_t*>realloc(memory.data, memory.size)
    return np.frombuffer(memory, np.int8).reshape(-1, 2, 26), offsets


cdef int64_t _list_all(
    const int8_t* board, int die1, int die2, const RuleSet* rules, Work* work, _Memory memory,
    int64_t m
) noexcept nogil:
    """Append a board's afterstates to those of `m` plays before; return how many, or -1 if there is
    no room for them."""
    cdef Roll roll
    cdef Sink sink
    cdef int n
    if is_over(board, rules):
        return 0
    load_turn(&roll.turn, board, rules)
    if needs_care(&roll.turn, die1, die2, rules):
        n = careful_plays(load_side(board), load_side(board + 26), die1, die2, rules, work)
        if not memory.require((m + n + 2) * BOARD_BYTES):
            return -1
        _write_careful(board, rules, work, memory.data + m * BOARD_BYTES, NULL, 0)
        return n
    find_plays(&roll, die1, die2, rules)
    if not memory.require((m + roll.plays + 2) * BOARD_BYTES):
        return -1
    sink.tables = &TABLES
    sink.codes = NULL
    sink.boards = memory.data + m * BOARD_BYTES
    load_row(&sink.base, board)
    enumerate_plays(&roll, &sink)
    return roll.plays


cdef void _list(
    const int8_t* board, int die1, int die2, const RuleSet* rules, Work* work, int8_t* after,
    int8_t* moves, int room
) noexcept nogil:
    """Write the afterstates of a board that has plays, each as 64 bytes, and the moves to them."""
    cdef Play codes[MAX_PLAYS]
    cdef Sink sink
    cdef Roll roll
    cdef int i, n
    load_turn(&roll.turn, board, rules)
    if needs_care(&roll.turn, die1, die2, rules):
        careful_plays(load_side(board), load_side(board + 26), die1, die2, rules, work)
        _write_careful(board, rules, work, after, moves, room)
        return
    sink.tables = &TABLES
    sink.codes = NULL if moves == NULL else codes
    sink.boards = after
    load_row(&sink.base, board)
    find_plays(&roll, die1, die2, rules)
    enumerate_plays(&roll, &sink)
    if moves != NULL:
        n = sink.codes - codes
        for i in range(n):
            _decode(codes[i], moves + 2 * room * i, room)


cdef void _write_careful(
    const int8_t* board, const RuleSet* rules, const Work* work, int8_t* after, int8_t* moves,
    int room
) noexcept nogil:
    """Write the plays that `careful_plays` has found, and the moves to them."""
    cdef Side mine = load_side(board), theirs = load_side(board + 26), after_mine, after_theirs
    cdef int i
    for i in range(work.n_plays):
        after_mine = mine
        after_theirs = theirs
        sides_after(work, work.plays[i], &after_mine, &after_theirs, rules)
        store_side(after_mine, rules.checkers, after + BOARD_BYTES * i)
        store_side(after_theirs, rules.checkers, after + BOARD_BYTES * i + 26)
        if moves != NULL:
            moves_to(work, work.plays[i], moves + 2 * room * i, room)


cdef void _decode(Play play, int8_t* moves, int room) noexcept nogil:
    """Write a play as pairs of from and to, -1 where there is no move."""
    cdef int i, from_, die
    for i in range(room):
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
            raise _too_many()
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
        store_side(mine, rules.checkers, after)
        store_side(theirs, rules.checkers, after + 26)
    return verdict


def perft(const int8_t[:, ::1] board not None, int depth, rules):
    """Return the number of positions `depth` plies on, over all 21 rolls; a dance counts 1."""
    cdef RuleSet compiled = rule_set(rules)
    cdef int64_t nodes
    cdef Work* work = new_work()
    try:
        with nogil:
            nodes = _perft(&board[0, 0], depth, &compiled, work)
        if work.failed:
            raise _too_many()
    finally:
        free_work(work)
    return nodes


cdef int64_t _perft(
    const int8_t* board, int depth, const RuleSet* rules, Work* work
) except -1 nogil:
    cdef int8_t child[BOARD_BYTES]
    cdef int8_t* after
    cdef int64_t nodes = 0
    cdef int die1, die2, n, i
    if is_over(board, rules):
        return 0
    if depth > 2:
        with gil:
            PyErr_CheckSignals()
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            n = _count(board, die1, die2, rules, work)
            if depth == 1:
                nodes += n if n else 1
                continue
            after = <int8_t*>malloc((n + 1) * BOARD_BYTES + ROW_BYTES)
            if after == NULL:
                with gil:
                    raise MemoryError
            if n == 0:
                memcpy(after, board, BOARD_BYTES)
                n = 1
            else:
                _list(board, die1, die2, rules, work, after, NULL, 0)
            try:
                for i in range(n):
                    memcpy(child, after + i * BOARD_BYTES + 26, 26)
                    memcpy(child + 26, after + i * BOARD_BYTES, 26)
                    nodes += _perft(child, depth - 1, rules, work)
            finally:
                free(after)
    return nodes
