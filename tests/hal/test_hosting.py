"""Which nodes stay with ONNX Runtime's CPU provider beside that of a GPU, seen without one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest

import nnadapter as nna
from hal.drivers.onnxruntime.driver import emit
from hal.drivers.onnxruntime.hosting import ANNOTATION
from hal.drivers.onnxruntime.providers import Providers
from hal.positions import bounds_of
from nnir.dim import symbol
from nnir.errors import DeviceError
from nnir.model import Model, Value
from nnir.ops import activation, index, linear, norm, pool, reduce, shape, unary
from nnir.types import Precision, TensorType

F32, F64, I64, U64 = Precision.FLOAT32, Precision.FLOAT64, Precision.INT64, Precision.UINT64
Make = Callable[[Model], Value | tuple[Value, ...]]


def given(model: Model, *shape: int, kind: Precision = F32) -> Value:
    return model.input(f"x{len(model.inputs)}", TensorType(kind, shape))


def known(model: Model, *numbers: int, shape: tuple[int, ...]) -> Value:
    return model.constant(np.array(numbers, np.int64).reshape(shape))


def hosted(make: Make) -> dict[str, bool]:
    """The nodes of a model that a GPU shares, by operator, and whether they are the CPU's."""
    model = Model()
    made = make(model)
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    emitter, graph = emit(model, shares=True)
    whole = onnx.load_from_string(emitter.head(len(graph)) + graph)
    found = {}
    for node in whole.graph.node:
        found[node.op_type] = any(p.value == ANNOTATION for p in node.metadata_props)
    return found


def scatter(model: Model, at: Value, count: int) -> Value:
    return index.scatter_elements(given(model, 5), at, given(model, count), axis=0)


def scatter_rows(model: Model, at: Value, count: int, **more: str) -> Value:
    return index.scatter_nd(given(model, 5, 2), at, given(model, count, 2), **more)


ROWS: list[tuple[str, bool, Make]] = [
    ("Sign", True, lambda m: unary.sign(given(m, 3))),
    ("ArgMax", True, lambda m: reduce.arg_max(given(m, 3), axis=0, keepdim=False, dtype=I64)),
    (
        "ArgMax",
        False,
        lambda m: reduce.arg_max(
            given(m, 3, kind=Precision.INT32), axis=0, keepdim=False, dtype=I64
        ),
    ),
    (
        "MaxPool",
        False,
        lambda m: pool.max_pool_2d(given(m, 1, 1, 4, 4), kernel_shape=(2, 2), strides=(1, 1)),
    ),
    ("LayerNormalization", False, lambda m: layer_norm(m, F32)),
    ("Cast", True, lambda m: unary.cast(given(m, 3), dtype=Precision.FLOAT8E4M3FN)),
    ("Cast", False, lambda m: unary.cast(given(m, 3), dtype=Precision.FLOAT16)),
    ("ScatterElements", True, lambda m: scatter(m, given(m, 2, kind=I64), 2)),
    ("ScatterElements", False, lambda m: scatter(m, given(m, 1, kind=I64), 1)),
    ("ScatterND", True, lambda m: scatter_rows(m, given(m, 2, 1, kind=I64), 2)),
    ("ScatterND", True, lambda m: scatter_rows(m, known(m, 3, 3, shape=(2, 1)), 2)),
    ("ScatterND", True, lambda m: scatter_rows(m, known(m, 3, -2, shape=(2, 1)), 2)),
    ("ScatterND", False, lambda m: scatter_rows(m, known(m, 3, 2, shape=(2, 1)), 2)),
    ("ScatterND", False, lambda m: scatter_rows(m, given(m, 1, 1, kind=I64), 1)),
    ("ScatterND", False, lambda m: scatter_rows(m, given(m, 2, 1, kind=I64), 2, reduction="add")),
    ("MatMul", True, lambda m: linear.mat_mul(given(m, 2, 1, 3, 4), given(m, 1, 2, 4, 3))),
    ("MatMul", False, lambda m: linear.mat_mul(given(m, 2, 2, 3, 4), given(m, 1, 2, 4, 3))),
    ("MatMul", False, lambda m: linear.mat_mul(given(m, 2, 3, 3, 4), given(m, 2, 3, 4, 3))),
    ("MatMul", False, lambda m: linear.mat_mul(given(m, 2, 2, 3, 4), given(m, 4, 3))),
]


def layer_norm(model: Model, kind: Precision) -> Value:
    x = given(model, 2, 3, kind=kind)
    scale, bias = (model.constant(np.full(3, k, x.dtype)) for k in (1, 0))
    return norm.layer_normalization(x, scale, bias, begin_norm_axis=1)


@pytest.mark.parametrize(
    ("op", "is_hosted", "make"), ROWS, ids=[f"{row[0]}{k}" for k, row in enumerate(ROWS)]
)
def test_what_a_gpu_does_otherwise_stays_on_the_host(op: str, is_hosted: bool, make: Make) -> None:
    assert hosted(make)[op] is is_hosted


def test_stacks_of_open_sizes_may_be_mixed() -> None:
    for other, is_mixed in (("cd", True), ("ab", False), ("ad", False), ("", False)):
        model = Model()
        x = model.input("x", TensorType(F32, (symbol("a"), symbol("b"), 3, 4)))
        y = model.input("y", TensorType(F32, (*map(symbol, other), 4, 3)))
        model.outputs = [linear.mat_mul(x, y)]
        emitter, graph = emit(model, shares=True)
        (node,) = onnx.load_from_string(emitter.head(len(graph)) + graph).graph.node
        assert [p.value for p in node.metadata_props] == [ANNOTATION] * is_mixed
    emitter, graph = emit(model)
    (node,) = onnx.load_from_string(emitter.head(len(graph)) + graph).graph.node
    assert not node.metadata_props


def test_what_reads_sizes_alone_is_not_marked() -> None:
    """Such sessions crash: the CPU computes with sizes anyway."""
    model = Model()
    x = model.input("x", TensorType(F32, (symbol("a"), symbol("b"))))
    sizes = unary.cast(shape.shape(x, dtype=I64), dtype=F32)
    table = linear.mat_mul(shape.reshape(sizes, known(model, 1, 2, shape=(2,))), x)
    model.outputs = [unary.sign(sizes + 1), unary.sign(table)]
    emitter, graph = emit(model, shares=True)
    nodes = onnx.load_from_string(emitter.head(len(graph)) + graph).graph.node
    marked = [bool(node.metadata_props) for node in nodes if node.op_type == "Sign"]
    assert marked == [False, True]


def test_positions_of_callers_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA gives zeros for rows that are not there."""
    monkeypatch.setattr(Providers, "is_host", property(lambda self: False))
    model = Model()
    at, far = given(model, 2, kind=I64), given(model, 2, kind=I64)
    table = model.constant(np.arange(8, dtype=np.float32).reshape(4, 2))
    model.outputs = [index.gather(table, at, axis=0), index.gather(table, far, axis=1)]
    assert [*bounds_of(model)] == [(0, 4), (1, 2)]
    program = nna.compile(model, "onnxruntime")
    program(np.array([0, -4]), np.array([1, -2]))
    with pytest.raises(DeviceError, match="position 4 is outside of an axis of 4 elements"):
        program(np.array([0, 4]), np.array([1, 1]))
    with pytest.raises(DeviceError, match="position -3 is outside of an axis of 2 elements"):
        program(np.array([0, 3]), np.array([-3, 1]))


def test_a_logarithm_of_softmax_far_from_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Providers, "is_host", property(lambda self: False))
    model = Model()
    model.outputs = [activation.log_softmax(given(model, 2, 3), axis=-1)]
    x = np.array([[1, 2, 3], [1000, 1001, 1003]], np.float32)
    (found,), (wanted,) = (nna.compile(model, d)(x) for d in ("onnxruntime", "builtin"))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
