"""Questions about reductions, and about running sums."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import Case, f, i
from ..question import Question, because, lite, number, plain, sizes, torch

nan, inf = np.nan, np.inf
ONE = f(5)
NONE = np.zeros((2, 0), np.float32)
COUNTS = i(1, 2, 2, -6, dtype=np.int32)
BIG = i((1 << 31) - 1, 1, dtype=np.int32)
BYTES = i(200, 100, dtype=np.uint8)
TIES = f(1, 3, 3, nan, 9)
NEAR = f(1, 3, 3, 2)


def reduce_row(x: np.ndarray, **names: str) -> dict[str, Case]:
    """A reduction over the last axis."""
    axis = -1
    found: dict[str, Case] = {}
    if "onnx" in names:
        found["onnx"] = plain(names["onnx"], x, sizes(axis, dtype=np.int64), keepdims=0)
    if "torch" in names:
        axes = axis if names["torch"].endswith((".dim", ".dim_int")) else [axis]
        found["torch"] = torch(names["torch"], x, axes)
    if "tensorflow" in names:
        found["tensorflow"] = plain(names["tensorflow"], x, sizes(axis))
    if "tflite" in names:
        found["tflite"] = lite(names["tflite"], x, sizes(axis))
    if "paddle" in names:
        found["paddle"] = plain(names["paddle"], x, [axis])
    return found


def winners(x: np.ndarray, best: str) -> dict[str, Case]:
    """Where the largest ("max") or smallest element is."""
    return {
        "onnx": plain(f"Arg{best.title()}", x, axis=0, keepdims=0),
        "torch": torch(f"arg{best}", x, 0),
        "tensorflow": plain(f"Arg{best.title()}", x, number(0)),
        "tflite": lite(f"ARG_{best.upper()}", x, number(0), to=np.int64,
                       output_type=Precision.INT64),
        "paddle": plain(f"arg{best}", x, number(0, np.int64), dtype=Precision.INT64),
    }  # fmt: skip


MAXIMA = {"onnx": "ReduceMax", "torch": "amax", "tensorflow": "Max", "tflite": "REDUCE_MAX",
          "paddle": "amax"}  # fmt: skip
MEANS = {"onnx": "ReduceMean", "torch": "mean.dim", "tensorflow": "Mean", "tflite": "MEAN",
         "paddle": "mean"}  # fmt: skip
SUMS = {"onnx": "ReduceSum", "torch": "sum.dim_IntList", "tensorflow": "Sum", "tflite": "SUM",
        "paddle": "sum"}  # fmt: skip
FIRST = {"keepdim": False}

QUESTIONS = [
    Question(
        "REDUCE_MAX",
        "Is the maximum of a row with NaN NaN?",
        (f([1, nan, 3], [nan, 1, 3]),),
        reduce_row(f([1, nan, 3], [nan, 1, 3]), **MAXIMA),
        "The answer may depend on where in the row the NaN is.",
        strays=because("ONNX Runtime's ReduceMax passes over NaN", "onnx onnxruntime",
                       "torch onnxruntime", "tensorflow onnxruntime", "paddle onnxruntime")
        | because("NaN wins in the standard", "tflite"),
    ),
    Question(
        "REDUCE_MAX",
        "What is the maximum of nothing?",
        (NONE,),
        reduce_row(NONE, **{k: v for k, v in MAXIMA.items() if k != "paddle"}),
        "-infinity is the neutral element; NumPy and PyTorch refuse instead, and ONNX Runtime's "
        "answer has a shape that it should not have. Paddle is not shown: it answers with "
        "memory that it never wrote.",
        strays=because("the standard begins with -infinity", "tflite"),
    ),
    Question(
        "REDUCE_MEAN",
        "What is the mean of nothing?",
        (NONE,),
        reduce_row(NONE, **MEANS),
        "0 / 0 is NaN. ONNX Runtime's answer has a shape that it should not have.",
    ),
    Question(
        "REDUCE_MEAN",
        "How is the mean of integers rounded, and is it an integer?",
        (i([1, 2], [-1, -2], dtype=np.int32),),
        reduce_row(i([1, 2], [-1, -2], dtype=np.int32), **MEANS),
        "1.5 and -1.5 have to be cut, floored or refused.",
    ),
    Question(
        "REDUCE_SUM",
        "Does the sum of int32 overflow?",
        (BIG,),
        reduce_row(BIG, **SUMS),
        "PyTorch and Paddle sum int32 in int64. ONNX Runtime saturates, so that its own answer "
        "is off by one here.",
    ),
    Question(
        "REDUCE_SUM",
        "Does the sum of uint8 overflow?",
        (BYTES,),
        reduce_row(BYTES, **{k: v for k, v in SUMS.items() if k != "tflite"}),
        "As for int32; 300 is not a byte.",
    ),
    Question(
        "REDUCE_PROD",
        "What is the product of nothing?",
        (NONE,),
        {
            **reduce_row(NONE, onnx="ReduceProd", torch="prod.dim_int", tensorflow="Prod",
                      tflite="REDUCE_PROD"),
            "paddle": plain("prod", NONE, [-1], False, False),
        },
        "One is the neutral element.",
    ),
    Question(
        "REDUCE_LOG_SUM_EXP",
        "What is logsumexp of -infinity only, and does it overflow?",
        (f([-inf, -inf], [100, 100]),),
        reduce_row(f([-inf, -inf], [100, 100]), onnx="ReduceLogSumExp", torch="logsumexp",
                paddle="logsumexp"),
        "Subtracting the largest element first makes NaN of -inf - -inf; not subtracting it "
        "overflows.",
        strays=because("the logarithm of 0 is -infinity, as ONNX Runtime says", "onnx", "paddle"),
    ),
    Question(
        "REDUCE_LOG_SUM_EXP",
        "What is logsumexp of a row with infinity?",
        (f(0, inf),),
        reduce_row(f(0, inf), onnx="ReduceLogSumExp", torch="logsumexp", paddle="logsumexp"),
        "inf - inf is NaN, where nobody takes care.",
        strays=because("the standard gives infinity", "paddle"),
    ),
    Question(
        "ARG_MAX",
        "Which of equal maxima does argmax name?",
        (NEAR,),
        winners(NEAR, "max"),
        "The first, nearly everywhere; ONNX can be asked for the last.",
        {"axis": 0, **FIRST},
    ),
    Question(
        "ARG_MIN",
        "Which of equal minima does argmin name?",
        (-NEAR,),
        winners(-NEAR, "min"),
        "As for argmax.",
        {"axis": 0, **FIRST},
    ),
    Question(
        "ARG_MAX",
        "Is NaN the largest element for argmax?",
        (TIES,),
        winners(TIES, "max"),
        "NumPy and PyTorch name the first NaN; a plain comparison never finds it.",
        {"axis": 0, **FIRST},
    ),
    Question(
        "ARG_MAX",
        "What does argmax say of a row that begins with NaN?",
        (f(nan, 1, 3),),
        winners(f(nan, 1, 3), "max"),
        "A plain comparison never leaves a NaN that comes first.",
        {"axis": 0, **FIRST},
    ),
    Question(
        "ARG_MIN",
        "Is NaN the smallest element for argmin?",
        (TIES,),
        winners(TIES, "min"),
        "As for argmax: NaN wins twice or never.",
        {"axis": 0, **FIRST},
    ),
    Question(
        "REDUCE_MEAN",
        "Is the standard deviation by default the biased one?",
        (f(1, 2, 4),),
        {
            "torch": torch("std.correction", f(1, 2, 4), [0]),
            "paddle": plain("std", f(1, 2, 4), [0]),
        },
        "PyTorch and Paddle divide by n - 1. The others have no single operator; "
        "`tf.math.reduce_std` and ONNX's normalisations divide by n.",
    ),
    Question(
        "REDUCE_MEAN",
        "What is the standard deviation of one element?",
        (ONE,),
        {
            "torch": torch("std.correction", ONE, [0]),
            "paddle": plain("std", ONE, [0]),
        },
        "Division by n - 1 is 0 / 0 here.",
    ),
    Question(
        "REDUCE_MAX",
        "Is any of a row with NaN true?",
        (f(nan, 0),),
        {
            "torch": torch("any.dim", f(nan, 0), 0),
            "paddle": plain("any", f(nan, 0), [0]),
            "tensorflow": plain("Any", f(nan, 0), sizes(0)),
            "tflite": lite("REDUCE_ANY", f(nan, 0), sizes(0), to=np.bool_),
        },
        "NaN is not zero, hence true; TensorFlow wants booleans.",
    ),
    Question(
        "CUM_SUM",
        "Does a running sum of int32 overflow?",
        (BIG,),
        {
            "onnx": plain("CumSum", BIG, number(0)),
            "torch": torch("cumsum", BIG, 0),
            "tensorflow": plain("Cumsum", BIG, number(0)),
            "tflite": lite("CUMSUM", BIG, number(0)),
            "paddle": plain("cumsum", BIG, number(0)),
        },
        "PyTorch's has the type int64.",
    ),
    Question(
        "CUM_SUM",
        "Does a running sum keep NaN to the end?",
        (f(1, nan, 2, inf, -inf),),
        {
            "onnx": plain("CumSum", f(1, nan, 2, inf, -inf), number(0)),
            "torch": torch("cumsum", f(1, nan, 2, inf, -inf), 0),
            "tensorflow": plain("Cumsum", f(1, nan, 2, inf, -inf), number(0)),
            "tflite": lite("CUMSUM", f(1, nan, 2, inf, -inf), number(0)),
            "paddle": plain("cumsum", f(1, nan, 2, inf, -inf), number(0)),
        },
        "Once NaN, always NaN.",
    ),
    Question(
        "CUM_MAX",
        "What does a running maximum make of NaN, and which of equal ones does it name?",
        (f(1, 3, 3, nan, 5),),
        {
            "torch": torch("cummax", f(1, 3, 3, nan, 5), 0),
            "paddle": plain("cummax", f(1, 3, 3, nan, 5), 0),
        },
        "Both answer with places as well.",
        {"axis": 0},
    ),
    Question(
        "REDUCE_SUM",
        "Does summing over no axes sum everything or nothing?",
        (f([1, 2], [3, 4]),),
        {
            "onnx": plain("ReduceSum", f([1, 2], [3, 4]), sizes(dtype=np.int64), keepdims=0),
            "torch": torch("sum.dim_IntList", f([1, 2], [3, 4]), []),
            "tensorflow": plain("Sum", f([1, 2], [3, 4]), sizes()),
            "tflite": lite("SUM", f([1, 2], [3, 4]), sizes()),
            "paddle": plain("sum", f([1, 2], [3, 4]), []),
        },
        "An empty list of axes: everything in some frameworks, nothing in others. ONNX can be "
        "told with `noop_with_empty_axes`.",
    ),
]  # fmt: skip
