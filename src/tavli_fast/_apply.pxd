"""Playing given moves on a board, with the reason if they are not allowed."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._board cimport (
    BAR, BAR_BIT, OUTSIDE, Own, Turn, bearoffs, bit, landings, moved, sources,
)
from tavli_fast._plays cimport Play, code_length, move_code
from tavli_fast._rules cimport RuleSet

cdef enum:
    # Why a move is refused; the face turns these into sentences (`_WHY` in generation.py).
    FINE = 0
    NO_MOVE = 1  # not a from of 1..25 and a to of 0..24 that one die can join
    NO_CHECKER = 2
    BAR_FIRST = 3
    CLOSED = 4
    NOT_HOME = 5
    STOPPED = 6  # a hitter that may not move on
    NO_DIE = 7
    NOT_FARTHEST = 8
    NOT_A_PLAY = 9  # each move can be made, but the roll demands another play
    GAME_OVER = 10


cdef struct Verdict:
    int why
    int at  # the move (from 0) that is refused
    Play play  # the moves as a play, if they are fine
    Own own  # the mover's checkers after them


cdef inline int refusal(const Turn* turn, Own own, int from_, int to, int die) noexcept nogil:
    """Why a move from `from_` to `to` by `die` is not possible, or FINE."""
    if not (1 <= from_ <= BAR and 0 <= to < from_ and to < BAR):
        return NO_MOVE
    if to > 0 and from_ - to != die or to == 0 and from_ > die:
        return NO_DIE
    if not own.ge1 & bit(from_):
        return STOPPED if own.held & bit(from_) else NO_CHECKER
    if own.ge1 & BAR_BIT and from_ != BAR:
        return BAR_FIRST
    if to > 0:
        return FINE if landings(turn, die) & bit(from_) else CLOSED
    if (own.ge1 | own.held) & OUTSIDE:
        return NOT_HOME
    return FINE if bearoffs(own, die) & bit(from_) else NOT_FARTHEST


cdef inline Verdict judge(
    const Turn* turn, const int8_t* moves, const int8_t* dice, int n_dice
) noexcept nogil:
    """Try four moves (pairs of from and to, the first -1 ends them) with the dice in the order given;
    with `n_dice` 0 each move takes whatever die it needs."""
    cdef Verdict verdict
    cdef Own own = turn.own
    cdef int i, from_, to, die
    verdict.play = 0
    verdict.why = FINE
    verdict.at = 0
    for i in range(4):
        from_ = moves[2 * i]
        to = moves[2 * i + 1]
        if from_ == -1:
            break
        verdict.at = i
        if n_dice == 0:
            die = from_ - to
            if die < 1 or die > 6:
                verdict.why = NO_MOVE
                return verdict
        elif i >= n_dice:
            verdict.why = NO_DIE
            return verdict
        else:
            die = dice[i]
        verdict.why = refusal(turn, own, from_, to, die)
        if verdict.why != FINE:
            return verdict
        own = moved(turn, own, from_, die)
        verdict.play |= move_code(from_, die) << 8 * i
    verdict.own = own
    return verdict


cdef inline bint is_complete(
    const Turn* turn, const Verdict* verdict, const int8_t* dice, int n_dice, int longest,
    const RuleSet* rules
) noexcept nogil:
    """Whether moves that are possible with the dice in this order are all that the roll demands;
    `longest` is the number of dice that its longest play uses."""
    cdef int made = code_length(verdict.play)
    cdef bint higher_could
    if made == 0:
        return longest == 0
    if made < n_dice and sources(turn, verdict.own, dice[made]):
        return False  # RULES 34
    if not rules.win_needs_all_dice and (verdict.own.ge1 | verdict.own.held) == 0:
        return True
    if rules.max_dice and made < longest:
        return False  # RULES 29, 30, 38
    higher_could = dice[1] > dice[0] and sources(turn, turn.own, dice[1]) != 0
    return not (rules.higher_die and longest == 1 and higher_could)  # RULES 31
