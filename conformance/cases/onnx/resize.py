"""ONNX resizing and sampling."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Limit, Tolerance, f, i, rand

ROUNDS = Tolerance(relative=2e-5, absolute=1e-5)
X = rand(1, 2, 5, 4)
UP, ODD, DOWN = f(1, 1, 2, 3), f(1, 1, 1.7, 2.3), f(1, 1, 0.6, 0.8)
COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
)
GRID = rand(1, 3, 2, 2, seed=3, low=-1.3, high=1.3)
DOUBLES = rand(1, 2, 5, 4, dtype=np.float64)
GRID3 = rand(1, 2, 3, 2, 3, seed=4, low=-1.2, high=1.2)


def resized(x: np.ndarray, scales: np.ndarray, why: str = "", **attrs: object) -> Case:
    """Constant scales, as models have them."""
    return Case("Resize", (x, None, Const(scales)), attrs, tol=ROUNDS, why=why)


CASES = [
    *(
        resized(X, s, f"{c} {m} {k}", mode=m, coordinate_transformation_mode=c)
        for c in COORDINATES
        for m in ("linear", "cubic")
        for k, s in (("up", ODD), ("down", DOWN))
    ),
    *(
        resized(X, UP, f"{c} {n}", mode="nearest", coordinate_transformation_mode=c, nearest_mode=n)
        for c in COORDINATES
        for n in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    ),
    resized(X, DOWN, "antialias linear", mode="linear", antialias=1),
    resized(X, DOWN, "antialias cubic", mode="cubic", antialias=1),
    resized(X, DOWN, "exclude_outside", mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5),
    resized(rand(3, 5), f(2, 1.5), "rank 2", mode="linear"),
    resized(rand(2, 3, 2, 3, 2), f(1, 1, 2, 2, 2), "rank 5", mode="linear"),
    resized(X.astype(np.float64), ODD, "double", mode="linear"),
    resized(rand(1, 1, 3, 4, dtype=np.uint8, low=0, high=255), UP, "uint8", mode="nearest"),
    resized(rand(1, 1, 3, 4, dtype=np.int32, low=-9, high=9), UP, "int32", mode="nearest"),
    Case("Resize", (X, None, UP), {"mode": "linear"}, tol=ROUNDS, why="scales at run time"),
    *(
        Case(
            "Resize",
            (X, Const(f()), kind(f()), Const(i(*X.shape[:2], 9, 7))),
            {"mode": mode},
            tol=ROUNDS,
            opset=11,
            oracle="onnxruntime",
            why=f"{mode}, empty {kind.__name__} scales",
        )
        for mode in ("nearest", "linear", "cubic")
        for kind in (Const, np.asarray)
    ),
    Case(
        "Resize",
        (X, None, None, i(1, 2, 9, 3)),
        {"mode": "linear"},
        tol=ROUNDS,
        why="sizes at run time",
    ),
    *(
        Case(
            "Resize",
            (X, None, None, i(1, 2, 9, 5)),
            {"mode": mode, "coordinate_transformation_mode": rule},
            tol=ROUNDS,
            why=f"{mode} to sizes at run time, {rule}",
        )
        for mode in ("linear", "cubic")
        for rule in ("asymmetric", "align_corners", "half_pixel")
    ),
    Case(
        "Resize",
        (X, None, None, Const(i(1, 2, 10, 8))),
        {"mode": "linear"},
        tol=ROUNDS,
        why="known sizes",
    ),
    Case(
        "Resize",
        (X, None, None, Const(i(1, 2, 7, 3))),
        {"mode": "nearest"},
        why="known sizes, nearest",
    ),
    Case(
        "Resize",
        (X, None, None, Const(i(7, 3))),
        {"mode": "cubic", "axes": [2, 3]},
        tol=ROUNDS,
        why="axes",
    ),
    Case(
        "Resize",
        (X, None, None, Const(i(7, 9))),
        {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"},
        tol=ROUNDS,
    ),
    Case(
        "Resize",
        (X, None, None, Const(i(7, 9))),
        {"mode": "linear", "axes": [3, 2], "keep_aspect_ratio_policy": "not_smaller"},
        tol=ROUNDS,
        why="not_smaller, axes in another order",
    ),
    Case(
        "Resize",
        (X, Const(f(0, 0, 0.4, 0.6, 1, 1, 0.6, 1.3)), None, Const(i(1, 2, 3, 4))),
        {
            "mode": "linear",
            "coordinate_transformation_mode": "tf_crop_and_resize",
            "extrapolation_value": 10.0,
        },
        tol=ROUNDS,
        why="a region that reaches outside",
    ),
    Case(
        "Resize",
        (X, Const(f()), Const(ODD)),
        {"mode": "linear"},
        opset=11,
        tol=ROUNDS,
        why="an empty region",
    ),
    Case("Resize", (X, Const(ODD)), {"mode": "linear"}, opset=10, oracle="onnxruntime", tol=ROUNDS),
    Case("Resize", (X, Const(UP)), opset=10, oracle="onnxruntime"),
    Case("Resize", (X, None, Const(UP)), {"mode": "lanczos"}, raises=BadType),
    Case("Resize", (X, None, Const(0 * UP)), raises=BadType, why="by 0"),
    Case(
        "Resize",
        (X, None, Const(UP)),
        {"coordinate_transformation_mode": "tf_half_pixel_for_nn"},
        raises=Unsupported,
    ),
    Case(
        "Resize",
        (X, Const(f()), Const(UP)),
        {"coordinate_transformation_mode": "tf_half_pixel_for_nn"},
        opset=11,
        raises=Unsupported,
    ),
    Case("Resize", (X, None, Const(f(1, 2))), raises=BadType, why="too few scales"),
    Case("Upsample", (X, Const(UP)), opset=9, oracle="onnxruntime"),
    Case(
        "Upsample",
        (X, UP),
        {"mode": "linear"},
        opset=9,
        oracle="onnxruntime",
        tol=ROUNDS,
        why="at run time",
    ),
    Case("Upsample", (X,), {"scales": [1.0, 1.0, 2.0, 3.0]}, opset=7, oracle="onnxruntime"),
    Case(
        "Upsample",
        (X,),
        {"scales": [1.0, 1.0, 2.0, 3.0]},
        opset=6,
        why="scales, too early",
        raises=Unsupported,
    ),
    Case("Upsample", (X, Const(UP)), {"mode": "cubic"}, opset=9, raises=Unsupported),
    *(
        Case(
            "GridSample",
            (X, GRID),
            {"mode": m, "padding_mode": p, "align_corners": a},
            tol=ROUNDS,
            oracle="onnxruntime" if (m, p) == ("cubic", "border") else "reference",
        )
        for m in ("linear", "nearest", "cubic")
        for p in ("zeros", "border", "reflection")
        for a in (0, 1)
    ),
    *(
        Case(
            "GridSample",
            (rand(1, 2, 3, 4, 2), GRID3),
            {"mode": m, "padding_mode": p},
            tol=ROUNDS,
            why=f"3-D {m} {p}",
        )
        for m in ("linear", "nearest")
        for p in ("zeros", "border", "reflection")
    ),
    Case("GridSample", (X, GRID), opset=16, tol=ROUNDS, oracle="onnxruntime", why="defaults"),
    *(
        Case("GridSample", (DOUBLES, GRID.astype(np.float64)), {"mode": m}, tol=ROUNDS)
        for m in ("linear", "cubic")
    ),
    Case("GridSample", (X[..., :0], GRID), raises=BadType, why="no image"),
    Case(
        "GridSample",
        (X, GRID),
        {"mode": "bilinear"},
        opset=16,
        tol=ROUNDS,
        oracle="onnxruntime",
        why="opset 16",
    ),
    Case("GridSample", (X, GRID), {"mode": "lanczos"}, raises=Unsupported),
    Case("GridSample", (X, GRID), {"padding_mode": "wrap"}, raises=Unsupported),
    Case("GridSample", (rand(1, 2, 3), GRID), raises=BadType, why="rank 3"),
    Case("AffineGrid", (rand(2, 2, 3), i(2, 3, 4, 5)), tol=ROUNDS, why="sizes at run time"),
    Case("AffineGrid", (rand(2, 2, 3), Const(i(2, 3, 4, 5))), {"align_corners": 1}, tol=ROUNDS),
    Case("AffineGrid", (rand(1, 3, 4), Const(i(1, 2, 3, 4, 2))), tol=ROUNDS, why="3-D"),
    Case("AffineGrid", (rand(2, 2, 3), Const(i(2, 3, 4))), raises=BadType, why="3 sizes"),
]
LIMITS: list[Limit] = []
CASES += [
    Case(
        "Resize",
        (X, Const(f(0, 0, 0.2, 0.3, 1, 1, 0.8, 0.6)), None, Const(i(1, 2, *size))),
        {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize"},
        tol=ROUNDS,
        why=f"the middle of a region, {mode}, {list(size)}",
    )
    for mode in ("nearest", "linear")
    for size in ((1, 1), (1, 4), (5, 1))
]
