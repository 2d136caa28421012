"""Questions about ranges."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import Case, Const, f, scalar
from ..question import Question, number, plain, torch

F4, I4 = Precision.FLOAT32, Precision.INT32


def ranges(start: float, end: float, step: float) -> dict[str, Case]:
    """A range of floats."""
    given = [scalar(v) for v in (start, end, step)]
    known = [Const(a) for a in given]
    return {
        "onnx": plain("Range", *known),
        "torch": torch("arange.start_step", start, end, step, dtype=F4),
        "tensorflow": plain("Range", *known),
        "tflite": Case("RANGE", tuple(known), results=(np.float32,)),
        "paddle": plain("arange", *(Const(f(v)) for v in (start, end, step)), dtype=F4),
    }


QUESTIONS = [
    Question(
        "RANGE",
        "Does a range of floats stop before its end?",
        (f(1, 1.3, 0.1),),
        ranges(1, 1.3, 0.1),
        "From 1 to 1.3 by 0.1. PyTorch counts in float64, where (1.3 - 1) / 0.1 is a little "
        "more than 3, and so reaches the end itself; the others are given float32 numbers, "
        "whose quotient is a little less.",
    ),
    Question(
        "RANGE",
        "What is a range whose step leads away from its end?",
        (f(0, 3, -1),),
        ranges(0, 3, -1),
        "Nothing, or an error.",
    ),
    Question(
        "RANGE",
        "How does linspace round to whole numbers?",
        (f(0.7, 9.9),),
        {
            "torch": torch("linspace", 0.7, 9.9, 4, dtype=I4),
            "paddle": plain("linspace", Const(f(0.7)), Const(f(9.9)), number([4]), I4),
        },
        "The fraction of each number is cut; the ends are not cut first.",
    ),
]
