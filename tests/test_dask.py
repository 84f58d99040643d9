"""Rollouts on a Dask cluster: a worker that is lost in the middle changes nothing."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from threading import Timer

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast.training.labels import Labelling, make_labels, room_for

distributed = pytest.importorskip("distributed")

NET = tf.Net.random("backgammon", hidden=64, seed=1)
BOARDS = tf.random_boards(6, rules="backgammon", seed=3)

pytestmark = pytest.mark.filterwarnings("ignore::Warning")  # Dask's own, of ports and of its end


def rolled(**options):
    return tf.rollout(BOARDS, NET, "backgammon", trials=1280, seed=2, truncate=9, **options)


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    client = distributed.Client(cluster)
    yield client
    with suppress(Exception):  # Dask's own trouble with a worker that is gone
        client.close()
    with suppress(Exception):
        cluster.close()


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):  # it is being replaced
        os.kill(pid, signal.SIGKILL)


def killed_after(client, seconds) -> None:
    """Kill a worker some time after a rollout has begun."""
    client.wait_for_workers(2)
    victims = [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid]
    killer = Timer(seconds, kill, victims[:1])
    killer.start()
    try:
        assert rolled(executor=client.get_executor()) == rolled(threads=1)
    finally:
        killer.join()


def test_a_cluster_gives_the_same_bits(client) -> None:
    assert rolled(executor=client.get_executor()) == rolled(threads=1)


def test_labels_too(client) -> None:
    def labels(executor):
        room = room_for(2_000)
        make_labels(executor, NET, Labelling(), 1, 0, room, 0, lambda _: None)
        return room

    with ThreadPoolExecutor(1) as pool:
        here = labels(pool)
    there = labels(client.get_executor())
    assert np.array_equal(there.boards, here.boards)
    assert np.array_equal(there.outcomes, here.outcomes)


@pytest.mark.slow
@pytest.mark.parametrize("run", range(20))
def test_nor_does_a_worker_killed_at_any_moment_change_them(client, run) -> None:
    killed_after(client, Random(run).uniform(0, 1.5))
