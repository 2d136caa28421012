"""A new operator from nothing: `nnadapter new-op`, then what has to be written by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.judging.result import ERROR, PASS
from conformance.reports import against
from nnadapter.scaffold.package import free_code
from nnadapter.scaffold.signature import parse, signature_of, write
from nnir.errors import BadInput
from nnir.plugins import FIRST_CODE

from .installing import command, install

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
        STUB.format("another computation of it", "plugin"): (
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


def test_what_is_not_written_yet_says_so(home: Path) -> None:
    shown = nnadapter(home, "ops", "rotary")
    assert shown.returncode == 0, shown.stderr
    assert "scale: 'float' = 1.0" in shown.stdout
    done = nnadapter(home, "conform", "--op", "rotary", "--json", "run.json")
    assert done.returncode == 1
    found = against.load(home / "run.json").results
    assert {r.verdict for r in found} == {ERROR}
    assert "NotImplementedError: ROTARY: another computation of it (acme/plugin.py)" in done.stdout


def lacks(home: Path) -> set[str]:
    """The parts that `nnadapter ops rotary --todo` says are missing."""
    done = nnadapter(home, "ops", "rotary", "--todo", "--json")
    assert done.returncode == 0, done.stderr
    return {part["part"] for part in json.loads(done.stdout) if part["state"] == "no"}


def test_an_operator_is_brought_up(home: Path) -> None:
    unwritten = {"type rule", "reference", "documentation", "decomposition", "on openvino"}
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
    assert begun - lacks(home) == unwritten | others


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
