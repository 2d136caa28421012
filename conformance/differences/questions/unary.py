"""Questions about functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import Case, f, i
from ..question import (
    SIGNS,
    UNLOOKED,
    ZEROS,
    Question,
    because,
    lite,
    plain,
    same,
    torch,
)

nan, inf = np.nan, np.inf
HALVES = f(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
FAR = f(-1.7, 1.7, 300, -300)
HUGE = f(3e9, -3e9, inf, -inf, nan)
LEAST = i(-(1 << 31), dtype=np.int32)
ONNX_TYPES = {"uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9}


def casts(x: np.ndarray, to: Precision) -> dict[str, Case]:
    """A cast in every framework."""
    code = ONNX_TYPES[to.dtype.name]
    return {
        "onnx": plain("Cast", x, to=code),
        "torch": torch("_to_copy", x, dtype=to),
        "tensorflow": plain("Cast", x, DstT=to),
        "tflite": lite("CAST", x, to=to.dtype, out_data_type=to),
        "paddle": plain("cast", x, to),
    }


QUESTIONS = [
    Question(
        "ROUND",
        "How are halves rounded?",
        (HALVES,),
        same(HALVES, onnx="Round", torch="round", tensorflow="Round", tflite="ROUND",
             paddle="round"),
        "To the even neighbour, everywhere; C's round goes away from zero.",
        {},
    ),
    Question(
        "ROUND",
        "Which zero does -0.3 round to?",
        (f(-0.3, -0.0),),
        same(f(-0.3, -0.0), onnx="Round", torch="round", tensorflow="Round", tflite="ROUND",
             paddle="round"),
        "IEEE says -0.",
        {},
        tol=SIGNS,
        strays=because(ZEROS, "tflite"),
    ),
    Question(
        "SIGN",
        "What is the sign of NaN and of -0?",
        (f(nan, -0.0, -2),),
        same(f(nan, -0.0, -2), onnx="Sign", torch="sign", tensorflow="Sign", tflite="SIGN",
             paddle="sign"),
        "A difference of two comparisons gives 0 for NaN.",
        {},
        tol=SIGNS,
    ),
    Question(
        "ABS",
        "What is the absolute value of the least int32?",
        (LEAST,),
        same(LEAST, onnx="Abs", torch="abs", tensorflow="Abs", tflite="ABS", paddle="abs"),
        "Its opposite is no int32.",
        {},
    ),
    Question(
        "NEG",
        "What is minus the least int32?",
        (LEAST,),
        same(LEAST, onnx="Neg", torch="neg", tensorflow="Neg", tflite="NEG"),
        "Two's complement leaves it as it is.",
        {},
    ),
    Question(
        "CEIL",
        "Which zero is the ceiling of -0.5?",
        (f(-0.0, -0.5),),
        same(f(-0.0, -0.5), onnx="Ceil", torch="ceil", tensorflow="Ceil", tflite="CEIL",
             paddle="ceil"),
        "IEEE says -0.",
        tol=SIGNS,
    ),
    Question(
        "SQRT",
        "What is the square root of negative numbers and of -0?",
        (f(-1, -0.0, inf, nan),),
        same(f(-1, -0.0, inf, nan), onnx="Sqrt", torch="sqrt", tensorflow="Sqrt", tflite="SQRT",
             paddle="sqrt"),
        "IEEE says that the root of -0 is -0.",
        {},
        tol=SIGNS,
    ),
    Question(
        "RSQRT",
        "What is one over the square root of zeros?",
        (f(0, -0.0, -1, inf),),
        same(f(0, -0.0, -1, inf), torch="rsqrt", tensorflow="Rsqrt", tflite="RSQRT",
             paddle="rsqrt"),
        "The reciprocal of -0 is -inf, but many kernels estimate and refine.",
        {},
    ),
    Question(
        "LOG",
        "What is the logarithm of zero and of negative numbers?",
        (f(0, -0.0, -1, inf, nan),),
        same(f(0, -0.0, -1, inf, nan), onnx="Log", torch="log", tensorflow="Log", tflite="LOG",
             paddle="log"),
        "-inf for both zeros, NaN below.",
        {},
    ),
    Question(
        "LOG",
        "Are subnormal numbers kept or taken for zero?",
        (f(1e-40),),
        same(f(1e-40), onnx="Log", torch="log", tensorflow="Log", tflite="LOG", paddle="log"),
        "The logarithm of 1e-40 is -92.1; whoever flushes subnormal numbers to zero answers "
        "-inf or, as here, something on the way to it.",
        {},
        strays=because("the devices keep subnormal numbers", "tensorflow"),
    ),
    Question(
        "ADD",
        "Are subnormal results kept or flushed to zero?",
        (f(1e-40), f(1e-40)),
        same(f(1e-40), f(1e-40), onnx="Add", torch="add.Tensor", tensorflow="Add", tflite="ADD",
             paddle="add"),
        "Threads of TensorFlow's runtime set the processor to flush.",
        {},
        tol=SIGNS,
        strays=because("the devices keep subnormal numbers", "tensorflow"),
    ),
    Question(
        "EXP",
        "May exp be asked of integers?",
        (i(0, 1, dtype=np.int32),),
        same(i(0, 1, dtype=np.int32), onnx="Exp", torch="exp", tensorflow="Exp", tflite="EXP",
             paddle="exp"),
        "PyTorch promotes integers to float; the others have to be asked for a cast.",
        strays=because(UNLOOKED, "onnx"),
    ),
    Question(
        "RECIPROCAL",
        "What is the reciprocal of integers?",
        (i(2, 0, -1, dtype=np.int32),),
        same(i(2, 0, -1, dtype=np.int32), onnx="Reciprocal", torch="reciprocal",
             tensorflow="Reciprocal", paddle="reciprocal"),
        "An integer can only give 0, or has to become a float.",
        strays=because(UNLOOKED, "onnx"),
    ),
    Question(
        "CAST",
        "How does a cast from float to int8 treat numbers out of range?",
        (FAR,),
        casts(FAR, Precision.INT8),
        "All cut the fraction off. Beyond the range the standard of C leaves everything open: "
        "wrapping and saturating are both seen.",
        {"dtype": Precision.INT8},
    ),
    Question(
        "CAST",
        "How does a cast from float to uint8 treat numbers out of range?",
        (FAR,),
        casts(FAR, Precision.UINT8),
        "Negative numbers are out of range, too.",
        {"dtype": Precision.UINT8},
    ),
    Question(
        "CAST",
        "How does a cast from float to int32 treat huge numbers, infinities and NaN?",
        (HUGE,),
        casts(HUGE, Precision.INT32),
        "x86 answers the least int32 to whatever does not fit, ARM saturates and makes NaN 0: the "
        "answers here are those of the machine that asked.",
        {"dtype": Precision.INT32},
    ),
    Question(
        "CAST",
        "How does a cast from float to int64 treat infinities and NaN?",
        (HUGE,),
        casts(HUGE, Precision.INT64),
        "As for int32, but 3e9 fits.",
        {"dtype": Precision.INT64},
    ),
    Question(
        "CAST",
        "Is NaN true, and is 0.4?",
        (f(nan, 0.4, -0.0, 0),),
        casts(f(nan, 0.4, -0.0, 0), Precision.BOOL8),
        "Everything that is not zero is.",
        {"dtype": Precision.BOOL8},
    ),
    Question(
        "CAST",
        "Does a cast from int32 to int8 wrap around?",
        (i(127, 128, -129, 300, dtype=np.int32),),
        casts(i(127, 128, -129, 300, dtype=np.int32), Precision.INT8),
        "The upper bits are dropped.",
        {"dtype": Precision.INT8},
    ),
    Question(
        "LGAMMA",
        "What is lgamma at its poles?",
        (f(0, -1, -inf, inf),),
        same(f(0, -1, -inf, inf), torch="lgamma", tensorflow="Lgamma", paddle="lgamma"),
        "It is infinite at every integer up to 0.",
        {},
    ),
    Question(
        "DIGAMMA",
        "What is digamma at its poles?",
        (f(0, -0.0, -1),),
        same(f(0, -0.0, -1), torch="digamma", tensorflow="Digamma", paddle="digamma"),
        "The limit depends on the side; at zero the sign says which.",
        {},
    ),
    Question(
        "ERF",
        "Is erf of tiny numbers exact?",
        (f(1e-20, 0.5, 4, inf),),
        same(f(1e-20, 0.5, 4, inf), onnx="Erf", torch="erf", tensorflow="Erf", paddle="erf"),
        "An approximation for the middle may lose what is near zero.",
        {},
    ),
]  # fmt: skip
