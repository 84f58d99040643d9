"""The commands in the blocks of the documentation: run, or at least read by the command line."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import click
import pytest
from cli_calls import runner
from pages import PAGES, ROOT, blocks, name_of

import tavli_fast as tf
from tavli_fast.cli import program

NOT_RUN = {"bench", "fibs", "serve", "train", "ubgi", "ubgi-check"}
"""These take long, or wait for another program: only their options are read."""

SHORTER = {
    "rollout": ["--trials", "36"],
    "match": ["--games", "2"],
    "improve": ["--rounds", "1", "--labels", "1024"],
}
"""Options that are added to a command so that it ends soon."""

OTHER_PROGRAMS = {"curl", "export", "pip", "pytest", "python", "python3", "LD_PRELOAD"}


def commands(page: Path) -> list[list[str]]:
    """Return the commands of a page's blocks, without the folder of their program."""
    found = []
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "sh":
            text = block.text.replace("\\\n", " ")
            lines = [shlex.split(line, comments=True) for line in re.split(r"\n|&&", text)]
            found += [[Path(line[0]).name, *line[1:]] for line in lines if line]
    return found


def ours(page: Path) -> list[list[str]]:
    return [line[1:] for line in commands(page) if line[0] == "tavli-fast"]


def runs(command: list[str]) -> bool:
    return command[0] not in NOT_RUN and "gnubg" not in command


def write_files() -> None:
    """Write the files that the commands read: a match, and what `train` makes."""
    match = tf.Session("backgammon", target=1, seed=1)
    match.play_out("random", "random")
    Path("match.mat").write_text(tf.write_mat(match), encoding="utf-8")
    house = replace(tf.PLAKOTO, mother="lose_always", mother_points=1)
    for name, rules in (("portes", tf.PORTES), ("house", house), ("small", tf.BACKGAMMON)):
        tf.train(rules, hidden=32, games=50, measured=0, threads=1, seed=1).save(f"{name}.npz")


@pytest.mark.parametrize("page", [each for each in PAGES if ours(each)], ids=name_of)
def test_commands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TAVLI_FAST_FIBS_PASSWORD", "...")
    write_files()
    for command in ours(page):
        if not runs(command):
            found = program.get_command(click.Context(program), command[0])
            assert found is not None
            arguments = [each.replace("PORT", "4321") for each in command[1:]]
            found.make_context(command[0], arguments)
            continue
        text = shlex.join([*command, *SHORTER.get(command[0], [])])
        done = runner().invoke(program, shlex.split(text), input="quit\n")
        assert done.exit_code == 0, (text, done.output)


def test_the_page_of_the_command_line_lists_all_commands() -> None:
    text = (ROOT / "docs/command_line.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    listed = [name.strip("`") for row in rows for name in row.split(", ")]
    assert sorted(listed) == sorted(program.list_commands(click.Context(program)))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_other_programs_and_their_files(page: Path) -> None:
    for line in commands(page):
        program_name = line[0].partition("=")[0]
        assert program_name in OTHER_PROGRAMS | {"tavli-fast", "TAVLI_FAST_ISA"}, line
        scripts = [each for each in line if re.fullmatch(r"[a-z_]+/[\w/]+\.py", each)]
        assert all((ROOT / each).is_file() for each in scripts), line


def test_each_block_says_what_it_is() -> None:
    """Blocks without a language are text: commands of other programs, formulas."""
    found = {
        name_of(page): {block.language for block in blocks(page.read_text(encoding="utf-8"))}
        for page in PAGES
    }
    assert set().union(*found.values()) <= {"", "python", "sh"}
