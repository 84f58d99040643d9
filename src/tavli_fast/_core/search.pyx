"""The general way through a turn, for the rules whose bans depend on what has been moved so far.

Forwards, die by die, all positions that the dice lead to in this order, each once, with the moves
between them; then backwards from those in which the turn may end. It is slower than the mask
formulas of `mixed` and `doubles` by an order of magnitude, and asked only where those do not hold
(`needs_care` in `generate/movegen.pxd`): a prime that may be barred, a cascade of doubles, a capture that
ends the game at once, a home in which nothing may be moved, a gate inside the home. It also judges
given moves (`judge_moves`), under all rules.
"""

from libc.stdint cimport int8_t, int32_t, uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from tavli_fast._core.generate.primes cimport is_trap, may_end, may_land
from tavli_fast._core.board.masks cimport BAR, BAR_BIT, OUTSIDE, bit, lowest
from tavli_fast._core.board.planes cimport Side, count_at, meet, one_or_more, two_or_more
from tavli_fast._core.ruleset cimport NO_TRAP, RuleSet
from tavli_fast._core.board.result cimport START_BIT
from tavli_fast._core.generate.move cimport (
    Frame, make_frame, may_leave, mother_decides, node_moved, node_sources, standing,
)

from tavli_fast.errors import ResultTooLargeError

cdef enum:
    # More positions in one turn than this are given up, and the caller is told: 1.5 GiB or so.
    MAX_NODES = 20_000_000
    # Marks of a node on the way back.
    FRUITFUL = 1  # a turn may end here or further on
    END = 2  # it may end here
    LEGAL = 4  # and does its duty


cdef Work* new_work() except NULL:
    """Return room for the turns of one thread; `free_work` gives it back."""
    cdef Work* work = <Work*>calloc(1, sizeof(Work))
    if work == NULL:
        raise MemoryError
    work.most_nodes = MAX_NODES
    return work


cdef void free_work(Work* work) noexcept nogil:
    if work != NULL:
        free(work.nodes)
        free(work.edges)
        free(work.marks)
        free(work.table)
        free(work.plays)
        free(work)


cdef object too_many():
    """Return the error for a turn with more positions on the way than there is room for."""
    return ResultTooLargeError(
        "the plays of one roll are too many to list: a cascade of doubles can lead to many "
        "millions of positions"
    )


cdef bint _grow(void** memory, int32_t* room, int32_t needed, size_t size) noexcept nogil:
    """Make room for `needed` entries; return whether there is."""
    cdef void* larger
    cdef int32_t wanted
    if needed <= room[0]:
        return True
    wanted = max(1024, needed + needed // 2)
    larger = realloc(memory[0], wanted * size)
    if larger == NULL:
        return False
    memory[0] = larger
    room[0] = wanted
    return True


cdef inline bint _same(const Node* x, const Node* y) noexcept nogil:
    return (
        x.mine.b0 == y.mine.b0 and x.mine.b1 == y.mine.b1 and x.mine.b2 == y.mine.b2
        and x.mine.b3 == y.mine.b3 and x.hits == y.hits
    )


cdef inline uint32_t _hash(const Node* node) noexcept nogil:
    cdef uint32_t h = node.mine.b0 * <uint32_t>0x9e3779b1
    h = (h ^ h >> 15 ^ node.mine.b1) * <uint32_t>0x85ebca6b
    h = (h ^ h >> 13 ^ node.mine.b2) * <uint32_t>0xc2b2ae35
    h = (h ^ h >> 16 ^ node.mine.b3) * <uint32_t>0x27d4eb2f
    return h ^ h >> 15 ^ node.hits


cdef bint _make_table(Work* work, int32_t first, int32_t* slots) noexcept nogil:
    """Put the nodes from `first` on into a new table, at most half full; return whether there is
    room."""
    cdef int32_t node
    cdef uint32_t slot
    slots[0] = 64
    while slots[0] < 4 * (work.n_nodes - first):
        slots[0] *= 2
    if not _grow(<void**>&work.table, &work.table_room, slots[0], sizeof(int32_t)):
        return False
    memset(work.table, 0xff, slots[0] * sizeof(int32_t))
    for node in range(first, work.n_nodes):
        slot = _hash(&work.nodes[node]) & <uint32_t>(slots[0] - 1)
        while work.table[slot] >= 0:
            slot = (slot + 1) & <uint32_t>(slots[0] - 1)
        work.table[slot] = node
    return True


cdef int32_t _find_or_add(
    Work* work, const Node* node, int32_t first, int32_t* slots
) noexcept nogil:
    """Return the number of the node like this one among those from `first` on, adding it if there
    is none; -1 if there is no room."""
    cdef uint32_t slot = _hash(node) & <uint32_t>(slots[0] - 1)
    cdef int32_t found
    while work.table[slot] >= 0:
        found = work.table[slot]
        if _same(&work.nodes[found], node):
            return found
        slot = (slot + 1) & <uint32_t>(slots[0] - 1)
    if work.n_nodes >= work.most_nodes or not _grow(
        <void**>&work.nodes, &work.nodes_room, work.n_nodes + 1, sizeof(Node)
    ):
        return -1
    work.nodes[work.n_nodes] = node[0]
    work.table[slot] = work.n_nodes
    work.n_nodes += 1
    if 2 * (work.n_nodes - first) > slots[0] and not _make_table(work, first, slots):
        return -1
    return work.n_nodes - 1


cdef bint _forwards(
    Work* work, const Frame* frame, Side mine, const int* dice, int n_dice, const RuleSet* rules
) noexcept nogil:
    """Add all turns that the dice lead to in this order, and the moves between them; return
    whether there was room."""
    cdef Node after
    cdef uint32_t left
    cdef int32_t first, end, node, child, next_first, slots
    cdef int depth, from_, die
    if not _grow(<void**>&work.nodes, &work.nodes_room, work.n_nodes + 1, sizeof(Node)):
        return False
    first = work.n_nodes
    memset(&work.nodes[first], 0, sizeof(Node))
    work.nodes[first].mine = mine
    work.nodes[first].parent = -1
    work.n_nodes += 1
    for depth in range(1, n_dice + 1):
        die = dice[depth - 1]
        end = next_first = work.n_nodes
        if not _make_table(work, next_first, &slots):
            return False
        for node in range(first, end):
            left = node_sources(&work.nodes[node], frame, die, rules)
            while left:
                from_ = lowest(left)
                left &= left - 1
                after = node_moved(&work.nodes[node], frame, from_, die, rules)
                if from_ > die and not may_land(&after, frame, from_ - die, rules):
                    continue
                after.parent = node
                after.depth = depth
                if depth == 1:
                    after.first_die = die
                child = _find_or_add(work, &after, next_first, &slots)
                if child < 0 or not _grow(
                    <void**>&work.edges, &work.edges_room, 2 * work.n_edges + 2, sizeof(int32_t)
                ):
                    return False
                work.edges[2 * work.n_edges] = node
                work.edges[2 * work.n_edges + 1] = child
                work.n_edges += 1
        if work.n_nodes == next_first:
            break
        first = next_first
    return True


cdef bint _backwards(
    Work* work, const Frame* frame, bint fair, const RuleSet* rules
) noexcept nogil:
    """Mark the nodes in which a turn may end; return whether there is any. Only who cannot play a
    die may leave it (RULES 34, 48), and a die that can only be played towards an end which is
    barred cannot be played. With `fair` a trap is barred too."""
    cdef int32_t node, edge = work.n_edges - 1
    cdef bint leads_on, any_end = False
    cdef const Node* start
    for node in range(work.n_nodes - 1, -1, -1):
        leads_on = False
        # Edges stand in the order of the nodes that they leave.
        while edge >= 0 and work.edges[2 * edge] == node:
            leads_on |= work.marks[work.edges[2 * edge + 1]] & FRUITFUL
            edge -= 1
        if leads_on:
            work.marks[node] = FRUITFUL
            continue
        work.marks[node] = 0
        if work.nodes[node].depth == 0:
            continue
        start = &work.nodes[node]
        while start.parent >= 0:
            start = &work.nodes[start.parent]
        if not may_end(start, &work.nodes[node], frame, rules):
            continue
        if fair and is_trap(&work.nodes[node], frame, rules):
            continue
        work.marks[node] = FRUITFUL | END
        any_end = True
    return any_end


cdef bint _exempt(const Node* end, const Frame* frame, const RuleSet* rules) noexcept nogil:
    """Whether a play that ends here is legal however few dice it uses."""
    if not rules.win_needs_all_dice and standing(end, frame) == 0:
        return True
    return rules.mother_immediate and mother_decides(end, frame, rules)


cdef bint _does_its_duty(
    const Node* end, const Frame* frame, int longest, int only_die, const RuleSet* rules
) noexcept nogil:
    """Whether a turn that ends here plays the dice that it must."""
    if _exempt(end, frame, rules):
        return True
    if rules.max_dice and end.depth < longest:
        return False  # RULES 29, 30, 38
    return only_die == 0 or end.first_die == only_die  # RULES 31, 32


cdef int _only_die(
    const Work* work, int longest, bint doubles, const RuleSet* rules
) noexcept nogil:
    """The die that must be played where not both can be; 0 if there is no such duty."""
    cdef int32_t node
    cdef int only = 0
    if rules.higher_die and longest == 1 and not doubles:
        for node in range(work.n_nodes):
            if work.marks[node] & END:
                only = max(only, work.nodes[node].first_die)
    return only


cdef bint _collect(
    Work* work, const Frame* frame, bint doubles, bint fair, const RuleSet* rules
) noexcept nogil:
    """List the distinct plays among the ends, those that leave no trap if `fair`; return whether
    there was room."""
    cdef int32_t node, slots = 64
    cdef uint32_t slot
    cdef int only_die = _only_die(work, work.longest, doubles, rules)
    work.n_plays = 0
    while slots < 2 * work.n_nodes:
        slots *= 2
    if not _grow(<void**>&work.table, &work.table_room, slots, sizeof(int32_t)):
        return False
    memset(work.table, 0xff, slots * sizeof(int32_t))
    for node in range(work.n_nodes):
        if not work.marks[node] & END:
            continue
        if not _does_its_duty(&work.nodes[node], frame, work.longest, only_die, rules):
            continue
        if fair and is_trap(&work.nodes[node], frame, rules):
            continue
        work.marks[node] |= LEGAL
        slot = _hash(&work.nodes[node]) & <uint32_t>(slots - 1)
        while work.table[slot] >= 0 and not _same(&work.nodes[work.table[slot]], &work.nodes[node]):
            slot = (slot + 1) & <uint32_t>(slots - 1)
        if work.table[slot] >= 0:
            continue
        work.table[slot] = node
        if not _grow(<void**>&work.plays, &work.plays_room, work.n_plays + 1, sizeof(int32_t)):
            return False
        work.plays[work.n_plays] = node
        work.n_plays += 1
    return True


cdef int _orders(int die1, int die2, const RuleSet* rules, int (*dice)[24]) noexcept nogil:
    """Write the dice of a roll in the orders in which they may be played; return how many dice.
    Doubles have one order, a mixed roll two (RULES 28)."""
    cdef int n = 0, die, i
    if die1 != die2:
        dice[0][0] = dice[1][1] = max(die1, die2)
        dice[0][1] = dice[1][0] = min(die1, die2)
        return 2
    for die in range(die1, (6 if rules.cascade else die1) + 1):
        for i in range(4):
            dice[0][n] = die
            n += 1
    return n


cdef bint _search(
    Side mine, Side theirs, int die1, int die2, const RuleSet* rules, Work* work, Frame* frame
) noexcept nogil:
    """Find the turns and plays of a roll; return whether there was room."""
    cdef int dice[2][24]
    cdef int n_dice = _orders(die1, die2, rules, dice)
    cdef bint doubles = die1 == die2
    cdef int32_t node
    work.n_nodes = work.n_edges = work.n_plays = 0
    work.longest = 0
    frame[0] = make_frame(mine, theirs, rules)
    if doubles and rules.head_first >> die1 & 1 and frame.head == rules.checkers:
        frame.head_limit += 1
    if not _forwards(work, frame, mine, dice[0], n_dice, rules):
        return False
    if not doubles and not _forwards(work, frame, mine, dice[1], n_dice, rules):
        return False
    if not _grow(<void**>&work.marks, &work.marks_room, work.n_nodes, 1):
        return False
    # F9: avoiding the trap comes before the dice, or after them; F8: it lapses if all plays trap.
    if not (rules.trap_first and _backwards(work, frame, True, rules)):
        _backwards(work, frame, False, rules)
    for node in range(work.n_nodes):
        if work.marks[node] & END:
            work.longest = max(work.longest, work.nodes[node].depth)
    if rules.trap == NO_TRAP or rules.trap_first:
        return _collect(work, frame, doubles, False, rules)
    if not _collect(work, frame, doubles, True, rules):
        return False
    return work.n_plays > 0 or _collect(work, frame, doubles, False, rules)


cdef int careful_plays(
    Side mine, Side theirs, int die1, int die2, const RuleSet* rules, Work* work
) noexcept nogil:
    """Find the distinct plays of a roll and return how many; they are in `work.plays`. If there is
    no room for them, `work.failed` is set, and 0 returned."""
    cdef Frame frame
    if not _search(mine, theirs, die1, die2, rules, work, &frame):
        work.failed = True
        work.n_plays = 0  # what it has found so far is not to be used
        return 0
    return work.n_plays


cdef void moves_to(const Work* work, int32_t node, int8_t* moves, int room) noexcept nogil:
    """Write the moves that lead to a node as `room` pairs of from and to, -1 behind the last."""
    cdef const Node* end = &work.nodes[node]
    cdef int i
    memset(moves, 0xff, 2 * room)
    for i in range(end.depth - 1, -1, -1):
        moves[2 * i] = end.from_
        moves[2 * i + 1] = end.from_ - end.die if end.from_ > end.die else 0
        end = &work.nodes[end.parent]


cdef void sides_after(
    const Work* work, int32_t node, Side* mine, Side* theirs, const RuleSet* rules
) noexcept nogil:
    """Turn the sides from before the turn into those at a node."""
    cdef Side before = mine[0]
    mine[0] = work.nodes[node].mine
    meet(before, mine[0], theirs, work.nodes[node].hits, rules)


cdef inline int _refusal(
    const Node* node, const Frame* frame, int from_, int to, int die, const RuleSet* rules
) noexcept nogil:
    """Why a move from `from_` to `to` by `die` is not possible, or FINE."""
    cdef uint32_t there = standing(node, frame)
    cdef uint32_t mine = one_or_more(node.mine)
    cdef uint32_t b
    cdef Node after
    if not (1 <= from_ <= BAR and 0 <= to < from_ and to < BAR):
        return NO_MOVE
    b = bit(from_)
    if to > 0 and from_ - to != die or to == 0 and from_ > die:
        return NO_DIE
    if rules.mother_immediate and mother_decides(node, frame, rules):
        return GAME_OVER
    if not mine & b:
        return PINNED if there & b else NO_CHECKER
    if node.hits & rules.stop & b and not two_or_more(node.mine) & b:
        return STOPPED
    if not may_leave(node, frame, rules) & b:
        if mine & BAR_BIT:
            return BAR_FIRST
        if b == START_BIT and frame.head - count_at(node.mine, 24) >= frame.head_limit:
            return HEAD
        return GATE
    if node_sources(node, frame, die, rules) & b:
        after = node_moved(node, frame, from_, die, rules)
        return FINE if to == 0 or may_land(&after, frame, to, rules) else PRIME
    if to > 0:
        return HOME_ONLY if frame.land & bit(to) else CLOSED
    if there & OUTSIDE:
        return NOT_HOME
    if frame.held and not rules.bearoff_while_pinned:
        return NOT_WHILE_PINNED
    return NOT_FARTHEST if rules.bearoff_oversize else NOT_EXACT


cdef Verdict _judge(
    const Frame* frame, Side mine, const int8_t* moves, int room, const int* dice, int n_dice,
    const RuleSet* rules, Node* end
) noexcept nogil:
    """Try moves (pairs of from and to, the first -1 ends them) with the dice in the order given;
    without dice (NULL) each takes whatever die it needs."""
    cdef Verdict verdict
    cdef Node node
    cdef int i, from_, to, die
    memset(&node, 0, sizeof(Node))
    node.mine = mine
    verdict.why = FINE
    verdict.at = 0
    for i in range(room):
        from_ = moves[2 * i]
        to = moves[2 * i + 1]
        if from_ == -1:
            break
        verdict.at = i
        if dice == NULL:
            die = from_ - to
            if die < 1 or die > 6:
                verdict.why = NO_MOVE
                return verdict
        elif i >= n_dice:
            verdict.why = NO_DIE
            return verdict
        else:
            die = dice[i]
        verdict.why = _refusal(&node, frame, from_, to, die, rules)
        if verdict.why != FINE:
            return verdict
        node = node_moved(&node, frame, from_, die, rules)
        node.depth = i + 1
        if i == 0:
            node.first_die = die
    end[0] = node
    return verdict


cdef Verdict judge_moves(
    Side* mine, Side* theirs, const int8_t* moves, int room, int die1, int die2,
    const RuleSet* rules, Work* work
) noexcept nogil:
    """Play moves given as `room` pairs of from and to, ended by -1, and say whether they may be
    played. With dice (not 0) they must be a play of that roll, in an order in which it can be
    played; without, each must be possible in itself. The sides are changed only if all is fine."""
    cdef int dice[2][24]
    cdef int n_dice, order
    cdef Frame frame
    cdef Node end
    cdef Side before = mine[0]
    cdef Verdict verdict, best
    if die1 == 0:
        frame = make_frame(mine[0], theirs[0], rules)
        if rules.head_first and frame.head == rules.checkers:
            frame.head_limit += 1  # some roll allows it
        best = _judge(&frame, mine[0], moves, room, NULL, 0, rules, &end)
    else:
        best.why = NO_DIE
        best.at = -1
        if not _search(mine[0], theirs[0], die1, die2, rules, work, &frame):
            work.failed = True
            return best
        n_dice = _orders(die1, die2, rules, dice)
        for order in range(1 if die1 == die2 else 2):
            verdict = _judge(&frame, mine[0], moves, room, dice[order], n_dice, rules, &end)
            if verdict.why == FINE:
                if _is_play(work, &end, die1 == die2):
                    best = verdict
                    break
                verdict.why = NOT_A_PLAY
            # On a tie the reason is the one that is not about the other die.
            if verdict.at > best.at or (verdict.at == best.at and best.why == NO_DIE):
                best = verdict
    if best.why == FINE:
        mine[0] = end.mine
        meet(before, mine[0], theirs, end.hits, rules)
    return best


cdef bint _is_play(const Work* work, const Node* end, bint doubles) noexcept nogil:
    """Whether a turn may end like this after a search: the same checkers after the same dice. Two
    turns that end alike need not both be legal, if one of them wastes a die (RULES 27)."""
    cdef int32_t i
    cdef const Node* node
    if end.depth == 0:
        return work.n_plays == 0
    for i in range(work.n_nodes):
        node = &work.nodes[i]
        if (
            work.marks[i] & LEGAL and node.depth == end.depth
            and (doubles or node.first_die == end.first_die) and _same(node, end)
        ):
            return True
    return False
