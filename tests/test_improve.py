"""The second stage of training: labels against plain lookahead, Adam against NumPy, equal bits."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_calls import document, runner, shown

import tavli_fast as tf
from tavli_fast._common.arguments import four_words
from tavli_fast.cli import program
from tavli_fast.training import improver as module
from tavli_fast.training.fitting import BATCH, Fitting, fit
from tavli_fast.training.growing import for_rules, grown
from tavli_fast.training.improver import Improver
from tavli_fast.training.labels import UNIT, Labelling, Labels, label_chunk, make_labels
from tavli_fast.training.second_stage import improve

GAMES = ["backgammon", "plakoto", "fevga", "hypergammon"]
CALM = Labelling(trace=0.8, explore=0.0, scatter=0.0)


def some_net(rules, hidden=32, activation="clipped"):
    net = tf.Net.random(rules, hidden, seed=4, activation=activation, scale=0.3)
    shift = 0.5 * (activation == "clipped")
    return tf.Net(
        net.rules,
        net.hidden_weights,
        net.hidden_biases + shift,
        net.output_weights,
        net.output_biases,
        activation,
    )


def labels_of(net, how, count=256, seed=1):
    found = label_chunk(net, how, four_words(seed, (7,)), count, np.zeros(1, np.uint8))
    return found.boards, found.outcomes / UNIT


def turned(p):
    return np.stack([1 - p[:, 0] - p[:, 5], *p[:, [3, 4, 1, 2, 5]].T], axis=1)


# --- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", GAMES)
def test_without_a_trace_a_label_is_the_value_one_ply_ahead(rules):
    net = some_net(rules)
    boards, labels = labels_of(net, Labelling(trace=0.0))
    ahead = tf.evaluate(tf.flip(boards), net, plies=1).outcomes
    np.testing.assert_allclose(labels, turned(ahead), atol=2e-5)
    assert not tf.outcomes(boards, rules)[0].any()  # none is over


@pytest.mark.parametrize("rules", GAMES)
def test_errors_of_later_turns_count_less_and_less(rules):
    net = some_net(rules)
    boards, labels = labels_of(net, CALM)
    same, ahead = labels_of(net, dataclasses.replace(CALM, trace=0.0))
    np.testing.assert_array_equal(boards, same)  # the trace has no part in the games
    here = net(boards).astype(float)
    gains, later = labels - here, 0.8 * (labels - here)[1:]
    # As the mover of the turn before has them; a difference has no 1 in it.
    later = np.stack([-later[:, 0] - later[:, 5], *later[:, [3, 4, 1, 2, 5]].T], axis=1)
    # What cannot happen is 0, now and later.
    never = (here == 0) & (labels == 0)
    inside = (((labels > 0) & (labels < 1)) | never)[:, : net.outputs].all(axis=1)
    inside = inside[1:] & inside[:-1]
    rest = gains[:-1] - (ahead - here)[:-1]
    follows = np.abs(rest - later).max(axis=1) < 1e-4
    last = np.abs(rest).max(axis=1) < 1e-4
    assert (follows | last)[inside].all()
    assert follows[inside].mean() > 0.9


@pytest.mark.parametrize("rules", ["portes", "tapa"])
def test_another_play_is_one_of_the_next_best_and_cuts_the_trace(rules):
    net = some_net(rules)
    boards, labels = labels_of(net, Labelling(explore=1.0, scatter=0.0), 64)
    _, ahead = labels_of(net, Labelling(trace=0.0, explore=1.0, scatter=0.0), 64)
    ranks = []
    for place in range(1, 60):
        before, after = tf.flip(boards[place - 1]), boards[place]
        by_roll = []
        for first in range(1, 7):
            for second in range(1, first + 1):
                found = tf.best_plays(before, (first, second), net, top=6)
                equal = (found.boards[0] == after).all(axis=(1, 2))
                if equal.any():
                    by_roll.append(int(np.flatnonzero(equal)[0]))
                    several = found.counts[0] > 1
                    if several:
                        np.testing.assert_allclose(labels[place - 1], ahead[place - 1], atol=2e-5)
        if by_roll:  # the same play may have other ranks among those of other rolls
            ranks.append(min(by_roll))
    assert max(ranks) <= 4
    assert np.mean([1 <= rank <= 4 for rank in ranks]) > 0.5


@pytest.mark.parametrize("rules", ["portes", "fevga"])
def test_a_sieve_that_lets_all_good_plays_through_changes_nothing(rules):
    net = some_net(rules)
    boards, labels = labels_of(net, CALM)
    for kept in (1, 5):
        sieved = labels_of(net.with_sieve(net, kept), CALM)
        np.testing.assert_array_equal(sieved[0], boards)
        np.testing.assert_array_equal(sieved[1], labels)
    # One that knows nothing lets the net choose among other plays, and its labels say less.
    other = tf.Net.random(rules, 32, seed=9)
    boards, labels = labels_of(net.with_sieve(other, 2), Labelling(trace=0.0, scatter=0.0))
    ahead = tf.evaluate(tf.flip(boards), net, plies=1).equity
    found = 2 * labels[:, 0] - 1 + labels[:, 1] + labels[:, 2] - labels[:, 3] - labels[:, 4]
    assert (found + ahead > -1e-4).all()  # the opponent cannot do better than with all plays
    assert np.mean(found + ahead) > 0.01


def test_scattered_games_begin_with_random_plies():
    net = some_net("portes")
    ordered = {board.tobytes() for board in labels_of(net, CALM, 40)[0]}
    boards, _ = labels_of(net, Labelling(scatter=1.0, explore=0.0, random_plies=1), 40)
    assert sum(board.tobytes() in ordered for board in boards) < 40


def test_a_cascade_without_end_does_not_stop_the_labels():
    boards, labels = labels_of(some_net("gul_bara"), Labelling(), 256)
    assert len(boards) == 256
    assert ((labels >= 0) & (labels <= 1)).all()


# --- the fit --------------------------------------------------------------------------------------


def adam(net, phase, x, labels, rates):
    """Return one phase's weights after plain Adam on successive minibatches."""
    w = [
        each[phase].astype(float)
        for each in (net.hidden_weights, net.hidden_biases, net.output_weights, net.output_biases)
    ]
    mean, square = [0 * each for each in w], [0 * each for each in w]
    for step, rate in enumerate(rates):
        some, target = x[step * BATCH :][:BATCH], labels[step * BATCH :][:BATCH, : net.outputs]
        total = some @ w[0] + w[1]
        if net.activation == "sigmoid":
            hidden = 1 / (1 + np.exp(-total))
            slope = hidden * (1 - hidden)
        else:
            hidden, slope = np.clip(total, 0, 1), (total > 0) & (total < 1)
        errors = (1 / (1 + np.exp(-(hidden @ w[2] + w[3]))) - target) / len(some)
        back = errors @ w[2].T * slope
        slopes = some.T @ back, back.sum(axis=0), hidden.T @ errors, errors.sum(axis=0)
        for k, each in enumerate(slopes):
            mean[k] = 0.9 * mean[k] + 0.1 * each
            square[k] = 0.999 * square[k] + 0.001 * each**2
            full = np.sqrt(square[k] / (1 - 0.999 ** (step + 1)))
            w[k] -= rate * mean[k] / (1 - 0.9 ** (step + 1)) / (full + 1e-8)
    return w


@pytest.mark.parametrize("activation", ["sigmoid", "clipped"])
@pytest.mark.parametrize("rules", ["backgammon", "plakoto", "fevga"])
def test_a_fit_is_adam(rules, activation):
    net = some_net(rules, 32, activation)
    if rules == "backgammon":
        net = grown(net, 32, scalars=True, experts=True, seed=0)
    boards, labels = labels_of(net, Labelling(), 150)
    places = np.flatnonzero(tf.phases(boards, rules, net.experts) == 0)
    how = Fitting(epochs=1, first_rate=0.01, last_rate=0.002)
    whole = Labels(boards, np.round(labels * UNIT).astype(np.uint16))
    fitted, loss = fit(net, whole, how, seed=5, number=2, threads=1, tell=lambda _: None)
    order = places[np.random.default_rng([5, 3, 2, 0, 0]).permutation(len(places))]
    rates = np.linspace(0.01, 0.002, -(-len(order) // BATCH))
    x = tf.features(boards[order], rules, net.scalars).astype(float)
    w1, b1, w2, b2 = adam(net, 0, x, labels[order], rates)
    # A gradient near 0 is divided by its own size: its sign can be the arithmetic's.
    for found, expected, start in (
        (fitted.output_weights[0], w2, net.output_weights[0]),
        (fitted.output_biases[0], b2, net.output_biases[0]),
        (fitted.hidden_biases[0], b1, net.hidden_biases[0]),
        (fitted.hidden_weights[0], w1, net.hidden_weights[0]),
    ):
        assert np.mean(np.abs(found - expected) < 2e-5) > 0.995
        assert np.abs(expected - start).max() > 0.005
    assert 0 < loss < 3


def test_growing_changes_no_bit():
    for rules in ("backgammon", "plakoto"):
        net = some_net(rules)
        boards = tf.random_boards(300, rules, seed=1)
        wide = grown(net, net.hidden + 64, scalars=True, experts=True, seed=3)
        assert (wide.hidden, wide.scalars, wide.experts) == (net.hidden + 64, True, True)
        np.testing.assert_array_equal(wide(boards), net(boards))
        assert np.abs(wide.hidden_weights[..., -64:]).max() > 0.05


def test_a_net_for_other_rules_expects_no_result_that_they_do_not_have():
    net = some_net("backgammon")
    boards = tf.random_boards(300, "portes", seed=1)
    changed = for_rules(net, tf.PORTES)
    before, after = net(boards, "portes"), changed(boards)
    assert (changed.output_weights[:, :, [2, 4]] == 0).all()
    assert (changed.output_biases[:, [2, 4]] < -10).all()
    np.testing.assert_array_equal(after[:, [0, 1, 3]], before[:, [0, 1, 3]])
    np.testing.assert_array_equal(for_rules(net, tf.NACKGAMMON).packed, net.packed)


# --- whole improvements ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def young():
    return tf.train("tavla", games=400, hidden=32, seed=1, measured=0)


def test_it_plays_better(young):
    net = improve(young, rounds=2, labels=16_384, seed=2)
    found = tf.arena(net, young, young.rules, 2000, 5, threads=1)
    assert found.points > 4 * found.std_error > 0


def test_the_same_bits_whoever_works_and_wherever_it_stopped(young, tmp_path):
    asked: dict[str, Any] = {"rounds": 3, "labels": 2000, "hidden": 64, "seed": 3}
    asked |= {"scalars": True, "experts": True, "sieve": young, "kept": 3}
    whole = improve(young, **asked)
    two = improve(young, threads=2, **asked)
    np.testing.assert_array_equal(two.packed, whole.packed)
    with ProcessPoolExecutor(1) as pool:
        far = improve(young, executor=pool, **asked)
    np.testing.assert_array_equal(far.packed, whole.packed)
    path = tmp_path / "improve.npz"
    seen = []

    def stop_now_and_then(now):
        seen.append(now)
        if len(seen) % 4 == 0:
            raise _Stopped

    calls = [{"net": young, **asked}, *[{"resume": path}] * 20]
    for call in calls:
        try:
            parts = improve(**call, checkpoint=path, progress=stop_now_and_then)
            break
        except _Stopped:
            assert Improver.load(path).fraction < 1
    else:
        raise AssertionError("it never came to an end")
    assert len(seen) > 4
    assert 0 < seen[0].fraction < 1 == seen[-1].fraction
    np.testing.assert_array_equal(parts.packed, whole.packed)
    other = improve(young, **{**asked, "seed": 4})
    assert (other.packed != whole.packed).any()


class _Stopped(Exception):  # noqa: N818
    pass


BUILD_SCRIPT = """
import tavli_fast as tf
for game in ("tavla", "tapa"):
    net = tf.train(game, games=20, hidden=32, seed=1, measured=0)
    print(tf.improve(net, rounds=2, labels=1024, hidden=64, scalars=True, seed=1).name)
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


def test_the_card_tells_every_step(young, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    young.save("young.npz")
    first = improve(young, rounds=1, labels=1024, hidden=64, seed=3)
    first.save("first.npz")
    house = dataclasses.replace(tf.TAVLA, gammon_points=1)
    second = improve(first, house, rounds=1, labels=1024, trace=0.5, seed=4)
    info = second.info
    assert info["command"] == young.info["command"]
    assert [step["base"] for step in info["improved"]] == [young.name, first.name]
    assert info["improved"][0]["rounds"][0]["labels"] == 1024
    # The commands make the net again, from nothing but what the command before them has made.
    for step, base, made in zip(
        info["improved"], ("young.npz", "first.npz"), (first, second), strict=True
    ):
        words = [base if word == "NET" else word for word in step["command"].split()]
        assert words[:2] == ["tavli-fast", "improve"]
        shown(*words[1:], "--out", "again.npz")
        again = tf.Net.load("again.npz")
        assert again.rules == made.rules
        np.testing.assert_array_equal(again.packed, made.packed)


def test_training_takes_only_rules_nets_and_seeds():
    """No argument can hand over labels, and no code of the package reads any but its own."""
    names = set(inspect.signature(improve).parameters) | set(inspect.signature(tf.train).parameters)
    files = {"checkpoint", "resume"}
    numbers = {
        *("minutes", "games", "hidden", "activation", "threads", "seed", "first_rate", "last_rate"),
        *(
            "scalars",
            "experts",
            "measured",
            "pairs",
            "rounds",
            "labels",
            "sets",
            "trace",
            "explore",
            "scatter",
        ),
        *("random_plies", "kept", "epochs"),
    }
    nets = {"net", "sieve", "teacher"}
    assert names == {"rules", "executor", "progress"} | nets | files | numbers
    assert module.__file__ is not None
    readers = {"open", "load", "loadtxt", "fromfile", "memmap", "urlopen", "run", "Popen"}
    allowed = {"checkpoint.py": {"open"}, "rounds_file.py": {"load"}}
    own = {"load", "run"}  # methods of the trainers
    for path in Path(module.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            str(name).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module] if isinstance(node, ast.ImportFrom) else
                         [alias.name for alias in node.names])
        }  # fmt: skip
        assert imported - set(sys.stdlib_module_names) <= {"numpy", "tavli_fast"}, path
        called = {
            (getattr(node.func.value, "id", ""), node.func.attr)
            if isinstance(node.func, ast.Attribute)
            else ("", getattr(node.func, "id", ""))
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
        }
        suspects = {
            name
            for owner, name in called
            if name in readers and not (name in own and owner in ("trainer", "improver", "Trainer",
                                                                  "Improver"))
        }  # fmt: skip
        assert suspects <= allowed.get(path.name, set()), path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rounds": 0}, "rounds=0: expected an integer 1 to 1000"),
        ({"labels": 0}, "labels=0"),
        ({"hidden": 100}, "hidden=100: expected a multiple of 32"),
        ({"hidden": 2048}, "hidden=2048"),
        ({"sets": 0}, "sets=0"),
        ({"trace": 1.5}, "trace=1.5: expected a number, 0 to 1"),
        ({"explore": -1}, "explore=-1"),
        ({"scatter": "many"}, "scatter='many'"),
        ({"random_plies": 0}, "random_plies=0"),
        ({"epochs": 0}, "epochs=0"),
        ({"first_rate": 0}, "first_rate=0: expected a number above 0, up to 1"),
        ({"last_rate": float("nan")}, "last_rate=nan"),
        ({"seed": -1}, "seed=-1"),
        ({"threads": 0}, "threads=0"),
        ({"executor": "here"}, "executor='here'"),
        ({"progress": 3}, "progress=3"),
        ({"kept": 33}, "kept=33"),
        ({"sieve": "portes"}, "sieve='portes': expected a Net or None"),
        ({"scalars": 1}, "scalars=1: expected True or False"),
        ({"experts": None}, "experts=None"),
        ({"rules": "fevga"}, "rules=fevga has boards of the encoding"),
        ({"rules": "chess"}, "rules='chess'"),
        ({"net": None}, "net=None: expected a Net"),
        ({"net": "portes"}, "net='portes': expected a Net"),
        ({"checkpoint": ""}, "checkpoint=''"),
    ],
)
def test_bad_arguments(arguments, message):
    net = tf.Net.random("tavla", 32, seed=1)
    with pytest.raises(ValueError, match=message):
        improve(**{"net": net, "labels": 1024, "rounds": 1, **arguments})


def test_a_file_that_is_no_checkpoint(tmp_path, young):
    path = tmp_path / "what.npz"
    path.write_text("what")
    with pytest.raises(ValueError, match=r"what\.npz is no checkpoint"):
        improve(resume=path)
    young.save(path)
    with pytest.raises(ValueError, match="is no checkpoint"):
        improve(resume=path)
    with pytest.raises(FileNotFoundError):
        improve(resume=tmp_path / "none")
    Improver(young, rounds=1, labels=1024, seed=1).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    for name, array in (
        ("net.hidden_biases", np.zeros(3, np.float32)),
        ("head", np.array(str(arrays["head"]).replace('"kept": 0', '"kept": 1'))),
        ("head", np.array(str(arrays["head"]).replace('"sets": 0', '"sets": 1', 1))),
    ):
        np.savez(path, **{**arrays, name: array})
        with pytest.raises(ValueError, match="is no checkpoint"):
            improve(resume=path)


# --- the command ----------------------------------------------------------------------------------


def failure(code, call):
    result = runner().invoke(program, call.split())
    assert result.exit_code == code, result.output
    return result.stderr


def test_the_command_improves_and_resumes(young, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    young.save("young.npz")
    call = "improve young.npz --rounds 2 --labels 1024 --seed 5 --checkpoint k.npz"
    text = shown(*call.split())
    assert "2 of 2 rounds" in text
    assert "tavli-fast improve NET --rounds 2 --labels 1024 --seed 5" in text
    assert "is in tavla.npz" in text
    found = document(*["improve", "--resume", "k.npz", "--out", "again.npz"])
    assert found["finished"]
    assert found["file"] == "again.npz"
    same = tf.Net.load("tavla.npz"), tf.Net.load("again.npz")
    np.testing.assert_array_equal(same[0].packed, same[1].packed)
    assert "--rounds with --resume: expected none" in failure(
        2, "improve --resume k.npz --rounds 3"
    )
    assert "NET with --resume: expected none" in failure(2, "improve young.npz --resume k.npz")


def test_ctrl_c_keeps_the_finished_rounds(young, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    young.save("young.npz")

    def interrupted(*args):
        if args[4] == 1:
            raise KeyboardInterrupt
        make_labels(*args)

    monkeypatch.setattr(module, "make_labels", interrupted)
    call = "improve young.npz --rounds 3 --labels 1024 --seed 5 --out n.npz --checkpoint k.npz"
    assert "interrupted" in failure(130, call)
    (step,) = tf.Net.load("n.npz").info["improved"]
    assert len(step["rounds"]) == 1
    assert not step["finished"]
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    shown("improve", "--resume", "k.npz", "--out", "whole.npz")
    whole = improve(young, rounds=3, labels=1024, seed=5)
    np.testing.assert_array_equal(tf.Net.load("whole.npz").packed, whole.packed)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer on this platform")
@pytest.mark.parametrize("threads", [1, 2])
def test_who_stops_the_labels_keeps_what_there_is(threads, young):
    improver = Improver(young, rounds=1, labels=10**6, seed=1)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)

    def progress(now):
        if now.labels and not signal.getitimer(signal.ITIMER_REAL)[0]:
            signal.setitimer(signal.ITIMER_REAL, 0.05)  # somewhere in the work that follows

    try:
        with pytest.raises(KeyboardInterrupt):
            improver.run(threads, progress=progress)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert 0 < improver.made < 10**6
    assert 0 < improver.fraction < 0.9


def test_what_the_command_refuses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "Missing argument 'NET'" in failure(2, "improve")
    assert "No such file" in failure(2, "improve nothing.npz")
    assert "multiple of 32" in failure(2, "improve tavla --hidden 136")
    assert "boards of the encoding" in failure(2, "improve tavla --rules fevga")
