"""The doubling cube in rollouts: the model of tavli_fast/_cube_model.py, position by position.

docs/cube.md has the formulas. A worth is the player's who is on roll; a ladder is as he sees it.
"""

cdef enum:
    MOST_HEIGHTS = 12  # of a ladder: cubes from 1 to 2,048
    CENTRE = 0  # the cube's place: in the middle, the player's, the opponent's
    OWN = 1
    OPPONENTS = 2


cdef extern from *:
    """
    #define TF_TIE 1e-9 /* worths that differ by less are the same (as in cube.py) */
    """
    double TIE "TF_TIE"


cdef struct Ladder:
    int heights
    double values[MOST_HEIGHTS][7]  # the worth of -3..+3 points at each height of the cube
    double centre[7]  # at the lowest as long as the cube is in the middle
    bint mine[MOST_HEIGHTS]  # whether the player may double from there, if the cube allows him
    bint theirs[MOST_HEIGHTS]
    bint endless  # one height stands for all: twice the cube is twice the worth


cdef struct Knots:
    # Of one position: how games end, and at each height where the live cube's doubles are given.
    double win, drawn
    double centre_won, centre_lost
    double won[MOST_HEIGHTS]
    double lost[MOST_HEIGHTS]
    double take[MOST_HEIGHTS]
    double cash[MOST_HEIGHTS]


cdef inline double ratio(double part, double whole) noexcept nogil:
    """part / whole within 0 to 1, and 0 where the whole is nothing."""
    if whole <= 0:
        return 0
    return min(max(part / whole, 0), 1)


cdef inline double single(const Ladder* ladder, int height, int sign) noexcept nogil:
    return ladder.values[height][3 + sign]


cdef inline void read_knots(
    Knots* knots, const Ladder* ladder, const float* outcomes
) noexcept nogil:
    """Read the chances of the player on roll. They come from a net, which may think a gammon
    likelier than a win: each is taken to be no more than the one that it is a part of."""
    cdef double win = outcomes[0], draw = outcomes[5]
    cdef double lose = max(0.0, 1 - win - draw)
    cdef double win2 = min(<double>outcomes[1], win), lose2 = min(<double>outcomes[3], lose)
    cdef double win3 = min(<double>outcomes[2], win2), lose3 = min(<double>outcomes[4], lose2)
    cdef double wins[3]
    cdef double losses[3]  # of 3, 2 and 1 points
    cdef int k, height, above
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
    knots.win = win / (win + lose) if win + lose > 0 else 0.5
    knots.drawn = draw
    knots.centre_won = knots.centre_lost = 0
    for k in range(3):
        knots.centre_won += wins[k] * ladder.centre[4 + k]
        knots.centre_lost += losses[k] * ladder.centre[k]
    for height in range(ladder.heights):
        knots.won[height] = knots.lost[height] = knots.take[height] = 0
        knots.cash[height] = 1
        for k in range(3):
            knots.won[height] += wins[k] * ladder.values[height][4 + k]
            knots.lost[height] += losses[k] * ladder.values[height][k]
    if ladder.endless:
        half = single(ladder, 0, 1) / 2
        span = knots.won[0] - knots.lost[0] + half
        knots.take[0] = (-knots.lost[0] - half) / span
        knots.cash[0] = 1 - (knots.won[0] - half) / span
        return
    for height in range(ladder.heights - 2, -1, -1):
        above = height + 1
        if ladder.theirs[height]:
            rise = knots.won[above] - knots.lost[above]
            if ladder.mine[above]:
                rise = max(
                    rise, slope(single(ladder, above, 1) - knots.lost[above], knots.cash[above])
                )
            knots.take[height] = ratio(single(ladder, height, -1) - knots.lost[above], rise)
        if ladder.mine[height]:
            fall = knots.won[above] - knots.lost[above]
            if ladder.theirs[above]:
                fall = max(
                    fall,
                    slope(knots.won[above] - single(ladder, above, -1), 1 - knots.take[above]),
                )
            knots.cash[height] = 1 - ratio(knots.won[above] - single(ladder, height, 1), fall)


cdef inline double slope(double rise, double run) noexcept nogil:
    """How steep a line is, infinitely so where it does not run at all."""
    return rise / run if run > 0 else 1e300


cdef inline double through(
    double win, double bottom, double low_at, double low_worth, double high_at, double high_worth,
    double top
) noexcept nogil:
    """The line through a loss, two knots, and a win."""
    if win < low_at:
        return bottom + (low_worth - bottom) * ratio(win, low_at)
    if win > high_at:
        return top - (top - high_worth) * ratio(1 - win, 1 - high_at)
    return low_worth + (high_worth - low_worth) * ratio(win - low_at, high_at - low_at)


cdef inline bint is_free(const Ladder* ladder, int height) noexcept nogil:
    """Whether the one side that may double loses nothing more by it (`Ladder.free`)."""
    cdef int place
    if ladder.endless or ladder.mine[height] == ladder.theirs[height]:
        return False
    if height + 1 >= ladder.heights:
        return False
    place = 2 if ladder.mine[height] else 4
    return ladder.values[height][place] == ladder.values[height + 1][place]


cdef inline double worth(
    const Ladder* ladder, const Knots* knots, int height, int place, double efficiency
) noexcept nogil:
    """What a game is worth at a height of the cube, which is at that place; the roll comes
    first."""
    cdef int at = 0 if ladder.endless else height
    cdef bint mine = place != OPPONENTS and ladder.mine[at]
    cdef bint theirs = place != OWN and ladder.theirs[at]
    cdef bint middle = place == CENTRE and height == 0
    cdef double top = knots.centre_won if middle else knots.won[at]
    cdef double bottom = knots.centre_lost if middle else knots.lost[at]
    cdef double low = single(ladder, at, -1), high = single(ladder, at, 1)
    cdef double dead = through(knots.win, bottom, 0, bottom, 1, top, top)
    cdef double live = dead, passed, value, doubled
    if mine:
        live = max(live, through(knots.win, bottom, 0, bottom, knots.cash[at], high, top))
    if theirs:
        passed = through(knots.win, bottom, knots.take[at], low, 1, top, top)
        if mine:
            passed = max(
                passed, through(knots.win, bottom, knots.take[at], low, knots.cash[at], high, top)
            )
        live = min(live, passed)
    value = (1 - efficiency) * dead + efficiency * live
    if is_free(ladder, at):
        doubled = through(
            knots.win, knots.lost[at + 1], 0, knots.lost[at + 1], 1, knots.won[at + 1],
            knots.won[at + 1],
        )
        if mine:
            value = max(value, min(doubled, high))
        elif theirs:
            value = min(value, max(doubled, low))
    value = (1 - knots.drawn) * value + knots.drawn * ladder.values[at][3]
    return value * (1 << height) if ladder.endless else value


cdef struct Terms:
    # How both sides handle the cube.
    double efficiency
    bint beavers
    bint refusable  # who is beavered may pass


cdef struct Doubling:
    bint doubled
    bint taken
    int height  # afterwards
    double worth  # to the player on roll, if both decide as well as they can


cdef inline Doubling decide(
    const Ladder* ladder, const Knots* knots, int height, int place, const Terms* terms
) noexcept nogil:
    """Decide about a double, and about the take, the pass or the beaver."""
    cdef Doubling found
    cdef int at = 0 if ladder.endless else height
    cdef double scale = <double>(1 << height) if ladder.endless else 1
    cdef double passed = single(ladder, at, 1) * scale
    cdef double tie = TIE * (passed - single(ladder, at, -1) * scale) / 2
    cdef double taken, beavered
    found.worth = worth(ladder, knots, height, place, terms.efficiency)
    found.doubled = found.taken = False
    found.height = height
    if place == OPPONENTS or not ladder.mine[at] or height + 2 >= MOST_HEIGHTS:
        return found
    found.height = height + 1
    taken = worth(ladder, knots, height + 1, OPPONENTS, terms.efficiency)
    if terms.beavers and ladder.theirs[0 if ladder.endless else height + 1]:
        beavered = worth(ladder, knots, height + 2, OPPONENTS, terms.efficiency)
        if terms.refusable:
            beavered = max(beavered, single(ladder, 0 if ladder.endless else height + 1, -1) * (
                2 * scale if ladder.endless else 1
            ))
        if beavered < taken - tie:
            taken = beavered
            found.height = height + 2
    found.taken = taken <= passed + tie
    # A double that costs nothing is given even if it gains nothing either.
    if min(taken, passed) - found.worth > (-tie if is_free(ladder, at) else tie):
        found.doubled = True
        found.worth = min(taken, passed)
    else:
        found.height = height
    return found


cdef inline double ended(
    const Ladder* ladder, int height, int place, int points
) noexcept nogil:
    """What a game that has ended at so many points is worth."""
    if place == CENTRE and height == 0:
        return ladder.centre[3 + points]
    if ladder.endless:
        return ladder.values[0][3 + points] * (1 << height)
    return ladder.values[height][3 + points]
