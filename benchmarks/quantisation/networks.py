"""The torch networks that are quantised. This module needs torch."""

from __future__ import annotations

import math

import torch
from torch import nn

from ..torch_models import ResNet50
from .tasks import CLASSES, CONTEXT, LENGTH, LETTERS, TOPICS, WORDS

__all__ = ["Encoder", "LanguageModel", "MobileNetV2", "ResNet50"]


def _conv(before: int, after: int, size: int, *, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution without bias, BatchNorm and ReLU6."""
    filters = nn.Conv2d(before, after, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(filters, nn.BatchNorm2d(after), nn.ReLU6(inplace=True))


class InvertedResidual(nn.Module):
    """Expand, filter each channel, project.

    Source: Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018.
    """

    def __init__(self, before: int, after: int, stride: int, factor: int) -> None:
        super().__init__()
        wide = before * factor
        parts: list[nn.Module] = [_conv(before, wide, 1)] if factor != 1 else []
        parts.append(_conv(wide, wide, 3, stride=stride, groups=wide))
        parts += [nn.Conv2d(wide, after, 1, bias=False), nn.BatchNorm2d(after)]
        self.body = nn.Sequential(*parts)
        self.adds = stride == 1 and before == after

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x) if self.adds else self.body(x)


BLOCKS = (
    *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
    *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
)
"""Factor, channels, repetitions and first stride of each stage of MobileNetV2."""


class MobileNetV2(nn.Sequential):
    """MobileNetV2 of width 1."""

    def __init__(self) -> None:
        parts: list[nn.Module] = [_conv(3, 32, 3, stride=2)]
        channels = 32
        for factor, after, count, stride in BLOCKS:
            for place in range(count):
                parts.append(InvertedResidual(channels, after, 1 if place else stride, factor))
                channels = after
        parts += [_conv(320, 1280, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
        super().__init__(*parts, nn.Linear(1280, CLASSES))


class Attention(nn.Module):
    """Attention of several heads; `bias` is added to the scores."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        query, key, value = (self.split(f(x)) for f in (self.query, self.key, self.value))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        mixed = torch.softmax(scores + bias, dim=-1) @ value
        return self.out(mixed.transpose(1, 2).flatten(2))

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Layer(nn.Module):
    """Attention and two products with GELU between, each added to what they read.

    The sums are normalised behind each part, as in BERT, or the parts' inputs, as in GPT-2.
    """

    def __init__(self, width: int, heads: int, *, normalises_first: bool) -> None:
        super().__init__()
        self.normalises_first = normalises_first
        self.attention = Attention(width, heads)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        if self.normalises_first:
            x = x + self.attention(self.first(x), bias)
            return x + self.feed(self.second(x))
        x = self.first(x + self.attention(x, bias))
        return self.second(x + self.feed(x))

    def feed(self, x: torch.Tensor) -> torch.Tensor:
        return self.narrow(nn.functional.gelu(self.wide(x)))


def _begin_small(part: nn.Module) -> None:
    """Draw weights as BERT and GPT-2 do."""
    if isinstance(part, nn.Linear | nn.Embedding):
        nn.init.normal_(part.weight, std=0.02)
    if isinstance(part, nn.Linear) and part.bias is not None:
        nn.init.zeros_(part.bias)


class Encoder(nn.Module):
    """BERT: layers of a width (those of BERT-base are twelve of 768), and a pooled first token that
    is classified.

    Source: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language
    Understanding", 2019.
    """

    def __init__(self, width: int = 256, layers: int = 4, heads: int = 4) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, width), nn.Embedding(LENGTH, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(
            Layer(width, heads, normalises_first=False) for _ in range(layers)
        )
        self.pool, self.head = nn.Linear(width, width), nn.Linear(width, TOPICS)
        self.apply(_begin_small)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        bias = (1.0 - mask[:, None, None, :].float()) * -10000.0
        x = self.norm(self.words(tokens) + self.places.weight)
        for layer in self.layers:
            x = layer(x, bias)
        return self.head(torch.tanh(self.pool(x[:, 0])))


class LanguageModel(nn.Module):
    """A decoder as GPT-2 has it: four layers of width 256; it says the next letter's logits."""

    def __init__(self, width: int = 256, layers: int = 4, heads: int = 4) -> None:
        super().__init__()
        self.letters, self.places = nn.Embedding(LETTERS, width), nn.Embedding(CONTEXT, width)
        self.layers = nn.ModuleList(
            Layer(width, heads, normalises_first=True) for _ in range(layers)
        )
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, LETTERS, bias=False)
        ahead = torch.full((CONTEXT, CONTEXT), -10000.0).triu(1)
        self.register_buffer("ahead", ahead)
        self.apply(_begin_small)

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        x = self.letters(letters) + self.places.weight
        for layer in self.layers:
            x = layer(x, self.ahead)
        return self.head(self.norm(x))
