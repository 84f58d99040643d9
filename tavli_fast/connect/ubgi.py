"""The engine over UBGI, the Universal Backgammon Interface, on standard input and output.

Source: UBGI 0.2 (github.com/bungogood/bgci, docs/ubgi-v0.2-spec.md). Beyond it: ``game.variant``
has the whole family, ``position tfid`` carries the games that no other text can, keys tell the cube
and the score, ``go rollout`` streams until ``stop``. docs/connect.md describes these.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from tavli_fast._common.arguments import Int8Array
from tavli_fast._common.version import version
from tavli_fast.boards.tfid import game_of, is_tfid
from tavli_fast.connect.engine import Engine
from tavli_fast.connect.situation import Situation
from tavli_fast.connect.streamed import Streamed
from tavli_fast.connect.ubgi_keys import KEYS, UbgiError, shown
from tavli_fast.evaluation.evaluator import Evaluator
from tavli_fast.notation.grammar import name
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.notation.play import Play
from tavli_fast.notation.position_id import from_position_id, read_position
from tavli_fast.notation.xgid import from_xgid
from tavli_fast.rollouts.result import RolloutResult
from tavli_fast.rules.presets import RULES, Rules

__all__ = ["LONGEST_LINE", "UbgiEngine", "lines_of", "talk"]

LONGEST_LINE: Final = 1 << 16
"""Characters of a command; a longer one is refused."""


_OWNERS: Final = {"none": 0, "player": 1, "opponent": -1}
_ROLES: Final = ("chequer", "cube", "turn", "rollout")


class UbgiEngine:
    """One session: what has been set, and the answers to commands.

    Args:
        evaluator: as for `Engine`.
        send: writes one line; called from another thread too while a rollout runs.
    """

    def __init__(self, evaluator: Evaluator = "net", send: Callable[[str], object] = print) -> None:
        """Begin without a position."""
        self._evaluator, self._send = evaluator, send
        self._values = {key: each.default for key, each in KEYS.items()}
        self._situation: Situation | None = None
        self._rollout: threading.Thread | None = None
        self._stop = threading.Event()
        self._engine: tuple[tuple[int, ...], Engine] | None = None
        self.over = False
        """Whether ``quit`` has been received."""

    def command(self, line: str) -> None:
        """Do one command, and send its answers."""
        words = line.split()
        if not words:
            return
        try:
            if len(line) > LONGEST_LINE:
                raise UbgiError("bad_command", f"more than {LONGEST_LINE} characters")
            verb = words[0]
            found = getattr(self, f"_do_{verb}", None) if verb.isascii() else None
            if found is None:
                raise UbgiError("bad_command", f"unknown: {line[:60]}")
            if self._running and verb not in ("isready", "stop", "quit", "ubgi"):
                raise UbgiError("bad_state", "a rollout runs: expected stop, isready or quit")
            found(words[1:])
        except UbgiError as error:
            self._send(str(error))
        except ValueError as error:
            self._send(str(UbgiError("bad_value", str(error))))

    def finish(self) -> None:
        """Stop what runs, and wait for it."""
        self._stop.set()
        if self._rollout is not None:
            self._rollout.join()

    @property
    def _running(self) -> bool:
        return self._rollout is not None and self._rollout.is_alive()

    # The commands, by name.

    def _do_ubgi(self, _: list[str]) -> None:
        self._send(f"id name tavli_fast {version()}")
        self._send("id author The tavli_fast developers")
        self._send("proto 0.2")
        self._send("ubgiok")

    def _do_isready(self, _: list[str]) -> None:
        self._send("readyok")

    def _do_quit(self, _: list[str]) -> None:
        self.over = True
        self.finish()

    def _do_newgame(self, _: list[str]) -> None:
        self._situation = None

    def _do_keys(self, _: list[str]) -> None:
        for key, each in KEYS.items():
            self._send(each.line(key))

    def _do_get(self, words: list[str]) -> None:
        if len(words) != 1:
            raise UbgiError("bad_command", "expected: get <key>")
        self._send(f"value {words[0]} {shown(self._value(words[0]))}")

    def _do_set(self, words: list[str]) -> None:
        if len(words) != 2:
            raise UbgiError("bad_command", "expected: set <key> <value>")
        key, text = words
        self._value(key)
        value = KEYS[key].read(key, text)
        if key == "game.cube" and value & (value - 1):
            raise UbgiError("bad_value", "game.cube must_be a power of two")
        self._values[key] = value
        if key == "game.variant":
            self._situation = None  # its board is one of another game

    def _do_position(self, words: list[str]) -> None:
        if len(words) != 2:
            raise UbgiError("bad_command", "expected: position gnubgid|xgid|tfid <text>")
        kind, text = words
        if kind == "gnubgid":
            board, rules, dice = from_position_id(text, self._rules), self._rules, None
        elif kind == "xgid":
            self._situation = self._of_xgid(text)
            return
        elif kind == "tfid":
            if not is_tfid(text):
                raise UbgiError("bad_value", "expected a TFID, TFID1:...")
            if game_of(text) != self._values["game.variant"]:
                raise UbgiError("bad_state", f"game.variant is not {game_of(text)}")
            board, rules, dice = read_position(text, self._rules)
        else:
            raise UbgiError("unsupported", f"position {kind[:30]}")
        self._situation = self._with_keys(board, rules, dice)

    def _do_dice(self, words: list[str]) -> None:
        if len(words) != 2:
            raise UbgiError("bad_command", "expected: dice <d1> <d2>")
        if any(word not in ("1", "2", "3", "4", "5", "6") for word in words):
            raise UbgiError("bad_value", "dice must_be 1..6 each")
        self._situation = replace(
            self._known(), dice=(int(words[0]), int(words[1])), waiting="play"
        )

    def _do_stop(self, _: list[str]) -> None:
        if not self._running:
            raise UbgiError("bad_state", "nothing runs")
        self._stop.set()

    def _do_go(self, words: list[str]) -> None:
        role = words[0] if words else "chequer"
        if len(words) > 1:
            raise UbgiError("bad_command", f"expected: go {'|'.join(_ROLES)}")
        if role not in _ROLES:
            raise UbgiError("unsupported", f"go {role[:30]}")
        situation = self._known()
        if role == "rollout":
            self._begin_rollout(situation)
        elif role == "cube":
            if situation.waiting == "play":
                raise UbgiError("bad_state", "the dice are thrown: expected a position before them")
            self._send(f"bestcube {self._cube(situation)}")
        elif situation.dice is None:
            raise UbgiError("bad_state", "missing dice")
        elif role == "turn":
            before = replace(situation, dice=None, waiting="roll")
            move = _payload(self._player.best_play(situation))
            self._send(f"bestturn cube={self._cube(before)} move={move}")
        else:
            self._send(f"bestmove {_payload(self._player.best_play(situation))}")

    # What they need.

    def _value(self, key: str) -> Any:
        if key not in self._values:
            raise UbgiError("unsupported", f"key {key[:60]}")
        return self._values[key]

    @property
    def _rules(self) -> Rules:
        """The rules of the variant, with the cube's as the keys have them."""
        values, rules = self._values, RULES[self._values["game.variant"]]
        if not rules.cube:
            return rules
        money = not values["game.length"]
        return replace(
            rules,
            jacoby=money and values["game.jacoby"],
            beavers=money and values["game.beavers"],
            cube_cap=None,
        )

    @property
    def _player(self) -> Engine:
        values = self._values
        key = (values["engine.level"], values["engine.ply"], values["engine.seed"])
        if self._engine is None or self._engine[0] != key:
            level, plies, seed = key
            made = (
                Engine.of_level(level, self._evaluator, seed=seed)
                if level
                else Engine(self._evaluator, plies=plies - 1, seed=seed)
            )
            self._engine = key, made
        return self._engine[1]

    def _known(self) -> Situation:
        if self._situation is None:
            raise UbgiError("bad_state", "missing position")
        return self._situation

    def _with_keys(self, board: Int8Array, rules: Rules, dice: tuple[int, int] | None) -> Situation:
        """Return the situation of a position whose text has no cube and no score."""
        values = self._values
        if not rules.cube:
            return Situation(board, rules, dice)
        return Situation(
            board,
            rules,
            dice,
            cube=values["game.cube"],
            owner=_OWNERS[values["game.cube_owner"]],
            score=(values["game.score"], values["game.opponent_score"]),
            length=values["game.length"],
            crawford=values["game.crawford"],
        )

    def _of_xgid(self, text: str) -> Situation:
        """Return the situation of an XGID, which has all of it."""
        xgid = from_xgid(text, self._rules)
        if xgid.pending not in (None, "double"):
            raise UbgiError("unsupported", f"an XGID with a {xgid.pending}")
        rules = self._rules
        if rules.cube:
            rules = replace(rules, jacoby=xgid.jacoby, beavers=xgid.beavers, cube_cap=xgid.max_cube)
        return Situation(
            xgid.board,
            rules,
            xgid.dice,
            cube=xgid.cube,
            owner=xgid.cube_owner,
            score=xgid.scores,
            length=xgid.match_length,
            crawford=xgid.crawford,
            waiting="double" if xgid.pending else None,
        )

    def _cube(self, situation: Situation) -> str:
        """Return the decision about the cube."""
        if not situation.rules.cube:
            raise UbgiError("unsupported", "go cube: the game has no cube")
        if situation.waiting == "double":
            return {"drop": "pass"}.get(found := self._player.answer(situation.question), found)
        doubles = situation.may_double and self._player.double(situation.question)
        return "double" if doubles else "nodouble"

    def _begin_rollout(self, situation: Situation) -> None:
        """Roll the position out in a thread, with interim results until it ends or is stopped."""
        self._stop.clear()
        self._rollout = threading.Thread(target=self._roll_out, args=(situation,), daemon=True)
        self._rollout.start()

    def _roll_out(self, situation: Situation) -> None:
        """Roll out and send what is found."""
        try:
            for line in self._rolled_out(situation):
                self._send(line)
        except ValueError as error:
            self._send(str(UbgiError("bad_value", str(error))))

    def _rolled_out(self, situation: Situation) -> Iterator[str]:
        """Yield the last line; the ones before it are sent on the way."""
        trials, seed = self._values["rollout.trials"], self._values["engine.seed"]
        streamed = Streamed(situation, trials, seed, self._evaluator, self._stop.is_set)
        if situation.dice is None:
            result = streamed.estimate(lambda found: self._send(_estimate("info", found)))
            yield "bestrollout none" if result is None else _estimate("bestrollout", result)
            return
        if not len(LegalPlays(situation.board, situation.dice, situation.rules)):
            yield "bestmove pass"
            return
        ranking = streamed.ranking(
            lambda found: self._send(_leader("info", found)),
            lambda done, total: self._send(f"info rollout trials {done} of {total}"),
        )
        best = ranking[0].play if ranking else self._player.best_play(situation)
        yield f"bestmove {_payload(best)}"


def _payload(play: Play) -> str:
    """Return a play as UBGI writes it: each move by itself, in words for bar and off."""
    return " ".join(f"{name(source)}/{name(target)}" for source, target in play.moves) or "pass"


def _estimate(word: str, found: RolloutResult) -> str:
    """Return a line with the result of a rollout."""
    win, gammon, backgammon, lose_gammon, lose_backgammon, _ = found.outcomes[0]
    return (
        f"{word} rollout trials {int(found.trials[0])} equity {found.equity[0]:.4f} error "
        f"{found.std_error[0]:.4f} win {win:.4f} {gammon:.4f} {backgammon:.4f} lose "
        f"{lose_gammon:.4f} {lose_backgammon:.4f}"
    )


def _leader(word: str, found: Any) -> str:
    """Return a line with the best play so far."""
    return f"{word} rollout pv {_payload(found[0].play)}"


def lines_of(stream: Any) -> Iterator[str]:
    """Yield the lines of a binary stream; of one that is too long, as much as shows it."""
    while line := stream.readline(LONGEST_LINE + 2):
        whole = line.endswith(b"\n")
        while not whole and (more := stream.readline(LONGEST_LINE)):
            whole = more.endswith(b"\n")
        yield line.decode("utf-8", "replace").strip("\r\n\0")


def talk(engine: UbgiEngine, stream: Any) -> None:
    """Do the commands of a binary stream until ``quit`` or its end."""
    commands: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in lines_of(stream):
            commands.put(line)
        commands.put(None)

    # A thread of its own, so that the main one can always take Ctrl-C.
    threading.Thread(target=read, daemon=True).start()
    try:
        while not engine.over and (line := commands.get()) is not None:
            engine.command(line)
    finally:
        engine.finish()
