"""Fuzz one target, or all: `python fuzz/run.py [NAME ...] --inputs 100000 --seed 1`.

Inputs are made by changing seeds at random; with `--atheris` (pip install atheris) one target is
fuzzed with the coverage of the Python code as a guide, for as many inputs. An input that breaks a
promise is printed, to be mended and added to `kept.jsonl`, which the tests replay.
"""

from __future__ import annotations

import argparse
import base64
import faulthandler
import json
import random
import sys
import time
from pathlib import Path

MOST_FINDINGS = 5
"""After so many a target is given up."""


def changed(seeds: list[bytes], rng: random.Random) -> bytes:
    """Return one of the seeds after one to four changes: bytes and bits exchanged, parts cut out,
    doubled, moved, taken from another seed; numbers and characters that parsers stumble over."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(data) + 1)
        size = rng.choice((1, 1, 2, 4, 16, 64))
        kind = rng.randrange(9)
        if kind == 0:
            data[at : at + 1] = rng.randbytes(1)
        elif kind == 1 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[at : at + size]
        elif kind == 3:
            data[at:at] = data[at : at + size]
        elif kind == 4:
            other = rng.choice(seeds)
            start = rng.randrange(len(other) + 1)
            data[at : at + rng.choice((0, size))] = other[start : start + size]
        elif kind == 5:
            data[at : at + rng.choice((0, 1, 2))] = rng.choice(AWKWARD)
        elif kind == 6 and at < len(data):
            data[at] = (data[at] + rng.choice((-1, 1))) % 256
        elif kind == 7 and at < len(data):
            to = rng.randrange(len(data))
            data[at], data[to] = data[to], data[at]
        else:
            data[at : at + 1] = str(rng.randrange(-30, 100)).encode()
    return bytes(data)


AWKWARD = [
    *(b"0 -1 -0 1e999 nan 99999999999999999999 2147483648 null true bar off [] {}".split()),
    *("\u0663 \u00b2 \ufeff".encode().split()),  # digits that are none, and a byte order mark
    *(bytes([byte]) for byte in b'\0\n\r\t :/*()[]{}",\\\x7f\x80\x81\xff'),
    b"",
]


def run(name: str, inputs: int, seed: int) -> tuple[int, int]:
    """Fuzz a target; return how many inputs were accepted and how many broke a promise."""
    from targets import TARGETS

    target, make = TARGETS[name]
    seeds, rng = make(), random.Random(f"{name} {seed}")
    accepted = broken = 0
    for _ in range(inputs):
        data = changed(seeds, rng)
        try:
            accepted += target(data)
        except Exception as error:
            broken += 1
            print(json.dumps({"target": name, "data": base64.b85encode(data).decode()}))
            print(f"  {type(error).__name__}: {error}"[:300], flush=True)
            if broken == MOST_FINDINGS:
                break
    return accepted, broken


def guided(name: str, inputs: int, seed: int) -> None:
    """The same with Atheris, which ends the process at the first finding, or after the inputs."""
    import atheris

    with atheris.instrument_imports(include=["tavli_fast"]):
        from targets import TARGETS
    target, make = TARGETS[name]
    import tempfile

    folder = Path(tempfile.mkdtemp())
    for number, data in enumerate(make()):
        (folder / str(number)).write_bytes(data)
    options = [f"-runs={inputs}", f"-seed={seed}", "-max_len=20000", "-verbosity=0"]

    def one_input(data: bytes) -> None:
        target(data)

    atheris.Setup([sys.argv[0], *options, str(folder)], one_input)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*", help="targets (default all)")
    parser.add_argument("--inputs", type=int, default=10_000, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--atheris", action="store_true", help="one target, guided by coverage")
    options = parser.parse_args()
    faulthandler.enable()
    if options.atheris:
        (name,) = options.names
        guided(name, options.inputs, options.seed)
        return 0
    from targets import TARGETS

    failed = 0
    for name in options.names or TARGETS:
        begun = time.process_time()
        accepted, broken = run(name, options.inputs, options.seed)
        failed += broken
        print(
            f"{name}: {options.inputs:,} inputs, {accepted:,} accepted, {broken} findings, "
            f"{time.process_time() - begun:.0f} s",
            flush=True,
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
