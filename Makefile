# Everything from a clone: each target sets up the environment it needs, with the versions of the lock.
PYTHON ?= python3
# What runs the program, and what tests and checks it.
RUN    := .venv-run
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
LIMIT  ?= 10000
CENSUS ?= 100000
FAULTS ?= 100
SEED   ?= 9
EXTREMES ?= 20000
# Version 1 of the contract, which stays.
BEFORE := tests/golden/contract_v1.binpb

.DEFAULT_GOAL := help
.PHONY: help demo test test-all docs mutants extremes lint format bench proto lock release image clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(RUN)/.installed: EXTRAS := engine,web
$(STAMP): EXTRAS := dev
%/.installed: pyproject.toml requirements.lock
	$(PYTHON) -m venv $*
	$*/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[$(EXTRAS)]'
	@touch $@

demo: $(RUN)/.installed ## compute three-row Chomp, sweep a census, serve them, ask, and watch a bot win
	$(RUN)/bin/python examples/demo.py --limit $(LIMIT) --census $(CENSUS)

test: $(STAMP) ## the tests, without the slow ones
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

test-all: $(STAMP) ## all tests, with new examples of each property
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "" --hypothesis-profile search

docs: $(STAMP) ## the documents as a site in build/site, with a gallery
	$(BIN)/python -m mkdocs build --strict --quiet

mutants: $(STAMP) ## put small faults into a copy, one at a time: do the tests notice?
	$(BIN)/python -m tests.mutation --count $(FAULTS) --seed $(SEED)

extremes: $(STAMP) ## ask questions at the ends of their ranges: do they take what they cost?
	$(BIN)/python -m tests.extremes --count $(EXTREMES) --seed $(SEED)

lint: $(STAMP) ## style, types, layers, generated code, the contract and what it was before
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/generate_proto.py --check
	$(BIN)/python -m scripts.generate_openapi --check
	$(BIN)/python -m scripts.generate_contract_reference --check
	$(BIN)/buf lint
	$(BIN)/buf breaking --against $(BEFORE)

format: $(STAMP) ## bring the sources into shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## measure speed, as ratios within one run where that is possible
	$(BIN)/python -m bench

proto: $(STAMP) ## regenerate the code of the gRPC contract, and its description in OpenAPI
	$(BIN)/python scripts/generate_proto.py
	$(BIN)/python -m scripts.generate_openapi
	$(BIN)/python -m scripts.generate_contract_reference

lock: $(STAMP) ## pin the dependencies anew
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra dev \
	  --no-emit-index-url --no-header --output-file requirements.lock pyproject.toml

release: $(STAMP) ## build wheel and source archive of what is committed, check and describe them
	$(BIN)/python scripts/release.py

image: ## build the container image without Docker (root, buildah, mmdebstrap)
	scripts/image.sh

clean: ## remove the environments and everything that was computed
	rm -rf $(RUN) $(VENV) data build dist *.egg-info
