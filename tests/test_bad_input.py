"""Bad calls, one a line: each is refused with an error that names the argument, the value and what
was expected; and odd but legal input is taken."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import BoardError, IllegalMoveError, NotationError, ResultTooLargeError

START = tf.start()


def changed(*edits: tuple[int, int, int]) -> np.ndarray:
    """Return the start with counts replaced: (plane, point, count)."""
    board = START.copy()
    for plane, point, value in edits:
        board[plane, point] = value
    return board


def family(name: str, *edits: tuple[int, int, int]) -> np.ndarray:
    """Return a start of another game with counts replaced."""
    board = tf.start(name)
    for plane, point, value in edits:
        board[plane, point] = value
    return board


# Each: what is called, with what, the error's kind, and words that its message must hold.
BAD: list[tuple[Callable[..., Any], tuple[Any, ...], type[ValueError], tuple[str, ...]]] = [
    (tf.count_plays, (np.zeros((2, 25), np.int8), (3, 1)), ValueError, ("boards", "(2, 25)", "26")),
    (tf.count_plays, (np.zeros((26, 2), np.int8), (3, 1)), ValueError, ("boards", "(26, 2)")),
    (tf.count_plays, (np.zeros(52, np.int8), (3, 1)), ValueError, ("boards", "(52,)")),
    (
        tf.count_plays,
        (np.zeros((1, 1, 2, 26), np.int8), (3, 1)),
        ValueError,
        ("boards", "(1, 1, 2"),
    ),
    (tf.count_plays, (START.astype(float), (3, 1)), ValueError, ("boards", "float64", "integer")),
    (tf.count_plays, (np.full((2, 26), np.nan), (3, 1)), ValueError, ("boards", "float64")),
    (tf.count_plays, (START.astype(bool), (3, 1)), ValueError, ("boards", "bool", "integer")),
    (tf.count_plays, (START.astype(str), (3, 1)), ValueError, ("boards", "<U")),
    (tf.count_plays, (START.astype(object), (3, 1)), ValueError, ("boards", "object")),
    (tf.count_plays, ("4HPwATDgc/ABMA", (3, 1)), ValueError, ("boards", "parse_position")),
    (tf.count_plays, (None, (3, 1)), ValueError, ("boards", "object")),
    (tf.count_plays, ([[1, 2], [3]], (3, 1)), ValueError, ("boards", "no array")),
    (
        tf.count_plays,
        (np.ma.masked_array(START, mask=True), (3, 1)),
        ValueError,
        ("boards", "masked"),
    ),
    (
        tf.count_plays,
        (START, np.ma.masked_array([3, 1], mask=True)),
        ValueError,
        ("dice", "masked"),
    ),
    (
        tf.count_plays,
        (START, np.broadcast_to(np.array([3, 1]), (10**12, 2))),
        ValueError,
        ("dice", "(1000000000000, 2)"),
    ),
    (
        tf.count_plays,
        (np.broadcast_to(START, (10**12, 2, 26)), (3, 1)),
        ResultTooLargeError,
        ("boards", "GiB"),
    ),
    (tf.flip, (np.broadcast_to(START, (10**12, 2, 26)),), ResultTooLargeError, ("boards", "GiB")),
    (tf.random_boards, (10**400,), ResultTooLargeError, ("n=1000", "GiB")),
    (tf.random_boards, (1, "portes", 2**128), ValueError, ("seed", "2**128 - 1")),
    (tf.rollout, (START, "random", "portes", 10**5000), ValueError, ("trials", "bits")),
    (tf.count_plays, (START.astype(int) + 256, (3, 1)), ValueError, ("boards", "261")),
    (tf.count_plays, (START.astype(int) - 999, (3, 1)), ValueError, ("boards", "-999")),
    (
        tf.count_plays,
        (np.full((2, 26), 2**63, np.uint64), (3, 1)),
        ValueError,
        ("boards", str(2**63)),
    ),
    (tf.count_plays, (changed((0, 6, -5)), (3, 1)), BoardError, ("boards", "-5", "[6]")),
    (tf.count_plays, (changed((1, 6, -1)), (3, 1)), BoardError, ("boards", "-1", "plane 1")),
    (tf.count_plays, (changed((0, 6, 6)), (3, 1)), BoardError, ("boards", "16 checkers", "15")),
    (
        tf.count_plays,
        (changed((1, 6, 4)), (3, 1)),
        BoardError,
        ("boards", "14 checkers", "plane 1"),
    ),
    (tf.count_plays, (changed((0, 6, 127)), (3, 1)), BoardError, ("boards", "137 checkers")),
    (
        tf.count_plays,
        (changed((0, 6, 4), (0, 19, 1)), (3, 1)),
        BoardError,
        ("boards", "both sides", "19"),
    ),
    (tf.count_plays, (START, (3, 1), "hypergammon"), BoardError, ("boards", "15 checkers", "3")),
    (
        tf.count_plays,
        (np.eye(1, 26, 0, dtype=np.int8).repeat(2, 0) * 15, (3, 1)),
        BoardError,
        ("boards", "both sides have borne off"),
    ),
    (tf.count_plays, (START, (0, 1)), ValueError, ("dice", "0", "1 to 6")),
    (tf.count_plays, (START, (3, 7)), ValueError, ("dice", "7", "1 to 6")),
    (tf.count_plays, (START, (-3, 1)), ValueError, ("dice", "-3", "1 to 6")),
    (tf.count_plays, (START, (3,)), ValueError, ("dice", "(1,)", "[2]")),
    (tf.count_plays, (START, (3, 1, 1)), ValueError, ("dice", "(3,)")),
    (tf.count_plays, (START, 31), ValueError, ("dice", "()")),
    (tf.count_plays, (START, (3.0, 1.0)), ValueError, ("dice", "float64")),
    (tf.count_plays, (START, (3, None)), ValueError, ("dice", "object")),
    (tf.count_plays, (START, (300, 1)), ValueError, ("dice", "300")),
    (tf.count_plays, (START, "31"), ValueError, ("dice", "<U2")),
    (tf.count_plays, (START, [(3, 1), (2, 1)]), ValueError, ("dice", "(2, 2)", "[1, 2]")),
    (tf.count_plays, (START, (3, 1), "ludo"), ValueError, ("rules", "ludo", "portes")),
    (tf.count_plays, (START, (3, 1), 3), ValueError, ("rules", "3")),
    (tf.count_plays, (START, (3, 1), 15), ValueError, ("rules", "15")),
    # Pins and blocks.
    (tf.validate, (changed((0, 6, 4), (0, 5, -1)), "portes"), BoardError, ("-1", "pin games only")),
    (
        tf.validate,  # a pin without a pinner
        (family("plakoto", (0, 24, 14), (0, 10, -1)), "plakoto"),
        BoardError,
        ("point 10", "without one on top"),
    ),
    (
        tf.validate,  # two pinned on one point
        (family("plakoto", (0, 24, 14), (0, 10, -1), (1, 24, 14), (1, 15, -1)), "plakoto"),
        BoardError,
        ("point 10", "without one on top"),
    ),
    (
        tf.validate,
        (family("plakoto", (0, 24, 13), (0, 10, -2)), "plakoto"),
        BoardError,
        ("-2", "-1 for a pinned checker"),
    ),
    (
        tf.validate,
        (family("plakoto", (0, 24, 14), (0, 0, -1)), "plakoto"),
        BoardError,
        ("-1", "[0]"),
    ),
    (
        tf.validate,  # both on a point, and no pin
        (family("plakoto", (0, 24, 14), (0, 10, 1), (1, 24, 14), (1, 15, 1)), "plakoto"),
        BoardError,
        ("both sides", "point 10"),
    ),
    (
        tf.validate,
        (family("plakoto", (0, 24, 14), (0, 25, 1)), "plakoto"),
        BoardError,
        ("bar [25]", "expected none"),
    ),
    (
        tf.validate,
        (family("fevga", (1, 24, 14), (1, 25, 1)), "fevga"),
        BoardError,
        ("plane 1", "bar [25]"),
    ),
    (
        tf.validate,  # the mover's 12 is the enemy's 24
        (family("fevga", (0, 24, 14), (0, 12, 1)), "fevga"),
        BoardError,
        ("both sides", "point 12", "24 of the opponent"),
    ),
    (
        tf.validate,
        (family("narde", (0, 24, 14), (0, 10, -1)), "narde"),
        BoardError,
        ("-1", "pin games only"),
    ),
    (tf.position_id, (tf.start("fevga"), "fevga"), ValueError, ("TFID",)),
    (tf.position_id, (tf.start("tapa"), "tapa"), ValueError, ("TFID",)),
    (tf.from_tfid, ("TFID1:q:1o22O1:0:0",), NotationError, ("TFID1:q",)),
    (
        tf.apply,
        (tf.start("fevga"), [(24, 22), (24, 23)], (2, 1), "fevga"),
        IllegalMoveError,
        ("gate",),
    ),
    (
        tf.apply,
        (tf.start("narde"), [(24, 22), (24, 23)], (2, 1), "narde"),
        IllegalMoveError,
        ("head",),
    ),
    (tf.start, ("PORTES",), ValueError, ("rules", "PORTES", "portes")),
    (tf.flip, (np.zeros((2, 25), np.int8),), ValueError, ("boards", "(2, 25)")),
    (tf.flip, (np.zeros((2, 26)),), ValueError, ("boards", "float64")),
    (tf.flip, (np.full((2, 26), 999),), ValueError, ("boards", "int8")),
    (tf.apply, (START, [(8, 5, 1)]), ValueError, ("moves", "(1, 3)")),
    (tf.apply, (START, [(8, 5)] * 5), ValueError, ("moves", "(5, 2)")),
    (tf.apply, (START, np.zeros((2, 4, 2), np.int8)), ValueError, ("moves", "(2, 4, 2)")),
    (tf.apply, (START, [(-1, -1), (8, 5)]), ValueError, ("moves", "after -1")),
    (tf.apply, (START, [(8, -1)]), ValueError, ("moves", "after -1")),
    (tf.apply, (START, [(8.0, 5.0)]), ValueError, ("moves", "float64")),
    (tf.apply, (START, [(8, 5)], (6, 6)), IllegalMoveError, ("moves", "8/5", "6-6")),
    (tf.apply, (START, [(8, 2)], (6, 1)), IllegalMoveError, ("moves", "8/2", "6-1")),
    (tf.apply, (START, [(24, 19)]), IllegalMoveError, ("moves", "24/19", "closed")),
    (tf.apply, (START, [(6, 0)]), IllegalMoveError, ("moves", "6/off", "outside")),
    (tf.apply, (START, [(127, 126)]), IllegalMoveError, ("moves", "127/126", "1 to 25")),
    (tf.perft, (START, -1), ValueError, ("depth", "-1", "0 to 20")),
    (tf.perft, (START, 1.5), ValueError, ("depth", "1.5")),
    (tf.perft, (START, 10**9), ValueError, ("depth", "1000000000", "20")),
    (tf.perft, (np.stack([START] * 2), 1), ValueError, ("board", "(2, 2, 26)", "one board")),
    (tf.random_boards, (-1,), ValueError, ("n", "-1", "0 or more")),
    (tf.random_boards, (10**15,), ResultTooLargeError, ("n=1000000000000000", "GiB")),
    (tf.random_boards, (2**70,), ResultTooLargeError, ("n=", "GiB")),
    (tf.random_boards, (1.5,), ValueError, ("n", "1.5")),
    (tf.random_boards, (True,), ValueError, ("n", "True")),
    (tf.random_boards, (1, "portes", -1), ValueError, ("seed", "-1")),
    (tf.random_boards, (1, "portes", "x"), ValueError, ("seed", "'x'")),
    (tf.random_boards, (1, "portes", 0.5), ValueError, ("seed", "0.5")),
    (tf.rollout, (START, "best", "portes"), ValueError, ("policy", "'best'", "random")),
    (tf.rollout, (START, "random", "portes", 0), ValueError, ("trials", "0", "1 to")),
    (tf.rollout, (START, "random", "portes", 2**63), ValueError, ("trials", str(2**63), "1 to")),
    (tf.rollout, (START, "random", "portes", 1e3), ValueError, ("trials", "1000.0")),
    (tf.rollout, (START, "random", "portes", 9, -1), ValueError, ("seed", "-1")),
    (tf.rollout, (START, "random", "portes", 9, 1, 0), ValueError, ("threads", "0")),
    (tf.rollout, (START, "random", "portes", 9, 1, 1, "pool"), ValueError, ("executor", "'pool'")),
    (tf.rollout, (START, "random", "portes", 9, 1, 1, None, 0), ValueError, ("max_plies", "0")),
    (tf.rollout, (START, "random", "portes", 9, 1, 1, None, 9, 3), ValueError, ("progress", "3")),
    (tf.rollout, (changed((0, 6, 4)),), BoardError, ("boards", "14 checkers")),
    (tf.legal_plays, (np.stack([START] * 2), (3, 1)), ValueError, ("board", "one board")),
    (tf.legal_plays, (START, (3, 9)), ValueError, ("dice", "9")),
    (tf.from_position_id, ("4HPwATDgc/ABM",), NotationError, ("4HPwATDgc/ABM", "14")),
    (tf.from_xgid, ("XGID=-b",), NotationError, ("XGID",)),
    (tf.parse_play, ("13/7 8/2", START, (3, 1)), ValueError, ("13/7 8/2",)),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_input_is_refused_and_nothing_is_touched(number: int) -> None:
    call, arguments, kind, words = BAD[number]
    kept = [a.copy() if isinstance(a, np.ndarray) and a.size < 10**6 else a for a in arguments]
    with pytest.raises(kind) as error:
        call(*arguments)
    message = str(error.value)
    for word in words:
        assert word in message
    assert "\n" not in message
    for before, now in zip(kept, arguments, strict=True):
        assert before is now or np.array_equal(before, now, equal_nan=before.dtype.kind == "f")


CALLS = (tf.count_plays, tf.afterstates, tf.plays)


@pytest.mark.parametrize("call", CALLS)
def test_an_empty_batch_has_an_empty_result(call: Callable[..., Any]) -> None:
    empty = np.zeros((0, 2, 26), np.int8)
    for dice in ((3, 1), np.zeros((0, 2), np.int8)):
        result = call(empty, dice)
        if call is tf.count_plays:
            assert result.shape == (0,)
        else:
            assert result.boards.shape == (0, 2, 26)
            assert result.offsets.tolist() == [0]


def test_empty_batches_elsewhere() -> None:
    empty = np.zeros((0, 2, 26), np.int8)
    assert tf.apply(empty, [(8, 5)]).shape == (0, 2, 26)
    assert [a.shape for a in tf.outcomes(empty)] == [(0,), (0,)]
    assert tf.flip(empty).shape == (0, 2, 26)
    result = tf.rollout(empty, "random", trials=10, seed=1)
    assert result.counts.shape == (0, 7)
    assert len(result) == 0
    assert repr(result)
    tf.validate(empty)


@pytest.mark.parametrize("call", CALLS)
def test_layout_and_integer_type_of_the_input_do_not_matter(call: Callable[..., Any]) -> None:
    boards = tf.random_boards(20, seed=2)
    dice = np.random.default_rng(2).integers(1, 7, (20, 2))
    expected = call(boards, dice)
    read_only = boards.copy()
    read_only.flags.writeable = False
    wide = np.zeros((20, 2, 52), np.int8)
    wide[..., ::2] = boards
    for same in (
        read_only,
        wide[..., ::2],
        np.asfortranarray(boards),
        boards.astype(np.int64),
        boards.astype(np.uint8),
        boards.astype(">i2"),
        boards.tolist(),
    ):
        for roll in (dice, dice.astype(np.uint8), np.asfortranarray(dice), dice.tolist()):
            result = call(same, roll)
            if call is tf.count_plays:
                np.testing.assert_array_equal(result, expected)
            else:
                for one, other in zip(result, expected, strict=True):
                    np.testing.assert_array_equal(one, other)


def test_results_own_their_memory() -> None:
    boards = tf.random_boards(5, seed=1)
    result = tf.rollout(boards, "random", trials=5, seed=1)
    boards[:] = 0
    assert result.boards.any()
    after = tf.afterstates(tf.start(), (3, 1)).boards
    after[:] = 0  # writable, and nobody else's


def test_a_result_beyond_memory_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("_common.arguments", "boards.plays"):
        monkeypatch.setattr(sys.modules[f"tavli_fast.{module}"], "memory_limit", lambda: 500)
    for call in (tf.afterstates, tf.plays):
        with pytest.raises(ResultTooLargeError, match=r"the (afterstates|moves) would take .* GiB"):
            call(np.stack([START] * 100), (2, 1))
    assert tf.count_plays(START, (2, 1)) == 15


SCARCE = """
import resource
import numpy as np, tavli_fast as tf
from tavli_fast._core import batch

board, dice = np.array([{board}], np.int8), np.array([[4, 4]], np.int8)

def fails(call, *args, kib):
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + 1024 * kib
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    try:
        call(board, dice, tf.GUL_BARA, *args)
    except (MemoryError, tf.ResultTooLargeError):
        return True
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    return False

low, high = 0, 1 << 16  # just enough memory for the search is between
while high - low > 16:
    middle = (low + high) // 2
    if fails(batch.count, np.empty(1, np.int32), kib=middle):
        low = middle
    else:
        high = middle
print(all(fails(batch.afterstates, 1 << 33, kib=low - 16 * k) for k in range(24)))
"""
"""A cascade of 77,016 plays with a little less memory than it takes, in steps of four pages."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited as Linux does")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer needs more")
def test_a_search_that_runs_out_of_memory_is_not_used() -> None:
    mine, theirs = np.zeros((2, 26), int)
    mine[[1, 2, 10, 11, 14, 16, 20, 22, 24]] = 2, 1, 1, 2, 2, 1, 1, 2, 3
    theirs[[1, 5, 9, 11, 24]] = 4, 2, 1, 1, 7
    code = SCARCE.format(board=[mine.tolist(), theirs.tolist()])
    # Every large block gets memory of its own, so that the limit counts.
    env = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    child = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stdout) == (0, "True\n"), child.stderr[-500:]


def test_a_large_batch() -> None:
    boards = np.repeat(tf.random_boards(1000, seed=1), 100, axis=0)
    counts = tf.count_plays(boards, (6, 5))
    assert counts.shape == (100_000,)
    after = tf.afterstates(boards, (6, 5))
    np.testing.assert_array_equal(np.diff(after.offsets), counts)


class _Unchecked(tf.Rules):
    """A rule set that leaves out the checks."""

    def __post_init__(self) -> None:
        pass


def test_rules_that_got_past_their_constructor_are_refused() -> None:
    with pytest.raises(ValueError, match="no subclass"):
        tf.rollout(START, "random", rules=_Unchecked(single_points=50), trials=1)
    forced = tf.Rules()
    object.__setattr__(forced, "gammon_points", 50)
    with pytest.raises(ValueError, match="gammon_points=50"):
        tf.count_plays(START, (3, 1), forced)


def test_boards_that_change_during_a_call_do_no_harm() -> None:
    few, many = np.zeros((2, 2, 26), np.int8)
    few[:, 0], few[:, 1] = 14, 1
    many[0, 1:16], many[1, 1] = 1, 15
    boards = np.repeat(few[np.newaxis], 2000, axis=0)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            boards[:] = many
            boards[:] = few

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(200):
            with contextlib.suppress(BoardError):  # half of one and half of another
                tf.plays(boards, (1, 1))
    finally:
        stop.set()
        thread.join()

    class Sly:
        """Dice that change the board while they are read."""

        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            board[:] = 4
            return np.array([1, 1])

    board = START.copy()
    with contextlib.suppress(IllegalMoveError):
        tf.apply(board, [(24, 23)] * 4, Sly())
    assert tf.count_plays(START.copy(), Sly())[0] == tf.count_plays(START, (1, 1))[0]
