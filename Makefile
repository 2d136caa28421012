# Each target is the only command needed on a fresh machine with Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2
SEED ?= 0
COUNT ?= 24

.PHONY: demo test whole lint site house bench mutants lines clean

demo: $(READY)
	$(BIN)/python examples/resnet50.py

test: $(READY)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --drawn

# Everything, where `make test` draws a part of what takes long (tests/drawing.py).
whole: $(READY)
	NNADAPTER_HOSTILE=all $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

site: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

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

.PHONY: dist smoke

# What is published, in dist/: each wheel is made from its source distribution.
dist:
	rm -rf dist build/dist
	$(PYTHON) -m venv build/dist
	build/dist/bin/python -m pip install --quiet --disable-pip-version-check build twine
	build/dist/bin/python -m build --outdir dist .
	build/dist/bin/python -m build --outdir dist distributions/conformance
	build/dist/bin/python -m twine check --strict dist/*

# The wheels in an environment of their own, without any framework: for any Python that is supported.
smoke: dist
	rm -rf build/smoke
	$(PYTHON) -m venv build/smoke
	build/smoke/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	build/smoke/bin/nnadapter doctor
	cd build/smoke && bin/python -X dev -W error -m nnadapter demo shown
	build/smoke/bin/nnadapter conform --frontend nnir --device builtin --jobs $(JOBS)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e ".[dev]"
	$(BIN)/python -m compileall -q nnir frontends hal conformance nnadapter
	$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true  # as pip does, but by all cores
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info distributions/*/*.egg-info distributions/*/build
