"""Board lines as GNU Backgammon sends them to an external player, made from a game."""

from __future__ import annotations

import tavli_fast as tf
from tavli_fast.connect.fibs_board import FibsBoard, write_board

NAMES = ("gnubg", "root")


def gnubg_line(session: tf.Session) -> str:
    """Return the line with which GNU Backgammon asks what the session waits for.

    Positive numbers are player 1's checkers; the name and the score of player 0 come first if the
    side on roll is asked, else those of player 1.
    """
    game = session.game
    roller = 1 - game.player if game.phase == "double" else game.player
    board = game.cube_question.board
    owner, crawford = game.cube.owner, game.terms.crawford
    plain = not crawford and not (
        session.target is not None and game.terms.crawford_over and session.target > 1
    )
    score, first = session.score, int(game.phase == "double")
    line = write_board(
        FibsBoard(
            you=NAMES[first],
            opponent=NAMES[1 - first],
            length=session.target or 0,
            score=(score[first], score[1 - first]),
            board=board if roller == 1 else board[::-1],
            turn=1 if roller == 1 else -1,
            your_dice=game.dice,
            opponents_dice=game.dice,
            cube=game.cube.value,
            may_double=(owner in (None, 1), owner in (None, 0)),
            was_doubled=int(game.phase in ("double", "beaver")),
            colour=1,
            direction=-1,
            flags=(int(game.terms.crawford_over and not crawford), int(plain)),
        ),
        checkers=game.rules.checkers,
    )
    # It has 0 for money, and repeats no checkers on the bar.
    values = line.split(":")
    values[3] = str(session.target or 0)
    values[47:49] = ["0", "0"]
    return ":".join(values)
