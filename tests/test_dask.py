"""Rollouts on a Dask cluster: a worker that is lost in the middle changes nothing."""

import os
import signal
from random import Random
from threading import Timer

import pytest

import tavli_fast as tf

distributed = pytest.importorskip("distributed")

NET = tf.Net.random("backgammon", hidden=64, seed=1)
BOARDS = tf.random_boards(6, rules="backgammon", seed=3)

pytestmark = pytest.mark.filterwarnings("ignore::Warning")  # Dask's own, of ports and of its end


def rolled(**options):
    return tf.rollout(BOARDS, NET, "backgammon", trials=1280, seed=2, truncate=9, **options)


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        yield client


def killed_after(client, seconds) -> None:
    """Kill a worker some time after a rollout has begun."""
    victim = next(iter(client.run(os.getpid).values()))
    killer = Timer(seconds, os.kill, (victim, signal.SIGKILL))
    killer.start()
    try:
        assert rolled(executor=client.get_executor()) == rolled(threads=1)
    finally:
        killer.join()
    client.wait_for_workers(2)


def test_a_worker_killed_in_the_middle_changes_nothing(client) -> None:
    killed_after(client, 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("run", range(20))
def test_nor_at_any_moment(client, run) -> None:
    killed_after(client, Random(run).uniform(0, 1.5))
