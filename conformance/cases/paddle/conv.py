"""Paddle's convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, NoLowering, Unsupported

from ...case import ROUNDS, Case, Limit, rand

X = rand(2, 4, 6, 7)
EACH = rand(4, 1, 3, 3)
W = rand(3, 4, 3, 2)
LAST = rand(2, 6, 7, 4)
VOLUME = rand(1, 2, 4, 5, 6)
W3 = rand(3, 2, 2, 3, 2)
T = rand(4, 3, 3, 2)
T3 = rand(2, 3, 2, 3, 2)
NHWC: dict[str, Any] = {"data_format": "NHWC"}


def conv(
    op: str, *inputs: Any, why: str = "", raises: type[NNAdapterError] | None = None, **attrs: Any
) -> Case:
    """A convolution, which rounds."""
    return Case(op, inputs, attrs, tol=ROUNDS, why=why, raises=raises)


CASES = [
    conv("conv2d", X, W),
    conv("conv2d", X, W, strides=[2, 1], paddings=[1, 0], dilations=[1, 2]),
    conv("conv2d", X, W, paddings=[1, 0, 2, 1], why="four paddings"),
    conv("conv2d", X, W, padding_algorithm="SAME", strides=[2, 2], dilations=[2, 2]),
    conv("conv2d", X, W, padding_algorithm="VALID", paddings=[1, 1]),
    conv("conv2d", X, rand(6, 2, 3, 3), groups=2),
    conv("conv2d", LAST, W, **NHWC, paddings=[1, 0, 2, 1]),
    conv("conv2d", LAST, W, **NHWC, padding_algorithm="SAME"),
    conv("conv2d", rand(2, 4, 6, 7, dtype=np.float64), rand(3, 4, 3, 2, dtype=np.float64)),
    conv("conv2d", rand(0, 4, 6, 7), W, why="no batch"),
    conv("conv2d", X, W, padding_algorithm="OTHER", raises=Unsupported),
    conv("conv2d", X, W, data_format="CHWN", raises=Unsupported),
    conv("conv2d", X, rand(3, 5, 3, 2), raises=BadType, why="other channels"),
    conv("depthwise_conv2d", X, rand(4, 1, 3, 3), groups=4),
    conv("depthwise_conv2d", X, rand(8, 1, 3, 3), groups=4, strides=[2, 2], paddings=[1, 1]),
    conv("conv3d", VOLUME, W3),
    conv("conv3d", VOLUME, W3, strides=[1, 2, 1], paddings=[1, 0, 1], dilations=[2, 1, 1]),
    conv("conv3d", VOLUME, W3, paddings=[1, 0, 0, 1, 2, 1], why="six paddings"),
    conv("conv3d", VOLUME, W3, padding_algorithm="SAME", strides=[2, 2, 2]),
    conv("conv3d", rand(1, 4, 5, 6, 2), W3, data_format="NDHWC"),
    conv("conv2d_transpose", X, T),
    conv("conv2d_transpose", X, T, strides=[2, 3], paddings=[1, 0], output_padding=[1, 0]),
    conv("conv2d_transpose", X, T, strides=[2, 2], paddings=[1, 0], output_size=[12, 15]),
    conv("conv2d_transpose", X, T, strides=[2, 2], paddings=[1, 0, 0, 1], dilations=[1, 2]),
    conv("conv2d_transpose", X, T, strides=[2, 2], padding_algorithm="SAME"),
    conv("conv2d_transpose", X, rand(4, 3, 3, 3), strides=[2, 2], padding_algorithm="VALID"),
    conv("conv2d_transpose", X, rand(4, 3, 3, 2), groups=2),
    conv("conv2d_transpose", LAST, T, **NHWC, strides=[2, 1]),
    conv("conv2d_transpose", X, T, strides=[2, 2], output_size=[40, 40], raises=BadType),
    conv("depthwise_conv2d_transpose", X, rand(4, 1, 3, 3), groups=4, strides=[2, 2]),
    conv("conv3d_transpose", VOLUME, T3),
    conv("conv3d_transpose", VOLUME, T3, strides=[2, 1, 2], paddings=[1, 0, 1]),
    conv("conv3d_transpose", VOLUME, T3, strides=[2, 2, 2], output_padding=[1, 0, 1]),
    conv("conv3d_transpose", VOLUME, T3, strides=[2, 2, 2], output_size=[9, 11, 12]),
    conv(
        "deformable_conv",
        X,
        rand(2, 12, 4, 6, low=-1, high=1),
        W,
        rand(2, 6, 4, 6, low=0, high=1),
        *([1, 1], [0, 0], [1, 1], 1, 1, 1),
    ),
    conv(
        "deformable_conv",
        X,
        rand(2, 24, 3, 6, low=-1, high=1),
        rand(6, 2, 3, 2),
        None,
        *([2, 1], [1, 0], [1, 1], 2, 2, 1),
        why="no mask, in groups",
    ),
    conv("depthwise_conv2d", X, EACH, groups=4, padding_algorithm="SAME", strides=[2, 2]),
    conv("depthwise_conv2d", X, EACH, groups=4, dilations=[1, 2]),
    conv("depthwise_conv2d", LAST, EACH, groups=4, **NHWC),
    conv("conv3d", VOLUME, rand(4, 1, 2, 3, 2), groups=2),
    *(
        conv("depthwise_conv2d_transpose", X, EACH, groups=4, strides=[2, 2], **how)
        for how in (
            {"paddings": [1, 0], "output_padding": [1, 0]},
            {"output_size": [14, 15]},
            {"padding_algorithm": "SAME"},
            {"dilations": [1, 2]},
        )
    ),
    conv("depthwise_conv2d_transpose", LAST, EACH, groups=4, **NHWC),
    conv("conv3d_transpose", VOLUME, T3, strides=[2, 2, 2], padding_algorithm="SAME"),
    conv("conv3d_transpose", VOLUME, rand(2, 2, 2, 3, 2), groups=2),
    conv("conv3d_transpose", VOLUME, T3, dilations=[2, 1, 1]),
    *(
        conv("conv2d_transpose", X, T, strides=[2, 2], dilations=[2, 2], padding_algorithm=how)
        for how in ("SAME", "VALID")
    ),
    conv("conv3d_transpose", rand(1, 4, 5, 6, 2), T3, **NHWC, why="what Paddle writes of NDHWC"),
]

LIMITS = [
    Limit(
        "conv2d",
        device="onnxruntime",
        dtype="float64",
        raises=NoLowering,
        why="no kernel for float64",
    )
]
