"""Resizing by every rule, to sizes and by scales that are known, or only while running."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.ops import resize

from ...case import Const, Tolerance, f, i, rand
from .engine_rows import Row

CLOSE = Tolerance(relative=2e-5, absolute=2e-5)
X = rand(1, 2, 5, 4)
BYTES = rand(1, 2, 5, 4, dtype=np.uint8, low=0, high=255)
RULES = (
    *("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"),
    "tf_crop_and_resize",
)
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
REGION = f(0, 0, 0.2, 0.1, 1, 1, 0.7, 1.3)
FILTERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("antialias", {"mode": "linear", "antialias": True}),
    ("cubic antialias", {"mode": "cubic", "antialias": True}),
    ("inside only", {"mode": "cubic", "exclude_outside": True, "cubic_coeff_a": -0.5}),
    ("antialias inside", {"mode": "linear", "antialias": True, "exclude_outside": True}),
)


def _ways() -> Iterator[tuple[str, Any, Any]]:
    """Names, scales and sizes."""
    yield "sizes", None, Const(i(1, 2, 7, 3))
    yield "sizes while running", None, i(1, 2, 3, 7)
    yield "scales, two", Const(f(1, 1, 1.3, 0.7)), None
    yield "scales while running", f(1, 1, 0.6, 2.5), None
    yield "one element", None, i(1, 2, 1, 1)


def _rules() -> Iterator[Row]:
    given: Any
    roi: Any
    for k, rule in enumerate(RULES):
        for mode in ("nearest", "linear", "cubic"):
            for n, (name, scales, sizes) in enumerate(_ways()):
                given = {"mode": mode, "coordinate_transformation_mode": rule}
                if mode == "nearest":
                    given["nearest_mode"] = NEAREST[(k + n) % 4]
                roi = None
                if rule == "tf_crop_and_resize":
                    roi = REGION if n % 2 else Const(REGION)
                    given["extrapolation_value"] = 9.5
                tol = Tolerance() if mode == "nearest" else CLOSE
                why = f"{mode}, {rule}, {name}"
                yield Row(resize.resize, (X, roi, scales, sizes), given, tol=tol, why=why)


def _filters() -> Iterator[Row]:
    operands: Any
    for name, scales, sizes in _ways():
        for why, given in FILTERS:
            operands = (X, None, scales, sizes)
            yield Row(resize.resize, operands, given, tol=CLOSE, why=f"{why}, {name}")


def _axes() -> Iterator[Row]:
    operands: Any
    given: Any
    axes: Any
    roi: Any
    crop: Any
    linear: Any
    target: Any
    for policy in ("stretch", "not_larger", "not_smaller"):
        for axes, sizes in (((2, 3), (7, 9)), ((-1, -2), (3, 11)), ((3,), (6,))):
            for is_known in (True, False):
                size = Const(i(*sizes)) if is_known else i(*sizes)
                given = {"mode": "linear", "axes": axes, "keep_aspect_ratio_policy": policy}
                why = f"{policy}, {axes} to {sizes}, {'known' if is_known else 'running'}"
                yield Row(resize.resize, (X, None, None, size), given, tol=CLOSE, why=why)
    for rule in RULES[:-1]:
        for mode, cube in (("linear", -0.75), ("cubic", -0.75), ("cubic", -0.5)):
            given = {"mode": mode, "axes": (3, 2), "coordinate_transformation_mode": rule}
            given |= {"cubic_coeff_a": cube}
            for size in (i(7, 3), i(2, 1)):
                why = f"{mode} {cube}, {rule}, two axes to {size.tolist()}"
                yield Row(resize.resize, (X, None, None, size), given, tol=CLOSE, why=why)
    region = f(0.1, 0.3, 0.8, 1.2)
    given = {
        "mode": "nearest",
        "axes": (3, 2),
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 3.0,
    }
    for roi in (region, Const(region)):
        for data in (X, BYTES, BYTES.astype(np.int32), X.astype(np.float64)):
            why = f"a region of two axes, {isinstance(roi, Const)}"
            yield Row(resize.resize, (data, roi, None, i(4, 6)), given, why=why)
    for mode in ("nearest", "linear", "cubic"):
        for size in (i(1, 2, 3, 4), i(1, 2, 1, 2)):
            for data in (X[:, :, :1], X[:, :, :1, :1]):
                operands = (data, None, None, size)
                why = f"{mode} of {list(data.shape)} to {size.tolist()}"
                yield Row(resize.resize, operands, {"mode": mode}, tol=CLOSE, why=why)
    crop = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}
    for roi in (None, np.zeros(0, np.float32), Const(np.zeros(0, np.float32))):
        operands = (X, roi, None, Const(i(1, 2, 4, 6)))
        why = f"no region, {type(roi).__name__}"
        yield Row(resize.resize, operands, crop, tol=CLOSE, why=why, opens=False)
    linear = {"mode": "linear"}
    why = "a region that does not count"
    yield Row(resize.resize, (X, REGION, None, i(1, 2, 4, 6)), linear, tol=CLOSE, why=why)
    for rank, shape in ((3, (2, 3, 7)), (5, (1, 2, 3, 2, 4))):
        data = rand(*shape)
        target = i(*shape[:2], *(n + 2 for n in shape[2:]))
        for mode in ("nearest", "linear"):
            operands = (data, None, None, target)
            why = f"{mode} over {rank} axes"
            yield Row(resize.resize, operands, {"mode": mode}, tol=CLOSE, why=why)
    yield Row(resize.resize, (rand(3, 5), None, f(2, 1.5)), linear, tol=CLOSE, why="a matrix")


TOLERANCES: dict[Any, Tolerance] = {
    np.float64: Tolerance(1e-9),
    np.float16: Tolerance(2e-3, 0.1),
}


def _types() -> Iterator[Row]:
    operands: Any
    given: Any
    for dtype in (np.uint8, np.int8, np.int16, np.int32, np.int64, np.float64, np.float16):
        low, high = (0, 255) if dtype is np.uint8 else (-128, 127)
        data = rand(1, 1, 3, 4, dtype=np.int64, low=low, high=high).astype(dtype)
        tol = TOLERANCES.get(dtype, Tolerance())
        for mode in ("nearest", "linear"):
            operands = (data, None, None, Const(i(1, 1, 6, 8)))
            given = {"mode": mode}
            yield Row(resize.resize, operands, given, tol=tol, why=mode, opens=False)


def _standard() -> Iterator[Row]:
    operands: Any
    given: Any
    ways: list[tuple[str, Any, Any]] = [
        ("shape", Const(i(7, 3)), None),
        ("shape while running", i(3, 7), None),
        ("scales", None, Const(f(1.5, 0.6))),
        ("scales while running", None, f(2.3, 1.2)),
        ("one element", i(1, 1), None),
    ]
    for name, shape, scales in ways:
        for align in (False, True):
            given = {"align_corners": align}
            why = f"{name}, {align}"
            yield Row(resize.resize_nearest, (X, shape, scales), given, why=why)
            for mode in (0, 1):
                all_given = given | {"align_mode": mode}
                operands = (X, shape, scales)
                why = f"{name}, {align}, {mode}"
                yield Row(resize.resize_linear, operands, all_given, tol=CLOSE, why=why)


def _planes() -> Iterator[Row]:
    """Filters of the two last axes, to sizes that are known only while running."""
    operands: Any
    given: dict[str, Any]
    for why, given in FILTERS:
        operands = (X, None, None, i(3, 7))
        yield Row(resize.resize, operands, given | {"axes": (2, 3)}, tol=CLOSE, why=f"{why}, plane")


CASES: list[Row] = [*_rules(), *_filters(), *_axes(), *_types(), *_standard(), *_planes()]
