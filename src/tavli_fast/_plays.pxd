"""A play in one word, and the sinks that take enumerated plays: as codes, as boards, or counted."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._board cimport Row, add_rows, bit, lowest, store_row, table_row

# A move is one byte, from * 8 + die; a play is up to four of them, the first in the lowest byte,
# in the order in which they are legally played. 0 is no move, so a code tells its own length.
ctypedef uint32_t Play

cdef enum:
    BOARD_BYTES = 52
    ROW_BYTES = 64
    # At most this many distinct plays of one roll. With 15 checkers, four moves of doubles are up
    # to four checkers' paths of four moves in all; by how the moves are shared out:
    # 4: 15, 3+1: 15*15, 2+2: C(16,2), 2+1+1: 15*C(16,2), 1+1+1+1: C(18,4) - 5,220 together.
    MAX_PLAYS = 5220

# What landing or leaving adds to a board's 52 bytes, as rows of 64:
# move_rows[die][from]: a checker of the mover's goes from `from` to max(from - die, 0);
# hit_rows[point]: the enemy's checker on the mover's `point` goes to the bar (0: nothing).
cdef struct Tables:
    int8_t move_rows[7][26][64]
    int8_t hit_rows[26][64]


cdef inline Play move_code(int point, int die) noexcept nogil:
    return <Play>(point << 3 | die)


cdef inline int code_from(Play play) noexcept nogil:
    return (play >> 3) & 31


cdef inline int code_die(Play play) noexcept nogil:
    return play & 7


cdef inline int code_length(Play play) noexcept nogil:
    return (play != 0) + (play > 0xff) + (play > 0xffff) + (play > 0xffffff)


cdef inline Play nth_of(uint32_t froms, int k, int die) noexcept nogil:
    """The move by `die` from the k-th of the points `froms`, k from 0."""
    while k > 0:
        froms &= froms - 1
        k -= 1
    return move_code(lowest(froms), die)


cdef inline uint32_t code_landings(Play play) noexcept nogil:
    """The points on which the moves of a play land."""
    cdef uint32_t there = 0
    cdef int from_, die
    while play:
        from_ = code_from(play)
        die = code_die(play)
        if from_ > die:
            there |= bit(from_ - die)
        play >>= 8
    return there


cdef inline Row play_row(const Tables* tables, Row row, Play play, uint32_t blot) noexcept nogil:
    """The board after a play."""
    cdef uint32_t hits = code_landings(play) & blot
    while play:
        row = add_rows(row, table_row(&tables.move_rows[code_die(play)][code_from(play)][0]))
        play >>= 8
    while hits:
        row = add_rows(row, table_row(&tables.hit_rows[lowest(hits)][0]))
        hits &= hits - 1
    return row


cdef struct Sink:
    # Where enumerated plays go. `codes` or `boards` is NULL if that form is not wanted; the caller
    # has made room for all the plays (and 12 bytes more behind the last board).
    Play* codes
    int8_t* boards
    const Tables* tables  # always there
    Row base  # the board before the play, if boards are wanted; else anything


cdef inline void put(Sink* sink, Row row, Play play) noexcept nogil:
    """Take one play: its code and the board after it."""
    if sink.codes != NULL:
        sink.codes[0] = play
        sink.codes += 1
    if sink.boards != NULL:
        store_row(sink.boards, row)
        sink.boards += BOARD_BYTES


cdef inline void put_each(
    Sink* sink, Row row, Play play, uint32_t froms, int die, int shift, const Row* steps
) noexcept nogil:
    """Take one play for each of the points `froms`: `play` and then a move by `die` from there,
    whose code goes `shift` bits up and whose difference to the board is `steps[from]`."""
    # Local copies: a store of bytes may alias the sink, which would then be reloaded every time.
    cdef Play* codes = sink.codes
    cdef int8_t* boards = sink.boards
    cdef int from_
    cdef uint32_t left = froms
    if codes != NULL:
        while left:
            from_ = lowest(left)
            left &= left - 1
            codes[0] = play | move_code(from_, die) << shift
            codes += 1
        sink.codes = codes
    if boards != NULL:
        while froms:
            from_ = lowest(froms)
            froms &= froms - 1
            store_row(boards, add_rows(row, steps[from_]))
            boards += BOARD_BYTES
        sink.boards = boards


cdef inline void put_codes(Sink* sink, const Play* codes, int n, uint32_t blot) noexcept nogil:
    """Take the `n` plays of a list."""
    cdef Row row
    cdef int i
    for i in range(n):
        if sink.boards != NULL:
            row = play_row(sink.tables, sink.base, codes[i], blot)
        put(sink, row, codes[i])


cdef inline Row step_row(const Tables* tables, int from_, int die, uint32_t blot) noexcept nogil:
    """What one move adds to the board, the hit on a blot included."""
    cdef Row row = table_row(&tables.move_rows[die][from_][0])
    if from_ > die and blot >> (from_ - die) & 1:
        row = add_rows(row, table_row(&tables.hit_rows[from_ - die][0]))
    return row


cdef inline void step_rows(
    const Tables* tables, uint32_t froms, int die, uint32_t blot, Row* steps
) noexcept nogil:
    """Fill `steps[from]` for each of the points `froms`."""
    cdef int from_
    while froms:
        from_ = lowest(froms)
        froms &= froms - 1
        steps[from_] = step_row(tables, from_, die, blot)
