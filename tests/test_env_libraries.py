"""The environments of Gymnasium, PettingZoo and OpenSpiel: what the libraries' own checkers say,
and that the games are those of the engine. Each needs its library."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf

ACTIONS = ("afterstates", "moves")
POLICIES: list[Any] = ["random", "net"]


@pytest.fixture(scope="module")
def gymnasium() -> Any:
    return pytest.importorskip("gymnasium", reason="gymnasium is not installed")


@pytest.fixture(scope="module")
def pettingzoo() -> Any:
    return pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")


@pytest.fixture(scope="module")
def spiel() -> Any:
    return pytest.importorskip("pyspiel", reason="open_spiel is not installed")


# Gymnasium


@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("name", tf.RULES)
def test_gymnasium_checks(gymnasium: Any, name: str, actions: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(tf.envs.TavliEnv(rules=name, actions=actions))


@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("opponent", POLICIES)
def test_gymnasium_games(gymnasium: Any, actions: str, opponent: Any) -> None:
    env = tf.envs.TavliEnv(rules="plakoto", opponent=opponent, actions=actions, render_mode="ansi")
    env.action_space.seed(1)
    ended: list[float] = []
    again: list[Any] = []
    for seed in (1, 2, 3, 1):
        seen, info = env.reset(seed=seed)
        path = [seen.copy()]
        terminated = False
        while not terminated:
            assert info["action_mask"].any()
            if actions == "afterstates":
                board, left = seen[:52].reshape(2, 26), seen[52:].nonzero()[0] + 1
                dice = (int(left[0]), int(left[-1]))
                after = tf.afterstates(board, dice, "plakoto").boards
                np.testing.assert_array_equal(env.afterstates, after)
                assert info["action_mask"].sum() == max(1, len(after))
            action = int(info["action_mask"].nonzero()[0][-1])
            seen, reward, terminated, _, info = env.step(action)
            assert terminated or reward == 0
            path.append(seen.copy())
        over, points = tf.outcomes(seen[:52].reshape(2, 26), "plakoto")
        assert over[0]
        assert reward == points[0]
        assert not info["action_mask"].any()
        assert "dice: none" in str(env.render())
        ended.append(float(reward))
        again.append(path)
    assert ended[0] == ended[3]
    assert all(map(np.array_equal, again[0], again[3]))
    if opponent == "net":
        assert sum(ended) < 0


def test_gymnasium_illegal_actions(gymnasium: Any) -> None:
    env = tf.envs.TavliEnv(rules="backgammon", actions="moves")
    with pytest.raises(ValueError, match=r"expected reset\(\) first"):
        env.step(0)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-3, True, False, 0)
    strict = tf.envs.TavliEnv(rules="backgammon", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(ValueError, match="action=3000 is not legal: expected one of"):
        strict.step(3000)
    with pytest.raises(ValueError, match="action=3060: expected an integer 0 to 3059"):
        strict.step(3060)
    for options, message in (
        ({"actions": "turns"}, "actions='turns': expected 'afterstates' or 'moves'"),
        ({"illegal": "win"}, "illegal='win'"),
        ({"render_mode": "human"}, "render_mode='human'"),
        ({"opponent": "strong"}, "opponent='strong'"),
        ({"rules": "chess"}, "rules='chess'"),
        ({"max_plies": 0}, "max_plies=0"),
    ):
        with pytest.raises(ValueError, match=message):
            tf.envs.TavliEnv(**options)


@pytest.mark.parametrize("actions", ACTIONS)
def test_gymnasium_many_environments_of_one_game(gymnasium: Any, actions: str) -> None:
    many = gymnasium.vector.SyncVectorEnv([lambda: tf.envs.TavliEnv(actions=actions)] * 3)
    _, info = many.reset(seed=1)
    for _ in range(5):
        plays = info["action_mask"].argmax(axis=1)
        _, _, done, _, info = many.step(plays)
        assert not done.any()


def test_gymnasium_long_games_are_cut(gymnasium: Any) -> None:
    env = tf.envs.TavliEnv(max_plies=6)
    _, info = env.reset(seed=3)
    for _ in range(4):
        action = info["action_mask"].nonzero()[0][0]
        _, reward, terminated, truncated, info = env.step(action)
        if truncated:
            break
    assert truncated
    assert not terminated
    assert reward == 0


def test_gymnasium_makes_it(gymnasium: Any) -> None:
    name = "tavli_fast.envs.gymnasium_envs:tavli_fast/Tavli-v0"
    env = gymnasium.make(name, rules="fevga", actions="moves")
    env.reset(seed=1)
    assert env.unwrapped.rules == tf.FEVGA
    many = gymnasium.make_vec(name, 3, rules="fevga", vectorization_mode="vector_entry_point")
    assert many.reset(seed=1)[0].shape == (3, 58)


@pytest.mark.parametrize("opponent", POLICIES)
@pytest.mark.parametrize("name", ["portes", "hypergammon", "gul_bara"])
def test_gymnasium_vector_games(gymnasium: Any, name: str, opponent: Any) -> None:
    few = tf.RULES[name].cascade
    threads = [
        tf.envs.TavliVectorEnv(8 if few else 150, name, "random" if few else opponent, threads=n)
        for n in (1, 2)
    ]
    env = threads[0]
    assert env.observation_space.shape == (env.num_envs, 58)
    rng = np.random.default_rng(1)
    seen, info = env.reset(seed=5)
    threads[1].reset(seed=5)
    total = ended = 0.0
    for _ in range(60):
        assert env.observation_space.contains(seen)
        dice = env.games.dice
        for game in range(0, env.num_envs, 50):
            left = np.repeat(np.arange(1, 7), seen[game, 52:])
            expected = dice[game].tolist() * (1 + (dice[game, 0] == dice[game, 1]))
            if not few:
                assert left.tolist() == sorted(expected)
        counts = tf.count_plays(seen[:, :52].reshape(-1, 2, 26), dice, name)
        np.testing.assert_array_equal(info["counts"], counts)
        most = np.minimum(np.maximum(counts, 1), env.width)
        np.testing.assert_array_equal(info["action_mask"].sum(axis=1), most)
        actions = (rng.random(env.num_envs) * most).astype(int)
        seen, rewards, terminated, truncated, info = env.step(actions)
        other = threads[1].step(actions)
        assert (other[0] == seen).all()
        assert (other[1] == rewards).all()
        assert not truncated.any()
        assert (rewards[~terminated] == 0).all()
        if terminated.any():
            last = info["final_obs"][terminated][:, :52].reshape(-1, 2, 26)
            over, points = tf.outcomes(last, name)
            assert over.all()
            np.testing.assert_array_equal(rewards[terminated], points)
            assert (info["_final_obs"] == terminated).all()
        total += rewards.sum()
        ended += terminated.sum()
    assert ended or name != "hypergammon"
    if opponent == "net" and name == "hypergammon":
        assert total < 0
    with pytest.raises(ValueError, match=r"choices\[0\]=99999"):
        env.step(np.full(env.num_envs, 99_999))


def test_gymnasium_vector_options(gymnasium: Any) -> None:
    env = tf.envs.TavliVectorEnv(5, "portes", width=40, mask=False, max_plies=2)
    with pytest.raises(ValueError, match=r"expected reset\(\) first"):
        env.step([0] * 5)
    assert env.single_action_space.n == 40
    _, info = env.reset()
    assert "action_mask" not in info
    _, rewards, terminated, truncated, _ = env.step([0] * 5)
    assert truncated.any()
    assert not terminated.any()
    assert not rewards.any()
    assert (env.games.players == 0).all()
    with pytest.raises(ValueError, match="width=4000"):
        tf.envs.TavliVectorEnv(5, "portes", width=4000)


# PettingZoo


@pytest.mark.filterwarnings("ignore:Observation ")  # that of its own board games is a dict too
@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("name", tf.RULES)
def test_pettingzoo_checks(pettingzoo: Any, name: str, actions: str) -> None:
    from pettingzoo.test import api_test, seed_test

    api_test(tf.envs.aec(rules=name, actions=actions), num_cycles=60)
    seed_test(lambda: tf.envs.aec(rules=name, actions=actions), num_cycles=20)


@pytest.mark.parametrize("actions", ACTIONS)
def test_pettingzoo_games(pettingzoo: Any, actions: str) -> None:
    env = tf.envs.aec(rules="backgammon", actions=actions, render_mode="ansi")
    env.reset(seed=4)
    rng, total = np.random.default_rng(1), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        total[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        other = env.observe(next(each for each in env.possible_agents if each != agent))
        assert not other["action_mask"].any()
        assert (other["observation"][:26] == seen["observation"][26:52]).all()
        assert (info["action_mask"] == seen["action_mask"]).all()
        if actions == "afterstates":
            assert len(env.unwrapped.afterstates) in (seen["action_mask"].sum(), 0)
        env.step(int(rng.choice(seen["action_mask"].nonzero()[0])))
    assert "dice: none" in env.render()
    assert total["player_0"] == -total["player_1"]
    assert abs(total["player_0"]) in (1, 2, 3)
    env.reset(seed=4)
    agent = env.agent_selection
    env.step(0 if actions == "moves" else 3059)
    assert env.rewards[agent] == -3
    assert all(env.terminations.values())


def test_pettingzoo_arguments(pettingzoo: Any) -> None:
    env = tf.envs.aec(max_plies=3)
    env.reset(seed=1)
    while env.agents and not any(env.truncations.values()):
        env.step(int(env.last()[0]["action_mask"].nonzero()[0][0]))
    assert all(env.truncations.values())
    for options, message in (
        ({"rules": "chess"}, "rules='chess'"),
        ({"actions": "turns"}, "actions='turns'"),
        ({"render_mode": "human"}, "render_mode='human'"),
        ({"max_plies": 0}, "max_plies=0"),
    ):
        with pytest.raises(ValueError, match=message):
            tf.envs.aec(**options)


# OpenSpiel


@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("name", tf.RULES)
def test_openspiel_checks(spiel: Any, name: str, actions: str) -> None:
    from open_spiel.python.algorithms import generate_playthrough

    game = tf.envs.openspiel_game(rules=name, actions=actions, max_plies=30)
    spiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    text = f"tavli(actions={actions},max_plies=6,rules={name})"
    lines = generate_playthrough.playthrough(text, None, seed=1).splitlines()
    assert f'ToString() = "{text}"' in lines
    assert "ChanceOutcomes() = [(21,0.5), (22,0.5)]" in lines
    assert lines[-1] == "Returns() = [0, 0]"  # a draw after six plies


@pytest.mark.parametrize("actions", ACTIONS)
def test_openspiel_games(spiel: Any, actions: str) -> None:
    rng = np.random.default_rng(2)
    state = tf.envs.openspiel_game(rules="backgammon", actions=actions).new_initial_state()
    first = True
    while not state.is_terminal():
        assert state.observation_tensor(0)[58:].count(1.0) == 1
        assert state.information_state_string(1) == " ".join(map(str, state.history()))
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            assert sum(chances) == pytest.approx(1)
            if state.history() and first:
                assert len(outcomes) == 15  # the dice of the contest
                first = False
            assert state.legal_actions() == sorted(outcomes)
            state.apply_action(int(rng.choice(outcomes, p=np.array(chances))))
        else:
            copy, player = state.clone(), state.current_player()
            action = int(rng.choice(state.legal_actions()))
            mask = state.legal_actions_mask(player)
            assert sum(mask) == len(state.legal_actions())
            before = str(state)
            copy.apply_action(action)
            assert str(state) == before
            state.apply_action(action)
            assert str(copy) == str(state)
            assert copy.history() == state.history()
    board = np.array(state.observation_tensor(0)[:52], np.int8).reshape(2, 26)
    over, points = tf.outcomes(board, "backgammon")
    assert over[0]
    assert state.returns() == [points[0], -points[0]]


def test_openspiel_rules(spiel: Any) -> None:
    from dataclasses import replace

    house = replace(tf.PORTES, hit_and_run_home=False, gammon_points=3, backgammon_points=3)
    game = tf.envs.openspiel_game(rules=house)
    assert "house_" in str(game)
    assert game.max_utility() == 3
    assert str(tf.envs.openspiel_game(rules=house)) == str(game)
    assert str(spiel.load_game("tavli(rules=plakoto)")).endswith("rules=plakoto)")
    assert tf.envs.openspiel_game(rules="gul_bara").max_game_length() == 48_000
    for options, message in (
        ({"rules": "chess"}, "rules='chess'"),
        ({"actions": "turns"}, "actions='turns'"),
        ({"max_plies": 0}, "max_plies=0"),
    ):
        with pytest.raises(ValueError, match=message):
            tf.envs.openspiel_game(**options)


def test_missing_libraries() -> None:
    code = """
import sys
sys.modules |= {"gymnasium": None, "pettingzoo": None, "pyspiel": None}
import tavli_fast as tf
assert tf.envs.VectorGame(3).n == 3
for name in ("TavliEnv", "TavliVectorEnv", "aec", "openspiel_game"):
    try:
        getattr(tf.envs, name)
    except ImportError as error:
        print(error)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        "tf.envs.TavliEnv needs gymnasium: pip install 'tavli-fast[gymnasium]'",
        "tf.envs.TavliVectorEnv needs gymnasium: pip install 'tavli-fast[gymnasium]'",
        "tf.envs.aec needs gymnasium: pip install 'tavli-fast[pettingzoo]'",
        "tf.envs.openspiel_game needs pyspiel: pip install 'tavli-fast[openspiel]'",
    ]
