"""What TensorFlow's kernels for processors refuse and XLA compiles: channels first, dilations.

The origin of these rows is XLA, so they are no part of the families' cases.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import ROUNDS, Case, Const, i, rand
from . import conv
from .conv import BACK, BACK3, DEPTH, FILTER, IMAGE, VOLUME, WHOLE, back

ONES: dict[str, Any] = dict(conv.ONES)
ONES3: dict[str, Any] = dict(conv.ONES3)
FIRST: dict[str, Any] = {"data_format": "NCHW", "padding": "SAME"}
FIRST3: dict[str, Any] = {"data_format": "NCDHW", "padding": "SAME"}
PLANES = IMAGE.transpose(0, 3, 1, 2).copy()
SOLID = VOLUME.transpose(0, 4, 1, 2, 3).copy()
CUBE = rand(2, 3, 2, 2, 3)
STEEP: dict[str, Any] = {"strides": [1, 1, 2, 1]}
STEPS3: dict[str, Any] = {"strides": [1, 1, 2, 1, 2]}
WIDE: dict[str, Any] = {"ksize": [1, 1, 3, 2], **STEEP}
CUBIC: dict[str, Any] = {"ksize": [1, 1, 2, 3, 2], **STEPS3}
MANY = rand(3, 2, 4, 2)


def case(op: str, *inputs: Any, why: str = "", **attrs: Any) -> Case:
    """An operator on images, which rounds."""
    return Case(op, inputs, attrs, tol=ROUNDS, why=why)


CASES = [
    case("Conv2D", PLANES, FILTER, **FIRST, **STEEP),
    case("Conv2D", PLANES, FILTER, **STEEP, data_format="NCHW", padding="EXPLICIT",
         explicit_paddings=[0, 0, 0, 0, 1, 2, 0, 1]),
    case("Conv2D", PLANES, FILTER, **FIRST, **ONES, dilations=[1, 1, 2, 3]),
    case("Conv2D", PLANES, rand(3, 2, 2, 6), **FIRST, **ONES, why="groups"),
    case("Conv3D", SOLID, CUBE, **FIRST3, **STEPS3),
    case("Conv3D", VOLUME, CUBE, **ONES3, padding="SAME", dilations=[1, 2, 1, 2, 1]),
    case("Conv", PLANES, FILTER, **STEEP, padding="SAME", data_format="CHANNELS_FIRST"),
    case("Conv", SOLID, CUBE, **STEPS3, padding="VALID", data_format="CHANNELS_FIRST"),
    case("Conv", IMAGE, rand(3, 2, 2, 6), **ONES, padding="SAME", groups=2),
    case("DepthwiseConv2dNative", PLANES, MANY, **FIRST, **ONES),
    case("DepthwiseConv2dNative", IMAGE, MANY, **ONES, padding="SAME", dilations=[1, 2, 3, 1]),
    case("DepthwiseConv2dNative", IMAGE, MANY, **ONES, padding="VALID", dilations=[1, 2, 2, 1]),
    back(BACK, (2, 2, 7, 8), WHOLE, rand(2, 4, 4, 8), "channels first", **FIRST, **STEEP),
    back(BACK, (2, 7, 8, 2), WHOLE, rand(2, 7, 8, 4, seed=5), "dilations", padding="SAME",
         dilations=[1, 2, 1, 1], **ONES),
    back(BACK, (2, 9, 8, 2), WHOLE, rand(2, 5, 4, 4), "dilations, valid", padding="VALID",
         dilations=[1, 2, 2, 1], **ONES),
    back(BACK3, (1, 2, 6, 7, 5), CUBE, rand(1, 3, 3, 7, 3), "channels first", **FIRST3, **STEPS3),
    back(BACK3, (1, 6, 7, 5, 2), CUBE, rand(1, 6, 7, 5, 3), "dilations", padding="SAME",
         dilations=[1, 2, 1, 2, 1], **ONES3),
    back(DEPTH, (2, 3, 8, 7), rand(3, 2, 3, 2), rand(2, 6, 8, 7), "channels first", **FIRST,
         **ONES),
    back(DEPTH, (2, 8, 7, 3), rand(3, 2, 3, 2), rand(2, 8, 7, 6),
         "dilations, which the kernel for processors reads over", padding="SAME",
         dilations=[1, 2, 2, 1], **ONES),
    *(case(op, PLANES, **FIRST, **WIDE) for op in ("MaxPool", "AvgPool")),
    case("MaxPoolV2", PLANES, *(Const(i(*WIDE[k], dtype=np.int32)) for k in ("ksize", "strides")),
         **FIRST),
    *(case(op, SOLID, **FIRST3, **CUBIC) for op in ("MaxPool3D", "AvgPool3D")),
    case("SpaceToDepth", rand(2, 3, 4, 6), block_size=2, data_format="NCHW"),
    case("DepthToSpace", rand(2, 8, 4, 3), block_size=2, data_format="NCHW"),
]  # fmt: skip
