# Two commands do everything on a machine with Python 3.11+ and make:
#   make run     set up, then compare NPR with its baselines and write a report
#   make test    set up, then run the tests (`make studies` runs the long ones)
# The rest is for those who change the code; `make help` lists it.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
STUDIES := $(VENV)/.studies
INSTALL := bin/python -m pip install --quiet --disable-pip-version-check --no-compile
PIP := $(VENV)/$(INSTALL)
FAST := -n auto --dist worksteal -m "not study"
# Other versions: `make oldest OLDEST_PYTHON=python3.11`, or only some tests with TESTS=tests/policies.
OLDEST := .venv-oldest
NEWEST := .venv-newest
OLDEST_PYTHON ?= $(shell command -v python3.11 || echo $(PYTHON))
TESTS ?= tests
# Packages are installed without compiled modules. If Python were told not to keep them either, as images of
# containers often do, every process that a test starts would compile all of JAX again.
unexport PYTHONDONTWRITEBYTECODE
# A part of the core: `make mutants ROOMS=policies,models SAMPLE=120`.
ROOMS ?= policies,models,agent,decisions,evaluation,service-log
SAMPLE ?= 60

.DEFAULT_GOAL := help
.PHONY: help setup run demo test studies lint types check format bench torture mutants results docs links oldest newest dist clean

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
	$(BIN)/python -m pytest $(FAST)

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

results: $(READY)  ## Write the pages of docs/results from the folders of results/
	$(BIN)/jostle summary results --out docs/results

docs: $(STUDIES)  ## Build the documentation in docs/_build/html; warnings, and broken links inside, are errors
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

links: $(STUDIES)  ## Check the links that lead out of the documentation (needs the network)
	$(BIN)/python -m sphinx --quiet -b linkcheck docs docs/_build/links

mutants: $(STUDIES)  ## Test the tests: a sample of small faults in the core (ROOMS=policies,models SAMPLE=60); runs/mutants/
	$(PIP) --editable '.[mutants]'
	PYTHONPATH=tests $(BIN)/python -m mutants --rooms $(ROOMS) --sample $(SAMPLE)

# Old packages use what their newer neighbours deprecate, and another JAX rounds otherwise than the one that
# behaviour was recorded with; neither is a fault of ours.
oldest:  ## Run the tests with the oldest Python and packages that pyproject.toml allows, in .venv-oldest
	$(OLDEST_PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python tests/oldest_versions.py > $(OLDEST)/constraints.txt
	$(OLDEST)/$(INSTALL) --constraint $(OLDEST)/constraints.txt --editable '.[dev]'
	$(OLDEST)/bin/python -m pytest $(FAST) -W default::DeprecationWarning --ignore tests/test_behaviour.py $(TESTS)

newest:  ## Run the tests with the newest packages that pyproject.toml allows, in .venv-newest
	$(PYTHON) -m venv --clear $(NEWEST)
	$(NEWEST)/$(INSTALL) --upgrade --upgrade-strategy eager --editable '.[dev]'
	$(NEWEST)/bin/python -m pytest $(FAST) $(TESTS)

dist: $(STUDIES)  ## Build wheel and sdist; `pip install dist/jostle-*.whl` installs the library
	$(BIN)/python -m build --outdir dist .

clean:  ## Remove the virtual environment and caches
	rm -rf $(VENV) $(OLDEST) $(NEWEST) docs/_build .pytest_cache .ruff_cache .mypy_cache .hypothesis
