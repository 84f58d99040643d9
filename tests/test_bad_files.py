"""Files that are damaged or none: one ValueError that names the file, or an OSError."""

from __future__ import annotations

import json
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast.training.trainer import Trainer

RULES = "hypergammon"
Load = Callable[[Any], Any]
LOADERS: dict[str, Load] = {"net": tf.Net.load, "checkpoint": Trainer.load}
PATHS = [None, 3, 1.5, "", "a\0b", [], object()]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A good file of each kind."""
    folder = tmp_path_factory.mktemp("files")
    tf.Net.random(RULES, 8, seed=1).save(folder / "net")
    tf.train(RULES, games=10, hidden=32, seed=1, measured=0, checkpoint=folder / "checkpoint")
    return {name: (folder / name).read_bytes() for name in LOADERS}


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes cut, changed or exchanged; often in the directory at the end, which is read first."""
    some, place = bytearray(data), rng.randrange(len(data))
    kind = rng.randrange(4)
    if kind == 0:
        return bytes(some[:place])
    if kind == 1:
        return bytes(some[place:])
    if kind == 2:
        place = max(0, len(some) - rng.randrange(1, 900))
        some[place] = rng.randrange(256)
        return bytes(some)
    some[place : place + rng.randrange(1, 200)] = rng.randbytes(rng.randrange(200))
    return bytes(some)


@pytest.mark.parametrize("kind", LOADERS)
def test_damaged_files_are_refused_in_one_way(
    kind: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    rng, path, refused = random.Random(7), tmp_path / "bad.npz", 0
    for _ in range(400):
        path.write_bytes(damaged(files[kind], rng))
        try:
            LOADERS[kind](path)  # some bytes of an archive mean nothing
        except ValueError as error:
            assert str(path) in str(error)  # noqa: PT017
            refused += 1
    assert refused > 300


@pytest.mark.parametrize("kind", LOADERS)
def test_an_entry_packed_or_locked_in_another_way(
    kind: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(files[kind])
    with zipfile.ZipFile(path) as archive:
        entry = archive.infolist()[0]
        start = archive.start_dir
    for at, value in ((8, 1), (10, 99)):  # the flag of encryption, the method of compression
        data = bytearray(files[kind])
        data[start + at] |= value
        data[entry.header_offset + at - 2] |= value
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"bad\.npz is no"):
            LOADERS[kind](path)


def changed(
    data: bytes, path: Path, change: Callable[[dict[str, Any], dict[str, Any]], Any]
) -> Any:
    """Write a file with another head or other arrays; return what `change` returns."""
    path.write_bytes(data)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    head = json.loads(str(arrays.pop("head")))
    found = change(head, arrays)
    np.savez(path, **{"head": np.array(json.dumps(head if found is None else found)), **arrays})


def setter(*keys: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(head: dict[str, Any], arrays: dict[str, Any]) -> None:
        for key in keys[:-1]:
            head = head[key]
        head[keys[-1]] = value

    return change


def array(name: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(head: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = np.full_like(arrays[name], value) if np.isscalar(value) else value

    return change


NETS = {
    "head list": lambda head, arrays: [1],
    "head text": lambda head, arrays: "head",
    "rules number": setter("rules", value=3),
    "rules name": setter("rules", value="chess"),
    "info list": setter("info", value=[]),
    "activation": setter("activation", value="relu"),
    "encoding": setter("encoding", value="hit-2"),
    "other array": array("what", np.zeros(3)),
    "nan": array("hidden_biases", np.nan),
    "complex": array("hidden_biases", np.zeros(8, complex)),
    "text": array("hidden_biases", np.array(["1"] * 8)),
    "shape": array("hidden_biases", np.zeros(7)),
}


@pytest.mark.parametrize("name", NETS)
def test_nets_that_do_not_fit(name: str, files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    changed(files["net"], path, NETS[name])
    with pytest.raises(ValueError, match=r"bad\.npz"):
        tf.Net.load(path)


CHECKPOINTS = {
    "head list": lambda head, arrays: [1],
    "settings list": setter("settings", value=[]),
    "setting": setter("settings", "what", value=1),
    "rules number": setter("settings", "rules", value=3),
    "hidden": setter("settings", "hidden", value=1024),
    "counts list": setter("counts", value=[]),
    "negative": setter("counts", "played", value=-5),
    "text": setter("counts", "games", value="5"),
    "infinite": setter("counts", "played", value=float("inf")),
    "nan": setter("counts", "seconds", value=float("nan")),
    "huge": setter("counts", "played", value=10**400),
    "streams": array("streams", np.zeros((1, 4), np.uint64)),
    "curve": setter("curve", value=[1]),
    "no curve": setter("curve", value=None),
    "weights": array("weights", np.nan),
    "sums": array("sums", np.inf),
    "tenth": array("tenth", np.zeros(3, np.float32)),
}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_checkpoints_that_do_not_fit(name: str, files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    changed(files["checkpoint"], path, CHECKPOINTS[name])
    with pytest.raises(ValueError, match=r"bad\.npz is no checkpoint"):
        tf.train(resume=path)


@pytest.mark.parametrize("path", PATHS)
def test_what_is_no_path(path: Any) -> None:
    net = tf.Net.random(RULES, 8, seed=1)
    for call in (tf.Net.load, tf.Linear.load, net.save):
        with pytest.raises(ValueError, match=r"path=.*: expected the path of a file"):
            call(path)
    few: dict[str, Any] = {"rules": RULES, "games": 1, "hidden": 32, "measured": 0}
    if path is not None:
        with pytest.raises(ValueError, match=r"checkpoint=.*: expected the path of a file"):
            tf.train(**few, checkpoint=path)
        with pytest.raises(ValueError, match=r"resume=.*: expected the path of a file"):
            tf.train(resume=path)


def test_paths_of_every_kind(files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    path.write_bytes(files["net"])
    ways: list[Any] = [path, str(path), os.fsencode(path)]
    found = [tf.Net.load(each).name for each in ways]
    assert len(set(found)) == 1
    with pytest.raises(FileNotFoundError):
        tf.Net.load(tmp_path / "none.npz")
    with pytest.raises(IsADirectoryError):
        tf.Net.load(tmp_path)


def test_a_checkpoint_replaces_no_device_and_no_link(tmp_path: Path) -> None:
    few: dict[str, Any] = {"rules": RULES, "games": 2, "hidden": 32, "measured": 0, "seed": 1}
    pipe, target, link = (tmp_path / name for name in ("pipe", "target.npz", "link.npz"))
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(ValueError, match=r"checkpoint=.*: expected a file"):
            tf.train(**few, checkpoint=path)
    assert pipe.is_fifo()
    target.write_text("before")
    link.symlink_to(target)
    tf.train(**few, checkpoint=link)
    assert link.is_symlink()
    assert tf.train(resume=target, measured=0).info["games"] == 2
    assert {each.name for each in tmp_path.iterdir()} == {"pipe", "target.npz", "link.npz"}


def test_a_checkpoint_that_cannot_be_written_is_known_at_once(tmp_path: Path) -> None:
    calls: list[Any] = []
    with pytest.raises(FileNotFoundError):
        tf.train(
            RULES, games=50, hidden=32, checkpoint=tmp_path / "no" / "k", progress=calls.append
        )
    assert calls == []
    with pytest.raises(ValueError, match="progress=3: expected a callable or None"):
        tf.train(RULES, games=50, hidden=32, progress=3)  # type: ignore[arg-type]
