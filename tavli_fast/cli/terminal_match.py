"""A match between a person and the program, at a terminal or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import click

from tavli_fast._common.arguments import MAX_SEED, Int8Array
from tavli_fast.cli.advice import print_analysis, print_evaluation, print_hint, standing
from tavli_fast.cli.show.table import counted, print_board
from tavli_fast.evaluation.evaluator import Player
from tavli_fast.notation.play import Play, format_play
from tavli_fast.notation.view import view
from tavli_fast.play.cube_player import as_policy
from tavli_fast.play.game import Game
from tavli_fast.play.records import Roll
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

__all__ = ["StoppedError", "TerminalMatch"]

_Place = tuple[int, int, str, int]

_YOU, _ENGINE = 0, 1
_NAMES: Final = ("X", "O")
_SHORT: Final = {
    "": "roll",
    "r": "roll",
    "d": "double",
    "t": "take",
    "p": "drop",
    "pass": "drop",
    "b": "beaver",
    "k": "keep",
    "redouble": "double",
}
_SIZES: Final = {"single": 1, "gammon": 2, "backgammon": 3}
_HELP: Final = """\
  8/5 6/5, or its number    play            roll (r, Enter)   roll the dice
  list                      legal plays     double (d)        offer a double
  board                     draw the board  take (t)          take a double
  resign [gammon]           give up         drop (p)          drop it
  quit (q)                  stop here       beaver (b)        take and redouble
  keep (k), reroll          the opening dice, where the rules give the choice
  hint                      best plays      undo              your last decision
  eval                      your chances    analyse           errors so far"""


class StoppedError(Exception):
    """The person has had enough, or the input has ended."""


class TerminalMatch:
    """Plays a session: the person is player 0 (X), the program player 1 (O).

    Args:
        session: the match, at its beginning or in the middle.
        players: who plays each of its games for the program.
        seed: of the random player's choices.
        draw: whether to draw the board at each turn.
        save: called whenever something has been played; None if nothing is kept.
    """

    def __init__(
        self,
        session: Session,
        players: Mapping[Rules, Player],
        seed: int,
        draw: bool,
        save: Callable[[], object] | None = None,
    ) -> None:
        """Keep the arguments."""
        self.session, self.players, self.seed, self.draw = session, players, seed, draw
        self.asked: list[_Place] = []
        self.save = save or (lambda: None)

    def play_match(self) -> None:
        """Play all games that are left.

        Raises:
            StoppedError: the person quits, or the input ends.
        """
        while True:
            self.play_game(self.session.game)
            record = self.session.game.record
            winner, score = record.winner, self.session.score
            gain = "is a draw" if winner is None else f"is {_NAMES[winner]}'s"
            won = "" if winner is None else f", {counted(record.points or 0, 'point')}"
            click.echo(f"The game {gain}{won}: {score[0]}-{score[1]}.")
            if self.session.phase == "match_over":
                click.echo(f"{_NAMES[self.session.winner or 0]} wins the match.")
                return
            self.session.next_game()
            self.save()

    def play_game(self, game: Game) -> None:
        """Play one game, or the rest of it."""
        throws = " ".join(f"{mine}:{theirs}" for mine, theirs in game.record.contest)
        name = f" of {rules_name(game.rules)}" if len(self.session.games) > 1 else ""
        crawford = ", the Crawford game" if game.terms.crawford else ""
        contest = f"; first throws {throws}" if throws else ""
        number = len(self.session.history)
        title = f"\nGame {number}{name}{crawford}"
        if game.record.turns or game.record.calls:
            click.echo(f"{title} goes on after {counted(len(game.record.turns), 'turn')}.")
        else:
            click.echo(f"{title}: {_NAMES[game.player]} starts{contest}.")
        self.asked.clear()
        seed = (self.seed + number) % (MAX_SEED + 1)
        engine = as_policy(self.players[game.rules], game.rules, seed)
        while game.phase != "over":
            turns, calls, before = len(game.record.turns), len(game.record.calls), game.board
            if game.player == _ENGINE:
                game._ask(engine)
            else:
                self._person(game)
            self._tell(game, turns, calls, before)
            self.save()

    def _tell(self, game: Game, turns: int, calls: int, before: Int8Array) -> None:
        """Print what has been done since then; `before` is the board as it was."""
        for call in game.record.calls[calls:]:
            stake = f" {call.value}" if call.action in ("double", "beaver") else ""
            click.echo(f"{_NAMES[call.player]}: {call.action}s{stake}")
        for turn in game.record.turns[turns:]:
            if not turn.moves:
                click.echo(f"{_NAMES[turn.player]}: {_dice(turn.dice)} cannot move")
            elif turn.player == _ENGINE:
                text = format_play(turn.moves, before, game.rules)
                click.echo(f"{_NAMES[_ENGINE]}: {_dice(turn.dice)} {text}")

    def _person(self, game: Game) -> None:
        """Do what the person says, or what there is no choice about."""
        if game.phase == "roll" and not game.may_double:
            game.roll()
            return
        if game.phase in ("play", "opening", "roll", "double", "beaver") and self.draw:
            self._board(game)
        if game.phase == "play" and len(game.plays) == 1:
            click.echo(f"X: {_dice(game.dice)} {game.plays[0]} (the only play)")
            game.play(0)
            return
        self.asked.append(_place(game))
        while True:
            line = self._read(_question(game))
            try:
                if self._act(game, line):
                    return
            except ValueError as error:
                click.echo(str(error))

    def _act(self, game: Game, line: str) -> bool:
        """Do what a line says; return whether it was an action of the game."""
        word, *rest = line.lower().split() or [""]
        if word in ("quit", "q"):
            raise StoppedError
        if word in ("help", "?"):
            click.echo(_HELP)
        elif word == "board":
            self._board(game)
        elif word == "list":
            _list(game)
        elif word == "hint":
            print_hint(game, self.players[game.rules])
        elif word == "eval":
            print_evaluation(game, self.players[game.rules])
        elif word == "analyse":
            print_analysis(self.session, self.players[game.rules])
        elif word == "undo":
            self._undo(game)
            return True
        elif word == "resign":
            size = " ".join(rest) or "single"
            if size not in _SIZES:
                raise ValueError(f"resign {size}: expected one of {', '.join(_SIZES)}")
            game.resign(_SIZES[size], _YOU)
            return True
        elif game.phase == "play":
            self._play(game, line)
            return True
        else:
            action = _SHORT.get(word, word)
            if action not in game.legal_actions:
                allowed = ", ".join(map(str, game.legal_actions))
                raise ValueError(f"{line!r}: expected one of {allowed}")
            game.act(action)
            return True
        return False

    def _undo(self, game: Game) -> None:
        """Go back to the person's decision before the present one.

        Raises:
            ValueError: this is the first one of the game.
        """
        if len(self.asked) < 2:
            raise ValueError("nothing to take back in this game")
        *self.asked, before, _ = self.asked
        while _place(game) != before:
            game.undo()

    def _board(self, game: Game) -> None:
        """Draw the board, with the cube and the score under it."""
        print_board(view(game.board, game.rules))
        click.echo(f"{standing(self.session)}\n")

    def _play(self, game: Game, line: str) -> None:
        """Play what a line says: a number in the list, or the text of a play."""
        if line.isascii() and line.isdigit():
            if not 1 <= int(line[:9]) <= len(game.plays):
                raise ValueError(f"{line[:9]}: expected a number from 1 to {len(game.plays)}")
            game.play(int(line) - 1)
        else:
            game.play(line)

    def _read(self, question: str) -> str:
        """Read the next line of the input."""
        click.echo(f"{question} ", nl=not _seen())
        line = sys.stdin.readline() if sys.stdin else ""
        if not line:
            raise StoppedError
        return line.strip()


def _place(game: Game) -> _Place:
    """Return how far a game has come, and what it waits for."""
    return len(game.record.turns), len(game.record.calls), game.phase, game.player


def _list(game: Game) -> None:
    """Print the legal plays, if dice are on the table."""
    if game.dice is None:
        raise ValueError("no dice are on the table: expected roll first")
    plays: Sequence[Play] = game.plays
    for number, each in enumerate(plays, 1):
        click.echo(f"{number:4}  {each}")


def _question(game: Game) -> str:
    """Word the question to the person."""
    stake = game.cube.value
    if game.phase == "play":
        return f"Your play of {_dice(game.dice)}?"
    if game.phase == "opening":
        return f"Keep {_dice(game.dice)}, or reroll?"
    if game.phase == "roll":
        return f"Roll, or double to {2 * stake}?"
    if game.phase == "double":
        beaver = ", beaver" if game.may_beaver else ""
        return f"O doubles to {2 * stake}: take, drop{beaver}?"
    return f"O beavers to {2 * stake}: take, drop?"


def _dice(dice: Roll | None) -> str:
    """Write a roll."""
    return "" if dice is None else f"{dice[0]}-{dice[1]}"


def _seen() -> bool:
    """Tell whether somebody sits at the terminal."""
    return sys.stdin is not None and sys.stdin.isatty()
