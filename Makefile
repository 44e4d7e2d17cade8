# `make demo` and `make test` need Python 3.11+, a C++ compiler and the package registry, nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install -q --disable-pip-version-check
# Without link-time optimization, so that a changed kernel is built and linked in seconds; wheels have it.
INSTALL = $(PIP) --no-build-isolation -Ccmake.define.HEDGEROW_LTO=OFF -e
MINUTES ?= 5
ROUNDS ?= 1
SOURCES = $(wildcard kernels/*/*.?pp kernels/bind/*.?pp kernels/bind/*/*.?pp) CMakeLists.txt pyproject.toml
# An editable install knows the modules by name, so it is repeated when a folder gains or loses one.
FOLDERS = $(shell find src/hedgerow -type d -not -name __pycache__)

.PHONY: help demo test test-quick lint stub bench fuzz sanitize clean
help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.core: $(SOURCES) $(FOLDERS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) "scikit-build-core>=1.0" "nanobind>=3.0" "cmake>=3.18" ninja
	$(INSTALL) .
	touch $@

$(VENV)/.test: $(VENV)/.core
	$(INSTALL) ".[test]"
	touch $@

$(VENV)/.lint: $(VENV)/.core
	$(INSTALL) ".[lint]"
	touch $@

$(VENV)/.bench: $(VENV)/.core
	$(PIP) setuptools wheel  # liac-arff is built with them
	$(INSTALL) ".[bench]"
	touch $@

demo: $(VENV)/.core  ## set up, then go from a table to a tested, saved model
	PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

test: $(VENV)/.test  ## set up, then run all tests
	$(BIN)/python -m pytest -n 2

test-quick: $(VENV)/.test  ## set up, then run the first tests of every file, in about a minute
	$(BIN)/python -m pytest -n 2 --quick

lint: $(VENV)/.lint  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	git ls-files 'kernels/*pp' | grep -v unicode_tables | xargs $(BIN)/clang-format --dry-run --Werror
	$(BIN)/mypy

stub: $(VENV)/.core  ## write the type stub of the compiled module, after a change in kernels/bind
	$(BIN)/python -m nanobind.stubgen -m hedgerow._kernels -o src/hedgerow/_kernels.pyi

bench: $(VENV)/.bench  ## speed and accuracy compared with other programs
	$(BIN)/python -m benchmarks

fuzz: $(VENV)/.test  ## search for failures with new inputs: fuzzers for MINUTES, then ROUNDS of the property tests
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz --minutes $(MINUTES)
	for round in $$(seq $(ROUNDS)); do \
	  $(BIN)/python -m pytest -n 2 -m hypothesis --hypothesis-profile=explore || exit 1; \
	done

sanitize: $(VENV)/.test  ## kernel and learner tests on kernels built with address, undefined and thread sanitizers
	VENV=$(VENV) tools/sanitize.sh

clean:  ## remove the environment and the build
	rm -rf $(VENV) build
