"""Detection operators of torchvision; its own wheel needs CUDA, see `oracles/torchvision.py`."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering

from ...case import Case, Limit, Tolerance, f, rand

SUMS = Tolerance(relative=1e-5, absolute=2e-5)
BOXES = np.array(
    [[0, 0, 4, 4], [1, 1, 4, 4], [5, 5, 8, 8], [0, 0, 3, 4], [5, 5, 8, 7], [2, 2, 2, 2]], np.float32
)
SCORES = f(0.5, 0.9, 0.3, 0.5, 0.8, 0.1)
X = rand(2, 8, 6, 7)
ROIS = np.array(
    [[0, 0, 0, 5, 4], [1, 1.3, 0.6, 6.4, 5.2], [1, -3, -2, 2, 9], [0, 3, 3, 2, 2]], np.float32
)


def each(op: str, *rows: tuple, tol: Tolerance = SUMS) -> list[Case]:  # type: ignore[type-arg]
    """Cases of one operator: inputs and why."""
    return [Case(op, inputs, tol=tol, why=why) for inputs, why in rows]


def deformed(*rest: int, use_mask: bool = True) -> tuple:  # type: ignore[type-arg]
    """Arguments of deform_conv2d: strides, pads, dilations and groups."""
    sh, sw, ph, pw, dh, dw, groups, offsets = rest
    rows, columns = (6 + 2 * ph - 2 * dh - 1) // sh + 1, (7 + 2 * pw - dw - 1) // sw + 1
    given = X, rand(4, 8 // groups, 3, 2), rand(2, offsets * 12, rows, columns)
    mask = rand(2, offsets * 6 if use_mask else 0, rows if use_mask else 1, columns, seed=1)
    return (*given, mask, rand(4), *rest, use_mask)


CASES: list[Case] = [
    *each(
        "torchvision.nms.default",
        ((BOXES, SCORES, 0.5), "plain"),
        ((BOXES, SCORES, 1.0), "all stay"),
        ((BOXES, SCORES, 0.0), "none that touch"),
        ((BOXES[:0], SCORES[:0], 0.5), "no boxes"),
        ((BOXES[:, [2, 1, 0, 3]], SCORES, 0.1), "swapped corners"),
        ((rand(20, 4), rand(20), 0.3), "any corners"),
    ),
    *each(
        "torchvision.roi_align.default",
        ((X, ROIS, 1.0, 2, 3, 2, False), "plain"),
        ((X, ROIS, 0.5, 2, 2, -1, True), "aligned, any samples"),
    ),
    *each(
        "torchvision.roi_pool.default",
        ((X, ROIS, 1.0, 2, 3), "plain"),
        ((X, ROIS, 0.5, 2, 2), "scaled"),
    ),
    *each("torchvision.ps_roi_align.default", ((X, ROIS, 1.0, 2, 2, 2), "plain")),
    *each(
        "torchvision.deform_conv2d.default",
        (deformed(1, 1, 1, 0, 1, 1, 1, 1), "plain"),
        (deformed(2, 1, 0, 1, 1, 2, 2, 2), "everything"),
        (deformed(1, 1, 1, 1, 1, 1, 1, 1, use_mask=False), "no mask"),
    ),
]
LIMITS: list[Limit] = [
    Limit(
        "torchvision.roi_pool.default",
        device="onnxruntime",
        raises=NoLowering,
        why="positions in regions have no kernel",
    ),
]
