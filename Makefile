# Two commands do all set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNS ?= runs/demo
LIMIT ?= 60

.DEFAULT_GOAL := help
.PHONY: help demo test lint types tasks bench ci clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "gym_clinic needs Python 3.10 or newer: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.core: $(VENV)/.python setup.cfg pyproject.toml
	$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.test: $(VENV)/.core
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[test]"
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[test,dev]"
	@touch $@

demo: $(VENV)/.core  ## set up, evaluate oracle, rules and an adversary on ClinGen, show one episode
	$(BIN)/gym-clinic play clinic/ClinGen-v0 --policy rules --split test --seed 7
	$(BIN)/gym-clinic eval clinic/ClinGen-v0 --policy oracle --policy rules --policy every-tool \
		--split test --trials 1 --limit $(LIMIT) --out $(RUNS)

test: $(VENV)/.test  ## set up and run the tests
	$(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

lint: $(VENV)/.dev  ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## mypy --strict
	$(BIN)/mypy --strict gym_clinic

tasks: $(VENV)/.core  ## validate every task: schema, ids, tools, and that the oracle earns full marks
	$(BIN)/gym-clinic tasks validate

bench: $(VENV)/.core  ## print what a step costs, and what every policy is worth
	$(BIN)/python bench/env.py
	$(BIN)/python bench/trust.py

ci: lint types test tasks  ## what .ci/run runs

clean:  ## remove the environment and the runs
	rm -rf $(VENV) runs build dist *.egg-info
