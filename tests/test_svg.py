"""Pictures: the SVG of boards, and what notebooks show of results."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast.rules.presets import RULES

SVG = "{http://www.w3.org/2000/svg}"


def checkers(text: str) -> int:
    """Return how many checkers a picture has: full-sized circles."""
    return len(re.findall(r'<circle [^>]* r="15"', text))


def board(mine: dict[int, int], theirs: dict[int, int]) -> Any:
    planes = np.zeros((2, 26), np.int8)
    for plane, points in zip(planes, (mine, theirs), strict=True):
        for point, count in points.items():
            plane[point] = count
        plane[0] = 15 - plane.sum()
    return planes


@pytest.mark.parametrize("name", list(RULES))
@pytest.mark.parametrize("home", ["right", "left"])
def test_start_positions_of_all_games(name: str, home: str) -> None:
    rules = RULES[name]
    text = tf.view(tf.start(name), name, cube=1, dice=(6, 1), home=home).svg()
    assert checkers(text) == 2 * rules.checkers
    assert len(text) < 9_000
    root = ET.fromstring(text)
    # Nothing that could reach another cell of a notebook.
    tags = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert tags <= {"svg", "title", "rect", "path", "g", "text", "circle"}
    assert not any("id" in each.attrib or "class" in each.attrib for each in root.iter())
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"].startswith(f"{name} board, X on roll with 6-1. X: ")
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for circle in root.iter(f"{SVG}circle"):
        assert 0 < float(circle.attrib["cx"]) < width
        assert 0 < float(circle.attrib["cy"]) < height


def test_an_ordinary_board_is_small() -> None:
    shown = tf.view(tf.start("backgammon"), "backgammon", dice=(3, 1), play="8/5 6/5", cube=1)
    assert 4_000 < len(shown.svg()) < 5_500
    assert shown._repr_svg_() == shown.svg()
    assert shown.moves == ((8, 5), (6, 5))
    assert eval(repr(shown), {"view": tf.view}).svg() == shown.svg()


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_no_two_checkers_of_a_stack_lie_on_each_other(theme: str) -> None:
    full = board({13: 15}, {24: 15})
    for rules in ("backgammon", "portes"):
        text = tf.view(full, rules, theme=theme).svg()
        places = re.findall(r'<circle cx="([0-9.]+)" cy="([0-9.]+)" r="15"', text)
        assert len(set(places)) == 30
        assert text.count(">15</text>") == 3  # two counts, and the number of a point


def test_bars_trays_and_pins() -> None:
    both = tf.view(board({25: 3, 8: 10}, {25: 6, 20: 1}), "backgammon").svg()
    assert checkers(both) == 3 + 10 + 6 + 1 + 2  # and one for those that are off on either side
    assert "3 on the bar" in both
    assert ">2</text>" in both
    pinned = np.zeros((2, 26), np.int8)
    pinned[0, [6, 20]], pinned[1, 19] = (1, 14), -1
    pinned[1, 24] = 14
    text = tf.view(pinned, "plakoto").svg()
    assert checkers(text) == 30
    assert "pinned on 19" in text
    # The pinned checker is drawn first, at the edge, and the one that pins it over it.
    circles = re.findall(r'cx="([0-9.]+)" cy="([0-9.]+)" r="15" fill="(#[0-9a-f]+)"', text)
    x, _, pinning = next(each for each in circles if float(each[1]) < 346 and each[2] == "#fffdf6")
    under = next(each for each in circles if each[0] == x and each[2] != pinning)
    over = next(each for each in circles if each[0] == x and each[2] == pinning)
    assert circles.index(under) < circles.index(over)
    assert float(under[1]) > float(over[1])


def test_arrows_and_their_ends() -> None:
    start = tf.start("backgammon")
    two = tf.view(start, "backgammon", dice=(3, 1), play=[(8, 5), (6, 5)], best="24/23 13/10")
    assert two.svg().count('opacity=".85"') == 4
    assert "#0a7d33" in two.svg()
    legal = tf.legal_plays(start, (3, 1), "backgammon")
    assert tf.view(start, "backgammon", play=legal["8/5 6/5"]).moves == legal["8/5 6/5"].moves
    off = tf.view(board({25: 1, 6: 14}, {13: 15}), "backgammon", dice=(6, 5), play="bar/20/14")
    assert off.svg().count('opacity=".85"') == 2


def test_what_an_id_tells() -> None:
    shown = tf.view("XGID=-b----E-C---eE---c-e----B-:2:-1:1:31:0:0:3:0:10")
    assert (shown.dice, shown.cube, shown.owner) == ((3, 1), 4, "opponent")
    assert tf.view("TFID1:f:12o11O1:0:0:65").dice == (6, 5)
    named = tf.view(tf.start(), names=("<Anna> & Bo", 'a"b')).svg()
    assert "&lt;Anna&gt; &amp; Bo: 167 pips" in named
    ET.fromstring(named)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dice": (7, 1)}, "dice"),
        ({"play": "8/5 6/5"}, "play='8/5 6/5' without a roll"),
        ({"play": [(8, 3), (8, 4), (1, 2)]}, "1/2"),
        ({"play": 5}, "play=5: expected a Play"),
        ({"best": [(0, 3)]}, "from"),
        ({"cube": 0}, "cube=0: expected"),
        ({"owner": "X"}, "owner='X': expected one of centre, player, opponent"),
        ({"theme": "blue"}, "theme='blue': expected one of auto, light, dark"),
        ({"home": "up"}, "home='up': expected one of right, left"),
        ({"names": "Anna"}, "names='Anna': expected two names"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.view(tf.start("backgammon"), "backgammon", **options)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = tf.view(tf.start())
    shown.save(tmp_path / "board.svg")
    assert (tmp_path / "board.svg").read_text().startswith("<svg")
    with pytest.raises(ValueError, match=r"path=.*expected a name that ends in .svg or .png"):
        shown.save(tmp_path / "board.gif")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match="resvg-py"):
        shown.save(tmp_path / "board.png")
    assert not (tmp_path / "board.png").exists()


def test_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    tf.view(tf.start(), theme="dark").save(tmp_path / "board.png")
    assert (tmp_path / "board.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_what_notebooks_show() -> None:
    start = tf.start("backgammon")
    legal = tf.legal_plays(start, (3, 1), "backgammon")
    assert legal._repr_html_().count("<li>") == len(legal)
    assert legal.to_dicts()[0] == {
        "play": str(legal[0]),
        "hits": 0,
        "pins": 0,
        "next": tf.position_id(tf.flip(legal[0].board), "backgammon"),
    }
    ranked = tf.rank_plays(start, (3, 1), rules="backgammon", trials=72, seed=1)
    rows = ranked.to_dicts()
    assert [row["play"] for row in rows] == [str(each.play) for each in ranked]
    assert ranked._repr_html_().count("<tr>") == len(ranked) + 1
    assert ranked._repr_html_().startswith("<svg")
    result = tf.rollout(tf.random_boards(3, seed=1), "random", trials=64, seed=1)
    assert [row["equity"] for row in result.to_dicts()] == result.equity.tolist()
    assert result._repr_html_().count("<svg") == 3
    assert "<style" not in result._repr_html_() + ranked._repr_html_() + legal._repr_html_()
    many = tf.rollout(tf.random_boards(105, seed=1), "random", trials=16, seed=1)
    assert "<svg" not in many._repr_html_()
    assert "… 5 more boards" in many._repr_html_()
    cube = tf.rollout(start, rules="backgammon", trials=128, seed=1, cube=True, truncate=5)
    assert {"centred", "owned", "opponents", "double_take"} <= cube.to_dicts()[0].keys()
