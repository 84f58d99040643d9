"""The errors that tests/mutations.py puts into the core can be put there: each finds its place."""

import runpy
from pathlib import Path

import pytest

SCRIPT = runpy.run_path(str(Path(__file__).parent / "mutations.py"))


@pytest.mark.parametrize("mutation", SCRIPT["MUTATIONS"], ids=lambda mutation: mutation.name)
def test_a_mutation_changes_one_place_of_the_core(mutation: object) -> None:
    assert SCRIPT["mutated"](mutation)


def test_a_text_that_is_gone_is_named() -> None:
    gone = SCRIPT["Mutation"]("an error", "ruleset.pyx", "no such text", "")
    with pytest.raises(ValueError, match=r"an error: 'no such text' occurs 0 times in .*ruleset"):
        SCRIPT["mutated"](gone)
