"""A model of three products with random weights, which needs no training: for tests.

python -m benchmarks.quantisation.toy FOLDER NAME
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

from onnx import TensorProto, helper

from ..models import Builder
from . import tasks

WIDTHS = (3 * (tasks.SIDE // 4) ** 2, 32, 32, tasks.CLASSES)


def main(folder: Path, _: str) -> None:
    """Write `float.onnx`: images at a quarter of their size, two hidden layers, logits."""
    b = Builder()
    x = b.node("AveragePool", "image", kernel_shape=[4, 4], strides=[4, 4])
    x = b.node("Flatten", x)
    for place, (before, after) in enumerate(pairwise(WIDTHS)):
        x = b.node("Relu", x) if place else x
        x = b.node("Gemm", x, b.weight(before, after, scale=before**-0.5), b.weight(after))
    shape = ["batch", 3, tasks.SIDE, tasks.SIDE]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, shape)
    b.save(folder / "float.onnx", [image], x)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
