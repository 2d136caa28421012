"""NNRt's convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType, Unsupported

from ...case import Case, Const, Tolerance, rand
from .numbers import BYTES, FLOATS, QUANTUM, name, q, stored

IMAGE = rand(2, 7, 8, 4)
NEAR = {"": Tolerance(relative=1e-5, absolute=1e-5), "float16": Tolerance(2e-2, 2e-2)}
PLAIN: dict[str, Any] = {"stride": (1, 1), "dilation": (1, 1), "group": 1, "activationType": 0}
DEEP = {k: v for k, v in PLAIN.items() if k != "group"}
BACK = PLAIN | {"outputPads": (0, 0)}
PADS: tuple[dict[str, Any], ...] = (
    {"padMode": 0},
    {"padMode": 1},
    {"padList": (1, 0, 2, 1)},
    {},
)
MOVES: tuple[dict[str, Any], ...] = (
    {},
    {"stride": (2, 1)},
    {"stride": (2, 3)},
    {"dilation": (2, 1)},
)


def weights(*shape: int, dtype: Any = np.float32) -> tuple[Const, Const]:
    """A filter with a bias for each output channel."""
    taps, bias = rand(*shape, seed=1), rand(shape[0], seed=2)
    return Const(taps.astype(dtype)), Const(bias.astype(dtype))


def integers(*shape: int, dtype: Any, channels: bool = False) -> tuple[Any, Const]:
    """A quantised filter, by one scale or by output channels, and a bias of INT32."""
    scale: Any = tuple(0.01 + 0.005 * k for k in range(shape[0])) if channels else 0.02
    zero = 0 if dtype == np.int8 else 128
    bias = rand(shape[0], seed=2, dtype=np.int32, low=-500, high=500)
    return q(*shape, seed=1, dtype=dtype, scale=scale, zero=zero, constant=True), Const(bias)


SMALL = (IMAGE, *weights(6, 3, 2, 4))
GROUPS = (IMAGE, *weights(6, 3, 2, 2))
SPREAD = (IMAGE, *weights(8, 3, 2, 1))
TURNED = (IMAGE, *weights(6, 3, 2, 4))

CASES = [
    *(Case("CONV2D", SMALL, PLAIN | pads | moves, tol=NEAR, why=f"{pads} {moves}")
      for pads in PADS for moves in MOVES),
    *(Case("CONV2D", GROUPS, PLAIN | pads | {"group": 2}, tol=NEAR, why=f"groups, {pads}")
      for pads in PADS),
    *(Case("DEPTHWISE_CONV2D_NATIVE", SPREAD, DEEP | pads | moves, tol=NEAR,
           why=f"{pads} {moves}") for pads in PADS for moves in MOVES
      if "padMode" not in pads or "stride" not in moves or pads["padMode"]),
    Case("DEPTHWISE_CONV2D_NATIVE", (IMAGE, *weights(4, 3, 3, 1)),
         DEEP | {"stride": (2, 2), "padMode": 0}, tol=NEAR, why="one for each, SAME, stride 2"),
    *(Case("CONV2D_TRANSPOSE", TURNED, BACK | pads | moves, tol=NEAR, why=f"{pads} {moves}")
      for pads in PADS for moves in MOVES if pads.get("padMode") != 0 or "dilation" not in moves),
    *(Case("CONV2D_TRANSPOSE", GROUPS, BACK | pads | {"group": 2, "stride": (2, 2)}, tol=NEAR,
           why=f"groups, {pads}") for pads in PADS),
    Case("CONV2D_TRANSPOSE", TURNED,
         BACK | {"stride": (2, 3), "padList": (1, 0, 0, 1), "outputPads": (1, 2)}, tol=NEAR,
         why="outputPads"),
    *(Case(op, inputs, given | {"padMode": 1, "activationType": code}, tol=NEAR,
           why=f"activation {code}")
      for op, inputs, given in (("CONV2D", SMALL, PLAIN), ("CONV2D_TRANSPOSE", TURNED, BACK),
                                ("DEPTHWISE_CONV2D_NATIVE", SPREAD, DEEP)) for code in (1, 2)),
    *(Case("CONV2D", (IMAGE.astype(d), *weights(6, 3, 2, 4, dtype=d)), PLAIN | {"padMode": 1},
           tol=NEAR, why=name(d)) for d in FLOATS),
    Case("CONV2D", (IMAGE, rand(6, 3, 2, 4, seed=1), rand(6, seed=2)), PLAIN | {"padMode": 1},
         tol=NEAR, why="weights while running"),
    *(Case("CONV2D", (q(2, 7, 8, 4, dtype=d), *integers(6, 3, 2, 4, dtype=d)),
           PLAIN | pads | {"activationType": code}, results=stored(0.1, 3, d), tol=QUANTUM,
           why=f"{name(d)} with scales, {pads}, activation {code}")
      for d in BYTES for pads in PADS[:3] for code in (0, 2)),
    Case("CONV2D", (q(2, 7, 8, 4), *integers(6, 3, 2, 4, dtype=np.int8, channels=True)),
         PLAIN | {"padMode": 0}, results=stored(0.1, 3), tol=QUANTUM, why="a scale a channel"),
    Case("DEPTHWISE_CONV2D_NATIVE", (q(2, 7, 8, 4), *integers(8, 3, 2, 1, dtype=np.int8)),
         DEEP | {"padMode": 0}, results=stored(0.05, 3), tol=QUANTUM, why="int8 with scales"),
    Case("DEPTHWISE_CONV2D_NATIVE",
         (q(2, 7, 8, 4), *integers(8, 3, 2, 1, dtype=np.int8, channels=True)),
         DEEP | {"padMode": 1}, results=stored(0.05, 3), tol=QUANTUM, why="a scale a channel"),
    Case("CONV2D_TRANSPOSE", (q(2, 7, 8, 4), *integers(6, 3, 2, 4, dtype=np.int8)),
         BACK | {"padMode": 0, "stride": (2, 2)}, results=stored(0.1, 3), tol=QUANTUM,
         why="int8 with scales"),
    *(Case(op, inputs, given | {"padMode": 0, "padList": (0, 0, 0, 0)}, raises=BadFile,
           why="both forms")
      for op, inputs, given in (("CONV2D", SMALL, PLAIN), ("CONV2D_TRANSPOSE", TURNED, BACK),
                                ("DEPTHWISE_CONV2D_NATIVE", SPREAD, DEEP))),
    Case("CONV2D", SMALL, PLAIN | {"padMode": 2}, raises=BadType, why="no such mode"),
    Case("CONV2D", SMALL, PLAIN | {"padList": (-1, 0, 0, 0)}, raises=BadType, why="less than 0"),
    Case("CONV2D", SMALL, PLAIN | {"padList": (1, 1)}, raises=BadFile, why="two pads"),
    Case("CONV2D", SMALL, PLAIN | {"group": 3}, raises=BadType, why="groups that do not fit"),
    Case("CONV2D", (IMAGE[0], *SMALL[1:]), PLAIN, raises=BadFile, why="three axes"),
    Case("CONV2D", (IMAGE, *weights(6, 3, 2, 3)), PLAIN, raises=BadType, why="other channels"),
    Case("DEPTHWISE_CONV2D_NATIVE", SMALL, DEEP, raises=BadType, why="a filter over channels"),
    Case("CONV2D_TRANSPOSE", TURNED, BACK | {"padMode": 0, "outputPads": (1, 0)},
         raises=Unsupported, why="SAME with outputPads"),
    Case("CONV2D_TRANSPOSE", TURNED, BACK | {"group": 4}, raises=BadType, why="groups"),
]  # fmt: skip
