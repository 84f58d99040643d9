"""Playing given moves on a board, with the reason if they are not allowed."""

from libc.stdint cimport int8_t, uint32_t

from tavli_fast._board cimport BAR, BAR_BIT, OUTSIDE, Own, Turn, bearoffs, bit, landings, moved
from tavli_fast._plays cimport Play, move_code

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
    return verdict
