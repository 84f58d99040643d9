"""A position as bit masks: who holds what, where the mover may land, and moving one checker."""

from libc.stdint cimport int8_t, uint32_t, uint64_t

from tavli_fast._core.ruleset cimport BLOCK, HIT, PIN, RuleSet

cdef extern from "board/simd.h" nogil:
    int count_bits "tf_count_bits"(uint32_t x)
    int lowest "tf_lowest"(uint32_t x)
    int highest "tf_highest"(uint32_t x)
    uint32_t none_left "tf_none_left"(uint32_t x)
    uint32_t mirror "tf_mirror"(uint32_t x)
    ctypedef struct Row "tf_row":
        pass
    uint32_t above "tf_above"(const int8_t* plane, int floor)
    uint64_t above_both "tf_above_both"(const int8_t* board, int floor)
    int total "tf_total"(const int8_t* plane)
    void load_row "tf_load"(Row* row, const int8_t* board)
    void copy_row "tf_copy"(Row* row, const Row* source)
    void add_entry "tf_add"(Row* row, const int8_t* entry)
    void store_row "tf_store"(int8_t* to, const Row* row)
    int8_t* store_each "tf_store_each"(
        int8_t* to, const Row* row, const int8_t* steps, uint32_t points, uint32_t joining
    )


# Bit p of a mask stands for the mover's point p; 25 is the bar, and 0 (borne off) is never set.
cdef enum:
    BAR = 25
    BAR_BIT = 1 << 25
    POINTS = 0x1fffffe  # 1..24
    OUTSIDE = 0x3ffff80  # 7..24 and the bar: a checker there forbids bearing off (RULES 53, 62)


cdef struct Own:
    # The mover's checkers in thresholds, one bit a point: a count of 3 sets the bit in the first
    # three masks. A turn moves at most four checkers, and who moves away must know whether any is
    # left behind; so 5 stands for "5 or more". A count that was cut to 5 is too low by the end of a
    # turn, but never at a question that is asked on the way.
    uint32_t ge1, ge2, ge3, ge4, ge5
    # Own checkers that may not move in this turn, pinned ones or a hitter that must stop; all the
    # same they stand there.
    uint32_t held


cdef struct Turn:
    Own own
    uint32_t land  # points on which a checker may land; constant through a turn
    uint32_t alone  # enemy checkers alone on a point: what becomes of them depends on who joins
    uint32_t blot  # those of `alone` that landing sends to the bar, for good
    uint32_t freed  # those of `alone` that are pinned as long as a checker of ours is there
    uint32_t stop  # blots whose hitter may not move on in this turn
    bint may_bear_off  # unless a pinned checker forbids it
    bint oversize  # a larger die bears off the farthest checker
    # A closed gate: as long as none of ours is on these points, only the foremost moves.
    uint32_t gate
    # For games without contact: what their bans ask of the board.
    uint32_t enemy  # the enemy's points, in his own numbers
    int head  # own checkers on the 24-point
    bint enemy_all_there  # none of his checkers has been borne off


cdef inline uint32_t bit(int point) noexcept nogil:
    return <uint32_t>1 << point


cdef inline int outside(Own own) noexcept nogil:
    """How many checkers stand outside the home board, counted to 4 a point."""
    return (
        count_bits(own.ge1 & OUTSIDE) + count_bits(own.ge2 & OUTSIDE)
        + count_bits(own.ge3 & OUTSIDE) + count_bits(own.ge4 & OUTSIDE)
    )


cdef inline uint32_t opposite(uint32_t points, const RuleSet* rules) noexcept nogil:
    """The other side's points in the mover's numbers: p is 25 - p, or 12 further on in the games
    in which both run the same way round."""
    points &= POINTS
    if rules.parallel:
        return (points << 12 | points >> 12) & POINTS
    return mirror(points)


cdef inline void make_turn(
    Turn* turn, uint32_t enemy1, uint32_t enemy2, uint32_t enemy_pinned, const RuleSet* rules
) noexcept nogil:
    """Finish a turn whose `own` is set: the enemy's checkers come as masks of 1 or more, of 2 or
    more and of the pinned ones, in his own numbers. The fields that only games without contact
    have are for `look_ahead` to set."""
    cdef uint32_t held = turn.own.held
    turn.freed = turn.gate = 0
    turn.head = 0
    turn.may_bear_off = held == 0 or rules.bearoff_while_pinned
    turn.oversize = rules.bearoff_oversize
    if rules.contact == HIT:
        enemy2 = opposite(enemy2, rules)
        turn.land = ~enemy2 & POINTS  # RULES 24, 25
        turn.alone = turn.blot = opposite(enemy1, rules) & ~enemy2  # RULES 40
        turn.stop = turn.blot & rules.stop
        return
    turn.blot = turn.stop = 0
    if rules.contact == PIN:
        # Closed are two enemy checkers, or one on top of ours (RULES 4.2).
        enemy2 = opposite(enemy2, rules) | held
        turn.land = ~enemy2 & POINTS
        turn.alone = (opposite(enemy1, rules) & ~enemy2) | opposite(enemy_pinned, rules)
        turn.freed = turn.alone
    else:
        turn.land = ~opposite(enemy1, rules) & POINTS  # RULES 4.5
        turn.alone = 0
        turn.enemy = enemy1


cdef inline void look_ahead(
    Turn* turn, int head, bint all_there, bint enemy_all_there, const RuleSet* rules
) noexcept nogil:
    """Set what only games without contact ask: `head` is the number of own checkers on 24, and the
    others say that a side has borne off none."""
    turn.head = head
    turn.enemy_all_there = enemy_all_there
    if all_there and not turn.own.ge1 & rules.gate:
        turn.gate = rules.gate


cdef inline uint32_t pinned(const int8_t* plane) noexcept nogil:
    """The points of a plane's pinned checkers."""
    return ~above(plane, -1) & 0x3ffffff


cdef inline uint32_t first_plane(uint64_t above_floor) noexcept nogil:
    """Plane 0's points of what `above_both` returns."""
    return above_floor & 0x3ffffff


cdef inline uint32_t second_plane(uint64_t above_floor) noexcept nogil:
    """Plane 1's points of what `above_both` returns."""
    return above_floor >> 26 & 0x3ffffff


cdef inline void load_turn(
    Turn* turn, const int8_t* board, const RuleSet* rules
) noexcept nogil:
    """Read the turn of plane 0 of a board in memory."""
    cdef uint64_t ge1 = above_both(board, 0), ge2 = above_both(board, 1), pins
    cdef uint32_t enemy_pinned = 0
    turn.own.ge1 = first_plane(ge1) & ~<uint32_t>1
    turn.own.ge2 = first_plane(ge2) & ~<uint32_t>1
    turn.own.ge3 = first_plane(above_both(board, 2)) & ~<uint32_t>1
    turn.own.ge4 = first_plane(above_both(board, 3)) & ~<uint32_t>1
    turn.own.ge5 = first_plane(above_both(board, 4)) & ~<uint32_t>1
    turn.own.held = 0
    if rules.contact == PIN:
        pins = ~above_both(board, -1)
        turn.own.held = first_plane(pins)
        enemy_pinned = second_plane(pins)
    make_turn(
        turn, second_plane(ge1) & ~<uint32_t>1, second_plane(ge2) & ~<uint32_t>1, enemy_pinned,
        rules,
    )
    if rules.contact == BLOCK:
        look_ahead(turn, board[24], board[0] == 0, board[26] == 0, rules)


cdef inline uint32_t landings(const Turn* turn, int die) noexcept nogil:
    """The points from which `die` reaches an open point (never off the board)."""
    return turn.land << die


cdef inline uint32_t bearoffs(const Turn* turn, Own own, int die) noexcept nogil:
    """The points from which `die` bears off: the die's own point, or the farthest checker's if
    that is nearer (RULES 53, 55, 57). A held checker counts as standing there but cannot go."""
    cdef uint32_t there = own.ge1 | own.held
    cdef uint32_t from_
    if there & OUTSIDE or there == 0 or not turn.may_bear_off:
        return 0
    from_ = bit(die)
    if there < from_ and turn.oversize:
        from_ = bit(highest(there))
    return own.ge1 & from_


cdef inline uint32_t sources(const Turn* turn, Own own, int die) noexcept nogil:
    """The points from which one checker may be moved by `die`: from the bar while one is there
    (RULES 43), else by landing or by bearing off."""
    cdef uint32_t from_ = own.ge1 & landings(turn, die)
    if own.ge1 & BAR_BIT:
        return from_ & BAR_BIT
    from_ |= bearoffs(turn, own, die)
    if turn.gate and not own.ge1 & turn.gate:
        return from_ & own.ge1 & -own.ge1  # F1, F2: only the foremost, which is the lowest
    return from_


cdef inline Own moved(const Turn* turn, Own own, int point, int die) noexcept nogil:
    """The mover's checkers after one move from `point`. Thresholds: a count that loses one gives
    up its highest bit, one that gains one sets the next."""
    cdef uint32_t b = bit(point)
    own.ge1 &= ~b | own.ge2
    own.ge2 &= ~b | own.ge3
    own.ge3 &= ~b | own.ge4
    own.ge4 &= ~b | own.ge5
    own.ge5 &= ~b
    if point <= die:
        return own
    b >>= die
    if b & turn.stop & ~own.held:  # it hit where a hitter must stop; those that follow may go on
        own.held |= b
        return own
    own.ge5 |= b & own.ge4
    own.ge4 |= b & own.ge3
    own.ge3 |= b & own.ge2
    own.ge2 |= b & own.ge1
    own.ge1 |= b
    return own
