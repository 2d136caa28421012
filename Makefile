# Each target is the only command needed on a fresh machine with Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2
SEED ?= 0
COUNT ?= 24

.PHONY: demo test lint house bench mutants lines clean

demo: $(READY)
	$(BIN)/python examples/resnet50.py

test: $(READY)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

house: $(READY)
	$(BIN)/python -m benchmarks.house

bench: $(READY)
	$(BIN)/python -m benchmarks

mutants: $(READY)
	$(BIN)/python -m conformance.mutants --seed $(SEED) --count $(COUNT) --jobs $(JOBS) --tests

lines: $(READY)
	rm -rf build/lines
	$(BIN)/python -m nnadapter conform --fresh --jobs $(JOBS) --lines build/lines \
		$(foreach d,builtin litert onnxruntime openvino torch,--device $(d))
	$(BIN)/python -m conformance.lines build/lines --list

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	$(BIN)/python -m compileall -q nnir frontends hal conformance nnadapter
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
