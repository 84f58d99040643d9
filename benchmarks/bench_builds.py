"""Each build of the core that this processor can run, in a process of its own."""

import json
import os
import subprocess
import sys

import pytest

import tavli_fast as tf

SECONDS = 3


@pytest.mark.parametrize("isa", tf.build_info()["available"].split(", "))
def test_build(note, request, tmp_path, isa):
    # The command checks its answers itself, and fails if one is wrong.
    seconds = 1 if request.config.getoption("--benchmark-disable") else SECONDS
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tavli_fast", "bench", "--json", "--seconds", str(seconds)],
        cwd=tmp_path,
        env=os.environ | {"TAVLI_FAST_ISA": isa},
        capture_output=True,
        text=True,
        check=True,
    )
    document = json.loads(done.stdout)
    assert document["build"]["isa"] == isa
    if request.config.getoption("--benchmark-disable"):
        return
    for result in document["results"]:
        if result["threads"] == 1:
            note(
                f"{isa}: {result['name']}",
                unit=result["unit"],
                seconds=result["ns"] / 1e9,
                x=result["x_ns"] / 1e9,
                about={"isa": isa, "call": result["name"]},
            )
