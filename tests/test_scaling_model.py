"""The model of how rollouts scale: what it must say where the answer is known."""

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parent.parent / "benchmarks" / "scaling_model.py"
SPEC = importlib.util.spec_from_file_location("scaling_model", PATH)
assert SPEC is not None
assert SPEC.loader is not None
model = importlib.util.module_from_spec(SPEC)
sys.modules["scaling_model"] = model  # dataclasses look for it there
SPEC.loader.exec_module(model)

FREE = model.Costs(piece=10, overhead=0, latency=0)


@pytest.mark.parametrize("workers", [1, 2, 16])
def test_without_costs_all_workers_are_busy(workers) -> None:
    run = model.simulate(FREE, 4_000, workers)
    assert 0.98 * workers < run.speed_up <= workers * 1.000001


def test_the_client_is_the_limit() -> None:
    run = model.simulate(model.Costs(piece=10, overhead=1, latency=2), 4_000, 64)
    assert 9.5 < run.speed_up <= 10.2  # a piece leaves it every millisecond


def test_the_way_is_hidden_by_the_pieces_that_wait() -> None:
    near = model.simulate(FREE, 2_000, 4)
    far = model.simulate(model.Costs(piece=10, overhead=0, latency=15), 2_000, 4)
    assert far.seconds < 1.02 * near.seconds
    farther = model.simulate(model.Costs(piece=10, overhead=0, latency=100), 2_000, 4)
    assert farther.seconds > 2 * near.seconds


def test_a_slow_worker_costs_its_own_share_and_no_more() -> None:
    run = model.simulate(FREE, 4_000, 8, slow=10)
    assert run.speed_up > 0.98 * 7.1
    alone = model.simulate(FREE, 4_000, 8, slow=10, kept=1)  # as if kept results took room
    assert alone.speed_up < 0.9 * run.speed_up
    assert run.most_kept <= model.KEPT * model.IN_FLIGHT * 8


def test_the_same_seed_gives_the_same_run() -> None:
    costs = model.Costs(piece=10, overhead=1, latency=2)
    assert model.simulate(costs, 500, 3) == model.simulate(costs, 500, 3)
    assert model.simulate(costs, 500, 3) != model.simulate(costs, 500, 3, seed=2)


def test_the_command_prints_a_row_for_each_number(capsys: pytest.CaptureFixture[str]) -> None:
    model.main(["simulate", "--pieces", "200", "--workers", "1", "4", "--piece", "20"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[0] for row in rows] == ["1", "4"]
    assert float(rows[0][1]) > 2 * float(rows[1][1])
