"""A play in one word, and the sink that takes enumerated plays, as codes or as boards."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._core.board.masks cimport (
    Own, Row, Turn, add_entry, bit, copy_row, lowest, moved, store_each, store_row,
)

# A move is one byte, from * 8 + die; a play is up to four of them, the first in the lowest byte,
# in the order in which they are legally played. 0 is no move, so a code tells its own length.
ctypedef uint32_t Play

cdef enum:
    BOARD_BYTES = 52
    ENTRY_BYTES = 64
    # What may be overwritten behind the last board of a list (`tf_store_each`).
    SPARE_BYTES = 2 * BOARD_BYTES + ENTRY_BYTES
    # At most this many distinct plays of one roll. With 15 checkers, four moves of doubles are up
    # to four checkers' paths of four moves in all; by how the moves are shared out:
    # 4: 15, 3+1: 15*15, 2+2: C(16,2), 2+1+1: 15*C(16,2), 1+1+1+1: C(18,4) - 5,220 together.
    MAX_PLAYS = 5220

cdef enum:
    JOINING = 32  # added to a step's from if it joins a lone enemy checker

# What a move adds to a board's 52 bytes, as rows of 64. From 29 to 31 nothing moves
# (`tf_store_each`).
cdef struct Tables:
    # [whether joining pins instead of hitting][die][from, and JOINING]: a checker of the mover's
    # goes to max(from - die, 0), and the enemy's to the bar if it is hit, to -1 if it is pinned.
    int8_t step[2][7][2 * JOINING][64]
    int8_t free[26][64]  # [point]: the enemy checker there is pinned no more


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
    # has made room for all the plays (and `SPARE_BYTES` behind the last board).
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


cdef inline const int8_t* steps_of(
    const Tables* tables, const Turn* turn, int die
) noexcept nogil:
    """The rows of the steps by `die` in this game."""
    return &tables.step[turn.freed != 0][die][0][0]


cdef inline uint32_t joining(const Turn* turn, const Own* own, int die) noexcept nogil:
    """From where a move by `die` joins a lone enemy checker as the first of `own`."""
    return (turn.alone & ~(own.ge1 | own.held)) << die


cdef inline uint32_t leaving(const Turn* turn, const Own* own) noexcept nogil:
    """The points from which a move leaves an enemy checker alone that `own` have pinned."""
    return turn.freed & ~own.ge2


cdef inline void add_step(
    Row* row, const Tables* tables, const Turn* turn, const Own* own, int from_, int die
) noexcept nogil:
    """Add to a row all that one move does to the board when `own` are the mover's checkers before
    it."""
    # Nobody foresees who is joined, so that selects a row and does not branch.
    cdef int at = from_ + JOINING * (joining(turn, own, die) >> from_ & 1)
    add_entry(row, steps_of(tables, turn, die) + ENTRY_BYTES * at)
    if leaving(turn, own) >> from_ & 1:
        add_entry(row, &tables.free[from_][0])


cdef inline void put_codes(
    Sink* sink, uint32_t last, Play play, int shift, int die, uint32_t first
) noexcept nogil:
    """Take the codes of the plays that `put_last` takes."""
    cdef Play* codes = sink.codes
    cdef Play move
    while last:
        move = move_code(lowest(last), die)
        if first & last & -last:
            codes[0] = move | play << 8
        else:
            codes[0] = play | move << shift
        codes += 1
        last &= last - 1
    sink.codes = codes


cdef inline void put_last(
    Sink* sink, const Row* row, const int8_t* steps, uint32_t last, uint32_t joins,
    uint32_t leaves, Play play, int shift, int die, uint32_t first
) noexcept nogil:
    """Take the plays that end with a move by `die` from one of the points `last` (maybe none), of
    which `joins` and `leaves` join and leave lone enemy checkers: `row` is the board before it, the
    code is `play` and that move `shift` bits up, or below it from the points `first`."""
    cdef Row left
    cdef int point
    leaves &= last
    last ^= leaves
    if sink.codes != NULL:
        put_codes(sink, last, play, shift, die, first)
    if sink.boards != NULL:
        sink.boards = store_each(sink.boards, row, steps, last, joins)
    while leaves:
        point = lowest(leaves)
        leaves &= leaves - 1
        if sink.codes != NULL:
            put_codes(sink, bit(point), play, shift, die, first)
        if sink.boards != NULL:
            copy_row(&left, row)
            add_entry(&left, &sink.tables.free[point][0])
            sink.boards = store_each(sink.boards, &left, steps, bit(point), joins)


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
