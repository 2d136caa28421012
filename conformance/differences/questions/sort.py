"""Questions about sorting, and about the largest elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Case, f
from ..question import TOP, Question, because, lite, number, plain, sizes, torch

nan = np.nan
TIES = f(1, 3, 3, 2, 3)
HOLES = f(1, nan, 3, nan, 2)
MANY = np.array([1.0, 2.0] * 10, np.float32)


def best(x: np.ndarray, k: int, **more: Any) -> dict[str, Case]:
    """The k largest elements and their places."""
    cases = {
        "onnx": plain("TopK", x, sizes(k, dtype=np.int64)),
        "torch": torch("topk", x, k),
        "tensorflow": plain("TopKV2", x, number(k)),
        "tflite": lite("TOPK_V2", x, number(k), to=(np.float32, np.int32)),
        "paddle": plain("topk", x, number(k)),
    }
    cases["onnx"] = Case("TopK", cases["onnx"].inputs, outputs=2)
    return cases


QUESTIONS = [
    Question(
        "TOP_K",
        "Which of equal elements does top-k name first?",
        (TIES,),
        best(TIES, 3),
        "ONNX, TensorFlow and TFLite promise the lower place; PyTorch and Paddle promise nothing.",
        strays=because(
            "no order is promised; the standard names the first ones", "torch", "paddle"
        ),
    ),
    Question(
        "TOP_K",
        "Which of many equal elements does top-k name?",
        (MANY,),
        best(MANY, 4),
        "An algorithm that partitions shows itself only in longer rows.",
        strays=because(
            "no order is promised; the standard names the first ones", "torch", "paddle"
        ),
    ),
    Question(
        "TOP_K",
        "Is NaN among the largest elements?",
        (HOLES,),
        best(HOLES, 3),
        "NumPy and PyTorch sort NaN behind infinity.",
        strays=because(
            TOP, "onnx onnxruntime", "torch onnxruntime", "paddle onnxruntime", "tensorflow builtin"
        )
        | because("NaN is the largest in the standard", "tflite"),
    ),
    Question(
        "TOP_K",
        "Where does an ascending sort put NaN?",
        (HOLES,),
        {
            "torch": torch("sort", HOLES),
            "paddle": plain("argsort", HOLES),
        },
        "Both also answer with places.",
        strays=because(TOP, "torch onnxruntime", "paddle onnxruntime"),
    ),
    Question(
        "TOP_K",
        "Where does a descending sort put NaN?",
        (HOLES,),
        {
            "torch": torch("sort", HOLES, -1, True),
            "paddle": plain("argsort", HOLES, descending=True),
        },
        "The exact mirror of the ascending one begins with it.",
        strays=because(TOP, "torch onnxruntime", "paddle onnxruntime"),
    ),
    Question(
        "TOP_K",
        "In which order leaves a descending stable sort what is equal?",
        (TIES,),
        {
            "torch": torch("sort.stable", TIES, stable=True, dim=-1, descending=True),
            "paddle": plain("argsort", TIES, descending=True, stable=True),
        },
        "As it was, not turned around.",
    ),
    Question(
        "TOP_K",
        "Which of two medians does an even row have?",
        (f(4, 1, 3, 2),),
        {
            "torch": torch("median", f(4, 1, 3, 2)),
            "paddle": Case("median", (f(4, 1, 3, 2),), {"axis": [0]}, read=1),
        },
        "The lower one, or the mean of both.",
    ),
    Question(
        "TOP_K",
        "Does a search in a sorted row go left or right of what is equal?",
        (f(1, 2, 2, 3), f(2)),
        {
            "torch": torch("searchsorted.Tensor", f(1, 2, 2, 3), f(2)),
            "tensorflow": plain("LowerBound", f([1, 2, 2, 3]), f([2])),
            "paddle": plain("searchsorted", f(1, 2, 2, 3), f(2)),
        },
        "To the left by default. TensorFlow's operator takes rows.",
    ),
    Question(
        "TOP_K",
        "In which bucket is a number that equals a boundary?",
        (f(0, 1, 2, nan),),
        {
            "torch": torch("bucketize.Tensor", f(0, 1, 2, nan), f(0, 1, 2)),
            "tensorflow": plain("Bucketize", f(0, 1, 2, nan), boundaries=[0.0, 1.0, 2.0]),
            "tflite": lite("BUCKETIZE", f(0, 1, 2, nan), to=np.int32, boundaries=(0.0, 1.0, 2.0)),
        },
        "Above it in TensorFlow and TFLite, below it in PyTorch.",
    ),
]
