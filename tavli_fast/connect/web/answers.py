"""What each path computes: from the fields of a request to a JSON document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from tavli_fast._common.arguments import Int8Array
from tavli_fast.boards.positions import flip
from tavli_fast.boards.tfid import game_of, is_tfid, tfid
from tavli_fast.connect.engine import Engine
from tavli_fast.connect.situation import Situation
from tavli_fast.connect.web.fields import RequestError, read_fields
from tavli_fast.cube.decisions import cube_equities
from tavli_fast.errors import NotationError
from tavli_fast.evaluation.evaluate import best_plays, evaluate
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.notation.play import Play
from tavli_fast.notation.position_id import any_id, read_position, read_xgid
from tavli_fast.rules.games import GAMES
from tavli_fast.rules.presets import RULES, Rules

__all__ = ["ANSWERS", "Answer", "games", "situation_of"]

_CUBE: Final = ("cube", "owner", "score", "length", "crawford", "jacoby", "beavers")
_OWNERS: Final = {"centre": 0, "player": 1, "opponent": -1}
_NAMES: Final = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon", "draw")
_FAILED: Final = "the position has no legal play to judge"


def games() -> dict[str, Any]:
    """Return the games that can be played."""
    return {"games": [{"name": game.name, "letter": game.letter} for game in GAMES]}


def situation_of(fields: Mapping[str, Any]) -> Situation:
    """Return the situation that a request describes.

    Raises:
        RequestError: the position cannot be read, or the fields do not fit each other.
    """
    text, name = fields["position"], fields.get("rules")
    board, rules, dice = _read(text, name)
    try:
        xgid = read_xgid(text, rules)
        cube = _cube_of(xgid) if xgid is not None else {}
        for field in ("cube", "score", "length"):
            if xgid is None and fields.get(field) is not None:
                cube[field] = fields[field]
        if xgid is None:
            cube["owner"] = _OWNERS[fields.get("owner") or "centre"]
            cube["crawford"] = bool(fields.get("crawford"))
            cube["jacoby"], cube["beavers"] = (
                bool(fields.get("jacoby")),
                bool(fields.get("beavers")),
            )
        jacoby, beavers = cube.pop("jacoby"), cube.pop("beavers")
        money = not cube.get("length")
        if rules.cube:
            rules = replace(
                rules,
                cube_cap=cube.pop("cap", None),
                jacoby=money and jacoby,
                beavers=money and beavers,
            )
        else:
            cube = {}
        cube.pop("cap", None)
        waiting = fields.get("waiting") or cube.pop("waiting", None)
        cube.pop("waiting", None)
        return Situation(
            board,
            rules,
            fields.get("dice") or dice,
            waiting=waiting,
            resigned=fields.get("resigned") or 0,
            asked_on_roll=fields.get("asked_on_roll") is not False,
            **cube,
        )
    except ValueError as error:
        raise RequestError(str(error)) from None


def _cube_of(xgid: Any) -> dict[str, Any]:
    """Return the cube and the score of an XGID."""
    if xgid.pending not in (None, "double"):
        raise RequestError(f"an XGID with a {xgid.pending} cannot be answered", "position")
    return {
        "cube": xgid.cube,
        "owner": xgid.cube_owner,
        "score": xgid.scores,
        "length": xgid.match_length,
        "crawford": xgid.crawford,
        "jacoby": xgid.jacoby,
        "beavers": xgid.beavers,
        "cap": xgid.max_cube,
        "waiting": "double" if xgid.pending else None,
    }


def _read(text: str, name: str | None) -> tuple[Int8Array, Rules, tuple[int, int] | None]:
    """Return the board, the rules and the roll of an ID."""
    try:
        game = name or (game_of(text) if is_tfid(text) else "backgammon")
        return read_position(text, RULES[game])
    except NotationError as error:
        raise RequestError(str(error), "position", "invalid_position_id") from None


def _outcomes(row: Any) -> dict[str, float]:
    """Return outcomes by name."""
    return {name: round(float(value), 6) for name, value in zip(_NAMES, row, strict=True)}


def _played(play: Play, rules: Rules) -> dict[str, Any]:
    """Return a play, and the position in which the opponent is then on roll."""
    after = flip(play.board)
    try:
        id_ = any_id(after, rules)
    except ValueError:  # no ID can hold it
        id_ = tfid(after, rules=rules)
    return {"play": str(play), "moves": [*map(list, play.moves)], "position": id_}


class _Judged(NamedTuple):
    """The plays of a roll with their values, the best first."""

    plays: list[dict[str, Any]]
    equities: list[float]
    boards: Int8Array


def _judged(s: Situation, plies: int, top: int) -> _Judged:
    """Return the best plays of a roll, as `best_plays` has them."""
    assert s.dice is not None
    plays = LegalPlays(s.board, s.dice, s.rules)
    if not len(plays):
        return _Judged([], [], s.board[np.newaxis][:0])
    found = best_plays(s.board, s.dice, "net", s.rules, plies, min(top, len(plays)))
    count = int(found.counts[0])
    boards = found.boards[0, :count]
    equities = [round(float(value), 6) for value in found.equity[0, :count]]
    listed = [
        {
            **_played(plays[plays.index(board)], s.rules),
            "equity": equity,
            "outcomes": _outcomes(row),
        }
        for board, equity, row in zip(boards, equities, found.outcomes[0], strict=False)
    ]
    return _Judged(listed, equities, boards)


def _with_dice(s: Situation) -> Situation:
    if s.dice is None:
        raise RequestError("dice is missing: expected the roll", "dice")
    return s


def moves(fields: Mapping[str, Any], _engine: Engine) -> dict[str, Any]:
    """Return the best plays of a roll."""
    s = _with_dice(situation_of(fields))
    judged = _judged(s, fields["plies"], fields["top"])
    return {"dice": list(s.dice or ()), "plays": judged.plays}


def legal(fields: Mapping[str, Any], _engine: Engine) -> dict[str, Any]:
    """Return all legal plays of a roll."""
    s = _with_dice(situation_of(fields))
    assert s.dice is not None
    plays = LegalPlays(s.board, s.dice, s.rules)
    shown = plays[: fields["top"]]
    return {"count": len(plays), "plays": [_played(play, s.rules) for play in shown]}


def evaluation(fields: Mapping[str, Any], _engine: Engine) -> dict[str, Any]:
    """Return what positions are worth before the roll."""
    read = [_read(text, fields["rules"]) for text in fields["positions"]]
    rules = read[0][1]
    if any(each[1] != rules for each in read):
        raise RequestError("positions of different games: expected one", "positions")
    try:
        boards = np.stack([board for board, _, _ in read])
        found = evaluate(boards, "net", rules, fields["plies"])
    except ValueError as error:
        raise RequestError(str(error), "positions") from None
    return {
        "positions": [
            {"equity": round(float(equity), 6), "outcomes": _outcomes(row)}
            for equity, row in zip(found.equity, found.outcomes, strict=True)
        ]
    }


def cube(fields: Mapping[str, Any], _engine: Engine) -> dict[str, Any]:
    """Return the cube decision of a position."""
    s = situation_of(fields)
    if not s.rules.cube:
        raise RequestError("the game has no cube: expected rules with one", "rules")
    if s.waiting == "play":
        raise RequestError("the dice are thrown: expected a position before the roll", "dice")
    outcomes = Engine(plies=fields["plies"]).outcomes(s.board, s.rules)
    assert outcomes is not None
    found = cube_equities(outcomes, s.setting)
    answer = "pass" if not found.take[0] else "beaver" if found.beaver[0] else "take"
    return {
        "may_double": bool(found.may_double and not s.crawford),
        "double": bool(found.double[0]),
        "too_good": bool(found.too_good[0]),
        "answer": answer,
        "cubeless": round(float(found.cubeless[0]), 6),
        "no_double": round(float(found.no_double[0]), 6),
        "double_take": round(float(found.double_take[0]), 6),
        "double_pass": round(float(found.double_pass[0]), 6),
        "outcomes": _outcomes(outcomes),
    }


def analysis(fields: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """Return the plays of a roll, and what a given play loses; without dice the value of the
    position and its cube decision."""
    s = situation_of(fields)
    if s.dice is None:
        asked = {
            "positions": [fields["position"]],
            "rules": fields["rules"],
            "plies": fields["plies"],
        }
        found = evaluation(asked, engine)["positions"][0]
        return {**found, "cube": cube(fields, engine) if s.rules.cube else None}
    text = fields["play"]
    top = 500 if text else fields["top"]
    judged = _judged(s, fields["plies"], top)
    result: dict[str, Any] = {"plays": judged.plays[: fields["top"]], "played": None}
    if text:
        plays = LegalPlays(s.board, s.dice, s.rules)
        try:
            board = plays[text].board
        except ValueError as error:
            raise RequestError(str(error), "play") from None
        except IndexError:
            raise RequestError(_FAILED, "play") from None
        rank = int((judged.boards == board).all(axis=(1, 2)).argmax())
        loss = round(judged.equities[0] - judged.equities[rank], 6)
        result["played"] = {**judged.plays[rank], "rank": rank + 1, "loss": loss}
    return result


def action(fields: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """Return what the engine does."""
    s = situation_of(fields)
    if fields["level"] is not None:
        engine = Engine.of_level(fields["level"], engine.evaluator, seed=engine.seed)
    try:
        found = engine.decide(s)
    except ValueError as error:
        raise RequestError(str(error)) from None
    played = {} if found.play is None else _played(found.play, s.rules)
    return {"action": found.name, **played, **({"points": found.points} if found.points else {})}


class Answer(NamedTuple):
    """One path of the server."""

    compute: Callable[[Mapping[str, Any], Engine], dict[str, Any]]
    fields: tuple[str, ...]
    about: str

    def answer(self, body: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
        """Return the document for the body of a request.

        Raises:
            RequestError: the request cannot be answered.
        """
        return self.compute(read_fields(body, self.fields), engine)


ANSWERS: Final[dict[str, Answer]] = {
    "/moves": Answer(
        moves,
        ("position", "dice", "rules", "plies", "top"),
        "The best plays of a roll by the net, with their equities and outcomes.",
    ),
    "/legal": Answer(
        legal, ("position", "dice", "rules", "top"), "The legal plays of a roll, in no order."
    ),
    "/evaluation": Answer(
        evaluation,
        ("positions", "rules", "plies"),
        "What positions are worth to the player on roll, before the roll.",
    ),
    "/cube": Answer(
        cube,
        ("position", "rules", "plies", *_CUBE),
        "The cube decision: double or not, take or pass. An XGID has its own cube and score.",
    ),
    "/analysis": Answer(
        analysis,
        ("position", "dice", "rules", "plies", "top", "play", *_CUBE),
        "With dice: the best plays, and what a given play loses. Without: value and cube.",
    ),
    "/action": Answer(
        action,
        ("position", "dice", "rules", "level", *_CUBE, "waiting", "resigned", "asked_on_roll"),
        "What the engine does: roll, double, play, take, drop, beaver, resign, accept, reject.",
    ),
}
"""The paths that compute one document, each by POST."""
