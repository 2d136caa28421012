"""ATen resampling."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Limit, Tolerance, f, rand

inf, nan = np.inf, np.nan
SUMS = Tolerance(relative=1e-5, absolute=1e-5)
HALF = Tolerance(relative=2e-3, absolute=2e-3)
X1, X2, X3 = rand(2, 3, 5), rand(2, 3, 4, 5), rand(1, 2, 3, 4, 5)
NOWHERE = f([nan, 0], [0, nan], [inf, 0], [0.2, 0.3]).reshape(1, 2, 2, 2).repeat(2, 0)
ENDLESS = f([-inf, 0], [inf, inf]).reshape(1, 1, 2, 2).repeat(2, 0)
GRID2, GRID3 = rand(2, 3, 4, 2, low=-1.3, high=1.3), rand(1, 2, 3, 4, 3, low=-1.3, high=1.3)


def each(op: str, *rows: tuple, tol: Tolerance = SUMS) -> list[Case]:  # type: ignore[type-arg]
    """Cases of one operator: inputs and why."""
    return [Case(op, inputs, tol=tol, why=why) for inputs, why in rows]


def nearest(name: str) -> list[Case]:
    """Both rules of the nearest element, over one to three axes."""
    return [
        *each(
            f"aten.{name}1d.vec",
            ((X1, [8], None), "a size"),
            ((X1, None, [1.7]), "a scale"),
            ((X1, None, [0.4]), "fewer"),
        ),
        *each(f"aten.{name}1d.default", ((X1, [8], 1.7), "both"), ((X1, [3]), "a size")),
        *each(
            f"aten.{name}2d.vec",
            ((X2, None, [2.0, 2.0]), "twice"),
            ((X2, [8, 10], None), "twice, as a size"),
            ((X2, None, [1.6, 0.7]), "odd scales"),
            ((X2, [7, 3], None), "odd sizes"),
            ((X2, [4, 5], None), "the same size"),
            ((rand(2, 3, 4, 5, dtype=np.uint8), [8, 10], None), "bytes"),
        ),
        *each(
            f"aten.{name}2d.default",
            ((X2, [6, 9], 1.6, 1.9), "both"),
            ((X2, [6, 9]), "a size"),
        ),
        *each(f"aten.{name}3d.vec", ((X3, None, [2.0, 1.5, 0.5]), "scales")),
        *each(f"aten.{name}3d.default", ((X3, [4, 4, 7]), "a size")),
        *each(f"aten.{name}2d.default", ((X2, [6, 9], 2.5, 1.2), "other scales")),
        *each(f"aten.{name}3d.default", ((X3, [4, 6, 3], 2.5, 1.2, 0.9), "other scales")),
        *each(f"aten.{name}3d.default", ((X3, [4, 6, 3], 1.5, 1.7, 0.7), "scales")),
    ]


def plane(name: str, *, aligned: bool = True) -> list[Case]:
    """A filter over two axes."""
    rows = [
        ((X2, [7, 3], False, None), "odd sizes"),
        ((X2, None, False, [2.0, 2.0]), "twice"),
        ((X2, None, False, [1.6, 0.7]), "odd scales"),
    ]
    if aligned:
        rows += [
            ((X2, [7, 3], True, None), "corners"),
            ((X2, [1, 1], True, None), "one element"),
            ((X2, None, True, [1.6, 0.7]), "corners by scales"),
            ((X2, [4, 5], False, None), "the same size"),
        ]
    return [
        *each(f"aten.{name}.vec", *rows),
        *each(
            f"aten.{name}.default",
            ((X2, [6, 9], False), "a size"),
            ((X2, [6, 9], False, 1.6, 1.9), "both"),
        ),
    ]


CASES: list[Case] = [
    *nearest("upsample_nearest"),
    *nearest("_upsample_nearest_exact"),
    *plane("upsample_bilinear2d"),
    *plane("upsample_bicubic2d"),
    *plane("_upsample_bilinear2d_aa", aligned=False),
    *plane("_upsample_bicubic2d_aa", aligned=False),
    *each(
        "aten.upsample_bilinear2d.vec",
        ((X2.astype(np.float64), [7, 3], False, None), "double"),
        ((rand(0, 3, 4, 5), [7, 3], False, None), "no samples"),
    ),
    *each(
        "aten.upsample_bilinear2d.vec", ((np.float16(X2), [7, 3], False, None), "half"), tol=HALF
    ),
    Case("aten.upsample_bilinear2d.vec", (X1, [7, 3], False, None), raises=BadType, why="rank 3"),
    Case(
        "aten._upsample_bilinear2d_aa.vec",
        (X2, [7, 3], True, None),
        raises=Unsupported,
        why="corners",
    ),
    *each(
        "aten.upsample_linear1d.vec",
        ((X1, [8], False, None), "a size"),
        ((X1, None, True, [1.7]), "corners"),
        ((X1, None, False, [1.7]), "a scale"),
    ),
    *each("aten.upsample_linear1d.default", ((X1, [8], False, 1.7), "both")),
    *each(
        "aten.upsample_trilinear3d.vec",
        ((X3, [4, 3, 7], False, None), "a size"),
        ((X3, None, True, [2.0, 1.5, 0.5]), "corners"),
    ),
    *each("aten.upsample_trilinear3d.default", ((X3, [4, 3, 7], True), "corners")),
    *each("aten.upsample_trilinear3d.default", ((X3, [4, 6, 3], False, 1.5, 1.7, 0.7), "scales")),
    *(
        Case(
            "aten.grid_sampler.default",
            (X2, GRID2, mode, border, corners),
            tol=SUMS,
            why=f"mode {mode}, border {border}, {'corners' if corners else 'edges'}",
        )
        for mode in (0, 1, 2)
        for border in (0, 1, 2)
        for corners in (False, True)
    ),
    Case("aten.grid_sampler.default", (X2, GRID2, 3, 0, True), raises=Unsupported, why="a mode"),
    Case(
        "aten.upsample_bilinear2d.default",
        (rand(1, 1, 2, 2), [6, 9], False, 1.6, 1.9),
        why="scales that give other sizes",
        raises=Unsupported,
    ),
    *each(
        "aten.grid_sampler_2d.default",
        ((X2, GRID2, 0, 0, False), "plain"),
        ((X2, NOWHERE, 0, 0, False), "no place"),
        ((X2, NOWHERE, 2, 0, True), "no place, cubic"),
        ((X2, ENDLESS, 0, 1, False), "infinity at a border that clamps"),
    ),
    *each(
        "aten.grid_sampler_3d.default",
        ((X3, GRID3, 0, 0, False), "plain"),
        ((X3, GRID3, 1, 1, True), "nearest"),
    ),
    *each("aten.grid_sampler.default", ((X3, GRID3, 0, 2, True), "three axes")),
    *each(
        "aten.affine_grid_generator.default",
        ((rand(2, 2, 3), [2, 3, 4, 5], False), "edges"),
        ((rand(2, 2, 3), [2, 3, 4, 5], True), "corners"),
        ((rand(1, 3, 4), [1, 2, 3, 4, 5], False), "three axes"),
        *(
            ((rand(1, 2, 3), size, corners), f"{why}, {corners}")
            for size, why in (([1, 1, 1, 1], "one pixel"), ([1, 2, 1, 3], "one row"))
            for corners in (False, True)
        ),
    ),
]
NO_PLACE = "NaN and infinity in a grid lie outside, or at a border, as the kernel has it"
LIMITS: list[Limit] = [
    Limit("aten.grid_sampler_2d.default", NO_PLACE, device=device, case=case)
    for device, case in (("onnxruntime", "no place"), ("openvino", "infinity"))
]
