"""The statements of docs/rules.md on opening, points, cube and match, one by one: 8-18, 64-88."""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import Any

import pytest
from match_play import (
    ENDS,
    first_roll,
    pass_turn,
    play_to_end,
    said,
    short_game,
    throws,
    with_cube,
)

from tavli_fast import (
    BACKGAMMON,
    BACKGAMMON_ZH,
    HYPERGAMMON,
    PORTES,
    PORTES_CUBE,
    RULES,
    TRIO,
    Cube,
    Game,
    Rules,
    Session,
)

EN, GR, ZH = PORTES, PORTES_CUBE, BACKGAMMON_ZH


def test_each_statement_has_its_test() -> None:
    found = {int(number) for number in re.findall(r"test_(\d\d)_", " ".join(globals()))}
    assert found == {*range(8, 19), *range(64, 89)}


# --- opening --------------------------------------------------------------------------------------


def test_08_the_cube_shows_2_to_64() -> None:
    session = with_cube(GR)
    faces = []
    while session.game.cube.value < 64:
        while not session.game.may_double:
            pass_turn(session.game)
        session.act("double")
        session.act("take")
        faces.append(session.game.cube.face)
    assert faces == [2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize("rules", [EN, GR, ZH])
def test_09_the_higher_die_starts(rules: Rules) -> None:
    for dice in itertools.permutations(range(1, 7), 2):
        game = Game(rules, throws(dice))
        assert game.player == game.record.starter == int(dice[1] > dice[0])


@pytest.mark.parametrize("rules", [EN, GR, ZH])
def test_10_equal_dice_are_thrown_again_without_limit(rules: Rules) -> None:
    game = Game(rules, throws(*[(3, 3)] * 500, (2, 5)), by_hand=True)
    for _ in range(500):
        assert (game.phase, game.record.starter) == ("contest", -1)
        game.act("contest")
    game.act("contest")
    assert (game.phase != "contest", game.player) == (True, 1)
    assert len(game.record.contest) == 501


def test_11_the_starter_throws_two_fresh_dice() -> None:
    game = Game(EN, throws((2, 5), (4, 4)))
    assert (game.phase, game.player, game.legal_actions) == ("roll", 1, ("roll",))
    assert game.roll() == (4, 4)


@pytest.mark.parametrize("rules", [GR, ZH])
def test_12_the_starter_plays_the_dice_of_the_contest(rules: Rules) -> None:
    game = Game(rules, throws((2, 5)))
    if rules == ZH:
        game.act("keep")
    assert (game.phase, game.player, game.dice) == ("play", 1, (5, 2))


def test_13_the_starter_may_throw_anew_once() -> None:
    game = Game(ZH, throws((2, 5), (6, 6)))
    assert game.legal_actions == ("keep", "reroll")
    game.act("reroll")
    assert (game.phase, game.player, game.dice) == ("play", 1, (6, 6))
    with pytest.raises(ValueError, match="cannot throw anew: player 1 has to play 6-6"):
        game.act("reroll")


def test_14_the_contest_opens_every_game() -> None:
    session = Session(GR, seed=1)
    for player in (0, 1, 1):
        session.game.resign(player=player)
        session.act("next_game")
        assert session.game.record.contest


@pytest.mark.parametrize("winner", [0, 1])
def test_15_the_last_winner_starts(winner: int) -> None:
    session = Session(EN, seed=1)
    session.game.resign(player=1 - winner)
    session.act("next_game")
    assert session.game.record.contest == ()
    assert (session.phase, session.game.player) == ("roll", winner)


def drawn_second_game() -> Session:
    """Return a Trio whose second game, Plakoto, is drawn."""
    for seed in itertools.count():
        session = Session(TRIO, seed=seed)
        session.play_out(lambda *_: 0, lambda *_: 0, 2)
        if session.history[1].points == 0:
            return session
    raise AssertionError


def test_16_a_contest_after_a_draw_and_in_a_rematch() -> None:
    session = drawn_second_game()
    session.act("next_game")
    assert session.game.record.contest
    assert Session(TRIO).game.record.contest


def test_17_an_automatic_double_at_most_once() -> None:
    agreed = dataclasses.replace(GR, auto_double_max=1)
    contest = ((1, 1), (2, 2), (6, 5))
    assert Game(GR, throws(*contest)).cube == Cube()
    game = Game(agreed, throws(*contest), by_hand=True)
    game.act("contest")
    assert game.cube == Cube(2, None, automatic=1)  # the stake doubled, the cube in the middle
    game.act("contest")
    assert game.cube == Cube(2, None, automatic=1)
    game.act("contest")
    first_roll(game)
    assert game.may_double  # who is on roll, for the cube is nobody's
    assert Game(dataclasses.replace(agreed, auto_double_max=2), throws(*contest)).cube.value == 4


@pytest.mark.parametrize("rules", [EN, GR, ZH])
def test_18_the_players_alternate_with_two_dice_each(rules: Rules) -> None:
    game = Session(rules, seed=1).game
    first_roll(game)
    for _ in range(12):
        pass_turn(game)
    players = [turn.player for turn in game.record.turns]
    assert all(one != other for one, other in itertools.pairwise(players))
    assert all(len(turn.dice) == 2 for turn in game.record.turns)


# --- result and points ----------------------------------------------------------------------------


def points(end: str, rules: Rules) -> int | None:
    return play_to_end(short_game(end, rules), end).record.points


@pytest.mark.parametrize("rules", [EN, GR, ZH])
def test_64_a_single_win_counts_1(rules: Rules) -> None:
    assert points("single", rules) == 1


@pytest.mark.parametrize("rules", [EN, GR, ZH])
def test_65_mars_counts_2(rules: Rules) -> None:
    assert points("mars", rules) == 2


def test_66_there_is_no_third_level() -> None:
    assert points("koks", EN) == 2


@pytest.mark.parametrize("rules", [GR, ZH])
def test_67_koks_counts_3(rules: Rules) -> None:
    assert points("koks", rules) == 3


@pytest.mark.parametrize("rules", [GR, ZH])
@pytest.mark.parametrize("end", ENDS)
def test_68_points_are_multiplied_by_the_cube(rules: Rules, end: str) -> None:
    game = short_game(end, rules)
    game.double()
    game.take()
    assert play_to_end(game, end).record.points == 2 * (1 + [*ENDS].index(end))


def test_69_there_is_no_cube() -> None:
    session = with_cube(EN)
    assert session.legal_actions == ("roll",)
    with pytest.raises(ValueError, match="cannot double: the game has no cube"):
        session.act("double")


def test_70_other_multiples_may_be_agreed() -> None:
    agreed = dataclasses.replace(ZH, gammon_points=3, backgammon_points=3)
    assert [points(end, agreed) for end in ENDS] == [1, 3, 3]
    agreed = dataclasses.replace(ZH, single_points=2, gammon_points=2)
    assert [points(end, agreed) for end in ENDS] == [2, 2, 3]
    game = short_game("single", agreed)
    game.double()
    game.drop()
    assert game.record.points == 2


def test_71_draws_exist_in_the_trio() -> None:
    record = drawn_second_game().history[1]
    assert (record.rules, record.winner, record.points) == (RULES["plakoto"], None, 0)


def test_72_portes_plakoto_fevga_in_turn() -> None:
    session = Session(TRIO, seed=1)
    for _ in range(6):
        session.game.resign()
        session.act("next_game")
    names = [record.rules for record in session.history]
    assert names == [RULES[name] for name in ("portes", "plakoto", "fevga") * 2 + ("portes",)]


# --- cube, match and options ----------------------------------------------------------------------


def test_73_a_double_comes_before_the_own_throw() -> None:
    game = Game(GR, throws((6, 1), (3, 1)))
    with pytest.raises(ValueError, match="cannot double: player 0 has to play 6-1"):
        game.double()  # the contest's dice are on the table
    game.play(0)
    assert game.legal_actions == ("roll", "double")
    game.double()
    with pytest.raises(ValueError, match="cannot roll: player 0 has to answer the double to 2"):
        game.roll()
    game.take()
    assert game.roll() == (3, 1)


@pytest.mark.parametrize("rules", [GR, ZH])
def test_74_only_with_the_cube_in_the_middle_or_his(rules: Rules) -> None:
    for player in (0, 1):
        assert with_cube(rules, to_roll=player).game.may_double
        assert with_cube(rules, 2, player, player).game.may_double
        game = with_cube(rules, 2, 1 - player, player).game
        with pytest.raises(ValueError, match=f"the cube belongs to player {1 - player}"):
            game.double()


@pytest.mark.parametrize("rules", [GR, ZH])
@pytest.mark.parametrize("stake", [1, 2, 8])
def test_75_refusal_loses_the_stake_as_it_was(rules: Rules, stake: int) -> None:
    session = with_cube(rules, stake, None if stake == 1 else 0, 0)
    session.act("double")
    session.act("drop")
    assert (session.phase, session.score) == ("game_over", (stake, 0))
    assert session.game.record.stake == stake


@pytest.mark.parametrize("rules", [GR, ZH])
def test_76_acceptance_doubles_the_stake_and_gives_the_cube(rules: Rules) -> None:
    session = with_cube(rules)
    session.act("double")
    assert (session.phase, session.game.player) == ("double", 1)
    session.act("take")
    assert session.game.cube == Cube(2, 1, doubled=True)
    assert (session.phase, session.game.player) == ("roll", 0)
    assert said(session.game.record.calls) == [(0, "double", 2), (1, "take", 2)]


def test_77_stakes_stop_at_64() -> None:
    assert with_cube(GR, 32, 0, 0).game.may_double
    with pytest.raises(ValueError, match="cannot double: 64 is the highest stake"):
        with_cube(GR, 64, 0, 0).act("double")
    # The Chinese text lists the cube to 32.
    with pytest.raises(ValueError, match="cannot double: 32 is the highest stake"):
        with_cube(dataclasses.replace(ZH, cube_cap=32), 32, 0, 0).act("double")


def test_78_the_stake_is_1_at_first() -> None:
    for name in RULES:
        assert Session(name, seed=1).game.cube == Cube(1, None)
    assert Cube(1).face == 64


def test_79_no_doubling_where_the_stake_wins_the_match() -> None:
    for stake, score, may in ((1, 4, False), (1, 3, True), (2, 3, False), (2, 2, True)):
        owner = None if stake == 1 else 0
        session = with_cube(GR, stake, owner, 0, target=5, score=(score, 0), crawford=False)
        assert session.game.may_double is may
    # A beaver raises the stake taken: it is barred where that would do.
    for score, may in ((2, True), (3, False)):
        beavers = dataclasses.replace(GR, beavers=True)
        session = with_cube(beavers, to_roll=0, target=5, score=(0, score))
        session.act("double")
        assert session.game.may_beaver is may


def test_80_jacoby() -> None:
    jacoby = dataclasses.replace(GR, jacoby=True)
    assert [points(end, jacoby) for end in ENDS] == [1, 1, 1]
    for end, expected in zip(ENDS, (2, 4, 6), strict=True):
        game = short_game(end, jacoby)
        game.double()
        game.take()
        assert play_to_end(game, end).record.points == expected
    assert [name for name, rules in RULES.items() if rules.jacoby] == ["hypergammon"]
    assert points("koks", HYPERGAMMON) == 1
    # An automatic double does not count as a double, unless the rules say so.
    for counts, expected in ((False, 2), (True, 4)):
        auto = dataclasses.replace(jacoby, auto_double_max=1, jacoby_auto_counts=counts)
        game = short_game("mars", auto, (4, 4))
        assert play_to_end(game, "mars").record.points == expected


def test_81_beaver() -> None:
    session = with_cube(GR)
    session.act("double")
    assert session.legal_actions == ("take", "drop")  # off by default
    with pytest.raises(ValueError, match="cannot beaver: beavers are not played"):
        session.act("beaver")
    for rules in (GR, BACKGAMMON):
        session = with_cube(dataclasses.replace(rules, beavers=True))
        session.act("double")
        assert session.legal_actions == ("take", "drop", "beaver")
        session.act("beaver")
        if rules is BACKGAMMON:
            session.act("take")
        assert session.game.cube == Cube(4, 1, doubled=True)


def test_82_a_beaver_cannot_be_declined() -> None:
    session = with_cube(dataclasses.replace(GR, beavers=True))
    session.act("double")
    session.act("beaver")
    assert (session.phase, session.game.player, session.legal_actions) == ("roll", 0, ("roll",))
    with pytest.raises(ValueError, match="cannot drop: player 0 has to roll"):
        session.act("drop")


def test_83_the_options_are_those_of_the_room() -> None:
    options: dict[str, Any] = {
        "jacoby": True,
        "beavers": True,
        "auto_double_max": 1,
        "beaver_refusable": True,
    }
    for name, value in options.items():
        assert getattr(GR, name) != value
        changed = dataclasses.replace(GR, **{name: value})
        game = Session(changed, seed=1).game
        assert getattr(game.terms.rules, name) == value


@pytest.mark.parametrize("target", [1, 3, 5])
def test_84_games_form_a_match(target: int) -> None:
    session = Session(dataclasses.replace(GR, target=target), seed=1)
    for _ in range(target - 1):
        session.game.resign(player=1)
        assert (session.phase, session.winner) == ("game_over", None)
        session.act("next_game")
    session.game.resign(3, player=1)  # more than needed
    assert (session.phase, session.winner) == ("match_over", 0)
    assert session.score == (target + 2, 0)
    assert session.legal_actions == ()
    with pytest.raises(ValueError, match="player 0 won the series"):
        session.act("next_game")


def crawford_games(rules: Rules, target: int, losers: tuple[int, ...]) -> list[bool]:
    """Return of each game of a match whether it is the Crawford game."""
    session = Session(rules, target=target, seed=1)
    found = []
    for loser in losers:
        found.append(session.crawford)
        first_roll(session.game)
        session.game.resign(player=loser)
        if session.phase == "game_over":
            session.act("next_game")
    assert session.phase == "match_over"
    return found


def test_85_no_doubling_in_the_crawford_game() -> None:
    assert crawford_games(GR, 3, (1, 1, 1)) == [False, False, True]
    for player in (0, 1):
        session = with_cube(GR, to_roll=player, target=5, score=(4, 0))
        assert session.legal_actions == ("roll",)
        with pytest.raises(ValueError, match="cannot double: this is the Crawford game"):
            session.act("double")
    # Nor does a tie in the contest double the stake there.
    auto = dataclasses.replace(GR, auto_double_max=1)
    dice = throws((1, 1), (2, 1))
    assert Session(auto, throw=dice, target=5, score=(4, 0)).game.cube.value == 1


def test_86_afterwards_doubling_returns() -> None:
    assert crawford_games(GR, 3, (1, 1, 0, 0, 1)) == [False, False, True, False, False]
    session = Session(GR, target=5, score=(4, 0), seed=1)
    session.game.resign(player=0)
    session.act("next_game")
    assert not session.crawford
    first_roll(session.game)
    while session.game.player == 0:  # the leader's cube is dead
        assert not session.game.may_double
        pass_turn(session.game)
    assert session.game.may_double


@pytest.mark.parametrize("target", range(1, 8))
def test_87_crawford_holds_in_all_matches(target: int) -> None:
    assert crawford_games(GR, target, (1,) * target) == [False] * (target - 1) + [True]
    money = Session(GR, seed=1)
    assert not money.crawford


def test_88_nothing_of_this_in_the_offline_guide() -> None:
    assert crawford_games(EN, 3, (1, 1, 0, 1)) == [False] * 4
    game = Game(dataclasses.replace(EN, auto_double_max=1), throws((1, 1), (2, 1)))
    assert game.cube == Cube()
    assert points("mars", dataclasses.replace(EN, jacoby=True)) == 2
    assert (EN.cube, EN.jacoby, EN.beavers, EN.auto_double_max) == (False, False, False, 0)
