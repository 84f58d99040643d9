"""A position as bit masks: who holds what, where the mover may land, and moving one checker."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._rules cimport RuleSet

cdef extern from "_board.h" nogil:
    int count_bits "tf_count_bits"(uint32_t x)
    int lowest "tf_lowest"(uint32_t x)
    int highest "tf_highest"(uint32_t x)
    uint32_t mirror "tf_mirror"(uint32_t x)
    uint32_t above "tf_above"(const int8_t* plane, int floor)
    int total "tf_total"(const int8_t* plane)
    ctypedef struct Row "tf_row":
        pass
    Row load_row "tf_load"(const int8_t* board)
    Row table_row "tf_load64"(const int8_t* entry)
    Row add_rows "tf_add"(Row x, Row y)
    void store_row "tf_store"(int8_t* to, Row row)


# Bit p of a mask stands for the mover's point p; 25 is the bar, and 0 (borne off) is never set.
cdef enum:
    BAR = 25
    BAR_BIT = 1 << 25
    POINTS = 0x1fffffe  # 1..24
    OUTSIDE = 0x3ffff80  # 7..24 and the bar: a checker there forbids bearing off (RULES 53, 62)


cdef struct Own:
    # The mover's checkers in thresholds, one bit a point: a count of 3 sets the bit in the first
    # three masks. A turn moves at most four checkers, so 4 stands for "4 or more", and moving one
    # away may forget the difference: a count that was cut to 4 can only be asked for what is left
    # of the turn.
    uint32_t ge1, ge2, ge3, ge4
    uint32_t held  # own checkers that may not move on in this turn; all the same they stand there


cdef struct Turn:
    Own own
    uint32_t land  # points on which a checker may land; constant through a turn
    uint32_t blot  # enemy checkers that landing sends to the bar
    uint32_t stop  # blots whose hitter may not move on in this turn


cdef inline uint32_t bit(int point) noexcept nogil:
    return <uint32_t>1 << point


cdef inline int outside(Own own) noexcept nogil:
    """How many checkers stand outside the home board, counted to 4 a point."""
    return (
        count_bits(own.ge1 & OUTSIDE) + count_bits(own.ge2 & OUTSIDE)
        + count_bits(own.ge3 & OUTSIDE) + count_bits(own.ge4 & OUTSIDE)
    )


cdef inline Turn make_turn(
    Own own, uint32_t enemy1, uint32_t enemy2, const RuleSet* rules
) noexcept nogil:
    """The mover's turn: his checkers, and the enemy's as masks of 1 or more and of 2 or more in
    the enemy's own numbers."""
    cdef Turn turn
    turn.own = own
    turn.land = ~mirror(enemy2) & POINTS  # RULES 24, 25
    turn.blot = mirror(enemy1 & ~enemy2) & POINTS  # RULES 40
    turn.stop = turn.blot & rules.stop
    return turn


cdef inline Turn load_turn(const int8_t* board, const RuleSet* rules) noexcept nogil:
    """The turn of plane 0 of a board in memory."""
    cdef Own own
    own.ge1 = above(board, 0) & ~<uint32_t>1
    own.ge2 = above(board, 1) & ~<uint32_t>1
    own.ge3 = above(board, 2) & ~<uint32_t>1
    own.ge4 = above(board, 3) & ~<uint32_t>1
    own.held = 0
    return make_turn(own, above(board + 26, 0), above(board + 26, 1), rules)


cdef inline bint is_over(const int8_t* board, const RuleSet* rules) noexcept nogil:
    """Whether a side has borne off all its checkers."""
    return board[0] == rules.checkers or board[26] == rules.checkers


cdef inline uint32_t landings(const Turn* turn, int die) noexcept nogil:
    """The points from which `die` reaches an open point (never off the board)."""
    return turn.land << die


cdef inline uint32_t bearoffs(Own own, int die) noexcept nogil:
    """The points from which `die` bears off: the die's own point, or the farthest checker's if
    that is nearer (RULES 53, 55, 57). A held checker counts as standing there but cannot go."""
    cdef uint32_t there = own.ge1 | own.held
    cdef uint32_t from_
    if there & OUTSIDE or there == 0:
        return 0
    from_ = bit(die)
    if there < from_:
        from_ = bit(highest(there))
    return own.ge1 & from_


cdef inline uint32_t sources(const Turn* turn, Own own, int die) noexcept nogil:
    """The points from which one checker may be moved by `die`: from the bar while one is there
    (RULES 43), else by landing or by bearing off."""
    cdef uint32_t from_ = own.ge1 & landings(turn, die)
    if own.ge1 & BAR_BIT:
        return from_ & BAR_BIT
    return from_ | bearoffs(own, die)


cdef inline Own moved(const Turn* turn, Own own, int point, int die) noexcept nogil:
    """The mover's checkers after one move from `point`. Thresholds: a count that loses one gives
    up its highest bit, one that gains one sets the next."""
    cdef uint32_t b = bit(point)
    own.ge1 &= ~b | own.ge2
    own.ge2 &= ~b | own.ge3
    own.ge3 &= ~b | own.ge4
    own.ge4 &= ~b
    if point <= die:
        return own
    b >>= die
    if b & turn.stop & ~own.held:  # it hit where a hitter must stop; those that follow may go on
        own.held |= b
        return own
    own.ge4 |= b & own.ge3
    own.ge3 |= b & own.ge2
    own.ge2 |= b & own.ge1
    own.ge1 |= b
    return own
