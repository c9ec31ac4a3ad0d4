# Two targets do all the set-up a fresh machine needs: `make serve` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# hnswlib compiles with -march=native by default; such a build may die with SIGILL on another machine.
export HNSWLIB_NO_NATIVE := 1
export OMP_NUM_THREADS := 1
export RAY_USAGE_STATS_ENABLED := 0

.PHONY: setup serve demo check test faults sim soak bench screenshots docs site clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Rearview needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(or $(MAKECMDGOALS),setup)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,models,oidc]'
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

# The fault matrix with its ledger (tests/faults/README.md).
faults: setup
	$(BIN)/python -m tests.faults

# The pages that are made from the code.
docs: setup
	$(BIN)/python -m rearview.settings_page > docs/settings.md
	$(BIN)/python docs/clients/generate.py

# The pages of docs/ as a web site, in site/.
site: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Pictures of the console for docs/images; needs Chromium.
screenshots: setup
	$(BIN)/python -m tests.adapters.console.screenshots

bench: setup
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) build dist *.egg-info
