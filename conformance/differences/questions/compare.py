"""Questions about comparisons, logic and clipping."""

from __future__ import annotations

import numpy as np

from ...case import f, i, scalar
from ..question import SIGNS, UNLOOKED, Question, because, plain, same, torch

nan, inf = np.nan, np.inf
LIMITS = scalar(0), scalar(1)

QUESTIONS = [
    Question(
        "CLIP",
        "Does clip keep NaN?",
        (f(nan, -5, 5), *LIMITS),
        {
            **same(f(nan, -5, 5), *LIMITS, onnx="Clip", tensorflow="ClipByValue"),
            "torch": torch("clamp", f(nan, -5, 5), 0.0, 1.0),
            "paddle": plain("clip", f(nan, -5, 5), 0.0, 1.0),
        },
        "min(max(x, low), high) keeps NaN or turns it into a limit, by the order of operands.",
        {},
    ),
    Question(
        "CLIP",
        "What does clip give where the lower limit is above the upper one?",
        (f(-1, 2, 9), scalar(5), scalar(3)),
        {
            **same(f(-1, 2, 9), scalar(5), scalar(3), onnx="Clip", tensorflow="ClipByValue"),
            "torch": torch("clamp", f(-1, 2, 9), 5.0, 3.0),
            "paddle": plain("clip", f(-1, 2, 9), 5.0, 3.0),
        },
        "Whichever limit is applied last wins.",
        {},
    ),
    Question(
        "CLIP",
        "What does clip give where a limit is NaN?",
        (f(-1, 2, 9), scalar(nan), scalar(3)),
        {
            **same(f(-1, 2, 9), scalar(nan), scalar(3), onnx="Clip", tensorflow="ClipByValue"),
            "torch": torch("clamp", f(-1, 2, 9), nan, 3.0),
            "paddle": plain("clip", f(-1, 2, 9), nan, 3.0),
        },
        "PyTorch says that everything becomes NaN.",
        {},
        strays=because(
            "ONNX Runtime's Clip passes over NaN", "onnx onnxruntime", "torch onnxruntime"
        )
        | because("NaN wins in the standard", "tensorflow"),
    ),
    Question(
        "EQUAL",
        "Is NaN equal to itself, and 0 to -0?",
        (f(nan, 0, inf), f(nan, -0.0, inf)),
        same(f(nan, 0, inf), f(nan, -0.0, inf), onnx="Equal", torch="eq.Tensor",
             tensorflow="Equal", tflite="EQUAL", paddle="equal"),
        "IEEE everywhere: no, and yes.",
        {},
    ),
    Question(
        "NOT_EQUAL",
        "Does NaN differ from itself?",
        (f(nan, 1), f(nan, 1)),
        same(f(nan, 1), f(nan, 1), torch="ne.Tensor", tensorflow="NotEqual", tflite="NOT_EQUAL",
             paddle="not_equal"),
        "The usual test for NaN is x != x. ONNX has Equal and Not.",
        {},
    ),
    Question(
        "AND",
        "Do logical operators take floats?",
        (f(0, 0.5, nan), f(1, 1, 1)),
        same(f(0, 0.5, nan), f(1, 1, 1), onnx="And", torch="logical_and",
             tensorflow="LogicalAnd", tflite="LOGICAL_AND", paddle="logical_and"),
        "Where they do, all but zero is true, NaN included.",
        strays=because(UNLOOKED, "onnx"),
    ),
    Question(
        "NOT",
        "Does logical negation take integers?",
        (i(0, 1, 2, dtype=np.int32),),
        same(i(0, 1, 2, dtype=np.int32), onnx="Not", torch="logical_not",
             tensorflow="LogicalNot", tflite="LOGICAL_NOT", paddle="logical_not"),
        "As for the other logical operators.",
        strays=because(UNLOOKED, "onnx"),
    ),
    Question(
        "EQUAL",
        "Are large integers compared exactly?",
        (i((1 << 53) + 1), i(1 << 53)),
        same(i((1 << 53) + 1), i(1 << 53), onnx="Equal", torch="eq.Tensor", tensorflow="Equal",
             tflite="EQUAL", paddle="equal"),
        "As floats the two would be one.",
        {},
    ),
    Question(
        "AND",
        "Is NaN close to NaN, and infinity to infinity?",
        (f(nan, inf, inf, 1), f(nan, inf, -inf, 1.000005)),
        {
            "torch": torch("isclose", f(nan, inf, inf, 1), f(nan, inf, -inf, 1.000005)),
            "paddle": plain("isclose", f(nan, inf, inf, 1), f(nan, inf, -inf, 1.000005)),
            "tensorflow": plain("ApproximateEqual", f(nan, inf, inf, 1),
                                f(nan, inf, -inf, 1.000005)),
        },
        "PyTorch and Paddle add a relative tolerance of 1e-5 and an absolute one of 1e-8; "
        "TensorFlow's operator has an absolute one of 1e-5 only, and infinity minus infinity is "
        "NaN. Paddle finds infinity close to -infinity.",
    ),
    Question(
        "WHERE",
        "Does the branch that is not chosen leak NaN?",
        (np.array([True, False]), f(1, nan), f(nan, 2)),
        {
            **same(np.array([True, False]), f(1, nan), f(nan, 2), onnx="Where",
                   torch="where.self", tensorflow="SelectV2", paddle="where"),
        },
        "It would, if selecting were done by multiplying.",
        {},
        tol=SIGNS,
    ),
]  # fmt: skip
