"""Questions about quantisation."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import Case, f, i, scalar
from ...engines.tflite import Scaled
from ..question import QUANTUM, Arrays, Question, because, lite, plain, torch

HALVES = f(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
FAR = f(1000, -1000)
ODD = f(np.nan, np.inf, -np.inf)
ONE, REST = f(1), (f(1), f(1))
I8 = Precision.INT8


def quantise_row(x: np.ndarray, zero: int) -> dict[str, Case]:
    """To int8 with a scale of 1."""
    return {
        "onnx": plain("QuantizeLinear", x, scalar(1), scalar(zero, np.int8)),
        "torch": torch("quantized_decomposed.quantize_per_tensor.default", x, 1.0, zero, -128, 127,
                       I8),
        "tflite": lite("QUANTIZE", x, to=Scaled(np.empty(0, np.int8), 1.0, zero)),
        "paddle": Case("quantize_linear", (x, f(127), f(zero), *REST), {"quant_axis": -1},
                       read=1),
    }  # fmt: skip


def whole(results: Arrays) -> Arrays:
    """Integers that Paddle leaves floats."""
    return [results[0].astype(np.int64)]


QUESTIONS = [
    Question(
        "QUANTIZE_LINEAR",
        "How does quantising round halves?",
        (HALVES,),
        quantise_row(HALVES, 0),
        "To the even neighbour, or away from zero. Paddle's scale is the largest value, 127 "
        "steps of 1; its results stay floats and are shown as integers.",
        strays=because(QUANTUM, "tflite"),
        views={"paddle": whole},
    ),
    Question(
        "QUANTIZE_LINEAR",
        "Is the zero point added before or after rounding?",
        (HALVES,),
        quantise_row(HALVES, 1),
        "After it: 0.5 rounds to 0 (in TFLite to 1), and then 1 is added. Paddle's operator "
        "takes the zero point and makes no use of it.",
        strays=because(QUANTUM, "tflite"),
        views={"paddle": whole},
    ),
    Question(
        "QUANTIZE_LINEAR",
        "Does quantising saturate?",
        (FAR,),
        quantise_row(FAR, 0),
        "At the ends of int8.",
        views={"paddle": whole},
    ),
    Question(
        "QUANTIZE_LINEAR",
        "What do NaN and infinities become when quantised?",
        (ODD,),
        quantise_row(ODD, 0),
        "NaN has no integer; what comes out is whatever the processor's conversion and the order "
        "of clipping make of it.",
        strays=because("infinity saturates in the standard, NaN is whatever the device makes of it",
                       "onnx", "tflite", "torch onnxruntime"),
    ),
    Question(
        "QUANTIZE_LINEAR",
        "How does fake quantisation round halves?",
        (f(0.5, 1.5, 2.5, -0.5),),
        {
            "torch": torch("fake_quantize_per_tensor_affine", f(0.5, 1.5, 2.5, -0.5), 1.0, 0, -128,
                           127),
            "tensorflow": plain("FakeQuantWithMinMaxArgs", f(0.5, 1.5, 2.5, -0.5), min=-128.0,
                                max=127.0),
            "tflite": lite("FAKE_QUANT", f(0.5, 1.5, 2.5, -0.5), min=-128.0, max=127.0,
                           num_bits=8),
        },
        "Steps of 1 from -128 on. TensorFlow's formula is floor(x + 0.5).",
    ),
    Question(
        "DEQUANTIZE_LINEAR",
        "Does the difference from the zero point overflow?",
        (i(-128, 127, dtype=np.int8),),
        {
            "onnx": plain("DequantizeLinear", i(-128, 127, dtype=np.int8), scalar(1),
                          scalar(127, np.int8)),
            "torch": torch("quantized_decomposed.dequantize_per_tensor.default",
                           i(-128, 127, dtype=np.int8), 1.0, 127, -128, 127, I8),
            "tflite": lite("DEQUANTIZE", Scaled(i(-128, 127, dtype=np.int8), 1.0, 127),
                           to=np.float32),
        },
        "-128 - 127 does not fit int8.",
    ),
]  # fmt: skip
