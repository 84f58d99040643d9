"""Sessions: who starts, the score, the seed, and that only legal actions change anything."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards import HITTING

import tavli_fast as tf
from tavli_fast import FEVGA, PLAKOTO, PORTES, RULES, IllegalMoveError, Rules
from tavli_fast.play.game import Game, GameRecord, OpeningPolicy, RandomPolicy, Turn
from tavli_fast.play.session import TRIO, Session

DATA = Path(__file__).parent / "data" / "session_cases.jsonl"
CASES = {case["id"]: case for case in map(json.loads, DATA.read_text("utf-8").splitlines())}

TRIO_RULES = (PORTES, PLAKOTO, FEVGA)
OPENINGS = ("fresh_roll", "contest_dice", "contest_or_reroll")


def throws(*dice: tuple[int, int]) -> Callable[[], tuple[int, int]]:
    """Return a source of just these throws."""
    return iter(dice).__next__


def smallest(board: Any, dice: Any, afterstates: Any, rules: Any) -> int:
    """A policy that does not depend on the order in which plays are listed."""
    return min(range(len(afterstates)), key=lambda index: afterstates[index].tobytes())


class AnyPlay(RandomPolicy):
    """A random policy that does not depend on the order in which plays are listed either."""

    def __call__(self, board: Any, dice: Any, afterstates: Any, rules: Any, /) -> int:
        in_order = sorted(range(len(afterstates)), key=lambda index: afterstates[index].tobytes())
        return in_order[super().__call__(board, dice, afterstates, rules)]


def random_players(seed: int) -> tuple[RandomPolicy, RandomPolicy]:
    return AnyPlay(2 * seed), AnyPlay(2 * seed + 1)


def played(games: Any, seed: int, max_games: int | None = None, **options: Any) -> Session:
    """Return a session played by random players."""
    session = Session(games, seed=seed, **options)
    session.play_out(*random_players(seed), max_games)
    return session


def drawn_second_game(games: Any) -> Iterator[Session]:
    """Return sessions whose second game is drawn."""
    for seed in itertools.count():
        session = played(games, seed, 2)
        if session.history[1].points == 0:
            yield session


def moves_of(turn: Turn) -> Any:
    return np.array(turn.moves, np.int8).reshape(-1, 2)


def state(game: Game) -> tuple[Any, ...]:
    return game.record.to_dict(), game.phase, game.player, game.board.tobytes(), game.dice


# --- the worked cases -----------------------------------------------------------------------------


def test_every_case_has_its_test() -> None:
    names = {name.removeprefix("test_") for name in globals()}
    assert len(CASES) == 6
    assert {case.lower().replace("-", "_") for case in CASES} <= names


def test_en_25_opening() -> None:
    case = CASES["EN-25-opening"]
    contest = [*map(tuple, case["given"]["contest"])]
    assert case["expected"]["tie"] == "reroll"
    game = Game(case["variant"], throws(*contest, (5, 5), (3, 1)))
    assert list(game.record.contest) == contest
    assert (game.record.starter, game.player) == (0, 0)  # "first player"
    assert (game.phase, game.dice) == ("roll", None)  # "two fresh dice (doubles possible)"
    assert game.roll() == (5, 5) == game.dice
    game.play(0)
    assert game.player == 1
    assert game.record.turns[0].dice == (5, 5)


def test_en_26_next_starter() -> None:
    for name in ("portes", TRIO):
        seen = set()
        for seed in range(12):
            session = played(name, seed, 1)
            winner = session.history[0].winner
            game = session.next_game()
            assert game.record.contest == ()
            assert game.player == game.record.starter == winner
            assert game.phase == "roll"
            seen.add(winner)
        assert seen == {0, 1}  # "won by B" among them


def test_en_27_after_draw() -> None:
    starters = set()
    for session in itertools.islice(drawn_second_game(TRIO), 6):
        before = session.score
        game = session.next_game()
        assert len(game.record.contest) >= 1
        first, second = game.record.contest[-1]
        assert game.record.starter == int(second > first)
        assert session.score == before
        starters.add(game.record.starter)
    assert starters == {0, 1}


def test_en_27_rematch_is_a_new_session_with_a_contest() -> None:
    session = played(TRIO, 3, target=3)
    assert Session(session.games, target=session.target).game.record.contest


def test_gr_01_contest_dice_are_played() -> None:
    game = Game("portes_cube", throws((3, 5), (2, 2)))
    assert (game.player, game.phase, game.dice) == (1, "play", (5, 3))
    assert len(game.plays) == 9
    game.play("8/3 6/3")
    assert game.record.turns == [Turn(1, (5, 3), ((8, 3), (6, 3)))]
    assert (game.player, game.phase) == (0, "roll")
    assert game.roll() == (2, 2)


def test_gr_11_ties_are_thrown_again_without_limit() -> None:
    contest = ((3, 3), (5, 5), (6, 1))
    game = Game("portes_cube", throws(*contest))
    assert game.record.contest == contest
    assert (game.player, game.dice) == (0, (6, 1))
    game = Game("portes_cube", throws(*[(4, 4)] * 1000, (1, 2)))
    assert len(game.record.contest) == 1001
    assert (game.player, game.dice) == (1, (2, 1))


def test_zh_06_reroll() -> None:
    case = CASES["ZH-06-reroll"]
    contest = tuple(case["given"]["contest"])
    assert case["expected"]["starter_options"][0] == "play 5-2"
    game = Game("backgammon_zh", throws(contest, (4, 4)))
    assert (game.phase, game.player, game.dice) == ("opening", 0, (5, 2))
    game.keep()
    assert (game.phase, game.dice, game.record.rerolled) == ("play", (5, 2), False)

    game = Game("backgammon_zh", throws(contest, (4, 4)))  # "roll both own dice once"
    assert game.reroll() == (4, 4)
    assert (game.phase, game.player, game.dice) == ("play", 0, (4, 4))
    assert game.record.rerolled
    assert len(game.plays) == tf.count_plays(game.board, (4, 4), "backgammon_zh")[0]
    with pytest.raises(ValueError, match="cannot throw anew: player 0 has to play 4-4"):
        game.reroll()
    game.play(0)
    assert game.record.turns[0].dice == (4, 4)


def test_tr_01_cycle() -> None:
    case = CASES["TR-01-cycle"]
    wanted = itertools.cycle(case["given"]["games"][:3])
    session = played(TRIO, 1, 14)
    assert [record.rules for record in session.history] == [
        RULES[name] for name in itertools.islice(wanted, 14)
    ]
    assert " -> ".join(TRIO) in case["expected"]["order"]
    assert session.winner is None
    for before, record in itertools.pairwise(session.history):
        assert record.starter == before.winner or before.winner is None


def test_tr_02_draw() -> None:
    expected = CASES["TR-02-draw"]["expected"]
    session = next(drawn_second_game(TRIO))
    assert session.game.rules == PLAKOTO
    assert (session.game.board[:, 24] == -1).all()  # both mothers pinned
    record = session.history[1]
    assert (record.winner, record.points) == (None, expected["points"])
    assert session.score[session.history[0].winner or 0] == session.history[0].points
    assert session.next_game().rules == RULES[expected["next_game"]]
    assert session.game.record.contest


def test_tr_02_the_cycle_may_stay_after_a_draw() -> None:
    series = dataclasses.replace(PORTES, trio=TRIO, trio_advance_on_draw=False)
    session = next(drawn_second_game(series))
    assert session.next_game().rules == PLAKOTO
    assert session.game.record.contest
    session.play_out(smallest, smallest, 1)
    assert session.game.record.winner is not None
    assert session.next_game().rules == FEVGA


# --- who starts, and with which dice --------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_first_dice_of_each_preset(name: str) -> None:
    rules = RULES[name]
    wins, doubles = 0, 0
    for seed in range(300):
        game = Session(rules, seed=seed).game
        *ties, last = game.record.contest
        assert all(first == second for first, second in ties)
        assert last[0] != last[1]
        assert game.player == game.record.starter == last.index(max(last))
        if rules.opening == "fresh_roll":
            assert game.phase == "roll"
            doubles += len(set(game.roll())) == 1
        else:
            assert game.dice == (max(last), min(last))
            if rules.opening == "contest_or_reroll":
                assert game.phase == "opening"
                doubles += len(set(game.reroll())) == 1
            else:
                assert game.phase == "play"
        wins += game.record.starter
    assert abs(wins - 150) < 40
    assert (20 < doubles < 90) if rules.opening != "contest_dice" else doubles == 0


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("next_starter", ["winner", "contest"])
def test_later_games(opening: Any, next_starter: Any) -> None:
    rules = dataclasses.replace(PORTES, opening=opening, next_starter=next_starter)
    for seed in range(10):
        session = played(rules, seed, 1)
        game = session.next_game()
        assert bool(game.record.contest) == (next_starter == "contest")
        fresh = not game.record.contest or opening == "fresh_roll"
        expected = "roll" if fresh else {"contest_dice": "play"}.get(opening, "opening")
        assert game.phase == expected


def test_the_series_fields_hold_for_all_its_games() -> None:
    series = dataclasses.replace(
        PORTES, opening="contest_dice", next_starter="contest", trio=TRIO, target=100
    )
    of_a_trio = played(series, 5, 5)
    of_several = played((dataclasses.replace(series, trio=()), "plakoto", "fevga"), 5, 5)
    for session in (of_a_trio, of_several):
        assert session.target == 100
        assert [record.rules.start for record in session.history] == [
            TRIO_RULES[number % 3].start for number in range(5)
        ]
        for record in session.history:
            assert sorted(record.turns[0].dice) == sorted(record.contest[-1])
    # And the other way round: narde would play the contest's dice, the series throws fresh ones.
    session = played(("portes", "narde"), 1, 1)
    assert session.next_game().phase == "roll"


def test_house_rules_in_a_series() -> None:
    house = dataclasses.replace(PLAKOTO, mother="lose_always")
    session = played(("portes", house, "fevga"), 2, 6)
    assert [record.rules for record in session.history] == [PORTES, house, FEVGA] * 2


def test_every_throw_is_as_likely() -> None:
    dice = Counter(
        turn.dice
        for seed in range(25)
        for record in played("portes", seed, 10).history
        for turn in record.turns
    )
    expected = dice.total() / 36
    assert len(dice) == 36
    assert dice.total() > 15_000
    assert sum((count - expected) ** 2 / expected for count in dice.values()) < 66.6  # p = 0.001


# --- the score ------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [1, 3, 5, 7])
@pytest.mark.parametrize("games", [TRIO, "portes", "backgammon"])
def test_the_target_ends_the_series(games: Any, target: int) -> None:
    for seed in range(6):
        session = played(games, seed, target=target)
        points = [0, 0]
        for record in session.history:
            assert max(points) < target  # or there would have been no further game
            assert record.points is not None
            assert (record.winner is None) == (record.points == 0)
            if record.winner is not None:
                points[record.winner] += record.points
        assert session.score == tuple(points)
        assert session.winner is not None
        assert points[session.winner] >= target > points[1 - session.winner]
        with pytest.raises(ValueError, match=f"player {session.winner} won the series"):
            session.next_game()
        games_played = len(session.history)
        assert session.play_out(smallest, smallest) == session.score
        assert len(session.history) == games_played


def test_the_target_of_the_rules() -> None:
    rules = dataclasses.replace(PORTES, target=3)
    assert Session(rules).target == 3
    assert Session(rules, target=5).target == 5
    assert Session((rules, "plakoto")).target == 3
    assert Session("portes").target is None


def test_games_are_counted() -> None:
    session = Session("hypergammon", seed=4)
    session.play_out(*random_players(1), 3)
    session.play_out(*random_players(1), 0)
    session.play_out(*random_players(1), 2)
    assert len(session.history) == 5
    session.next_game()
    session.game.keep() if session.game.phase == "opening" else None
    assert session.winner is None
    session.play_out(*random_players(1), 1)  # the one that has begun
    assert len(session.history) == 6
    with pytest.raises(ValueError, match="max_games=None: expected a number of games"):
        session.play_out(*random_players(1))


# --- the seed -------------------------------------------------------------------------------------

# Starter, turns, winner, points. A change of these changes every seed's games: it needs a line in
# the changelog.
GOLDEN = [
    (1, 86, 0, 1),
    (0, 91, 0, 1),
    (0, 85, 0, 1),
    (0, 55, 0, 1),
    (0, 82, 1, 2),
    (1, 90, 0, 1),
    (0, 51, 0, 1),
    (0, 107, 0, 1),
]


def test_golden_trio() -> None:
    session = Session(TRIO, target=7, seed=1)
    session.play_out(smallest, smallest)
    assert [
        (record.starter, len(record.turns), record.winner, record.points)
        for record in session.history
    ] == GOLDEN


def test_the_same_seed_gives_the_same_games() -> None:
    one, other = played(TRIO, 8, target=7), played(TRIO, 8, target=7)
    assert one.history == other.history
    assert one.history != played(TRIO, 9, target=7).history
    fresh = Session(TRIO)
    assert fresh.seed != Session(TRIO).seed
    assert Session(TRIO, seed=fresh.seed).game.record == fresh.game.record


def test_the_dice_of_a_game_do_not_depend_on_the_games_before() -> None:
    one = Session("backgammon", seed=6)
    other = Session("backgammon", seed=6)
    one.play_out(*random_players(1), 4)
    other.play_out(smallest, smallest, 4)
    assert [record.contest for record in one.history] == [
        record.contest for record in other.history
    ]


@pytest.mark.parametrize("games", [TRIO, "backgammon_zh", "narde", "hypergammon", "tapa"])
def test_step_by_step_as_by_policies(games: Any) -> None:
    """The same seed and choices, whatever form the choices have."""
    policies = random_players(7)
    whole = Session(games, seed=7)
    whole.play_out(*copy.deepcopy(policies), 4)
    steps = Session(games, seed=7)
    forms = itertools.cycle(range(5))
    for number in range(4):
        game = steps.next_game() if number else steps.game
        while game.phase != "over":
            policy: Any = policies[game.player]
            seen: Any = game.board, game.dice, game.rules
            if game.phase == "roll":
                dice = game.roll()
                assert dice == (game.dice or game.record.turns[-1].dice)
            elif game.phase == "opening":
                game.reroll() if policy.reroll(
                    *seen[:2], game.afterstates, seen[2]
                ) else game.keep()
            else:
                index = policy(*seen[:2], game.afterstates, seen[2])
                play = game.plays[index]
                choices = (index, np.int64(index), play, np.array(play.moves), str(play))
                form = next(forms)
                game.play(choices[form if game.rules in HITTING.values() else form % 4])
    assert steps.history == whole.history
    assert steps.score == whole.score


def test_copies_and_pickles_go_on_alike() -> None:
    session = Session(TRIO, target=5, seed=3)
    session.play_out(smallest, smallest, 1)
    session.next_game().roll()
    others = copy.deepcopy(session), pickle.loads(pickle.dumps(session))
    for each in (session, *others):
        each.play_out(smallest, smallest)
    assert others[0].history == others[1].history == session.history


# --- every play is legal --------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_random_games(name: str) -> None:
    """Replay 300 games over all presets: dice, plays, dances and results are what the rules say."""
    games = 2 if name == "gul_bara" else 23
    session = played(name, 1, games)
    assert len(session.history) == games
    for record in session.history:
        assert record.rules is RULES[name]
        replay(record)


def replay(record: GameRecord) -> None:
    rules = record.rules
    board = tf.start(rules)
    for number, turn in enumerate(record.turns):
        assert turn.player == (record.starter + number) % 2
        over, _ = tf.outcomes(board, rules)
        assert not over[0]
        # Without a move this raises unless there is no legal play.
        board = tf.flip(tf.apply(board, moves_of(turn), turn.dice, rules)[0])
    over, points = tf.outcomes(board, rules)  # of the player after the last
    assert over[0]
    last = record.turns[-1].player
    gains = (0, 0) if not points[0] else (-points[0], points[0])
    # Nobody has doubled, so by Jacoby's rule every win counts one.
    assert record.points == (1 if rules.jacoby else abs(points[0]))
    assert record.winner == (None if not points[0] else last if gains[0] > 0 else 1 - last)
    assert [*map(list, tf.reference.outcomes(board, rules))] == [[True], [points[0]]]


@pytest.mark.parametrize("name", RULES)
def test_plays_and_afterstates_have_one_order(name: str) -> None:
    session = Session(name, seed=2)
    game = session.game
    policy = AnyPlay(2)
    for _ in range(20):
        if game.phase == "roll":
            game.roll()
        if game.phase == "opening":
            game.keep()
        if game.phase == "play":
            assert len(game.plays) == len(game.afterstates) >= 1
            assert game.plays is game.plays
            for play, after in zip(game.plays, game.afterstates, strict=True):
                assert (play.board == after).all()
            game.play(policy(game.board, game.dice, game.afterstates, game.rules))


def test_who_cannot_move_passes_by_himself() -> None:
    dances = 0
    policy = AnyPlay(5)
    game = Session("portes", seed=5).game
    while game.phase != "over":
        player, board = game.player, game.board
        dice = game.roll()
        count = tf.count_plays(board, dice)[0]
        assert game.phase == ("play" if count else "roll")
        if not count:
            dances += 1
            assert game.record.turns[-1] == Turn(player, dice, ())
            assert game.player == 1 - player
            assert (game.board == tf.flip(board)).all()
        else:
            game.play(policy(board, dice, game.afterstates, PORTES))
    assert dances > 0


# --- illegal actions ------------------------------------------------------------------------------


def assert_refused(game: Game, action: Callable[[], object], match: str) -> None:
    before = state(game)
    with pytest.raises(ValueError, match=match):
        action()
    assert state(game) == before


def test_actions_of_another_phase() -> None:
    session = Session("backgammon_zh", seed=1)
    game = session.game
    waits = f"player {game.player} has to"
    keep = rf"{waits} keep \d-\d or throw anew"
    assert_refused(game, game.roll, f"cannot roll: {keep}")
    assert_refused(game, lambda: game.play(0), f"cannot play: {keep}")
    assert_refused(game, session.next_game, f"cannot begin the next game: {keep}")
    game.keep()
    for action in (game.keep, game.reroll, game.roll, session.next_game):
        assert_refused(game, action, rf"{waits} play \d-\d")
    game.play(0)
    waits = f"player {game.player} has to roll"
    for action in (game.keep, game.reroll, lambda: game.play(0), session.next_game):
        assert_refused(game, action, waits)
    assert_refused(game, lambda: game.plays, f"cannot list the plays: {waits}")
    assert_refused(game, lambda: game.afterstates, waits)
    session.play_out(smallest, smallest, 1)
    late: tuple[Callable[[], object], ...]
    late = (game.keep, game.reroll, game.roll, lambda: game.play(0), lambda: game.plays)
    for call in late:
        assert_refused(game, call, f"player {game.record.winner} won {game.record.points}$")


def test_a_drawn_game_says_so() -> None:
    game = next(drawn_second_game(TRIO)).game
    assert_refused(game, game.roll, "cannot roll: drawn")


def test_plays_that_are_not_legal() -> None:
    game = Game("portes", throws((6, 2), (3, 1), (6, 6)))
    game.roll()
    elsewhere = tf.legal_plays(game.board, (6, 5))[0]
    count = len(game.plays)
    choices: tuple[tuple[Any, str], ...] = (
        (elsewhere, "is not legal: player 0 has to play 3-1"),
        ("24/18 13/11", "cannot be played with 3-1"),
        ("pass", "can be played"),
        ("eight to five", "."),
        (count, f"play={count}: expected an integer 0 to {count - 1}"),
        (-1, "play=-1"),
        (True, "play=True"),
        (((8, 5),), "not a legal play"),
        ((), "no move"),
        (((13, 7), (8, 2)), "."),
        ((8, 5, 6, 5), "shape"),
        (None, "."),
        (1.0, "."),
    )
    for choice, match in choices:
        assert_refused(game, partial(game.play, choice), match)
    with pytest.raises(IllegalMoveError):
        game.play(elsewhere)
    game.play(((8, 5), (6, 5)))
    assert game.record.turns == [Turn(0, (3, 1), ((8, 5), (6, 5)))]


def test_no_array_can_be_written_to() -> None:
    session = Session("backgammon", seed=1)
    assert session.game.phase == "play"
    with pytest.raises(ValueError, match="read-only"):
        session.game.board[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        session.game.afterstates[0, 0, 0] = 1
    session.play_out(smallest, smallest, 1)
    with pytest.raises(ValueError, match="read-only"):
        session.game.board[0, 0] = 1


def test_arguments() -> None:
    for games in ("chess", (), ("portes", "chess"), 5, None, ("portes", 5)):
        with pytest.raises(ValueError, match="expected"):
            Session(games)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no trio among them"):
        Session((dataclasses.replace(PORTES, trio=TRIO), "fevga"))
    for options in ({"target": 0}, {"target": 1.5}, {"seed": -1}, {"seed": "one"}):
        with pytest.raises(ValueError, match=f"{next(iter(options))}=.*: expected an integer"):
            Session("portes", **options)
    with pytest.raises(ValueError, match="seed=-1"):
        RandomPolicy(-1)
    with pytest.raises(ValueError, match="opening='first': expected one of fresh_roll"):
        Game("portes", throws((2, 1)), opening="first")
    with pytest.raises(ValueError, match="starter=2: expected an integer 0 to 1"):
        Game("portes", throws((2, 1)), starter=2)
    with pytest.raises(ValueError, match="has a die of 7"):
        Game("portes", throws((7, 1)))
    with pytest.raises(ValueError, match="max_games=-1"):
        Session().play_out(smallest, smallest, -1)


# --- policies -------------------------------------------------------------------------------------


def test_what_a_policy_is_asked() -> None:
    asked = []

    def policy(board: Any, dice: Any, afterstates: Any, rules: Rules) -> int:
        asked.append((board, dice))
        assert rules is PLAKOTO
        assert not board.flags.writeable
        assert not afterstates.flags.writeable
        assert (afterstates == tf.afterstates(board, dice, rules).boards).all()
        return len(afterstates) - 1

    session = Session("plakoto", seed=1)
    session.play_out(policy, smallest, 1)
    board = tf.start("plakoto")
    mine = iter(asked)
    for turn in session.history[0].turns:
        if turn.player == 0 and turn.moves:
            seen, dice = next(mine)
            assert dice == turn.dice
            assert (seen == board).all()
        board = tf.flip(tf.apply(board, moves_of(turn), turn.dice, "plakoto")[0])
    assert next(mine, None) is None


@pytest.mark.parametrize("answer", [-1, 10**6, None, True, 0.5])
def test_a_policy_that_returns_no_index(answer: Any) -> None:
    session = Session("portes", seed=1)
    with pytest.raises(ValueError, match=r"play=|moves"):
        session.play_out(lambda *_: answer, lambda *_: answer, 1)
    assert session.game.phase == "play"
    session.play_out(smallest, smallest, 1)  # the game waits for another answer


def test_a_policy_that_raises() -> None:
    def fail(*_: Any) -> int:
        raise LookupError("no idea")

    session = Session("portes", seed=1)
    with pytest.raises(LookupError, match="no idea"):
        session.play_out(fail, fail, 1)
    assert session.game.phase == "play"
    whole = Session("portes", seed=1)
    assert session.play_out(smallest, smallest, 1) == whole.play_out(smallest, smallest, 1)
    assert session.history == whole.history


def test_the_starter_chooses_his_opening_dice() -> None:
    class Chooser:
        def __init__(self, answer: bool) -> None:
            self.answer, self.asked = answer, 0

        def __call__(self, *seen: Any) -> int:
            return smallest(*seen)

        def reroll(self, board: Any, dice: Any, afterstates: Any, rules: Rules) -> bool:
            self.asked += 1
            assert len(afterstates) == tf.count_plays(board, dice, rules)[0]
            return self.answer

    assert isinstance(Chooser(True), OpeningPolicy)
    assert not isinstance(smallest, OpeningPolicy)
    players = Chooser(True), Chooser(False)
    session = Session("backgammon_zh", seed=1)
    session.play_out(*players, 8)
    for record in session.history:
        assert record.rerolled == (record.starter == 0)
        kept = sorted(record.turns[0].dice) == sorted(record.contest[-1])
        assert kept or record.rerolled
    starters = Counter(record.starter for record in session.history)
    assert [player.asked for player in players] == [starters[0], starters[1]]
    session = Session("backgammon_zh", seed=1)
    session.play_out(smallest, smallest, 8)  # a policy without the method keeps them
    assert not any(record.rerolled for record in session.history)
    for name in ("portes", "backgammon"):
        Session(name, seed=1).play_out(*players, 1)
    assert sum(player.asked for player in players) == 8


def test_random_policies() -> None:
    board = tf.start()
    afterstates = tf.afterstates(board, (3, 1)).boards
    policy = RandomPolicy(1)
    counts = Counter(policy(board, (3, 1), afterstates, PORTES) for _ in range(3200))
    assert sorted(counts) == list(range(16))
    assert all(140 < count < 260 for count in counts.values())
    rerolls = sum(policy.reroll(board, (3, 1), afterstates, PORTES) for _ in range(1000))
    assert 430 < rerolls < 570


def test_a_game_that_freezes_is_given_up() -> None:
    frozen = dataclasses.replace(RULES["tapa"], mother="none")
    for seed in itertools.count():
        game = Session(frozen, seed=seed).game
        try:
            game.play_out(*random_players(seed), max_turns=1000)
        except RuntimeError as error:
            message = str(error)
            break
    assert message == "the game is not over after 1000 turns"
    assert game.phase == "roll"
    assert len(game.record.turns) == 1000
    assert {turn.moves for turn in game.record.turns[-100:]} == {()}


# --- as a dict ------------------------------------------------------------------------------------


def test_the_dict_gives_the_session_back_at_every_step() -> None:
    house = dataclasses.replace(PLAKOTO, mother="draw_only", opening="contest_or_reroll")
    for number, games in enumerate(((house, "hypergammon"), "backgammon_zh", "hypergammon")):
        session = Session(games, target=3, seed=number)
        policy = AnyPlay(number)
        steps = 0
        while session.winner is None:
            game = session.game
            if steps < 3 or steps % 17 == 0 or game.phase == "over":
                check_dict(session)
            steps += 1
            if game.phase == "over":
                session.next_game()
            elif game.phase == "roll":
                game.roll()
            elif game.phase == "opening":
                game.reroll() if number % 2 else game.keep()
            else:
                game.play(policy(game.board, game.dice, game.afterstates, game.rules))
        check_dict(session)


def check_dict(session: Session) -> None:
    data = session.to_dict()
    again = Session.from_dict(json.loads(json.dumps(data)))
    assert again.to_dict() == data
    assert again.history == session.history
    assert state(again.game) == state(session.game)
    assert (again.score, again.winner, again.games) == (
        session.score,
        session.winner,
        session.games,
    )


def test_a_session_from_a_dict_goes_on_as_the_other() -> None:
    session = Session(dataclasses.replace(PORTES, trio=TRIO), target=9, seed=2)
    session.play_out(smallest, smallest, 2)
    session.next_game().roll()
    again = Session.from_dict(session.to_dict())
    assert session.play_out(smallest, smallest) == again.play_out(smallest, smallest)
    assert session.history == again.history


def test_dicts_that_are_no_sessions() -> None:
    good = played("backgammon_zh", 1, 2).to_dict()
    assert Session.from_dict(good)

    def change(path: tuple[Any, ...], value: Any) -> Any:
        data = copy.deepcopy(good)
        place: Any = data
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        return data

    turn = ("history", 0, "turns", 3)
    bad: tuple[Any, ...] = (
        None,
        {},
        [],
        {key: value for key, value in good.items() if key != "seed"},
        change(("seed",), good["seed"] + 1),
        change(("games",), "chess"),
        change(("games",), {"checker": 15}),
        change(("games",), 5),
        change(("target",), 0),
        change(("phase",), "roll"),
        change(("score",), [0, 0]),
        change(("history",), []),
        change(("history",), None),
        change(("history", 1, "winner"), 1 - good["history"][1]["winner"]),
        change(("history", 0, "contest"), [[6, 1]]),
        change((*turn, "dice"), [7, 7]),
        change((*turn, "moves"), [[24, 1]]),
        change((*turn, "moves"), "13/7"),
        change((*turn, "moves"), None),
        change(("history", 0, "turns"), good["history"][0]["turns"][:-1]),
    )
    for data in bad:
        with pytest.raises(ValueError, match=r"not the dict of a session|expected|illegal|play"):
            Session.from_dict(data)


def test_reprs() -> None:
    session = Session(TRIO, target=5, seed=1)
    assert repr(session) == (
        "<Session of portes, plakoto, fevga to 5: 0-0, game 1 "
        f"<Game of portes after 0 turns: player {session.game.player} has to roll>>"
    )
    house = Session(dataclasses.replace(PORTES, gammon_points=3, backgammon_points=3), seed=1)
    assert repr(house).startswith(
        "<Session of portes with gammon_points=3, backgammon_points=3: 0-0"
    )
