"""Games between nets (or random players): played to the end or truncated, with or without variance
reduction, and with the doubling cube."""

import numpy as np

from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from tavli_fast._core.board.result cimport UNDECIDED, board_result
from tavli_fast._core.constants cimport (
    CUBE_PLACES, OUTPUTS, RANDOM, TRIAL_COLUMNS, TRIAL_PLIES, TRIAL_POINTS,
    TRIAL_VALUES, TRUNCATED, UNFINISHED,
)
from tavli_fast._core.cube.janowski cimport (
    CENTRE, OPPONENTS, OWN, CubeLevels, CubePolicyParams, Doubling, TakeCash, decide, ended,
    read_levels, read_take_cash,
)
from tavli_fast._core.generate.play cimport BOARD_BYTES
from tavli_fast._core.net.net cimport Net, evaluate_boards, free_net, open_net, tabled
from tavli_fast._core.net.outcomes cimport ROLLS, exact_outcomes, roll_of, turned_outcomes
from tavli_fast._core.net.select cimport (
    Workspace, free_workspace, list_afterstates, new_workspace, select_afterstate, set_next_root,
    set_root,
)
from tavli_fast._core.random.philox cimport Key, pick, roll_dice
from tavli_fast._core.ruleset cimport RuleSet, rule_set


cdef struct Games:
    # Who plays whom, and how; the same for all trials.
    const RuleSet* rules
    Net players[2]
    Net judge  # of positions where games are truncated, and of luck
    bint own_judge[2]  # it is this player's own net
    Key key
    int64_t max_plies
    int64_t truncate  # plies to play before a game is truncated and judged; 0 for none
    bint variance_reduction
    bint opening_roll  # the first roll is no double
    bint stratified
    bint tables  # a game ends where the players' tables have its value
    bint cube  # follow four games with the cube beside the one without
    CubeLevels levels[2]  # as each player sees them
    CubePolicyParams params


cdef enum:
    NOBODY = 2


cdef struct Track:
    # A game with the cube: the same plays as without, until somebody passes.
    int level
    int owner  # a player, or NOBODY as long as the cube is in the middle
    bint over
    double value  # to the first player; the luck that has been taken out included


cdef void _begin(const Games* games, Track* tracks) noexcept nogil:
    """The cube in the middle, the first player's, his opponent's, and his opponent's after a
    double; the first roll comes before the first double."""
    cdef int k
    for k in range(CUBE_PLACES):
        tracks[k].level = 0
        tracks[k].over = False
        tracks[k].value = 0
    tracks[0].owner = NOBODY
    tracks[1].owner = 0
    tracks[2].owner = tracks[3].owner = 1
    if games.levels[0].mine[0]:
        tracks[3].level = 1
    else:
        tracks[3].over = True


cdef inline int _place(const Track* track, int player) noexcept nogil:
    """Where the cube is to a player."""
    if track.owner == NOBODY:
        return CENTRE
    return OWN if track.owner == player else OPPONENTS


cdef void _double(
    const Games* games, Track* tracks, int player, const float* outcomes
) noexcept nogil:
    """Let the player on roll, who has these outcomes, double in each game in which he should."""
    cdef const CubeLevels* levels = &games.levels[player]
    cdef TakeCash take_cash
    cdef Doubling found
    cdef Track* track
    cdef int k
    cdef double passed
    read_take_cash(&take_cash, levels, outcomes)
    for k in range(CUBE_PLACES):
        track = &tracks[k]
        if track.over or track.owner == 1 - player:
            continue
        found = decide(levels, &take_cash, track.level, _place(track, player), &games.params)
        if not found.doubled:
            continue
        if found.taken:
            track.level = found.level
            track.owner = 1 - player
        else:
            passed = ended(levels, track.level, OWN, 1)
            track.value += -passed if player else passed
            track.over = True


cdef void _standing(
    const Games* games, const Track* tracks, int player, const int8_t* after,
    const float* values, double* values_with_cube
) noexcept nogil:
    """What an afterstate of a player's, with these outputs, is worth to the first player in each
    game."""
    cdef int points = board_result(after, games.rules)
    cdef int opponent = 1 - player, k
    cdef float outcomes[OUTPUTS]
    cdef TakeCash take_cash
    cdef double found
    if points == UNDECIDED:
        turned_outcomes(outcomes, values)
        read_take_cash(&take_cash, &games.levels[opponent], outcomes)
    for k in range(CUBE_PLACES):
        values_with_cube[k] = 0
        if tracks[k].over:
            continue
        if points == UNDECIDED:
            found = -decide(
                &games.levels[opponent], &take_cash, tracks[k].level, _place(&tracks[k], opponent),
                &games.params,
            ).value
        else:
            found = ended(
                &games.levels[player], tracks[k].level, _place(&tracks[k], player), points
            )
        values_with_cube[k] = -found if player else found


cdef void _judged(
    Games* games, int player, const int8_t* after, float* values
) noexcept nogil:
    """Replace the outputs that the player's own net has for an afterstate by the judge's."""
    cdef int points
    if games.own_judge[player]:
        return
    points = board_result(after, games.rules)
    if points != UNDECIDED:
        exact_outcomes(values, points)
    else:
        evaluate_boards(values, &games.judge, games.rules, &after, 1)


cdef bint _turn(
    Workspace* space, Games* games, int player, int die1, int die2, int64_t trial,
    int64_t ply, int8_t* after, float* values
) noexcept nogil:
    """Let a player choose an afterstate of the root, with the outputs of its judge if they are asked
    for. False if its plays are too many to list."""
    cdef Net* net = &games.players[player]
    cdef int plays
    if net.kind != RANDOM:
        select_afterstate(space, net, die1, die2, after, values, &plays)
    else:
        plays = list_afterstates(space, max(die1, die2), min(die1, die2))
        if plays > 0:
            memcpy(
                after, space.boards + pick(games.key, trial, ply, plays) * BOARD_BYTES, BOARD_BYTES
            )
        else:
            memcpy(after, space.acc.root.board, BOARD_BYTES)
    if plays < 0:
        return False
    if games.variance_reduction or games.cube or ply + 1 == games.truncate:
        _judged(games, player, after, values)
    return True


cdef bint _turn_with_mean(
    Workspace* space, Games* games, int player, int die1, int die2, int64_t ply,
    const Track* tracks, int8_t* after, float* values, float* mean, double* mean_with_cube
) noexcept nogil:
    """Do what `_turn` does, and write what the player may expect of the root before the dice: the
    mean over all rolls of the outputs of the play that he would choose. With the cube, what they are
    worth in each game too. Not for a random player, who has no one play for a roll: the Python layer
    refuses him."""
    cdef int8_t other_after[52]
    cdef float other_values[OUTPUTS]
    cdef double sums[OUTPUTS]
    cdef double values_with_cube[CUBE_PLACES]
    cdef bint opening = games.opening_roll and ply == 0
    cdef int high, low, k, roll, weight
    cdef int rolls = 30 if opening else 36
    for k in range(OUTPUTS):
        sums[k] = 0
    for k in range(CUBE_PLACES):
        mean_with_cube[k] = 0
    for roll in range(ROLLS):
        weight = roll_of(roll, &high, &low)
        if opening and high == low:
            continue
        if not _turn(space, games, player, high, low, 0, 0, other_after, other_values):
            return False
        for k in range(OUTPUTS):
            sums[k] += weight * other_values[k]
        if games.cube:
            _standing(games, tracks, player, other_after, other_values, values_with_cube)
            for k in range(CUBE_PLACES):
                mean_with_cube[k] += weight * values_with_cube[k] / rolls
        if high == max(die1, die2) and low == min(die1, die2):
            memcpy(after, other_after, BOARD_BYTES)
            memcpy(values, other_values, sizeof(other_values))
    for k in range(OUTPUTS):
        mean[k] = <float>(sums[k] / rolls)
    return True


cdef int _trial(
    Workspace* space, Games* games, const int8_t* start, int64_t trial,
    const unsigned char* stop, double* outcome, Track* tracks, int64_t* plies
) noexcept nogil:
    """Play a trial; write its six outputs as the first player has them, with what luck has given
    him taken away, and return how it ended: his points, or the reason why there are none."""
    cdef int8_t board[52]
    cdef int8_t after[52]
    cdef float values[OUTPUTS]
    cdef float expected[OUTPUTS]
    cdef double expected_with_cube[CUBE_PLACES]
    cdef double values_with_cube[CUBE_PLACES]
    cdef bint listed, cut
    cdef int player = 0, k, die1, die2, points
    cdef int64_t ply
    memcpy(board, start, BOARD_BYTES)
    for k in range(OUTPUTS):
        outcome[k] = 0
    if games.cube:
        _begin(games, tracks)
    for ply in range(games.max_plies):
        if stop[0]:
            break
        if ply == 0:
            set_root(space, &games.players[player], board)
        else:
            set_next_root(space, &games.players[player], board)
        if games.cube and ply:
            turned_outcomes(values, values)
            _double(games, tracks, player, values)
        roll_dice(games.key, trial, ply, games.opening_roll, games.stratified, &die1, &die2)
        if games.variance_reduction:
            listed = _turn_with_mean(
                space, games, player, die1, die2, ply, tracks, after, values, expected,
                expected_with_cube,
            )
        else:
            listed = _turn(space, games, player, die1, die2, trial, ply, after, values)
        if not listed:
            plies[0] = ply
            return UNFINISHED
        if games.variance_reduction:
            _take_luck(player, expected, values, outcome)
        points = board_result(after, games.rules)
        cut = ply + 1 == games.truncate
        if games.tables and points == UNDECIDED:
            cut = tabled(values, &games.players[player], games.rules, after) or cut
        if games.cube and (games.variance_reduction or points != UNDECIDED or cut):
            _standing(games, tracks, player, after, values, values_with_cube)
            if games.variance_reduction:
                for k in range(CUBE_PLACES):
                    tracks[k].value += expected_with_cube[k] - values_with_cube[k]
        if points != UNDECIDED or cut:
            if points != UNDECIDED:
                exact_outcomes(values, points)
            if player:
                turned_outcomes(values, values)
            for k in range(OUTPUTS):
                outcome[k] += values[k]
            if games.cube:
                for k in range(CUBE_PLACES):
                    tracks[k].value += values_with_cube[k]  # 0 if it is over
            plies[0] = ply + 1
            if points == UNDECIDED:
                return TRUNCATED
            return -points if player else points
        memcpy(board, after + 26, 26)
        memcpy(board + 26, after, 26)
        player ^= 1
    plies[0] = games.max_plies
    return UNFINISHED


cdef void _take_luck(
    int player, const float* expected, const float* values, double* outcome
) noexcept nogil:
    """Take from the first player's outputs what a roll has given a player beyond what he could
    expect."""
    cdef float hoped[OUTPUTS]
    cdef float found[OUTPUTS]
    cdef int k
    for k in range(OUTPUTS):
        hoped[k] = expected[k]
        found[k] = values[k]
    if player:
        turned_outcomes(hoped, hoped)
        turned_outcomes(found, found)
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
    int64_t truncate, bint variance_reduction, bint opening_roll, bint stratified, tuple cube,
    const unsigned char[::1] stop not None, bint tables=False
):
    """Play trials of a board that is not over; return float64[trials, TRIAL_COLUMNS].

    Columns: the six outcomes as plane 0 has them; at TRIAL_PLIES the plies; at TRIAL_POINTS how it
    ended: plane 0's points, TRUNCATED, or UNFINISHED (then its outcomes mean nothing); from
    TRIAL_VALUES on, with a cube, what the game is worth to plane 0 with the cube in the middle, his
    own, his opponent's, and his opponent's after a double (0 if there is none).

    `cube` is None, or the cube's levels as each side sees them, plane 0 first (values, centre, mine,
    theirs, endless), the efficiency, whether one may beaver, and refuse a beaver. A player is
    (weights, kind, width, outputs), the one on roll first; `judge` is one too, or None for none. Once
    another thread sets `stop[0]`, it returns soon, and what it returns is to be thrown away. With
    `tables`, which both players must have, a game ends TRUNCATED where their tables have its value."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Games games
    cdef const float[::1] weights0 = players[0][0]
    cdef const float[::1] weights1 = players[1][0]
    cdef const float[::1] weights2 = weights0 if judge is None else judge[0]
    cdef Workspace* space = NULL
    cdef int64_t i, plies = 0
    cdef int how, k
    cdef Track tracks[CUBE_PLACES]
    memset(&games, 0, sizeof(games))
    games.rules = &compiled
    games.own_judge[0] = players[0] is judge
    games.own_judge[1] = players[1] is judge
    games.key = _key(key)
    games.max_plies = max_plies
    games.truncate = truncate
    games.variance_reduction = variance_reduction
    games.opening_roll = opening_roll
    games.stratified = stratified
    games.tables = tables
    games.cube = cube is not None
    if games.cube:
        read_levels(&games.levels[0], cube[0])
        read_levels(&games.levels[1], cube[1])
        games.params.efficiency = cube[2]
        games.params.beavers = cube[3]
        games.params.refusable = cube[4]
    result = np.zeros((trials, TRIAL_COLUMNS))
    cdef double[:, ::1] out = result
    try:
        _open_player(&games.players[0], weights0, players[0], &compiled)
        _open_player(&games.players[1], weights1, players[1], &compiled)
        if judge is not None:
            _open_player(&games.judge, weights2, judge, &compiled)
        space = new_workspace(&compiled, 0)
        with nogil:
            for i in range(trials):
                how = _trial(
                    space, &games, &board[0, 0], first_trial + i, &stop[0], &out[i, 0], tracks,
                    &plies,
                )
                out[i, TRIAL_PLIES] = plies
                out[i, TRIAL_POINTS] = how
                if games.cube:
                    for k in range(CUBE_PLACES):
                        out[i, TRIAL_VALUES + k] = tracks[k].value
                if stop[0]:
                    break
    finally:
        free_net(&games.players[0])
        free_net(&games.players[1])
        free_net(&games.judge)
        free_workspace(space)
    return result


cdef int _open_player(
    Net* net, const float[::1] weights, tuple player, const RuleSet* rules
) except -1:
    """Open the net of a player (weights, kind, width, outputs)."""
    return open_net(net, &weights[0], player[1], player[2], player[3], rules)


def trial_dice(
    const uint64_t[::1] key not None, int64_t first_trial, int64_t trials, int64_t first_ply,
    int64_t plies, bint opening_roll, bint stratified
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
                roll_dice(
                    words, first_trial + i, first_ply + k, opening_roll, stratified, &die1, &die2
                )
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
