"""Calls that caught people: each now answers, or says in a sentence what is meant.

One section for each trap; the call in question stands in the test as it was made.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf

BACKGAMMON = tf.load_net("backgammon")
PORTES = tf.load_net("portes")
MATCH = "XGID=-b----E-C---eE---c-e----B-:1:1:1:{dice}:2:4:0:7:10"
"""2-4 in a match to 7, the cube at 2 with the player on roll."""
RACE = [0.72, 0.21, 0.01, 0.07, 0.0, 0.0]


def backgammon_won() -> np.ndarray:
    """Return a board on which who is not on roll has won a backgammon."""
    board = np.zeros((2, 26), np.int8)
    board[0, [6, 25]] = 14, 1
    board[1, 0] = 15
    return board


def zeros(boards: np.ndarray) -> np.ndarray:
    """Judge all afterstates alike."""
    return np.zeros(len(boards))


def last(board: np.ndarray, dice: Any, afterstates: np.ndarray, rules: tf.Rules) -> int:
    """Choose the last afterstate: a `Policy`."""
    return len(afterstates) - 1


# Away or won?


def test_a_score_is_the_points_won_and_away_has_its_own_name() -> None:
    won = tf.CubeSetting(score=(2, 4), target=7)
    away = tf.CubeSetting(away=(5, 3))
    assert won == away
    assert won.away == (5, 3)
    assert replace(won, cube=2).score == (2, 4)
    assert won.turned().away == (3, 5)
    with pytest.raises(ValueError, match=r"score=\(2, 4\) without target.*still need are away="):
        tf.CubeSetting(score=(2, 4))
    assert tf.CubeSetting(target=5).away == (5, 5)


def test_an_xgid_and_a_session_give_a_setting() -> None:
    setting = tf.CubeSetting.of(tf.from_xgid(MATCH.format(dice="00")))
    assert (setting.cube, setting.owner, setting.away) == (2, "player", (5, 3))
    session = tf.Session("backgammon", target=7, score=(2, 4), seed=1)
    on_roll = session.game.cube_question
    expected = (5, 3) if session.game.player == 0 else (3, 5)
    assert tf.CubeSetting.of(session).away == expected
    assert tf.CubeSetting.of(session.game) == tf.CubeSetting.of(on_roll)
    with pytest.raises(ValueError, match="expected an XGID, a Game, a Session or a CubeQuestion"):
        tf.CubeSetting.of("2-4")  # type: ignore[arg-type]


# Whose rules?


def test_a_net_counts_by_its_own_rules() -> None:
    board = backgammon_won()
    assert tf.evaluate(board, BACKGAMMON).equity == -3
    assert tf.evaluate(board, PORTES).equity == -2
    assert tf.rollout(board, BACKGAMMON, trials=1).equity == -3
    assert tf.evaluate(board, zeros).equity == -2  # nobody says: Portes


def test_an_xgid_counts_by_the_rules_of_the_evaluator_unless_it_states_some() -> None:
    text = str(tf.XGID(backgammon_won(), rules=tf.BACKGAMMON))
    assert tf.evaluate(tf.from_xgid(text), BACKGAMMON).equity == -3
    assert tf.rollout(text, BACKGAMMON, trials=1).equity == -3
    stated = tf.from_xgid(text, "portes")
    with pytest.raises(ValueError, match="is for the rules backgammon: expected one for portes"):
        tf.evaluate(stated, BACKGAMMON)


def test_an_evaluator_for_other_rules_is_refused_unless_it_lends() -> None:
    with pytest.raises(ValueError, match="is for the rules backgammon: expected one for portes"):
        tf.evaluate(tf.start(), BACKGAMMON, rules="portes")
    house = replace(tf.BACKGAMMON, bearoff_oversize=False)  # no net of its own
    assert tf.evaluate(tf.start(house), BACKGAMMON, house).equity.shape == (1,)
    for name in tf.RULES:
        assert tf.evaluate(tf.start(name), tf.load_net(name), name).equity.shape == (1,)
    with pytest.raises(ValueError, match="evaluators are for different rules; expected rules="):
        tf.arena(BACKGAMMON, PORTES, games=2)


# --- one policy -----------------------------------------------------------------------------------


POLICIES: list[Any] = [PORTES, "net", "random", zeros, last]
IDS = ["a net", "'net'", "'random'", "a callable", "a Policy"]


@pytest.mark.parametrize("policy", [*POLICIES, "RandomPolicy"], ids=[*IDS, "RandomPolicy"])
def test_every_policy_plays_everywhere(policy: Any) -> None:
    def made() -> Any:
        return tf.RandomPolicy(1) if policy == "RandomPolicy" else policy

    board = tf.random_boards(5, seed=3)[4]
    rolled = [tf.rollout(board, policy=made(), trials=8, seed=1, threads=n) for n in (1, 2)]
    assert rolled[0] == rolled[1]
    assert rolled[0].trials.tolist() == [8]
    assert len(tf.rank_plays(board, (6, 5), made(), trials=4, seed=1))
    assert tf.arena(made(), "random", games=4, seed=1).games == 4
    assert sum(tf.Session("portes", seed=1).play_out(made(), "net", 1)) > 0
    assert tf.Session("portes", seed=1).game.play_out("random", made()).winner in (0, 1)
    judge = None if policy in (PORTES, "net") else "net"
    player = tf.CubePlayer(made(), judge)  # type: ignore[arg-type]
    with_cube = tf.Session(replace(tf.PORTES, cube=True), seed=1)
    assert sum(with_cube.play_out(player, "random", 1)) > 0


def test_a_policy_plays_the_same_game_in_a_rollout_as_by_hand() -> None:
    board = tf.random_boards(9, seed=4)[8]
    found = tf.rollout(board, last, trials=16, seed=2, truncate=1, evaluator=zeros)
    asked: list[int] = []

    def counting(board: Any, dice: Any, afterstates: np.ndarray, rules: Any) -> int:
        asked.append(len(afterstates))
        assert not afterstates.flags.writeable
        return last(board, dice, afterstates, rules)

    assert tf.rollout(board, counting, trials=16, seed=2, truncate=1, evaluator=zeros).equity == (
        found.equity
    )
    assert 0 < len(asked) <= 16
    with pytest.raises(ValueError, match="policy=99: expected an integer 0 to"):
        tf.rollout(board, lambda board, dice, afterstates, rules: 99, trials=4)


def test_as_policy_is_public() -> None:
    assert isinstance(tf.as_policy("random", seed=1), tf.RandomPolicy)
    policy = tf.RandomPolicy(1)
    assert tf.as_policy(policy) is policy
    plays = tf.afterstates(tf.start(), (3, 1))
    best = tf.as_policy("net")(tf.start(), (3, 1), plays.boards, tf.PORTES)
    assert (plays.boards[best] == tf.best_plays(tf.start(), (3, 1), "net").boards[0, 0]).all()
    with pytest.raises(ValueError, match="is for the rules portes: expected one for plakoto"):
        tf.as_policy(PORTES, "plakoto")
    with pytest.raises(ValueError, match="policy='gnubg': expected 'net', 'random', a Net"):
        tf.as_policy("gnubg")  # type: ignore[arg-type]


def test_an_evaluator_of_equities_leaves_the_cube_alone_where_nobody_asked_for_it() -> None:
    session = tf.Session("backgammon", target=3, seed=1)
    session.play_out(zeros, "random")
    assert session.winner is not None


# --- one order of arguments -----------------------------------------------------------------------


START = tf.start()
MISPLACED: list[tuple[Callable[[], object], str]] = [
    (lambda: tf.rollout(START, "plakoto"), "policy='plakoto' is the name of rules: pass rules="),  # type: ignore[arg-type]
    (lambda: tf.rollout(START, tf.PLAKOTO), r"policy=Rules\(…\) is a rule set: pass it as rules="),  # type: ignore[arg-type]
    (lambda: tf.rank_plays(START, (3, 1), "portes"), "policy='portes' is the name of rules"),  # type: ignore[arg-type]
    (lambda: tf.rank_plays(START, "portes"), "dice='portes' is the name of rules"),
    (lambda: tf.arena("portes", "net"), "first='portes' is the name of rules"),  # type: ignore[call-overload]
    (lambda: tf.evaluate(START, "portes"), "evaluator='portes' is the name of rules"),  # type: ignore[arg-type]
    (lambda: tf.best_plays(START, (3, 1), "portes"), "evaluator='portes' is the name of rules"),  # type: ignore[arg-type]
    (lambda: tf.apply(START, [(8, 5)], "plakoto"), "dice='plakoto' is the name of rules: pass"),
    (lambda: tf.apply(START, [(8, 5)], tf.PLAKOTO), "dice=Rules"),  # type: ignore[arg-type]
    (lambda: tf.tfid(START, "plakoto"), "dice='plakoto' is the name of rules"),
    (lambda: tf.afterstates("portes", (3, 1)), "boards='portes' is the name of rules"),
    (lambda: tf.cube_decision(RACE, "portes"), "setting='portes' is the name of rules"),  # type: ignore[arg-type]
    (lambda: tf.exact_cube(START, "backgammon"), "setting='backgammon' is the name of rules"),  # type: ignore[arg-type]
    (lambda: tf.evaluate("4HPwATDgc/ABMA", PORTES), "tf.parse_position reads the text"),
]


@pytest.mark.parametrize(("call", "message"), MISPLACED)
def test_rules_in_another_place_are_told_where_they_belong(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_positions_come_first_then_dice_policy_and_rules() -> None:
    board = tf.start("backgammon")
    by_place = tf.rollout(board, BACKGAMMON, "backgammon", 4, 1)
    by_name = tf.rollout(boards=board, policy=BACKGAMMON, rules="backgammon", trials=4, seed=1)
    assert by_place == by_name
    ranked = tf.rank_plays(
        board=board, dice=(6, 5), policy=BACKGAMMON, rules="backgammon", trials=4
    )
    assert ranked.rules is tf.BACKGAMMON
    assert tf.rank_plays(board, (6, 5), BACKGAMMON, "backgammon", 4).rules is tf.BACKGAMMON
    assert tf.cube_decision(RACE, tf.CubeSetting(), "backgammon").action == "double, take"
    ending = tf.from_position_id("AQAAiAAAAAAAAA")
    assert tf.exact_cube(ending, tf.CubeSetting(), "backgammon") == tf.exact_cube(ending)


# --- matches and the cube -------------------------------------------------------------------------


def test_the_arena_plays_matches_and_with_the_cube() -> None:
    found = tf.arena("net", "random", "backgammon", games=2, target=1, seed=1)
    assert isinstance(found, tf.MatchResult)
    assert (found.matches, found.total) == (2, 2)
    assert "2 matches of backgammon to 1" in repr(found)
    single = tf.arena("net", "random", "backgammon", games=2, cube=True, seed=1)
    assert isinstance(single, tf.MatchResult)
    assert single.total > 0
    with pytest.raises(ValueError, match="the rules portes have no cube"):
        tf.arena("net", "random", "portes", games=2, cube=True)
    with pytest.raises(ValueError, match="opening= and max_plies= with target="):
        tf.arena("net", "random", "backgammon", games=2, target=1, max_plies=9)


def test_an_xgid_with_dice_is_ranked_at_its_score() -> None:
    text = MATCH.format(dice="31")
    ranked = tf.rank_plays(text, rules="backgammon", trials=16, candidates=3, seed=1)
    assert ranked.dice == (3, 1)
    assert ranked.cube is not None
    assert ranked.cube.away == (5, 3)
    assert ranked[0].equity != ranked[0].cubeless
    money = tf.rank_plays(text, rules="backgammon", trials=16, candidates=3, seed=1, cube=False)
    assert money.cube is None
    assert money[0].equity == money[0].cubeless == pytest.approx(ranked[0].cubeless)
    rolled = tf.rollout(MATCH.format(dice="00"), BACKGAMMON, trials=8, truncate=2, seed=1)
    assert rolled.cube == ranked.cube
    with pytest.raises(ValueError, match=r"has a roll to play.*rank_plays"):
        tf.rollout(text, BACKGAMMON)


def test_a_play_is_worth_with_the_cube_what_the_position_after_it_is() -> None:
    """Of a play: the opponent rolls or doubles, whichever is better for him."""
    board = tf.random_boards(40, "backgammon", seed=4)[3]
    setting = tf.CubeSetting(away=(4, 3))
    ranked = tf.rank_plays(
        board, (6, 5), BACKGAMMON, trials=64, truncate=4, cube=setting, seed=3, candidates=2
    )
    for each in ranked:
        after = tf.rollout(
            tf.flip(each.play.board),
            BACKGAMMON,
            trials=64,
            truncate=4,
            cube=setting.turned(),
            seed=3,
            same_dice=True,
        )
        cube = after.cubeful
        assert cube is not None
        worth = cube.centred[0]
        if cube.may_double:
            worth = max(worth, min(cube.double_take[0], 1.0))
        chance = after.match_chance(worth)
        level, unit = (ranked_chance(setting, equity) for equity in (0.0, 1.0))
        assert each.equity == pytest.approx((1 - chance - level) / (unit - level), abs=1e-9)


def ranked_chance(setting: tf.CubeSetting, equity: float) -> float:
    """Return the chance to win the match that belongs to an equity."""
    return float(tf.cube_equities(RACE, setting).match_chance(equity))


def test_an_offered_double_is_answered() -> None:
    offered = tf.cube_decision(MATCH.format(dice="D"), rules="backgammon")
    asked = tf.cube_decision(MATCH.format(dice="00"), rules="backgammon")
    assert asked.action in ("no double", "double, take")
    assert (offered.action, offered.take) == ("take", True)
    with pytest.raises(ValueError, match="the dice 3-1 are thrown"):
        tf.cube_decision(MATCH.format(dice="31"))
    with pytest.raises(ValueError, match="nobody could double"):
        tf.cube_decision(MATCH.format(dice="D").replace(":1:1:1:D", ":1:-1:1:D"))


# --- defaults that answer -------------------------------------------------------------------------


def test_a_ranking_without_a_policy_uses_the_net_and_says_so() -> None:
    ranked = tf.rank_plays(tf.start(), (3, 1), trials=1280, seed=1)
    assert str(ranked[0].play) == "8/5 6/5"
    assert ranked.policy == tf.with_tables(PORTES).name
    assert ranked.settings.variance_reduction
    assert 1 < len(ranked) < ranked.legal == 16
    assert f"{len(ranked)} of 16 plays; 1280 trials each" in repr(ranked).splitlines()[-1]
    plain = tf.rank_plays(tf.start(), (3, 1), "random", trials=8, seed=1)
    assert len(plain) == 16
    assert "policy random; " in plain.method
    assert tf.rollout(tf.start(), trials=2, seed=1).policy == tf.with_tables(PORTES).name
    own = replace(tf.PORTES, checkers=10, start=((24, 10),))
    assert tf.rollout(tf.start(own), rules=own, trials=2, seed=1).policy == "random"
    assert tf.arena("random", games=2, seed=1).second == tf.with_tables(PORTES).name


# --- nothing lost ---------------------------------------------------------------------------------


def stopper(calls: int) -> Callable[[int, int], None]:
    """Return a `progress` that is interrupted at its n-th call."""
    seen = []

    def progress(done: int, total: int) -> None:
        seen.append(done)
        if len(seen) == calls:
            raise KeyboardInterrupt

    return progress


def test_an_interruption_carries_the_result_so_far() -> None:
    board = tf.start()
    with pytest.raises(KeyboardInterrupt) as stopped:
        tf.rollout(board, PORTES, trials=10**6, seed=1, progress=stopper(3), threads=1)
    partial = stopped.value.partial  # type: ignore[attr-defined]
    done = int(partial.trials[0])
    assert done == 3 * 128
    assert partial.partial
    assert "partial: the rollout was interrupted" in repr(partial)
    whole = tf.rollout(board, PORTES, trials=done, seed=1)
    assert replace(partial, partial=False) == whole

    with pytest.raises(KeyboardInterrupt) as stopped:
        tf.rank_plays(board, (3, 1), PORTES, trials=10**6, seed=1, progress=stopper(1), threads=1)
    ranking = stopped.value.partial  # type: ignore[attr-defined]
    assert ranking.partial
    assert "partial: interrupted" in ranking.method
    assert 0 < ranking.trials < 10**6

    with pytest.raises(KeyboardInterrupt) as stopped:
        tf.arena("net", "random", games=10**6, seed=1, progress=stopper(1), threads=1)
    games = stopped.value.partial  # type: ignore[attr-defined]
    assert games.partial
    assert 0 < games.games < 10**6

    with pytest.raises(KeyboardInterrupt) as stopped:
        tf.arena("net", "random", "backgammon", 100, 1, target=1, progress=stopper(1))
    matches = stopped.value.partial  # type: ignore[attr-defined]
    assert (matches.partial, matches.matches) == (True, 4)


def test_a_table_is_saved_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv"
    tf.MatchEquityTable.compute(3).save(path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space"):
        tf.MatchEquityTable.compute(4).save(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["table.csv"]


# --- bad input that escaped -----------------------------------------------------------------------


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: tf.MatchEquityTable(1, [0.5]), "pre has shape"),
    (lambda: tf.MatchEquityTable([[0.5]], 10**400), "post is no array of numbers"),
    (lambda: tf.MatchEquityTable.from_csv(5), "expected a str"),  # type: ignore[arg-type]
    (lambda: tf.MatchEquityTable.from_xml(5), "expected a str"),  # type: ignore[arg-type]
    (lambda: tf.MatchEquityTable.load(5), "path=5: expected the path of a file"),  # type: ignore[arg-type]
    (lambda: tf.MatchEquityTable([[0.5]], [0.5], "a\x01b"), r"name has the character '\\x01'"),
    (lambda: tf.MatchEquityTable([[0.5]], [0.5], "", "\ud800"), "description has the character"),
    (lambda: tf.cube_decision(RACE, "x"), "setting='x': expected a CubeSetting"),  # type: ignore[arg-type]
    (lambda: tf.cube_equities(RACE, 7), "setting=7: expected a CubeSetting"),  # type: ignore[arg-type]
    (lambda: tf.cube_equities(10**400), "outcomes is no array"),
    (lambda: tf.write_mat(tf.Session(seed=1), tags=5), "tags=5: expected a mapping"),  # type: ignore[arg-type]
    (lambda: tf.apply(START, [(8, 5)], dice=None, rules="x"), "rules='x': expected one of"),
    (lambda: tf.rollout(START, (1, 2, 3)), "expected one policy, or one for each side"),  # type: ignore[arg-type]
    (lambda: tf.rank_plays(START), "dice=None: expected the roll to play"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_gets_a_value_error(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_long_game_is_not_solved() -> None:
    race = np.zeros((2, 26), np.int8)
    race[:, 12] = 15
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 70)
    try:
        with pytest.raises(ValueError, match="too long to be looked at as a whole"):
            tf.exact_cube(race, limit=10**6)
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize("name", ["  two\n lines ", "ünï <&> 'x'"])
def test_names_of_tables_come_back_from_files(name: str) -> None:
    table = tf.MatchEquityTable([[0.5]], [0.5], name, name)
    for again in (
        tf.MatchEquityTable.from_xml(table.to_xml()),
        tf.MatchEquityTable.from_csv(table.to_csv()),
    ):
        assert (again.name, again.description) == (table.name, table.description)
    assert table.name == " ".join(name.split())


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/zero")
def test_a_device_without_end_is_no_net() -> None:
    with pytest.raises(ValueError, match="/dev/zero is no file of weights: it has more than"):
        tf.Net.load("/dev/zero")


LONG = "x" * 10**6
ECHOES: list[Callable[[], object]] = [
    lambda: tf.parse_play(LONG, START, (3, 1)),
    lambda: tf.parse_play("9" * 10**6 + "/5", START, (3, 1)),
    lambda: tf.parse_play("8/5 " * 10**5, START, (3, 1)),
    lambda: tf.legal_plays(START, (3, 1))[LONG],
    lambda: tf.from_xgid(LONG),
    lambda: tf.from_tfid(f"TFID1:{LONG}:x:0:0"),
    lambda: tf.from_tfid(f"TFID1:p:{LONG}:0:0"),
    lambda: tf.from_tfid(f"TFID1:p:1:{LONG}:0"),
    lambda: tf.parse_position(LONG),
    lambda: tf.start(LONG),
    lambda: tf.evaluate(LONG, PORTES),
    lambda: tf.rollout(START, LONG),  # type: ignore[arg-type]
    lambda: tf.Rules(contact=LONG),  # type: ignore[arg-type]
    lambda: tf.Rules(trio=(LONG,)),
    lambda: tf.Session([LONG]),
    lambda: tf.Game("portes", lambda: (1, 2), opening=LONG),
    lambda: tf.read_mat(LONG),
    lambda: tf.MatchEquityTable.from_csv(LONG),
    lambda: tf.MatchEquityTable.from_xml(LONG),
    lambda: tf.format_play([LONG], START),
    lambda: tf.CubeSetting(owner=LONG),
]


@pytest.mark.parametrize("call", ECHOES)
def test_messages_do_not_echo_megabytes(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\w") as refused:
        call()
    assert len(str(refused.value)) < 1000


# --- errors that cannot be trusted ----------------------------------------------------------------


def test_few_trials_with_variance_reduction_are_marked() -> None:
    few = tf.rollout(START, PORTES, trials=128, seed=1, truncate=3, variance_reduction=True)
    assert few.few_trials
    assert "fewer than 1280 trials" in repr(few)
    assert not tf.rollout(START, PORTES, trials=128, seed=1, truncate=3).few_trials
    ranked = tf.rank_plays(START, (6, 5), trials=64, seed=1)
    assert ranked.few_trials
    assert "fewer than 1280 trials" in ranked.method
