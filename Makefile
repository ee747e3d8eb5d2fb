# Two commands for a fresh machine with Python and git: `make demo` and `make test`. Each makes its own .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check lint types imports docs bench clean

.venv/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'punchlist needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)'; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

.venv/.ready-dev: .venv/.ready tests/requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement tests/requirements.txt
	@touch $@

demo: .venv/.ready
	@$(BIN)/punchlist demo

test: .venv/.ready-dev
	@$(BIN)/python tools/node_tools.py
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal

check: lint types imports docs

lint: .venv/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.ready-dev
	$(BIN)/mypy

imports: .venv/.ready-dev
	$(BIN)/python tools/imports.py

docs: .venv/.ready-dev
	$(BIN)/python tools/docs.py --check

bench: .venv/.ready-dev
	@$(BIN)/python -m compileall -q src
	$(BIN)/python bench/run.py

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache
