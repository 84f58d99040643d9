"""The cache of tables: nothing wrong is ever read, whatever happens to its file."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tavli_fast.exact import cache
from tavli_fast.exact.cache import VARIABLE, cache_folder, cached

TABLE = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "new" / "tables"))
    monkeypatch.setattr(cache, "_said", set())
    return tmp_path / "new" / "tables"


class Maker:
    """Makes the table, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        return TABLE.copy()


def asked(make: Maker, name: str = "a.table") -> Any:
    found = cached(name, TABLE.shape, make)
    np.testing.assert_array_equal(found, TABLE)
    return found


def test_it_is_computed_once(folder: Path) -> None:
    make = Maker()
    for _ in range(3):
        asked(make)
    assert make.calls == 1
    assert [path.name for path in folder.iterdir()] == ["a.table"]
    asked(make, "b.table")
    assert make.calls == 2


def test_a_damaged_file_is_computed_again_and_said_once(folder: Path) -> None:
    make = Maker()
    asked(make)
    file = folder / "a.table"
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[-3] ^= 4
    head = bytearray(whole)
    head[5] ^= 1
    damaged = [b"", b"x", whole[:-1], whole[:40], whole + b"x", bytes(flipped), bytes(head)]
    for number, content in enumerate(damaged, 2):
        file.write_bytes(content)
        cache._said.clear()
        with pytest.warns(RuntimeWarning, match="the table is computed again"):
            asked(make)
        assert make.calls == number
        assert file.read_bytes() == whole  # and put right
    file.write_bytes(b"x")
    cache._said.add(
        f"{file}: not of {len(whole):,} bytes, as the table is; the table is computed again"
    )
    asked(make)  # without a second warning


def test_another_table_in_its_place_is_not_taken(folder: Path) -> None:
    make = Maker()
    cached("b.table", TABLE.shape, lambda: TABLE + 1)
    (folder / "b.table").rename(folder / "a.table")
    with pytest.warns(RuntimeWarning, match="checksum or its head is another"):
        asked(make)
    cached("c.table", (4, 3), lambda: TABLE.reshape(4, 3))
    (folder / "c.table").rename(folder / "d.table")
    with pytest.warns(RuntimeWarning, match="checksum or its head is another"):
        asked(make, "d.table")


def test_without_a_folder_that_can_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Maker()
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be")
    with pytest.warns(RuntimeWarning, match="computed in each process"):
        asked(make)
    monkeypatch.setenv(VARIABLE, "")
    asked(make)
    assert make.calls == 2
    assert cache_folder() is None


def test_a_full_disk_leaves_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_number: int) -> None:
        raise OSError(28, "No space left on device")

    make = Maker()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        asked(make)
    assert list(folder.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.setenv(VARIABLE, str(folder))
    asked(make)
    asked(make)
    assert make.calls == 2


def test_an_interrupted_computation_leaves_no_file(folder: Path) -> None:
    def interrupted() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached("a.table", TABLE.shape, interrupted)
    asked(Maker())
    assert [path.name for path in folder.iterdir()] == ["a.table"]


def test_several_processes_at_once(folder: Path) -> None:
    code = "import tavli_fast as tf; print(tf.evaluate(tf.start(), 'net').equity[0])"
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    printed = [each.communicate()[0] for each in running]
    assert [each.returncode for each in running] == [0, 0]
    assert printed[0] == printed[1]
    assert [path.name for path in folder.iterdir()] == ["bearoff-6-6-1.table"]


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere/else")
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == Path("/somewhere/else/tavli_fast")
    monkeypatch.setenv("XDG_CACHE_HOME", "no/absolute/path")
    assert cache_folder() == Path("~/.cache/tavli_fast").expanduser()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path("~/Library/Caches/tavli_fast").expanduser()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert cache_folder() is None
