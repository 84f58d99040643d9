"""Games in lock-step: the same as the core plays, one call a ply, and luck leaves no bias."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evaluators import by_cells, equity_of, few_checkers, result_of, slow_judged, turned

import tavli_fast as tf
from tavli_fast import EvaluatorError
from tavli_fast._core import batch, net_games
from tavli_fast._core.constants import TRUNCATED, UNFINISHED
from tavli_fast.evaluation import search
from tavli_fast.evaluation.evaluator import Player, player
from tavli_fast.rollouts.lockstep import play_chunk
from tavli_fast.rollouts.options import Settings
from tavli_fast.rules.presets import Rules

PRESETS = sorted(tf.RULES)
KEY = np.array([11, 22], np.uint64)
PLAIN = Settings(max_plies=2000)
LUCK = replace(PLAIN, variance_reduction=True)
RANDOM = (np.zeros(1, np.float32), 0, 32, 5)


def compiled(
    board: Any, rules: Rules, nets: list[Any], judge: Any, settings: Settings, first: int, n: int
) -> Any:
    """Play trials in the core; None stands for a random player."""
    brains = {
        id(net): RANDOM if net is None else (net.packed, net.kind, net.columns, net.outputs)
        for net in (*nets, judge)
    }
    trials: Any = net_games.play_trials(
        board,
        rules,
        (brains[id(nets[0])], brains[id(nets[1])]),
        None if judge is None else brains[id(judge)],
        KEY,
        first,
        n,
        settings.max_plies,
        settings.truncate or 0,
        settings.variance_reduction,
        settings.opening,
        settings.stratified,
        None,
        np.zeros(1, np.uint8),
    )
    return trials[:, :8]


def lockstep(
    board: Any, rules: Rules, nets: list[Any], judge: Any, settings: Settings, first: int, n: int
) -> Any:
    """Play trials in lock-step; None stands for a random player."""
    who = [Player("random") if net is None else player(net, rules) for net in nets]
    judged = None if judge is None else player(judge, rules)
    return play_chunk(board, rules, (who[0], who[1]), judged, settings, KEY, first, n)


def in_python(net: tf.Net, rules: Rules) -> Any:
    """Return a callable that gives what a net gives, to the last bit."""
    return lambda after: net(after, rules)


def on_a_grid(name: str, seed: int) -> tuple[tf.Net, Any]:
    """Return a net, and the same as plain NumPy in float64. Weights are multiples of 1/8 and only
    the chance to win depends on the board: sums have no rounding error, and what is no tie differs
    by more than the logistic function is wrong."""
    features, hidden = tf.features(tf.start(name), name).shape[1], 12
    rng = np.random.default_rng(seed)
    first = rng.integers(-4, 5, (features, hidden)) / 8
    first_biases = rng.integers(-4, 5, hidden) / 8
    second = np.zeros((hidden, 5))
    second[:, 0] = rng.integers(-6, 7, hidden) / 8
    second_biases = np.array([0, -8, -12, -8, -12.0])  # so small that none is cut
    net = tf.Net(name, first, first_biases, second, second_biases, "clipped")

    def dense(seen: Any) -> Any:
        layer = np.clip(seen.astype(np.float64) @ first + first_biases, 0, 1)
        return 1 / (1 + np.exp(-(layer @ second + second_biases)))

    return net, tf.coherent(tf.from_features(dense, name))


@pytest.mark.parametrize("name", PRESETS)
def test_numpy_plays_the_games_of_the_core(name: str) -> None:
    rules, board = tf.RULES[name], tf.start(name)
    net, dense = on_a_grid(name, 1)
    other, other_dense = on_a_grid(name, 2)
    # Ten thousand plies of play that a net without training likes may pass before a game ends, and
    # a cascade of doubles may have half a million plays.
    settings = replace(PLAIN, max_plies=12 if name == "gul_bara" else 100)
    fast = compiled(board, rules, [net, other], None, settings, 7, 16)
    slow = lockstep(board, rules, [dense, other_dense], None, settings, 7, 16)
    np.testing.assert_array_equal(fast[:, 6:], slow[:, 6:])
    done = fast[:, 7] != UNFINISHED
    np.testing.assert_array_equal(fast[done], slow[done])
    mixed = lockstep(board, rules, [net, other_dense], None, settings, 7, 16)
    np.testing.assert_array_equal(mixed, slow)


@pytest.mark.parametrize("name", ["portes", "plakoto", "fevga", "hypergammon"])
@pytest.mark.parametrize("activation", ["sigmoid", "clipped"])
@pytest.mark.parametrize(
    "settings",
    [
        replace(PLAIN, truncate=5),
        replace(PLAIN, truncate=1, stratified=True),
        replace(PLAIN, max_plies=30, opening=True),
        replace(LUCK, truncate=4, opening=True),
        replace(LUCK, stratified=True, max_plies=40),
    ],
    ids=str,
)
def test_any_setting_gives_what_the_core_gives(
    name: str, activation: str, settings: Settings
) -> None:
    rules, board = tf.RULES[name], tf.start(name)
    nets = [tf.Net.random(name, 20, seed=k, activation=activation) for k in (1, 2, 3)]
    for judge in (nets[0], nets[2]):
        fast = compiled(board, rules, nets[:2], judge, settings, 3, 12)
        called = [in_python(net, rules) for net in nets[:2]]
        by = called[0] if judge is nets[0] else in_python(judge, rules)
        slow = lockstep(board, rules, called, by, settings, 3, 12)
        done = fast[:, 7] != UNFINISHED
        np.testing.assert_array_equal(fast[:, 6:], slow[:, 6:])
        np.testing.assert_allclose(fast[done, :6], slow[done, :6], atol=2e-6)


@pytest.mark.parametrize("name", ["portes", "plakoto", "fevga"])
def test_random_players_do_what_they_do_in_the_core(name: str) -> None:
    rules, board, net = tf.RULES[name], tf.start(name), tf.Net.random(name, 8, seed=1)
    for nets in ([None, None], [None, net], [net, None]):
        fast = compiled(board, rules, nets, None, PLAIN, 0, 10)
        slow = lockstep(board, rules, nets, None, PLAIN, 0, 10)
        np.testing.assert_array_equal(fast, slow)


def test_trials_depend_on_their_numbers_alone() -> None:
    net, rules = tf.Net.random("portes", 8, seed=1), tf.PORTES
    whole = lockstep(tf.start(), rules, [net] * 2, None, PLAIN, 5, 30)
    parts = [
        lockstep(tf.start(), rules, [net] * 2, None, PLAIN, first, n)
        for first, n in ((5, 1), (6, 20), (26, 9))
    ]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_one_call_a_ply_and_finished_games_leave() -> None:
    sizes: list[int] = []
    net = tf.Net.random("portes", 8, seed=1)

    def watched(after: Any) -> Any:
        sizes.append(len(after))
        return net(after)

    found = lockstep(tf.start(), tf.PORTES, [watched] * 2, None, PLAIN, 0, 50)
    plies = np.sort(found[:, 6]).astype(int)
    assert (
        plies[-1] - 60 < len(sizes) <= plies[-1]
    )  # none where nobody can move but off or not at all
    assert np.mean(sizes[:10]) > 50 * 10
    assert max(sizes[plies[-2] :], default=0) < 200  # what a single game has


def test_memory_is_bounded_by_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    net, rules = tf.Net.random("portes", 8, seed=1), tf.PORTES
    settings = replace(LUCK, truncate=3)
    whole = lockstep(tf.start(), rules, [in_python(net, rules)] * 2, None, settings, 0, 20)
    monkeypatch.setattr(search, "_CANDIDATES", 100)
    parts = lockstep(tf.start(), rules, [in_python(net, rules)] * 2, None, settings, 0, 20)
    np.testing.assert_array_equal(whole, parts)


def test_a_callable_may_be_called_random() -> None:
    def random(after: Any) -> Any:
        return -after[:, 0] @ np.arange(26.0)

    found = tf.rollout(tf.start(), policy=random, trials=20, seed=1)
    same = tf.rollout(tf.start(), policy=lambda after: random(after), trials=20, seed=1)
    assert found.policy != tf.rollout(tf.start(), "random", trials=20, seed=1).policy
    np.testing.assert_array_equal(found.counts, same.counts)
    np.testing.assert_array_equal(found.plies, same.plies)


# --- what is right on average ---------------------------------------------------------------------


def played_value(board: Any, judge: Any, known: dict[bytes, Any]) -> Any:
    """Return the outcomes of a game of Portes for the player on roll if both sides choose what the
    judge likes best, or with no judge at random."""
    key = board.tobytes()
    if key not in known:
        over, points = tf.outcomes(board)
        total = result_of(int(points[0])) if over[0] else np.zeros(6)
        for dice in [] if over[0] else [(high, low) for high in range(1, 7) for low in range(1, 7)]:
            after = tf.afterstates(board, dice).boards
            if not len(after):
                after = board[np.newaxis]
            if judge is not None:
                seen = [slow_judged(one, judge, tf.PORTES, 0) for one in after]
                best = int(np.argmax(equity_of(seen)))
                after = after[best : best + 1]
            for one in after:
                total += turned(played_value(tf.flip(one), judge, known)) / 36 / len(after)
        known[key] = total
    return known[key]


RACE = few_checkers("portes", {6: 1, 4: 1, 3: 1}, {5: 1, 3: 1})


@pytest.mark.parametrize(
    ("who", "settings"),
    [
        ("random", PLAIN),
        ("by cells", PLAIN),
        ("by cells", LUCK),
        ("by cells", replace(PLAIN, stratified=True)),
        ("by cells", replace(LUCK, stratified=True)),
    ],
    ids=str,
)
def test_no_bias(who: str, settings: Settings) -> None:
    judge, trials = by_cells(7), 1000
    chooser = None if who == "random" else judge
    truth = played_value(RACE, chooser, {})
    found = lockstep(RACE, tf.PORTES, [chooser] * 2, judge, settings, 0, trials)
    assert (found[:, 7] != UNFINISHED).all()
    errors = found[:, :6].std(axis=0, ddof=1) / np.sqrt(trials)
    assert (np.abs(found[:, :6].mean(axis=0) - truth) <= 4 * errors + 1e-12).all()


def test_perfect_knowledge_leaves_no_luck() -> None:
    # With a judge who knows what each position is worth, each trial has the exact result.
    judge, known = by_cells(7), dict[bytes, Any]()

    def perfect(after: Any) -> Any:
        return turned([played_value(tf.flip(one), judge, known) for one in after])

    truth = played_value(RACE, judge, known)
    for settings in (LUCK, replace(LUCK, truncate=2), replace(LUCK, truncate=1, stratified=True)):
        found = lockstep(RACE, tf.PORTES, [judge] * 2, perfect, settings, 0, 40)
        np.testing.assert_allclose(found[:, :6], np.tile(truth, (40, 1)), atol=1e-9)
    cut = lockstep(RACE, tf.PORTES, [judge] * 2, perfect, replace(PLAIN, truncate=1), 0, 40)
    assert (cut[:, 7] == TRUNCATED).all()
    assert (cut[:, 6] == 1).all()


def test_equities_alone_give_the_right_equity() -> None:
    judge = by_cells(7)
    for settings in (PLAIN, LUCK, replace(PLAIN, truncate=2), replace(LUCK, truncate=2)):
        both = lockstep(RACE, tf.PORTES, [judge] * 2, judge, settings, 0, 30)
        alone = lambda after: equity_of(judge(after))  # noqa: E731
        found = lockstep(RACE, tf.PORTES, [alone] * 2, alone, settings, 0, 30)
        np.testing.assert_allclose(equity_of(found[:, :6]), equity_of(both[:, :6]), atol=1e-12)
        np.testing.assert_array_equal(found[:, 6:], both[:, 6:])


# --- what goes wrong ------------------------------------------------------------------------------


def test_games_are_given_up() -> None:
    net = tf.Net.random("portes", 8, seed=1)
    found = lockstep(tf.start(), tf.PORTES, [net] * 2, None, replace(PLAIN, max_plies=7), 0, 5)
    assert found[:, 6:].tolist() == [[7, UNFINISHED]] * 5


@pytest.mark.parametrize("settings", [PLAIN, LUCK], ids=str)
def test_one_game_with_too_many_plays_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    from tavli_fast.errors import ResultTooLargeError

    rules, net = tf.PORTES, in_python(tf.Net.random("portes", 8, seed=1), tf.PORTES)
    settings = replace(settings, truncate=6)
    usual = lockstep(tf.start(), rules, [net] * 2, None, settings, 0, 200)
    count = batch.count

    def limited(boards: Any, dice: Any, *rest: Any) -> None:
        """Fail on 3-3 once a checker has left the 24 point."""
        if ((dice == 3).all(axis=1) & (boards[:, 0, 24] < 2)).any():
            raise ResultTooLargeError("too many")
        count(boards, dice, *rest)

    monkeypatch.setattr(batch, "count", limited)
    found = lockstep(tf.start(), rules, [net] * 2, None, settings, 0, 200)
    left = found[:, 7] != UNFINISHED
    assert left.any()
    assert not left.all()
    np.testing.assert_array_equal(found[left], usual[left])


def test_a_bad_answer_stops_it_all() -> None:
    calls = 0

    def tired(after: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 9:
            raise OSError("too tired")
        return np.full(len(after), np.nan if calls == 20 else 0.5)

    with pytest.raises(
        EvaluatorError, match=r"evaluator tired raised OSError \(too tired\).*TFID1:p"
    ):
        lockstep(tf.start(), tf.PORTES, [tired] * 2, None, PLAIN, 0, 10)
    calls = 9
    with pytest.raises(EvaluatorError, match=r"evaluator tired returned nan.*TFID1:p"):
        lockstep(tf.start(), tf.PORTES, [tired] * 2, None, PLAIN, 0, 10)
