"""Models that random ones were shrunk to: each was once wrong in an engine or in ours."""

from __future__ import annotations

import numpy as np

from nnir.ops import (
    activation,
    binary,
    conv,
    index,
    linear,
    pool,
    quant,
    recurrent,
    reduce,
    shape,
)
from nnir.types import Precision

from ...case import Const, f, i, rand, scalar
from .graph import GraphCase, Open, Step

FOUND: list[GraphCase] = [
    *(
        GraphCase(
            (rand(2, 4),),
            (
                Step(binary.pow_, (0, Const(scalar(3)))),
                Step(binary.mul, (1, Const(scalar(0.044715)))),
                Step(binary.add, (0, 2)),
                Step(binary.mul, (3, Const(scalar(0.7978846)))),
                Step(activation.tanh, (4,)),
                Step(binary.add, (5, Const(scalar(1)))),
                Step(binary.mul, (0, Const(scalar(0.5)))),
                Step(binary.mul, (7, 6)),
                Step(binary.mul, (Const(scalar(0.5)), 0)),
                Step(binary.sub, (8, half)),
            ),
            why=f"onnxruntime: half of a GELU that is read, too, {name}",
        )
        for name, half in (("itself", 7), ("made twice", 9))
    ),
    GraphCase(
        (np.full((3, 3, 2, 3), 1, np.float32),),
        (
            Step(shape.pad, (0, Const(i(0, 0, 0, 0, 0, 2, 0, 2)), None)),
            Step(pool.average_pool_2d, (1,), {"kernel_shape": (1, 1), "strides": (1, 1)}),
        ),
        why="onnxruntime .onnx stock: a border moved into an average",
    ),
    GraphCase(
        (rand(1, 4, 2, seed=0, dtype=np.uint8, low=0, high=2),),
        (
            Step(
                quant.dequantize_linear,
                (0, Const(scalar(0.0085)), Const(scalar(101, np.uint8))),
            ),
            Step(activation.softmax, (1,), {"axis": -1}),
            Step(
                quant.quantize_linear, (2, Const(scalar(0.0030112823)), Const(scalar(0, np.uint8)))
            ),
        ),
        why="onnxruntime: a softmax that wraps",
    ),
    GraphCase(
        (i(240, dtype=np.uint8).reshape(1, 1),),
        (
            Step(quant.dequantize_linear, (0, Const(scalar(0.004)), Const(scalar(0, np.uint8)))),
            Step(activation.softmax, (1,), {"axis": -1}),
            Step(quant.quantize_linear, (2, Const(scalar(0.004)), Const(scalar(0, np.uint8)))),
        ),
        why="onnxruntime: a softmax of one element",
    ),
    GraphCase(
        (rand(2, 4, 3, 5, seed=0, dtype=np.uint8, low=0, high=2),),
        (
            Step(
                quant.dequantize_linear,
                (0, Const(scalar(0.0165)), Const(scalar(120, np.uint8))),
            ),
            Step(pool.average_pool_2d, (1,), {"kernel_shape": (1, 1), "strides": (1, 1)}),
            Step(
                quant.quantize_linear,
                (2, Const(f(0.01127583)), Const(i(0, dtype=np.int8))),
                {"dtype": Precision.INT8},
            ),
            Step(quant.dequantize_linear, (3, Const(f(0.01127583)), Const(i(0, dtype=np.int8)))),
        ),
        why="onnxruntime .onnx stock: one scale in a vector",
    ),
    GraphCase(
        (np.full((3, 3, 9, 3), 1, np.float32),),
        (
            Step(binary.sub, (Const(scalar(1.27)), 0)),
            Step(
                conv.conv_2d,
                (
                    1,
                    Const(np.full((12, 3, 1, 1), 1, np.float32)),
                    Const(np.full((12,), 1, np.float32)),
                ),
                {"pads": (1, 1, 1, 1), "strides": (2, 1), "dilations": (1, 1)},
            ),
        ),
        why="openvino: strides moved in front of a border",
    ),
    GraphCase(
        (np.full((3, 5, 4, 7), 1, np.float32),),
        (
            Step(linear.mat_mul, (0, Const(np.full((7,), 1, np.float32)))),
            Step(
                quant.quantize_linear,
                (1, Const(scalar(0.017277936)), Const(scalar(6, np.int8))),
                {"dtype": Precision.INT8},
            ),
        ),
        why="openvino .xml stock: a product with a vector, divided",
    ),
    GraphCase(
        (rand(1, 3, 8, 10), rand(1, 8, 1, 3, seed=1)),
        (
            Step(shape.split, (0, Const(i(5, 5))), {"axis": -1}),
            Step(index.roll, (2, Const(i(2)), Const(i(0)))),
            Step(shape.transpose, (2,)),
            Step(
                quant.quantize_linear, (5, Const(scalar(0.025335038)), Const(scalar(110, np.uint8)))
            ),
            Step(
                quant.dequantize_linear,
                (6, Const(scalar(0.025335038)), Const(scalar(110, np.uint8))),
            ),
            Step(
                conv.conv_2d,
                (7, 1, Const(f(0.5973879))),
                {"pads": (2, 0, 0, 2), "strides": (1, 1), "dilations": (1, 1)},
            ),
        ),
        outputs=(3, 4, 8),
        why="onnxruntime: an output rolled over one element, of what is transposed and quantised",
    ),
    GraphCase(
        (rand(3, 1, 4, 2),),
        (
            Step(
                conv.conv_2d,
                (0, Const(rand(1, 1, 3, 3, seed=1)), Const(f(0.13857199))),
                {"pads": (1, 1, 1, 1), "strides": (1, 2), "dilations": (1, 1)},
            ),
        ),
        why="openvino: one column by strides of one channel",
    ),
    GraphCase(
        (rand(3, 5, 3, 1), rand(3, 5, 2, 1, seed=1)),
        (
            Step(
                conv.conv_2d,
                (0, 1, Const(f(1, 1, 1))),
                {"pads": (1, 1, 1, 1), "strides": (1, 2), "dilations": (1, 2)},
            ),
        ),
        why="openvino: a dilation of one tap between borders",
    ),
    GraphCase(
        (Open(rand(2, 3, 8), ("n", 3, 8)),),
        (
            Step(reduce.arg_max, (0,), {"axis": 1, "keepdim": False}),
            Step(shape.expand, (1, Const(i(1, -1, -1)))),
        ),
        why="openvino: axes more behind an axis less",
    ),
    *(
        GraphCase(
            (Open(rand(2, 1, 7, 3), sizes),),
            (Step(shape.tile, (0, Const(i(*repeats)))),),
            why=f"openvino: copies of one channel, {repeats} of {sizes}",
        )
        for repeats in ((1, 2, 2, 1), (1, 2, 1, 2))
        for sizes in (("n", 1, 7, 3), (2, 1, 7, "n"))
    ),
    *(
        GraphCase(
            (Open(rand(2, 2, 3), sizes), i(*lengths, dtype=np.int32)),
            (
                Step(
                    operator,
                    (0, *(Const(rand(1, *s, seed=k)) for k, s in enumerate(shapes)), 1),
                ),
            ),
            why=f"openvino: {operator.name}, lengths {lengths} of sequences {sizes}",
        )
        for operator, gates in ((recurrent.rnn, 1), (recurrent.gru, 3), (recurrent.lstm, 4))
        for shapes in [((gates * 4, 3), (gates * 4, 4), (2 * gates * 4,))]
        for lengths in ((2, 1), (1, 1))
        for sizes in (("steps", 2, 3), (2, 2, 3))
    ),
]
