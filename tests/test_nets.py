"""Nets: against a slow account of them, the same bits on every way, arguments that do not fit."""

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from possible import in_order
from sample_nets import evaluators_of, in_a_race, some_boards

import tavli_fast as tf
from tavli_fast import Linear, Net
from tavli_fast._core import evaluate as core
from tavli_fast.evaluation import search
from tavli_fast.nets.net import OUTCOMES
from tavli_fast.nets.scalars import expert_phases
from tavli_fast.rules.presets import Rules
from tavli_fast.training.trainer import Trainer

PRESETS = sorted(tf.RULES)


def dense(net: Any, boards: Any, rules: Rules) -> Any:
    """Return the outputs of unfinished boards in float64, with NumPy and the net's own weights."""
    seen = tf.features(boards, rules, scalars=net.scalars).astype(np.float64)
    races = np.array([in_a_race(board, rules) for board in boards])
    phases = races.astype(np.int64)
    if net.experts:
        phases = np.where(races, 4, expert_phases(boards, rules))
    out = np.zeros((len(boards), 6))
    for phase in np.unique(phases):
        rows = phases == phase
        weights = {name: array[phase].astype(np.float64) for name, array in net.weights().items()}
        layer = seen[rows]
        if isinstance(net, Net):
            layer = layer @ weights["hidden_weights"] + weights["hidden_biases"]
            clipped = net.activation == "clipped"
            layer = np.clip(layer, 0, 1) if clipped else 1 / (1 + np.exp(-layer))
        logits = layer @ weights["output_weights"] + weights["output_biases"]
        out[rows, : logits.shape[1]] = 1 / (1 + np.exp(-logits))
    return in_order(out, boards, rules)


def all_judged(net: Any, boards: Any, dice: Any, rules: Rules) -> Any:
    """Return the outputs of all afterstates, from the cells that each play has changed."""
    counts = tf.count_plays(boards, dice, rules)
    assert (counts > 0).all()
    starts = np.cumsum(counts, dtype=np.int64) - counts
    out = np.full((int(counts.sum()), 6), np.nan, np.float32)
    given = (net.packed, net.kind, net.columns, net.outputs)
    core.afterstate_outcomes(boards, dice, rules, *given, starts, out)
    return out


def candidates(name: str, count: int, seed: int) -> tuple[Any, Any]:
    """Return boards and rolls that have plays, and none that are over."""
    boards = some_boards(name, count, seed)
    dice = np.random.default_rng(seed).integers(1, 7, (len(boards), 2)).astype(np.int8)
    if name == "gul_bara":  # half a million plays would take a while
        dice[(dice[:, 0] == dice[:, 1]) & (dice[:, 0] < 5), 0] += 1
    keep = tf.count_plays(boards, dice, name) > 0
    return boards[keep], dice[keep]


def check_all_candidates(name: str, count: int, hidden: int, seed: int = 1) -> float:
    """Hold each way to judge candidates to the others; return the worst error."""
    rules, worst = tf.RULES[name], 0.0
    boards, dice = candidates(name, count, seed)
    after, offsets = tf.afterstates(boards, dice, name)
    over = tf.outcomes(after, name)[0]
    for net in evaluators_of(name, hidden):
        whole = net(after, rules)
        changed = all_judged(net, boards, dice, rules)
        np.testing.assert_array_equal(changed, whole)  # to the last bit
        worst = max(worst, float(np.abs(whole - dense(net, after, rules))[~over].max()))
        places = np.empty(len(boards), np.int32)
        best, out = np.empty_like(boards), np.empty((len(boards), 6), np.float32)
        arrays = (net.packed, net.kind, net.columns, net.outputs, places, best, out)
        core.best(boards, dice, rules, *arrays)
        win, win2, win3, lose2, lose3, draw = whole.T
        equity = (win + win2 + win3) - ((1 - win - draw) + lose2 + lose3)
        first = search.first_best(equity, offsets[:-1])
        np.testing.assert_array_equal(places, first - offsets[:-1])
        np.testing.assert_array_equal(best, after[first])
        np.testing.assert_array_equal(out, whole[first])
    return worst


@pytest.mark.parametrize("name", PRESETS)
def test_changed_layers_whole_ones_and_float64_agree(name: str) -> None:
    assert check_all_candidates(name, 60, 40) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_all_candidates_of_20000_boards(name: str) -> None:
    for seed in range(20):
        assert check_all_candidates(name, 500, 128, seed) < 1e-5


def test_two_thousand_plays_at_once() -> None:
    # All of the mover's checkers scattered, and next to nothing in their way.
    board = np.zeros((2, 26), np.int8)
    board[0, [24, 22, 20, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4]] = 1
    board[1, 0], board[1, 24] = 14, 1
    board = board[np.newaxis]
    dice = np.array([[1, 1]], np.int8)
    after = tf.afterstates(board, dice).boards
    assert len(after) > 1900
    for net in evaluators_of("portes", 128):
        whole = net(after)
        np.testing.assert_array_equal(all_judged(net, board, dice, tf.PORTES), whole)
        assert np.abs(whole - dense(net, after, tf.PORTES)).max() < 1e-5
        found = tf.best_plays(board, dice, net, top=3)
        listed = tf.evaluate(tf.flip(after), net).equity
        np.testing.assert_allclose(found.equity[0], np.sort(-listed)[:-4:-1], atol=1e-6)


@pytest.mark.parametrize("hidden", [1, 31, 32, 33, 1024])
def test_any_width(hidden: int) -> None:
    boards = tf.random_boards(50, seed=3)
    for activation in ("sigmoid", "clipped"):
        net = Net.random("portes", hidden, seed=1, activation=activation, scale=0.3)
        assert net.hidden == hidden
        over = tf.outcomes(boards)[0]
        assert np.abs(net(boards) - dense(net, boards, tf.PORTES))[~over].max() < 1e-5


def test_rounding_loses_next_to_nothing() -> None:
    rng = np.random.default_rng(1)
    weights = rng.normal(0, 1, (2, 228, 16)), rng.normal(0, 1, (2, 16))
    net = Net("portes", *weights, rng.normal(0, 1, (2, 16, 5)), rng.normal(0, 1, (2, 5)))
    assert np.abs(net.hidden_weights - weights[0]).max() < 2e-4
    rounded: dict[str, Any] = net.weights()
    again = Net("portes", **rounded)
    np.testing.assert_array_equal(again.packed, net.packed)  # rounded weights stay as they are


@pytest.mark.parametrize("name", PRESETS)
def test_a_finished_game_has_its_result(name: str) -> None:
    boards = tf.random_boards(200 if name == "gul_bara" else 3000, name, seed=2)
    dice = np.array([6, 5])
    after = tf.afterstates(boards, dice, name).boards
    over, points = tf.outcomes(after, name)
    assert over.any()
    for net in evaluators_of(name, 8):
        win, win2, win3, lose2, lose3, draw = net(after[over]).T
        np.testing.assert_array_equal(
            win + win2 + win3 - (1 - win - draw) - lose2 - lose3, points[over]
        )


BITS = """
import sys, zlib, numpy as np, tavli_fast as tf
assert tf.build_info()["isa"] == sys.argv[1], tf.build_info()
for name in ("portes", "plakoto", "fevga"):
    boards = tf.random_boards(500, name, seed=4)
    dice = np.random.default_rng(4).integers(1, 7, (500, 2))
    for activation in ("sigmoid", "clipped"):
        more = activation == "clipped"
        net = tf.Net.random(
            name, 50, seed=1, activation=activation, scale=0.5, scalars=more, experts=more
        )
        found = tf.best_plays(boards, dice, net, name, top=2)
        arrays = [net(boards, name), tf.features(boards, name, scalars=True), *found]
        print(name, *(zlib.crc32(np.ascontiguousarray(array).tobytes()) for array in arrays))
"""


def test_all_builds_give_the_same_bits() -> None:
    builds = tf.build_info()["available"].split(", ")
    if len(builds) == 1:
        pytest.skip("one build only")
    printed = [
        subprocess.run(
            [sys.executable, "-c", BITS, build],
            env={**os.environ, "TAVLI_FAST_ISA": build},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for build in builds
    ]
    assert printed[0].count("\n") == 6
    assert len(set(printed)) == 1


# --- arguments ------------------------------------------------------------------------------------

SHAPES = {
    "hidden_weights": np.zeros((228, 4)),
    "hidden_biases": np.zeros(4),
    "output_weights": np.zeros((4, 5)),
    "output_biases": np.zeros(5),
}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"rules": "chess"}, "rules"),
        ({"rules": "fevga"}, r"hidden_weights has shape \(228, 4\): expected .*220"),
        ({"hidden_weights": np.zeros((3, 228, 4))}, "hidden_weights has shape"),
        (
            {"hidden_weights": np.zeros((5, 254, 4)), "hidden_biases": np.zeros((2, 4))},
            "hidden_weights has 5 phases, hidden_biases has 2 phases: expected the same",
        ),
        ({"hidden_weights": np.zeros((228, 0))}, "0 units: expected 1 to 1024"),
        ({"hidden_weights": np.zeros((228, 1025))}, "1025 units"),
        ({"hidden_weights": "many"}, "hidden_weights is no array of numbers"),
        ({"hidden_weights": [[1], [2, 3]]}, "hidden_weights is no array of numbers"),
        ({"hidden_biases": np.zeros(5)}, "hidden_biases has shape"),
        ({"output_weights": np.zeros((4, 4))}, "4 outputs: expected 5, or 6"),
        ({"output_biases": np.zeros(6)}, "output_biases has shape"),
        ({"output_biases": [np.nan] * 5}, "output_biases has a weight beyond"),
        ({"output_biases": [np.inf] * 5}, "output_biases has a weight beyond"),
        ({"output_biases": [20_000.0] * 5}, "output_biases has a weight beyond"),
        ({"activation": "relu"}, "activation='relu': expected 'sigmoid' or 'clipped'"),
        ({"info": 5}, "info=5: expected a mapping"),
        ({"info": {"a": np.float32(1)}}, "info={'a': .*: expected what JSON has"),
    ],
)
def test_bad_weights(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Net(**{"rules": "portes", **SHAPES, **change})


def test_bad_arguments() -> None:
    for arguments, why in (
        ({"hidden": 0}, "hidden=0"),
        ({"hidden": 2000}, "hidden=2000"),
        ({"hidden": 1.5}, "hidden=1.5"),
        ({"seed": -1}, "seed=-1"),
        ({"rules": "chess"}, "rules"),
        ({"scale": "x"}, "scale='x'"),
        ({"scale": np.inf}, "scale=inf"),
    ):
        with pytest.raises(ValueError, match=why):
            Net.random(**arguments)
    with pytest.raises(ValueError, match="output_weights has shape"):
        Linear("portes", np.zeros((220, 5)), np.zeros(5))
    net = Net.random("portes", 4)
    with pytest.raises(ValueError, match="afterstates"):
        net(np.zeros((2, 26), np.int8))
    with pytest.raises(ValueError, match="expected hit-1"):
        net(tf.start("fevga"), "fevga")
    assert net(tf.start("tavla"), "tavla").shape == (1, 6)
    assert len(OUTCOMES) == 6
    with pytest.raises(ValueError, match="read-only"):
        net.hidden_weights[0] = 1


@pytest.mark.parametrize("name", ["backgammon", "tapa", "narde"])
@pytest.mark.parametrize("activation", ["sigmoid", "clipped"])
def test_a_net_that_has_grown_says_the_same(name: str, activation: str) -> None:
    net = Net.random(name, 24, seed=1, activation=activation, scale=0.4)
    boards = some_boards(name, 200)
    grown = net.widened(48, seed=1).with_scalars().with_experts()
    assert (grown.hidden, grown.scalars, grown.experts, grown.phases) == (48, True, True, 5)
    assert grown.encoding == tf.encoding(name, scalars=True)
    assert grown.with_scalars() is grown
    assert grown.with_experts() is grown
    # New weights may make the bounds larger that decide how finely the old ones are rounded.
    np.testing.assert_allclose(grown(boards), net(boards), atol=1e-5)
    assert (grown.output_weights[:, 24:] == 0).all()
    assert (grown.hidden_weights[:, :, 24:].std(axis=(1, 2)) > 0.001).all()
    with pytest.raises(ValueError, match="hidden=20: expected"):
        net.widened(20)


def test_one_seed_is_one_net() -> None:
    one, other = Net.random("portes", 8, seed=1), Net.random("portes", 8, seed=1)
    assert one.name == other.name
    assert one.name != Net.random("portes", 8, seed=2).name


@pytest.mark.parametrize("source", ["net", "again", "training"])
def test_weights_begin_with_a_cache_line(source: str) -> None:
    # Registers that straddle two cost time, and nothing else tells where NumPy has put an array.
    net = tf.load_net("hypergammon")
    weights = {
        "net": lambda: net.packed,
        "again": lambda: pickle.loads(pickle.dumps(net)).packed,
        "training": lambda: Trainer("hypergammon", games=1, seed=1).weights,
    }[source]()
    assert weights.ctypes.data % 64 == 0
