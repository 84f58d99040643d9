"""The fuzzer's targets: a few inputs of each, and the inputs that were kept from longer runs."""

from __future__ import annotations

import base64
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

FUZZ = Path(__file__).parent.parent / "fuzz"


def _module(name: str) -> ModuleType:
    """Return a file of the folder as a module; `run` imports `targets` by its bare name."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, FUZZ / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


targets, run = _module("targets"), _module("run")
KEPT = [json.loads(line) for line in (FUZZ / "kept.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", targets.TARGETS)
def test_seeds_are_accepted_and_changed_ones_keep_the_promises(name: str) -> None:
    target, seeds = targets.TARGETS[name]
    assert sum(target(data) for data in seeds()) > 0
    inputs = 15 if name == "match" else 40 if name in ("net file", "journal") else 150
    accepted, broken = run.run(name, inputs, seed=1)
    assert broken == 0
    assert accepted < inputs


@pytest.mark.parametrize("number", range(len(KEPT)))
def test_inputs_that_were_kept(number: int) -> None:
    kept = KEPT[number]
    assert targets.TARGETS[kept["target"]][0](base64.b85decode(kept["data"]))


def test_a_broken_promise_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes) -> bool:
        raise AssertionError("broken")

    monkeypatch.setitem(targets.TARGETS, "broken", (broken, lambda: [b"seed"]))
    assert run.run("broken", 100, seed=1) == (0, run.MOST_FINDINGS)
