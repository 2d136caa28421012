"""Paddle's resampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import Case, Const, Limit, Tolerance, i, rand

X = rand(2, 3, 4, 5)
LINE = rand(2, 3, 7)
VOLUME = rand(1, 2, 3, 4, 5)
NEAR = Tolerance(relative=1e-4, absolute=1e-5)
"""Paddle weighs in float32."""

I32 = np.int32


def interp(
    op: str,
    x: np.ndarray,
    *given: Any,
    why: str = "",
    raises: type[NNAdapterError] | None = None,
    **attrs: Any,
) -> Case:
    """An interpolation; its operands may be left out."""
    inputs = (x, *given, *[None] * (3 - len(given)))
    method = {"interp_method": op.removesuffix("_interp")}
    more: dict[str, Any] = method | attrs
    name = why or ",".join(f"{k}={v}" for k, v in attrs.items())
    return Case(op, inputs, more, tol=NEAR, why=name, raises=raises)


PIXEL: dict[str, Any] = {"align_corners": False, "align_mode": 0}
STEP: dict[str, Any] = {"align_corners": False, "align_mode": 1}
BI, NN, CUBIC = "bilinear_interp", "nearest_interp", "bicubic_interp"

CASES = [
    *(
        interp(BI, X, **size, **how)
        for size in (
            {"out_h": 8, "out_w": 10},
            {"out_h": 3, "out_w": 7},
            {"scale": [2.0, 2.0]},
            {"scale": [1.7, 0.6]},
        )
        for how in (PIXEL, STEP, {"align_corners": True})
    ),
    interp(BI, X, out_h=4, out_w=5, why="same size"),
    interp(BI, X, Const(i(6, 7, dtype=I32)), **PIXEL),
    interp(BI, X, i(6, 7, dtype=I32), **PIXEL, why="computed size"),
    interp(BI, X, None, [i(6, dtype=I32), i(9, dtype=I32)], **STEP, why="computed sizes"),
    interp(BI, X, None, None, Const(rand(1, low=1.5, high=1.5)), **PIXEL, why="scale tensor"),
    interp(BI, rand(2, 4, 5, 3), out_h=8, out_w=7, data_format="NHWC", **PIXEL),
    interp(BI, X, out_h=6, out_w=6, data_format="CHWN", raises=Unsupported),
    interp(BI, X, out_h=6, out_w=6, align_mode=2, align_corners=False, raises=Unsupported),
    interp(BI, rand(2, 3, 4, 5, dtype=np.float64), out_h=6, out_w=6, **PIXEL, why="float64"),
    *(
        interp(NN, X, **size, align_corners=corners)
        for size in (
            {"out_h": 8, "out_w": 10},
            {"out_h": 3, "out_w": 7},
            {"scale": [2.0, 2.0]},
            {"scale": [1.7, 0.6]},
        )
        for corners in (False, True)
    ),
    interp(NN, X, i(6, 7, dtype=I32), align_corners=False, why="computed size"),
    interp(NN, rand(2, 4, 5, 3), scale=[2.0, 2.0], data_format="NHWC", align_corners=False),
    interp(NN, rand(2, 3, 4, 5, dtype=np.int64), scale=[2.0, 2.0], align_corners=False),
    *(
        interp(CUBIC, X, **size, align_corners=corners)
        for size in ({"out_h": 8, "out_w": 10}, {"out_h": 3, "out_w": 7}, {"scale": [1.7, 0.6]})
        for corners in (False, True)
    ),
    *(
        Case(
            "interp_antialias",
            (rand(1, 2, 9, 8), None, None, None),
            {"out_h": 4, "out_w": 5, "align_corners": False, "align_mode": 0}
            | {"interp_method": way},
            tol=NEAR,
        )
        for way in ("bilinear", "bicubic")
    ),
    Case(
        "interp_antialias",
        (X, None, None, None),
        {"out_h": 4, "out_w": 5, "interp_method": "nearest"},
        raises=Unsupported,
    ),
    *(
        interp("linear_interp", LINE, **size, **how, data_format="NCHW")
        for size in ({"out_w": 9}, {"scale": [0.6]})
        for how in (PIXEL, STEP, {"align_corners": True})
    ),
    interp("linear_interp", rand(2, 7, 3), out_w=9, **PIXEL, data_format="NHWC"),
    *(
        interp("trilinear_interp", VOLUME, **size, **how)
        for size in ({"out_d": 5, "out_h": 3, "out_w": 7}, {"scale": [1.5, 2.0, 0.7]})
        for how in (PIXEL, STEP, {"align_corners": True})
    ),
    *(
        Case(
            "grid_sample",
            (X, rand(2, 6, 7, 2, low=-1.3, high=1.3)),
            {"mode": mode, "padding_mode": border, "align_corners": corners},
            tol=NEAR,
        )
        for mode in ("bilinear", "nearest")
        for border in ("zeros", "border", "reflection")
        for corners in (False, True)
    ),
    Case("grid_sample", (VOLUME, rand(1, 2, 3, 4, 3, low=-1.3, high=1.3)), tol=NEAR),
    Case(
        "grid_sample",
        (VOLUME, rand(1, 2, 3, 4, 3, low=-1.3, high=1.3)),
        {"mode": "nearest", "padding_mode": "border", "align_corners": False},
        tol=NEAR,
        why="nearest, volume",
    ),
    Case("grid_sample", (X, rand(2, 6, 7, 2)), {"mode": "other"}, raises=Unsupported),
    Case("affine_grid", (rand(2, 2, 3), [2, 3, 4, 5]), tol=NEAR),
    Case("affine_grid", (rand(2, 2, 3), [2, 3, 4, 5]), {"align_corners": False}, tol=NEAR),
    Case("affine_grid", (rand(2, 3, 4), [2, 3, 2, 4, 5]), tol=NEAR, why="volume"),
    Case("affine_grid", (rand(2, 2, 3), i(2, 3, 4, 5, dtype=I32)), tol=NEAR, why="computed"),
    *(
        interp(op, x, out_d=3, out_h=6, out_w=7, why="sizes of no axis", **PIXEL)
        for op, x in (("linear_interp", LINE), (BI, X), (NN, X), (CUBIC, X))
    ),
    *(
        Case(op, (x, None, None, None), {"interp_method": way, **to, **PIXEL}, tol=NEAR)
        for op, x, to, ways in (
            (BI, X, {"out_h": 6, "out_w": 7}, ("nearest", "bicubic")),
            (CUBIC, X, {"out_h": 6, "out_w": 7}, ("nearest", "bilinear")),
            (NN, X, {"out_h": 6, "out_w": 7}, ("bilinear", "bicubic")),
            ("trilinear_interp", VOLUME, {"out_d": 5, "out_h": 3, "out_w": 7}, ("nearest",)),
            (NN, VOLUME, {"out_d": 5, "out_h": 3, "out_w": 7}, ("nearest", "trilinear")),
        )
        for way in ways
    ),
    interp(NN, VOLUME, out_d=5, out_h=3, out_w=7, why="corners of a volume"),
    interp("linear_interp", LINE, out_w=9, interp_method="nearest", raises=Unsupported),
    interp("linear_interp", X, out_w=9, raises=BadType, why="an image"),
    *(interp(op, X, out_w=7, raises=BadType, why="no height") for op in (BI, NN, CUBIC)),
    *(interp(op, X, out_h=7, raises=BadType, why="no width") for op in (BI, NN, CUBIC)),
    interp("trilinear_interp", VOLUME, out_h=3, out_w=7, raises=BadType, why="no depth"),
    interp(
        "trilinear_interp",
        rand(1, 3, 4, 5, 2),
        out_d=5,
        out_h=3,
        out_w=7,
        data_format="NDHWC",
        **PIXEL,
    ),
    interp(CUBIC, rand(2, 4, 5, 3), out_h=6, out_w=7, data_format="NHWC", align_corners=False),
    *(
        interp(op, X, out_h=6, out_w=7, align_mode=0, align_corners=False, why="no modes")
        for op in (NN, CUBIC)
    ),
    *(
        Case(
            "interp_antialias",
            (x, None, None, None),
            {"align_corners": False, "align_mode": 0, "interp_method": "bilinear"} | how,
            tol=NEAR,
        )
        for x, how in (
            (rand(1, 9, 8, 2), {"out_h": 4, "out_w": 5, "data_format": "NHWC"}),
            (rand(1, 2, 9, 8), {"out_d": 3, "out_h": 4, "out_w": 5}),
            (rand(1, 2, 9, 8), {"scale": [0.5, 0.6]}),
        )
    ),
]

LIMITS: list[Limit] = []
