"""The games that have a preset: their names, TFID letters and descriptions, in one table."""

from __future__ import annotations

from typing import Final, NamedTuple


class Preset(NamedTuple):
    """What is said of a preset beside its rules."""

    name: str
    """Its name in `RULES`. `presets` has its rules under the same name in capitals."""
    letter: str
    """Its letter in a TFID. A letter that was once given keeps its meaning."""
    about: str
    """One line that describes the game."""


GAMES: Final = (
    Preset("portes", "p", "the Greek game: a win counts 1, or 2 if the loser has borne off none"),
    Preset("portes_cube", "c", "Portes in Greek online rooms: koks (backgammon) counts 3"),
    Preset("backgammon", "b", "the international game: win 1, gammon 2, backgammon 3"),
    Preset(
        "backgammon_zh",
        "z",
        "backgammon by the Chinese text: no duty to play both dice or the higher one",
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
        "all start on 24; a lone checker is pinned, not hit; the mother pinned loses 2",
    ),
    Preset(
        "tapa", "a", "Plakoto of the Balkans: a pinned mother loses nothing, both pinned is a draw"
    ),
    Preset(
        "fevga",
        "f",
        "both run the same way round; one checker closes a point; the runner goes first",
    ),
    Preset(
        "moultezim",
        "m",
        "Fevga's Turkish ancestor: at most four points of the other side's start quadrant",
    ),
    Preset(
        "narde",
        "d",
        "long nardy: as Fevga, but one checker a turn leaves the head; a prime needs one past",
    ),
    Preset(
        "gul_bara",
        "g",
        "as Narde without bans on primes; doubles go on from their number up to 6-6",
    ),
)
"""The presets, in the order of `RULES`. A new one takes an entry here and its rules in
`presets`."""

ABOUT: Final = {game.name: game.about for game in GAMES}
"""The line that describes each preset."""

NAMES: Final = tuple(game.name for game in GAMES)
"""The names of the presets."""
