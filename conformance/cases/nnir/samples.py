"""Resizes and grids, a row for each kind of parameter, against the operators' own references."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from nnir.ops import resize
from nnir.types import InterpolateMode, PadMode

from ...case import Const, Tolerance, f, i, rand
from .direct import DirectCase, referred
from .typed import takes

CLOSE = Tolerance(relative=1e-5, absolute=1e-5)
IMAGE = rand(1, 2, 4, 5)
RULES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
SIZES = {
    "up": i(1, 2, 7, 9),
    "down": i(1, 2, 2, 3),
    "to one": i(1, 2, 1, 1),
    "twice": i(1, 2, 8, 10),
}
SCALES = {"scales": f(1, 1, 1.6, 0.7), "twice by scales": f(1, 1, 2, 3)}


def _resized(why: str, sizes: Any = None, scales: Any = None, **attrs: Any) -> DirectCase:
    return referred(resize.resize, (IMAGE, None, scales, sizes), attrs, CLOSE, why)


def _resizes() -> Iterator[DirectCase]:
    for rule, rounding in product(RULES, ROUNDINGS):
        how: dict[str, Any] = {"coordinate_transformation_mode": rule, "nearest_mode": rounding}
        for word, sizes in SIZES.items():
            yield _resized(f"{rule}, {rounding}, {word}", Const(sizes), **how)
        yield _resized(f"{rule}, {rounding}, up, given", SIZES["up"], **how)
        yield _resized(f"{rule}, {rounding}, scales", None, Const(SCALES["scales"]), **how)
    for mode, rule in product(("linear", "cubic"), RULES):
        how = {"coordinate_transformation_mode": rule, "mode": mode}
        for word, sizes in SIZES.items():
            yield _resized(f"{mode}, {rule}, {word}", Const(sizes), **how)
        yield _resized(f"{mode}, {rule}, up, given", SIZES["up"], **how)
        yield _resized(f"{mode}, {rule}, to one, given", SIZES["to one"], **how)
        for word, scales in SCALES.items():
            yield _resized(f"{mode}, {rule}, {word}", None, Const(scales), **how)
            yield _resized(f"{mode}, {rule}, {word}, given", None, scales, **how)
    for mode, flag in product(("linear", "cubic"), ("antialias", "exclude_outside")):
        for word in ("up", "down"):
            yield _resized(f"{mode}, {flag}, {word}", Const(SIZES[word]), mode=mode, **{flag: True})
            yield _resized(f"{mode}, {flag}, {word}, given", SIZES[word], mode=mode, **{flag: True})
    yield _resized("another cubic", Const(SIZES["up"]), mode="cubic", cubic_coeff_a=-0.5)
    yield _resized("another cubic, given", SIZES["up"], mode="cubic", cubic_coeff_a=-0.5)
    for mode, policy in product(("nearest", "linear"), ("not_larger", "not_smaller")):
        for word, sizes in (("up", i(7, 11)), ("down", i(3, 2))):
            how = {"mode": mode, "keep_aspect_ratio_policy": policy, "axes": (2, 3)}
            yield _resized(f"{mode}, {policy}, {word}", Const(sizes), **how)
            yield _resized(f"{mode}, {policy}, {word}, given", sizes, **how)
    for mode in ("nearest", "linear"):
        for axes in ((3, 2), (-1,), (1, 3)):
            sizes = i(7, 3)[: len(axes)]
            yield _resized(f"{mode}, axes {axes}", Const(sizes), mode=mode, axes=axes)
            yield _resized(f"{mode}, axes {axes}, given", sizes, mode=mode, axes=axes)
        region = Const(f(0, 0, 0.2, -0.3, 1, 1, 1.4, 0.9))
        how = {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize"}
        how |= {"extrapolation_value": 9.0}
        inputs = (IMAGE, region, None, Const(SIZES["up"]))
        yield referred(resize.resize, inputs, how, CLOSE, f"{mode}, a region")


def _grids() -> Iterator[DirectCase]:
    image, grid = rand(2, 3, 4, 5), rand(2, 3, 4, 2, low=-1.6, high=1.6)
    infinite = np.where(image > 1.5, np.float32(np.inf), image)
    for align in (True, False):
        attrs: dict[str, Any] = {
            "mode": InterpolateMode.NEAREST,
            "pad_mode": PadMode.EDGE,
            "align_corners": align,
        }
        why = f"NEAREST of infinities, align_corners {align}"
        yield referred(resize.grid_sample, (infinite, grid), attrs, CLOSE, why)
    for mode, border, align in product(InterpolateMode, PadMode, (True, False)):
        attrs = {"mode": mode, "pad_mode": border, "align_corners": align}
        why = f"{mode.name}, {border.name}, align_corners {align}"
        yield referred(resize.grid_sample, (image, grid), attrs, CLOSE, why)
    for size, align in product((i(2, 1, 3, 4), i(2, 1, 2, 3, 4)), (True, False)):
        theta = rand(2, len(size) - 2, len(size) - 1)
        for word, given in (("known", Const(size)), ("given", size)):
            why = f"{word}, {len(size) - 2} axes, align_corners {align}"
            yield referred(resize.affine_grid, (theta, given), {"align_corners": align}, CLOSE, why)


CASES = [case for case in (*_resizes(), *_grids()) if takes(case)]

OPENED = [c for c in CASES if "to one" not in c.why and "twice" not in c.why]
"""Those that run with open sizes too."""

TURNED = [c for c in CASES if c.why.endswith((", down", ", scales", ", known"))]
"""Those that run on data in another order of axes too."""
