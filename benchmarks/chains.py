"""A chain of small operators as a framework itself writes it: the graph of `models.chain`.

    python -m benchmarks.chains COUNT FILE

The suffix says which framework: `.pb` (TensorFlow), `.pt` (TorchScript), `.json` (Paddle). Each
needs a process of its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

KINDS = ("add", "mul", "add", "leaky_relu", "softmax", "add", "mul", "transpose")
SLOPE = 0.5


def walk(x: Any, operators: Mapping[str, Callable[[Any], Any]], count: int) -> Any:
    """`count` operators behind `x`."""
    for position in range(count):
        x = operators[KINDS[position % len(KINDS)]](x)
    return x


def sums_with(one: Any) -> dict[str, Callable[[Any], Any]]:
    """The operators that Python has itself."""
    return {"add": lambda x: x + one, "mul": lambda x: x * one}


def write_tensorflow(count: int, path: Path) -> None:
    """A frozen GraphDef."""
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
        operators = sums_with(tf.constant(np.ones(4, np.float32))) | {
            "leaky_relu": lambda x: tf.nn.leaky_relu(x, SLOPE),
            "softmax": tf.nn.softmax,
            "transpose": lambda x: tf.transpose(x, [0, 1]),
        }
        tf.identity(walk(x, operators, count), name="y")
    path.write_bytes(graph.as_graph_def().SerializeToString())


def write_torch(count: int, path: Path) -> None:
    """An archive of TorchScript, which says no sizes."""
    import torch

    operators = sums_with(torch.ones(4)) | {
        "leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, SLOPE),
        "softmax": lambda x: torch.softmax(x, -1),
        "transpose": lambda x: torch.permute(x, [0, 1]),
    }

    def forward(x: torch.Tensor) -> Any:
        return walk(x, operators, count)

    torch.jit.save(torch.jit.trace(forward, torch.ones(3, 4), check_trace=False), str(path))


def write_paddle(count: int, path: Path) -> None:
    """A program and its parameters."""
    import paddle

    paddle.enable_static()
    program, start = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, start):
        x = paddle.static.data("x", [-1, 4], "float32")
        operators = sums_with(paddle.full([4], 1.0)) | {
            "leaky_relu": lambda x: paddle.nn.functional.leaky_relu(x, SLOPE),
            "softmax": paddle.nn.functional.softmax,
            "transpose": lambda x: paddle.transpose(x, [0, 1]),
        }
        y = walk(x, operators, count)
        executor = paddle.static.Executor()
        executor.run(start)
        save = paddle.static.save_inference_model
        save(str(path.with_suffix("")), [x], [y], executor, program=program)


WRITERS = {".pb": write_tensorflow, ".pt": write_torch, ".json": write_paddle}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("path", type=Path, metavar="FILE")
    given = parser.parse_args()
    WRITERS[given.path.suffix](given.count, given.path)


if __name__ == "__main__":
    main()
