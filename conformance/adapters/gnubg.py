"""GNU Backgammon itself (on Debian: apt-get install gnubg), by the Python inside it.

The program runs the few lines of `INSIDE`: they read a question a line and answer with the plays
that `hint` lists, which are made on the board here.
"""

import ast
import atexit
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

DIGITS = "0123456789abcdef"
SAME_MOVES = ("backgammon", "nackgammon", "longgammon", "portes", "portes_cube")
HYPER = "hypergammon"
INSIDE = """
import sys, gnubg
gnubg.command("set display off")
gnubg.command("set evaluation chequerplay evaluation plies 0")
variation = ""
for line in iter(sys.stdin.readline, ""):
    asked, dice, board = line.strip().split(":")
    if asked != variation:
        variation = asked
        gnubg.command("set variation " + variation)
        gnubg.command("new game")
    gnubg.command("set turn 1")
    gnubg.command("set board simple " + board)
    gnubg.command("set dice " + dice)
    found = gnubg.hint(10000)
    print("=>", [each["move"] for each in found["hint"]], flush=True)
"""


def started():
    program = shutil.which("gnubg", path=os.environ["PATH"] + os.pathsep + "/usr/games")
    if program is None:
        raise FileNotFoundError("gnubg is not installed")
    home = tempfile.mkdtemp(prefix="gnubg-")
    atexit.register(shutil.rmtree, home)
    script = pathlib.Path(home, "inside.py")
    script.write_text(INSIDE)
    return subprocess.Popen(
        [program, "--tty", "--quiet", "--no-rc", "--python", script],
        env={**os.environ, "HOME": home}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


PROGRAM = started()
atexit.register(PROGRAM.kill)


def ask(variation, dice, mover, other):
    both = [mover[25], *(mover[p] - other[25 - p] for p in range(1, 25)), -other[25]]
    question = f"{variation}:{dice[0]} {dice[1]}:{' '.join(map(str, both))}"
    print(question, file=PROGRAM.stdin, flush=True)
    said = ""
    for line in PROGRAM.stdout:
        if line.startswith("=>"):
            return ast.literal_eval(line[2:].strip())
        said += line
    raise EOFError(f"it has ended: {said[-300:]}")


def after(play, mover, other):
    """The board after a play such as 24/20*/18 6/off(2)."""
    mover, other = [*mover], [*other]
    for moves, times in re.findall(r"(\S+?)(?:\((\d)\))?(?= |$)", play):
        stops = [{"bar": 25, "off": 0}.get(p) if p.isalpha() else int(p)
                 for p in moves.replace("*", "").split("/")]  # fmt: skip
        for _ in range(int(times or 1)):
            mover[stops[0]] -= 1
            mover[stops[-1]] += 1
            for point in stops[1:]:
                if point and other[25 - point] == 1:
                    other[25 - point] = 0
                    other[25] += 1
    return "".join(DIGITS[n] for n in mover + other)


def supports(rules, changes):
    return (rules in SAME_MOVES or rules == HYPER) and not changes


def plays(rules, changes, board, dice):
    mover, other = ([DIGITS.index(c) for c in part] for part in (board[:26], board[26:]))
    if not sum(mover[1:]) or not sum(other[1:]):
        return []
    variation = "3-chequer-hypergammon" if rules == HYPER else "standard"
    return [after(play, mover, other) for play in ask(variation, dice, mover, other)]
