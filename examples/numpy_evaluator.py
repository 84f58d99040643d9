"""An evaluator in plain NumPy, which looks at the race and at blots, and ways to use it.

Run it with ``python examples/numpy_evaluator.py``. The callable gets many positions at once,
seen by the player who has just moved (plane 0), and never one whose game is over. It returns
equities in points, one for each board.
"""

import numpy as np
import numpy.typing as npt

import tavli_fast as tf

PIPS = np.arange(26)


def careful(afterstates: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """Return equities ``float64[M]``: who is ahead in the race, and who has fewer blots to hit."""
    mine, theirs = afterstates[:, 0], afterstates[:, 1]
    lead = (
        theirs @ PIPS - mine @ PIPS + 4
    )  # the other side is on roll: worth eight pips, half of it
    blots = (mine[:, 1:25] == 1).sum(axis=1) - (theirs[:, 1:25] == 1).sum(axis=1)
    return np.tanh(lead / 60 - blots / 8)


def main() -> None:
    """Ask the evaluator about the start of Portes."""
    board = tf.start("portes")
    print("at once", tf.evaluate(board, careful).equity)
    print("two plies ahead", tf.evaluate(board, careful, plies=2, replies=[(1, 0)]).equity)

    found = tf.best_plays(board, (3, 1), careful, plies=1, top=3)
    for moves, equity in zip(found.moves[0], found.equity[0], strict=True):
        print(f"{tf.format_play(moves, board):12s} {equity:+.3f}")

    # Ten thousand choices in one call, then games against itself and against a random player.
    boards = tf.random_boards(10_000, "portes", seed=1)
    dice = np.random.default_rng(1).integers(1, 7, (10_000, 2))
    print("forced or not at all:", (tf.best_plays(boards, dice, careful, top=2).counts < 2).mean())
    print(tf.rollout(board, policy=careful, trials=500, seed=1))
    print(tf.rollout(board, policy=(careful, "random"), trials=500, seed=1))


if __name__ == "__main__":
    main()
