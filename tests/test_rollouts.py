"""Rollouts: reproducible for any workers, right on average, and cleanly interrupted."""

import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from processes import interruptible

import tavli_fast as tf
from tavli_fast import RolloutResult

TRIALS = 10_003  # odd, and no multiple of a chunk


def same(one: RolloutResult, other: RolloutResult) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("counts", "trials", "plies", "unfinished", "boards", "equity", "std_error")
    )


@pytest.fixture(scope="module")
def boards() -> np.ndarray:
    return np.concatenate([tf.start()[np.newaxis], tf.random_boards(2, seed=11)])


@pytest.fixture(scope="module")
def expected(boards: np.ndarray) -> RolloutResult:
    return tf.rollout(boards, "random", trials=TRIALS, seed=42, threads=1)


@pytest.mark.parametrize("threads", [2, 7, None])
def test_threads_do_not_change_a_bit(
    boards: np.ndarray, expected: RolloutResult, threads: int | None
) -> None:
    assert same(expected, tf.rollout(boards, "random", trials=TRIALS, seed=42, threads=threads))


def test_nor_does_a_thread_pool(boards: np.ndarray, expected: RolloutResult) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert same(expected, tf.rollout(boards, "random", trials=TRIALS, seed=42, executor=pool))
        assert pool.submit(int).result() == 0  # it is left running


def test_nor_does_a_process_pool(boards: np.ndarray, expected: RolloutResult) -> None:
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert same(expected, tf.rollout(boards, "random", trials=TRIALS, seed=42, executor=pool))


def test_golden_bits() -> None:
    # A change of these numbers changes every seed's results: it needs a line in the CHANGELOG.
    result = tf.rollout(tf.start("backgammon"), "random", rules="backgammon", trials=1000, seed=1)
    assert result.counts.tolist() == [GOLDEN_COUNTS]
    assert result.plies.tolist() == [GOLDEN_PLIES]


GOLDEN_COUNTS = [116, 182, 166, 0, 198, 190, 148]
GOLDEN_PLIES = 96206


def test_boards_of_one_seed_have_streams_of_their_own() -> None:
    result = tf.rollout(np.stack([tf.start()] * 2), "random", trials=500, seed=1)
    assert not np.array_equal(result.counts[0], result.counts[1])


def test_no_seed_is_a_fresh_seed_that_the_result_tells() -> None:
    one, other = (tf.rollout(tf.start(), "random", trials=200) for _ in range(2))
    assert one.seeds != other.seeds
    assert same(one, tf.rollout(tf.start(), "random", trials=200, seed=one.seeds[0]))


def test_derived_figures() -> None:
    result = tf.rollout(tf.start("backgammon"), "random", rules="backgammon", trials=5000, seed=2)
    assert result.counts.sum() == result.trials[0] == 5000
    points = np.repeat(np.arange(-3, 4), result.counts[0])
    assert result.equity[0] == pytest.approx(points.mean(), abs=1e-12)
    assert result.std_error[0] == pytest.approx(points.std(ddof=1) / 5000**0.5, abs=1e-12)
    assert result.probabilities[0].sum() == pytest.approx(1)
    assert len(result) == 1
    assert "backgammon" in repr(result)
    assert "seed 2" in repr(result)


def test_results_add() -> None:
    a, b = (tf.rollout(tf.start(), "random", trials=300, seed=seed) for seed in (1, 2))
    both = a + b
    np.testing.assert_array_equal(both.counts, a.counts + b.counts)
    assert both.trials.tolist() == [600]
    assert both.seeds == (1, 2)
    assert sum([a, b]) == both
    assert pickle.loads(pickle.dumps(both)) == both
    assert both != a
    with pytest.raises(ValueError, match="read-only"):
        both.counts[0] = 0
    with pytest.raises(ValueError, match="seed 1: they hold the same games"):
        both + a
    with pytest.raises(ValueError, match="different boards"):
        a + tf.rollout(tf.random_boards(1, seed=1), "random", trials=10, seed=3)
    with pytest.raises(ValueError, match="rules"):
        a + tf.rollout(tf.start(), "random", rules="backgammon", trials=10, seed=3)
    with pytest.raises(TypeError):
        a + 1  # type: ignore[operator]


def test_a_finished_board_is_its_outcome() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, 0], board[1, 12] = 15, 15
    result = tf.rollout(np.stack([board, board[::-1]]), "random", trials=50, seed=1)
    assert result.equity.tolist() == [2, -2]
    assert result.std_error.tolist() == [0, 0]
    assert result.plies.tolist() == [0, 0]


def test_games_cut_short_are_counted_apart() -> None:
    result = tf.rollout(tf.start(), "random", trials=100, seed=1, max_plies=3)
    assert result.unfinished.tolist() == [100]
    assert result.counts.sum() == 0
    assert np.isnan(result.equity[0])
    assert result.plies.tolist() == [300]
    assert "100 games were cut" in repr(result)


def test_a_game_that_cannot_go_on_ends_at_the_guard() -> None:
    board = np.zeros((2, 26), np.int8)
    board[:, 25], board[:, 1:7] = 3, 2  # both on the bar against closed boards
    result = tf.rollout(board, "random", trials=10, seed=1)
    assert result.unfinished.tolist() == [10]


def test_exact_value_of_a_short_ending() -> None:
    # Two checkers on the ace point each: whoever is on roll wins.
    board = np.zeros((2, 26), np.int8)
    board[:, 1], board[:, 0] = 2, 13
    assert tf.rollout(board, "random", trials=100, seed=1).equity[0] == 1
    # One checker on 6 for the mover, the opponent wins next: 27 of 36 rolls bear off from 6.
    board[0] = 0
    board[0, 6], board[0, 0] = 1, 14
    result = tf.rollout(board, "random", trials=40_000, seed=1)
    assert abs(result.equity[0] - (2 * 27 / 36 - 1)) < 4 * result.std_error[0]


# Uniformly random play, the opening roll never a double: mean plies, their standard deviation over
# games, and the shares of games won single, gammon and backgammon, by an independent generator
# (60,000 + 60,000, 2,000,000 and 30,000 games).
RANDOM_PLAY = {
    "backgammon": (96.745, 39.43, 120_000, (0.3778, 0.3632, 0.2590)),
    "hypergammon": (22.915, 7.256, 2_000_000, (0.2671, 0.6122, 0.1207)),
    "nackgammon": (121.403, 44.926, 30_000, (0.2857, 0.3635, 0.3508)),
}


@pytest.mark.parametrize("name", RANDOM_PLAY)
def test_random_play_statistics(name: str) -> None:
    plies, deviation, their_games, shares = RANDOM_PLAY[name]
    games = 100_000
    rng = np.random.default_rng(17)
    # The first play by hand: the opening contest has no ties. Then a rollout of one trial each.
    dice = np.array([(a, b) for a in range(1, 7) for b in range(1, a)], np.int8)
    dice = dice[rng.integers(15, size=games)]
    start = np.repeat(tf.start(name)[np.newaxis], games, axis=0)
    after, offsets = tf.afterstates(start, dice, name)
    chosen = offsets[:-1] + rng.integers(np.diff(offsets))
    result = tf.rollout(tf.flip(after[chosen]), "random", rules=name, trials=1, seed=17)
    assert result.unfinished.sum() == 0
    mean = result.plies.mean() + 1
    assert abs(mean - plies) < 4 * deviation * (1 / games + 1 / their_games) ** 0.5
    counts = result.counts.sum(axis=0)
    for points, share in zip((1, 2, 3), shares, strict=True):
        found = (counts[3 - points] + counts[3 + points]) / games
        error = (share * (1 - share) * (1 / games + 1 / their_games)) ** 0.5
        assert abs(found - share) < 4 * error


def test_progress_is_told_in_order_up_to_the_total() -> None:
    seen: list[tuple[int, int]] = []
    caller = threading.get_ident()

    def progress(done: int, total: int) -> None:
        assert threading.get_ident() == caller
        seen.append((done, total))

    tf.rollout(tf.random_boards(3, seed=1), "random", trials=3000, seed=1, progress=progress)
    assert seen[-1] == (9000, 9000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) > 3


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_progress_stops_all_work(threads: int) -> None:
    def progress(done: int, total: int) -> None:
        raise RuntimeError("enough")

    begun = time.perf_counter()
    with pytest.raises(RuntimeError, match="enough"):
        tf.rollout(
            tf.start(), "random", trials=10_000_000, seed=1, threads=threads, progress=progress
        )
    assert time.perf_counter() - begun < 10
    assert not [t for t in threading.enumerate() if t.name.startswith("tavli_fast")]


def test_an_executor_that_is_shut_down_meanwhile_ends_the_rollout() -> None:
    pool = ThreadPoolExecutor(1)
    with pytest.raises((ValueError, BrokenExecutor)):
        tf.rollout(
            tf.start(),
            "random",
            trials=100_000,
            seed=7,
            executor=pool,
            progress=lambda done, total: pool.shutdown(wait=False, cancel_futures=True),
        )
    with pytest.raises(ValueError, match="takes no work"):
        tf.rollout(tf.start(), "random", trials=10, executor=pool)


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("board", ["tf.start()", "dead"])
def test_ctrl_c_returns_soon_and_leaves_nothing_running(board: str) -> None:
    # The dead position is one endless game: both on the bar against closed boards.
    code = f"""
        import threading, time, numpy as np, tavli_fast as tf
        dead = np.zeros((2, 26), np.int8)
        dead[:, 25], dead[:, 1:7] = 3, 2
        rollout = tf.rollout  # imported before it is interrupted
        print("go", flush=True)
        try:
            rollout({board}, "random", trials=10**9, seed=1, max_plies=2**40)
        except KeyboardInterrupt:
            left = [t for t in threading.enumerate() if t is not threading.main_thread()]
            print("stopped", left, flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with (
        interruptible(),
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "go\n"
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    assert out == "stopped []\n"
