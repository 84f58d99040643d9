"""Writes the corpus anew, from worked cases of the rules and from the reference in plain Python.

    python conformance/make.py

Nothing of the compiled core has a part in it but the positions of random games.
"""

import json
import pathlib
import sys

import numpy as np

import tavli_fast as tf

HERE = pathlib.Path(__file__).parent
TESTS = HERE.parent / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "support")]
import test_rule_cases as cases  # noqa: E402

DIGITS = "0123456789abcdef"
POSITIONS = 24  # of each game, besides the worked cases
MOST_PLAYS = 60  # longer sets are left out: they make the files long and find nothing more


def text_of(board):
    return "".join("-" if n < 0 else DIGITS[n] for n in np.asarray(board).ravel().tolist())


def plays_after(board, dice, rules):
    return sorted(map(text_of, tf.reference.afterstates(board, dice, rules=rules).boards))


def write(name, lines):
    lines = list(lines)
    with open(HERE / f"{name}.jsonl", "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(f"{name}: {len(lines)} cases")


def preset_of(case):
    return cases.PRESETS.get(case["variant"], case["variant"])


def worked(kind):
    """Yield the worked cases of a kind: what they say, the rules and the board."""
    for case in cases.cases_of(kind):
        rules = cases.rules_of(case)
        about = {
            "id": case["id"],
            "rules": preset_of(case),
            **({"changes": case["rules"]} if case.get("rules") else {}),
            "board": text_of(cases.board_of(case["position"], rules)),
            "source": case["source"],
            "why": case["why"],
        }
        yield case, rules, about


def disputed_plays():
    for case, rules, about in worked("finals"):
        after = plays_after(cases.board_of(case["position"], rules), case["roll"], rules)
        if not case["expected"]["finals_omitted"]:
            assert len(after) == case["expected"]["n"], case["id"]
        yield {"kind": "plays", **about, "dice": case["roll"], "after": after}


def random_plays():
    """Positions of random games: some with checkers on the bar, some at the end, some doubles."""
    for name in sorted(tf.RULES):
        rules = tf.RULES[name]
        boards = tf.random_boards(6000, rules=name, seed=20)
        draw, kept = np.random.default_rng(20), 0
        for number, board in enumerate(boards):
            doubles = kept % 4 == 3
            dice = [int(draw.integers(1, 7))] * 2 if doubles else [3, 3]
            while not doubles and dice[0] == dice[1]:
                dice = sorted(draw.integers(1, 7, 2).tolist(), reverse=True)
            special = board[:, 25].any() or (board < 0).any() or board[0, 7:].sum() <= 2
            if not special and number % 8:  # one in eight is any position
                continue
            if tf.outcomes(board, rules=name)[0][0] or (doubles and rules.cascade):
                continue
            if not 0 < tf.count_plays(board, dice, rules=name)[0] <= MOST_PLAYS:
                continue
            yield {
                "kind": "plays", "id": f"{name}-{number}", "rules": name, "board": text_of(board),
                "dice": dice, "after": plays_after(board, dice, rules),
                "source": "a position of a random game; plays by the rules in plain Python",
            }  # fmt: skip
            kept += 1
            if kept == POSITIONS:
                break


def outcomes():
    for case, rules, about in worked("outcome"):
        expected = case["expected"]
        points = "" if expected["result"] is None else (expected["points"] or 0) // case["cube"]
        yield {"kind": "outcome", **about, "points": points}
        board = cases.board_of(case["position"], rules)
        other = {**about, "id": about["id"] + "-other-side", "board": text_of(board[::-1])}
        yield {"kind": "outcome", **other, "points": -points if points != "" else ""}


def perfts():
    source = "agreed by the core, the rules in plain Python and, where they play it, other engines"
    for line in (TESTS / "data" / "perft.tsv").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, depth, count = line.split("\t")[:3]
        if int(depth) > 2:
            continue
        yield {
            "kind": "perft", "id": f"perft-{name}-{depth}", "rules": name,
            "board": text_of(tf.start(name)), "depth": int(depth), "count": int(count),
            "source": source,
        }  # fmt: skip


def position_ids():
    for line in (TESTS / "data" / "position_ids.tsv").read_text("utf-8").splitlines():
        if line.startswith(("#", "xgid")):
            continue
        xgid, position_id, source = line.split("\t")
        board = tf.from_position_id(position_id)
        yield {
            "kind": "position_id", "id": xgid, "rules": "backgammon", "board": text_of(board),
            "id_text": position_id, "source": f"GNU Backgammon 1.07, of an XGID from {source}",
        }  # fmt: skip


def values():
    """Bear-offs of up to six checkers, solved here with fractions of exact probabilities."""
    draw = np.random.default_rng(5)
    solver = Races()
    for number in range(40):
        sides = np.zeros((2, 26), np.int8)
        for side in sides:
            np.add.at(side, draw.integers(1, 7, draw.integers(1, 5)), 1)
            side[0] = 15 - side.sum()
        about = {"rules": "backgammon", "board": text_of(sides), "source": "solved in plain Python"}
        mine = tuple(sides[0, 1:7].tolist())
        yield {"kind": "value", "id": f"rolls-{number}", **about, "of": "mean rolls",
               "value": solver.rolls(mine), "within": 1e-9}  # fmt: skip
        theirs = tuple(sides[1, 1:7].tolist())
        yield {"kind": "value", "id": f"race-{number}", **about, "of": "equity of a race",
               "value": solver.equity(mine, theirs), "within": 1e-9}  # fmt: skip


class Races:
    """The mean number of rolls of a side that bears off as fast as it can, and races of two sides
    who win one point each, in plain Python."""

    def __init__(self):
        self._after, self._rolls, self._equity = {}, {}, {}

    def after(self, side, dice):
        """Return the sides after each play of a roll."""
        key = side, dice
        if key not in self._after:
            board = np.zeros((2, 26), np.int8)
            board[0, 1:7], board[1, 1] = side, 1
            board[:, 0] = 15 - board.sum(axis=1)
            found = tf.reference.afterstates(board, dice, rules="backgammon").boards
            self._after[key] = [tuple(each[0, 1:7].tolist()) for each in found]
        return self._after[key]

    def mean(self, side, best):
        return sum(
            (1 if die1 == die2 else 2) * best(self.after(side, (die1, die2)))
            for die1 in range(1, 7) for die2 in range(1, die1 + 1)
        ) / 36  # fmt: skip

    def rolls(self, side):
        if not any(side):
            return 0.0
        if side not in self._rolls:
            self._rolls[side] = 1 + self.mean(side, lambda sides: min(map(self.rolls, sides)))
        return self._rolls[side]

    def equity(self, mine, theirs):
        if not any(theirs):
            return -1.0
        key = mine, theirs
        if key not in self._equity:
            self._equity[key] = self.mean(
                mine,
                lambda sides: max(
                    -self.equity(theirs, side) if any(side) else 1.0 for side in sides
                ),
            )
        return self._equity[key]


def main():
    sys.setrecursionlimit(100_000)
    write("plays", [*disputed_plays(), *random_plays()])
    write("outcomes", outcomes())
    write("perft", perfts())
    write("position_ids", position_ids())
    write("values", values())


if __name__ == "__main__":
    main()
