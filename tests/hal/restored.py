"""Networks of odd sizes, compiled, restored from the cache and compared: run as a program.

    python -m tests.hal.restored DEVICE FOLDER SEED COUNT

Kernels read weights that lie in files where the writer put them, and end the process where they
cannot: so this is a process of its own, which prints each seed before it runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import nnadapter as nna
from nnir.model import Model, Value
from nnir.ops import activation, conv, index, linear, norm, recurrent, shape
from nnir.types import Precision, TensorType

ROUNDING = 2e-6
"""Engines may choose other kernels for a program that they restore."""

LAYERS = 6
WORDS, LENGTH = 300, 5


class Network:
    """A model of random layers, whose weights have sizes that suit no block or register."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.model = Model(f"odd {seed}")

    def weights(self, *sizes: int) -> Value:
        fan = int(np.prod(sizes[1:])) or 1
        return self.model.constant(self.rng.normal(0, fan**-0.5, sizes).astype(np.float32))

    def odd(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high))

    def images(self) -> None:
        """Convolutions with one filter for all, for groups and for each channel; norms."""
        channels = self.odd(3, 40)
        x = self.model.input("x", TensorType(Precision.FLOAT32, (1, channels, 9, 11)))
        for _ in range(LAYERS):
            kind = self.rng.choice(["plain", "depthwise", "grouped", "point", "transposed"])
            x = self.convolution(x, str(kind))
        self.model.outputs = [x]

    def convolution(self, x: Value, kind: str) -> Value:
        channels = int(x.shape[1])
        group = {"depthwise": channels, "grouped": 2}.get(kind, 1)
        if kind == "grouped" and channels % 2:
            x = shape.concat(x, x, axis=1)
            channels *= 2
        filters = channels if kind == "depthwise" else group * self.odd(3, 150)
        window = 1 if kind == "point" else int(self.rng.choice([3, 5, 7]))
        one, bias = (1, 1), self.weights(filters)
        half = (window // 2,) * 4
        if kind == "transposed":
            kernel = self.weights(channels, filters, window, window)
            made = conv.conv_2d_transpose(x, kernel, bias, pads=half, strides=one, dilations=one)
        else:
            kernel = self.weights(filters, channels // group, window, window)
            made = conv.conv_2d(x, kernel, bias, pads=half, strides=one, dilations=one, group=group)
        return activation.relu(made)

    def words(self) -> None:
        """A table, dense layers, products with matrices of either order, cells that remember."""
        width = self.odd(30, 300)
        x = self.model.input("x", TensorType(Precision.INT64, (2, LENGTH)))
        y = index.gather(self.weights(WORDS, width), x)
        for _ in range(LAYERS):
            kind = self.rng.choice(["dense", "product", "transposed", "cells"])
            y = self.layer(y, str(kind))
        self.model.outputs = [y]

    def layer(self, x: Value, kind: str) -> Value:
        width, units = int(x.shape[2]), self.odd(30, 300)
        if kind == "dense":
            flat = linear.fully_connected(x, self.weights(units, width), self.weights(units))
            return shape.reshape(activation.gelu(flat), [2, LENGTH, units])
        if kind == "cells":
            steps = shape.transpose(x, perm=(1, 0, 2))
            many = 3 * units
            given = self.weights(1, many, width), self.weights(1, many, units)
            made, _ = recurrent.gru(steps, *given, self.weights(1, 2 * many))
            return shape.transpose(shape.squeeze(made, [1]), perm=(1, 0, 2))
        flips = kind == "transposed"
        sizes = (units, width) if flips else (width, units)
        made = linear.mat_mul(x, self.weights(*sizes), transpose_y=flips)
        scale = self.model.constant(np.ones(units, np.float32))
        return norm.layer_normalization(made, scale, self.weights(units), begin_norm_axis=2)

    def arrays(self) -> list[np.ndarray]:
        (x,) = self.model.inputs
        sizes = [int(n) for n in x.shape]
        if x.precision == Precision.INT64:
            return [self.rng.integers(0, WORDS, sizes)]
        return [self.rng.normal(size=sizes).astype(np.float32)]


def difference(device: str, folder: Path, seed: int) -> float:
    """Of a restored program to the cold one, as a part of the largest element; every third model is
    compiled as it is, the others from a file, whose weights lie anywhere."""
    network = Network(seed)
    (network.images if seed % 2 else network.words)()
    model, arrays = network.model, network.arrays()
    if seed % 3:
        path = folder / f"{seed}{('.onnx', '.nnir')[seed % 3 - 1]}"
        nna.convert(model, path, verify=False)
        model = nna.load(path)
    programs = [nna.compile(model, device, cache_dir=folder / f"{seed}") for _ in range(2)]
    if [p.is_restored for p in programs] != [False, True]:
        raise SystemExit(f"seed {seed}: not restored")
    cold, warm = (p(*arrays)[0] for p in programs)
    return float(np.abs(cold - warm).max() / np.abs(cold).max())


def main() -> None:
    device, folder, first, count = sys.argv[1:]
    for seed in range(int(first), int(first) + int(count)):
        sys.stdout.write(f"{seed}\n")
        sys.stdout.flush()
        found = difference(device, Path(folder), seed)
        if not found <= ROUNDING:
            raise SystemExit(f"seed {seed} is {found} off")


if __name__ == "__main__":
    main()
