"""The command ``play``: a match in the terminal against the program."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from tavli_fast._common.arguments import MAX_SEED, Int8Array
from tavli_fast.cli.options.policy import DEFAULT, KINDS, at_table, read_policy
from tavli_fast.cli.options.position import find_rules, new_file, rules_option, set_option, whole
from tavli_fast.cli.show.table import counted, print_board
from tavli_fast.evaluation.player import Player
from tavli_fast.notation.play import Play, format_play
from tavli_fast.notation.view import view
from tavli_fast.play.game import Game
from tavli_fast.play.mat.reader import write_mat
from tavli_fast.play.records import Roll
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

__all__ = ["play"]

_TARGET: Final = 3
"""The points of a match where neither the call nor the rules say."""

_SEED_BITS: Final = 53
"""As in rollouts: what every reader of JSON keeps exact."""

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
  8/5 6/5, or its number    play            roll (r, Enter)   throw the dice
  list                      legal plays     double (d)        offer to double
  board                     draw the board  take (t)          take a double
  resign [gammon]           give up         drop (p)          refuse it
  quit (q)                  stop here       beaver (b)        take and double
  keep (k), reroll          the opening dice, where the game has the choice"""


class _StopError(Exception):
    """The person has had enough, or the input has ended."""


@click.command(short_help="Play a match against the program.")
@rules_option
@set_option
@click.option(
    "--target",
    type=str,
    callback=whole(0, 10**6),
    metavar="N",
    help=f"Points that win the match; 0 for no end; as the rules say, or {_TARGET}, if missing.",
)
@click.option(
    "--policy",
    default=DEFAULT,
    metavar="NAME|FILE",
    help=f"How the program plays: {KINDS}; '{DEFAULT}' if missing.",
)
@click.option("--seed", type=str, callback=whole(0), metavar="N", help="Repeats the dice.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    callback=new_file,
    metavar="FILE",
    help="Write it as .mat.",
)
@click.option("--board/--no-board", "draw", default=True, help="Draw the board, or do not.")
def play(
    rules: str | None,
    changes: dict[str, str],
    target: int | None,
    policy: str,
    seed: int | None,
    save: str | None,
    draw: bool,
) -> None:
    """Play a match against the program, in the terminal.

    You are X and read the board from your side. Each line of input is one action: a play such as
    "8/5 6/5" or its number in "list", "roll", "double", "take", "drop"; "help" lists them all. The
    end of the input stops the match where it is.
    """
    game = find_rules(rules, changes)
    points = target if target is not None else game.rules.target or _TARGET
    seed = secrets.randbits(_SEED_BITS) if seed is None else seed
    try:
        session = Session(game.rules, target=points or None, seed=seed)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    players = {one: read_policy(policy, one, "--policy") for one in session.games}
    end = f"to {counted(points, 'point')}" if points else "without an end"
    click.echo(f"{game}, {end}, seed {seed}")
    click.echo('You are X, the program is O. "help" lists what you can type.')
    table = _Table(session, players, seed, draw)
    try:
        table.play_match()
    except _StopError:
        click.echo(f"Stopped at {session.score[0]}-{session.score[1]}.")
    if save is not None:
        try:
            text = write_mat(session, ("You", f"tavli-fast {policy}"))
        except ValueError as error:
            raise click.UsageError(f"--save: {error}") from error
        Path(save).write_text(text, encoding="utf-8")


class _Table:
    """A person and the program at a session."""

    def __init__(
        self, session: Session, players: dict[Rules, Player], seed: int, draw: bool
    ) -> None:
        """Begin with nothing told."""
        self.session, self.players, self.seed, self.draw = session, players, seed, draw

    def play_match(self) -> None:
        """Play all games."""
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

    def play_game(self, game: Game) -> None:
        """Play one game."""
        throws = " ".join(f"{mine}:{theirs}" for mine, theirs in game.record.contest)
        name = f" of {rules_name(game.rules)}" if len(self.session.games) > 1 else ""
        crawford = ", the Crawford game" if game.terms.crawford else ""
        contest = f"; first throws {throws}" if throws else ""
        number = len(self.session.history)
        click.echo(f"\nGame {number}{name}{crawford}: {_NAMES[game.player]} starts{contest}.")
        engine = at_table(self.players[game.rules], (self.seed + number) % (MAX_SEED + 1))
        while game.phase != "over":
            turns, calls, before = len(game.record.turns), len(game.record.calls), game.board
            if game.player == _ENGINE:
                game._ask(engine)
            else:
                self._person(game)
            self._tell(game, turns, calls, before)

    def _tell(self, game: Game, turns: int, calls: int, before: Int8Array) -> None:
        """Say what has been done since then; `before` is the board as it was."""
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
            print_board(view(game.board, game.rules))
        if game.phase == "play" and len(game.plays) == 1:
            click.echo(f"X: {_dice(game.dice)} {game.plays[0]} (the only play)")
            game.play(0)
            return
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
            raise _StopError
        if word in ("help", "?"):
            click.echo(_HELP)
        elif word == "board":
            print_board(view(game.board, game.rules))
        elif word == "list":
            _list(game)
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

    def _play(self, game: Game, line: str) -> None:
        """Play what a line says: a number in the list, or the text of a play."""
        if line.isascii() and line.isdigit():
            if not 1 <= int(line[:9]) <= len(game.plays):
                raise ValueError(f"{line[:9]}: expected a number from 1 to {len(game.plays)}")
            game.play(int(line) - 1)
        else:
            game.play(line)

    def _read(self, question: str) -> str:
        """Return the next line of the input, without its ends."""
        click.echo(f"{question} ", nl=not _seen())
        line = sys.stdin.readline() if sys.stdin else ""
        if not line:
            raise _StopError
        return line.strip()


def _list(game: Game) -> None:
    """Print the legal plays, if dice are on the table."""
    if game.dice is None:
        raise ValueError("no dice are on the table: expected roll first")
    plays: Sequence[Play] = game.plays
    for number, each in enumerate(plays, 1):
        click.echo(f"{number:4}  {each}")


def _question(game: Game) -> str:
    """Return what the person is asked."""
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
    """Return a roll as it is written."""
    return "" if dice is None else f"{dice[0]}-{dice[1]}"


def _seen() -> bool:
    """Return whether somebody sits at the terminal."""
    return sys.stdin is not None and sys.stdin.isatty()
