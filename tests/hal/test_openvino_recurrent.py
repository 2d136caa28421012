"""Recurrent layers on openvino beside others that read the same, compiled and as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from hal.drivers.openvino.quirks import TRANSPOSED_INPUT
from nnir.dim import symbol
from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.ops import activation, recurrent, shape, unary
from nnir.types import Precision, TensorType

from .stock_openvino import count_met, require_equal

pytest.importorskip("openvino")

LAYERS = {"rnn": (recurrent.rnn, 1), "gru": (recurrent.gru, 3), "lstm": (recurrent.lstm, 4)}
SIZES = (4, 3, 2)


def layer(x: Value, kind: str, direction: str = "forward", seed: int = 0) -> list[Value]:
    """The results of a layer of two cells with weights of its own."""
    make, gates = LAYERS[kind]
    rng, count = np.random.default_rng(seed), 1 + (direction == "bidirectional")
    shapes = [(count, 2 * gates, int(x.shape[2])), (count, 2 * gates, 2), (count, 4 * gates)]  # type: ignore[arg-type]
    weights = [x.model.constant(rng.standard_normal(s, np.float32)) for s in shapes]
    return list(make(x, *weights, direction=direction))


def exchanged(x: Value) -> Value:
    return shape.transpose(x, perm=(1, 0, 2))


def two_layers(x: Value, kind: str, direction: str) -> list[Value]:
    return [*layer(x, kind, direction), *layer(x, kind, direction, seed=1)]


def both_ways(x: Value, kind: str, direction: str) -> list[Value]:
    other = "forward" if direction == "reverse" else "reverse"
    return [*layer(x, kind, direction), *layer(x, kind, other, seed=1)]


def layer_and_transpose(x: Value, kind: str, direction: str) -> list[Value]:
    return [*layer(x, kind, direction), exchanged(x), unary.abs_(exchanged(x))]


def layer_and_reader(x: Value, kind: str, direction: str) -> list[Value]:
    return [*layer(x, kind, direction), unary.abs_(x)]


def layers_of_equals(x: Value, kind: str, direction: str) -> list[Value]:
    """Their inputs are one only after what is computed twice is computed once."""
    made = [layer(activation.relu(x), kind, direction, seed=k) for k in (0, 1)]
    return [*made[0], *made[1]]


def layers_of_transposes(x: Value, kind: str, direction: str) -> list[Value]:
    return [*layer(exchanged(exchanged(x)), kind, direction), *layer(x, kind, direction, seed=1)]


def stacked(x: Value, kind: str, direction: str) -> list[Value]:
    """A layer on a layer, whose states are read besides, and a transpose of what both read."""
    first = layer(x, kind, direction)
    count = int(first[0].shape[1])  # type: ignore[arg-type]
    inner = shape.reshape(
        shape.transpose(first[0], perm=(0, 2, 1, 3)),
        x.model.constant(np.array([*SIZES[:2], 2 * count], np.int64)),
    )
    return [*first, *layer(inner, kind, direction, seed=1), exchanged(inner), exchanged(x)]


Build = Callable[[Value, str, str], list[Value]]
FORMS: list[Build] = [
    two_layers,
    both_ways,
    layer_and_transpose,
    layer_and_reader,
    layers_of_equals,
    layers_of_transposes,
    stacked,
]


def model_of(build: Build, kind: str, direction: str, sizes: tuple[object, ...] = SIZES) -> Model:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, sizes))  # type: ignore[arg-type]
    for dim in sizes:
        if not isinstance(dim, int):
            model.symbols[str(dim)] = (0, None)
    model.outputs = build(x, kind, direction)
    return model


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("build", FORMS, ids=lambda f: f.__name__)
def test_layers_that_share_an_input(
    build: Build, kind: str, direction: str, tmp_path: Path
) -> None:
    x = np.random.default_rng(7).standard_normal(SIZES, np.float32)
    require_equal(model_of(build, kind, direction), tmp_path, x)


@pytest.mark.parametrize("sizes", [("t", 3, 2), (4, "n", 2), (1, 3, 2), (4, 1, 2)])
def test_sizes_that_are_open_or_one(sizes: tuple[object, ...], tmp_path: Path) -> None:
    dims = tuple(symbol(d) if isinstance(d, str) else d for d in sizes)
    shape = [d if isinstance(d, int) else 4 for d in sizes]
    x = np.random.default_rng(7).standard_normal(shape, np.float32)
    model = model_of(two_layers, "gru", "forward", dims)
    require_equal(model, tmp_path, x)


@pytest.mark.parametrize(("direction", "count"), [("forward", 2), ("bidirectional", 0)])
def test_layers_of_two_directions_are_as_before(direction: str, count: int) -> None:
    assert count_met(model_of(two_layers, "gru", direction), TRANSPOSED_INPUT) == count


def test_lengths_of_sequences_of_open_sizes_are_refused_by_name() -> None:
    model = Model("m")
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("steps"), 2, 3)))
    lengths = model.input("lengths", TensorType(Precision.INT32, (2,)))
    weights = [np.ones((1, 2, 3)), np.ones((1, 2, 2)), np.ones((1, 4))]
    given = (model.constant(w.astype(np.float32)) for w in weights)
    model.outputs = list(recurrent.rnn(x, *given, lengths))
    with pytest.raises(NoLowering, match=r"no lengths of sequences whose sizes are open: .* --dim"):
        nna.compile(model, "openvino")
