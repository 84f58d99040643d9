"""The doubling cube in rollouts: the model of tavli_fast/cube/model.py, position by position.

docs/cube.md has the formulas. Values are those of the player on roll, and so are the cube's levels.
"""

from tavli_fast._core.constants cimport CUBE_LEVELS

cdef enum:
    CENTRE = 0  # the cube's place: in the middle, the player's, the opponent's
    OWN = 1
    OPPONENTS = 2


cdef extern from *:
    """
    #define TF_TIE 1e-9 /* values that differ by less are the same (as in cube/decisions.py) */
    """
    double TIE "TF_TIE"


cdef struct CubeLevels:
    int count  # levels
    double values[CUBE_LEVELS][7]  # the value of -3..+3 points at each level of the cube
    double centre[7]  # at the lowest as long as the cube is in the middle
    bint mine[CUBE_LEVELS]  # whether the player may double from there, if the cube allows him
    bint theirs[CUBE_LEVELS]
    bint endless  # one level stands for all: twice the cube is twice the value


cdef struct TakeCash:
    # Of one position: how games end, and at each level where the live cube's doubles are given.
    double win, drawn
    double centre_won, centre_lost
    double won[CUBE_LEVELS]
    double lost[CUBE_LEVELS]
    double take[CUBE_LEVELS]
    double cash[CUBE_LEVELS]


cdef inline double ratio(double part, double whole) noexcept nogil:
    """part / whole within 0 to 1, and 0 where the whole is nothing."""
    if whole <= 0:
        return 0
    return min(max(part / whole, 0), 1)


cdef inline double single(const CubeLevels* levels, int level, int sign) noexcept nogil:
    return levels.values[level][3 + sign]


cdef inline void read_take_cash(
    TakeCash* take_cash, const CubeLevels* levels, const float* outcomes
) noexcept nogil:
    """Read the chances of the player on roll. They come from a net, which may think a gammon
    likelier than a win: each is taken to be no more than the one that it is a part of."""
    cdef double win = outcomes[0], draw = outcomes[5]
    cdef double lose = max(0.0, 1 - win - draw)
    cdef double win2 = min(<double>outcomes[1], win), lose2 = min(<double>outcomes[3], lose)
    cdef double win3 = min(<double>outcomes[2], win2), lose3 = min(<double>outcomes[4], lose2)
    cdef double wins[3]
    cdef double losses[3]  # of 3, 2 and 1 points
    cdef int k, level, above
    cdef double half, span, rise, fall
    wins[0] = losses[2] = 1
    wins[1] = wins[2] = losses[0] = losses[1] = 0
    if win > 0:
        wins[0] = (win - win2) / win
        wins[1] = (win2 - win3) / win
        wins[2] = win3 / win
    if lose > 0:
        losses[0] = lose3 / lose
        losses[1] = (lose2 - lose3) / lose
        losses[2] = (lose - lose2) / lose
    take_cash.win = win / (win + lose) if win + lose > 0 else 0.5
    take_cash.drawn = draw
    take_cash.centre_won = take_cash.centre_lost = 0
    for k in range(3):
        take_cash.centre_won += wins[k] * levels.centre[4 + k]
        take_cash.centre_lost += losses[k] * levels.centre[k]
    for level in range(levels.count):
        take_cash.won[level] = take_cash.lost[level] = take_cash.take[level] = 0
        take_cash.cash[level] = 1
        for k in range(3):
            take_cash.won[level] += wins[k] * levels.values[level][4 + k]
            take_cash.lost[level] += losses[k] * levels.values[level][k]
    if levels.endless:
        half = single(levels, 0, 1) / 2
        span = take_cash.won[0] - take_cash.lost[0] + half
        take_cash.take[0] = (-take_cash.lost[0] - half) / span
        take_cash.cash[0] = 1 - (take_cash.won[0] - half) / span
        return
    for level in range(levels.count - 2, -1, -1):
        above = level + 1
        if levels.theirs[level]:
            rise = take_cash.won[above] - take_cash.lost[above]
            if levels.mine[above]:
                rise = max(
                    rise,
                    slope(
                        single(levels, above, 1) - take_cash.lost[above], take_cash.cash[above]
                    ),
                )
            take_cash.take[level] = ratio(single(levels, level, -1) - take_cash.lost[above], rise)
        if levels.mine[level]:
            fall = take_cash.won[above] - take_cash.lost[above]
            if levels.theirs[above]:
                fall = max(
                    fall,
                    slope(
                        take_cash.won[above] - single(levels, above, -1),
                        1 - take_cash.take[above],
                    ),
                )
            take_cash.cash[level] = 1 - ratio(take_cash.won[above] - single(levels, level, 1), fall)


cdef inline double slope(double rise, double run) noexcept nogil:
    """How steep a line is, infinitely so where it does not run at all."""
    return rise / run if run > 0 else 1e300


cdef inline double through(
    double win, double bottom, double low_at, double low_value, double high_at, double high_value,
    double top
) noexcept nogil:
    """The line through a loss, two take_cash, and a win."""
    if win < low_at:
        return bottom + (low_value - bottom) * ratio(win, low_at)
    if win > high_at:
        return top - (top - high_value) * ratio(1 - win, 1 - high_at)
    return low_value + (high_value - low_value) * ratio(win - low_at, high_at - low_at)


cdef inline bint is_free(const CubeLevels* levels, int level) noexcept nogil:
    """Whether the one side that may double loses nothing more by it (`CubeLevels.free`)."""
    cdef int place
    if levels.endless or levels.mine[level] == levels.theirs[level]:
        return False
    if level + 1 >= levels.count:
        return False
    place = 2 if levels.mine[level] else 4
    return levels.values[level][place] == levels.values[level + 1][place]


cdef inline double value_of(
    const CubeLevels* levels, const TakeCash* take_cash, int level, int place, double efficiency
) noexcept nogil:
    """What a game is worth at a level of the cube, which is at that place; the roll comes
    first."""
    cdef int at = 0 if levels.endless else level
    cdef bint mine = place != OPPONENTS and levels.mine[at]
    cdef bint theirs = place != OWN and levels.theirs[at]
    cdef bint middle = place == CENTRE and level == 0
    cdef double top = take_cash.centre_won if middle else take_cash.won[at]
    cdef double bottom = take_cash.centre_lost if middle else take_cash.lost[at]
    cdef double low = single(levels, at, -1), high = single(levels, at, 1)
    cdef double dead = through(take_cash.win, bottom, 0, bottom, 1, top, top)
    cdef double live = dead, passed, value, doubled
    if mine:
        live = max(live, through(take_cash.win, bottom, 0, bottom, take_cash.cash[at], high, top))
    if theirs:
        passed = through(take_cash.win, bottom, take_cash.take[at], low, 1, top, top)
        if mine:
            passed = max(
                passed,
                through(
                    take_cash.win, bottom, take_cash.take[at], low, take_cash.cash[at], high, top
                ),
            )
        live = min(live, passed)
    value = (1 - efficiency) * dead + efficiency * live
    if is_free(levels, at):
        doubled = through(
            take_cash.win, take_cash.lost[at + 1], 0, take_cash.lost[at + 1], 1,
            take_cash.won[at + 1], take_cash.won[at + 1],
        )
        if mine:
            value = max(value, min(doubled, high))
        elif theirs:
            value = min(value, max(doubled, low))
    value = (1 - take_cash.drawn) * value + take_cash.drawn * levels.values[at][3]
    return value * (1 << level) if levels.endless else value


cdef struct CubePolicyParams:
    # How both sides handle the cube.
    double efficiency
    bint beavers
    bint refusable  # who is beavered may pass


cdef struct Doubling:
    bint doubled
    bint taken
    int level  # afterwards
    double value  # to the player on roll, if both decide as well as they can


cdef inline Doubling decide(
    const CubeLevels* levels, const TakeCash* take_cash, int level, int place,
    const CubePolicyParams* params
) noexcept nogil:
    """Decide about a double, and about the take, the pass or the beaver."""
    cdef Doubling found
    cdef int at = 0 if levels.endless else level
    cdef double scale = <double>(1 << level) if levels.endless else 1
    cdef double passed = single(levels, at, 1) * scale
    cdef double tie = TIE * (passed - single(levels, at, -1) * scale) / 2
    cdef double taken, beavered
    found.value = value_of(levels, take_cash, level, place, params.efficiency)
    found.doubled = found.taken = False
    found.level = level
    if place == OPPONENTS or not levels.mine[at] or level + 2 >= CUBE_LEVELS:
        return found
    found.level = level + 1
    taken = value_of(levels, take_cash, level + 1, OPPONENTS, params.efficiency)
    if params.beavers and levels.theirs[0 if levels.endless else level + 1]:
        beavered = value_of(levels, take_cash, level + 2, OPPONENTS, params.efficiency)
        if params.refusable:
            beavered = max(beavered, single(levels, 0 if levels.endless else level + 1, -1) * (
                2 * scale if levels.endless else 1
            ))
        if beavered < taken - tie:
            taken = beavered
            found.level = level + 2
    found.taken = taken <= passed + tie
    # A double that costs nothing is given even if it gains nothing either.
    if min(taken, passed) - found.value > (-tie if is_free(levels, at) else tie):
        found.doubled = True
        found.value = min(taken, passed)
    else:
        found.level = level
    return found


cdef inline double ended(
    const CubeLevels* levels, int level, int place, int points
) noexcept nogil:
    """What a game that has ended at so many points is worth."""
    if place == CENTRE and level == 0:
        return levels.centre[3 + points]
    if levels.endless:
        return levels.values[0][3 + points] * (1 << level)
    return levels.values[level][3 + points]


cdef inline int read_levels(CubeLevels* levels, tuple parts) except -1:
    """Read the cube's levels (values float64[J, 7], centre float64[7], mine, theirs, endless)."""
    cdef const double[:, ::1] values = parts[0]
    cdef const double[::1] centre = parts[1]
    cdef int level, k
    levels.count = values.shape[0]
    if levels.count > CUBE_LEVELS:
        raise ValueError(f"{levels.count} levels of the cube: expected at most {CUBE_LEVELS}")
    for level in range(levels.count):
        levels.mine[level] = parts[2][level]
        levels.theirs[level] = parts[3][level]
        for k in range(7):
            levels.values[level][k] = values[level, k]
    for k in range(7):
        levels.centre[k] = centre[k]
    levels.endless = parts[4]
    return 0
