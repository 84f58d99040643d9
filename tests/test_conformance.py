"""The corpus for other engines: our engines pass it, and a wrong one does not."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent.parent / "conformance"
FILES = sorted(HERE.glob("*.jsonl"))


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"conformance_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


RUN = module(HERE / "run.py")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def results(engine: Any, kinds: set[str]) -> dict[str, int]:
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in FILES:
        cases = [case for case in lines(path) if case["kind"] in kinds]
        for case, result, found in RUN.check(engine, cases):
            assert result != "failed" or found is not None, case["id"]
            counts[result] += 1
    return counts


def test_the_core_passes_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert RUN.main(["tavli_fast"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[0] for row in rows] == [path.stem for path in FILES]
    assert all(row[2:4] == ["0", "0"] for row in rows)
    said = re.search(r"\| tavli_fast \| (\d+) \|", (HERE / "README.md").read_text("utf-8"))
    assert said is not None
    assert sum(int(row[1]) for row in rows) == int(said[1])


def test_so_does_the_reference() -> None:
    engine = module(HERE / "adapters" / "reference.py")
    found = results(engine, {"plays", "outcome"})
    assert found["failed"] == found["skipped"] == 0
    assert found["passed"] > 450
    assert results(engine, {"value", "position_id"})["passed"] == 0  # it has neither


@pytest.mark.parametrize("what", ["lost", "more", "raises", "broken", "points"])
def test_a_wrong_engine_fails(what: str) -> None:
    right = module(HERE / "adapters" / "tavli_fast.py")

    class Wrong:
        supports = staticmethod(right.supports)

        def plays(self, rules, changes, board, dice):
            found = list(right.plays(rules, changes, board, dice))
            if what == "raises":
                raise RuntimeError("no such roll")
            if what == "broken":  # an error of the adapter's own is no lack of a function
                raise AttributeError("'list' object has no attribute 'moves'")
            return found[1:] if what == "lost" else [*found, board] if what == "more" else found

        def outcome(self, *args):
            found = right.outcome(*args)
            return min(found, 1) if what == "points" and found != "" else found

    kind = "outcome" if what == "points" else "plays"
    found = results(Wrong(), {kind})
    assert found["skipped"] == 0
    assert found["failed"] > 5
    assert what == "points" or found["failed"] > 350


def test_lines_are_as_the_schema_says() -> None:
    schema = json.loads((HERE / "schema.json").read_text("utf-8"))
    fields, board = schema["properties"], re.compile(schema["$defs"]["board"]["pattern"])
    for path in FILES:
        cases = lines(path)
        assert len({case["id"] for case in cases}) == len(cases)
        for case in cases:
            assert set(schema["required"]) <= set(case) <= set(fields), case["id"]
            assert case["kind"] in fields["kind"]["enum"]
            for text in [case["board"], *case.get("after", [])]:
                assert board.match(text), case["id"]


# What other engines fail, by kind: README.md of the corpus says why.
EITHER_DIE = """EN-04-both-dice EN-05-higher IS-01-wildbg29 IS-15-last-checker-hit-on-way
    IS-17-magriel-a IS-26-itavli-43 IS-32-wildbg-small-entry IS-36-forced-small-first
    backgammon-10 portes-10 portes_cube-10"""
ENGINES = [
    # adapter, what has to be there, lines of each kind that it answers, those that it fails
    ("gnubg_nn", "gnubg_nn", {"plays": 208}, ""),
    ("bgsage", "bgsage", {"plays": 181}, "IS-15-last-checker-hit-on-way"),
    ("open_spiel", "pyspiel", {"plays": 181, "outcome": 18}, ""),
    ("gnubg", "program gnubg", {"plays": 208}, ""),
    ("wildbg", "program rustc", {"plays": 181, "outcome": 18, "position_id": 67}, ""),
    pytest.param(
        "pgx",
        "pgx",
        {"plays": 181, "outcome": 18},
        f"{EITHER_DIE} GR-07-koks-bar GR-07-koks-bar-other-side",
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize(("adapter", "needed", "asked", "failed"), ENGINES)
@pytest.mark.filterwarnings("default")  # theirs
def test_other_engines(adapter: str, needed: str, asked: dict[str, int], failed: str) -> None:
    if needed.startswith("program "):
        program = needed.split()[1]
        folders = os.pathsep.join([os.environ["PATH"], "/usr/games"])
        if shutil.which(program, path=folders) is None:
            pytest.skip(f"{program} is not installed")
        if adapter == "wildbg" and "WILDBG" not in os.environ:
            pytest.skip("WILDBG is not set to a checkout of wildbg")
    else:
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    engine = module(HERE / "adapters" / f"{adapter}.py")
    found: dict[str, int] = {}
    wrong = set()
    for path in FILES:
        for case, result, _ in RUN.check(engine, lines(path)):
            if result != "skipped":
                found[case["kind"]] = found.get(case["kind"], 0) + 1
            if result == "failed":
                wrong.add(case["id"])
    assert found == asked
    assert wrong <= set(failed.split())  # fewer, once an engine has mended them
