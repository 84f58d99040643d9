"""Games between nets (or random players): played to the end or cut, with or without their luck."""

import numpy as np

from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy

from tavli_fast._core.net.select cimport (
    Desk, choose, free_desk, judge, list_afterstates, new_desk, set_base,
)
from tavli_fast._core.random.philox cimport Key, pick, roll_dice
from tavli_fast._core.cube.janowski cimport (
    CENTRE, MOST_HEIGHTS, OPPONENTS, OWN, Doubling, Knots, Ladder, Terms, decide, ended, read_knots,
    worth,
)
from tavli_fast._core.net.net cimport (
    OUTPUTS, RANDOM, Brain, exact_outputs, open_brain, outputs_of, turned_outputs,
)
from tavli_fast._core.generate.play cimport BOARD_BYTES
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.board.result cimport UNDECIDED, board_result

cdef enum:
    # How a trial has ended, if not with points.
    TRUNCATED = 100
    UNFINISHED = 200


cdef struct Contest:
    # Who plays whom, and how; the same for all trials.
    const RuleSet* rules
    Brain players[2]
    Brain judge  # of positions where games are cut, and of luck
    bint own_judge[2]  # it is this player's own net
    Key key
    int64_t max_plies
    int64_t truncate  # plies to play before a game is cut and judged; 0 for none
    bint luck  # take it out of the results
    bint contest  # the first roll is no double
    bint stratified
    bint cube  # follow four games with the cube beside the one without
    Ladder ladders[2]  # as each player sees it
    Terms terms


cdef enum:
    TRACKS = 4
    NOBODY = 2


cdef struct Track:
    # A game with the cube: the same plays as without, until somebody passes.
    int height
    int owner  # a player, or NOBODY as long as the cube is in the middle
    bint over
    double worth  # to the first player; the luck that has been taken out included


cdef void _begin(const Contest* contest, Track* tracks) noexcept nogil:
    """The cube in the middle, the first player's, his opponent's, and his opponent's after a
    double; the first roll comes before the first double."""
    cdef int k
    for k in range(TRACKS):
        tracks[k].height = 0
        tracks[k].over = False
        tracks[k].worth = 0
    tracks[0].owner = NOBODY
    tracks[1].owner = 0
    tracks[2].owner = tracks[3].owner = 1
    if contest.ladders[0].mine[0]:
        tracks[3].height = 1
    else:
        tracks[3].over = True


cdef inline int _place(const Track* track, int player) noexcept nogil:
    """Where the cube is to a player."""
    if track.owner == NOBODY:
        return CENTRE
    return OWN if track.owner == player else OPPONENTS


cdef void _double(
    const Contest* contest, Track* tracks, int player, const float* outcomes
) noexcept nogil:
    """Let the player on roll, who has these outcomes, double in each game in which he should."""
    cdef const Ladder* ladder = &contest.ladders[player]
    cdef Knots knots
    cdef Doubling found
    cdef Track* track
    cdef int k
    cdef double passed
    read_knots(&knots, ladder, outcomes)
    for k in range(TRACKS):
        track = &tracks[k]
        if track.over or track.owner == 1 - player:
            continue
        found = decide(ladder, &knots, track.height, _place(track, player), &contest.terms)
        if not found.doubled:
            continue
        if found.taken:
            track.height = found.height
            track.owner = 1 - player
        else:
            passed = ended(ladder, track.height, OWN, 1)
            track.worth += -passed if player else passed
            track.over = True


cdef void _standing(
    const Contest* contest, const Track* tracks, int player, const int8_t* after,
    const float* values, double* worths
) noexcept nogil:
    """What an afterstate of a player's, with these outputs, is worth to the first player in each
    game."""
    cdef int points = board_result(after, contest.rules)
    cdef int opponent = 1 - player, k
    cdef float outcomes[8]
    cdef Knots knots
    cdef double found
    if points == UNDECIDED:
        turned_outputs(outcomes, values)
        read_knots(&knots, &contest.ladders[opponent], outcomes)
    for k in range(TRACKS):
        worths[k] = 0
        if tracks[k].over:
            continue
        if points == UNDECIDED:
            found = -decide(
                &contest.ladders[opponent], &knots, tracks[k].height, _place(&tracks[k], opponent),
                &contest.terms,
            ).worth
        else:
            found = ended(
                &contest.ladders[player], tracks[k].height, _place(&tracks[k], player), points
            )
        worths[k] = -found if player else found


cdef void _judged(
    const Contest* contest, int player, const int8_t* after, float* values
) noexcept nogil:
    """Replace the outputs that the player's own net has for an afterstate by the judge's."""
    cdef int points
    if contest.own_judge[player]:
        return
    points = board_result(after, contest.rules)
    if points != UNDECIDED:
        exact_outputs(values, points)
    else:
        outputs_of(values, &contest.judge, after, contest.rules)


cdef bint _turn(
    Desk* desk, const Contest* contest, int player, int die1, int die2, int64_t trial, int64_t ply,
    int8_t* after, float* values
) noexcept nogil:
    """Let a player choose an afterstate of the desk's base, with the outputs of its judge if they
    are asked for. False if its plays are too many to list."""
    cdef const Brain* brain = &contest.players[player]
    cdef int plays
    if brain.kind != RANDOM:
        choose(desk, brain, die1, die2, contest.rules, after, values, &plays)
    else:
        plays = list_afterstates(desk, max(die1, die2), min(die1, die2), contest.rules)
        if plays > 0:
            memcpy(
                after,
                desk.boards + pick(contest.key, trial, ply, plays) * BOARD_BYTES,
                BOARD_BYTES,
            )
        else:
            memcpy(after, desk.base.board, BOARD_BYTES)
    if plays < 0:
        return False
    if contest.luck or contest.cube or ply + 1 == contest.truncate:
        _judged(contest, player, after, values)
    return True


cdef bint _expect(
    Desk* desk, const Contest* contest, int player, int64_t ply, const Track* tracks, float* mean,
    double* mean_worths
) noexcept nogil:
    """Write the outputs that the player may expect of the desk's base before the dice: the mean
    over all rolls of those of the play that he would choose. With the cube, what they are worth in
    each game too. Not for a random player, who has no one play for a roll: the face refuses him."""
    cdef int8_t after[52]
    cdef float values[8]
    cdef double sums[6]
    cdef double worths[4]
    cdef bint contested = contest.contest and ply == 0
    cdef int die1, die2, k, weight
    cdef int rolls = 30 if contested else 36
    for k in range(OUTPUTS):
        sums[k] = 0
    for k in range(TRACKS):
        mean_worths[k] = 0
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            weight = 1 + (die1 != die2)
            if contested and die1 == die2:
                continue
            if not _turn(desk, contest, player, die1, die2, 0, 0, after, values):
                return False
            for k in range(OUTPUTS):
                sums[k] += weight * values[k]
            if contest.cube:
                _standing(contest, tracks, player, after, values, worths)
                for k in range(TRACKS):
                    mean_worths[k] += weight * worths[k] / rolls
    for k in range(OUTPUTS):
        mean[k] = <float>(sums[k] / rolls)
    return True


cdef int _trial(
    Desk* desk, const Contest* contest, const int8_t* start, int64_t trial,
    const unsigned char* stop, double* outcome, Track* tracks, int64_t* plies
) noexcept nogil:
    """Play a trial; write its six outputs as the first player has them, with what luck has given
    him taken away, and return how it ended: his points, or the reason why there are none."""
    cdef int8_t board[52]
    cdef int8_t after[52]
    cdef float values[8]
    cdef float expected[8]
    cdef double expected_worths[4]
    cdef double worths[4]
    cdef int player = 0, k, die1, die2, points
    cdef int64_t ply
    memcpy(board, start, BOARD_BYTES)
    for k in range(OUTPUTS):
        outcome[k] = 0
    if contest.cube:
        _begin(contest, tracks)
    for ply in range(contest.max_plies):
        if stop[0]:
            break
        set_base(desk, board, contest.rules)
        if contest.cube and ply:
            turned_outputs(values, values)
            _double(contest, tracks, player, values)
        roll_dice(
            contest.key, trial, ply, contest.contest, contest.stratified, &die1, &die2
        )
        if contest.luck and not _expect(
            desk, contest, player, ply, tracks, expected, expected_worths
        ):
            plies[0] = ply
            return UNFINISHED
        if not _turn(desk, contest, player, die1, die2, trial, ply, after, values):
            plies[0] = ply
            return UNFINISHED
        if contest.luck:
            _take_luck(player, expected, values, outcome)
        points = board_result(after, contest.rules)
        if contest.cube and (contest.luck or points != UNDECIDED or ply + 1 == contest.truncate):
            _standing(contest, tracks, player, after, values, worths)
            if contest.luck:
                for k in range(TRACKS):
                    tracks[k].worth += expected_worths[k] - worths[k]
        if points != UNDECIDED or ply + 1 == contest.truncate:
            if points != UNDECIDED:
                exact_outputs(values, points)
            if player:
                turned_outputs(values, values)
            for k in range(OUTPUTS):
                outcome[k] += values[k]
            if contest.cube:
                for k in range(TRACKS):
                    tracks[k].worth += worths[k]  # 0 if it is over
            plies[0] = ply + 1
            if points == UNDECIDED:
                return TRUNCATED
            return -points if player else points
        memcpy(board, after + 26, 26)
        memcpy(board + 26, after, 26)
        player ^= 1
    plies[0] = contest.max_plies
    return UNFINISHED


cdef void _take_luck(
    int player, const float* expected, const float* values, double* outcome
) noexcept nogil:
    """Take from the first player's outputs what a roll has given a player beyond what he could
    expect."""
    cdef float hoped[8]
    cdef float found[8]
    cdef int k
    for k in range(OUTPUTS):
        hoped[k] = expected[k]
        found[k] = values[k]
    if player:
        turned_outputs(hoped, hoped)
        turned_outputs(found, found)
    for k in range(OUTPUTS):
        outcome[k] += hoped[k] - found[k]


cdef Key _key(const uint64_t[::1] words) noexcept:
    cdef Key key
    key.k0 = words[0]
    key.k1 = words[1]
    return key


def play_trials(
    const int8_t[:, ::1] board not None, rules, tuple players not None, tuple judge,
    const uint64_t[::1] key not None, int64_t first_trial, int64_t trials, int64_t max_plies,
    int64_t truncate, bint luck, bint contest, bint stratified, tuple cube,
    const unsigned char[::1] stop not None
):
    """Play trials of a board that is not over; return float64[trials, 12]: the six outputs as plane
    0 has them, the plies, how it ended: its points, 100 if it was truncated, 200 if it is
    unfinished (its outputs mean nothing); and, with a cube, what the game is worth to plane 0 with
    the cube in the middle, his own, his opponent's, and his opponent's after a double (0 if there
    is none). `cube` is None, or a ladder as each side sees it, the first plane 0 (values, centre,
    mine, theirs, endless), the efficiency, whether one may beaver, and refuse a beaver. A player is (weights, kind, width, outputs), the one on
    roll first; `judge` is one too, or None for none. Once another thread sets `stop[0]`, it returns
    soon, and what it returns is to be thrown away."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Contest game
    cdef const float[::1] weights0 = players[0][0]
    cdef const float[::1] weights1 = players[1][0]
    cdef const float[::1] weights2 = weights0 if judge is None else judge[0]
    cdef Desk* desk
    cdef int64_t i, plies = 0
    cdef int how, k
    cdef Track tracks[4]
    game.rules = &compiled
    open_brain(&game.players[0], &weights0[0], players[0][1], players[0][2], players[0][3])
    open_brain(&game.players[1], &weights1[0], players[1][1], players[1][2], players[1][3])
    if judge is not None:
        open_brain(&game.judge, &weights2[0], judge[1], judge[2], judge[3])
    game.own_judge[0] = players[0] is judge
    game.own_judge[1] = players[1] is judge
    game.key = _key(key)
    game.max_plies = max_plies
    game.truncate = truncate
    game.luck = luck
    game.contest = contest
    game.stratified = stratified
    game.cube = cube is not None
    if game.cube:
        _read_ladder(&game.ladders[0], cube[0])
        _read_ladder(&game.ladders[1], cube[1])
        game.terms.efficiency = cube[2]
        game.terms.beavers = cube[3]
        game.terms.refusable = cube[4]
    result = np.zeros((trials, 12))
    cdef double[:, ::1] out = result
    desk = new_desk()
    try:
        with nogil:
            for i in range(trials):
                how = _trial(
                    desk, &game, &board[0, 0], first_trial + i, &stop[0], &out[i, 0], tracks,
                    &plies,
                )
                out[i, 6] = plies
                out[i, 7] = how
                if game.cube:
                    for k in range(TRACKS):
                        out[i, 8 + k] = tracks[k].worth
                if stop[0]:
                    break
    finally:
        free_desk(desk)
    return result


cdef int _read_ladder(Ladder* ladder, tuple parts) except -1:
    """Read a ladder (values float64[J, 7], centre float64[7], mine, theirs, endless)."""
    cdef const double[:, ::1] values = parts[0]
    cdef const double[::1] centre = parts[1]
    cdef int height, k
    ladder.heights = values.shape[0]
    if ladder.heights > MOST_HEIGHTS:
        raise ValueError(f"a ladder of {ladder.heights} heights: expected at most {MOST_HEIGHTS}")
    for height in range(ladder.heights):
        ladder.mine[height] = parts[2][height]
        ladder.theirs[height] = parts[3][height]
        for k in range(7):
            ladder.values[height][k] = values[height, k]
    for k in range(7):
        ladder.centre[k] = centre[k]
    ladder.endless = parts[4]
    return 0


def cube_worths(const float[:, ::1] outcomes not None, tuple ladder, double efficiency):
    """Return float64[N, 4]: what outcomes of the player on roll are worth at the lowest cube in
    the middle, his own, his opponent's, and after the best decision with the cube in the middle.
    For tests: it must be what cube.py has."""
    cdef Ladder read
    cdef Knots knots
    cdef Terms terms
    cdef Py_ssize_t i
    cdef int place
    _read_ladder(&read, ladder)
    terms.efficiency = efficiency
    terms.beavers = terms.refusable = False
    result = np.zeros((outcomes.shape[0], 4))
    cdef double[:, ::1] out = result
    for i in range(outcomes.shape[0]):
        read_knots(&knots, &read, &outcomes[i, 0])
        for place in range(3):
            out[i, place] = worth(&read, &knots, 0, place, efficiency)
        out[i, 3] = decide(&read, &knots, 0, CENTRE, &terms).worth
    return result


def trial_dice(
    const uint64_t[::1] key not None, int64_t first_trial, int64_t trials, int64_t first_ply,
    int64_t plies, bint contest, bint stratified
):
    """Return int8[trials, plies, 2]: the dice of these trials at these plies, as `play_trials` has
    them."""
    cdef Key words = _key(key)
    cdef int die1, die2
    cdef int64_t i, k
    result = np.empty((trials, plies, 2), np.int8)
    cdef int8_t[:, :, ::1] out = result
    with nogil:
        for i in range(trials):
            for k in range(plies):
                roll_dice(words, first_trial + i, first_ply + k, contest, stratified, &die1, &die2)
                out[i, k, 0] = die1
                out[i, k, 1] = die2
    return result


def trial_choices(
    const uint64_t[::1] key not None, const int64_t[::1] trials not None, int64_t ply,
    const int64_t[::1] counts not None
):
    """Return int64[N]: which of so many plays a random player makes in these trials at this ply."""
    cdef Key words = _key(key)
    cdef Py_ssize_t i
    result = np.zeros(trials.shape[0], np.int64)
    cdef int64_t[::1] out = result
    for i in range(trials.shape[0]):
        if counts[i] > 0:
            out[i] = pick(words, trials[i], ply, <int>counts[i])
    return result
