"""Exactly solvable cubes: last-roll and two-roll bear-offs, against a recursion over the dice."""

from __future__ import annotations

import pytest
from bearoff import Side, Table, board_of

import tavli_fast as tf

ACES = {count: (count, 0, 0, 0, 0, 0) for count in range(1, 16)}

LAST_ROLL: list[tuple[Side, Side]] = [
    # Whoever is not off with this roll loses: the opponent is off with any roll.
    ((1, 0, 0, 0, 1, 0), ACES[2]),  # 5 and 1: 23 rolls of 36
    ((0, 0, 0, 0, 0, 2), ACES[1]),  # 4 rolls of 36
    ((0, 1, 0, 1, 0, 0), ACES[2]),
    ((0, 0, 1, 1, 0, 0), ACES[1]),
    ((0, 1, 0, 0, 0, 1), ACES[2]),  # 13 rolls of 36
    ((0, 0, 0, 0, 0, 1), ACES[1]),  # 27 rolls of 36: whether to take is all the same
    ((0, 0, 2, 0, 0, 0), ACES[2]),
    (ACES[3], ACES[2]),
]
TWO_ROLLS: list[tuple[Side, Side]] = [
    (ACES[3], ACES[3]),
    (ACES[4], ACES[4]),
    ((1, 0, 1, 0, 1, 0), ACES[4]),
    ((0, 2, 1, 0, 0, 0), (1, 0, 0, 0, 0, 1)),
    ((0, 0, 1, 1, 0, 0), (0, 0, 2, 0, 0, 0)),
    ((0, 0, 0, 0, 0, 2), (0, 0, 0, 0, 1, 1)),
]
GAMMONISH: list[tuple[Side, Side]] = [
    # The opponent has borne off none of his fifteen.
    (ACES[4], ACES[15]),
    ((1, 1, 0, 0, 0, 1), ACES[15]),
    ((0, 0, 0, 0, 0, 2), ACES[15]),
]
POSITIONS = LAST_ROLL + TWO_ROLLS
OWNERS = {"centre": None, "player": 0, "opponent": 1}
CASES = [(sides, owner) for sides in POSITIONS for owner in OWNERS]
SHORT_CASES = [(sides, owner) for sides in POSITIONS[:-2] for owner in OWNERS]


def money(**options: bool | int) -> Table:
    """Return the table of a game for money."""
    return Table(float, **options)  # type: ignore[arg-type]


def check(
    sides: tuple[Side, Side],
    setting: tf.CubeSetting,
    table: Table,
    found: tf.CubeDecision | None = None,
) -> tf.CubeDecision:
    """Compare a decision with the recursion, in units of the present stake."""
    cube, owner = setting.cube, OWNERS[setting.owner]
    found = tf.exact_cube(board_of(sides), setting, "backgammon") if found is None else found
    lost, won = table.won(1, cube), table.won(0, cube)

    def scaled(worth: float) -> float:
        return float((2 * worth - lost - won) / (won - lost))

    no_double = table.rolled(0, sides, cube, owner)
    assert found.no_double == pytest.approx(scaled(no_double), abs=1e-12)
    assert found.centred == pytest.approx(scaled(table.rolled(0, sides, cube, None)), abs=1e-12)
    if cube > 1 or setting.owner != "centre":
        assert found.owned == pytest.approx(scaled(table.rolled(0, sides, cube, 0)), abs=1e-12)
        assert found.opponents == pytest.approx(scaled(table.rolled(0, sides, cube, 1)), abs=1e-12)
    assert found.double_pass == 1
    if not table.may_double(0, cube, owner):
        assert found.action == "no double"
        return found
    taken = table.taken(0, sides, cube)
    assert found.double_take == pytest.approx(scaled(taken), abs=1e-12)
    assert found.take == (scaled(taken) <= 1 + 1e-12)
    if abs(scaled(min(taken, won)) - scaled(no_double)) > 1e-12:
        assert found.double == (min(taken, won) > no_double)
    assert (found.action == "too good") == (not found.double and scaled(no_double) > 1 + 1e-12)
    best = table.turn(0, sides, cube, owner)
    if found.match_chance is None:
        mine = min(found.double_take, 1.0) if found.double else found.no_double
        assert mine == pytest.approx(scaled(best), abs=1e-12)
    else:
        assert found.match_chance == pytest.approx(float(best), abs=1e-12)
    return found


@pytest.mark.parametrize(("sides", "owner"), CASES)
def test_money(sides: tuple[Side, Side], owner: str) -> None:
    for cube in (1, 8):
        check(sides, tf.CubeSetting(cube=cube, owner=owner), money())


@pytest.mark.parametrize(("sides", "owner"), SHORT_CASES)
def test_money_with_a_cap(sides: tuple[Side, Side], owner: str) -> None:
    for cube in (1, 4):
        check(sides, tf.CubeSetting(cube=cube, owner=owner, cap=4), money(cap=4))


@pytest.mark.parametrize("refusable", [False, True])
@pytest.mark.parametrize(("sides", "owner"), SHORT_CASES)
def test_money_with_beavers(sides: tuple[Side, Side], owner: str, refusable: bool) -> None:
    setting = tf.CubeSetting(owner=owner, beavers=True, beaver_refusable=refusable)
    check(sides, setting, money(beavers=True, refusable=refusable))


@pytest.mark.parametrize("jacoby", [False, True])
@pytest.mark.parametrize("sides", GAMMONISH)
def test_gammons_and_jacoby(sides: tuple[Side, Side], jacoby: bool) -> None:
    found = check(sides, tf.CubeSetting(jacoby=jacoby), money(jacoby=jacoby))
    # A gammon is nearly sure: too good, unless gammons wait for the cube.
    assert (found.action == "too good") == (not jacoby)


MET = tf.MatchEquityTable.compute(9)


@pytest.mark.parametrize("sides", [*LAST_ROLL, *TWO_ROLLS[:-2], GAMMONISH[0]])
@pytest.mark.parametrize(
    ("score", "cube", "owner", "post_crawford"),
    [
        ((7, 7), 1, "centre", False),
        ((2, 2), 1, "centre", False),
        ((2, 2), 2, "player", False),  # dead: the stake suffices
        ((2, 5), 2, "player", False),
        ((5, 2), 2, "player", False),  # doubles for nothing: two points lose the match anyway
        ((5, 2), 2, "opponent", False),
        ((3, 4), 1, "centre", False),
        ((9, 6), 4, "player", False),
        ((4, 1), 1, "centre", False),  # the Crawford game
        ((1, 4), 1, "centre", False),
        ((4, 1), 1, "centre", True),
        ((3, 1), 1, "centre", True),
        ((1, 4), 1, "centre", True),
    ],
)
def test_matches(
    sides: tuple[Side, Side],
    score: tuple[int, int],
    cube: int,
    owner: str,
    post_crawford: bool,
) -> None:
    def chance(points: int) -> float:
        return float(MET.after(*score, points, post_crawford=post_crawford))

    crawford = 1 in score and not post_crawford
    table = Table(chance, needs=score, doubling=not crawford)
    setting = tf.CubeSetting(cube, owner, away=score, post_crawford=post_crawford, table=MET)
    check(sides, setting, table)


@pytest.mark.parametrize("sides", LAST_ROLL)
@pytest.mark.parametrize("score", [None, (7, 7), (3, 5), (2, 2)])
def test_on_the_last_roll_a_dead_cube_is_exact(
    sides: tuple[Side, Side], score: tuple[int, int] | None
) -> None:
    win = money(doubling=False).rolled(0, sides, 1, None) / 2 + 0.5
    setting = tf.CubeSetting(away=score)
    model = tf.cube_decision([win, 0, 0, 0, 0, 0], setting, efficiency=0)
    exact = tf.exact_cube(board_of(sides), setting, "backgammon")
    for name in ("cubeless", "no_double", "double_take", "double_pass"):
        assert getattr(model, name) == pytest.approx(getattr(exact, name), abs=1e-12)
    assert model.action == exact.action
    assert model.take == exact.take


def test_the_places_of_the_cube_are_in_order() -> None:
    for sides in TWO_ROLLS:
        flat = tf.exact_cube(board_of(sides), tf.CubeSetting(), "backgammon")
        assert flat.owned >= flat.centred - 1e-12
        assert flat.owned >= flat.cubeless - 1e-12 >= flat.opponents - 2e-12
    assert flat.owned > flat.opponents + 0.01


def test_refuses_what_is_long_or_comes_again_or_is_over() -> None:
    with pytest.raises(ValueError, match=r"more than limit=50 positions"):
        tf.exact_cube(board_of(TWO_ROLLS[-1]), tf.CubeSetting(cap=64), limit=50)
    with pytest.raises(ValueError, match="the game is over"):
        tf.exact_cube(board_of(((0,) * 6, ACES[3])))
    bar = board_of((ACES[1], ACES[1]))  # both hit, against each other's point: they can dance
    bar[0, 1], bar[0, 25], bar[0, 0] = 0, 1, 14
    bar[1, 1:7], bar[1, 0] = 2, 3
    with pytest.raises(ValueError, match="can come again"):
        tf.exact_cube(bar)
    with pytest.raises(ValueError, match=r"limit=0: expected an integer of 1 or more"):
        tf.exact_cube(board_of(TWO_ROLLS[0]), limit=0)
