# Two commands do all set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNS ?= runs/demo
LIMIT ?= 60
MINUTES ?= 60
MAPPINGS ?= ../shared/data/rarebench

# Where this is set, each of hundreds of processes compiles all sources again.
unexport PYTHONDONTWRITEBYTECODE

# Of training: `make train-ttopd ENV=clinic/ClinGenSingle-v0 STEPS=20`. ENV counts on the command
# line alone, since shells have a variable of that name.
STEPS ?= 5
NODES ?= 1
GPUS ?= 0
METHOD ?= dxsearch
TRAIN = $(if $(filter command,$(origin ENV)),--env '$(ENV)') --gpus $(GPUS) --nodes $(NODES) \
	$(if $(MODEL),--model '$(MODEL)') $(if $(ADDRESS),--address '$(ADDRESS)') \
	$(if $(LORA),--lora $(LORA)) $(if $(OUT),--out '$(OUT)') $(SET)
ONCE = --steps $(STEPS) $(if $(RESUME),--resume) $(if $(SEED),--seed $(SEED))

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow fuzz lint types tasks kb bench ci clean train-grpo train-ttopd train-dxsearch \
	train-kacr cluster-check prove-learning

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "gym_clinic needs Python 3.10 or newer: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.core: $(VENV)/.python setup.py setup.cfg pyproject.toml
	$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

# Two worlds that exclude one another: without GPUs, and with (see the extras in setup.cfg). The
# latter compiles flash-attention, so its step is not quiet; MAX_JOBS=4, say, bounds the compilers.
ifeq ($(GPUS),0)
$(VENV)/.train: $(VENV)/.core
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[train-cpu]"
	@touch $@
else
$(VENV)/.train: $(VENV)/.core
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[train-gpu-build]"
	$(BIN)/python -m verl_recipes.preflight.toolkit
	$(BIN)/python -m pip install -v --disable-pip-version-check --no-build-isolation -e ".[train-gpu]"
	@touch $@
endif

$(VENV)/.test: $(VENV)/.train
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[test]"
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[test,dev]"
	@touch $@

demo: $(VENV)/.core  ## set up, show a patient and a curation, evaluate oracle, rules and an adversary
	$(BIN)/gym-clinic play clinic/ClinicalDiagnosis-v0 --policy oracle --split test --seed 23
	$(BIN)/gym-clinic play clinic/ClinGen-v0 --policy rules --split test --seed 7
	$(BIN)/gym-clinic eval clinic/ClinGen-v0 --policy oracle --policy rules --policy every-tool \
		--split test --trials 1 --limit $(LIMIT) --out $(RUNS)

train-grpo: $(VENV)/.train  ## set up and train by GRPO: ENV= STEPS= MODEL= GPUS= NODES= OUT= RESUME=
	$(BIN)/python -m verl_recipes train --method grpo $(TRAIN) $(ONCE)

train-ttopd: $(VENV)/.train  ## the same with the EMA teacher of TT-OPD
	$(BIN)/python -m verl_recipes train --method ttopd $(TRAIN) $(ONCE)

train-dxsearch: $(VENV)/.train  ## GRPO of DxSearch in four stages, STEPS= each; METHOD= an ablation
	$(BIN)/python -m verl_recipes train --method $(METHOD) $(TRAIN) $(ONCE)

# Without GPUs the walk is a short one, which a tiny model can read.
SHORT_WALK = 'clinic.env_kwargs={iterations: 1, description: none, explored: 12, nodes: 3, disciplines: 1}'

train-kacr: $(VENV)/.train  ## PPO with a graph critic on the walk to disciplines (KACR)
	$(BIN)/python -m verl_recipes train --method kacr $(TRAIN) $(ONCE) $(if $(MODEL),,$(SHORT_WALK))

cluster-check: $(VENV)/.train  ## say what a training run would miss, before it is started
	$(BIN)/python -m verl_recipes check $(TRAIN)

prove-learning: $(VENV)/.train  ## show that the whole stack learns, with controls (an hour)
	$(BIN)/python bench/prove_learning.py

test: $(VENV)/.test  ## set up and run every test that is not marked slow
	$(BIN)/python -m pytest -n auto -m 'not slow' --durations=10 $(ARGS)

# Whole training runs are one file, and so one after the other; the rest runs beside them.
test-slow: $(VENV)/.test  ## whole training runs, package and wheel, long property tests
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -m 'slow or hypothesis' \
		--hypothesis-profile=long --durations=20 tests/verl_recipes/run/test_training_runs.py tests $(ARGS)

fuzz: $(VENV)/.test  ## look for new examples of the property tests, with random seeds: MINUTES=
	@until=$$(( $$(date +%s) + 60 * $(MINUTES) )); while [ $$(date +%s) -lt $$until ]; do \
		$(BIN)/python -m pytest -n auto -m 'hypothesis and not slow' --hypothesis-profile=fuzz $(ARGS) || exit 1; done

lint: $(VENV)/.dev  ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## mypy --strict
	$(BIN)/mypy --strict gym_clinic verl_recipes kb

tasks: $(VENV)/.test  ## every task: schema, ids, tools, the oracle's full marks, the adversaries
	$(BIN)/gym-clinic tasks validate
	$(BIN)/python -m pytest -n auto -m population --whole $(ARGS)

kb: $(VENV)/.core  ## check the fact tables, and prove their ids where MAPPINGS is at hand
	$(BIN)/python -m kb.build --check $(if $(wildcard $(MAPPINGS)),--mappings '$(MAPPINGS)')
	$(BIN)/gym-clinic kb validate

bench: $(VENV)/.core  ## print what a step costs, and what every policy is worth
	$(BIN)/python bench/env.py
	$(BIN)/python bench/patients_clinic.py
	$(BIN)/python bench/clinic.py
	$(BIN)/python bench/trust.py

ci: lint types tasks kb test test-slow  ## what .ci/run runs

clean:  ## remove the environment and the runs
	rm -rf $(VENV) runs build dist *.egg-info
