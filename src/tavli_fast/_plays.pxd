"""A play in one word, and the sink that takes enumerated plays, as codes or as boards."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._board cimport (
    Own, Row, Turn, add_entry, bit, clear_row, copy_row, lowest, moved, store_row, store_sum,
)

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

# What moves and contacts add to a board's 52 bytes, as rows of 64; those of point 0 add nothing.
cdef struct Tables:
    int8_t move[7][26][64]  # [die][from]: a checker of the mover's goes to max(from - die, 0)
    int8_t hit[26][64]  # the lone enemy checker on the mover's point goes to the bar
    int8_t pin[26][64]  # it is pinned
    int8_t free[26][64]  # it is pinned no more


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


cdef struct Sink:
    # Where enumerated plays go. `codes` or `boards` is NULL if that form is not wanted; the caller
    # has made room for all the plays (and 12 bytes more behind the last board).
    Play* codes
    int8_t* boards
    const Tables* tables
    Row base  # the board before the play


cdef inline void put(Sink* sink, const Row* row, Play play) noexcept nogil:
    """Take one play: its code and the board after it."""
    if sink.codes != NULL:
        sink.codes[0] = play
        sink.codes += 1
    if sink.boards != NULL:
        store_row(sink.boards, row)
        sink.boards += BOARD_BYTES


cdef inline void put_each(
    Sink* sink, const Row* row, Play play, uint32_t froms, int die, int shift, const Row* steps
) noexcept nogil:
    """Take one play for each of the points `froms`: `play` and then a move by `die` from there,
    whose code goes `shift` bits up and whose difference to the board is `steps[from]`."""
    # Local copies: a store of bytes may alias the sink and the row, which would then be loaded
    # again every time.
    cdef Play* codes = sink.codes
    cdef int8_t* boards = sink.boards
    cdef uint32_t left = froms
    cdef int from_
    cdef Row base
    if codes != NULL:
        while left:
            from_ = lowest(left)
            left &= left - 1
            codes[0] = play | move_code(from_, die) << shift
            codes += 1
        sink.codes = codes
    if boards != NULL:
        copy_row(&base, row)
        while froms:
            from_ = lowest(froms)
            froms &= froms - 1
            store_sum(boards, &base, &steps[from_])
            boards += BOARD_BYTES
        sink.boards = boards


cdef inline void add_step(
    Row* row, const Tables* tables, const Turn* turn, const Own* own, int from_, int die
) noexcept nogil:
    """Add to a row what one move does to the board when `own` are the mover's checkers before it:
    the checker, a lone enemy checker that it is the first to join, and one that it is the last to
    leave."""
    cdef uint32_t joined = turn.alone & bit(from_) >> die & ~(own.ge1 | own.held)
    cdef uint32_t left = turn.freed & bit(from_) & ~own.ge2
    add_entry(row, &tables.move[die][from_][0])
    if joined:
        if turn.blot:
            add_entry(row, &tables.hit[from_ - die][0])
        else:
            add_entry(row, &tables.pin[from_ - die][0])
    if left:
        add_entry(row, &tables.free[from_][0])


cdef inline void step_rows(
    const Tables* tables, const Turn* turn, uint32_t froms, int die, Row* steps
) noexcept nogil:
    """Fill `steps[from]` for each of the points `froms`, for a move from the turn's own start."""
    cdef Row step
    cdef int from_
    while froms:
        from_ = lowest(froms)
        froms &= froms - 1
        clear_row(&step)
        add_step(&step, tables, turn, &turn.own, from_, die)
        copy_row(&steps[from_], &step)


cdef inline void play_row(
    Row* row, const Tables* tables, const Turn* turn, Play play
) noexcept nogil:
    """Turn the board before a play into the board after it."""
    cdef Own own = turn.own
    while play:
        add_step(row, tables, turn, &own, code_from(play), code_die(play))
        own = moved(turn, own, code_from(play), code_die(play))
        play >>= 8


cdef inline void put_play(Sink* sink, const Turn* turn, Play play) noexcept nogil:
    """Take one play, given by its code alone."""
    cdef Row row
    copy_row(&row, &sink.base)
    play_row(&row, sink.tables, turn, play)
    put(sink, &row, play)
