# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   make demo    run the examples
#   make test    run every test (lit and pytest)
#   make check   format, lint, types, direction of imports
#   make bench   time pyfusion against its peers
#   make clean   remove what the build and the tests left; the environment stays
#
# Each target first makes .venv, or brings it up to date: an editable install whose native libraries
# are rebuilt when their sources change. It needs Python 3.10 or later with its
# headers, and a C++17 compiler.

PYTHON ?= python3
VENV ?= .venv
BUILD := build/native

bin := $(VENV)/bin
python := $(bin)/python
pip := $(python) -m pip --quiet --disable-pip-version-check
install := $(pip) install --no-build-isolation --config-settings=build-dir=$(BUILD)
native := CMakeLists.txt pyproject.toml dialects/ops_table.py $(shell find dialects pyfusion/native pyfusion/runtime/native \
  -name '*.td' -o -name '*.cpp' -o -name '*.h' -o -name CMakeLists.txt)

.DELETE_ON_ERROR:
.PHONY: demo test check bench clean

$(VENV)/.python:
	test -x $(python) || $(PYTHON) -m venv $(VENV)
	touch $@

# The requirements of the build stay installed, so that a rebuild compiles only what has changed.
$(VENV)/.requirements: pyproject.toml | $(VENV)/.python
	$(pip) install scikit-build-core
	$(pip) install $$($(python) -m scikit_build_core.build requires --mode editable \
	  | tr -d '[]," ' | tr '\n' ' ')
	touch $@

$(VENV)/.installed: $(native) | $(VENV)/.requirements
	$(install) --editable '.[test]'
	touch $@

$(VENV)/.extra-%: $(VENV)/.installed
	$(install) --editable '.[$*]'
	touch $@

demo: $(VENV)/.extra-demo
	$(python) examples/demo.py

test: $(VENV)/.installed
	$(bin)/lit -sv test
	$(python) -m pytest -q -n auto

check: $(VENV)/.installed
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/mypy
	$(python) -m pytest -q test/unit/test_imports.py
	$(python) docs/check.py

bench: $(VENV)/.extra-bench
	$(python) bench/cpu.py
	$(python) bench/dispatch.py

clean:
	rm -rf build dist out .mypy_cache .pytest_cache .ruff_cache .hypothesis .lit_test_times.txt
	rm -f $(VENV)/.installed
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
