"""What a side may not close: its own start, the enemy's, and the way of an enemy whom it traps."""

from libc.stdint cimport uint32_t

from tavli_fast._core.board.masks cimport POINTS, bit, count_bits, lowest, opposite
from tavli_fast._core.board.planes cimport Side, count_at, on_board, one_or_more
from tavli_fast._core.ruleset cimport IMMOBILE, NEED_AHEAD, RuleSet, SINGLE_POINT
from tavli_fast._core.generate.move cimport Frame, Node, make_frame, node_moved, node_sources, standing

cdef enum:
    OWN_START = 0x1f80000  # 19..24
    ENEMY_START = 0x1f80  # 7..12


cdef inline bint holds_too_much(
    uint32_t there, uint32_t quadrant, const RuleSet* rules
) noexcept nogil:
    """Whether more points of a start quadrant are held than may be (F4, F5, RULES 4.6)."""
    cdef int most
    if quadrant == OWN_START:
        most = 6 if rules.own_start_prime else 5
    else:
        most = rules.opp_start_max
    return count_bits(there & quadrant) > most


cdef inline uint32_t primes(uint32_t there, const RuleSet* rules) noexcept nogil:
    """The first (lowest) points of the mover's primes, in the enemy's numbers, which are his walk
    (F10)."""
    cdef uint32_t held = opposite(there, rules)
    cdef uint32_t first = held
    cdef int i
    for i in range(1, rules.prime_len):
        first &= held >> i
    return first


cdef inline uint32_t up_to_foremost(const Side* theirs, const RuleSet* rules) noexcept nogil:
    """The enemy's points from 1 to that of his foremost checker: a prime that begins there has no
    enemy checker past it. None if he has borne off."""
    cdef uint32_t there = one_or_more(theirs[0])
    if on_board(theirs[0]) < rules.checkers:
        return 0
    return (there ^ (there - 1)) & POINTS


cdef inline bint is_barred(
    const Node* node, uint32_t gained, const Frame* frame, const RuleSet* rules
) noexcept nogil:
    """Whether the mover may not have brought checkers to the points `gained`. Only what adds to
    the points in question is barred, so that a position which has come about in another way does
    not freeze."""
    cdef uint32_t there = standing(node, frame)
    cdef uint32_t firsts
    cdef int first
    if gained & OWN_START and holds_too_much(there, OWN_START, rules):
        return True
    if gained & ENEMY_START and holds_too_much(there, ENEMY_START, rules):
        return True
    if rules.trap == NEED_AHEAD:
        # RULES 4.7: a prime needs an enemy checker past it.
        gained = opposite(gained, rules)
        firsts = primes(there, rules) & up_to_foremost(&frame.theirs, rules)
        while firsts:
            first = lowest(firsts)
            firsts &= firsts - 1
            if gained >> first & (bit(rules.prime_len) - 1):
                return True
    return False


cdef inline bint may_land(
    const Node* after, const Frame* frame, int to, const RuleSet* rules
) noexcept nogil:
    """Whether the prime rules, where they are read after each die, let the move that led to
    `after` land on `to`."""
    return not (rules.parallel and rules.each_die and is_barred(after, bit(to), frame, rules))


cdef inline bint may_end(
    const Node* start, const Node* end, const Frame* frame, const RuleSet* rules
) noexcept nogil:
    """Whether the prime rules, where they are read at the end of the turn, let it end here."""
    cdef uint32_t gained = 0
    cdef int point
    if rules.each_die or not rules.parallel:
        return True
    for point in range(1, 25):
        if count_at(end.mine, point) > count_at(start.mine, point):
            gained |= bit(point)
    return not is_barred(end, gained, frame, rules)


cdef inline bint can_move(Side mine, Side theirs, const RuleSet* rules) noexcept nogil:
    """Whether some roll lets the first side move."""
    cdef Frame frame = make_frame(mine, theirs, rules)
    cdef Node node, after
    cdef uint32_t left
    cdef int die, from_
    node.mine = mine
    node.hits = 0
    if rules.head_first and frame.head == rules.checkers:
        frame.head_limit += 1
    for die in range(1, 7):
        left = node_sources(&node, &frame, die, rules)
        while left:
            from_ = lowest(left)
            left &= left - 1
            after = node_moved(&node, &frame, from_, die, rules)
            if from_ <= die or may_land(&after, &frame, from_ - die, rules):
                return True
    return False


cdef inline bint is_trap(const Node* end, const Frame* frame, const RuleSet* rules) noexcept nogil:
    """Whether the enemy is left trapped (F7)."""
    cdef uint32_t there
    cdef int behind
    if rules.trap == SINGLE_POINT:
        there = one_or_more(frame.theirs)
        if there == 0 or there & (there - 1):
            return False
        behind = lowest(there) - rules.prime_len
        return behind > 0 and (primes(standing(end, frame), rules) >> behind & 1) != 0
    if rules.trap == IMMOBILE:
        return not can_move(frame.theirs, end.mine, rules)
    return False
