"""Questions about gathers, scatters and one-hot rows."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import Case, f, i, scalar
from ..question import UNLOOKED, Question, because, lite, number, plain, sizes, torch

ROW = f(10, 20, 30)
I32 = np.int32
nan = np.nan


def gathers(places: np.ndarray) -> dict[str, Case]:
    """The elements of ROW at places."""
    narrow = places.astype(I32)
    return {
        "onnx": plain("Gather", ROW, places),
        "torch": torch("index_select", ROW, 0, places),
        "tensorflow": plain("GatherV2", ROW, narrow, number(0)),
        "tflite": lite("GATHER", ROW, narrow, axis=0),
        "paddle": plain("gather", ROW, places, number(0)),
    }


def elements(places: np.ndarray) -> dict[str, Case]:
    """The elements of ROW at places, axis by axis."""
    return {
        "onnx": plain("GatherElements", ROW, places),
        "torch": torch("gather", ROW, 0, places),
        "paddle": plain("take_along_axis", ROW, places, 0),
    }


def rows(places: np.ndarray) -> dict[str, Case]:
    """The elements of ROW at places that may have several coordinates."""
    column = places.reshape(-1, 1)
    return {
        "onnx": plain("GatherND", ROW, column),
        "torch": torch("index.Tensor", ROW, [places]),
        "tensorflow": plain("GatherNd", ROW, column.astype(I32)),
        "tflite": lite("GATHER_ND", ROW, column.astype(I32)),
        "paddle": plain("gather_nd", ROW, column),
    }


def hot(places: np.ndarray) -> dict[str, Case]:
    """Rows of three with a one each."""
    narrow = places.astype(I32)
    on, off = number(1, np.float32), number(0, np.float32)
    return {
        "onnx": plain("OneHot", places, scalar(3, np.int64), f(0, 1)),
        "torch": torch("one_hot", places, 3),
        "tensorflow": plain("OneHot", narrow, number(3), on, off),
        "tflite": lite("ONE_HOT", narrow, number(3), on, off, to=np.float32, axis=-1),
        "paddle": plain("one_hot", places, number(3)),
    }


def scatter_row(places: np.ndarray, values: np.ndarray) -> dict[str, Case]:
    """Values put into ROW."""
    column = places.reshape(-1, 1)
    return {
        "onnx": plain("ScatterND", ROW, column, values),
        "torch": torch("index_put", ROW, [places], values),
        "tensorflow": plain("TensorScatterUpdate", ROW, column.astype(I32), values),
        "paddle": plain("scatter", ROW, places, values),
    }


def put(places: np.ndarray, values: np.ndarray) -> dict[str, Case]:
    """Values put into ROW, element by element."""
    return {
        "onnx": plain("ScatterElements", ROW, places, values),
        "torch": torch("scatter.src", ROW, 0, places, values),
        "paddle": plain("put_along_axis", ROW, places, values, 0),
    }


QUESTIONS = [
    Question(
        "GATHER",
        "Does gather count negative indices from the end?",
        (ROW, i(-1, -3)),
        gathers(i(-1, -3)),
        "Python does; a kernel may refuse, or read what is not there.",
        {},
    ),
    Question(
        "GATHER",
        "What does gather do with an index that is too large?",
        (ROW, i(0, 3)),
        gathers(i(0, 3)),
        "Refuse, or give 0: TensorFlow refuses on a processor and gives 0 on a GPU.",
    ),
    Question(
        "GATHER_ELEMENTS",
        "Does gather along an axis count negative indices from the end?",
        (ROW, i(-1, -3)),
        elements(i(-1, -3)),
        "torch.gather refuses, although indexing in Python counts.",
    ),
    Question(
        "GATHER_ND",
        "Does gather_nd count negative indices from the end?",
        (ROW, i(-1, -3)),
        rows(i(-1, -3)),
        "In PyTorch it is indexing with a tensor.",
    ),
    Question(
        "GATHER_ND",
        "What does gather_nd do with an index that is too large?",
        (ROW, i(0, 3)),
        rows(i(0, 3)),
        "Each index names one element of three.",
    ),
    Question(
        "GATHER",
        "May an index be anything but an integer?",
        (ROW, np.array([True, False, True])),
        {
            "torch": torch("index.Tensor", ROW, [np.array([True, False, True])]),
            "tensorflow": plain("GatherV2", ROW, np.array([True, False, True]), number(0)),
            "onnx": plain("Gather", ROW, np.array([True, False, True])),
            "paddle": plain("gather", ROW, np.array([True, False, True]), number(0)),
        },
        "In PyTorch booleans are a mask.",
        strays=because(UNLOOKED, "onnx"),
    ),
    Question(
        "EQUAL",
        "What is the one-hot row of an index out of range?",
        (i(1, 3, -1),),
        hot(i(1, 3, -1)),
        "A row of zeros, a refusal, or counted from the end: three conventions.",
    ),
    Question(
        "SCATTER_ND",
        "Which value stays where scatter names a place twice?",
        (ROW, i(1, 1), f(1, 2)),
        scatter_row(i(1, 1), f(1, 2)),
        "ONNX forbids it and PyTorch leaves it open; on one thread the last one stays.",
        None,
    ),
    Question(
        "SCATTER_ND",
        "Does scatter count negative indices from the end?",
        (ROW, i(-1), f(1)),
        scatter_row(i(-1), f(1)),
        "As for gather.",
    ),
    Question(
        "SCATTER_ND",
        "What does scatter do with an index that is too large?",
        (ROW, i(3), f(1)),
        scatter_row(i(3), f(1)),
        "A GPU may drop it silently where a processor refuses.",
    ),
    Question(
        "SCATTER_ND",
        "Are values added or overwritten where a scatter into zeros names a place twice?",
        (i(1, 1), f(1, 2)),
        {
            "tensorflow": plain("ScatterNd", i([1], [1], dtype=I32), f(1, 2), sizes(3)),
            "tflite": lite("SCATTER_ND", i([1], [1], dtype=I32), f(1, 2), sizes(3),
                           to=np.float32),
            "onnx": plain("ScatterND", f(0, 0, 0), i([1], [1]), f(1, 2)),
        },
        "TensorFlow's scatter_nd adds, ONNX's operator of the same name overwrites.",
    ),
    Question(
        "SCATTER_ELEMENTS",
        "Does scatter along an axis count negative indices from the end?",
        (ROW, i(-1), f(1)),
        put(i(-1), f(1)),
        "As for gather.",
    ),
    Question(
        "SCATTER_ELEMENTS",
        "Which value stays where a scatter along an axis names a place twice?",
        (ROW, i(1, 1), f(1, 2)),
        put(i(1, 1), f(1, 2)),
        "As for scatter.",
    ),
    Question(
        "SCATTER_ELEMENTS",
        "Does a mean of scattered values count what was there before?",
        (ROW, i(1, 1), f(1, 2)),
        {
            "torch": torch("scatter_reduce.two", ROW, 0, i(1, 1), f(1, 2), "mean"),
            "paddle": plain("put_along_axis", ROW, i(1, 1), f(1, 2), 0, "mean"),
        },
        "20, 1 and 2 make 7.67, and 1 and 2 make 1.5; `include_self` is true by default.",
    ),
    Question(
        "SLICE",
        "May a slice go beyond the end?",
        (ROW,),
        {
            "onnx": plain("Slice", ROW, sizes(1, dtype=np.int64), sizes(9, dtype=np.int64)),
            "torch": torch("slice.Tensor", ROW, 0, 1, 9),
            "tensorflow": plain("StridedSlice", ROW, sizes(1), sizes(9), sizes(1)),
            "tflite": lite("STRIDED_SLICE", ROW, sizes(1), sizes(9), sizes(1)),
            "paddle": plain("slice", ROW, [0], [1], [9], [1], []),
        },
        "Python clamps; all of these, too.",
    ),
    Question(
        "SLICE",
        "What is a slice whose begin lies behind the end of the data?",
        (ROW,),
        {
            "onnx": plain("Slice", ROW, sizes(5, dtype=np.int64), sizes(9, dtype=np.int64)),
            "torch": torch("slice.Tensor", ROW, 0, 5, 9),
            "tensorflow": plain("StridedSlice", ROW, sizes(5), sizes(9), sizes(1)),
            "tflite": lite("STRIDED_SLICE", ROW, sizes(5), sizes(9), sizes(1)),
            "paddle": plain("slice", ROW, [0], [5], [9], [1], []),
        },
        "Nothing, as in Python.",
    ),
    Question(
        "NON_ZERO",
        "Is NaN counted as nonzero, and -0?",
        (f(nan, -0.0, 0, 2),),
        {
            "onnx": plain("NonZero", f(nan, -0.0, 0, 2)),
            "torch": torch("nonzero", f(nan, -0.0, 0, 2)),
            "tensorflow": plain("Where", f(nan, -0.0, 0, 2)),
            "paddle": plain("nonzero", f(nan, -0.0, 0, 2)),
        },
        "The answer lists places.",
        {},
    ),
    Question(
        "UNIQUE",
        "In which order come unique elements?",
        (f(3, 1, 3, 2, 1),),
        {
            "onnx": plain("Unique", f(3, 1, 3, 2, 1)),
            "torch": Case("aten._unique2.default", (f(3, 1, 3, 2, 1),), read=1),
            "tensorflow": Case("Unique", (f(3, 1, 3, 2, 1),), read=1),
            "tflite": Case("UNIQUE", (f(3, 1, 3, 2, 1),), {"idx_out_type": Precision.INT32},
                           results=(np.float32, np.int32), read=1),
            "paddle": Case("unique", (f(3, 1, 3, 2, 1),), read=1),
        },
        "Sorted, or as they first appear.",
    ),
    Question(
        "UNIQUE",
        "Is NaN equal to NaN for unique?",
        (f(nan, 1, nan),),
        {
            "onnx": plain("Unique", f(nan, 1, nan)),
            "torch": Case("aten._unique2.default", (f(nan, 1, nan),), read=1),
            "tensorflow": Case("Unique", (f(nan, 1, nan),), read=1),
            "paddle": Case("unique", (f(nan, 1, nan),), read=1),
        },
        "By comparison it is not; NumPy says that it is, since 1.21.",
        strays=because("ONNX Runtime's Unique is lost by NaN", "onnx onnxruntime",
                       "paddle onnxruntime")
        | because("NaN is equal to NaN in the standard", "paddle builtin"),
    ),
]  # fmt: skip
