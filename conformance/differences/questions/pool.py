"""Questions about pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Case, f
from ..question import Question, because, lite, plain, torch

nan, inf = np.nan, np.inf
FIVE = f(1, 2, 3, 4, 5)
SIX = f(1, 2, 3, 4, 5, 6)


def wide(x: np.ndarray) -> np.ndarray:
    """A row as an image of one channel and one line."""
    return x.reshape(1, 1, 1, -1)


def tall(x: np.ndarray) -> np.ndarray:
    """The same with channels last."""
    return x.reshape(1, 1, -1, 1)


def paddle(x: np.ndarray, kernel: int, stride: int, pad: int, kind: str, **given: Any) -> Case:
    """Paddle's pool, whose attributes have no defaults."""
    attrs: dict[str, Any] = {
        "ceil_mode": False,
        "exclusive": True,
        "data_format": "NCHW",
        "pooling_type": kind,
        "global_pooling": False,
        "adaptive": False,
        "padding_algorithm": "EXPLICIT",
    }
    return Case("pool2d", (wide(x), [1, kernel], [1, stride], [0, pad]), attrs | given)


def tf(op: str, x: np.ndarray, kernel: int, stride: int, padding: str) -> Case:
    """TensorFlow's pool."""
    size, step = [1, 1, kernel, 1], [1, 1, stride, 1]
    return plain(op, tall(x), ksize=size, strides=step, padding=padding)


def small(op: str, x: np.ndarray, kernel: int, stride: int, padding: str) -> Case:
    """TFLite's pool."""
    sizes = {"filter_width": kernel, "filter_height": 1, "stride_w": stride, "stride_h": 1}
    return lite(op, tall(x), padding=padding, **sizes)


def onnx(op: str, x: np.ndarray, kernel: int, stride: int, pad: int, **given: Any) -> Case:
    """ONNX's pool."""
    pads = {} if "auto_pad" in given else {"pads": [0, pad, 0, pad]}
    return plain(op, wide(x), kernel_shape=[1, kernel], strides=[1, stride], **pads, **given)


QUESTIONS = [
    Question(
        "AVERAGE_POOL_2D",
        "Does average pooling count the padding?",
        (FIVE,),
        {
            "onnx": onnx("AveragePool", FIVE, 3, 2, 1),
            "torch": torch("avg_pool2d", wide(FIVE), [1, 3], [1, 2], [0, 1]),
            "tensorflow": tf("AvgPool", FIVE, 3, 2, "SAME"),
            "tflite": small("AVERAGE_POOL_2D", FIVE, 3, 2, "SAME"),
            "paddle": paddle(FIVE, 3, 2, 1, "avg"),
        },
        "Windows of 3 by 2, one zero at each end, everything else by default: PyTorch alone counts "
        "the zeros.",
    ),
    Question(
        "AVERAGE_POOL_2D",
        "By what is a window divided that counts the padding and hangs over in ceil mode?",
        (SIX,),
        {
            "onnx": onnx("AveragePool", SIX, 3, 2, 1, ceil_mode=1, count_include_pad=1),
            "torch": torch("avg_pool2d", wide(SIX), [1, 3], [1, 2], [0, 1], True, True),
            "paddle": paddle(SIX, 3, 2, 1, "avg", ceil_mode=True, exclusive=False),
        },
        "What lies in the padding counts, what lies beyond it should not.",
    ),
    Question(
        "AVERAGE_POOL_2D",
        "By what is a window divided that hangs over in ceil mode, without the padding?",
        (SIX,),
        {
            "onnx": onnx("AveragePool", SIX, 3, 2, 0, ceil_mode=1),
            "torch": torch("avg_pool2d", wide(SIX), [1, 3], [1, 2], [0, 0], True, False),
            "paddle": paddle(SIX, 3, 2, 0, "avg", ceil_mode=True),
        },
        "By what is really in it.",
    ),
    Question(
        "MAX_POOL_2D",
        "Does ceil mode make a window that begins in the padding?",
        (FIVE,),
        {
            "onnx": onnx("MaxPool", FIVE, 2, 3, 1, ceil_mode=1),
            "torch": torch("max_pool2d", wide(FIVE), [1, 2], [1, 3], [0, 1], [1, 1], True),
            "paddle": paddle(FIVE, 2, 3, 1, "max", ceil_mode=True),
        },
        "The size rounded up is 3; the third window would begin behind the data, and PyTorch and "
        "ONNX leave it out.",
        strays=because("refused: the window holds nothing", "paddle"),
    ),
    Question(
        "AVERAGE_POOL_2D",
        "What is the average of a window that lies in the padding only?",
        (FIVE,),
        {
            "onnx": onnx("AveragePool", FIVE, 2, 3, 1, ceil_mode=1),
            "torch": torch("avg_pool2d", wide(FIVE), [1, 2], [1, 3], [0, 1], True, False),
            "paddle": paddle(FIVE, 2, 3, 1, "avg", ceil_mode=True),
        },
        "0 / 0, unless the window is left out.",
        strays=because("refused: the window holds nothing", "paddle"),
    ),
    Question(
        "MAX_POOL_2D",
        "On which side does SAME pad the odd element?",
        (f(1, 2, 9, 3),),
        {
            "onnx": onnx("MaxPool", f(1, 2, 9, 3), 3, 2, 0, auto_pad="SAME_UPPER"),
            "tensorflow": tf("MaxPool", f(1, 2, 9, 3), 3, 2, "SAME"),
            "tflite": small("MAX_POOL_2D", f(1, 2, 9, 3), 3, 2, "SAME"),
            "torch": torch("max_pool2d", wide(f(1, 2, 9, 3)), [1, 3], [1, 2], [0, 1]),
            "paddle": paddle(f(1, 2, 9, 3), 3, 2, 0, "max", padding_algorithm="SAME"),
        },
        "At the end. PyTorch has symmetric padding only, and is asked for 1 on both sides: the "
        "usual mistake when a model is moved.",
    ),
    Question(
        "AVERAGE_POOL_2D",
        "Where does ONNX's SAME_LOWER put the odd element?",
        (f(1, 2, 3, 4),),
        {
            "onnx": onnx("AveragePool", f(1, 2, 3, 4), 3, 2, 0, auto_pad="SAME_LOWER"),
            "tensorflow": tf("AvgPool", f(1, 2, 3, 4), 3, 2, "SAME"),
            "paddle": paddle(f(1, 2, 3, 4), 3, 2, 0, "avg", padding_algorithm="SAME"),
        },
        "At the beginning; no other framework has it.",
    ),
    Question(
        "MAX_POOL_2D",
        "Does max pooling keep NaN?",
        (f(1, nan, 3, nan, 2, 1),),
        {
            "onnx": onnx("MaxPool", f(1, nan, 3, nan, 2, 1), 2, 2, 0),
            "torch": torch("max_pool2d", wide(f(1, nan, 3, nan, 2, 1)), [1, 2], [1, 2]),
            "tensorflow": tf("MaxPool", f(1, nan, 3, nan, 2, 1), 2, 2, "VALID"),
            "tflite": small("MAX_POOL_2D", f(1, nan, 3, nan, 2, 1), 2, 2, "VALID"),
            "paddle": paddle(f(1, nan, 3, nan, 2, 1), 2, 2, 0, "max"),
        },
        "As for max: a kernel that compares loses it, or keeps it only where it comes first.",
        strays=because("the standard's pool keeps NaN", "onnx", "tensorflow", "tflite"),
    ),
    Question(
        "MAX_POOL_2D",
        "What is the maximum of a window of -infinity?",
        (f(-inf, -inf),),
        {
            "onnx": onnx("MaxPool", f(-inf, -inf), 2, 2, 0),
            "torch": torch("max_pool2d", wide(f(-inf, -inf)), [1, 2], [1, 2]),
            "tensorflow": tf("MaxPool", f(-inf, -inf), 2, 2, "VALID"),
            "tflite": small("MAX_POOL_2D", f(-inf, -inf), 2, 2, "VALID"),
            "paddle": paddle(f(-inf, -inf), 2, 2, 0, "max"),
        },
        "A kernel that begins with the least finite number answers -3.4e38.",
        strays=because(
            "the standard's pool begins with -infinity", "tensorflow", "tflite", "paddle"
        ),
    ),
    Question(
        "AVERAGE_POOL_2D",
        "Which windows has adaptive average pooling?",
        (FIVE,),
        {
            "torch": torch("adaptive_avg_pool2d", wide(FIVE), [1, 3]),
            "paddle": Case(
                "pool2d", (wide(FIVE), [1, 3], [1, 1], [0, 0]),
                {**paddle(FIVE, 1, 1, 0, "avg").attrs, "adaptive": True},
            ),
        },
        "Five elements for three results: the windows overlap.",
    ),
    Question(
        "MAX_POOL_2D",
        "What pads a max pool, zero or -infinity?",
        (f(-1, -2, -3),),
        {
            "onnx": onnx("MaxPool", f(-1, -2, -3), 3, 2, 1),
            "torch": torch("max_pool2d", wide(f(-1, -2, -3)), [1, 3], [1, 2], [0, 1]),
            "tensorflow": tf("MaxPool", f(-1, -2, -3), 3, 2, "SAME"),
            "tflite": small("MAX_POOL_2D", f(-1, -2, -3), 3, 2, "SAME"),
            "paddle": paddle(f(-1, -2, -3), 3, 2, 1, "max"),
        },
        "Zero would win over negative numbers.",
    ),
]  # fmt: skip
