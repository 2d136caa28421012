"""Networks of the benchmark of first inferences, as `.onnx`, `.tflite` and `.pt2` files.

    python -m benchmarks.first_models FOLDER NAME SUFFIX

Random weights; `.pt2` files are written by PyTorch's exporter, `.tflite` files by us.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from . import models
from .models import Builder

TOKENS = 128
WIDTH, LAYERS, HEADS = 768, 12, 12
BERT_WORDS, GPT_WORDS = 30522, 50257
INVERTED = (
    *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
    *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
)
"""MobileNetV2: how much wider each block is inside, its channels, how many there are, the stride of
the first."""
NAMES = ("resnet50", "mobilenetv2", "bert", "gpt2", "vit")


def ensure(folder: Path, name: str, suffix: str) -> Path:
    """The file of a network, made in a process of its own where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"first_{name}{suffix}"
    if not path.exists():
        if suffix == ".tflite":
            ensure(folder, name, ".onnx")
        command = [sys.executable, "-W", "ignore", "-m", __name__, str(folder), name, suffix]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


def inputs_of(name: str) -> str:
    """An expression for what a network is run on."""
    if name in ("bert", "gpt2"):
        return f"np.arange({TOKENS}).reshape(1, -1)"
    return "np.linspace(-1, 1, 3 * 224 * 224, dtype=np.float32).reshape(1, 3, 224, 224)"


def write(path: Path, name: str) -> None:
    """Write the file whose suffix `path` has."""
    match path.suffix:
        case ".onnx":
            ONNX[name](path)
        case ".tflite":
            import nnadapter as nna

            nna.convert(path.with_suffix(".onnx"), path, verify=False)
        case ".pt2":
            import torch

            warnings.simplefilter("ignore")
            torch.manual_seed(0)
            module, inputs = build_module(name)
            with torch.no_grad():
                torch.export.save(torch.export.export(module.eval(), inputs), path)


def mobilenetv2(path: Path) -> None:
    """MobileNetV2 with batch norm, 1x3x224x224."""
    b = Builder()
    low, high = b.constant(0, np.float32), b.constant(6, np.float32)

    def conv(x: str, ends: tuple[int, int], size: int, stride: int, groups: int = 1) -> str:
        inner = ends[0] // groups
        weight = b.weight(ends[1], inner, size, size, scale=(inner * size * size) ** -0.5)
        sizes = {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [size // 2] * 4}
        x = b.node("Conv", x, weight, group=groups, **sizes)
        gain, variance = (b.constant(np.ones(ends[1]), np.float32) for _ in range(2))
        return b.node("BatchNormalization", x, gain, b.weight(ends[1]), b.weight(ends[1]), variance)

    def clipped(x: str) -> str:
        return b.node("Clip", x, low, high)

    x, channels = clipped(conv("x", (3, 32), 3, 2)), 32
    for factor, width, count, first in INVERTED:
        for k in range(count):
            inner = channels * factor
            y = clipped(conv(x, (channels, inner), 1, 1)) if factor > 1 else x
            y = clipped(conv(y, (inner, inner), 3, 1 if k else first, inner))
            y = conv(y, (inner, width), 1, 1)
            x = b.node("Add", x, y) if k else y
            channels = width
    x = b.node("Flatten", b.node("GlobalAveragePool", clipped(conv(x, (channels, 1280), 1, 1))))
    x = b.node("Gemm", x, b.weight(1000, 1280), b.weight(1000), transB=1)
    b.save(path, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 224, 224])], x)


def transform(b: Builder, x: str, tokens: int, *, causal: bool) -> str:
    """Twelve layers of attention and products, norms first, behind them a last norm."""
    split, join = b.constant([1, tokens, 3, HEADS, 64]), b.constant([1, tokens, WIDTH])
    heads = [b.constant(k) for k in range(3)]
    scale, half, one = (b.constant(v, np.float32) for v in (0.125, 0.5, 1.0))
    root = b.constant(2**0.5, np.float32)
    mask = b.constant(np.triu(np.full((tokens, tokens), -1e9), 1), np.float32) if causal else ""

    def dense(x: str, sizes: tuple[int, int]) -> str:
        return b.node("Add", b.node("MatMul", x, b.weight(*sizes)), b.weight(sizes[1]))

    def normed(x: str) -> str:
        gain = b.constant(np.ones(WIDTH), np.float32)
        return b.node("LayerNormalization", x, gain, b.weight(WIDTH), axis=-1, epsilon=1e-5)

    for _ in range(LAYERS):
        every = b.node("Reshape", dense(normed(x), (WIDTH, 3 * WIDTH)), split)
        q, k, v = (b.node("Gather", every, h, axis=2) for h in heads)
        q, v = (b.node("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
        scores = b.node("MatMul", q, b.node("Transpose", k, perm=[0, 2, 3, 1]))
        scores = b.node("Mul", scores, scale)
        scores = b.node("Add", scores, mask) if mask else scores
        mixed = b.node("MatMul", b.node("Softmax", scores, axis=-1), v)
        mixed = b.node("Reshape", b.node("Transpose", mixed, perm=[0, 2, 1, 3]), join)
        x = b.node("Add", x, dense(mixed, (WIDTH, WIDTH)))
        y = dense(normed(x), (WIDTH, 4 * WIDTH))
        gate = b.node("Add", b.node("Erf", b.node("Div", y, root)), one)
        y = b.node("Mul", b.node("Mul", y, gate), half)
        x = b.node("Add", x, dense(y, (4 * WIDTH, WIDTH)))
    return normed(x)


def gpt2(path: Path) -> None:
    """The layout of GPT-2 small, 1x128 tokens; the words are its last product too."""
    b = Builder()
    words = b.weight(GPT_WORDS, WIDTH)
    x = b.node("Add", b.node("Gather", words, "input_ids"), b.weight(TOKENS, WIDTH))
    x = b.node("MatMul", transform(b, x, TOKENS, causal=True), b.node("Transpose", words))
    b.save(path, [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, TOKENS])], x)


def vit(path: Path) -> None:
    """ViT-B/16, 1x3x224x224."""
    b = Builder()
    weight = b.weight(WIDTH, 3, 16, 16, scale=0.02)
    x = b.node("Conv", "x", weight, b.weight(WIDTH), kernel_shape=[16, 16], strides=[16, 16])
    x = b.node("Transpose", b.node("Reshape", x, b.constant([1, WIDTH, 196])), perm=[0, 2, 1])
    x = b.node("Add", b.node("Concat", b.weight(1, 1, WIDTH), x, axis=1), b.weight(197, WIDTH))
    x = transform(b, x, 197, causal=False)
    x = b.node("Gather", x, b.constant(0), axis=1)
    x = b.node("Gemm", x, b.weight(1000, WIDTH), b.weight(1000), transB=1)
    b.save(path, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 224, 224])], x)


ONNX = {
    "resnet50": models.resnet50,
    "mobilenetv2": mobilenetv2,
    "bert": models.bert,
    "gpt2": gpt2,
    "vit": vit,
}


def build_module(name: str) -> tuple[Any, Sequence[Any]]:
    """A module of PyTorch and what it is exported on."""
    import torch

    from .torch_models import ResNet50

    image, tokens = torch.randn(1, 3, 224, 224), torch.arange(TOKENS)[None]
    match name:
        case "resnet50":
            return ResNet50(), (image,)
        case "mobilenetv2":
            return _mobilenetv2(), (image,)
        case "bert":
            return _transformer(BERT_WORDS, norm_first=False), (tokens,)
        case "gpt2":
            return _transformer(GPT_WORDS, causal=True), (tokens,)
        case "vit":
            return _transformer(0), (image,)
    raise ValueError(f"no network {name!r}; there are {', '.join(NAMES)}")


def _mobilenetv2() -> Any:
    from torch import nn

    def conv(ends: tuple[int, int], size: int, stride: int, groups: int = 1) -> list[Any]:
        first = nn.Conv2d(*ends, size, stride, size // 2, groups=groups, bias=False)
        return [first, nn.BatchNorm2d(ends[1])]

    class Block(nn.Module):
        def __init__(self, ends: tuple[int, int], factor: int, stride: int) -> None:
            super().__init__()
            inner = ends[0] * factor
            wide = [*conv((ends[0], inner), 1, 1), nn.ReLU6()] if factor > 1 else []
            deep = [*conv((inner, inner), 3, stride, inner), nn.ReLU6()]
            self.body = nn.Sequential(*wide, *deep, *conv((inner, ends[1]), 1, 1))
            self.skips = stride == 1 and ends[0] == ends[1]

        def forward(self, x: Any) -> Any:
            return x + self.body(x) if self.skips else self.body(x)

    layers, channels = [*conv((3, 32), 3, 2), nn.ReLU6()], 32
    for factor, width, count, first in INVERTED:
        for k in range(count):
            layers.append(Block((channels, width), factor, 1 if k else first))
            channels = width
    layers += [*conv((channels, 1280), 1, 1), nn.ReLU6()]
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000))
    return nn.Sequential(*layers, *head)


def _transformer(words: int, *, norm_first: bool = True, causal: bool = False) -> Any:
    """BERT and GPT-2 of so many words, or ViT-B where there are none."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.every, self.mix = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
            self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))

        def attend(self, x: Any) -> Any:
            q, k, v = self.every(x).unflatten(-1, (3, HEADS, 64)).permute(2, 0, 3, 1, 4)
            call = nn.functional.scaled_dot_product_attention
            return self.mix(call(q, k, v, is_causal=causal).transpose(1, 2).flatten(2))

        def forward(self, x: Any) -> Any:
            steps = (self.attend, lambda x: self.narrow(nn.functional.gelu(self.wide(x))))
            for norm, step in zip(self.norms, steps, strict=True):
                x = x + step(norm(x)) if norm_first else norm(x + step(x))
            return x

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(words, WIDTH) if words else nn.Conv2d(3, WIDTH, 16, 16)
            self.first = None if words else nn.Parameter(torch.randn(1, 1, WIDTH))
            self.places = nn.Parameter(torch.randn(TOKENS if words else 197, WIDTH))
            self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
            self.norm = nn.LayerNorm(WIDTH)
            self.head = None if words else nn.Linear(WIDTH, 1000)

        def forward(self, x: Any) -> Any:
            x = self.words(x)
            if self.first is not None:
                x = torch.cat([self.first, x.flatten(2).transpose(1, 2)], 1)
            x = self.layers(x + self.places)
            x = self.norm(x) if norm_first else x
            if causal:
                return x @ self.words.weight.T
            return x if self.head is None else self.head(x[:, 0])

    return Transformer()


if __name__ == "__main__":
    place, chosen, ending = sys.argv[1:]
    write(Path(place) / f"first_{chosen}{ending}", chosen)
