"""Questions about products of matrices."""

from __future__ import annotations

import numpy as np

from ...case import f, i
from ..question import Question, because, lite, plain, same, torch

inf = np.inf
EMPTY = np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32)
BIG = i([1 << 30, 1 << 30], dtype=np.int32), i([2], [2], dtype=np.int32)

QUESTIONS = [
    Question(
        "MAT_MUL",
        "Is zero times infinity in a product NaN?",
        (f([0, 1]), f([inf], [1])),
        {
            **same(
                f([0, 1]),
                f([inf], [1]),
                onnx="MatMul",
                torch="matmul",
                tensorflow="MatMul",
                paddle="matmul",
            ),
            "tflite": lite("BATCH_MATMUL", f([0, 1]), f([inf], [1])),
        },
        "A kernel that skips zeros would say 1.",
        {},
    ),
    Question(
        "MAT_MUL",
        "What is a product over nothing?",
        EMPTY,
        {
            **same(*EMPTY, onnx="MatMul", torch="matmul", tensorflow="MatMul", paddle="matmul"),
            "tflite": lite("BATCH_MATMUL", *EMPTY),
        },
        "A matrix of zeros: the sum of nothing.",
    ),
    Question(
        "MAT_MUL",
        "Does a product of int32 matrices wrap around?",
        BIG,
        {
            **same(*BIG, onnx="MatMul", torch="matmul", tensorflow="MatMul", paddle="matmul"),
            "tflite": lite("BATCH_MATMUL", *BIG),
        },
        "2 * 2**31 is 0 in 32 bits. Paddle's answer is what x86 makes of a float that does not "
        "fit.",
        strays=because("the standard's integers wrap around", "paddle"),
    ),
    Question(
        "FULLY_CONNECTED",
        "Are the weights of a dense layer stored by outputs or by inputs?",
        (f([1, 2]), f([1, 10], [100, 1000])),
        {
            "onnx": plain("Gemm", f([1, 2]), f([1, 10], [100, 1000])),
            "torch": torch("linear", f([1, 2]), f([1, 10], [100, 1000])),
            "tensorflow": plain("MatMul", f([1, 2]), f([1, 10], [100, 1000])),
            "tflite": lite("FULLY_CONNECTED", f([1, 2]), f([1, 10], [100, 1000]), f(0, 0)),
            "paddle": plain("matmul", f([1, 2]), f([1, 10], [100, 1000])),
        },
        "PyTorch's linear and TFLite's FULLY_CONNECTED have a row for each output; a plain product "
        "(as in TensorFlow's and Paddle's layers) a column.",
    ),
]
