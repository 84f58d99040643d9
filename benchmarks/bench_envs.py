"""Environments: many games at once, with and without a net, and beside other libraries.

A step is a turn: the roll, all afterstates, the choice, the next position. The other libraries play
backgammon; each is optional and skipped if it is missing. pgx is made for accelerators, and plays
here on the processor.
"""

import random
from importlib.metadata import version

import numpy as np
import pytest
from rows import Bar

import tavli_fast as tf

# The libraries' warnings are their own affair.
pytestmark = pytest.mark.filterwarnings("default")

GAMES = 1_024
STEPS = 50
"""Turns of each game in a round."""
TURNS_A_GAME = 96.75
"""Of random games of backgammon (docs/statistics.md)."""
RULES = "backgammon"


def floor(steps, goal=None):
    """Return the bar of so many steps a second of one processor where X is 1.43 ns."""
    return Bar(steps * 1.43, goal and goal * 1.43, of="norm", at_least=True)


FLOORS = {
    "portes": floor(1.2e6, 2.5e6),
    "plakoto": floor(1e6),
    "fevga": None,
    "hypergammon": None,
}


def random_games(name, games=GAMES, seed=1):
    """Return what plays `STEPS` random turns of all games, which are in the middle of one."""
    env = tf.envs.VectorGame(games, rules=name, seed=seed)

    def call(turns=STEPS):
        for _ in range(turns):
            env.roll()
            env.afterstates()
            env.step(env.draw())

    call(200)
    return env, call


def loop(boards):
    """Play `STEPS` random turns by the functions for batches, without `VectorGame`."""
    rng, start, turns = np.random.default_rng(1), tf.start(), np.arange(len(boards))
    for _ in range(STEPS):
        dice = rng.integers(1, 7, (len(boards), 2)).astype(np.int8)
        after, offsets = tf.afterstates(boards, dice)
        counts = np.diff(offsets)
        choices = offsets[:-1] + (rng.random(len(boards)) * counts).astype(np.int64)
        can_move = counts > 0
        boards = boards.copy()
        boards[turns[can_move]] = after[choices[can_move]]
        over, _ = tf.outcomes(boards)
        boards = tf.flip(boards)
        boards[over] = start
    return boards


@pytest.mark.parametrize("name", FLOORS)
def test_random_actions(timed, note, name):
    env, call = random_games(name)
    before = env.episodes.sum()
    call(300)
    assert env.episodes.sum() - before > 300 * GAMES / 400
    boards = loop(np.repeat(tf.start()[None], GAMES, axis=0))

    def functions():
        loop(boards)

    beside = (functions,) if name == "portes" else ()
    what = f"{GAMES:,} games, random actions, {name}"
    times = timed(what, STEPS * GAMES, call, unit="step", bar=FLOORS[name], beside=beside)
    if times and beside:
        figure = times.beside[0] / (STEPS * GAMES) / times.seconds
        note("  against 20 lines with tf.afterstates", figure=figure, of="times as fast")


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_features(timed, dtype):
    env, _ = random_games(RULES)
    env.roll()
    out = np.empty((len(env.afterstates().boards), 228), dtype)
    np.testing.assert_array_equal(
        env.features(out) * (env.feature_scales if dtype == "uint8" else 1),
        tf.features(env.afterstates().boards, RULES),
    )
    timed(f"features of afterstates, {dtype}", len(out), lambda: env.features(out), unit="row")


@pytest.mark.parametrize("library", ["NumPy", "PyTorch"])
def test_with_a_net(timed, library):
    env, _ = random_games(RULES, 256)
    rng = np.random.default_rng(1)
    first = rng.normal(0, 0.1, (228, 128)).astype(np.float32)
    second = rng.normal(0, 0.1, 128).astype(np.float32)

    def values(inputs):
        return np.maximum(inputs @ first, 0) @ second

    if library == "PyTorch":
        torch = pytest.importorskip("torch", reason="torch is not installed")
        torch.set_num_threads(1)
        matrices = torch.from_numpy(first), torch.from_numpy(second)
        plain = values

        def values(inputs):
            with torch.inference_mode():
                return (torch.relu(torch.from_numpy(inputs) @ matrices[0]) @ matrices[1]).numpy()

        some = rng.normal(0, 1, (9, 228)).astype(np.float32)
        np.testing.assert_allclose(values(some), plain(some), rtol=1e-4, atol=1e-4)

    def call():
        for _ in range(10):
            env.roll()
            env.step(env.best(values(env.features())))

    timed(f"256 games, 128 hidden units in {library}", 10 * 256, call, unit="step")


def against(timed, note, what, turns, call, bar=None):
    """Time a library's turns against ours, in the same run."""
    _, ours = random_games(RULES)
    times = timed(what, turns, call, unit="step", beside=(ours,))
    if times:
        figure = times.seconds / (times.beside[0] / (STEPS * GAMES))
        of = "times as fast"
        level = Bar(bar, of=of, at_least=True) if bar else None
        note(f"  VectorGame against {what}", figure=figure, of=of, bar=level)


def test_sync_vector_env(timed, note):
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    rng = np.random.default_rng(1)
    many = gymnasium.vector.SyncVectorEnv([lambda: tf.envs.TavliEnv(RULES)] * 16)
    _, info = many.reset(seed=1)

    def call():
        nonlocal info
        for _ in range(20):
            plays = np.array([mask.sum() for mask in info["action_mask"]])
            _, _, done, _, info = many.step((rng.random(16) * np.maximum(plays, 1)).astype(int))
        return done

    call()
    # A step of theirs is two turns, the agent's and the opponent's.
    against(timed, note, "Gymnasium SyncVectorEnv of TavliEnv", 20 * 16 * 2, call)


def test_our_vector_env(timed, note):
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    rng = np.random.default_rng(1)
    many = tf.envs.TavliVectorEnv(GAMES, RULES, mask=False)
    _, info = many.reset(seed=1)

    def call():
        nonlocal info
        for _ in range(10):
            plays = np.maximum(info["counts"], 1)
            _, _, done, _, info = many.step((rng.random(GAMES) * plays).astype(int))
        return done

    call()
    against(timed, note, "Gymnasium TavliVectorEnv", 10 * GAMES * 2, call)


def test_open_spiel(timed, note):
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    dice, game = random.Random(1), pyspiel.load_game("backgammon(scoring_type=full_scoring)")

    def call():
        rolls = 0
        for _ in range(5):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(dice.choices(outcomes, chances)[0])
                    rolls += 1
                else:
                    state.apply_action(dice.choice(state.legal_actions()))
        return rolls

    assert 200 < call() < 800
    peer = f"OpenSpiel {version('open_spiel')}'s backgammon, in Python"
    against(timed, note, peer, 5 * TURNS_A_GAME, call, bar=100)


def test_our_open_spiel_game(timed, note):
    pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    dice, turns = random.Random(1), 60
    game = tf.envs.openspiel_game(rules=RULES, actions="afterstates", max_plies=turns)

    def call():
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(dice.choice(state.legal_actions()))
            else:
                state.apply_action(dice.choice(state.legal_actions()))

    call()
    against(timed, note, "our OpenSpiel game, in Python", turns, call)


@pytest.mark.slow
def test_pgx(timed, note):
    pytest.importorskip("jax", reason="jax, which pgx needs, is not installed")
    pgx = pytest.importorskip("pgx", reason="pgx is not installed")
    import jax
    import jax.numpy as jnp

    env = pgx.make("backgammon")

    @jax.jit
    def step(state, key):
        choice, dice = jax.random.split(key)
        odds = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(choice, odds, axis=-1)
        return jax.vmap(env.step)(state, action, jax.random.split(dice, GAMES))

    keys = jax.random.split(jax.random.PRNGKey(1), 72)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(keys[0], GAMES))
    for key in keys[8:]:  # to the middle of the games
        state = step(state, key)
    assert not state.terminated.any()

    def call():
        middle = state
        for key in keys[:8]:
            middle = step(middle, key)
        middle.terminated.block_until_ready()

    # Its steps are single moves, 211 a game (bench_peers.py counts them).
    turns = 8 * GAMES / 211 * TURNS_A_GAME
    against(timed, note, f"pgx {version('pgx')}, {GAMES:,} games", turns, call, bar=300)
