"""Programs of Paddle, and ONNX files of paddle2onnx: of Paddle 2 and of Paddle 3."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import paddle
from making import Write, main
from paddle import nn
from paddle.nn import functional
from paddle.static import InputSpec

MAJOR = paddle.__version__.split(".")[0]
OPSETS = {"2": (9, 11, 13, 15, 16), "3": (11, 13, 15, 17, 19)}[MAJOR]


def convolved(given: int, made: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution of three, a norm and an activation."""
    taps = nn.Conv2D(given, made, 3, stride, 1, groups=groups, bias_attr=False)
    return nn.Sequential(taps, nn.BatchNorm2D(made), nn.Hardswish())


def classifier() -> nn.Layer:
    ends = nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(12, 7), nn.Softmax()
    separable = convolved(8, 8, groups=8), nn.Conv2D(8, 12, 1), nn.MaxPool2D(2, ceil_mode=True)
    return nn.Sequential(convolved(3, 8, 2), *separable, *ends)


class Squeezed(nn.Layer):
    """A block that is squeezed and excited."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.pool = convolved(3, 8), nn.AdaptiveAvgPool2D(1)
        self.less, self.more = nn.Conv2D(8, 4, 1), nn.Conv2D(4, 8, 1)

    def forward(self, x: Any) -> Any:
        x = self.body(x)
        gate = functional.relu(self.less(self.pool(x)))
        return x * functional.hardsigmoid(self.more(gate))


class Segments(nn.Layer):
    """Down and up again, with what was there before."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = convolved(3, 8), convolved(8, 8, 2)
        self.up, self.last = nn.Conv2DTranspose(8, 8, 2, 2), nn.Conv2D(24, 2, 1)

    def forward(self, x: Any) -> Any:
        first = self.first(x)
        second = self.second(first)
        wide = functional.interpolate(second, scale_factor=2, mode="bilinear")
        return functional.sigmoid(self.last(paddle.concat([first, self.up(second), wide], 1)))


class Reader(nn.Layer):
    """Lines of text: columns of an image as steps."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(convolved(3, 8, 2), nn.MaxPool2D((2, 1)))
        self.layer = nn.LSTM(64, 12, 2, direction="bidirectional")
        self.last = nn.Linear(24, 11)

    def forward(self, x: Any) -> Any:
        found = self.body(x)
        found = found.flatten(1, 2).transpose([0, 2, 1])
        return functional.softmax(self.last(self.layer(found)[0]), -1)


class Encoder(nn.Layer):
    """Words and a transformer's encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(50, 16), nn.Embedding(32, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", normalize_before=True)
        self.layers, self.last = nn.TransformerEncoder(layer, 2), nn.Linear(16, 3)

    def forward(self, words: Any) -> Any:
        places = paddle.arange(words.shape[1]).unsqueeze(0)
        return self.last(self.layers(self.words(words) + self.places(places)).mean(1))


class Detector(nn.Layer):
    """Boxes and scores of a grid, the best of them first."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = convolved(3, 8, 4), nn.Conv2D(8, 5, 1)

    def forward(self, x: Any) -> Any:
        found = functional.sigmoid(self.head(self.body(x)).flatten(2).transpose([0, 2, 1]))
        scores, places = paddle.topk(found[:, :, 4], 5, axis=1)
        boxes = paddle.take_along_axis(found[:, :, :4], places.unsqueeze(-1).tile([1, 1, 4]), 1)
        return boxes * 32, scores


IMAGE, WORDS = ([None, 3, 32, 32], "float32"), ([None, 9], "int64")
NETWORKS: dict[str, tuple[Callable[[], nn.Layer], tuple[list[int | None], str]]] = {
    "classifier": (classifier, IMAGE),
    "squeezed": (Squeezed, IMAGE),
    "segments": (Segments, IMAGE),
    "reader": (Reader, IMAGE),
    "encoder": (Encoder, WORDS),
    "detector": (Detector, IMAGE),
}


def build(name: str) -> tuple[nn.Layer, list[InputSpec]]:
    """A network and what goes into it."""
    paddle.seed(0)
    make, (shape, kind) = NETWORKS[name]
    network = make()
    for layer in network.sublayers():
        if isinstance(layer, nn.BatchNorm2D):
            layer._mean.set_value(paddle.rand(layer._mean.shape) - 0.5)
            layer._variance.set_value(paddle.rand(layer._variance.shape) + 0.5)
    network.eval()
    return network, [InputSpec(shape, kind, "x")]


def save(name: str, place: Path) -> None:
    """A folder with the program and its parameters."""
    network, given = build(name)
    paddle.jit.save(network, str(place / "model"), input_spec=given)


def convert(name: str, opset: int, place: Path) -> None:
    """An ONNX file of one operator set."""
    network, given = build(name)
    named = place.with_suffix("")  # the exporter adds the ending
    paddle.onnx.export(network, str(named), input_spec=given, opset_version=opset)


def list_models() -> dict[str, Write]:
    """Each network as a program, and as ONNX files of two operator sets, other ones by turns."""
    found: dict[str, Write] = {}
    for k, name in enumerate(NETWORKS):
        found[f"paddle{MAJOR}-{name}"] = partial(save, name)
        for opset in sorted({OPSETS[k % 5], OPSETS[(2 * k + 3) % 5]}):
            found[f"paddle2onnx{MAJOR}-{opset}-{name}.onnx"] = partial(convert, name, opset)
    return found


if __name__ == "__main__":
    main(list_models())
