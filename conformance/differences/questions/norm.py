"""Questions about normalisations."""

from __future__ import annotations

from ...case import Case, Tolerance, f
from ..question import Arrays, Question, because, lite, plain, torch

SMALL = f(0, 0.002)
"""Numbers whose variance is about as large as an epsilon, so that the epsilon shows."""

IMAGE = SMALL.reshape(1, 1, 1, 2)
LAST = SMALL.reshape(1, 1, 2, 1)
ONE, ZERO, TINY = f(1), f(0), f(1e-5)
ROW = f(0, 0.002).reshape(1, 2)
FIVE = f(1, 2, 3, 4, 5)
BATCH = {"is_test": True, "momentum": 0.9, "epsilon": 1e-5, "data_format": "NCHW",
         "use_global_stats": False, "trainable_statistics": False}  # fmt: skip


def running(results: Arrays) -> Arrays:
    """Without the statistics of the batch."""
    return [results[0], *results[3:]]


LEFT = "the evaluator leaves most channels as they are; ONNX Runtime is followed"
SPREAD = f(1, 3)

QUESTIONS = [
    Question(
        "BATCH_NORMALIZATION",
        "What is the default epsilon of batch normalisation?",
        (SMALL, TINY),
        {
            "onnx": plain("BatchNormalization", IMAGE, ONE, ZERO, ZERO, TINY),
            "torch": torch("batch_norm", IMAGE, ONE, ZERO, ZERO, TINY, False, 0.1, 1e-5, True),
            "tensorflow": Case("FusedBatchNormV3", (LAST, ONE, ZERO, ZERO, TINY),
                               {"is_training": False}, read=1),
            "paddle": Case("batch_norm", (IMAGE, ZERO, TINY, ONE, ZERO), BATCH, read=1),
        },
        "The variance given is 1e-5. PyTorch and Paddle are asked with the 1e-5 of their layers, "
        "as their operators have no default; Keras's layer has 1e-3.",
    ),
    Question(
        "BATCH_NORMALIZATION",
        "Does a batch in training have the biased variance?",
        (SPREAD,),
        {
            "onnx": Case("BatchNormalization", (SPREAD.reshape(1, 1, 1, 2), ONE, ZERO, ZERO, ONE),
                         {"training_mode": 1}, outputs=3),
            "torch": torch("_native_batch_norm_legit_functional", SPREAD.reshape(1, 1, 1, 2), ONE,
                           ZERO, ZERO, ONE, True, 0.1, 1e-5),
        },
        "The result is normalised by the biased variance (1 here). The new running variance is "
        "0.9 * 1 + 0.1 * the batch's: biased in ONNX, divided by n - 1 in PyTorch. Shown are "
        "the result and the new running mean and variance.",
        views={"torch": running},
    ),
    Question(
        "LAYER_NORMALIZATION",
        "What is the default epsilon of layer normalisation?",
        (SMALL,),
        {
            "onnx": plain("LayerNormalization", ROW, f(1, 1), f(0, 0)),
            "torch": torch("layer_norm", ROW, [2], f(1, 1), f(0, 0)),
            "paddle": Case("layer_norm", (ROW, f(1, 1), f(0, 0)), {}, read=1),
        },
        "1e-5 in all; Keras's layer has 1e-3, and models written for TensorFlow often 1e-12.",
    ),
    Question(
        "LAYER_NORMALIZATION",
        "Which axes does layer normalisation take by default?",
        (f([1, 2], [3, 9]).reshape(1, 2, 2),),
        {
            "onnx": plain("LayerNormalization", f([1, 2], [3, 9]).reshape(1, 2, 2), f(1, 1)),
            "torch": torch("layer_norm", f([1, 2], [3, 9]).reshape(1, 2, 2), [2]),
            "paddle": Case("layer_norm", (f([1, 2], [3, 9]).reshape(1, 2, 2), None, None), {},
                           read=1),
        },
        "ONNX takes the last one, Paddle's operator all but the first; PyTorch has to be told, and "
        "is told the last one.",
    ),
    Question(
        "INSTANCE_NORMALIZATION",
        "What is the default epsilon of instance normalisation?",
        (SMALL,),
        {
            "onnx": plain("InstanceNormalization", IMAGE, ONE, ZERO),
            "torch": torch("instance_norm", IMAGE, ONE, ZERO, None, None, True, 0.1, 1e-5, True),
            "paddle": Case("instance_norm", (IMAGE, ONE, ZERO), {}, read=1),
        },
        "1e-5 in all. PyTorch is asked with its layer's.",
    ),
    Question(
        "GROUP_NORMALIZATION",
        "What is the default epsilon of group normalisation?",
        (SMALL,),
        {
            "onnx": plain("GroupNormalization", IMAGE, ONE, ZERO, num_groups=1),
            "torch": torch("group_norm", IMAGE, 1, ONE, ZERO),
            "paddle": Case("group_norm", (IMAGE, ONE, ZERO), {"groups": 1}, read=1),
        },
        "1e-5 in all.",
    ),
    Question(
        "RMS_NORMALIZATION",
        "What is the default epsilon of RMS normalisation?",
        (SMALL,),
        {
            "onnx": plain("RMSNormalization", ROW, f(1, 1)),
            "torch": torch("rms_norm", ROW, [2], f(1, 1)),
            "paddle": Case("rms_norm", (ROW, f(1, 1), [2]), {}, read=1),
        },
        "PyTorch's is the distance of floats from 1 (1.2e-7 in float32) where none is given.",
    ),
    Question(
        "LRN",
        "Is alpha of local response normalisation divided by the window's size?",
        (FIVE,),
        {
            "onnx": plain("LRN", FIVE.reshape(1, 5, 1, 1), size=5, alpha=1.0, beta=0.5, bias=1.0),
            "tensorflow": plain("LRN", FIVE.reshape(1, 1, 1, 5), depth_radius=2, alpha=1.0,
                                beta=0.5, bias=1.0),
            "tflite": lite("LOCAL_RESPONSE_NORMALIZATION", FIVE.reshape(1, 1, 1, 5), radius=2,
                           alpha=1.0, beta=0.5, bias=1.0),
        },
        "ONNX (and PyTorch's layer, which is several operators) multiply the mean of the squares "
        "by alpha, TensorFlow and TFLite their sum: divide or multiply alpha by the size.",
        None,
        strays=because(LEFT, "onnx"),
    ),
    Question(
        "LRN",
        "What are the defaults of local response normalisation?",
        (FIVE,),
        {
            "onnx": plain("LRN", FIVE.reshape(1, 5, 1, 1), size=5),
            "tensorflow": plain("LRN", FIVE.reshape(1, 1, 1, 5)),
        },
        "ONNX: alpha 1e-4, beta 0.75, bias 1. TensorFlow: radius 5, alpha 1, beta 0.5, bias 1.",
        strays=because(LEFT, "onnx"),
    ),
    Question(
        "LP_NORMALIZATION",
        "What is a row of zeros divided by its own length?",
        (f(0, 0),),
        {
            "onnx": plain("LpNormalization", f(0, 0).reshape(1, 2)),
            "tflite": lite("L2_NORMALIZATION", f(0, 0).reshape(1, 2)),
            "paddle": Case("norm", (f(0, 0).reshape(1, 2), 1, 1e-10, False), {}, read=1),
        },
        "0 / 0 is NaN, unless an epsilon is added or the case looked for.",
    ),
    Question(
        "INSTANCE_NORMALIZATION",
        "What does normalising a constant give?",
        (f(7, 7),),
        {
            "onnx": plain("InstanceNormalization", f(7, 7).reshape(1, 1, 1, 2), ONE, ZERO),
            "torch": torch("instance_norm", f(7, 7).reshape(1, 1, 1, 2), ONE, ZERO, None, None,
                           True, 0.1, 1e-5, True),
            "paddle": Case("instance_norm", (f(7, 7).reshape(1, 1, 1, 2), ONE, ZERO), {}, read=1),
        },
        "0, as the epsilon saves the division; PyTorch's is off by the rounding of the mean.",
        tol=Tolerance(absolute=1e-4),
    ),
]  # fmt: skip
