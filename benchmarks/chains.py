"""A chain of small operators as a framework itself writes it: the graph of `models.chain`.

    python -m benchmarks.chains COUNT FILE

The suffix says which framework: `.pb` (TensorFlow), `.pt` (TorchScript), `.json` (Paddle). Each
needs a process of its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

KINDS = ("add", "mul", "add", "leaky_relu", "softmax", "add", "mul", "transpose")
SLOPE = 0.5


def walk(x: Any, one: Any, count: int, others: dict[str, Callable[[Any], Any]]) -> Any:
    """`count` operators behind `x`; `others` are those that are no operators of Python."""
    for position in range(count):
        match KINDS[position % len(KINDS)]:
            case "add":
                x = x + one
            case "mul":
                x = x * one
            case name:
                x = others[name](x)
    return x


def write_tensorflow(count: int, path: Path) -> None:
    """A frozen GraphDef."""
    import tensorflow as tf

    others = {
        "leaky_relu": lambda x: tf.nn.leaky_relu(x, SLOPE),
        "softmax": tf.nn.softmax,
        "transpose": lambda x: tf.transpose(x, [0, 1]),
    }
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
        tf.identity(walk(x, tf.constant(np.ones(4, np.float32)), count, others), name="y")
    path.write_bytes(graph.as_graph_def().SerializeToString())


def write_torch(count: int, path: Path) -> None:
    """An archive of TorchScript, which says no sizes."""
    import torch

    one = torch.ones(4)
    others = {
        "leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, SLOPE),
        "softmax": lambda x: torch.softmax(x, -1),
        "transpose": lambda x: torch.permute(x, [0, 1]),
    }

    def forward(x: torch.Tensor) -> Any:
        return walk(x, one, count, others)

    torch.jit.save(torch.jit.trace(forward, torch.ones(3, 4), check_trace=False), path)


def write_paddle(count: int, path: Path) -> None:
    """A program and its parameters."""
    import paddle

    paddle.enable_static()
    others = {
        "leaky_relu": lambda x: paddle.nn.functional.leaky_relu(x, SLOPE),
        "softmax": paddle.nn.functional.softmax,
        "transpose": lambda x: paddle.transpose(x, [0, 1]),
    }
    program, start = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, start):
        x = paddle.static.data("x", [-1, 4], "float32")
        y = walk(x, paddle.full([4], 1.0), count, others)
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
