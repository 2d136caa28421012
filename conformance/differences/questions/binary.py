"""Questions about arithmetic on two tensors."""

from __future__ import annotations

import numpy as np

from ...case import f, i
from ..question import SIGNS, ZEROS, Question, because, plain, same, torch

nan, inf = np.nan, np.inf
A, B = i(-7, 7, -7, 7, dtype=np.int32), i(2, -2, -2, 2, dtype=np.int32)
FA, FB = A.astype(np.float32), B.astype(np.float32)
ONES, NOUGHTS = i(1, 0, -1, dtype=np.int32), i(0, 0, 0, dtype=np.int32)
LEAST = np.array([-(1 << 31)], np.int32)
MINUS = i(-1, dtype=np.int32)

QUESTIONS = [
    Question(
        "DIV",
        "How does division of integers round?",
        (A, B),
        same(A, B, onnx="Div", torch="div.Tensor", tensorflow="Div", tflite="DIV",
             paddle="divide"),
        "Each framework's operator that is called division. PyTorch and Paddle may leave the "
        "integers.",
        {},
    ),
    Question(
        "FLOOR_DIV",
        "Does floor division of integers round down?",
        (A, B),
        same(A, B, torch="floor_divide", tensorflow="FloorDiv", tflite="FLOOR_DIV",
             paddle="floor_divide"),
        "ONNX has no floor division.",
        {},
    ),
    Question(
        "FLOOR_DIV",
        "What is floor division of floats by zero?",
        (f(1, -1, 0), f(0, 0, 0)),
        same(f(1, -1, 0), f(0, 0, 0), torch="floor_divide", tensorflow="FloorDiv",
             tflite="FLOOR_DIV", paddle="floor_divide"),
        "The floor of an infinity is an infinity, but a kernel may compute it from a remainder.",
        {},
    ),
    Question(
        "DIV",
        "What is an integer divided by zero?",
        (ONES, NOUGHTS),
        {
            **same(ONES, NOUGHTS, onnx="Div", tensorflow="Div", tflite="DIV", paddle="divide"),
            "torch": torch("div.Tensor_mode", ONES, NOUGHTS, rounding_mode="trunc"),
        },
        "The processor traps; each framework decides what the user sees. NaN and infinities are "
        "the answers of those who divide integers as floats.",
    ),
    Question(
        "MOD",
        "Which sign has the remainder of integers?",
        (A, B),
        {
            **same(A, B, onnx="Mod", torch="remainder.Tensor", tensorflow="FloorMod",
                   tflite="FLOOR_MOD", paddle="remainder"),
        },
        "The sign of the divisor (Python's %) in the operator that each framework calls modulo "
        "or remainder.",
        {},
    ),
    Question(
        "MOD",
        "Which sign has the remainder called fmod?",
        (FA, FB),
        {
            "onnx": plain("Mod", FA, FB, fmod=1),
            "torch": torch("fmod.Tensor", FA, FB),
            "tensorflow": plain("TruncateMod", FA, FB),
        },
        "The sign of the dividend (C's %). TensorFlow calls it TruncateMod.",
        {"fmod": True},
    ),
    Question(
        "MOD",
        "What does TensorFlow's Mod mean beside FloorMod?",
        (A, B),
        {
            "tensorflow": plain("Mod", A, B),
            "onnx": plain("Mod", A, B, fmod=1),
            "torch": torch("remainder.Tensor", A, B),
        },
        "`tf.math.mod` is FloorMod; the raw operator `Mod` is C's %.",
    ),
    Question(
        "MOD",
        "What is the float remainder by zero or by infinity?",
        (f(1, -1, 1), f(0, inf, -inf)),
        same(f(1, -1, 1), f(0, inf, -inf), torch="remainder.Tensor", tensorflow="FloorMod",
             tflite="FLOOR_MOD", paddle="remainder"),
        "Python gives inf for -1 % inf, as the sign must be the divisor's.",
        {},
    ),
    Question(
        "MOD",
        "Which sign has a remainder of zero?",
        (f(-4, 4), f(2, -2)),
        same(f(-4, 4), f(2, -2), torch="remainder.Tensor", tensorflow="FloorMod",
             tflite="FLOOR_MOD", paddle="remainder"),
        "It shows only in what is divided by it later.",
        {},
        tol=SIGNS,
    ),
    Question(
        "DIV",
        "What is the least int32 divided by -1?",
        (LEAST, MINUS),
        {
            **same(LEAST, MINUS, onnx="Div", tensorflow="Div", tflite="DIV", paddle="divide"),
            "torch": torch("div.Tensor_mode", LEAST, MINUS, rounding_mode="trunc"),
        },
        "The quotient, 2147483648, is no int32, and the processor traps. Whoever divides as "
        "floats does not notice.",
        strays=because("the standard's integers wrap around", "tflite"),
    ),
    Question(
        "FLOOR_DIV",
        "What is the floor quotient of the least int32 by -1?",
        (LEAST, MINUS),
        same(LEAST, MINUS, torch="floor_divide", tensorflow="FloorDiv", tflite="FLOOR_DIV",
             paddle="floor_divide"),
        "As in the question on plain division.",
    ),
    Question(
        "MUL",
        "Does int32 multiplication wrap around?",
        (i(1 << 30, dtype=np.int32), i(4, dtype=np.int32)),
        same(i(1 << 30, dtype=np.int32), i(4, dtype=np.int32), onnx="Mul", torch="mul.Tensor",
             tensorflow="Mul", tflite="MUL", paddle="multiply"),
        "None of them saturates.",
        {},
    ),
    Question(
        "POW",
        "What is a negative base to a broken power, and zero to the zeroth?",
        (f(-8, 0, -2, 0, nan), f(1 / 3, 0, 3, -1, 0)),
        same(f(-8, 0, -2, 0, nan), f(1 / 3, 0, 3, -1, 0), onnx="Pow",
             torch="pow.Tensor_Tensor", tensorflow="Pow", tflite="POW", paddle="elementwise_pow"),
        "C's pow: NaN for the first, 1 for the second, whatever is raised to 0.",
        {},
    ),
    Question(
        "POW",
        "What is an integer to a negative power?",
        (i(2, 1, -1, 0, dtype=np.int32), i(-1, -1, -3, 2, dtype=np.int32)),
        same(i(2, 1, -1, 0, dtype=np.int32), i(-1, -1, -3, 2, dtype=np.int32), onnx="Pow",
             torch="pow.Tensor_Tensor", tensorflow="Pow", tflite="POW", paddle="elementwise_pow"),
        "One half is no integer: some refuse, some round towards zero.",
    ),
    Question(
        "POW",
        "Which type has an integer to the power of a float?",
        (i(2, 3), f(0.5, 2)),
        same(i(2, 3), f(0.5, 2), onnx="Pow", torch="pow.Tensor_Tensor"),
        "ONNX keeps the type of the base; PyTorch promotes to the float. The others want one type.",
    ),
    Question(
        "MAX",
        "Is the larger of NaN and a number NaN?",
        (f(nan, 1, nan), f(1, nan, nan)),
        same(f(nan, 1, nan), f(1, nan, nan), onnx="Max", torch="maximum", tensorflow="Maximum",
             tflite="MAXIMUM", paddle="maximum"),
        "IEEE's maximum and NumPy's say yes, C's fmax says no. TFLite gives the second operand "
        "wherever one is NaN, so that the answer depends on their order.",
        {},
        strays=because("NaN wins in the standard", "tflite"),
    ),
    Question(
        "MIN",
        "Is the smaller of NaN and a number NaN?",
        (f(nan, 1, nan), f(1, nan, nan)),
        same(f(nan, 1, nan), f(1, nan, nan), onnx="Min", torch="minimum", tensorflow="Minimum",
             tflite="MINIMUM", paddle="minimum"),
        "As for the larger one: TFLite gives the second operand wherever one is NaN.",
        {},
        strays=because("NaN wins in the standard", "tflite"),
    ),
    Question(
        "MAX",
        "Which zero is larger, 0 or -0?",
        (f(0, -0.0), f(-0.0, 0)),
        same(f(0, -0.0), f(-0.0, 0), onnx="Max", torch="maximum", tensorflow="Maximum",
             tflite="MAXIMUM", paddle="maximum"),
        "They compare equal, so that the answer is whichever operand the kernel prefers.",
        {},
        tol=SIGNS,
        strays=because(ZEROS, "onnx onnxruntime", "torch builtin", "tensorflow builtin",
                       "tflite onnxruntime", "paddle onnxruntime"),
    ),
    Question(
        "SUB",
        "Does uint8 subtraction wrap around?",
        (i(1, 200, dtype=np.uint8), i(2, 100, dtype=np.uint8)),
        same(i(1, 200, dtype=np.uint8), i(2, 100, dtype=np.uint8), onnx="Sub",
             torch="sub.Tensor", tensorflow="Sub", paddle="subtract"),
        "Images are often uint8: 1 - 2 is 255.",
        {},
    ),
    Question(
        "BIT_SHIFT",
        "Does a right shift of negative numbers keep the sign?",
        (i(-8, -1, dtype=np.int32), i(1, 1, dtype=np.int32)),
        same(i(-8, -1, dtype=np.int32), i(1, 1, dtype=np.int32),
             torch="bitwise_right_shift.Tensor", tensorflow="RightShift", tflite="RIGHT_SHIFT",
             paddle="bitwise_right_shift"),
        "ONNX's BitShift takes unsigned integers only.",
        {"left": False},
    ),
    Question(
        "BIT_SHIFT",
        "What does a shift by 32, 33 or -1 bits do to an int32?",
        (i(5, 5, 5, dtype=np.int32), i(32, 33, -1, dtype=np.int32)),
        same(i(5, 5, 5, dtype=np.int32), i(32, 33, -1, dtype=np.int32),
             torch="bitwise_left_shift.Tensor", tensorflow="LeftShift",
             paddle="bitwise_left_shift"),
        "Undefined in C; the processor takes the lower five bits, others shift everything out.",
        {"left": True},
    ),
    Question(
        "BIT_SHIFT",
        "What does a right shift by 32 or -1 bits do to an int32?",
        (i(-5, 5, 5, dtype=np.int32), i(32, 33, -1, dtype=np.int32)),
        same(i(-5, 5, 5, dtype=np.int32), i(32, 33, -1, dtype=np.int32),
             torch="bitwise_right_shift.Tensor", tensorflow="RightShift", tflite="RIGHT_SHIFT",
             paddle="bitwise_right_shift"),
        "As to the left, but what is left of a negative number may be 0 or -1.",
        {"left": False},
    ),
    Question(
        "BITWISE_NOT",
        "What is bitwise not of negative numbers?",
        (i(-1, 0, 5, dtype=np.int32),),
        same(i(-1, 0, 5, dtype=np.int32), onnx="BitwiseNot", torch="bitwise_not",
             tensorflow="Invert", paddle="bitwise_not"),
        "Two's complement everywhere: -x - 1.",
        {},
    ),
    Question(
        "ATAN2",
        "What is atan2 of zeros?",
        (f(0, 0, -0.0, -0.0), f(-0.0, 0, -0.0, 0)),
        same(f(0, 0, -0.0, -0.0), f(-0.0, 0, -0.0, 0), torch="atan2", tensorflow="Atan2",
             tflite="ATAN2", paddle="atan2"),
        "The signs of zeros choose among 0, -0, pi and -pi.",
        {},
        tol=SIGNS,
        strays=because(ZEROS, "torch onnxruntime", "tensorflow onnxruntime", "tflite onnxruntime",
                       "paddle onnxruntime"),
    ),
]  # fmt: skip
