"""The rules of the house that a machine can hold: imports, sizes, docstrings, parity."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from benchmarks.house import circles, hollow, imports, modules, nodes_of
from conformance.tables import device_tables
from hal.lowering import Bound
from nnir.ops import OPERATORS

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "nnir": set(),
    "frontends": {"nnir"},
    "hal": {"nnir"},
    "conformance": {"nnir", "frontends", "hal"},
    "nnadapter": {"nnir", "frontends", "hal", "conformance"},
}
FRAMEWORKS = {"onnx", "onnxruntime", "torch", "tensorflow", "paddle", "openvino", "keras"} | {
    "ai_edge_litert"
}
MAY_IMPORT_FRAMEWORKS = {
    "conformance/engines/forms.py",
    "conformance/engines/wires.py",
    "conformance/engines/written.py",
    "hal/drivers/litert/probe.py",
    "hal/drivers/litert/runner.py",
    "hal/drivers/onnxruntime/driver.py",
    "hal/drivers/onnxruntime/make_types.py",
    "hal/drivers/onnxruntime/probe.py",
    "hal/drivers/openvino/driver.py",
    "conformance/oracles/device.py",
    "conformance/oracles/litert.py",
    "conformance/oracles/litert_files.py",
    "conformance/oracles/litert_graphs.py",
    "conformance/oracles/nnapi.py",
    "conformance/oracles/nnrt.py",
    "conformance/oracles/nnrt_tensorflow.py",
    "conformance/oracles/nnrt_torch.py",
    "conformance/oracles/onnx.py",
    "conformance/oracles/opinfo.py",
    "conformance/oracles/paddle.py",
    "conformance/oracles/paddle_formulas.py",
    "conformance/oracles/paddle_legacy.py",
    "conformance/oracles/paddle_products.py",
    "conformance/oracles/tensorflow.py",
    "conformance/oracles/torch.py",
    "conformance/oracles/torchvision.py",
    "conformance/oracles/transformers.py",
    "frontends/paddle/reading/legacy/make_defs.py",
    "frontends/paddle/reading/objects.py",
    "frontends/tensorflow/reading/keras_archive.py",
    "frontends/tensorflow/reading/make_opdefs.py",
    "frontends/tensorflow/reading/objects.py",
    "nnir/formats/tflite/make_schema.py",
    "frontends/torch/reading/make_schemas.py",
    "frontends/torch/reading/naming.py",
    "frontends/torch/reading/objects.py",
    "conformance/fuzzing/schema.py",
    "conformance/suites/onnx_backend.py",
}
FILES = sorted(
    p
    for package in (*PACKAGES, "tests", "benchmarks", "examples")
    for p in (ROOT / package).rglob("*.py")
)
OURS = [p for p in FILES if p.relative_to(ROOT).parts[0] in PACKAGES]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imported(path: Path) -> set[str]:
    found = set()
    for node in nodes_of(path.read_text()):
        if isinstance(node, ast.Import):
            found |= {a.name.split(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_point_down(package: str) -> None:
    above = set(PACKAGES) - PACKAGES[package] - {package}
    files = [p for p in OURS if p.relative_to(ROOT).parts[0] == package]
    assert files
    assert {name_of(p): found for p in files if (found := imported(p) & above)} == {}


def modules_imported(path: Path) -> set[str]:
    """What a file imports by absolute names: anywhere in it, also for types and by `import_module`.

    `from ..tflite import reader` in `frontends/torch/x.py` is `frontends.tflite.reader`.
    """
    package = path.relative_to(ROOT).parent.parts
    modules = set()
    for node in nodes_of(path.read_text()):
        if isinstance(node, ast.Import):
            modules |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            whole = ".".join([*base, *([node.module] if node.module else [])])
            modules |= {f"{whole}.{a.name}" for a in node.names}
        elif isinstance(node, ast.Call) and called(node) == "import_module":
            modules |= {a.value for a in node.args if isinstance(a, ast.Constant)}
    return modules


def called(node: ast.Call) -> str:
    """The last word of what is called."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


FRONTENDS = {p.parent.name for p in (ROOT / "frontends").glob("*/__init__.py")}


def siblings_of(path: Path) -> set[str]:
    """The frontends that a file imports beside its own; the files of all may import none."""
    inside = path.relative_to(ROOT / "frontends").parts[:-1]
    own = inside[0] if inside else ""
    names = [m.split(".") for m in modules_imported(path)]
    return {n[1] for n in names if n[0] == "frontends" and len(n) > 1} & FRONTENDS - {own}


def test_no_circle_of_files() -> None:
    assert circles(imports(modules())) == []


def test_frontends_import_no_sibling() -> None:
    files = [p for p in OURS if p.is_relative_to(ROOT / "frontends")]
    assert len(files) > 50
    assert {name_of(p): found for p in files if (found := siblings_of(p))} == {}


@pytest.mark.parametrize(
    ("line", "modules"),
    [
        ("from ..tensorflow.sizes import counted", {"frontends.tensorflow.sizes.counted"}),
        ("from .. import tensorflow", {"frontends.tensorflow"}),
        ("from . import shape", {"frontends.tflite.shape"}),
        ("def f():\n    import frontends.tensorflow.pool", {"frontends.tensorflow.pool"}),
        ("if TYPE_CHECKING:\n    from frontends import torch", {"frontends.torch"}),
        ("import_module('frontends.torch.pool')", {"frontends.torch.pool"}),
    ],
)
def test_imports_are_seen(line: str, modules: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "frontends" / "tflite" / "example.py"
    monkeypatch.setattr(Path, "read_text", lambda self: line)
    assert modules_imported(path) == modules


def frameworks_in(path: Path) -> set[str]:
    """The frameworks that a file imports and may not."""
    if name_of(path) in MAY_IMPORT_FRAMEWORKS:
        return set()
    own = path.parent.name if path.parent.parent == ROOT / "hal" / "drivers" else ""
    return imported(path) & FRAMEWORKS - {own}


def test_frameworks_stay_in_their_place() -> None:
    assert {name_of(p): found for p in OURS if (found := frameworks_in(p))} == {}


def test_files_are_small() -> None:
    sizes = {p: len(p.read_text().splitlines()) for p in FILES}
    assert len(sizes) > 500
    limits = {p: 800 if "cases" in p.parts else 600 for p in FILES}
    assert {name_of(p): size for p, size in sizes.items() if size > limits[p]} == {}


def test_functions_are_small() -> None:
    long = [
        f"{name_of(path)}: {node.name}"
        for path in FILES
        for node in nodes_of(path.read_text())
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno > 60
    ]
    assert not long


@pytest.mark.parametrize("code", ["import nnadapter", "import nnir", "import nnadapter.cli"])
def test_import_brings_no_framework(code: str) -> None:
    probe = f"{code}\nimport sys\nprint(sorted(set(sys.modules) & {FRAMEWORKS!r}))"
    assert run_python(probe) == "[]"


def test_reading_a_file_brings_no_framework(tmp_path: Path) -> None:
    light = "backend/test/data/light/light_squeezenet.onnx"
    probe = (
        "import importlib.util, pathlib, sys, nnadapter\n"
        f"place = pathlib.Path(importlib.util.find_spec('onnx').origin).parent / {light!r}\n"
        f"nnadapter.save(nnadapter.load(place), {str(tmp_path / 'x.nnir')!r})\n"
        f"nnadapter.load({str(tmp_path / 'x.nnir')!r})\n"
        f"print(sorted(set(sys.modules) & {FRAMEWORKS!r}))"
    )
    assert run_python(probe) == "[]"


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_operators_are_documented() -> None:
    docs = {name: inspect.cleandoc(o.__doc__ or "") for name, o in OPERATORS.items()}
    firsts = {name: doc.partition("\n")[0] for name, doc in docs.items()}
    assert [name for name, first in firsts.items() if not 0 < len(first) < 90] == []
    assert [name for name, doc in docs.items() if "Types:" not in doc] == []


@pytest.mark.parametrize("device", device_tables())
def test_lowerings_are_bound_to_their_operators(device: str) -> None:
    for operator, lowering in device_tables()[device].entries.items():
        assert isinstance(lowering, Bound)
        assert lowering.operator is operator
        for name in dict(lowering.plain):
            assert operator.attributes[name] is not inspect.Parameter.empty, operator


def test_decompositions_have_the_operators_parameters() -> None:
    for name, operator in OPERATORS.items():
        for decomposition in operator.decompositions:
            mine = inspect.signature(decomposition.function).parameters.values()
            theirs = operator.signature.parameters.values()
            assert [(p.name, p.kind) for p in mine] == [(p.name, p.kind) for p in theirs], name


UNTYPED = {
    ("hal/emission.py", "mark"): "each emitter has marks of its own",
    ("hal/emission.py", "undo"): "each emitter has marks of its own",
    ("hal/standard/binding.py", "bind"): "the values of attributes",
    ("hal/drivers/native/view.py", "read"): "memory of C, which has no type in Python",
    ("hal/drivers/openvino/fusing.py", "fuses"): "OpenVINO's objects",
    ("hal/drivers/openvino/strides.py", "convolve"): "OpenVINO's fields",
    ("hal/drivers/openvino/fusing.py", "is_far"): "OpenVINO's objects",
    ("hal/drivers/openvino/fusing.py", "is_near"): "OpenVINO's objects",
    ("hal/drivers/openvino/nodes.py", "create"): "OpenVINO's objects",
}
"""Public functions of hal whose signature says Any, and why."""


def test_functions_of_hal_say_what_they_take_and_give() -> None:
    found = set()
    for path in OURS:
        if path.is_relative_to(ROOT / "hal"):
            found |= {(name_of(path), name) for name in hollow(path.read_text())}
    assert found == set(UNTYPED)


def test_import_is_fast() -> None:
    """At most 0.15 s over Python and NumPy, the best of five runs of each."""

    def best(code: str) -> float:
        times = []
        for _ in range(5):
            started = time.perf_counter()
            run_python(code)
            times.append(time.perf_counter() - started)
        return min(times)

    assert best("import nnadapter") - best("import numpy") <= 0.15
