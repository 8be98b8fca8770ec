# Two commands do everything on a machine with Python 3.11+ and make:
#   make run     set up, then compare NPR with its baselines and write a report
#   make test    set up, then run the tests (`make studies` runs the long ones)
# The rest is for those who change the code; `make help` lists it.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
STUDIES := $(VENV)/.studies
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.DEFAULT_GOAL := help
.PHONY: help setup run demo test studies lint types check format bench torture wheel clean

help:  ## Show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 12

setup: $(READY)  ## Create the virtual environment and install the project into it

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "jostle needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "Setting up $(VENV) (once; a minute or so) ..."
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[dev]'
	@touch $(READY)

$(STUDIES): $(READY)
	$(PIP) --editable '.[studies]'
	@touch $(STUDIES)

run: $(READY)  ## Compare NPR with its baselines on a synthetic bandit; table, figures and report in runs/
	$(BIN)/jostle run

demo: $(READY)  ## Start the decision service with a simulated application, and open its dashboard
	$(BIN)/jostle demo

test: $(READY)  ## Run the tests
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not study"

studies: $(STUDIES)  ## Run the long tests: Ray, a browser, Flax, real data (JOSTLE_DATA), a minimal install
	$(BIN)/python -m pytest -n auto --dist worksteal -m study

lint: $(READY)  ## Check format and lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)  ## Check types
	$(BIN)/mypy

check: lint types test studies  ## Format, lint, types and all tests: what CI runs

format: $(READY)  ## Format the code and fix what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

torture: $(READY)  ## Try to break the decision service for hours: crashes, power loss, load; table in runs/torture/
	PYTHONPATH=tests/service $(BIN)/python -m torture

bench: $(READY)  ## Print the benchmark table
	$(BIN)/jostle bench

wheel: $(STUDIES)  ## Build the wheel that `pip install dist/jostle-*.whl` installs
	$(BIN)/python -m build --wheel --outdir dist .

clean:  ## Remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis
