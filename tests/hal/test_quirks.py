"""Bugs of engines: each has a program that shows it in the engine alone, and is met in ours."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from conformance.upstream.bug import read_bugs
from hal.drivers.litert.quirks import CONSTANT_BRANCH, INFINITE_BOUND
from hal.drivers.litert.quirks import QUIRKS as OF_LITERT
from hal.drivers.onnxruntime.quirks import (
    ABOVE_FLOAT8,
    BIAS_OF_OTHER_STEPS,
    GELU_WITHOUT_AXES,
    HALF_OF_GELU,
    PAD_BEFORE_AVERAGE_POOL,
    PAD_BEFORE_MAX_POOL,
    PADDED_END,
    PRODUCTS_OF_INTEGERS,
    QUANTISED_END,
    SOFTMAX_WRAPS,
    SUMS_OF_INT64,
    TRUE_ZERO,
)
from hal.drivers.onnxruntime.quirks import QUIRKS as OF_ONNXRUNTIME
from hal.drivers.openvino.quirks import (
    ACTIVATION_BEHIND_POOL,
    BORDER_BEFORE_SAME,
    CHANNELS_OF_A_PRODUCT,
    DILATED_TAP,
    EQUAL_HEADS_AND_ROWS,
    GATE_BEHIND_ATTENTION,
    GROUPS_OF_OPEN_ROWS,
    ONE_CHANNEL_OF_CUBES,
    ONE_COLUMN,
    ONE_KEY_FIRST,
    PADDED_POINTS,
    PRODUCT_OF_CONSTANTS,
    REPEATS_OF_REPEATS,
    RESHAPE_TO_NUMBER,
    SCALED_VECTOR,
    SCALES_OF_PLACES,
    SCALES_OF_SUMMED_ROWS,
    SLICE_BEFORE_GATHER,
    SLOPES_OF_A_PRODUCT,
    SLOPES_OF_A_REDUCTION,
    TRANSPOSED_INPUT,
)
from hal.drivers.openvino.quirks import QUIRKS as OF_OPENVINO
from hal.quirks import MET, Quirk
from nnir.model import Model
from nnir.ops import (
    activation,
    unary,
)

from .quirk_models import (
    attention,
    behind_pool,
    border_before_same,
    bounded_product,
    coarse_bias,
    column,
    cubes,
    cut_and_gathered,
    dilated_tap,
    experts,
    gated_attention,
    gelu_of_a_number,
    inner_product,
    large_float8,
    layer_and_transpose,
    long_products,
    long_sums,
    loop,
    mean_with_slopes,
    open_attention,
    padded_end,
    padded_mean,
    padded_points,
    padded_pool,
    product_of_constants,
    product_with_channels,
    product_with_slopes,
    quantised_end,
    repeated_twice,
    scaled_attention,
    scaled_places,
    scaled_vector,
    shared_half,
    sharp_softmax,
    small_zeros,
    swish,
    weights_with_scales,
)

QUIRKS = (*OF_LITERT, *OF_ONNXRUNTIME, *OF_OPENVINO)


def test_every_quirk_has_a_program() -> None:
    bugs = {bug.name for bug in read_bugs()}
    assert [f"{q.engine}_{q.name}" for q in QUIRKS if f"{q.engine}_{q.name}" not in bugs] == []


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("rank", [2, 3, 4])
def test_attentions_of_one_key_and_then_of_more(rank: int, masked: bool) -> None:
    model = open_attention(rank, masked=masked)
    program, reference = nna.compile(model, "openvino"), nna.compile(model)
    for rows, keys in ((1, 1), (1, 16), (3, 33), (40, 40)):
        lead = (2, 3)[: rank - 2]
        numbers = np.random.default_rng(keys)
        arrays = [numbers.standard_normal((*lead, n, 16), np.float32) for n in (rows, keys, keys)]
        arrays += [numbers.standard_normal((rows, keys), np.float32)] if masked else []
        (got,), (want,) = program(*arrays), reference(*arrays)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


MODELS: list[tuple[Quirk, str, Callable[[], Model]]] = [
    (EQUAL_HEADS_AND_ROWS, "openvino", lambda: attention(2, 4, 4)),
    (EQUAL_HEADS_AND_ROWS, "openvino", lambda: scaled_attention(4, 4, before=True, after=False)),
    (EQUAL_HEADS_AND_ROWS, "openvino", lambda: scaled_attention(4, 4, before=False, after=True)),
    (EQUAL_HEADS_AND_ROWS, "openvino", lambda: scaled_attention(4, 4, before=True, after=True)),
    (ONE_KEY_FIRST, "openvino", lambda: open_attention(2)),
    (ONE_KEY_FIRST, "openvino", lambda: open_attention(4)),
    (RESHAPE_TO_NUMBER, "openvino", inner_product),
    (GROUPS_OF_OPEN_ROWS, "openvino", lambda: experts("n 3")),
    (GROUPS_OF_OPEN_ROWS, "openvino", lambda: experts("1 n 3")),
    (GROUPS_OF_OPEN_ROWS, "openvino", lambda: experts("n 4 3")),
    (ONE_CHANNEL_OF_CUBES, "openvino", cubes),
    (ONE_COLUMN, "openvino", column),
    (DILATED_TAP, "openvino", dilated_tap),
    (PAD_BEFORE_MAX_POOL, "onnxruntime", padded_pool),
    (PADDED_POINTS, "openvino", padded_points),
    (SCALED_VECTOR, "openvino", scaled_vector),
    (SCALES_OF_SUMMED_ROWS, "openvino", lambda: weights_with_scales(0, 0)),
    (SCALES_OF_SUMMED_ROWS, "openvino", lambda: weights_with_scales(1, 4)),
    (TRUE_ZERO, "onnxruntime", small_zeros),
    (ABOVE_FLOAT8, "onnxruntime", large_float8),
    (PRODUCT_OF_CONSTANTS, "openvino", product_of_constants),
    (SLOPES_OF_A_PRODUCT, "openvino", product_with_slopes),
    (CHANNELS_OF_A_PRODUCT, "openvino", product_with_channels),
    (SLOPES_OF_A_REDUCTION, "openvino", mean_with_slopes),
    *(
        (ACTIVATION_BEHIND_POOL, "openvino", functools.partial(behind_pool, function, group))
        for function in (unary.abs_, activation.gelu, swish)
        for group in (1, 2)
    ),
    (SCALES_OF_PLACES, "openvino", lambda: scaled_places((3,), 1)),
    (SCALES_OF_PLACES, "openvino", lambda: scaled_places((3, 1), 2)),
    (SCALES_OF_PLACES, "openvino", lambda: scaled_places((2, 1, 3), 1)),
    (GATE_BEHIND_ATTENTION, "openvino", lambda: gated_attention((2, 5, 3, 8))),
    (GATE_BEHIND_ATTENTION, "openvino", lambda: gated_attention((2, 5, 3, 1))),
    (GATE_BEHIND_ATTENTION, "openvino", lambda: gated_attention((8,), is_chosen=True)),
    (TRANSPOSED_INPUT, "openvino", layer_and_transpose),
    (PAD_BEFORE_AVERAGE_POOL, "onnxruntime", padded_mean),
    (SOFTMAX_WRAPS, "onnxruntime", sharp_softmax),
    (SUMS_OF_INT64, "onnxruntime", long_sums),
    (PRODUCTS_OF_INTEGERS, "onnxruntime", long_products),
    (BIAS_OF_OTHER_STEPS, "onnxruntime", coarse_bias),
    (PADDED_END, "onnxruntime", padded_end),
    (BORDER_BEFORE_SAME, "openvino", lambda: border_before_same("sums")),
    (BORDER_BEFORE_SAME, "openvino", lambda: border_before_same("means")),
    (HALF_OF_GELU, "onnxruntime", lambda: shared_half(is_twice=False)),
    (HALF_OF_GELU, "onnxruntime", lambda: shared_half(is_twice=True)),
    (GELU_WITHOUT_AXES, "onnxruntime", gelu_of_a_number),
    (QUANTISED_END, "onnxruntime", lambda: quantised_end(turned=False)),
    (QUANTISED_END, "onnxruntime", lambda: quantised_end(turned=True)),
    (SLICE_BEFORE_GATHER, "openvino", cut_and_gathered),
    (REPEATS_OF_REPEATS, "openvino", repeated_twice),
    (CONSTANT_BRANCH, "litert", loop),
    (INFINITE_BOUND, "litert", bounded_product),
]


@pytest.mark.parametrize(("quirk", "device", "make"), MODELS, ids=lambda a: getattr(a, "name", ""))
def test_it_is_met(quirk: Quirk, device: str, make: Callable[[], Model]) -> None:
    model, found = make(), Counter[Quirk]()
    token = MET.set(found)
    try:
        program = nna.compile(model, device)
    finally:
        MET.reset(token)
    assert found[quirk]
    arrays = inputs(model)
    for got, want in zip(program(*arrays), nna.compile(model)(*arrays), strict=True):
        exact = want.dtype.kind == "i"
        np.testing.assert_allclose(got, want, rtol=0 if exact else 1e-5, atol=0 if exact else 1e-5)


def inputs(model: Model) -> list[Any]:
    generator = np.random.default_rng(0)
    arrays: list[Any] = []
    for value in model.inputs:
        shape = [d if isinstance(d, int) else 1 for d in value.shape]
        if value.is_integer:
            most = np.iinfo(value.dtype).max >> 3
            least = -most if value.dtype.kind == "i" else 0
            arrays.append(generator.integers(least, most, shape, value.dtype))
        else:
            arrays.append(generator.standard_normal(shape, np.float32))
    return arrays


def test_other_attentions_are_as_before() -> None:
    found = Counter[Quirk]()
    token = MET.set(found)
    try:
        nna.compile(attention(2, 4, 5), "openvino")
        nna.compile(open_attention(4, masked=True), "openvino")
    finally:
        MET.reset(token)
    assert not found


@pytest.mark.parametrize("opset", [None, 13, 17, 18, 21])
def test_files_meet_the_border_of_a_pool(opset: int | None, tmp_path: Path) -> None:
    nna.convert(padded_pool(), tmp_path / "m.onnx", opset=opset)  # proved in a default session


@pytest.mark.parametrize("turned", [False, True])
def test_files_meet_quantised_ends(turned: bool, tmp_path: Path) -> None:
    nna.convert(quantised_end(turned=turned), tmp_path / "m.onnx")  # proved in a default session


@pytest.mark.parametrize("suffix", [".tflite", ".onnx"])
def test_files_meet_constant_branches(suffix: str, tmp_path: Path) -> None:
    nna.convert(loop(), tmp_path / f"m{suffix}")  # in a process that also ends well
