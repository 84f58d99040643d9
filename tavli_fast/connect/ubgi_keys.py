"""The keys that UBGI's ``set`` and ``get`` know, and its errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tavli_fast.connect.engine import MOST_PLIES
from tavli_fast.rules.presets import RULES

__all__ = ["KEYS", "UbgiError", "shown"]


class UbgiError(ValueError):
    """An answer ``error <code> <detail>``."""

    def __init__(self, code: str, detail: str) -> None:
        """Keep the code and the detail."""
        super().__init__(f"error {code} {' '.join(detail.split())}")


@dataclass(frozen=True)
class Key:
    """A key of ``set`` and ``get``."""

    kind: str
    """``"int"``, ``"bool"`` or ``"enum"``."""
    values: tuple[Any, ...]
    """The least and the greatest number, or the words."""
    default: Any
    about: str
    minor: bool = False

    def line(self, key: str) -> str:
        """Return the line that ``keys`` answers."""
        span = "" if self.kind == "bool" else " " + "|".join(map(str, self.values))
        if self.kind == "int":
            span = f" {self.values[0]}..{self.values[1]}"
        mark = " !" if self.minor else ""
        default = shown(self.default)
        return f"key {key} {self.kind}{span} {default}{mark} {self.about}"

    def read(self, key: str, text: str) -> Any:
        """Return the value that a text means."""
        if self.kind == "enum":
            if text in self.values:
                return text
            raise UbgiError("bad_value", f"{key} must_be {'|'.join(self.values)}")
        if self.kind == "bool":
            if text in ("true", "false"):
                return text == "true"
            raise UbgiError("bad_value", f"{key} must_be true|false")
        low, high = self.values
        if text.isascii() and text.isdigit() and len(text) < 16 and low <= int(text) <= high:
            return int(text)
        raise UbgiError("bad_value", f"{key} must_be {low}..{high}")


KEYS: Final[dict[str, Key]] = {
    "game.variant": Key("enum", tuple(RULES), "backgammon", "the game, and the net that plays it"),
    "game.length": Key("int", (0, 64), 0, "points of the match, 0 for money"),
    "game.score": Key("int", (0, 63), 0, "points of the player on roll"),
    "game.opponent_score": Key("int", (0, 63), 0, "points of the opponent"),
    "game.crawford": Key("bool", (), False, "the Crawford game"),
    "game.cube": Key("int", (1, 1024), 1, "the value of the cube"),
    "game.cube_owner": Key("enum", ("none", "player", "opponent"), "none", "who owns the cube"),
    "game.jacoby": Key("bool", (), False, "gammons count once the cube is turned, for money"),
    "game.beavers": Key("bool", (), False, "beavers, for money"),
    "engine.ply": Key("int", (1, MOST_PLIES + 1), 1, "root-inclusive decision depth"),
    "engine.level": Key("int", (0, 10), 0, "strength 1 to 10; 0 by engine.ply"),
    "engine.seed": Key("int", (0, 2**31 - 1), 0, "of the noise of levels, and of rollouts", True),
    "rollout.trials": Key("int", (1, 10**6), 1296, "games of a rollout", True),
}


def shown(value: Any) -> str:
    """Return a value as UBGI writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
