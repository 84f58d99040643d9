"""Other engines that pip installs, in the same run, on the same positions and rolls.

Each is optional (``pip install '.[peers]'``, or one by one) and skipped if it is missing. Before
anything is timed, an engine has to agree on a sample: the distinct positions after the legal plays,
all of them. Where its rules differ, the test says how, counts the differences and allows no others.

- gnubg-nn: the generator of GNU Backgammon, one call a position; results as text keys.
- bgsage: one call a position; results as lists; a dance is the board itself.
- OpenSpiel: no position can be set up, so its own random games give the positions. Doubles are two
  turns of two dice each, and its legal actions are moves, of which several may lead to the same
  position. Its random games in C++ are those of its MCTS bot's evaluator.
- pgx: single moves, of all games of a batch at once (JAX). A game is about 211 of them.
"""

import random
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
import pytest
from rows import to_gnubg

import tavli_fast as tf

# A peer's warnings are its own affair.
pytestmark = pytest.mark.filterwarnings("default")

RULES = "backgammon"
SAMPLE = 1_000
"""Positions on which an engine has to agree."""
DOUBLES = 300
"""And so many doubles of an engine that makes two turns of them."""
GAMES = 2_000


def results(board, roll):
    """Return the set of positions after the legal plays, the board itself if there is none."""
    after = tf.afterstates(board, roll, RULES).boards
    return set(map(bytes, after)) or {bytes(board)}


def pairs(dice):
    return [(int(die1), int(die2)) for die1, die2 in dice]


def our_games():
    tf.rollout(tf.start(RULES), "random", rules=RULES, trials=GAMES, seed=1, threads=1)


def list_against(timed, note, peer, what, theirs, boards, dice, how=""):
    """Time a peer's listing of plays against ours: the batch, and one board a call."""
    rolls = pairs(dice)

    def one_by_one():
        for board, roll in zip(boards, rolls, strict=True):
            tf.afterstates(board, roll, RULES)

    def batch():
        tf.afterstates(boards, dice, RULES)

    name = peer.partition(" ")[0]
    about = {"peer": peer, "task": "plays", "how": how}
    times = timed(f"{peer}: {what}", len(boards), theirs, beside=(batch, one_by_one), about=about)
    if times:
        whole = times.seconds * len(boards)
        ours, single = times.beside
        note(
            f"  afterstates of a batch against {name}",
            figure=whole / ours,
            of="times as fast",
            about=about | {"ours_ns": ours / len(boards) * 1e9},
        )
        alone = f"  afterstates of one board against {name}"
        note(alone, "one board", figure=whole / single, of="times as fast")


def play_against(timed, note, peer, what, theirs, games):
    """Time a peer's random games against ours, both from the start."""
    about = {"peer": peer, "task": "games", "how": what}
    times = timed(
        f"{peer}: random games, {what}",
        games,
        theirs,
        unit="game",
        beside=(our_games,),
        about=about,
    )
    if times:
        ours = times.beside[0] / GAMES
        note(
            f"  random games against {peer.partition(' ')[0]}, {what}",
            figure=times.seconds / ours,
            of="times as fast",
            about=about | {"ours_ns": ours * 1e9},
        )


# gnubg-nn


def from_gnubg(planes):
    board = np.zeros((2, 26), np.int8)
    board[::-1, 1:] = planes
    board[:, 0] = 15 - board.sum(axis=1)
    return board


def test_gnubg_nn_plays(timed, note, gnubg, boards, dice):
    turns = [(to_gnubg(board), *roll) for board, roll in zip(boards, pairs(dice), strict=True)]
    for turn, board, roll in zip(turns[:SAMPLE], boards, dice, strict=False):
        keys = gnubg.moves(*turn)
        theirs = {bytes(from_gnubg(gnubg.board_from_position_key(key))) for key in keys}
        assert len(theirs) == len(keys)
        assert (theirs or {bytes(board)}) == results(board, roll)

    def call():
        for turn in turns:
            gnubg.moves(*turn)

    peer = f"gnubg-nn {version('gnubg-nn')}"
    list_against(timed, note, peer, "moves()", call, boards, dice)


def test_gnubg_nn_games(timed, note, gnubg):
    dice, start = random.Random(1), to_gnubg(tf.start(RULES))
    games, plies = 20, 0

    def call():
        nonlocal plies
        for _ in range(games):
            board = start
            while any(board[0]):
                keys = gnubg.moves(board, dice.randint(1, 6), dice.randint(1, 6))
                if keys:
                    board = gnubg.board_from_position_key(dice.choice(keys))
                board = board[::-1]
                plies += 1

    call()
    assert 60 < plies / games < 140  # 95.9 on average, and the deviation of 20 games' mean is 9
    peer = f"gnubg-nn {version('gnubg-nn')}"
    play_against(timed, note, peer, "in Python", call, games)


# bgsage


@pytest.fixture
def sage():
    return pytest.importorskip("bgsage", reason="bgsage is not installed")


def to_sage(board):
    """Return a board as bgsage has it: one list, the opponent's checkers negative."""
    both = board[0].astype(int) - board[1, ::-1]
    both[0], both[25] = board[1, 25], board[0, 25]
    return both.tolist()


def from_sage(both):
    both = np.array(both)
    board = np.zeros((2, 26), np.int8)
    board[0, 1:25] = np.maximum(both, 0)[1:25]
    board[1, 1:25] = np.maximum(-both, 0)[24:0:-1]
    board[:, 25] = both[25], both[0]
    board[:, 0] = 15 - board.sum(axis=1)
    return board


def test_bgsage_plays(timed, note, sage, boards, dice):
    turns = [(to_sage(board), *roll) for board, roll in zip(boards, pairs(dice), strict=True)]
    for turn, board, roll in zip(turns[:SAMPLE], boards, dice, strict=False):
        assert bytes(from_sage(turn[0])) == bytes(board)
        found = sage.possible_moves(*turn)
        theirs = {bytes(from_sage(after)) for after in found}
        assert len(theirs) == len(found)
        assert theirs == results(board, roll)

    def call():
        for turn in turns:
            sage.possible_moves(*turn)

    peer = f"bgsage {version('bgsage')}"
    list_against(timed, note, peer, "possible_moves()", call, boards, dice)


def test_bgsage_games(timed, note, sage):
    dice, start = random.Random(1), to_sage(tf.start(RULES))
    games, plies = 10, 0

    def call():
        nonlocal plies
        for _ in range(games):
            board = start
            while not sage.check_game_over(board):
                after = sage.possible_moves(board, dice.randint(1, 6), dice.randint(1, 6))
                board = sage.flip_board(dice.choice(after))
                plies += 1

    call()
    assert 60 < plies / games < 140
    peer = f"bgsage {version('bgsage')}"
    play_against(timed, note, peer, "in Python", call, games)


# OpenSpiel


@pytest.fixture
def spiel():
    return pytest.importorskip("pyspiel", reason="open_spiel is not installed")


BAR = 100
"""OpenSpiel's number for the bar."""


@cache
def spiel_game():
    import pyspiel

    return pyspiel.load_game("backgammon(scoring_type=full_scoring)")


def chance(state, dice):
    """Make a random roll; return its two dice."""
    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
    (roll,) = dice.choices(outcomes, chances)
    text = state.action_to_string(state.current_player(), roll)  # "… (roll: 31)"
    state.apply_action(roll)
    return int(text[-3]), int(text[-2])


def from_spiel(state, player):
    """Return the board of a state, seen by a player: X walks up its points, O down."""
    board = np.zeros((2, 26), np.int8)
    for plane, side in enumerate((player, 1 - player)):
        for place in range(24):
            board[plane, place + 1 if side else 24 - place] = state.board(side, place)
        board[plane, 25] = state.board(side, BAR)
    board[:, 0] = 15 - board.sum(axis=1)
    return board


def spiel_turns(number):
    """Return (state, player, board, roll) of OpenSpiel's own random games, one in eight turns."""
    dice = random.Random(1)
    turns: list[Any] = []
    while len(turns) < number:
        state = spiel_game().new_initial_state()
        chance(state, dice)
        while not state.is_terminal():
            if state.is_chance_node():
                roll = chance(state, dice)
                if dice.random() < 1 / 8:
                    player = state.current_player()
                    turns.append((state.clone(), player, from_spiel(state, player), roll))
            else:
                state.apply_action(dice.choice(state.legal_actions()))
    return turns[:number]


def spiel_results(state, player):
    """Return the set of positions after the legal plays, with both turns of doubles."""
    after = set()
    for action in state.legal_actions():
        child = state.child(action)
        if not child.is_terminal() and child.current_player() == player:
            after |= spiel_results(child, player)
        else:
            after.add(bytes(from_spiel(child, player)))
    return after


def test_open_spiel_plays(timed, note, spiel):
    turns = spiel_turns(10_000)
    mixed = [turn for turn in turns if turn[3][0] != turn[3][1]]
    doubles = [turn for turn in turns if turn[3][0] == turn[3][1]]
    differ = 0
    for state, player, board, roll in mixed[:SAMPLE] + doubles[:DOUBLES]:
        theirs, mine = spiel_results(state, player), results(board, roll)
        if roll[0] != roll[1]:
            assert theirs == mine
        elif theirs != mine:
            # Of doubles it demands as many moves as possible in each half, not in the whole.
            assert theirs > mine
            differ += 1
    peer = f"OpenSpiel {version('open_spiel')}"
    note(
        f"{peer}: plays that differ from ours",
        "other plays",
        figure=differ,
        of=f"of {DOUBLES} doubles",
    )

    states = [state for state, *_ in mixed]
    boards = np.array([board for _, _, board, _ in mixed])
    dice = np.array([roll for *_, roll in mixed], np.int8)

    def call():
        for state in states:
            state.legal_actions()

    list_against(
        timed, note, peer, "legal_actions(), mixed rolls", call, boards, dice, "mixed rolls"
    )


def test_open_spiel_games_in_python(timed, note, spiel):
    dice, game = random.Random(1), spiel_game()
    games, rolls = 10, 0

    def call():
        nonlocal rolls
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(dice.choices(outcomes, chances)[0])
                    rolls += 1
                else:
                    state.apply_action(dice.choice(state.legal_actions()))

    call()
    assert 60 < rolls / games < 140
    peer = f"OpenSpiel {version('open_spiel')}"
    play_against(timed, note, peer, "in Python", call, games)


def test_open_spiel_games_in_cpp(timed, note, spiel):
    state = spiel_game().new_initial_state()
    state.apply_action(0)  # X starts with 1-2
    games = 50

    def call():
        # A search of one simulation evaluates the state it is given, with so many random games.
        evaluator = spiel.RandomRolloutEvaluator(games, 1)
        bot = spiel.MCTSBot(spiel_game(), evaluator, 2.0, 1, 10, False, 1, False)
        return bot.mcts_search(state)

    node = call()
    assert node.explore_count == 1
    assert abs(node.total_reward) < 3
    peer = f"OpenSpiel {version('open_spiel')}"
    play_against(timed, note, peer, "in C++", call, games)


# pgx

BATCH = 1_024
STEPS = 8
"""Moves of each game of the batch in a round."""


@pytest.fixture
def pgx():
    pytest.importorskip("jax", reason="jax, which pgx needs, is not installed")
    return pytest.importorskip("pgx", reason="pgx is not installed")


def to_pgx(board):
    """Return a board as pgx has it, mine positive: the points upwards, the bars, those off."""
    points = board[0, 24:0:-1].astype(int) - board[1, 1:25]
    rest = (board[0, 25], -board[1, 25], board[0, 0], -board[1, 0])
    return *points.tolist(), *map(int, rest)


def from_pgx(theirs):
    theirs = np.array(theirs)
    board = np.zeros((2, 26), np.int8)
    board[0, 24:0:-1] = np.maximum(theirs[:24], 0)
    board[1, 1:25] = np.maximum(-theirs[:24], 0)
    board[:, 25] = theirs[24], -theirs[25]
    board[:, 0] = theirs[26], -theirs[27]
    return board


def in_batches(function):
    """Return a compiled function of single items as one of lists of any length."""
    import jax

    compiled = jax.jit(jax.vmap(function))

    def call(*columns):
        parts = []
        for first in range(0, len(columns[0]), BATCH):
            part = [np.array(column[first : first + BATCH], np.int32) for column in columns]
            room = BATCH - len(part[0])
            found = compiled(*(np.concatenate([x, np.repeat(x[-1:], room, 0)]) for x in part))
            parts.append(jax.tree.map(lambda x, n=BATCH - room: np.asarray(x)[:n], found))
        return jax.tree.map(lambda *found: np.concatenate(found), *parts)

    return call


def pgx_results(boards, rolls):
    """Return for each board the set of positions after its plays, found by pgx's single moves."""
    from pgx.backgammon import _legal_action_mask, _move, _update_playable_dice

    masks = in_batches(_legal_action_mask)
    moves = in_batches(
        lambda board, left, played, roll, action: (
            _move(board, action),
            _update_playable_dice(left, played, roll, action),
        )
    )
    found: list[set[bytes]] = [set() for _ in boards]
    # The turns under way: which board's, the board now, the dice left, how many are played.
    way = set()
    for i, (board, (die1, die2)) in enumerate(zip(boards, rolls, strict=True)):
        left = (die1 - 1,) * 4 if die1 == die2 else (die1 - 1, die2 - 1, -1, -1)
        way.add((i, to_pgx(board), left, 0))
    while way:
        turns = list(way)
        steps = []
        for turn, mask in zip(
            turns, masks([turn[1] for turn in turns], [turn[2] for turn in turns]), strict=True
        ):
            if mask[:6].any():  # no move is possible, which ends the turn
                found[turn[0]].add(bytes(from_pgx(turn[1])))
            else:
                steps += [(turn, action) for action in np.flatnonzero(mask)]
        way = set()
        if steps:
            whose, now, left, played = zip(*(turn for turn, _ in steps), strict=True)
            roll = [(rolls[i][0] - 1, rolls[i][1] - 1) for i in whose]
            after, left = moves(now, left, played, roll, [action for _, action in steps])
            way = set(
                zip(
                    whose,
                    map(tuple, after.tolist()),
                    map(tuple, left.tolist()),
                    (n + 1 for n in played),
                    strict=True,
                )
            )
    return found


@pytest.mark.slow
def test_pgx_plays(note, pgx, boards, dice):
    boards, rolls = boards[:SAMPLE], pairs(dice[:SAMPLE])
    differ = 0
    for board, roll, theirs in zip(boards, rolls, pgx_results(boards, rolls), strict=True):
        mine = results(board, roll)
        # It lets any die be played that can be: no duty to play both, nor the higher one.
        assert theirs >= mine
        differ += theirs != mine
    peer = f"pgx {version('pgx')}"
    note(
        f"{peer}: plays that differ from ours",
        "other plays",
        figure=differ,
        of=f"of {SAMPLE:,} rolls",
    )


@pytest.mark.slow
def test_pgx_games(timed, note, pgx):
    import jax
    import jax.numpy as jnp

    env = pgx.make("backgammon")

    @jax.jit
    def step(state, key):
        choice, dice = jax.random.split(key)
        odds = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(choice, odds, axis=-1)
        return jax.vmap(env.step)(state, action, jax.random.split(dice, BATCH))

    keys = jax.random.split(jax.random.PRNGKey(1), 2_000)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(keys[0], BATCH))
    moves, middle = 0, None
    for number, key in enumerate(keys):
        if number == 64:
            middle = state
        moves += int((~state.terminated).sum())
        state = step(state, key)
        if state.terminated.all():
            break
    assert state.terminated.all()

    def call():
        # All games are under way here, so that the batch is full, as with new games for old ones.
        state: Any = middle
        for key in keys[:STEPS]:
            state = step(state, key)
        state.terminated.block_until_ready()

    # So much of a game is what a round plays.
    games = STEPS * BATCH / (moves / BATCH)
    peer = f"pgx {version('pgx')}"
    play_against(timed, note, peer, f"{BATCH:,} at once", call, games)
