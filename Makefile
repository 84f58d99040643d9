# Short names for the commands of CONTRIBUTING.md, in the environment of BIN.
BIN ?= .venv/bin
CORE_MODULES = $(basename $(notdir $(wildcard tavli_fast/_core/*.pyi)))
# Tests that hold core and reference together at length, or play thousands of games.
LONG_TESTS = differential random_matches reference_properties reference_oracle reference_perft rollouts

.PHONY: test fast slow mutations lint types bench docs examples

test:  ## all tests but those that take minutes
	$(BIN)/pytest -n auto

fast:  ## without the long ones
	$(BIN)/pytest -q -n auto $(LONG_TESTS:%=--ignore=tests/test_%.py)

slow:  ## every test
	$(BIN)/pytest -n auto --run-slow

mutations:  ## small errors put into the core: which does no fast test notice?
	$(BIN)/python tests/mutations.py

lint: types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/shellcheck .ci/run .ci/targets

types:
	$(BIN)/mypy
	$(BIN)/stubtest $(CORE_MODULES:%=tavli_fast._core.%)

bench:
	$(BIN)/pytest benchmarks

docs:  ## build the site of the documentation in build/docs/site, with the extra docs
	$(BIN)/python docs/build_site.py

examples:  ## run the examples of the README and of docs/
	$(BIN)/pytest -q tests/test_readme.py
