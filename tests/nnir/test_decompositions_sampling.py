"""Sampling of volumes in the standard's operators, and what standard operators decompose into."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from nnir.evaluate import evaluate
from nnir.model import Model
from nnir.operator import Operator
from nnir.ops import detection, pool, resize
from nnir.types import PRECISIONS, InterpolateMode, PadMode, Precision, TensorType

from .decomposing import reference, standard

VOLUME = np.random.default_rng(1).standard_normal((2, 3, 3, 4, 5)).astype(np.float32)
GRID = np.random.default_rng(2).uniform(-1.5, 1.5, (2, 2, 3, 2, 3)).astype(np.float32)
GRID[0, 0, 0, 0] = np.nan, 0, 0
GRID[1, 1, 0, 0] = np.inf, 0, 0
MODES = InterpolateMode.BILINEAR, InterpolateMode.NEAREST
BORDERS = PadMode.CONSTANT, PadMode.EDGE, PadMode.REFLECT


@pytest.mark.parametrize(("mode", "border"), list(product(MODES, BORDERS)))
def test_volumes_are_sampled_by_standard_operators(mode: int, border: int) -> None:
    for corners in (False, True):
        how = {"mode": mode, "pad_mode": border, "align_corners": corners}
        found = standard(resize.grid_sample_3d, [VOLUME, GRID], **how)
        wanted = reference(resize.grid_sample_3d, [VOLUME, GRID], **how)
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def decomposed(operator: Operator[Any], number: int, arrays: list[Any], **attributes: Any) -> Any:
    """What one decomposition of an operator computes."""
    model = Model()
    values = [
        model.input(f"x{k}", TensorType(PRECISIONS[a.dtype], a.shape)) for k, a in enumerate(arrays)
    ]
    bound = {**operator.attributes, **attributes}
    made = operator.decompositions[number](*values, **bound)
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    return evaluate(model, arrays)


@pytest.mark.parametrize("kernel", [(2, 3), (3, 3), (1, 1)])
@pytest.mark.parametrize("pads", [(0, 0, 0, 0), (1, 0, 0, 1)])
def test_the_first_of_equal_maxima_is_found_axis_by_axis(
    kernel: tuple[int, int], pads: tuple[int, ...]
) -> None:
    image = np.random.default_rng(3).integers(-2, 3, (1, 2, 6, 7)).astype(np.float32)
    image[0, 0, 2, 3], image[0, 1, 0, 0], image[0, 1, 5, 6] = np.nan, -np.inf, np.inf
    how = {"kernel_shape": kernel, "strides": (2, 1), "pads": pads, "return_indices": True}
    found = decomposed(pool.max_pool_2d, 0, [image], **how)
    wanted = reference(pool.max_pool_2d, [image], **how)
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(got, want)


def test_prior_boxes_are_constants() -> None:
    images = [np.zeros((1, 2, 3, 4), np.float32), np.zeros((1, 3, 30, 50), np.float32)]
    how = {"min_sizes": (5.0,), "max_sizes": (9.0,), "aspect_ratios": (2.0,), "flip": True}
    how["variances"] = (0.1, 0.1, 0.2, 0.2)
    found = decomposed(detection.prior_box, 0, images, **how)
    for got, want in zip(found, reference(detection.prior_box, images, **how), strict=True):
        np.testing.assert_array_equal(got, want)
    assert found[0].dtype == Precision.FLOAT32.dtype
