"""Any roll: the one door to counting, choosing and enumerating plays, and the tables they use."""

from libc.stdint cimport int8_t, uint32_t
from libc.string cimport memset

from tavli_fast._core.generate.primes cimport ENEMY_START, OWN_START
from tavli_fast._core.board.masks cimport BAR, Turn, bit, count_bits, lowest, opposite, outside
from tavli_fast._core.generate.doubles cimport (
    Doubles, enumerate_doubles, find_doubles, list_doubles, pick_doubles,
)
from tavli_fast._core.generate.mixed cimport Mixed, enumerate_mixed, find_mixed, pick_mixed
from tavli_fast._core.generate.play cimport JOINING, Play, Sink, Tables
from tavli_fast._core.ruleset cimport (
    HIT, IMMOBILE, NO_MOTHER, NO_TRAP, PIN, SINGLE_POINT, RuleSet,
)


cdef inline void fill_tables(Tables* tables) noexcept nogil:
    """Fill the rows that moves add to a board (see `Tables`)."""
    cdef int pins, die, point, to, enemy
    memset(tables, 0, sizeof(Tables))
    for pins in range(2):
        for die in range(1, 7):
            for point in range(1, BAR + 1):
                to = point - die if point > die else 0
                fill_step(&tables.step[pins][die][point][0], point, to)
                if to > 0:
                    fill_step(&tables.step[pins][die][point + JOINING][0], point, to)
                    enemy = 26 + 25 - to  # contacts come in opposed games only
                    if pins:
                        tables.step[pins][die][point + JOINING][enemy] = -2  # from 1 to -1
                    else:
                        tables.step[pins][die][point + JOINING][enemy] = -1
                        tables.step[pins][die][point + JOINING][26 + BAR] = 1
    for point in range(1, BAR):
        tables.free[point][26 + 25 - point] = 2


cdef inline void fill_step(int8_t* row, int from_, int to) noexcept nogil:
    row[from_] = -1
    row[to] = 1


cdef inline bint needs_care(
    const Turn* turn, int die1, int die2, const RuleSet* rules
) noexcept nogil:
    """Whether a rule that the mask formulas do not know may bite in this turn, which then goes
    through `search`. A yes too many costs time, a no too many would be a wrong answer."""
    cdef int moves = 4 if die1 == die2 else 2
    cdef uint32_t there = turn.own.ge1 | turn.own.held
    if not rules.bearoff_internal and outside(turn.own) < moves:
        return True
    if rules.cascade and die1 == die2:
        return True
    if rules.contact == HIT:
        return False
    if rules.contact == PIN:
        # A capture of the mother that ends the turn: the enemy's 24-point is the mover's 1.
        return rules.mother_immediate and rules.mother != NO_MOTHER and turn.alone & bit(1) != 0
    if turn.gate and not turn.gate & bit(6):
        return True  # a gate in the home: bearing off may open it
    if not rules.parallel:
        return False
    # All six own start points can be held only if each that is not is filled from another of them
    # that keeps a checker.
    if not rules.own_start_prime and may_fill(
        OWN_START & ~there, reach(turn, turn.own.ge2 & OWN_START, die1, die2), moves
    ):
        return True
    if rules.opp_start_max < 6:
        there = there & ENEMY_START
        if count_bits(there) + min(
            moves, count_bits(reach(turn, turn.own.ge1, die1, die2) & ENEMY_START & ~there)
        ) > rules.opp_start_max:
            return True
    return rules.trap != NO_TRAP and may_trap(turn, die1, die2, moves, rules)


cdef inline uint32_t reach(
    const Turn* turn, uint32_t from_, int die1, int die2
) noexcept nogil:
    """All points on which a checker from the points `from_` could land in this turn, if nothing
    but closed points stood in its way."""
    cdef uint32_t to = from_ >> die1 | from_ >> die2 | from_ >> (die1 + die2)
    if die1 == die2:
        to |= from_ >> 3 * die1 | from_ >> 4 * die1
    return to & turn.land


cdef inline bint may_fill(uint32_t points, uint32_t reached, int moves) noexcept nogil:
    """Whether so many moves may hold these points, if they reach the others."""
    return not points & ~reached and count_bits(points) <= moves


cdef inline bint may_trap(
    const Turn* turn, int die1, int die2, int moves, const RuleSet* rules
) noexcept nogil:
    """Whether the turn could make a prime that the trap rule asks about."""
    cdef uint32_t prime = bit(rules.prime_len) - 1
    cdef uint32_t held, reached, points
    cdef int first, foremost
    if rules.trap == IMMOBILE:
        return True
    foremost = lowest(turn.enemy)
    if rules.trap == SINGLE_POINT:
        # The prime right in front of all the enemy's checkers.
        if turn.enemy & (turn.enemy - 1) or foremost <= rules.prime_len:
            return False
        first = foremost - rules.prime_len
    else:
        # Any prime that no enemy checker has passed; who is off has passed them all.
        if not turn.enemy_all_there:
            return False
        first = 1
        foremost = min(foremost, 25 - rules.prime_len) + 1
    held = opposite(turn.own.ge1 | turn.own.held, rules)
    reached = opposite(reach(turn, turn.own.ge1, die1, die2), rules)
    while first < foremost:
        points = prime << first
        if may_fill(points & ~held, reached, moves):
            return True
        if rules.trap == SINGLE_POINT:
            break
        first += 1
    return False


cdef struct Roll:
    # A turn and its roll, with all distinct plays found and counted, though none is written out.
    Turn turn
    Mixed mixed  # of two different dice
    Doubles doubles  # of two equal ones
    bint equal
    int plays


cdef inline void find_plays(
    Roll* roll, int die1, int die2, const RuleSet* rules
) noexcept nogil:
    """Find the plays of a roll that does not need care; `roll.turn` is set. There are none if no
    move is legal."""
    hold_head(&roll.turn, die1, die2, rules)
    roll.equal = die1 == die2
    if roll.equal:
        find_doubles(&roll.turn, die1, rules, &roll.doubles)
        roll.plays = roll.doubles.plays
    else:
        find_mixed(&roll.turn, max(die1, die2), min(die1, die2), rules, &roll.mixed)
        roll.plays = roll.mixed.plays


cdef inline void hold_head(
    Turn* turn, int die1, int die2, const RuleSet* rules
) noexcept nogil:
    """Let no more checkers on the head move than may leave it: the rest are held (RULES 4.7)."""
    cdef uint32_t stays = ~bit(24)
    cdef int limit = rules.head_limit
    if turn.head <= limit:
        return
    if turn.head == rules.checkers and die1 == die2 and rules.head_first >> die1 & 1:
        limit += 1
    if turn.head <= limit:
        return
    turn.own.held |= bit(24)
    turn.own.ge5 &= stays
    if limit < 4:
        turn.own.ge4 &= stays
    if limit < 3:
        turn.own.ge3 &= stays
    if limit < 2:
        turn.own.ge2 &= stays


cdef inline Play pick_play(const Roll* roll, int k) noexcept nogil:
    """The k-th play, k from 0 and below `roll.plays`, in an order of its own."""
    if roll.equal:
        return pick_doubles(&roll.turn, &roll.doubles, k)
    return pick_mixed(&roll.turn, &roll.mixed, k)


cdef inline void enumerate_plays(const Roll* roll, Sink* sink) noexcept nogil:
    """Put every distinct play into the sink, once."""
    if roll.equal:
        enumerate_doubles(&roll.turn, &roll.doubles, sink)
    else:
        enumerate_mixed(&roll.turn, &roll.mixed, sink)


cdef inline void list_plays(
    Roll* roll, int die1, int die2, const RuleSet* rules, Sink* sink
) noexcept nogil:
    """Find and enumerate the plays of a roll that does not need care, without their number, which
    doubles would take long for; `roll.turn` is set. The sink has room for `MAX_PLAYS` boards."""
    hold_head(&roll.turn, die1, die2, rules)
    if die1 == die2:
        list_doubles(&roll.turn, die1, rules, &roll.doubles, sink)
    else:
        find_mixed(&roll.turn, max(die1, die2), min(die1, die2), rules, &roll.mixed)
        enumerate_mixed(&roll.turn, &roll.mixed, sink)
