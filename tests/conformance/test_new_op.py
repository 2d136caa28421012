"""A new operator from nothing: `nnadapter new-op`, then what has to be written by hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from conformance.judging.result import ERROR, PASS, REFUSED
from conformance.reports import against
from nnadapter.scaffold.house import free_codes
from nnadapter.scaffold.package import free_code
from nnadapter.scaffold.signature import parse, signature_of, write
from nnir.errors import BadInput
from nnir.ops import NAMES, OPERATORS
from nnir.plugins import FIRST_CODE

from .installing import ROOT, command, install

SIGNATURE = "rotary(input, cos, sin, *, scale: float = 1.0)"
SOURCES = ("--onnx", "com.acme::Rotary", "--torch", "acme.rotary.default")
DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")

STUB = '    raise NotImplementedError("ROTARY: {} (acme/{}.py)")\n'

WRITTEN: dict[str, dict[str, str]] = {
    "operator.py": {
        STUB.format("what it computes, in NumPy", "operator"): (
            "    first, second = np.split(input, 2, axis=-1)\n"
            "    turned = first * cos - second * sin, second * cos + first * sin\n"
            "    return (np.concatenate(turned, axis=-1) * scale).astype(input.dtype)\n"
        ),
        STUB.format("the type of its result", "operator"): (
            "    return input.type\n\n\n"
            "@rotary.decomposes()\n"
            "def _taken_apart(input: Value, cos: Value, sin: Value, *, scale: float) -> Value:\n"
            "    first, second = shape.split(input, [cos.shape[-1]] * 2, axis=-1)\n"
            "    parts = first * cos - second * sin, second * cos + first * sin\n"
            "    return shape.concat(*parts, axis=-1) * scale\n"
        ),
        "from nnir.types": "from nnir.ops import shape\nfrom nnir.types",
        "Say in one line what it computes.": "Turn pairs of features by the angle of a position.",
    },
    "plugin.py": {
        STUB.format("how openvino computes it", "plugin"): (
            "    axis = g.constant(np.int64(-1))\n"
            '    a, b = g.node("Split", input, axis, outputs=2, num_splits=2)\n'
            '    parts = [g.pair("Multiply", x, y) for x in (a, b) for y in (cos, sin)]\n'
            '    made = g.pair("Subtract", parts[0], parts[3]), g.pair("Add", parts[2], parts[1])\n'
            '    whole = g.node("Concat", *made, axis=-1)\n'
            '    return g.pair("Multiply", whole, g.number(scale, whole))\n'
        ),
    },
    "cases.py": {
        STUB.format("another computation of it", "cases"): (
            "    pairs = input[..., :2] + 1j * input[..., 2:]\n"
            "    turned = pairs * (cos + 1j * sin) * scale\n"
            "    return np.concatenate([turned.real, turned.imag], -1).astype(np.float32)\n"
        ),
        "(rand(2, 3), rand(2, 3), rand(2, 3),), {}": (
            "(rand(3, 4), rand(3, 2), rand(3, 2)), {'scale': 0.5}"
        ),
    },
}
"""By file, what stands there and what a person writes in its place."""


def nnadapter(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return command(words, home / "site", home / "acme", home=home)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a new package, installed as it was written."""
    words = ("new-op", SIGNATURE, "acme", *SOURCES, "--device", "openvino")
    (tmp_path / "site").mkdir()
    done = command(words, tmp_path / "site", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "next: pip install -e acme" in done.stdout
    install(tmp_path / "site", "[nnadapter.plugins]\nacme = acme.plugin:PLUGIN\n")
    return tmp_path


@pytest.mark.long
def test_what_is_not_written_yet_says_so(home: Path) -> None:
    shown = nnadapter(home, "ops", "rotary")
    assert shown.returncode == 0, shown.stderr
    assert "scale: float = 1.0" in shown.stdout
    done = nnadapter(home, "conform", "--op", "rotary", "--json", "run.json")
    assert done.returncode == 1
    found = against.load(home / "run.json").results
    assert {r.verdict for r in found} == {ERROR}
    assert "NotImplementedError: ROTARY: another computation of it (acme/cases.py)" in done.stdout


def lacks(home: Path) -> set[str]:
    """The parts that `nnadapter ops rotary --todo` says are missing."""
    done = nnadapter(home, "ops", "rotary", "--todo", "--json")
    assert done.returncode == 0, done.stderr
    return {part["part"] for part in json.loads(done.stdout) if part["state"] == "no"}


@pytest.mark.long
def test_an_operator_is_brought_up(home: Path) -> None:
    unwritten = {"type rule", "reference", "documentation", "decomposition"}
    unwritten |= {"on builtin", "on openvino"}
    others = {f"on {d}" for d in DEVICES if d not in ("builtin", "openvino")}
    begun = lacks(home)
    assert unwritten | others <= begun
    lines = 0
    for name, changes in WRITTEN.items():
        path = home / "acme" / "acme" / name
        text = path.read_text()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
            lines += new.count("\n")
        path.write_text(text)
    assert len(WRITTEN) <= 4
    assert lines <= 50
    words = ("conform", "--op", "rotary", "--json", "run.json")
    done = nnadapter(home, *words, *(w for d in DEVICES for w in ("--device", d)))
    assert done.returncode == 0, done.stdout + done.stderr
    found = against.load(home / "run.json").results
    assert {(r.device, r.verdict) for r in found} == {(d, PASS) for d in DEVICES}
    decomposed = {"on nnapi", "on nnrt"}
    assert begun - lacks(home) == unwritten | others | decomposed


# In a checkout of the project

PACKAGES = ("nnir", "frontends", "hal", "conformance", "nnadapter")
OPERATOR = "nnir/ops/attention.py"
CASES = "conformance/cases/nnir/attention.py"
LOWERING = "hal/drivers/openvino/attention.py"
IN_HOUSE: dict[str, dict[str, str]] = {
    OPERATOR: {
        old.replace("acme/operator.py", OPERATOR): new
        for old, new in WRITTEN["operator.py"].items()
        if not old.startswith("from")
    }
    | {"from .rules": "from . import shape\nfrom .rules"},
    "nnir/ops/meanings.py": {
        "say what it means, its unit and what is accepted": "a factor of the result",
    },
    LOWERING: {
        old.replace("acme/plugin.py", LOWERING): new for old, new in WRITTEN["plugin.py"].items()
    }
    | {"from nnir.model": "import numpy as np\n\nfrom nnir.model"},
    CASES: {old.replace("acme/cases.py", CASES): new for old, new in WRITTEN["cases.py"].items()},
}
"""As in `WRITTEN`, by the files of the house."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    return tmp_path


def in_checkout(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(checkout),
        "NNADAPTER_CACHE": str(checkout / "cache"),
    }
    given = [sys.executable, "-m", "nnadapter", *words]
    return subprocess.run(given, cwd=checkout, env=environment, capture_output=True, text=True)


def missing_parts(checkout: Path) -> set[str]:
    done = in_checkout(checkout, "ops", "rotary", "--todo", "--json")
    assert done.returncode == 0, done.stderr
    return {part["part"] for part in json.loads(done.stdout) if part["state"] == "no"}


@pytest.mark.long
def test_an_operator_is_brought_up_in_the_house(checkout: Path) -> None:
    words = ("new-op", SIGNATURE, ".", "--family", "attention", *SOURCES, "--device", "openvino")
    done = in_checkout(checkout, *words)
    assert done.returncode == 0, done.stderr
    begun = missing_parts(checkout)
    unwritten = {"type rule", "reference", "documentation", "meaning of attributes"}
    unwritten |= {"decomposition", "on openvino"}
    assert unwritten <= begun
    assert not begun & {"converters of onnx", "converters of torch", "cases of nnir"}
    done = in_checkout(checkout, "conform", "--op", "rotary")
    assert done.returncode == 1
    assert f"NotImplementedError: ROTARY: another computation of it ({CASES})" in done.stdout
    lines = 0
    for name, changes in IN_HOUSE.items():
        text = (checkout / name).read_text()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
            lines += max(new.count("\n"), 1)
        (checkout / name).write_text(text)
    assert len(IN_HOUSE) <= 4
    assert lines <= 50
    words = ("conform", "--op", "rotary", "--json", "run.json")
    done = in_checkout(checkout, *words, *(w for d in DEVICES for w in ("--device", d)))
    assert done.returncode == 0, done.stdout + done.stderr
    found = against.load(checkout / "run.json").results
    assert {r.device for r in found if r.verdict == PASS} == set(DEVICES)
    refused = {(r.device, r.case) for r in found if r.verdict != PASS}
    assert all("open sizes" in case for _, case in refused), refused
    assert missing_parts(checkout) <= begun - unwritten
    assert in_checkout(checkout, "ops", "rotary").returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("relu(x)", ".", "--family", "activation"), "there is an operator RELU already"),
        (("fresh(x)", ".", "--family", "nothing"), "no family 'nothing': there are activation,"),
        (("fresh(x)", "..", "--family", "unary"), "is no checkout of nnadapter"),
        (("fresh(x)", ".", "--family", "unary", "--device", "builtin"), "no device 'builtin' with"),
    ],
)
def test_the_house_is_left_as_it_is(checkout: Path, words: tuple[str, ...], said: str) -> None:
    before = {p: p.read_bytes() for p in checkout.glob("nnir/ops/*.py")}
    done = in_checkout(checkout, "new-op", *words)
    assert done.returncode == 1
    assert said in done.stderr
    assert {p: p.read_bytes() for p in checkout.glob("nnir/ops/*.py")} == before


def test_codes_of_families() -> None:
    rows = free_codes()
    assert {family for family, *_ in rows} == {*NAMES, "plug-ins"}
    taken = {o.code for o in OPERATORS.values()}
    assert taken.isdisjoint(free for *_, free in rows)


# Devices and frontends


def run_with(home: Path, package: str, *words: str) -> subprocess.CompletedProcess[str]:
    return command(words, home / "site", home / package, home=home)


def install_package(home: Path, package: str) -> None:
    (home / "site").mkdir()
    install(home / "site", f"[nnadapter.plugins]\n{package} = {package}.plugin:PLUGIN\n")


@pytest.mark.long
def test_a_device_is_brought_up(tmp_path: Path) -> None:
    words = ("new-device", "mychip", "mychip", "--op", "ADD", "--op", "transpose", "--op", "CONCAT")
    done = command(words, tmp_path, home=tmp_path)
    assert done.returncode == 0, done.stderr
    install_package(tmp_path, "mychip")
    shown = run_with(tmp_path, "mychip", "devices")
    assert "mychip" in shown.stdout, shown.stderr
    tested = ("conform", "--frontend", "nnir", "--device", "mychip", "--op", "ADD")
    done = run_with(tmp_path, "mychip", *tested)
    assert done.returncode == 1
    assert "NotImplementedError: ADD: how mychip computes it (mychip/device.py)" in done.stdout
    path = tmp_path / "mychip" / "mychip" / "device.py"
    text = path.read_text()
    for op, kernel in (
        ("ADD", "g.step(np.add, input0, input1)"),
        ("TRANSPOSE", "g.step(lambda a: a.transpose(perm), input)"),
        ("CONCAT", "g.step(lambda *a: np.concatenate(a, axis), *input)"),
    ):
        stub = f'raise NotImplementedError("{op}: how mychip computes it (mychip/device.py)")'
        assert stub in text
        text = text.replace(stub, f"return {kernel}")
    path.write_text(text)
    words = ("conform", "--frontend", "onnx", "--device", "mychip", "--json", "run.json")
    done = run_with(tmp_path, "mychip", *words, "--op", "Add,Transpose,Concat,Relu")
    assert done.returncode == 0, done.stdout
    found = against.load(tmp_path / "run.json").results
    assert {r.verdict for r in found} == {PASS, REFUSED}
    assert {r.op for r in found if r.verdict == PASS} >= {"Add", "Transpose", "Concat"}


READER = """
import json

import numpy as np

from frontends.source import SourceGraph, SourceNode, SourceValue
from nnir.types import Precision, TensorType


def read(path):
    found = json.loads(path.read_text())
    nodes = [SourceNode(*node, {}) for node in found["nodes"]]
    kind = TensorType(Precision.FLOAT32, tuple(found["shape"]))
    ends = [SourceValue("x", kind)], [SourceValue(found["output"])]
    return SourceModel("acme", SourceGraph("net", nodes, *ends), {"": 1})
"""


def test_a_frontend_is_brought_up(tmp_path: Path) -> None:
    words = ("new-frontend", "acme", "acme", "--suffix", ".acme", "--op", "Twice", "--op", "acme.x")
    done = command(words, tmp_path, home=tmp_path)
    assert done.returncode == 0, done.stderr
    install_package(tmp_path, "acme")
    node = ["Twice", ["x"], ["y"]]
    (tmp_path / "m.acme").write_text(json.dumps({"nodes": [node], "shape": [2, 3], "output": "y"}))
    done = run_with(tmp_path, "acme", "inspect", "m.acme")
    assert "NotImplementedError: how a .acme file is read (acme/reading.py)" in done.stderr
    reading = tmp_path / "acme" / "acme" / "reading.py"
    text = reading.read_text()
    reading.write_text(text[: text.index("def read")] + READER)
    done = run_with(tmp_path, "acme", "inspect", "m.acme")
    assert "NotImplementedError: Twice: what it is in the standard" in done.stderr
    converters = tmp_path / "acme" / "acme" / "converters.py"
    stub = 'raise NotImplementedError("Twice: what it is in the standard (acme/converters.py)")'
    text = converters.read_text()
    assert stub in text
    converters.write_text(text.replace(stub, "return inputs[0] + inputs[0]"))
    done = run_with(tmp_path, "acme", "convert", "m.acme", "m.onnx")
    assert done.returncode == 0, done.stderr
    assert onnx.load(tmp_path / "m.onnx").graph.node[0].op_type == "Add"
    shown = run_with(tmp_path, "acme", "ops", "--frontend", "acme")
    assert "acme.x" in shown.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("new-device", "builtin", "b"), "there is a device 'builtin' already"),
        (("new-device", "My-Chip", "b"), "is no name of a device"),
        (("new-device", "mychip", "b", "--op", "NOPE"), "no operator 'NOPE'"),
        (("new-frontend", "acme", "b", "--suffix", "acme"), "is no suffix of a file"),
        (("new-frontend", "Acme", "b", "--suffix", ".a"), "is no name of a frontend"),
    ],
)
def test_newcomers_are_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = command(words, tmp_path, home=tmp_path)
    assert done.returncode == 1
    assert said in done.stderr
    assert not (tmp_path / "b").exists()


def test_a_signature_is_read() -> None:
    name, parameters = parse("Scaled(x, bias=None, *, by: float, axes: tuple[int, ...] = (1,))")
    assert name == "scaled"
    text = "x: Value, bias: Value | None = None, *, by: float, axes: tuple[int, ...] = (1,)"
    assert write(parameters) == text


@pytest.mark.parametrize(
    ("frontend", "op", "text"),
    [
        ("torch", "aten.leaky_relu.default", "self: Value, negative_slope: float = 0.01"),
        ("onnx", "LeakyRelu", "input: Value, *, alpha: float = 0.01"),
        ("tensorflow", "LeakyRelu", "features: Value, *, alpha: float = 0.20000000298023224"),
        ("paddle", "leaky_relu", "x: Value, *, negative_slope: float = 0.02"),
    ],
)
def test_the_signature_of_a_source(frontend: str, op: str, text: str) -> None:
    found = signature_of(frontend, op)
    assert found is not None
    assert write(found) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rotary", "is no signature such as"),
        ("rotary(x, *, scale)", "the constant scale needs a type"),
        ("rotary(x=1)", "the tensor x can have no default but None"),
        ("rotary(*x)", r"tensors, then `\*`, then constants"),
        ("rotary(x", "is no signature such as"),
        ("rotary(x,, y)", "invalid syntax"),
        ("__import__('os').system('x')", "invalid syntax"),
    ],
)
def test_what_is_no_signature(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse(text)


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    for words, said in (
        (("new-op", "relu(x)", "acme"), "there is an operator RELU already"),
        (("new-op", "fresh(x)", "."), "is there already; a new package needs a new folder"),
        (("new-op", "fresh(x)", "no-name"), "is no name of a Python package"),
        (("new-op", "fresh", "acme"), "the signature of no source is not known"),
        (("new-op", "fresh(*, a: int)", "acme"), "fresh takes no tensor"),
    ):
        (tmp_path / "mine.txt").touch()
        done = command(words, tmp_path, home=tmp_path)
        assert done.returncode == 1, words
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir() if p.name != "cache"] == ["mine.txt"]


def test_codes_are_free() -> None:
    assert free_code("rotary") == free_code("rotary") >= FIRST_CODE
    assert sys.maxsize > free_code("other") != free_code("rotary")
