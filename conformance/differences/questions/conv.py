"""Questions about convolutions."""

from __future__ import annotations

import numpy as np

from ...case import f
from ..question import Question, lite, plain, sizes, torch

FOUR, ONES = f(1, 2, 3, 4), f(1, 10, 100)
WIDE, TALL = FOUR.reshape(1, 1, 1, 4), FOUR.reshape(1, 1, 4, 1)
KERNEL = ONES.reshape(1, 1, 1, 3)
TWO = f(1, 2)
LINE = {"stride_w": 1, "stride_h": 1}

QUESTIONS = [
    Question(
        "CONV_2D",
        "Is a convolution's filter turned around?",
        (FOUR, ONES),
        {
            "onnx": plain("Conv", WIDE, KERNEL),
            "torch": torch("conv2d", WIDE, KERNEL),
            "tensorflow": plain("Conv2D", TALL, ONES.reshape(1, 3, 1, 1), strides=[1, 1, 1, 1],
                                padding="VALID"),
            "tflite": lite("CONV_2D", TALL, ONES.reshape(1, 1, 3, 1), f(0), padding="VALID",
                           **LINE),
            "paddle": plain("conv2d", WIDE, KERNEL),
        },
        "It never is, although mathematics says so: all compute the correlation.",
    ),
    Question(
        "CONV_2D",
        "On which side does SAME pad a strided convolution?",
        (FOUR, ONES),
        {
            "onnx": plain("Conv", WIDE, KERNEL, auto_pad="SAME_UPPER", strides=[1, 2]),
            "torch": torch("conv2d", WIDE, KERNEL, None, [1, 2], [0, 1]),
            "tensorflow": plain("Conv2D", TALL, ONES.reshape(1, 3, 1, 1), strides=[1, 1, 2, 1],
                                padding="SAME"),
            "tflite": lite("CONV_2D", TALL, ONES.reshape(1, 1, 3, 1), f(0), padding="SAME",
                           stride_w=2, stride_h=1),
            "paddle": plain("conv2d", WIDE, KERNEL, strides=[1, 2], padding_algorithm="SAME"),
        },
        "One zero at the end. PyTorch refuses SAME with strides, and is asked for one zero on both "
        "sides, as models of PyTorch do: the result is moved by an element.",
    ),
    Question(
        "CONV_2D",
        "On which side does SAME pad an even filter?",
        (FOUR, TWO),
        {
            "onnx": plain("Conv", WIDE, TWO.reshape(1, 1, 1, 2), auto_pad="SAME_UPPER"),
            "torch": torch("conv2d.padding", WIDE, TWO.reshape(1, 1, 1, 2), None, [1, 1], "same"),
            "tensorflow": plain("Conv2D", TALL, TWO.reshape(1, 2, 1, 1), strides=[1, 1, 1, 1],
                                padding="SAME"),
            "tflite": lite("CONV_2D", TALL, TWO.reshape(1, 1, 2, 1), f(0), padding="SAME", **LINE),
            "paddle": plain("conv2d", WIDE, TWO.reshape(1, 1, 1, 2), padding_algorithm="SAME"),
        },
        "At the end, in PyTorch as well.",
    ),
    Question(
        "CONV_2D_TRANSPOSE",
        "What of a transposed convolution does SAME cut off?",
        (TWO, ONES),
        {
            "onnx": plain("ConvTranspose", TWO.reshape(1, 1, 1, 2), KERNEL, strides=[1, 2],
                          auto_pad="SAME_UPPER"),
            "torch": torch("conv_transpose2d.input", TWO.reshape(1, 1, 1, 2), KERNEL, None, [1, 2],
                           [0, 1], [0, 1]),
            "tensorflow": plain("Conv2DBackpropInput", sizes(1, 1, 4, 1),
                                ONES.reshape(1, 3, 1, 1), TWO.reshape(1, 1, 2, 1),
                                strides=[1, 1, 2, 1], padding="SAME"),
            "tflite": lite("TRANSPOSE_CONV", sizes(1, 1, 4, 1), ONES.reshape(1, 1, 3, 1),
                           TWO.reshape(1, 1, 2, 1), to=np.float32, padding="SAME", stride_w=2,
                           stride_h=1),
            "paddle": plain("conv2d_transpose", TWO.reshape(1, 1, 1, 2), KERNEL, strides=[1, 2],
                            padding_algorithm="SAME"),
        },
        "PyTorch is asked with a padding and an output padding of 1, which gives the same size.",
    ),
    Question(
        "CONV_2D",
        "Does zero times infinity in a convolution give NaN?",
        (f(np.inf, 1), f(0, 1)),
        {
            "onnx": plain("Conv", f(np.inf, 1).reshape(1, 1, 1, 2), f(0, 1).reshape(1, 1, 1, 2)),
            "torch": torch("conv2d", f(np.inf, 1).reshape(1, 1, 1, 2),
                           f(0, 1).reshape(1, 1, 1, 2)),
            "tensorflow": plain("Conv2D", f(np.inf, 1).reshape(1, 1, 2, 1),
                                f(0, 1).reshape(1, 2, 1, 1), strides=[1, 1, 1, 1],
                                padding="VALID"),
            "tflite": lite("CONV_2D", f(np.inf, 1).reshape(1, 1, 2, 1),
                           f(0, 1).reshape(1, 1, 2, 1), f(0), padding="VALID", **LINE),
            "paddle": plain("conv2d", f(np.inf, 1).reshape(1, 1, 1, 2),
                            f(0, 1).reshape(1, 1, 1, 2)),
        },
        "A kernel that skips zeros of the filter would say 1.",
    ),
]  # fmt: skip
