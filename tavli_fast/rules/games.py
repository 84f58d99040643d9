"""The games that have a preset: their names, TFID letters and descriptions, in one table."""

from __future__ import annotations

from typing import Final, NamedTuple


class Preset(NamedTuple):
    """The name, letter and description of a preset."""

    name: str
    """Its name in `RULES`. `presets` has its rules under the same name in capitals."""
    letter: str
    """Its letter in a TFID, which never changes."""
    about: str
    """One line that describes the game."""


GAMES: Final = (
    Preset("portes", "p", "the Greek game: a win counts 1, or 2 if the loser has borne off none"),
    Preset("portes_cube", "c", "Portes as played online in Greece: koks (backgammon) counts 3"),
    Preset("backgammon", "b", "the international game: win 1, gammon 2, backgammon 3"),
    Preset(
        "backgammon_zh",
        "z",
        "backgammon by a Chinese text: no duty to play both dice or the higher one",
    ),
    Preset("hypergammon", "h", "backgammon with three checkers a side, on 24, 23 and 22"),
    Preset("nackgammon", "n", "backgammon from Nack Ballard's start, with four checkers back"),
    Preset("longgammon", "l", "backgammon with all fifteen checkers on the 24-point"),
    Preset(
        "tavla", "t", "the Turkish game: Portes, but a checker that hits at home may not move on"
    ),
    Preset(
        "plakoto",
        "k",
        "all start on 24; a lone checker is pinned, not hit; a pinned mother loses 2",
    ),
    Preset(
        "tapa", "a", "Plakoto of the Balkans: a pinned mother costs nothing, both pinned is a draw"
    ),
    Preset(
        "fevga",
        "f",
        "same direction for both sides; one checker blocks a point; the runner goes first",
    ),
    Preset(
        "moultezim",
        "m",
        "Fevga's Turkish ancestor: at most four points of the opponent's start quadrant",
    ),
    Preset(
        "narde",
        "d",
        "long nardy: as Fevga, but one checker per turn leaves the head; other ban on primes",
    ),
    Preset(
        "gul_bara",
        "g",
        "as Narde without bans on primes; doubles continue from their number up to 6-6",
    ),
)
"""The presets, in the order of `RULES`. A new one needs an entry here and its rules in
`presets`."""

ABOUT: Final = {game.name: game.about for game in GAMES}
"""The line that describes each preset."""

NAMES: Final = tuple(game.name for game in GAMES)
"""The names of the presets."""
