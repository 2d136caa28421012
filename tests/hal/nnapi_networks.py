"""Networks like MobileNetV2, small, in files of each framework.

python -m tests.hal.nnapi_networks FRAMEWORK FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

SIZE, CLASSES = 24, 10
BLOCKS = ((8, 8, 1), (8, 12, 2), (12, 12, 1))
"""Channels before and after, and the step, of each block."""


def images(count: int) -> np.ndarray:
    """Images with structure, channels first."""
    rng = np.random.default_rng(5)
    x, y = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    waves = rng.uniform(1, 9, (count, 3, 2, 1, 1))
    made = np.sin(waves[:, :, 0] * x + waves[:, :, 1] * y)
    return (made + 0.1 * rng.standard_normal(made.shape)).astype(np.float32)


def torch_network() -> Any:
    """As a module of PyTorch."""
    import torch
    from torch import nn

    torch.manual_seed(3)

    def conv(before: int, after: int, size: int, step: int = 1, groups: int = 1) -> list[Any]:
        filters = nn.Conv2d(before, after, size, step, size // 2, groups=groups, bias=False)
        return [filters, nn.BatchNorm2d(after)]

    class Block(nn.Module):
        def __init__(self, before: int, after: int, step: int) -> None:
            super().__init__()
            wide = 3 * before
            parts = [*conv(before, wide, 1), nn.ReLU6(), *conv(wide, wide, 3, step, wide)]
            self.body = nn.Sequential(*parts, nn.ReLU6(), *conv(wide, after, 1))
            self.adds = step == 1 and before == after

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.body(x) if self.adds else self.body(x)

    blocks = [Block(*b) for b in BLOCKS]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, CLASSES)]
    network = nn.Sequential(*conv(3, 8, 3, 2), nn.ReLU6(), *blocks, *head)
    network.train()(torch.from_numpy(images(16)))  # the statistics of the images
    return network.eval()


def make_torch(folder: Path) -> None:
    import torch

    example = (torch.from_numpy(images(1)),)
    torch.export.save(torch.export.export(torch_network(), example), folder / "torch.pt2")


def keras_network() -> Any:
    """As a model of Keras, channels last."""
    import keras

    keras.utils.set_random_seed(3)
    layers = keras.layers

    def conv(x: Any, after: int, size: int, step: int = 1) -> Any:
        found = layers.Conv2D(after, size, step, padding="same", use_bias=False)(x)
        return layers.BatchNormalization(momentum=0.1)(found)

    x = given = keras.Input((SIZE, SIZE, 3), batch_size=None)
    x = layers.ReLU(6.0)(conv(x, 8, 3, 2))
    for before, after, step in BLOCKS:
        inner = layers.ReLU(6.0)(conv(x, 3 * before, 1))
        inner = layers.DepthwiseConv2D(3, step, padding="same", use_bias=False)(inner)
        inner = layers.ReLU(6.0)(layers.BatchNormalization(momentum=0.1)(inner))
        inner = conv(inner, after, 1)
        x = layers.Add()([x, inner]) if step == 1 and before == after else inner
    x = layers.GlobalAveragePooling2D()(x)
    network = keras.Model(given, layers.Dense(CLASSES)(x))
    network(images(16).transpose(0, 2, 3, 1), training=True)  # the statistics of the images
    return network


def make_tensorflow(folder: Path) -> None:
    import tensorflow as tf

    network = keras_network()
    network.export(folder / "saved", verbose=False)
    samples = [i[None] for i in images(32).transpose(0, 2, 3, 1)]

    def convert(name: str, *, integer: bool) -> None:
        converter = tf.lite.TFLiteConverter.from_keras_model(network)
        if integer:
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            converter.representative_dataset = lambda: ([s] for s in samples)
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter._experimental_disable_per_channel = True
            converter.inference_input_type = converter.inference_output_type = tf.uint8
        (folder / name).write_bytes(converter.convert())

    convert("float.tflite", integer=False)
    convert("integer.tflite", integer=True)


def make_paddle(folder: Path) -> None:
    import paddle
    from paddle import nn
    from paddle.static import InputSpec

    paddle.seed(3)

    def conv(before: int, after: int, size: int, step: int = 1, groups: int = 1) -> list[Any]:
        filters = nn.Conv2D(before, after, size, step, size // 2, groups=groups, bias_attr=False)
        return [filters, nn.BatchNorm2D(after)]

    class Block(nn.Layer):  # type: ignore[misc]  # without types
        def __init__(self, before: int, after: int, step: int) -> None:
            super().__init__()
            wide = 3 * before
            parts = [*conv(before, wide, 1), nn.ReLU6(), *conv(wide, wide, 3, step, wide)]
            self.body = nn.Sequential(*parts, nn.ReLU6(), *conv(wide, after, 1))
            self.adds = step == 1 and before == after

        def forward(self, x: Any) -> Any:
            return x + self.body(x) if self.adds else self.body(x)

    blocks = [Block(*b) for b in BLOCKS]
    head = [nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(12, CLASSES)]
    network = nn.Sequential(*conv(3, 8, 3, 2), nn.ReLU6(), *blocks, *head)
    network.train()
    network(paddle.to_tensor(images(16)))
    network.eval()
    spec = [InputSpec([1, 3, SIZE, SIZE], "float32", "x")]
    paddle.jit.save(network, str(folder / "paddle"), input_spec=spec)


MAKERS = {"torch": make_torch, "tensorflow": make_tensorflow, "paddle": make_paddle}

if __name__ == "__main__":
    MAKERS[sys.argv[1]](Path(sys.argv[2]))
