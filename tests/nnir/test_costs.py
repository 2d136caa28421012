"""What models cost: operations of arithmetic and memory, from shapes alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nnir.costs.flops import BY_PATTERN, RULES, flops
from nnir.costs.memory import Peak, bytes_of, peak, sizes_of
from nnir.dim import Dim, symbol
from nnir.model import Model, Value
from nnir.ops import (
    OPERATORS,
    activation,
    binary,
    conv,
    linear,
    norm,
    pool,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    sort,
)
from nnir.schema import Pattern
from nnir.types import Fuse, Precision, TensorType

N = symbol("n")
UNCOUNTED = (
    *("APPLY_HOUSEHOLDER", "EIG", "EIGENVALUES", "EIGENVALUES_H", "EIGH", "HOUSEHOLDER"),
    *("LDL_FACTOR", "LDL_SOLVE", "MATRIX_EXP", "MAX_ROI_POOL", "MAX_ROI_POSITIONS"),
    *("MULTINOMIAL", "NON_MAX_SUPPRESSION", "NON_MAX_SUPPRESSION_INDICES", "PIVOT_ORDER"),
    *("PRIOR_BOX", "QR", "RANDOM_NORMAL", "RANDOM_UNIFORM", "ROI_ALIGN"),
    *("ROI_ALIGN_MAX", "SINGULAR_VALUES", "SOLVE", "SOLVE_TRIANGULAR", "SUPPRESS_BOXES", "SVD"),
    *("TF_IDF_VECTORIZER", "TOP_K", "TREE_ENSEMBLE", "YOLO_BOX"),
)

QUICK = {
    *("AFFINE_GRID", "ARG_MAX", "ARG_MIN", "CUM_LOG_SUM_EXP", "CUM_MAX", "CUM_MIN", "CUM_PROD"),
    *("CUM_SUM", "GRID_SAMPLE", "GRID_SAMPLE_3D", "HARDMAX", "IF", "LOG_SOFTMAX", "MULTINOMIAL"),
    *("RANDOM_NORMAL", "RANDOM_UNIFORM", "REDUCE_LOG_SUM_EXP", "REDUCE_MAX", "REDUCE_MEAN"),
    *("REDUCE_MIN", "REDUCE_PROD", "REDUCE_SUM", "REDUCE_XOR", "RESIZE", "RESIZE_LINEAR"),
    *("SOFTMAX", "TOP_K", "WHILE"),
}
"""What combines elements at a cost that their number says."""


def tensor(model: Model, *sizes: Dim) -> Value:
    return model.input(f"x{len(model.inputs)}", TensorType(Precision.FLOAT32, sizes))


def count(build: Callable[..., Any], *shapes: tuple[Dim, ...], **attributes: Any) -> Dim | None:
    model = Model()
    build(*(tensor(model, *sizes) for sizes in shapes), **attributes)
    return flops(model.operations[-1])


WINDOW = {"pads": (1, 1, 1, 1), "strides": (1, 1), "dilations": (1, 1)}


@pytest.mark.parametrize(
    ("build", "shapes", "attributes", "wanted"),
    [
        (linear.mat_mul, ((2, 3, 4), (4, 5)), {}, 2 * 3 * 5 * 4 * 2),
        (linear.mat_mul, ((4, 3), (4, 5)), {"transpose_x": True}, 3 * 5 * 4 * 2),
        (linear.mat_mul, ((N, 4), (4, 5)), {}, N * 40),
        (linear.fully_connected, ((2, 4), (5, 4), (5,)), {}, 2 * 5 * 4 * 2 + 10),
        (conv.conv_2d, ((1, 4, 8, 8), (6, 2, 3, 3), (6,)), {"group": 2} | WINDOW, 384 * 37),
        (conv.conv_2d, ((1, 1, 8, 8), (1, 1, 3, 3), (1,)), {"fuse_code": Fuse.RELU} | WINDOW, 1280),
        (conv.conv_2d_transpose, ((1, 2, 4, 4), (2, 3, 3, 3), (3,)), WINDOW, 32 * 27 * 2 + 48),
        (linear.einsum, ((2, 3), (3, 4)), {"equation": "ij,jk->ik"}, 2 * 3 * 4 * 2),
        (binary.add, ((3, 1), (1, 4)), {}, 12),
        (lambda x: shape.reshape(x, [12]), ((3, 4),), {}, 0),
        (lambda x: reduce.reduce_sum(x, [1]), ((3, 4),), {}, 12),
        (activation.softmax, ((3, 4),), {"axis": 1}, 60),
        (norm.lrn, ((1, 3, 2),), {"size": 3}, 60),
        (pool.max_pool, ((1, 1, 4, 4),), {"kernel_shape": (2, 2), "strides": (2, 2)}, 16),
        (recurrent.gru, ((5, 2, 3), (1, 12, 3), (1, 12, 4)), {}, 10 * (84 * 2 + 4 * 3 * 4)),
        (
            lambda x: resize.resize(x, None, None, [1, 1, 4, 4], mode="linear"),
            ((1, 1, 2, 2),),
            {},
            16 * 8,
        ),
        (signal.dft, ((1, 8, 2),), {}, 8 * 15),
        (lambda x: sort.top_k(x, [2], axis=0), ((3, 4),), {}, None),
    ],
)
def test_flops(
    build: Callable[..., Any],
    shapes: tuple[tuple[Dim, ...], ...],
    attributes: dict[str, Any],
    wanted: Dim | None,
) -> None:
    assert count(build, *shapes, **attributes) == wanted


def test_what_has_no_count_is_known() -> None:
    """An operator that combines elements has a rule, or a place in this list."""
    assert RULES.keys() <= OPERATORS.keys()
    found = {n for n, o in OPERATORS.items() if n not in RULES and o.pattern not in BY_PATTERN}
    assert sorted(found) == sorted(UNCOUNTED)


def chain(size: Dim) -> Model:
    """x of 4 bytes a row, y and z that both live while `y * z` runs."""
    model = Model()
    x = tensor(model, size)
    y = activation.relu(x)
    z = binary.add(y, model.constant(np.ones(1, np.float32)))
    model.outputs = [binary.mul(y, z)]
    return model


def test_the_peak_counts_what_lives_at_once() -> None:
    model = chain(100)
    assert peak(model, {}) == Peak(1200, model.operations[2])


def test_open_sizes_count_as_given() -> None:
    model = chain(N)
    assert sizes_of(model, {}) == {"n": 1}
    assert peak(model, {"n": 7}).nbytes == 7 * 12
    assert bytes_of(model.outputs[0]) == N * 4


def test_a_model_without_operations() -> None:
    model = Model()
    model.outputs = [tensor(model, 3)]
    assert peak(model, {}) == Peak(12, None)


def test_what_does_more_than_touch_each_element_says_its_steps() -> None:
    """Folding would compute for hours what says nothing."""
    said = {name for name, o in OPERATORS.items() if o.steps and o.pattern is Pattern.COMBINING}
    assert said == {name for name, o in OPERATORS.items() if o.pattern is Pattern.COMBINING} - QUICK
