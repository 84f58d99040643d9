"""Files of nets: they keep everything, and what is none is refused without harm."""

import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sample_nets import evaluators_of

import tavli_fast as tf
from tavli_fast import Net


@pytest.mark.parametrize("name", ["portes", "plakoto", "gul_bara"])
def test_files_and_pickles_keep_everything(name: str, tmp_path: Path) -> None:
    boards = tf.random_boards(100, name, seed=1)
    for net in evaluators_of(name, 10):
        net.info["name"] = "small"
        net.save(tmp_path / "net.npz")
        for again in (type(net).load(tmp_path / "net.npz"), pickle.loads(pickle.dumps(net))):
            assert type(again) is type(net)
            assert (again.rules, again.info, again.name) == (net.rules, net.info, net.name)
            assert repr(again) == repr(net)
            np.testing.assert_array_equal(again(boards, name), net(boards, name))
        assert net.name.startswith("small-")


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (next(evaluators_of("portes", hidden)) for hidden in (10, 12))
    path = tmp_path / "a.npz"
    old.save(path)

    def full(file: Any, **_: Any) -> None:
        file.write(b"half of it")
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez_compressed", full)
        with pytest.raises(OSError, match="no space"):
            new.save(path)
    assert Net.load(path).name == old.name
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]
    other = tmp_path / "a.npz.part"
    other.write_text("somebody's own")
    path.chmod(0o600)
    old.save(path)
    assert other.read_text() == "somebody's own"
    assert path.stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link.npz"
    link.symlink_to(path)
    new.save(link)
    assert link.is_symlink()
    assert Net.load(path).name == new.name != old.name


def test_house_rules_are_kept(tmp_path: Path) -> None:
    from dataclasses import replace

    house = replace(tf.PLAKOTO, mother="lose_always")
    net = Net.random(house, 4, seed=1)
    net.save(tmp_path / "net.npz")
    assert Net.load(tmp_path / "net.npz").rules == house


class Bomb:
    """What a pickle would run."""

    def __reduce__(self) -> Any:
        return os.mkdir, (str(Bomb.mark),)

    mark = Path()


def rewritten(path: Path, arrays: dict[str, Any], head: dict[str, Any] | None = None) -> None:
    """Write a good file with other arrays (None: without them) and other entries of its head."""
    with np.load(path) as file:
        whole = {key: file[key] for key in file.files}
    whole["head"] = np.array(json.dumps({**json.loads(str(whole["head"])), **(head or {})}))
    whole.update(arrays)
    np.savez_compressed(path, **{key: value for key, value in whole.items() if value is not None})


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """The file of a small net of Portes."""
    path = tmp_path / "bad.npz"
    Net.random("portes", 8, seed=1).save(path)
    return path


def refused(path: Path, why: str) -> None:
    """Assert that a file is refused with its name and the reason."""
    with pytest.raises(ValueError, match=why) as caught:
        Net.load(path)
    assert path.name in str(caught.value)


@pytest.mark.parametrize("where", ["hidden_biases", "head"])
def test_no_file_runs_code(where: str, good: Path) -> None:
    Bomb.mark = good.parent / "exploded"
    rewritten(good, {where: np.array([Bomb()], object)})
    refused(good, "no file of weights")
    assert not Bomb.mark.exists()


ARRAYS: dict[str, tuple[dict[str, Any], str]] = {
    "no biases": ({"hidden_biases": None}, "hidden_biases"),
    "one array more": ({"more": np.zeros(3)}, "more"),
    "features": ({"hidden_weights": np.zeros((2, 220, 8))}, r"hidden_weights has shape"),
    "scalars": ({"hidden_weights": np.zeros((2, 254, 8))}, "encoding hit-2: expected hit-1"),
    "experts": ({"output_weights": np.zeros((5, 8, 5))}, "output_weights has 5 phases"),
    "three phases": ({"output_biases": np.zeros((3, 5))}, "output_biases has shape"),
    "units": ({"hidden_biases": np.zeros((2, 9))}, r"hidden_biases has shape"),
    "outputs": ({"output_weights": np.zeros((2, 8, 7))}, "7 outputs"),
    "nan": ({"output_weights": np.full((2, 8, 5), np.nan)}, "output_weights"),
    "too large": ({"output_biases": np.full((2, 5), 1e9)}, "output_biases"),
    "text": ({"output_biases": np.array(["a"] * 5)}, "output_biases"),
    "no head": ({"head": None}, "head"),
    "half a head": ({"head": np.array("[1")}, "no file of weights"),
    "a list as head": ({"head": np.array("[]")}, "no file of weights"),
    "a deep head": ({"head": np.array("[" * 100_000)}, "no file of weights"),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_do_not_fit(case: str, good: Path) -> None:
    arrays, why = ARRAYS[case]
    rewritten(good, arrays)
    refused(good, why)


HEADS: dict[str, tuple[dict[str, Any], str]] = {
    "format": ({"format": 2}, "format is 2"),
    "encoding": ({"encoding": "hit-3"}, "'hit-3'.*expected 'hit-1' of 228 or 'hit-2' of 254"),
    "scalars that are not there": ({"encoding": "hit-2", "features": 254}, "encoding hit-1: exp"),
    "too few features": ({"encoding": "hit-2", "features": 228}, "'hit-2' of 228"),
    "features": ({"features": 229}, "229"),
    "another game's encoding": ({"encoding": "pin-1", "features": 276}, "pin-1"),
    "no rules": ({"rules": "chess"}, "no file of weights"),
    "no fields": ({"rules": {"chess": 1}}, "no file of weights"),
    "kind": ({"kind": "Linear"}, "expected a Net"),
    "activation": ({"activation": "relu"}, "relu"),
    "info": ({"info": 3}, "info"),
}


@pytest.mark.parametrize("case", HEADS)
def test_heads_that_do_not_fit(case: str, good: Path) -> None:
    head, why = HEADS[case]
    rewritten(good, {}, head)
    refused(good, why)


def encrypted(data: bytes) -> bytes:
    """Return an archive whose directory says that all entries are encrypted."""
    some = bytearray(data)
    for start in range(len(data)):
        if data.startswith(b"PK\x01\x02", start):  # an entry of the directory
            some[start + 8] |= 1
    return bytes(some)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "encrypted": encrypted,
    "empty": lambda data: b"",
    "two bytes": lambda data: b"PK",
    "half": lambda data: data[: len(data) // 2],
    "no end": lambda data: data[:-30],
    "no archive": lambda data: b"x" * 500,
    "no beginning": lambda data: data[100:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_files_that_are_not_whole(damage: str, good: Path) -> None:
    good.write_bytes(DAMAGES[damage](good.read_bytes()))
    refused(good, "no file of weights")


def test_a_spoilt_byte(good: Path) -> None:
    spoilt = bytearray(good.read_bytes())
    spoilt[len(spoilt) // 2] ^= 0xFF
    good.write_bytes(spoilt)
    refused(good, r"bad\.npz")


def test_files_that_are_something_else(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.zeros(3))
    refused(tmp_path / "one.npy", "no file of weights")
    with pytest.raises(FileNotFoundError):
        Net.load(tmp_path / "none.npz")


def test_an_array_larger_than_any_memory(tmp_path: Path) -> None:
    huge = b"\x93NUMPY\x01\x00v\x00" + str(
        {"descr": "<f4", "fortran_order": False, "shape": (10**15,)}
    ).encode().ljust(118)
    bad = tmp_path / "bad.npz"
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("head.npy", huge)
    refused(bad, "no file of weights")


def test_gigabytes_of_zeros_in_a_small_archive_are_not_unpacked(tmp_path: Path) -> None:
    bad = tmp_path / "bad.npz"
    with (
        zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w") as file,
    ):
        for _ in range(80):
            file.write(bytes(1 << 20))
    assert bad.stat().st_size < 1 << 20
    refused(bad, "would unpack to")


def test_sizes_in_a_zip_that_lie_unpack_no_more(tmp_path: Path) -> None:
    # The directory says that an entry is small; what is in it is not.
    bad = tmp_path / "bad.npz"
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("head.npy", bytes(1 << 27))
    content = bad.read_bytes()
    size = (1 << 27).to_bytes(4, "little")
    assert content.count(size) >= 1
    bad.write_bytes(content.replace(size, (1000).to_bytes(4, "little")))
    with pytest.raises(ValueError, match="no file of weights"):
        Net.load(bad)
