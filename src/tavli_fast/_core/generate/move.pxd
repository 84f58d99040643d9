"""One move in a turn under way, whatever the rules: what may go, and what it leaves.

The mask formulas (`sources` and `moved` in `board/masks.pxd`) know part of these rules once more, in
thresholds that forget counts above five and with no memory of the turn; the tests hold the two
together.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from tavli_fast._core.board.masks cimport BAR_BIT, OUTSIDE, POINTS, bit, highest, opposite
from tavli_fast._core.board.planes cimport (
    Side, add_checker, count_at, on_board, one_or_more, remove_checker, two_or_more,
)
from tavli_fast._core.ruleset cimport BLOCK, HIT, NO_MOTHER, RuleSet
from tavli_fast._core.board.result cimport START_BIT, UNDECIDED, mother_result


cdef struct Node:
    # A turn under way: the mover's checkers, what he has hit, and the move that led here.
    Side mine
    uint32_t hits  # the mover's points on which a lone enemy checker has been hit in this turn
    int32_t parent  # the node before the move; -1 at the start of the turn
    uint8_t from_
    uint8_t die
    uint8_t depth  # moves made
    uint8_t first_die  # that of the first of them


cdef struct Frame:
    # What does not change in a turn.
    Side theirs
    uint32_t land  # open points
    uint32_t alone  # enemy checkers alone on a point, to hit or pin (or pinned)
    uint32_t held  # own pinned checkers
    int head  # own checkers on the 24-point at the start
    int head_limit  # how many of them may leave


cdef inline Frame make_frame(Side mine, Side theirs, const RuleSet* rules) noexcept nogil:
    """What does not change while the first side moves."""
    cdef Frame frame
    cdef uint32_t theirs1 = opposite(one_or_more(theirs), rules)
    cdef uint32_t theirs2 = opposite(two_or_more(theirs), rules)
    frame.theirs = theirs
    frame.held = mine.pinned
    frame.alone = 0
    if rules.contact == BLOCK:
        frame.land = ~theirs1 & POINTS
    elif rules.contact == HIT:
        frame.land = ~theirs2 & POINTS
        frame.alone = theirs1 & ~theirs2
    else:
        frame.land = ~(theirs2 | frame.held) & POINTS
        frame.alone = (theirs1 & ~theirs2 & ~frame.held) | opposite(theirs.pinned, rules)
    frame.head = count_at(mine, 24)
    frame.head_limit = rules.head_limit
    return frame


cdef inline uint32_t standing(const Node* node, const Frame* frame) noexcept nogil:
    """The points where a checker of the mover's stands."""
    return one_or_more(node.mine) | frame.held


cdef inline uint32_t may_leave(
    const Node* node, const Frame* frame, const RuleSet* rules
) noexcept nogil:
    """The points from which a checker may go at all, whatever the die."""
    cdef uint32_t mine = one_or_more(node.mine)
    cdef uint32_t stopped = node.hits & rules.stop
    if rules.mother_immediate and mother_decides(node, frame, rules):
        return 0  # P6
    mine &= ~stopped | two_or_more(node.mine)  # the hitter alone is held (RULES 4.9)
    if mine & BAR_BIT:
        return BAR_BIT  # RULES 43, 47
    # F1, F2: until one has come as far as the gate, only the foremost may move.
    if rules.gate and not (mine & rules.gate or on_board(node.mine) < rules.checkers):
        mine &= -mine
    if mine & START_BIT and frame.head - count_at(node.mine, 24) >= frame.head_limit:
        mine ^= START_BIT  # RULES 4.7
    return mine


cdef inline bint mother_decides(
    const Node* node, const Frame* frame, const RuleSet* rules
) noexcept nogil:
    """Whether the mother rule would end the game here."""
    cdef uint32_t mine = one_or_more(node.mine)
    cdef uint32_t their_pinned = opposite(frame.alone & mine, rules)
    if rules.mother == NO_MOTHER:
        return False
    return UNDECIDED != mother_result(
        mine, frame.held, one_or_more(frame.theirs) & ~their_pinned, their_pinned, rules
    )


cdef inline uint32_t node_sources(
    const Node* node, const Frame* frame, int die, const RuleSet* rules
) noexcept nogil:
    """The points from which one checker may move by `die`, but for the bans on primes."""
    cdef uint32_t movable = may_leave(node, frame, rules)
    cdef uint32_t there = standing(node, frame)
    cdef uint32_t from_ = movable & frame.land << die
    cdef uint32_t off
    if there & OUTSIDE or there == 0:
        return from_
    if not rules.bearoff_internal:
        from_ = 0
    if frame.held and not rules.bearoff_while_pinned:
        return from_  # P10
    off = bit(die)
    if there < off and rules.bearoff_oversize:
        off = bit(highest(there))
    return from_ | (movable & off)


cdef inline Node node_moved(
    const Node* node, const Frame* frame, int from_, int die, const RuleSet* rules
) noexcept nogil:
    """The turn after a move; its parent is for the caller to set."""
    cdef Node after = node[0]
    cdef uint32_t to
    after.from_ = from_
    after.die = die
    remove_checker(&after.mine, bit(from_))
    if from_ > die:
        to = bit(from_ - die)
        if rules.contact == HIT:
            after.hits |= to & frame.alone
        add_checker(&after.mine, to)
    return after
