"""Questions about resizing and sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Case, Const, Tolerance, f
from ..question import Question, because, lite, plain, sizes, torch

FOUR = f(1, 2, 3, 4)
RAMP = f(0, 10, 20, 30)
BUMP = f(0, 0, 10, 0)
NEAR = Tolerance(relative=1e-4, absolute=1e-4)
HALF: dict[str, Any] = {"half_pixel_centers": True}
ALIGNED: dict[str, Any] = {"align_corners": True}
GRID = f([-1, 0], [-0.5, 0], [0.9, 0], [1.5, 0]).reshape(1, 1, 4, 2)


def wide(x: np.ndarray) -> np.ndarray:
    """A row as an image of one channel and one line."""
    return x.reshape(1, 1, 1, -1)


def onnx(x: np.ndarray, size: int, **attrs: Any) -> Case:
    """ONNX's Resize to a size."""
    to = sizes(1, 1, 1, size, dtype=np.int64)
    return Case("Resize", (wide(x), None, None, to), attrs)


def tf(op: str, x: np.ndarray, size: int, **attrs: Any) -> Case:
    """TensorFlow's resizing."""
    return Case(op, (x.reshape(1, 1, -1, 1), sizes(1, size)), attrs)


def small(op: str, x: np.ndarray, size: int, **attrs: Any) -> Case:
    """TFLite's resizing."""
    return lite(op, x.reshape(1, 1, -1, 1), sizes(1, size), **attrs)


def paddle(op: str, x: np.ndarray, size: int, **attrs: Any) -> Case:
    """Paddle's resizing."""
    given = {"out_h": 1, "out_w": size, "interp_method": op.removesuffix("_interp")}
    return Case(op, (wide(x), None, None, None), given | attrs)


def sample_row(x: np.ndarray, grid: np.ndarray, mode: str, border: str, **corners: bool) -> Any:
    """Samples of an image; all by default where `corners` is empty."""
    aligned = corners.get("aligned", False)
    names = {"bilinear": "linear"}
    codes = ("bilinear", "nearest", "bicubic").index(mode)
    borders = ("zeros", "border", "reflection").index(border)
    return {
        "onnx": plain("GridSample", wide(x), grid, mode=names.get(mode, mode), padding_mode=border,
                      align_corners=int(aligned)),
        "torch": torch("grid_sampler", wide(x), grid, codes, borders, aligned),
        "paddle": plain("grid_sample", wide(x), grid, mode=mode, padding_mode=border,
                        align_corners=aligned),
    }  # fmt: skip


NEAREST_TF, NEAREST_LITE = "ResizeNearestNeighbor", "RESIZE_NEAREST_NEIGHBOR"
QUESTIONS = [
    Question(
        "RESIZE",
        "Which elements does nearest resize take by default?",
        (FOUR,),
        {
            "onnx": onnx(FOUR, 5),
            "torch": torch("upsample_nearest2d.vec", wide(FOUR), [1, 5], None),
            "tensorflow": tf(NEAREST_TF, FOUR, 5),
            "tflite": small(NEAREST_LITE, FOUR, 5),
            "paddle": paddle("nearest_interp", FOUR, 5, align_corners=False),
        },
        "Four elements become five, every option left alone (Paddle without its default of aligned "
        "corners). ONNX takes centres of pixels and rounds a half down "
        "(`half_pixel`, `round_prefer_floor`), the others floor(i * 4 / 5).",
    ),
    Question(
        "RESIZE",
        "Which way does nearest resize round a half?",
        (FOUR,),
        {
            "onnx": onnx(FOUR, 2),
            "torch": torch("_upsample_nearest_exact2d.vec", wide(FOUR), [1, 2], None),
            "tensorflow": tf(NEAREST_TF, FOUR, 2, **HALF),
            "tflite": small(NEAREST_LITE, FOUR, 2, **HALF),
            "paddle": paddle("nearest_interp", FOUR, 2, align_corners=False),
        },
        "Four elements become two; the centres lie exactly between two elements. The variants with "
        "centres of pixels are asked where there are two (PyTorch's `nearest-exact`).",
    ),
    Question(
        "RESIZE",
        "Which elements does nearest resize take with corners aligned?",
        (FOUR,),
        {
            "onnx": onnx(FOUR, 7, coordinate_transformation_mode="align_corners"),
            "tensorflow": tf(NEAREST_TF, FOUR, 7, **ALIGNED),
            "tflite": small(NEAREST_LITE, FOUR, 7, **ALIGNED),
            "paddle": paddle("nearest_interp", FOUR, 7, align_corners=True),
        },
        "Four elements become seven, every second one at a half. PyTorch's nearest has no such "
        "option.",
    ),
    Question(
        "RESIZE",
        "Where does linear resize take its samples by default?",
        (RAMP,),
        {
            "onnx": onnx(RAMP, 8, mode="linear"),
            "torch": torch("upsample_bilinear2d.vec", wide(RAMP), [1, 8], False, None),
            "tensorflow": tf("ResizeBilinear", RAMP, 8),
            "tflite": small("RESIZE_BILINEAR", RAMP, 8),
            "paddle": paddle("bilinear_interp", RAMP, 8),
        },
        "Centres of pixels (ONNX, PyTorch), corners from 0 on (TensorFlow's and TFLite's "
        "operators), corners aligned at both ends (Paddle's operator). The functions above the "
        "operators choose other defaults: tf.image.resize has centres of pixels, as have "
        "paddle.nn.functional.interpolate's newer modes.",
        tol=NEAR,
    ),
    Question(
        "RESIZE",
        "Does linear resize agree where all take centres of pixels?",
        (RAMP,),
        {
            "onnx": onnx(RAMP, 3, mode="linear"),
            "torch": torch("upsample_bilinear2d.vec", wide(RAMP), [1, 3], False, None),
            "tensorflow": tf("ResizeBilinear", RAMP, 3, **HALF),
            "tflite": small("RESIZE_BILINEAR", RAMP, 3, **HALF),
            "paddle": paddle("bilinear_interp", RAMP, 3, align_corners=False, align_mode=0),
        },
        "Four elements become three.",
        tol=NEAR,
    ),
    Question(
        "RESIZE",
        "Does linear resize agree with corners aligned?",
        (RAMP,),
        {
            "onnx": onnx(RAMP, 3, mode="linear", coordinate_transformation_mode="align_corners"),
            "torch": torch("upsample_bilinear2d.vec", wide(RAMP), [1, 3], True, None),
            "tensorflow": tf("ResizeBilinear", RAMP, 3, **ALIGNED),
            "tflite": small("RESIZE_BILINEAR", RAMP, 3, **ALIGNED),
            "paddle": paddle("bilinear_interp", RAMP, 3, align_corners=True),
        },
        "Four elements become three.",
        tol=NEAR,
    ),
    Question(
        "RESIZE",
        "What becomes of one element with corners aligned?",
        (RAMP,),
        {
            "onnx": onnx(RAMP, 1, mode="linear", coordinate_transformation_mode="align_corners"),
            "torch": torch("upsample_bilinear2d.vec", wide(RAMP), [1, 1], True, None),
            "tensorflow": tf("ResizeBilinear", RAMP, 1, **ALIGNED),
            "tflite": small("RESIZE_BILINEAR", RAMP, 1, **ALIGNED),
            "paddle": paddle("bilinear_interp", RAMP, 1, align_corners=True),
        },
        "(size - 1) / (1 - 1) has no value: the first element is the usual answer.",
        tol=NEAR,
    ),
    Question(
        "RESIZE",
        "Is a given scale kept, or computed again from the sizes?",
        (FOUR,),
        {
            "onnx": Case("Resize", (wide(FOUR), None, Const(f(1, 1, 1, 1.6))), {"mode": "linear"}),
            "torch": torch("upsample_bilinear2d.vec", wide(FOUR), None, False, [1.0, 1.6]),
            "paddle": Case("bilinear_interp", (wide(FOUR), None, None, None),
                           {"scale": [1.0, 1.6], "align_corners": False, "align_mode": 0,
                            "interp_method": "bilinear"}),
        },
        "4 * 1.6 is 6.4, hence six elements. The scale is kept: the distance between samples is "
        "1 / 1.6 and not 4 / 6.",
        tol=NEAR,
    ),
    Question(
        "RESIZE",
        "What is the coefficient of cubic resize?",
        (BUMP,),
        {
            "onnx": onnx(BUMP, 8, mode="cubic"),
            "torch": torch("upsample_bicubic2d.vec", wide(BUMP), [1, 8], False, None),
            "tensorflow": tf("ResizeBicubic", BUMP, 8, **HALF),
            "paddle": paddle("bicubic_interp", BUMP, 8, align_corners=False),
        },
        "-0.75 in ONNX, PyTorch and Paddle; TensorFlow with centres of pixels has -0.5 and leaves "
        "out what lies outside.",
        tol=NEAR,
    ),
    Question(
        "RESIZE",
        "Where does cubic resize take its samples by default?",
        (BUMP,),
        {
            "onnx": onnx(BUMP, 8, mode="cubic"),
            "tensorflow": tf("ResizeBicubic", BUMP, 8),
            "paddle": paddle("bicubic_interp", BUMP, 8),
        },
        "TensorFlow's operator begins at the corner, with a coefficient of -0.75; Paddle's aligns "
        "the corners.",
        tol=NEAR,
    ),
    Question(
        "RESIZE",
        "Does an antialiased resize count what lies outside?",
        (BUMP,),
        {
            "onnx": onnx(BUMP, 2, mode="linear", antialias=1),
            "torch": torch("_upsample_bilinear2d_aa.vec", wide(BUMP), [1, 2], False, None),
            "tensorflow": Case("ScaleAndTranslate",
                               (BUMP.reshape(1, 1, 4, 1), sizes(1, 2), Const(f(1, 0.5)),
                                Const(f(0, 0))), {"kernel_type": "triangle", "antialias": True}),
        },
        "The filter of the antialiased variants hangs over the edge: ONNX repeats the edge "
        "there (unless `exclude_outside` is set), the others leave it out.",
        tol=NEAR,
    ),
    Question(
        "GRID_SAMPLE",
        "Are the corners of grid_sample aligned by default?",
        (FOUR, GRID[0, 0]),
        {
            "onnx": plain("GridSample", wide(FOUR), GRID),
            "torch": torch("grid_sampler", wide(FOUR), GRID, 0, 0, False),
            "paddle": plain("grid_sample", wide(FOUR), GRID),
        },
        "-1 is the edge of the first element, or its centre. PyTorch's operator is asked with the "
        "default of torch.nn.functional.grid_sample.",
        tol=NEAR,
    ),
    Question(
        "GRID_SAMPLE",
        "Does grid_sample agree on what lies outside?",
        (FOUR, GRID[0, 0]),
        sample_row(FOUR, GRID, "bilinear", "border"),
        "Border: the nearest element inside.",
        tol=NEAR,
    ),
    Question(
        "GRID_SAMPLE",
        "Which way does a nearest grid_sample round a half?",
        (FOUR,),
        sample_row(FOUR, f([-0.5, 0], [0, 0], [0.5, 0]).reshape(1, 1, 3, 2), "nearest", "zeros"),
        "Positions 0.5, 1.5 and 2.5.",
        tol=NEAR,
    ),
    Question(
        "GRID_SAMPLE",
        "What does grid_sample make of NaN in the grid?",
        (FOUR,),
        sample_row(FOUR, f([np.nan, 0], [0, 0]).reshape(1, 1, 2, 2), "bilinear", "zeros"),
        "NaN as a float, and an index out of range as an integer.",
        tol=NEAR,
        strays=because(
            "a NaN in a grid has no place to it", "torch onnxruntime", "paddle onnxruntime"
        ),
    ),
]  # fmt: skip
