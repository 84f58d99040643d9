"""How rollouts scale: what a piece costs besides its games, measured; larger clusters, simulated.

    python benchmarks/scaling_model.py measure            # processes; Dask, loky, Ray, MPI if there
    python benchmarks/scaling_model.py simulate --overhead 1.2 --latency 3 --piece 90

`measure` rolls out positions by pieces of one ply, and prints what a piece costs the client.
`simulate` prints how long a rollout takes with more and more workers: it simulates the client,
the way to the workers, and the workers. Times are milliseconds.
"""

from __future__ import annotations

import argparse
import heapq
import pickle
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any

import numpy as np

import tavli_fast as tf

RULES = "backgammon"
IN_FLIGHT, KEPT = 4, 4  # as in tavli_fast/_common/workers.py


@dataclass(frozen=True)
class Costs:
    """What a piece costs, in milliseconds."""

    piece: float
    """The games of a piece, in a worker."""
    overhead: float
    """The client's work for a piece, and the scheduler's if it is in the same process."""
    latency: float
    """From the client to a worker and back, without work."""
    spread: float = 0.3
    """The standard deviation of the time of pieces, as a share of its mean."""


@dataclass(frozen=True)
class Run:
    """A simulated rollout."""

    seconds: float
    speed_up: float
    """Against one worker that needs no client."""
    most_kept: int
    """The most results that waited for one before them."""


def simulate(
    costs: Costs, pieces: int, workers: int, *, slow: float = 1.0, kept: int = KEPT, seed: int = 1
) -> Run:
    """Return how long so many pieces take.

    Args:
        costs: what a piece costs.
        pieces: how many there are.
        workers: how many workers there are, with a queue in common.
        slow: how many times as long the first worker takes.
        kept: how many results are kept, in multiples of the pieces that may be under way.
        seed: of the times of the pieces.
    """
    draw = np.random.default_rng(seed)
    shape = costs.spread**-2
    games = costs.piece * draw.gamma(shape, 1 / shape, pieces)
    room, half = IN_FLIGHT * workers, costs.latency / 2
    idle, queue = list(range(workers)), deque[int]()
    events: list[tuple[float, int, int, int]] = []  # time, back from a worker?, piece, worker
    inbox, done = deque[int](), np.zeros(pieces, bool)
    now, sent, under_way, taken, waiting, most = 0.0, 0, 0, 0, 0, 0

    def begin(at: float) -> None:
        while queue and idle:
            piece, worker = queue.popleft(), idle.pop()
            end = at + games[piece] * (slow if worker == 0 else 1)
            heapq.heappush(events, (end, 1, piece, worker))

    while taken < pieces:
        while events and events[0][0] <= now:
            at, kind, piece, worker = heapq.heappop(events)
            if kind == 0:
                queue.append(piece)
            elif kind == 1:
                idle.append(worker)
                heapq.heappush(events, (at + half, 2, piece, worker))
            else:
                inbox.append(piece)
            begin(at)
        if inbox:
            piece = inbox.popleft()
            now += costs.overhead / 2
            done[piece] = True
            under_way -= 1
            waiting += 1
            while taken < pieces and done[taken]:
                taken += 1
                waiting -= 1
            most = max(most, waiting)
        elif sent < pieces and under_way < room and sent - taken < kept * room:
            now += costs.overhead / 2
            heapq.heappush(events, (now + half, 0, sent, -1))
            sent += 1
            under_way += 1
        else:
            now = max(now, events[0][0])
    return Run(now / 1e3, float(games.sum()) / now, most)


class Counting(Executor):
    """An executor that works at once, and counts the bytes that would be sent."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.back: list[int] = []
        self.seconds: list[float] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.sent.append(len(pickle.dumps((fn, args, kwargs))))
        began, future = time.process_time(), Future[Any]()
        found = fn(*args, **kwargs)
        self.seconds.append(time.process_time() - began)
        self.back.append(len(pickle.dumps(found)))
        future.set_result(found)
        return future


KINDS: dict[str, dict[str, Any]] = {
    "random play": {"policy": "random", "trials": 1280},
    "net, to the end": {"policy": "net", "trials": 128},
    "net, 7 plies": {"policy": "net", "trials": 128, "truncate": 7},
    "net, 7 plies, variance reduction": {
        "policy": "net", "trials": 128, "truncate": 7, "variance_reduction": True,
    },
}  # fmt: skip


def measure_pieces() -> None:
    """Print for each kind of rollout what a piece takes, and the bytes that are sent."""
    boards = tf.random_boards(16, rules=RULES, seed=3)
    print(f"{'pieces of':34}{'ms':>8}{'games':>7}{'bytes':>7}{'back':>7}{'a game':>8}{'net':>11}")
    for name, options in KINDS.items():
        counting = Counting()
        tf.rollout(boards, rules=RULES, seed=1, executor=counting, **options)
        answers = [each for each in zip(*vars(counting).values(), strict=True) if each[1] > 200]
        sent, back, seconds = (np.median(column) for column in zip(*answers, strict=True))
        games = options["trials"] * len(boards) / len(answers)
        net = max(counting.sent) - sent if max(counting.sent) > 2 * sent else 0
        each = (sent + back) / games
        print(
            f"{name:34}{seconds * 1e3:8.1f}{games:7.0f}{sent:7.0f}{back:7.0f}{each:8.0f}{net:11.0f}"
        )


def nothing() -> None:
    """Do nothing, elsewhere."""


@contextmanager
def dask(workers: int) -> Iterator[Executor]:
    """Return the executor of a local cluster of Dask."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        client.get_executor() as executor,
    ):
        yield executor


@contextmanager
def loky(workers: int) -> Iterator[Executor]:
    """Return loky's executor."""
    from loky import ProcessPoolExecutor as Pool

    with Pool(workers) as pool:
        yield pool


@contextmanager
def mpi(workers: int) -> Iterator[Executor]:
    """Return mpi4py's executor."""
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor(workers) as pool:
        yield pool


class Ray(Executor):
    """Ray's tasks as an executor: Ray has none of its own."""

    def __init__(self, workers: int) -> None:
        import ray

        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        self._max_workers = workers
        self._run: Any = ray.remote(lambda fn, args: fn(*args))

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self._run.remote(fn, args).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        import ray

        ray.shutdown()


EXECUTORS: dict[str, Any] = {
    "processes": lambda workers: ProcessPoolExecutor(workers, get_context("forkserver")),
    "loky": loky,
    "distributed": dask,
    "ray": Ray,
    "mpi4py": mpi,
}


def measure_executor(name: str, workers: int = 2, pieces: int = 512) -> None:
    """Print what a piece costs the client with an executor, and how long the way there and back is.

    The cost is processor time: of the client, and of the scheduler if it is in its process, as that
    of Dask's `LocalCluster` is.
    """
    boards = tf.random_boards(pieces, rules=RULES, seed=3)
    boards = boards[~tf.outcomes(boards, rules=RULES)[0]]
    options: dict[str, Any] = {"rules": RULES, "trials": 128, "seed": 1, "truncate": 1}
    with EXECUTORS[name](workers) as executor:
        tf.rollout(boards[:32], "net", executor=executor, **options)
        ways = []
        for _ in range(100):
            began = time.perf_counter()
            executor.submit(nothing).result()
            ways.append(time.perf_counter() - began)
        costs = []
        for _ in range(2):
            began = time.process_time()
            tf.rollout(boards, "net", executor=executor, **options)
            costs.append(time.process_time() - began)
    own = min(costs) / len(boards) * 1e3
    least, median = np.min(ways) * 1e3, np.median(ways) * 1e3
    print(f"{name:14}{own:12.2f}{least:12.2f}{median:12.2f}", flush=True)


def measure(names: list[str]) -> None:
    """Print all that can be measured here."""
    measure_pieces()
    print(f"\n{'':14}{'CPU, ms':>12}{'way, ms':>12}{'its median':>12}")
    for name in names or EXECUTORS:
        if name == "processes" or find_spec(name):
            measure_executor(name)


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("executors", nargs="*", choices=[[], *EXECUTORS])
    simulating = commands.add_parser("simulate")
    for option, default in (("piece", 90.0), ("overhead", 1.0), ("latency", 3.0), ("slow", 1.0)):
        simulating.add_argument(f"--{option}", type=float, default=default)
    simulating.add_argument("--pieces", type=int, default=100_000)
    simulating.add_argument("--workers", type=int, nargs="+", default=[1, 2, 8, 64, 256, 1000])
    options = parser.parse_args(arguments)
    if options.command == "measure":
        measure(options.executors)
        return
    costs = Costs(options.piece, options.overhead, options.latency)
    print(f"{'workers':>8}{'seconds':>10}{'speed-up':>10}{'of each':>9}{'kept':>7}")
    for workers in options.workers:
        run = simulate(costs, options.pieces, workers, slow=options.slow)
        each = run.speed_up / workers
        print(f"{workers:8}{run.seconds:10.1f}{run.speed_up:10.1f}{each:9.0%}{run.most_kept:7}")


if __name__ == "__main__":
    main()
