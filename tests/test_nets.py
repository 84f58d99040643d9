"""Nets and features: against slow accounts of both, the same bits on every way, safe files."""

import json
import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards import made_boards, other_number

import tavli_fast as tf
from tavli_fast import Linear, Net
from tavli_fast._core import evaluate as core
from tavli_fast.evaluation import search
from tavli_fast.nets.net import OUTCOMES
from tavli_fast.rules.presets import Rules
from tavli_fast.training.trainer import Trainer

PRESETS = sorted(tf.RULES)
FAMILIES = ["portes", "plakoto", "fevga"]


def some_boards(name: str, count: int, seed: int = 1) -> Any:
    """Return boards of random games, and as many that no game leads to."""
    rules = tf.RULES[name]
    made = made_boards(np.random.default_rng(seed), count, rules)
    return np.concatenate([tf.random_boards(count, name, seed=seed), made])


# --- features, once more and slowly ---------------------------------------------------------------


def longest_run(points: set[int]) -> int:
    """Return how many points in a row are in the set."""
    return max(
        (n for p in points for n in range(1, 25) if set(range(p, p + n)) <= points), default=0
    )


def in_a_race(board: Any, rules: Rules) -> bool:
    rear = [max([p for p in range(1, 26) if side[p]], default=0) for side in board]
    return max(rear[0], rear[1]) <= 12 if rules.parallel else rear[0] + rear[1] < 25


def closed_points(board: Any, rules: Rules, side: int) -> set[int]:
    """Return the points that a side holds with two checkers, or with one on top of an enemy's."""
    return {
        p
        for p in range(1, 25)
        if board[side][p] >= 2
        or (board[side][p] == 1 and board[1 - side][other_number(p, rules)] == -1)
    }


def hitting_numbers(board: Any, rules: Rules, side: int) -> int:
    """Return how many numbers of a die bring an enemy directly to a lone checker of a side."""
    closed = closed_points(board, rules, side)
    lone = {p for p in range(1, 25) if board[side][p] == 1 and p not in closed}
    return sum(
        any(
            board[1 - side][from_] > 0 and 25 - (from_ - die) in lone
            for from_ in range(die + 1, 26)
        )
        for die in range(1, 7)
    )


def slow_features(board: Any, rules: Rules) -> list[float]:
    """Return the features of a board as the documentation has them."""
    found: list[float] = []
    for side in board.tolist():
        for cell, checkers in enumerate(side):
            found += [checkers >= 1, checkers >= 2, checkers >= 3]
            found.append(max(0, checkers - 3) / (8 if cell == 0 else 2))
    if rules.contact == "pin":
        found += [board[side][p] == -1 for side in (0, 1) for p in range(1, 25)]
    if in_a_race(board, rules):
        return found + [0] * (12 if rules.contact == "none" else 20)
    if rules.contact == "none":
        for side in (0, 1):
            run = longest_run({p for p in range(1, 25) if board[side][p] > 0})
            found += [run >= length for length in (2, 3, 4, 5, 6)]
        for side in (0, 1):
            gate = rules.runner_gate or 25
            found.append(rules.runner_gate is not None and not any(board[side][: gate + 1] > 0))
        return found
    for side in (0, 1):
        run = longest_run(closed_points(board, rules, side))
        found += [run >= length for length in (3, 4, 5, 6)]
    for side in (0, 1):
        numbers = hitting_numbers(board, rules, side)
        found += [numbers > k for k in range(6)]
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_features_are_what_the_documentation_says(name: str) -> None:
    boards = some_boards(name, 250)
    found = tf.features(boards, name)
    assert found.dtype == np.float32
    slow = np.array([slow_features(board, tf.RULES[name]) for board in boards], np.float32)
    np.testing.assert_array_equal(found, slow)
    races = np.zeros(len(boards), np.int8)
    core.phases(boards, tf.RULES[name], races)
    assert races.tolist() == [in_a_race(board, tf.RULES[name]) for board in boards]
    assert 0 < races.sum() < len(races)


def test_features_of_each_kind_come_up() -> None:
    # A flag that no board of the test raises would be tested by nothing.
    for name in FAMILIES:
        assert np.any(tf.features(some_boards(name, 1500), name)[:, -12:], axis=0).all()


def test_encodings() -> None:
    names = {name: tf.encoding(name) for name in PRESETS}
    assert {names[name] for name in ("portes", "backgammon", "tavla", "hypergammon")} == {"hit-1"}
    assert {names[name] for name in ("plakoto", "tapa")} == {"pin-1"}
    assert {names[name] for name in ("fevga", "moultezim", "narde", "gul_bara")} == {"block-1"}
    sizes = {tf.encoding(name): tf.features(tf.start(name), name).shape[1] for name in PRESETS}
    assert sizes == {"hit-1": 228, "pin-1": 276, "block-1": 220}


# --- the arithmetic -------------------------------------------------------------------------------


def dense(net: Any, boards: Any, rules: Rules) -> Any:
    """Return the outputs of unfinished boards in float64, with NumPy and the net's own weights."""
    seen = tf.features(boards, rules).astype(np.float64)
    races = np.array([in_a_race(board, rules) for board in boards])
    out = np.zeros((len(boards), 6))
    for phase, rows in enumerate((~races, races)):
        weights = {name: array[phase].astype(np.float64) for name, array in net.weights().items()}
        layer = seen[rows]
        if isinstance(net, Net):
            layer = layer @ weights["hidden_weights"] + weights["hidden_biases"]
            clipped = net.activation == "clipped"
            layer = np.clip(layer, 0, 1) if clipped else 1 / (1 + np.exp(-layer))
        logits = layer @ weights["output_weights"] + weights["output_biases"]
        out[rows, : logits.shape[1]] = 1 / (1 + np.exp(-logits))
    return out


def evaluators_of(name: str, hidden: int = 40) -> Iterator[Any]:
    """Return one of each kind, with weights as large as trained ones may have."""
    rng = np.random.default_rng(5)
    features = tf.features(tf.start(name), name).shape[1]
    yield Net.random(name, hidden, seed=1, scale=0.7)
    yield Net.random(name, hidden, seed=2, scale=0.7, activation="clipped")
    yield Linear(name, rng.normal(0, 0.2, (2, features, 5)), rng.normal(0, 1, (2, 5)))


def all_judged(net: Any, boards: Any, dice: Any, rules: Rules) -> Any:
    """Return the outputs of all afterstates, from the cells that each play has changed."""
    counts = tf.count_plays(boards, dice, rules)
    assert (counts > 0).all()
    starts = np.cumsum(counts, dtype=np.int64) - counts
    out = np.full((int(counts.sum()), 6), np.nan, np.float32)
    core.afterstate_outcomes(boards, dice, rules, net.packed, net.kind, net.columns, net.outputs, starts, out)
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
        net = tf.Net.random(name, 50, seed=1, activation=activation, scale=0.5)
        found = tf.best_plays(boards, dice, net, name, top=2)
        arrays = [net(boards, name), tf.features(boards, name), *found]
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


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["portes", "plakoto", "gul_bara"])
def test_files_and_pickles_keep_everything(name: str, tmp_path: Path) -> None:
    boards = tf.random_boards(100, name, seed=1)
    for net in evaluators_of(name, 10):
        net.info["name"] = "small"
        net.save(tmp_path / "net.npz")
        for again in (type(net).load(tmp_path / "net.npz"), pickle.loads(pickle.dumps(net))):
            assert type(again) is type(net)
            assert (again.rules, again.info, again.name) == (net.rules, net.info, net.name)
            assert repr(again) == repr(net)
            np.testing.assert_array_equal(again(boards, name), net(boards, name))
        assert net.name.startswith("small-")


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (next(evaluators_of("portes", hidden)) for hidden in (10, 12))
    path = tmp_path / "a.npz"
    old.save(path)

    def full(file: Any, **_: Any) -> None:
        file.write(b"half of it")
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez_compressed", full)
        with pytest.raises(OSError, match="no space"):
            new.save(path)
    assert Net.load(path).name == old.name
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]
    other = tmp_path / "a.npz.part"
    other.write_text("somebody's own")
    path.chmod(0o600)
    old.save(path)
    assert other.read_text() == "somebody's own"
    assert path.stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link.npz"
    link.symlink_to(path)
    new.save(link)
    assert link.is_symlink()
    assert Net.load(path).name == new.name != old.name


def test_house_rules_are_kept(tmp_path: Path) -> None:
    from dataclasses import replace

    house = replace(tf.PLAKOTO, mother="lose_always")
    net = Net.random(house, 4, seed=1)
    net.save(tmp_path / "net.npz")
    assert Net.load(tmp_path / "net.npz").rules == house


class Bomb:
    """What a pickle would run."""

    def __reduce__(self) -> Any:
        return os.mkdir, (str(Bomb.mark),)

    mark = Path()


def stored(path: Path) -> dict[str, Any]:
    with np.load(path) as arrays:
        return {key: arrays[key] for key in arrays.files}


def test_hostile_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    Net.random("portes", 8, seed=1).save(path)
    good, whole = path.read_bytes(), stored(path)
    head = json.loads(str(whole["head"]))

    def written(change: dict[str, Any], head_change: dict[str, Any] | None = None) -> Path:
        new = {**whole, "head": np.array(json.dumps({**head, **(head_change or {})})), **change}
        bad = tmp_path / "bad.npz"
        np.savez_compressed(bad, **{key: value for key, value in new.items() if value is not None})
        return bad

    def refused(bad: Path, why: str) -> None:
        with pytest.raises(ValueError, match=why) as caught:
            Net.load(bad)
        assert bad.name in str(caught.value)

    Bomb.mark = tmp_path / "exploded"
    objects = np.array([Bomb()], object)
    refused(written({"hidden_biases": objects}), "no file of weights")
    refused(written({"head": objects}), "no file of weights")
    assert not Bomb.mark.exists()
    # Weights that do not fit, or are none.
    refused(written({"hidden_biases": None}), "hidden_biases")
    refused(written({"more": np.zeros(3)}), "more")
    refused(written({"hidden_weights": np.zeros((2, 220, 8))}), r"hidden_weights has shape")
    refused(written({"hidden_biases": np.zeros((2, 9))}), r"hidden_biases has shape")
    refused(written({"output_weights": np.zeros((2, 8, 7))}), "7 outputs")
    refused(written({"output_weights": np.full((2, 8, 5), np.nan)}), "output_weights")
    refused(written({"output_biases": np.full((2, 5), 1e9)}), "output_biases")
    refused(written({"output_biases": np.array(["a"] * 5)}), "output_biases")
    # Heads that do not fit.
    refused(written({"head": None}), "head")
    refused(written({"head": np.array("[1")}), "no file of weights")
    refused(written({"head": np.array("[]")}), "no file of weights")
    refused(written({}, {"format": 2}), "format is 2")
    refused(written({}, {"encoding": "hit-2"}), "hit-2")
    refused(written({}, {"features": 229}), "229")
    refused(written({}, {"encoding": "pin-1", "features": 276}), "pin-1")
    refused(written({}, {"rules": "chess"}), "no file of weights")
    refused(written({}, {"rules": {"chess": 1}}), "no file of weights")
    refused(written({"head": np.array("[" * 100_000)}), "no file of weights")
    refused(written({}, {"kind": "Linear"}), "expected a Net")
    refused(written({}, {"activation": "relu"}), "relu")
    refused(written({}, {"info": 3}), "info")
    # Files that are not whole, or something else.
    bad = tmp_path / "bad.npz"
    encrypted = bytearray(good)
    for start in range(len(good)):
        if good.startswith(b"PK\x01\x02", start):  # an entry of the directory
            encrypted[start + 8] |= 1
    for content in (
        bytes(encrypted),
        b"",
        b"PK",
        good[: len(good) // 2],
        good[:-30],
        b"x" * 500,
        good[100:],
    ):
        bad.write_bytes(content)
        refused(bad, "no file of weights")
    spoilt = bytearray(good)
    spoilt[len(good) // 2] ^= 0xFF
    bad.write_bytes(spoilt)
    with pytest.raises(ValueError, match=r"bad\.npz"):
        Net.load(bad)
    np.save(tmp_path / "one.npy", np.zeros(3))
    refused(tmp_path / "one.npy", "no file of weights")
    huge = b"\x93NUMPY\x01\x00v\x00" + str(
        {"descr": "<f4", "fortran_order": False, "shape": (10**15,)}
    ).encode().ljust(118)
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("head.npy", huge)
    refused(bad, "no file of weights")
    # Gigabytes of zeros in a small archive: not unpacked.
    with (
        zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w") as file,
    ):
        for _ in range(80):
            file.write(bytes(1 << 20))
    assert bad.stat().st_size < 1 << 20
    refused(bad, "would unpack to")
    with pytest.raises(FileNotFoundError):
        Net.load(tmp_path / "none.npz")


def test_sizes_in_a_zip_that_lie_unpack_no_more(tmp_path: Path) -> None:
    # The directory says that an entry is small; what is in it is not.
    bad = tmp_path / "bad.npz"
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("head.npy", bytes(1 << 27))
    content = bad.read_bytes()
    size = (1 << 27).to_bytes(4, "little")
    assert content.count(size) >= 1
    bad.write_bytes(content.replace(size, (1000).to_bytes(4, "little")))
    with pytest.raises(ValueError, match="no file of weights"):
        Net.load(bad)


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
