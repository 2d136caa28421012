"""Networks like MobileNetV1 and V2, small, in files of each framework.

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
KINDS = ("v1", "v2")
"""Filters of channels alone between sums of channels; and those as blocks with a way around."""


def images(count: int) -> np.ndarray:
    """Images with structure, channels first."""
    rng = np.random.default_rng(5)
    x, y = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    waves = rng.uniform(1, 9, (count, 3, 2, 1, 1))
    made = np.sin(waves[:, :, 0] * x + waves[:, :, 1] * y)
    return (made + 0.1 * rng.standard_normal(made.shape)).astype(np.float32)


def torch_network(kind: str) -> Any:
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

    def separable(before: int, after: int, step: int) -> Any:
        parts = [*conv(before, before, 3, step, before), nn.ReLU6(), *conv(before, after, 1)]
        return nn.Sequential(*parts, nn.ReLU6())

    blocks = [Block(*b) if kind == "v2" else separable(*b) for b in BLOCKS]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, CLASSES)]
    network = nn.Sequential(*conv(3, 8, 3, 2), nn.ReLU6(), *blocks, *head)
    network.train()(torch.from_numpy(images(16)))  # the statistics of the images
    return network.eval()


def make_torch(folder: Path) -> None:
    import torch

    from .torch_rounding import round_network

    example = torch.from_numpy(images(1))
    for kind in KINDS:
        network = torch_network(kind)
        rounded = round_network(torch_network(kind), torch.from_numpy(images(8)))
        for name, module in ((kind, network), (f"{kind}-integer", rounded)):
            torch.export.save(torch.export.export(module, (example,)), folder / f"{name}.pt2")
        to = str(folder / f"{kind}.onnx")
        torch.onnx.export(network, (example,), to, input_names=["x"], dynamo=False)


def keras_network(kind: str) -> Any:
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
        inner = layers.ReLU(6.0)(conv(x, 3 * before, 1)) if kind == "v2" else x
        inner = layers.DepthwiseConv2D(3, step, padding="same", use_bias=False)(inner)
        inner = layers.ReLU(6.0)(layers.BatchNormalization(momentum=0.1)(inner))
        inner = conv(inner, after, 1)
        if kind == "v1":
            inner = layers.ReLU(6.0)(inner)
        adds = kind == "v2" and step == 1 and before == after
        x = layers.Add()([x, inner]) if adds else inner
    x = layers.GlobalAveragePooling2D()(x)
    network = keras.Model(given, layers.Dense(CLASSES)(x))
    network(images(16).transpose(0, 2, 3, 1), training=True)  # the statistics of the images
    return network


def make_tensorflow(folder: Path) -> None:
    import tensorflow as tf

    samples = [i[None] for i in images(32).transpose(0, 2, 3, 1)]

    def convert(network: Any, name: str, *, integer: bool) -> None:
        converter = tf.lite.TFLiteConverter.from_keras_model(network)
        if integer:
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            converter.representative_dataset = lambda: ([s] for s in samples)
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter._experimental_disable_per_channel = True
            converter.inference_input_type = converter.inference_output_type = tf.uint8
        (folder / name).write_bytes(converter.convert())

    for kind in KINDS:
        network = keras_network(kind)
        network.export(folder / f"{kind}-saved", verbose=False)
        convert(network, f"{kind}.tflite", integer=False)
        convert(network, f"{kind}-integer.tflite", integer=True)


def paddle_network(kind: str) -> Any:
    """As a layer of Paddle."""
    import paddle
    from paddle import nn

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

    def separable(before: int, after: int, step: int) -> Any:
        parts = [*conv(before, before, 3, step, before), nn.ReLU6(), *conv(before, after, 1)]
        return nn.Sequential(*parts, nn.ReLU6())

    blocks = [Block(*b) if kind == "v2" else separable(*b) for b in BLOCKS]
    head = [nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(12, CLASSES)]
    network = nn.Sequential(*conv(3, 8, 3, 2), nn.ReLU6(), *blocks, *head)
    network.train()
    network(paddle.to_tensor(images(16)))
    network.eval()
    return network


def make_paddle(folder: Path) -> None:
    """Each network, and with fake quantisers in front of every product."""
    import paddle
    from paddle.quantization import QAT, QuantConfig
    from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
    from paddle.static import InputSpec

    quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    spec = [InputSpec([1, 3, SIZE, SIZE], "float32", "x")]
    for kind in KINDS:
        network = paddle_network(kind)
        network.train()
        rounded = QAT(QuantConfig(activation=quanter, weight=quanter)).quantize(network)
        rounded.train()
        rounded(paddle.to_tensor(images(16)))
        for name, layer in ((kind, network), (f"{kind}-integer", rounded)):
            layer.eval()
            paddle.jit.save(layer, str(folder / name), input_spec=spec)


MAKERS = {"torch": make_torch, "tensorflow": make_tensorflow, "paddle": make_paddle}

if __name__ == "__main__":
    MAKERS[sys.argv[1]](Path(sys.argv[2]))
