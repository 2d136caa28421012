"""Typos, planted one at a time: each comes out as what it is, and the ledger sees what is valid.

No typo may pass for a refusal, nor be hidden by the decomposition of the operator that it is in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

import nnadapter as nna
from conformance import ledger
from conformance.case import Case
from conformance.engines import onnx as onnx_engine
from conformance.engines import torch as torch_engine
from conformance.engines.engine import Answer
from conformance.judging.result import ERROR, PASS, REFUSED, Result
from conformance.processes.worker import GIGABYTE
from conformance.running.conform import conform
from conformance.running.suite import Crew, Options
from conformance.suites.operators import Operators
from nnir.model import Model
from nnir.ops import activation, attention, binary
from nnir.passes import CLEAN, apply
from nnir.types import Precision, TensorType

from . import typos

FLOATS = TensorType(Precision.FLOAT32, (3,))


@dataclass(frozen=True)
class Typo:
    """A typo: what it raises, where it says that it is, and the cases that meet it."""

    name: str
    raises: type[Exception]
    where: str
    frontend: str
    op: str
    device: str = "builtin"
    optimize: bool = False


TYPOS = (
    *(
        Typo(
            f"{device}_lowering",
            kind,
            f"in the lowering of LEAKY_RELU on device {device}",
            *("onnx", "LeakyRelu", device),
        )
        for device, kind in (
            ("onnxruntime", AttributeError),
            ("openvino", NameError),
            ("litert", KeyError),
            ("torch", TypeError),
        )
    ),
    Typo("onnx_converter", NameError, "in the converter of onnx node Selu", "onnx", "Selu"),
    Typo(
        "torch_converter",
        IndexError,
        "in the converter of torch node aten.elu.default",
        *("torch", "aten.elu.default"),
    ),
    Typo(
        "tensorflow_converter",
        KeyError,
        "in the converter of tensorflow node Elu",
        *("tensorflow", "Elu"),
    ),
    Typo("tflite_converter", TypeError, "in the converter of tflite node ELU", "tflite", "ELU"),
    Typo("paddle_converter", NameError, "in the converter of paddle node", "paddle", "celu"),
    Typo("paddle_legacy_rule", KeyError, "in the rule of Paddle's celu", "paddle-legacy", "celu"),
    Typo(
        "decomposition",
        IndexError,
        "in the decomposition of LINEAR_ATTENTION for device litert",
        *("onnx", "LinearAttention", "litert"),
    ),
    Typo("type_rule", TypeError, "in the type rule of LEAKY_RELU", "onnx", "LeakyRelu"),
    Typo("reference", KeyError, "in the reference of ADD", "onnx", "Add"),
    Typo("a_pass", TypeError, "in the pass fold_constants", "onnx", "Celu", optimize=True),
)


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    """The oracles of all typos: a framework is started once."""
    made = Crew(timeout=120, memory=8 * GIGABYTE)
    yield made
    made.close()


@pytest.mark.parametrize("typo", TYPOS, ids=lambda t: t.name)
def test_it_is_an_error(typo: Typo, crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    getattr(typos, typo.name)(monkeypatch.setattr)
    options = Options(op=typo.op, yardstick=False, optimize=typo.optimize)
    suite = Operators(options, crew)
    items = [i for i in suite.items(typo.frontend) if i.op == typo.op]
    require_errors(typo, [r for i in items for r in suite.run(i, typo.device)])


@pytest.mark.long
def test_conform_calls_it_an_error() -> None:
    """The same through the command's own processes."""
    typo = TYPOS[0]
    options = Options(
        frontends=(typo.frontend,),
        devices=(typo.device,),
        op=typo.op,
        yardstick=False,
        preload=(f"tests.conformance.typos:{typo.name}",),
    )
    require_errors(typo, conform(options, jobs=1).results)


def require_errors(typo: Typo, results: list[Result]) -> None:
    """Errors that say what and where, and nothing that was refused; the ledger sees them."""
    verdicts = Counter(r.verdict for r in results)
    assert verdicts[ERROR]
    assert not verdicts[REFUSED]
    for result in results:
        if result.verdict == ERROR:
            assert result.reason.startswith(f"{typo.raises.__name__}: ")
            assert typo.where in result.reason
    assert ledger.differences(ledger.read(typo.frontend), results, is_whole=False)


def leaky() -> Model:
    model = Model()
    x = model.input("x", FLOATS)
    model.outputs = [activation.leaky_relu(x, alpha=0.1)]
    return model


def compiled(device: str) -> Callable[[], object]:
    return lambda: nna.compile(leaky(), device)


def with_constants() -> Model:
    model = Model()
    x = model.input("x", FLOATS)
    two = model.constant(np.float32([1, 2, 3]))
    model.outputs = [binary.mul(x, binary.add(two, two))]
    return model


def attending() -> Model:
    model = Model()
    q, k, v = (model.input(n, TensorType(Precision.FLOAT32, (1, 2, 4))) for n in "qkv")
    model.outputs = list(attention.linear_attention(q, k, v))[:1]
    return model


def translated_onnx() -> Model:
    case = Case("Selu", (np.zeros(3, np.float32),))
    return onnx_engine.ENGINE.model(case, Answer([np.zeros(3, np.float32)]))


def translated_torch() -> Model:
    case = Case("aten.elu.default", (np.zeros(3, np.float32),))
    return torch_engine.ENGINE.model(case, Answer([np.zeros(3, np.float32)]))


def folded() -> object:
    return apply(with_constants(), CLEAN)


BY_CALLS: dict[str, Callable[[], object]] = {
    "onnxruntime_lowering": compiled("onnxruntime"),
    "openvino_lowering": compiled("openvino"),
    "litert_lowering": compiled("litert"),
    "torch_lowering": compiled("torch"),
    "onnx_converter": translated_onnx,
    "torch_converter": translated_torch,
    "type_rule": leaky,
    "reference": folded,
    "a_pass": folded,
}


@pytest.mark.parametrize("typo", [t for t in TYPOS if t.name in BY_CALLS], ids=lambda t: t.name)
def test_a_call_raises_it(typo: Typo, monkeypatch: pytest.MonkeyPatch) -> None:
    BY_CALLS[typo.name]()
    getattr(typos, typo.name)(monkeypatch.setattr)
    with pytest.raises(typo.raises) as caught:
        BY_CALLS[typo.name]()
    assert typo.where in " ".join(caught.value.__notes__)


@pytest.mark.long
def test_the_ledger_sees_what_only_refuses() -> None:
    options = Options(frontends=("onnx",), devices=("litert",), op="Relu", yardstick=False)
    kept = ledger.read("onnx")
    assert not ledger.differences(kept, conform(options, jobs=1).results, is_whole=False)
    wrong = Options(
        **{**options.as_dict(), "preload": ("tests.conformance.typos:refusing_lowering",)}
    )
    found = ledger.differences(kept, conform(wrong, jobs=1).results, is_whole=False)
    assert any(f"was {PASS}, is {REFUSED} NoLowering" in line or "-RELU" in line for line in found)
