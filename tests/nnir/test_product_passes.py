"""Passes on what products read, as exporters write attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

import nnadapter as nna
from nnir import passes
from nnir.build import reshape, size_of
from nnir.dim import Dim, symbol
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import linear, quant, shape, unary
from nnir.passes import FUSIONS, Pass, apply
from nnir.types import Precision, TensorType

Build = Callable[[Value, Value], Value]
HEADS, WIDTH = 3, 4


def pair(build: Build, queries: Sequence[Dim], keys: Sequence[Dim], kind: str = "FLOAT32") -> Model:
    """A model of two inputs."""
    model = Model()
    ends = [
        model.input(name, TensorType(Precision[kind], tuple(sizes)))
        for name, sizes in (("q", queries), ("k", keys))
    ]
    model.outputs = [build(*ends)]
    return model


def arrays_of(*shapes: Sequence[int], kind: str = "float32") -> list[np.ndarray]:
    generator = np.random.default_rng(7)
    return [generator.standard_normal(shape).astype(kind) for shape in shapes]


def turned(k: Value) -> Value:
    """Keys with their last two axes swapped, with one axis for samples and heads meanwhile."""
    merged = reshape(k, [-1, size_of(k, 2), WIDTH])
    back = shape.transpose(merged, perm=(0, 2, 1))
    return reshape(back, [size_of(k, 0), HEADS, WIDTH, size_of(k, 2)])


def scores(q: Value, k: Value) -> Value:
    """As PyTorch's exporter to ONNX writes them."""
    return linear.mat_mul(q * 0.5, turned(k) * 0.5)


CASES: dict[str, tuple[Pass, Build, list[str]]] = {
    "transpose between reshapes": (
        passes.name_transposes,
        lambda q, k: shape.reshape(
            shape.transpose(shape.reshape(k, [6, 5, 4]), perm=(0, 2, 1)), [2, 3, 4, 5]
        ),
        ["TRANSPOSE"],
    ),
    "transpose between reshapes to other axes": (
        passes.name_transposes,
        lambda q, k: shape.reshape(
            shape.transpose(shape.reshape(k, [6, 5, 4]), perm=(0, 2, 1)), [1, 2, 3, 4, 5]
        ),
        ["RESHAPE", "TRANSPOSE"],
    ),
    "scales": (
        passes.join_scales,
        lambda q, k: linear.mat_mul(q * 0.3, 0.7 * k, transpose_y=True),
        ["MUL", "MAT_MUL"],
    ),
    "transposed operand": (
        passes.absorb_transposes,
        lambda q, k: linear.mat_mul(q, shape.transpose(k, perm=(0, 1, 3, 2))),
        ["MAT_MUL"],
    ),
    "operand transposed twice": (
        passes.absorb_transposes,
        lambda q, k: linear.mat_mul(
            *(shape.transpose(q, perm=(0, 1, 3, 2)), shape.transpose(k, perm=(0, 1, 3, 2))),
            transpose_x=True,
        ),
        ["TRANSPOSE", "MAT_MUL"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_pass(name: str) -> None:
    step, build, left = CASES[name]
    model = pair(build, (2, 3, 2, 4), (2, 3, 5, 4))
    arrays = arrays_of((2, 3, 2, 4), (2, 3, 5, 4))
    before = evaluate(model, arrays)[0]
    assert apply(model, [step], checked=True) == [step.name]
    assert [o.operator.name for o in model.sorted()] == left
    np.testing.assert_allclose(evaluate(model, arrays)[0], before, rtol=1e-5, atol=1e-6)
    assert apply(model, [step], checked=True) == [], "a second run finds nothing"


OTHERS: dict[str, tuple[Pass, Build]] = {
    "other axes": (
        passes.name_transposes,
        lambda q, k: shape.reshape(
            shape.transpose(shape.reshape(k, [6, 5, 4]), perm=(2, 1, 0)), [2, 2, 5, 6]
        ),
    ),
    "sizes that are mixed": (
        passes.name_transposes,
        lambda q, k: shape.reshape(
            shape.transpose(shape.reshape(k, [6, 4, 5]), perm=(0, 2, 1)), [2, 3, 4, 5]
        ),
    ),
    "one scale": (passes.join_scales, lambda q, k: linear.mat_mul(q, k * 0.5, transpose_y=True)),
    "scales of several": (
        passes.join_scales,
        lambda q, k: linear.mat_mul(q * np.ones(4, np.float32), k * 0.5, transpose_y=True),
    ),
    "scales that vanish": (
        passes.join_scales,
        lambda q, k: linear.mat_mul(q * 1e-30, k * 1e-30, transpose_y=True),
    ),
    "scales that add axes": (
        passes.join_scales,
        lambda q, k: linear.mat_mul(
            q * np.full((1, 1, 1, 1, 1), 0.5, np.float32), k * 0.5, transpose_y=True
        ),
    ),
    "leading axes transposed": (
        passes.absorb_transposes,
        lambda q, k: linear.mat_mul(
            q, shape.transpose(shape.transpose(k, perm=(1, 0, 2, 3)), perm=(1, 0, 3, 2))
        ),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_something_else_stays(name: str) -> None:
    step, build = OTHERS[name]
    assert apply(pair(build, (2, 3, 2, 4), (2, 3, 5, 4)), [step], checked=True) == []


@pytest.mark.parametrize("is_moved", [False, True])
def test_what_is_dequantised_is_left_to_engines(is_moved: bool) -> None:
    """They multiply integers where a transpose lies behind the dequantisation, as in files."""
    model = Model()
    q = model.input("q", TensorType(Precision.FLOAT32, (2, 4)))
    k = model.input("k", TensorType(Precision.INT8, (20,) if is_moved else (5, 4)))
    real = quant.dequantize_linear(k, model.constant(np.float32(0.1)))
    rows = shape.reshape(real, [5, 4]) if is_moved else real
    model.outputs = [linear.mat_mul(q, shape.transpose(rows, perm=(1, 0)))]
    assert apply(model, [passes.absorb_transposes], checked=True) == []


@pytest.mark.parametrize("place", [0, 1])
def test_a_scaled_operand_that_others_read_stays(place: int) -> None:
    model = pair(
        lambda q, k: linear.mat_mul(q * 0.5, k * 0.5, transpose_y=True), (2, 3, 2, 4), (2, 3, 5, 4)
    )
    (product,) = (o for o in model.operations if o.operator is linear.mat_mul)
    scaled = product.inputs[place]
    assert scaled is not None
    model.outputs.append(unary.exp(scaled))
    assert apply(model, [passes.join_scales], checked=True) == []


@pytest.mark.parametrize("kind", ["FLOAT16", "BFLOAT16"])
def test_narrow_numbers_are_scaled_as_they_are(kind: str) -> None:
    def build(q: Value, k: Value) -> Value:
        return linear.mat_mul(q * 0.5, k * 0.5, transpose_y=True)

    model = pair(build, (2, 3, 2, 4), (2, 3, 5, 4), kind)
    assert apply(model, [passes.join_scales], checked=True) == []


@pytest.mark.parametrize(("batch", "length"), [(1, 5), (2, 3), (2, 0), (0, 3)])
def test_attention_of_open_sizes_has_one_product(batch: int, length: int) -> None:
    """Nothing is transposed and copied before it, on devices that have a kernel for it."""
    samples, known = symbol("b"), symbol("n")
    sizes = (samples, HEADS, 2, WIDTH), (samples, HEADS, known, WIDTH)
    model = pair(scores, *sizes)
    model.symbols |= {"b": (0, None), "n": (0, None)}
    arrays = arrays_of((batch, HEADS, 2, WIDTH), (batch, HEADS, length, WIDTH))
    before = np.matmul(arrays[0] * 0.25, arrays[1].swapaxes(2, 3))
    apply(model, (*passes.CLEAN, *FUSIONS, *passes.CLEAN), checked=True)
    assert [o.operator.name for o in model.sorted()] == ["MUL", "MAT_MUL"]
    np.testing.assert_allclose(evaluate(model, arrays)[0], before, rtol=1e-5, atol=1e-6)
    for device in ("onnxruntime", "openvino", "litert", "torch"):
        found = nna.compile(model, device)(*arrays)[0]
        np.testing.assert_allclose(found, before, rtol=1e-5, atol=1e-6, err_msg=device)
