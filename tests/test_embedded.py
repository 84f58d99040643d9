"""The nets in the package: each plays well, says how it was made, and is lent with care."""

from dataclasses import replace
from pathlib import Path

import pytest
from cli_calls import document, runner, shown

import tavli_fast as tf
from tavli_fast.cli import program
from tavli_fast.nets.bundled import borrowed, embedded_nets, lender, load_net

OWN = [
    "portes",
    "backgammon",
    "hypergammon",
    "nackgammon",
    "tavla",
    "plakoto",
    "tapa",
    "fevga",
    "moultezim",
    "narde",
    "gul_bara",
]


def test_there_is_a_load_net_every_game_and_together_they_are_small():
    assert embedded_nets() == (*OWN,)
    folder = Path(tf.__file__).parent / "nets" / "data"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 8_000_000


@pytest.mark.parametrize("name", OWN)
def test_a_net_beats_chance_and_has_a_card(name):
    net = load_net(name)
    assert net.rules == tf.RULES[name]
    assert not borrowed(name)
    found = tf.arena(net, "random", name, 4 if name == "gul_bara" else 40, seed=5)
    # Three checkers are soon home, whoever moves them.
    assert found.won() >= (0.7 if name == "hypergammon" else 0.9)
    info = net.info
    assert info["name"] == name
    assert info["finished"]
    assert info["games"] > 1000
    # A relative's net may have learnt this game in the second stage.
    steps = [info["command"], *(step["command"] for step in info.get("improved", ()))]
    assert any(f"--rules {name} " in step for step in steps)
    assert "--games" in info["command"]
    row = next(row for row in info["strength"] if row["opponent"] == "random")
    assert row["equity"] > 1
    assert row["std_error"] > 0


def test_who_lends():
    assert lender("backgammon") == "backgammon"
    assert lender("portes_cube") == "backgammon"  # the same but for the session
    assert not borrowed("portes_cube")
    assert lender("backgammon_zh") == "backgammon"
    assert borrowed("backgammon_zh")
    assert lender("longgammon") == "backgammon"
    house = replace(tf.PLAKOTO, mother="lose_always")
    assert lender(house) == "plakoto"
    assert borrowed(house)
    assert load_net(house) is load_net("plakoto")
    assert tf.load_net("plakoto") is load_net("plakoto")
    assert lender(replace(tf.HYPERGAMMON, cube=False)) == "hypergammon"


def test_who_gets_none():
    ten = replace(tf.PORTES, checkers=10, start=((24, 2), (13, 3), (8, 2), (6, 3)))
    with pytest.raises(ValueError, match="no net comes with the package for such boards"):
        tf.load_net(ten)
    with pytest.raises(ValueError, match="rules='chess'"):
        tf.load_net("chess")


# --- the command ----------------------------------------------------------------------------------


def test_the_list():
    text = shown("nets")
    for name in OWN:
        assert f"\n{name} " in f"\n{text}"
    assert "backgammon_zh borrows the net of backgammon" in text
    assert "portes_cube plays with the net of backgammon" in text
    assert [card["name"] for card in document("nets")] == [*embedded_nets()]


def test_a_card():
    text = shown("nets", "plakoto")
    for part in ("pin-2, 302 features", "tavli-fast train --rules plakoto", "against random"):
        assert part in text
    assert "has no net of its own" in shown("nets", "longgammon")
    found = document("nets", "longgammon")
    assert (found["rules"], found["net"], found["borrowed"]) == ("longgammon", "backgammon", True)
    assert runner().invoke(program, ["nets", "chess"]).exit_code == 2
