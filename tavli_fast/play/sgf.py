"""Matches in GNU Backgammon's SGF: read, with the analysis in them, and written.

A file is one game tree after another. White is player 0, Black player 1; a letter is a point in an
absolute frame, a for White's ace point. docs/formats.md says what is read and written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from tavli_fast._common.arguments import BAR, OFF, shown
from tavli_fast._common.version import version
from tavli_fast.errors import NotationError
from tavli_fast.play.mat.grammar import Cell, Judge, MatText, Part
from tavli_fast.play.mat.reader import MatMatch, Note
from tavli_fast.play.mat.replay import Replay
from tavli_fast.play.mat.writer import clean
from tavli_fast.play.records import GameRecord, Turn
from tavli_fast.play.session import Session
from tavli_fast.rules.fields import SESSION_FIELDS
from tavli_fast.rules.presets import BACKGAMMON, HYPERGAMMON, NACKGAMMON, Rules

__all__ = ["is_sgf", "read_sgf", "write_sgf"]

_TOKEN: Final = re.compile(r"\s*([();]|[A-Za-z]+|\[((?:[^\]\\]|\\.)*)\])", re.S)
_ESCAPED: Final = re.compile(r"\\(\r\n|\n|.)", re.S)
_PLAY: Final = re.compile(r"([1-6])([1-6])((?:[a-z]{2}){0,4})")
_RESULT: Final = re.compile(r"([BW])\+([0-9]{1,9})(R?)")
_PAIR: Final = re.compile(r"([a-z]+):(-?[0-9]{1,9})")
_KIND: Final = "SGF"
_SIDES: Final = {"W": 0, "B": 1}
_SETUP: Final = frozenset({"AE", "AW", "AB"})
_KEPT: Final = frozenset({"A", "DA", "LU", "MR", "BM", "DO", "GB", "GW", "C"})
"""Properties of a node that hold its analysis."""
_TAGS: Final = {"PC": "Site", "EV": "Event", "RO": "Round", "DT": "EventDate", "AN": "Annotator"}
_WORDS: Final = {"double": "doubles", "take": "takes", "drop": "drops"}
_FLAGS: Final[tuple[tuple[Rules, list[str]], ...]] = (
    (BACKGAMMON, []),
    (NACKGAMMON, ["Nackgammon"]),
    (HYPERGAMMON, ["Hypergammon3"]),
)
"""The games of the format, and their flags."""
_VARIANTS: Final = {"Nackgammon": NACKGAMMON, "Hypergammon3": HYPERGAMMON}


class _Node(NamedTuple):
    """A node: its properties, and where it stands."""

    line: int
    column: int
    properties: dict[str, list[str]]


def is_sgf(text: str) -> bool:
    """Return whether a text is a game tree of backgammon in SGF."""
    begin = text.lstrip("\ufeff \t\r\n")[:400]
    return begin.startswith("(") and bool(re.match(r"\(\s*;", begin)) and "GM[6]" in begin


def read_sgf(text: str, *, strict: bool = False) -> MatMatch:
    """Read a match in GNU Backgammon's SGF by replaying it.

    Args:
        text: the text.
        strict: as in `read_mat`.

    Returns:
        The `MatMatch`; its `notes` hold the analysis as it stands in the file.

    Raises:
        NotationError: as in `read_mat`.
    """
    if not isinstance(text, str):
        raise NotationError(f"SGF {shown(text)}: expected a str")
    judge = Judge(bool(strict), _KIND)
    trees = list(_trees(text))
    if not trees:
        raise NotationError(f"SGF {shown(text)}: expected game trees such as (;FF[4]GM[6]…)")
    roots = [tree[0].properties for tree in trees]
    info = _match_info(roots[0])
    flags = set(":".join(roots[0].get("RU", ())).split(":"))
    tags = {"Crawford": "On" if "Crawford" in flags else "Off"}
    tags |= {"Jacoby": "On" if "Jacoby" in flags else "Off"}
    for name, tag in _TAGS.items():
        if name in roots[0]:
            tags[tag] = roots[0][name][0]
    rules = next((_VARIANTS[name] for name in flags & _VARIANTS.keys()), BACKGAMMON)
    tags["Variation"] = {NACKGAMMON: "NackGammon", HYPERGAMMON: "HyperGammon (3)"}.get(
        rules, "Backgammon"
    )
    if unknown := [name for name in flags if name.startswith("Hypergammon") and name[-1:] != "3"]:
        raise NotationError(f"SGF, RU {unknown[0]!r}: expected a game of 15 checkers, or of 3")
    parts, notes = [], []
    for number, tree in enumerate(trees, 1):
        part, found = _part(tree, number, judge)
        parts.append(part)
        notes += found
    length = info.get("length", 0)
    names = tuple(roots[0].get(side, ["?"])[0].strip() or "?" for side in ("PW", "PB"))
    session = Replay(MatText(length, tags, parts), rules, judge).session
    return MatMatch(session, (names[0], names[1]), tags, tuple(judge.mended), tuple(notes))


def _trees(text: str) -> Iterator[list[_Node]]:
    """Yield the main line of each game tree.

    Raises:
        NotationError: the text is not SGF.
    """
    place, line, begun = 0, 1, 0
    nodes: list[_Node] = []
    depth, name, skipped = 0, "", 0
    while found := _TOKEN.match(text, place):
        token = found[1]
        line += text.count("\n", place, found.start(1))
        begun = text.rfind("\n", 0, found.start(1)) + 1
        column = found.start(1) - begun + 1
        line_here = line
        line += token.count("\n")
        if depth == 0 and token != "(":
            break
        place = found.end()
        if token == "(":
            depth += 1
            if depth > 1 and nodes and skipped == 0 and nodes[-1].properties.get("(") is not None:
                skipped = depth  # a variation after the first one
            elif depth > 1 and nodes:
                nodes[-1].properties["("] = []
        elif token == ")":
            if skipped == depth:
                skipped = 0
            depth -= 1
            if depth == 0 and nodes:
                yield nodes
                nodes = []
        elif skipped:
            continue
        elif token == ";":
            nodes.append(_Node(line_here, column, {}))
        elif token[0] != "[":
            name = token
        elif nodes and name:
            value = _ESCAPED.sub(lambda match: "" if match[1].strip() == "" else match[1], found[2])
            nodes[-1].properties.setdefault(name, []).append(value)
    rest = text[place:].strip()
    if rest or depth:
        what = shown(rest) if rest else "the end"
        expected = "expected properties, and brackets that close"
        raise NotationError(f"SGF, line {line}, {what}: {expected}")


def _match_info(properties: Mapping[str, list[str]]) -> dict[str, int]:
    """Return what the property MI tells: the length, the number of the game and the score."""
    found = (_PAIR.fullmatch(each) for each in properties.get("MI", ()))
    return {each[1]: max(int(each[2]), 0) for each in found if each}


def _part(tree: list[_Node], number: int, judge: Judge) -> tuple[Part, list[Note]]:
    """Return a game, and the analysis in it."""
    root = tree[0]
    part = Part(root.line)
    info = _match_info(root.properties)
    part.score = (info.get("ws", 0), info.get("bs", 0))
    notes: list[Note] = []
    turns = 0
    for node in tree:
        kept = {name: values for name, values in node.properties.items() if name in _KEPT}
        cell = _cell(node, part.cells[-1] if part.cells else None, judge)
        if kept:
            kind = "game" if cell is None else "play" if cell.kind == "roll" else cell.kind
            notes.append(Note(number, turns + 1, kind, kept))
        if cell is not None:
            part.cells.append(cell)
            turns += cell.kind == "roll"
    found = _RESULT.match(root.properties.get("RE", [""])[0])
    if found:
        winner = _SIDES[found[1]]
        part.cells.append(
            Cell(root.line, root.column, winner, "wins", value=int(found[2]), match=True)
        )
    return part, notes


def _cell(node: _Node, last: Cell | None, judge: Judge) -> Cell | None:
    """Return what a player did in a node, if anything."""
    if _SETUP & node.properties.keys():
        stands = " ".join(sorted(_SETUP & node.properties.keys()))
        expected = "expected a game from the starting position"
        judge.doubt(node.line, node.column, stands, expected, "the position is left out")
    for name, player in _SIDES.items():
        for value in node.properties.get(name, ()):
            word = value.strip().lower()
            if word in _WORDS:
                kind = _WORDS[word]
                if kind == "doubles" and last is not None and last.kind == "doubles":
                    kind = "beavers"
                return Cell(node.line, node.column, player, kind)
            found = _PLAY.fullmatch(word)
            if found is None:
                expected = "expected dice and moves such as 31fehe, or double, take, drop"
                judge.doubt(node.line, node.column, f"{name}[{value}]", expected, "left out")
                return None
            dice = int(found[1]), int(found[2])
            return Cell(node.line, node.column, player, "roll", dice, _text(found[3], player))
    return None


def _text(letters: str, player: int) -> str:
    """Return moves as they stand in a .mat text."""
    points = [_point(letter, player) for letter in letters]
    return " ".join(f"{a}/{b}" for a, b in zip(points[::2], points[1::2], strict=True))


def _point(letter: str, player: int) -> int:
    """Return a player's number of a point."""
    if letter == "y":
        return BAR
    if letter == "z":
        return OFF
    return ord(letter) - 96 if player == 0 else 121 - ord(letter)


def write_sgf(match: MatMatch | Session, players: tuple[str, str] | None = None) -> str:
    """Return a match as GNU Backgammon's SGF.

    Args:
        match: a `Session` of backgammon, Nackgammon or Hypergammon, or what was read. The analysis
            of one that was read from SGF is written again.
        players: the names of players 0 and 1; None for those of the `MatMatch`, else Player 1 and
            2.

    Returns:
        The text.

    Raises:
        ValueError: another game, or a series of several; or `players` is not a pair of names.

    Examples:
        >>> import tavli_fast as tf
        >>> match = tf.Session("backgammon", target=1, seed=1)
        >>> score = match.play_out("random", "random")
        >>> tf.read_match(tf.write_sgf(match, ("Anna", "Bo"))).session.score == score
        True
    """
    session: Any = match
    notes: dict[tuple[int, int, str], Mapping[str, list[str]]] = {}
    tags: dict[str, str] = {}
    if isinstance(match, MatMatch):
        session, tags = match.session, match.tags
        players = match.players if players is None else players
        notes = {(note.game, note.turn, note.kind): note.properties for note in match.notes}
    if not isinstance(session, Session):
        raise ValueError(f"match={shown(match)}: expected a Session or a MatMatch")
    try:
        first, second = (clean(name) or "?" for name in players or ("Player 1", "Player 2"))
    except (TypeError, ValueError):
        raise ValueError(f"players={shown(players)}: expected two names") from None
    if len(session.games) > 1:
        raise ValueError(f"{len(session.games)} games in turn: expected a match of one game")
    flags = _flags(session.games[0], session)
    history = session.history
    won = [sum(_gain(record, side) for record in history) for side in (0, 1)]
    score = [session.score[side] - won[side] for side in (0, 1)]
    games = []
    for number, record in enumerate(history, 1):
        root = [
            f"(;FF[4]GM[6]CA[UTF-8]AP[tavli_fast:{version()}]MI[length:{session.target or 0}]"
            f"[game:{number - 1}][ws:{score[0]}][bs:{score[1]}]"
            f"PW[{_escaped(first)}]PB[{_escaped(second)}]"
        ]
        root += [f"{name}[{_escaped(tags[tag])}]" for name, tag in _TAGS.items() if tag in tags]
        here = [*flags, "CrawfordGame"] if record.crawford else flags
        root.append(f"RU[{':'.join(here)}]" if here else "")
        if record.winner is not None:
            resigned = any(call.action in ("resign", "award") for call in record.calls)
            root.append(f"RE[{'WB'[record.winner]}+{record.points}{'R' * resigned}]")
        root.append(_properties(notes.get((number, 1, "game"), {})))
        nodes = [";" + node for node in _nodes(record, number, notes)]
        games.append("\n".join(["".join(root), *nodes]) + ")\n")
        score = [score[side] + _gain(record, side) for side in (0, 1)]
    return "\n".join(games)


def _gain(record: GameRecord, side: int) -> int:
    """Return what a player got in a game."""
    return (record.points or 0) * (record.winner == side)


def _flags(rules: Rules, session: Session) -> list[str]:
    """Return the flags of RU.

    Raises:
        ValueError: the game is none that the format knows.
    """
    kept = {name: getattr(rules, name) for name in SESSION_FIELDS}
    variant = next((flag for preset, flag in _FLAGS if replace(preset, **kept) == rules), None)
    if variant is None:
        raise ValueError("SGF has no word for this game: expected backgammon or a game like it")
    flags = ["Crawford"] if session.target and rules.crawford else []
    flags += ["Jacoby"] if rules.cube and rules.jacoby and not session.target else []
    flags += [] if rules.cube else ["NoCube"]
    return flags + variant


def _nodes(
    record: GameRecord, number: int, notes: Mapping[tuple[int, int, str], Mapping[str, list[str]]]
) -> Iterator[str]:
    """Yield the nodes of a game."""
    words = {"double": ("double", "doubles"), "beaver": ("double", "beavers")}
    words |= {"take": ("take", "takes"), "drop": ("drop", "drops")}
    for place in range(len(record.turns) + 1):
        for call in record.calls:
            if call.turn == place and call.action in words:
                word, kind = words[call.action]
                kept = _properties(notes.get((number, place + 1, kind), {}))
                yield f"{'WB'[call.player]}[{word}]{kept}"
        if place < len(record.turns):
            turn = record.turns[place]
            kept = _properties(notes.get((number, place + 1, "play"), {}))
            yield f"{'WB'[turn.player]}[{_letters(turn)}]{kept}"


def _letters(turn: Turn) -> str:
    """Return the dice and the moves of a turn."""
    steps = "".join(_letter(point, turn.player) for move in turn.moves for point in move)
    return f"{turn.dice[0]}{turn.dice[1]}{steps}"


def _letter(point: int, player: int) -> str:
    """Return the letter of a player's point."""
    if point in (BAR, OFF):
        return "y" if point == BAR else "z"
    return chr(96 + point if player == 0 else 121 - point)


def _properties(properties: Mapping[str, list[str]]) -> str:
    """Return properties as they are written."""
    return "".join(
        name + "".join(f"[{_escaped(value)}]" for value in values)
        for name, values in properties.items()
    )


def _escaped(text: str) -> str:
    """Return a value with what would end it escaped."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
