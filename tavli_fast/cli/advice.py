"""What a match at the terminal tells when it is asked: hints, evaluations, an analysis so far."""

from __future__ import annotations

from typing import Any

import click

from tavli_fast.analysis.analyse import analyse
from tavli_fast.analysis.hints import hint
from tavli_fast.boards.positions import flip
from tavli_fast.cli.show.decisions import print_choices
from tavli_fast.cli.show.estimates import signed
from tavli_fast.cube.advice import cube_decision
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.evaluation.evaluate import evaluate
from tavli_fast.evaluation.evaluator import Player
from tavli_fast.play.game import Game
from tavli_fast.play.session import Session

__all__ = ["print_analysis", "print_evaluation", "print_hint", "standing"]

_WHOSE = {None: "centred", 0: "yours", 1: "the program's"}


def standing(session: Session) -> str:
    """Return one line: the cube, if there is one, and the score."""
    game = session.game
    parts = []
    if game.terms.rules.cube:
        parts.append(
            "no cube in the Crawford game"
            if game.terms.crawford
            else f"cube {game.cube.value}, {_WHOSE[game.cube.owner]}"
        )
    to = "" if session.target is None else f" to {session.target}"
    return "; ".join([*parts, f"score {session.score[0]}-{session.score[1]}{to}"])


def print_hint(game: Game, judge: Player) -> None:
    """Print the best plays of the roll, or what to do with the cube."""
    evaluator = _evaluator(judge)
    if game.dice is not None:
        setting = CubeSetting.of(game) if game.terms.rules.cube else None
        for decision in hint(game.board, game.dice, game.rules, setting, evaluator):
            print_choices(decision)
        return
    if not game.terms.rules.cube:
        raise ValueError("no dice are on the table, and there is no cube: expected roll first")
    question = game.cube_question
    outcomes = evaluate(question.board, evaluator, game.rules).outcomes[0]
    found = cube_decision(outcomes, CubeSetting.of(game))
    if game.phase == "roll":
        click.echo(str(found))
    else:
        answer = "take" if found.take else "drop"
        take, drop = signed(-found.double_take), signed(-found.double_pass)
        click.echo(f"{answer} (take {take}, drop {drop})")


def print_evaluation(game: Game, judge: Player) -> None:
    """Print what the position is worth to the person before a roll."""
    evaluator = _evaluator(judge)
    board = game.board if game.player == 0 else flip(game.board)
    found = evaluate(board, evaluator, game.rules)
    names = ("win", "gammon", "backgammon", "lose gammon", "lose backgammon", "draw")
    chances = [
        f"{name} {100 * chance:.1f}%"
        for name, chance in zip(names, found.outcomes[0].tolist(), strict=True)
        if chance > 0
    ]
    before = "" if game.dice is None else " before the roll"
    click.echo(f"You{before}: equity {signed(float(found.equity[0]))}, {', '.join(chances)}")


def print_analysis(session: Session, judge: Player) -> None:
    """Print the totals of the match so far."""
    found = analyse(session, _evaluator(judge))
    click.echo(str(found).replace("Player 1", "     You").replace("Player 2", " Program"))


def _evaluator(judge: Player) -> Any:
    """Return what judges: the program's own evaluator, or where it plays at random the net."""
    return judge if judge.judges else "net"
