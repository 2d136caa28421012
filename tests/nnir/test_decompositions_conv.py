"""Convolutions of the standard, in place of those over volumes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nnir.operator import Operator
from nnir.ops import conv
from nnir.types import Fuse

from .decomposing import reference, standard


@pytest.mark.parametrize("operator", [conv.conv_3d, conv.conv_3d_transpose], ids=lambda o: o.name)
@pytest.mark.parametrize("fuse_code", Fuse)
def test_the_activation_of_a_volume(operator: Operator[Any], fuse_code: Fuse) -> None:
    random = np.random.default_rng(0)
    shapes = (1, 2, 3, 2, 3), (2, 2, 2, 1, 2), (2,)
    arrays = [random.normal(0, 3, s).astype(np.float32) for s in shapes]
    ones = (1, 1, 1)
    given = {"pads": (0,) * 6, "strides": ones, "dilations": ones, "fuse_code": fuse_code}
    expected = reference(operator, arrays, **given)
    assert (fuse_code == Fuse.NONE) == bool((expected < 0).any())
    result = standard(operator, arrays, **given)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("operator", [conv.conv_2d, conv.conv_2d_transpose], ids=lambda o: o.name)
def test_an_image_of_no_channels_gives_the_bias(operator: Operator[Any]) -> None:
    taps = (2, 0, 2, 2) if operator is conv.conv_2d else (0, 2, 2, 2)
    arrays = [np.ones(s, np.float32) for s in ((3, 0, 4, 4), taps)]
    ends = {"pads": (0,) * 4, "strides": (2, 2), "dilations": (1, 1)}
    result = reference(operator, [*arrays, np.float32([5, 7])], **ends)
    side = 2 if operator is conv.conv_2d else 8
    np.testing.assert_array_equal(result, np.full((3, 2, side, side), [[[5]], [[7]]], np.float32))
