# Two targets do all the set-up a fresh machine needs: `make serve` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# hnswlib compiles with -march=native by default; such a build may die with SIGILL on another machine.
export HNSWLIB_NO_NATIVE := 1
export OMP_NUM_THREADS := 1
export RAY_USAGE_STATS_ENABLED := 0

.PHONY: setup serve demo check test faults sim soak bench screenshots docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(STAMP)

serve: setup
	$(BIN)/rearview serve

demo: setup
	$(BIN)/rearview demo

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest tests/house

test: setup
	$(BIN)/python -m pytest

sim: setup
	$(BIN)/python -m pytest tests/simulation --seeds $(or $(SEEDS),200)

soak: setup
	$(BIN)/python -m pytest --soak

bench: setup
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) build dist *.egg-info
