"""Training: steps against plain gradient descent, real learning, the same bits, and the files."""

import csv
import dataclasses
import os
import shlex
import signal
import subprocess
import sys

import numpy as np
import pytest
from cli_calls import document, runner, shown

import tavli_fast as tf
from tavli_fast._core import train as core
from tavli_fast.cli import program
from tavli_fast.nets.net import unpacked
from tavli_fast.training.trainer import Trainer, train

# --- steps ----------------------------------------------------------------------------------------


def learnt(net, rules, board, plies, rate=0.25):
    """Return a net after a game of so many plies, the first roll no double."""
    for first_word in range(1, 100):
        block = net.packed.copy()
        stop, words = np.zeros(1, np.uint8), np.array([first_word, 2, 3, 4], np.uint64)
        played = core.learn_games(
            block, board, rules, True, net.kind, 32, net.outputs, rate, words, 1, stop
        )
        if played == (1, 1, plies):
            more = net.scalars, net.experts
            return unpacked(block, rules, 32, net.outputs, net.activation, *more)
    raise AssertionError(f"no game of {plies} plies")


def untrained(rules, activation):
    net = tf.Net.random(rules, 32, seed=4, activation=activation, scale=0.3)
    shift = 0.5 * (activation == "clipped")
    weights = net.output_weights, net.output_biases
    return tf.Net(rules, net.hidden_weights, net.hidden_biases + shift, *weights, activation)


def descend(net, boards, target, rate=0.25):
    """Return race weights after plain gradient descent on boards, from the last to the first, each
    as its mover has it."""
    w1, b1 = net.hidden_weights[1].astype(float), net.hidden_biases[1].astype(float)
    w2, b2 = net.output_weights[1].astype(float), net.output_biases[1].astype(float)

    def see(x):
        total = x @ w1 + b1
        if net.activation == "sigmoid":
            hidden = 1 / (1 + np.exp(-total))
            slope = hidden * (1 - hidden)
        else:
            hidden, slope = np.clip(total, 0, 1), (total > 0) & (total < 1)
        return hidden, slope, 1 / (1 + np.exp(-(hidden @ w2 + b2)))

    for board in reversed(boards):
        x = tf.features(board, net.rules)[0].astype(float)
        hidden, slope, outputs = see(x)
        error = target - outputs
        back = rate * slope * (w2 @ error)
        w2, b2 = w2 + rate * np.outer(hidden, error), b2 + rate * error
        w1, b1 = w1 + np.outer(x, back), b1 + back
        win, win2, win3, lose2, lose3, *draw = see(x)[2]
        target = np.array([1 - win - sum(draw), lose2, lose3, win2, win3, *draw])
    return w1, b1, w2, b2


def last_checkers(mine, theirs):
    board = np.zeros((2, 26), np.int8)
    board[:, 0], board[:, 1] = [15 - mine, 15 - theirs], [mine, theirs]
    return board


@pytest.mark.parametrize("activation", ["sigmoid", "clipped"])
@pytest.mark.parametrize("rules", ["backgammon", "plakoto", "fevga"])
def test_learning_is_gradient_descent_from_the_end(activation, rules):
    rules = tf.RULES[rules]
    before = untrained(rules, activation)
    # All on the 1-point: a roll takes two off, or four. Each target but the last is what the next
    # board has just become worth.
    after = learnt(before, rules, last_checkers(5, 3), 4)
    boards = [last_checkers(3, 3), last_checkers(1, 3), last_checkers(1, 1)]
    w1, b1, w2, b2 = descend(before, boards, np.zeros(before.outputs))  # the last mover has lost
    np.testing.assert_allclose(after.output_biases[1], b2, atol=1e-5)
    np.testing.assert_allclose(after.output_weights[1], w2, atol=1e-5)
    np.testing.assert_allclose(after.hidden_biases[1], b1, atol=1e-5)
    np.testing.assert_allclose(after.hidden_weights[1], w1, atol=1e-5)
    assert np.abs(w1 - before.hidden_weights[1]).max() > 0.01
    np.testing.assert_array_equal(after.hidden_weights[0], before.hidden_weights[0])


def last_with_contact(at):
    """Return the boards of a game of three plies: one checker is left, the enemy's last one enters
    and stands on his point `at`, and it is over."""
    start, first, second = (np.zeros((2, 26), np.int8) for _ in range(3))
    start[0, [0, 1]], start[1, [0, 25]] = [12, 3], [14, 1]
    first[0, [0, 1]], first[1] = [14, 1], start[1]
    second[1, [0, 1]], second[0, [0, at]] = [14, 1], [14, 1]
    return start, [first, second]


@pytest.mark.parametrize("activation", ["sigmoid", "clipped"])
def test_learning_with_scalars_and_experts_is_gradient_descent_too(activation):
    before = tf.Net.random(
        "backgammon", 32, seed=4, activation=activation, scale=0.2, scalars=True, experts=True
    )
    start = last_with_contact(1)[0]
    after = learnt(before, tf.BACKGAMMON, start, 3)
    changed = [(before.hidden_weights[k] != after.hidden_weights[k]).any() for k in range(5)]
    assert changed == [True, False, False, False, True]  # one checker each far back, then a race
    seen = tf.features(last_with_contact(1)[1][0], scalars=True)[0]
    assert (seen[-26:] > 0).sum() > 5
    closest = np.inf
    for at in range(13, 23):  # wherever he has come to
        boards = last_with_contact(at)[1]
        assert tf.phases(np.stack(boards), "backgammon", experts=True).tolist() == [0, 4]
        wanted = descend_through(before, boards, np.zeros(5))
        found = {name: array[[0, 4]] for name, array in after.weights().items()}
        # A scalar's weight is rounded a hundred times as coarsely as others: it counts so often.
        found["hidden_weights"][:, -26:] *= 1 / 128
        wanted["hidden_weights"][:, -26:] *= 1 / 128
        closest = min(closest, max(np.abs(found[name] - wanted[name]).max() for name in found))
    assert closest < 1e-5


def descend_through(net, boards, target, rate=0.25):
    """Return the weights of contact expert 0 and of the race, both used by boards of a game."""
    weights = {name: array[[0, 4]].astype(float).copy() for name, array in net.weights().items()}
    for board in reversed(boards):
        phase = int(tf.phases(board, net.rules)[0])
        x = tf.features(board, net.rules, scalars=True)[0].astype(float)
        part = {name: array[phase] for name, array in weights.items()}

        def see(x=x, part=part):
            total = x @ part["hidden_weights"] + part["hidden_biases"]
            if net.activation == "sigmoid":
                hidden = 1 / (1 + np.exp(-total))
                slope = hidden * (1 - hidden)
            else:
                hidden, slope = np.clip(total, 0, 1), (total > 0) & (total < 1)
            logits = hidden @ part["output_weights"] + part["output_biases"]
            return hidden, slope, 1 / (1 + np.exp(-logits))

        hidden, slope, outputs = see()
        error = target - outputs
        back = rate * slope * (part["output_weights"] @ error)
        part["output_weights"] += rate * np.outer(hidden, error)
        part["output_biases"] += rate * error
        part["hidden_weights"] += np.outer(x, back)
        part["hidden_biases"] += back
        win, win2, win3, lose2, lose3 = see()[2]
        target = np.array([1 - win, lose2, lose3, win2, win3])
    return weights


# --- whole trainings ------------------------------------------------------------------------------


def test_it_learns_to_beat_chance_by_far():
    net = train("portes", games=2000, hidden=32, seed=1, measured=1, pairs=40)
    last = {row["opponent"]: row for row in net.info["curve"]}
    assert last["random"]["equity"] > 0.8  # of at most 2; a random player has 0 ± 0.07
    assert last["random"]["std_error"] < 0.09
    assert last["tenth"]["equity"] > 0.5
    assert last["random"]["games"] == 2000


@pytest.mark.parametrize(("rules", "games"), [("plakoto", 500), ("narde", 2000)])
def test_it_learns_other_games(rules, games):
    net = train(rules, games=games, hidden=32, seed=2, measured=1, pairs=20)
    row = net.info["curve"][-2]
    assert row["opponent"] == "random"
    assert row["equity"] > 5 * row["std_error"] > 0


def test_cascades_without_end_are_thrown_anew():
    # Without a limit on the search a few games of a net that opens up take minutes.
    net = train("gul_bara", games=200, hidden=32, seed=1, measured=0)
    assert net.info["games"] == 200
    assert 30 < net.info["plies"] / 200 < 200


def test_the_same_bits_from_the_same_seed():
    nets = [train("portes", games=150, hidden=32, seed=seed, measured=0) for seed in (7, 7, 8)]
    np.testing.assert_array_equal(nets[0].packed, nets[1].packed)
    assert (nets[0].packed != nets[2].packed).any()


BUILD_SCRIPT = """
from tavli_fast import train
print([train(game, games=80, hidden=32, seed=1, measured=0).name for game in ("tavla", "plakoto")])
"""


def test_the_same_bits_in_every_build():
    names = {
        subprocess.run(
            [sys.executable, "-c", BUILD_SCRIPT],
            env={**os.environ, "TAVLI_FAST_ISA": build},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for build in tf.build_info()["available"].split(", ")
    }
    assert len(names) == 1


def test_two_threads_learn_too():
    # With a seed: the first weights decide how many early games go in circles and are given up.
    trainer = Trainer("portes", games=1000, hidden=32, threads=2, seed=1)
    trainer.run(measured=1, pairs=40)
    net = trainer.net()
    assert trainer.played == 1000
    assert 990 < net.info["games"] <= 1000  # one that does not end is given up
    assert net.info["curve"][-2]["equity"] > 0.4


def test_a_budget_of_time():
    net = train("hypergammon", minutes=0.005, hidden=32, measured=0, seed=1)
    assert 0.3 <= net.info["seconds"] < 30
    assert net.info["finished"]
    assert net.info["games"] > 10


class _Stopped(Exception):  # noqa: N818
    pass


def test_going_on_from_a_checkpoint_gives_the_same_bits(tmp_path):
    path = tmp_path / "training.npz"
    calls = []

    def stop_in_the_middle(now):
        calls.append(now)
        if now.fraction > 0.5:
            raise _Stopped

    whole = train("portes", games=300, hidden=32, seed=3, measured=2, pairs=4)
    with pytest.raises(_Stopped):
        train(
            "portes", games=300, hidden=32, seed=3, measured=2, pairs=4, checkpoint=path,
            progress=stop_in_the_middle,
        )  # fmt: skip
    assert [now.games for now in calls] == [3 * (k + 1) for k in range(len(calls))]
    assert calls[0].rate > calls[-1].rate > 0.001
    half = Trainer.load(path)
    assert 0.5 < half.fraction < 0.6
    assert not half.net().info["finished"]
    resumed = train(resume=path, measured=2, pairs=4)
    np.testing.assert_array_equal(resumed.packed, whole.packed)
    assert resumed.info["games"] == 300
    rows = [(row["games"], row["opponent"], row["equity"]) for row in resumed.info["curve"]]
    assert rows == [(r["games"], r["opponent"], r["equity"]) for r in whole.info["curve"]]


def test_the_card_tells_how_to_do_it_again(tmp_path):
    net = train("tavla", games=60, hidden=32, seed=9, measured=0)
    assert net.info["command"] == ("tavli-fast train --rules tavla --games 60 --hidden 32 --seed 9")
    net.save(tmp_path / "net.npz")
    assert tf.Net.load(tmp_path / "net.npz").info == net.info
    again = train(**{**net.info["settings"], "measured": 0})
    np.testing.assert_array_equal(again.packed, net.packed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "minutes=None, games=None: expected exactly one"),
        ({"games": 10, "minutes": 1}, "expected exactly one"),
        ({"games": 0}, "games=0: expected an integer 1 to"),
        ({"minutes": 0}, "minutes=0: expected a number above 0"),
        ({"minutes": "long"}, "minutes='long': expected a number above 0"),
        ({"games": 1, "rules": "chess"}, "rules='chess'"),
        ({"games": 1, "hidden": 100}, "hidden=100: expected a multiple of 32"),
        ({"games": 1, "hidden": 16}, "hidden=16: expected an integer 32 to 1024"),
        ({"games": 1, "activation": "relu"}, "activation='relu'"),
        ({"games": 1, "threads": 0}, "threads=0"),
        ({"games": 1, "seed": -1}, "seed=-1"),
        ({"games": 1, "first_rate": 2}, "first_rate=2: expected a number above 0, up to 1"),
        ({"games": 1, "last_rate": float("nan")}, "last_rate=nan"),
        ({"games": 1, "measured": -1}, "measured=-1"),
        ({"games": 1, "pairs": 1}, "pairs=1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        train(**arguments)


def test_a_file_that_is_no_checkpoint(tmp_path):
    path = tmp_path / "what.npz"
    path.write_text("what")
    with pytest.raises(ValueError, match=r"what\.npz is no checkpoint"):
        train(resume=path)
    tf.Net.random("portes", 32, seed=1).save(path)
    with pytest.raises(ValueError, match="is no checkpoint"):
        train(resume=path)
    with pytest.raises(FileNotFoundError):
        train(resume=tmp_path / "none")


# --- the command ----------------------------------------------------------------------------------


def failure(code, call):
    result = runner().invoke(program, call.split())
    assert result.exit_code == code, result.output
    return result.stderr


def test_the_command_saves_a_net_its_curve_and_a_checkpoint(tmp_path):
    net, curve, ck = (str(tmp_path / name) for name in ("n.npz", "c.csv", "k.npz"))
    call = "train --rules tavla --games 100 --hidden 32 --seed 5 --pairs 3"
    text = shown(*f"{call} --out {net} --curve {curve} --checkpoint {ck}".split())
    assert "100 games in" in text
    assert "tavli-fast train --rules tavla --games 100 --hidden 32 --seed 5" in text
    assert "a random player" in text
    assert f"is in {net}" in text
    with open(curve, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[-1]["games"] == "100"
    assert {row["opponent"] for row in rows} == {"random", "tenth"}
    found = document(*f"train --resume {ck} --out {net}2 --pairs 3 ".split())
    assert found["games"] == 100
    same = tf.Net.load(f"{net}2"), tf.Net.load(net)
    np.testing.assert_array_equal(same[0].packed, same[1].packed)


def test_ctrl_c_saves_the_net(tmp_path, monkeypatch):
    path = tmp_path / "n.npz"
    learn = Trainer._learn

    def interrupted(self, pool):
        if self.games >= 20:
            raise KeyboardInterrupt
        learn(self, pool)

    monkeypatch.setattr(Trainer, "_learn", interrupted)
    call = f"train --rules tavla --games 2000 --hidden 32 --pairs 2 --out {path}"
    assert "interrupted" in failure(130, call)
    net = tf.Net.load(path)
    assert net.info["games"] == 20
    assert not net.info["finished"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer on this platform")
@pytest.mark.parametrize("threads", [1, 2])
def test_who_stops_a_training_counts_what_has_been_played(threads):
    trainer = Trainer("hypergammon", games=100_000, hidden=1024, threads=threads, seed=1)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            trainer.run(measured=0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert 0 < trainer.games == trainer.played < 100_000


def test_what_the_command_refuses():
    assert "expected a number above 0" in failure(2, "train --minutes soon")
    assert "expected exactly one" in failure(2, "train --minutes 1 --games 3")
    assert "multiple of 32" in failure(2, "train --games 3 --hidden 33")


def test_the_card_of_a_house_rule_is_a_command_that_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    house = dataclasses.replace(tf.TAVLA, start=((24, 9), (23, 6)), higher_die=False)
    net = train(house, games=20, hidden=32, seed=9, measured=0)
    words = shlex.split(net.info["command"])
    assert words[:4] == ["tavli-fast", "train", "--rules", "tavla"]
    text = shown(*words[1:], "--pairs", "2")
    assert f"; the same again: {net.info['command']}" in text
    again = tf.Net.load("tavla.npz")
    assert again.rules == house
    np.testing.assert_array_equal(again.packed, net.packed)


def test_a_resumed_training_is_of_the_game_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train("tavla", games=20, hidden=32, seed=9, measured=0, checkpoint="k.npz")
    assert "is in tavla.npz" in shown("train", "--resume", "k.npz", "--pairs", "2")
    for option in (["--minutes", "1"], ["--rules", "tavla"], ["--set", "doubles=2"]):
        result = runner().invoke(program, ["train", "--resume", "k.npz", *option])
        assert result.exit_code == 2
        assert f"{option[0]} with --resume: expected none" in result.stderr
    call = "train --resume k.npz --checkpoint l.npz --out k.npz"
    assert "--resume and --out with k.npz" in failure(2, call)


def test_only_what_is_the_same_is_called_so(tmp_path):
    call = f"train --rules hypergammon --hidden 32 --pairs 2 --seed 1 --out {tmp_path / 'n.npz'}"
    assert "; again: tavli-fast" in shown(*call.split(), "--minutes", "0.001")
    assert "; again: tavli-fast" in shown(*call.split(), "--games", "4", "--threads", "2")


def test_what_cannot_be_drawn_is_refused_before_the_training(monkeypatch):
    pytest.importorskip("matplotlib")
    assert "a.xyz: expected a name that ends in one of" in failure(2, "train --plot a.xyz")
    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "needs the extra: pip install 'tavli-fast[charts]'" in failure(2, "train --plot a.png")
