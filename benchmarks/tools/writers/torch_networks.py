"""Networks of PyTorch with random weights, small, of the kinds that people export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional

Tensors = tuple[torch.Tensor, ...]


def convolved(given: int, made: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution of three, a norm and an activation."""
    taps = nn.Conv2d(given, made, 3, stride, 1, groups=groups, bias=False)
    return nn.Sequential(taps, nn.BatchNorm2d(made), nn.ReLU())


class Residual(nn.Module):
    """What a ResNet adds."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inside = nn.Sequential(convolved(width, width), convolved(width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(x + self.inside(x))


class Gated(nn.Module):
    """A block of MobileNetV3: depthwise, squeezed and excited."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.taps = nn.Conv2d(width, width, 5, padding=2, groups=width)
        self.norm = nn.BatchNorm2d(width)
        self.less, self.more = nn.Conv2d(width, width // 4, 1), nn.Conv2d(width // 4, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.hardswish(self.norm(self.taps(x)))
        gate = functional.adaptive_avg_pool2d(x, 1)
        return x * functional.hardsigmoid(self.more(functional.relu(self.less(gate))))


class UNet(nn.Module):
    """Down, up, and what was there before beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = convolved(3, 8), convolved(8, 16, 2)
        self.third, self.up = convolved(16, 16, 2), nn.ConvTranspose2d(16, 16, 2, 2)
        self.last = nn.Conv2d(40, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = self.first(x)
        second = self.second(first)
        up = torch.cat([self.up(self.third(second)), second], 1)
        up = functional.interpolate(up, scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.last(torch.cat([up, first], 1)).softmax(1)


class Tagger(nn.Module):
    """Words, their embeddings, and a recurrent layer in both directions."""

    def __init__(self, kind: type[nn.LSTM | nn.GRU | nn.RNN]) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 12)
        self.layer = kind(12, 10, 2, batch_first=True, bidirectional=True)
        self.last = nn.Linear(20, 5)

    def forward(self, words: torch.Tensor) -> Any:
        found, _ = self.layer(self.words(words))
        return self.last(found).log_softmax(-1)


class Encoder(nn.Module):
    """A transformer's encoder over patches of an image."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, 4)
        self.places = nn.Parameter(torch.randn(1, 65, 16) * 0.1)
        self.word = nn.Parameter(torch.randn(1, 1, 16))
        layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.last = nn.Linear(16, 7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = self.patches(x).flatten(2).transpose(1, 2)
        found = torch.cat([self.word.expand(len(found), -1, -1), found], 1) + self.places
        return self.last(self.layers(found)[:, 0])


class Decoder(nn.Module):
    """Causal attention with rotated positions and a norm of squares."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(60, 32)
        self.parts, self.last = nn.Linear(32, 96, bias=False), nn.Linear(32, 60, bias=False)
        self.scale = nn.Parameter(torch.ones(32))

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.words(words)
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale
        query, key, value = (
            p.unflatten(-1, (4, 8)).transpose(1, 2) for p in self.parts(x).chunk(3, -1)
        )
        query, key = (self.rotate(p) for p in (query, key))
        found = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.last(x + found.transpose(1, 2).flatten(2))

    def rotate(self, x: torch.Tensor) -> torch.Tensor:
        """Pairs of features turned by their position."""
        place = torch.arange(x.shape[2], dtype=torch.float32, device=x.device)
        angle = place[:, None] * (10000.0 ** (-torch.arange(0, 4) / 4.0))
        first, second = x.chunk(2, -1)
        turned = first * angle.cos() - second * angle.sin()
        return torch.cat([turned, second * angle.cos() + first * angle.sin()], -1)


class Detector(nn.Module):
    """Boxes and scores of a grid, the best of them first."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = convolved(3, 8, 2), nn.Conv2d(8, 18, 1)

    def forward(self, x: torch.Tensor) -> Tensors:
        found = self.head(self.body(x))
        _, _, high, wide = found.shape
        found = found.view(-1, 3, 6, high, wide).permute(0, 1, 3, 4, 2).sigmoid()
        rows, columns = torch.meshgrid(torch.arange(high), torch.arange(wide), indexing="ij")
        grid = torch.stack([columns, rows], -1).float()
        middle = (found[..., :2] * 2 - 0.5 + grid) * 2
        size = (found[..., 2:4] * 2) ** 2 * 4
        boxes = torch.cat([middle - size / 2, middle + size / 2], -1).flatten(1, 3)
        scores, chosen = found[..., 4].flatten(1).topk(10, 1)
        return boxes.gather(1, chosen[..., None].expand(-1, -1, 4)), scores


class Sharper(nn.Module):
    """More pixels out of channels, with mirrored borders."""

    def __init__(self) -> None:
        super().__init__()
        self.taps, self.last = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 12, 3, padding=1)
        self.slope = nn.PReLU(8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = self.slope(self.taps(functional.pad(x, (1, 1, 1, 1), mode="reflect")))
        return functional.pixel_shuffle(self.last(found), 2).clamp(0, 1)


class Norms(nn.Module):
    """Every norm behind another one, with activations between."""

    def __init__(self) -> None:
        super().__init__()
        self.groups, self.images = nn.GroupNorm(4, 8), nn.InstanceNorm2d(8, affine=True)
        self.rows, self.taps = nn.LayerNorm([8, 16]), nn.Conv2d(3, 8, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.silu(self.groups(self.taps(x)))
        x = functional.mish(self.images(x)).mean(2)
        return functional.elu(self.rows(x)).std(-1)


class Sound(nn.Module):
    """A wave: dilated convolutions with gates, and what lies between."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(1, 8, 7, 2, 3)
        self.layers = nn.ModuleList(nn.Conv1d(8, 16, 3, padding=k, dilation=k) for k in (1, 2, 4))
        self.last = nn.ConvTranspose1d(8, 1, 4, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        for layer in self.layers:
            value, gate = layer(x).chunk(2, 1)
            x = x + value.tanh() * gate.sigmoid()
        return self.last(functional.avg_pool1d(functional.leaky_relu(x), 3, 1, 1))


def classifier(*blocks: nn.Module) -> nn.Module:
    """An image's classes by blocks of sixteen channels."""
    ends = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)
    return nn.Sequential(convolved(3, 16, 2), nn.MaxPool2d(3, 2, 1), *blocks, *ends)


IMAGE, WORDS = (2, 3, 32, 32), (2, 9)
NETWORKS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "resnet": (lambda: classifier(Residual(16), Residual(16)), IMAGE),
    "mobilenet": (lambda: classifier(Gated(16), nn.Dropout(), Gated(16)), IMAGE),
    "unet": (UNet, IMAGE),
    "lstm": (lambda: Tagger(nn.LSTM), WORDS),
    "gru": (lambda: Tagger(nn.GRU), WORDS),
    "encoder": (Encoder, IMAGE),
    "decoder": (Decoder, WORDS),
    "detector": (Detector, IMAGE),
    "sharper": (Sharper, (2, 3, 16, 16)),
    "norms": (Norms, (2, 3, 16, 16)),
    "sound": (Sound, (2, 1, 64)),
}
"""Each with the shape of its input: words are integers, all else are numbers."""


def build(name: str) -> tuple[nn.Module, torch.Tensor]:
    """A network, its statistics as after some training, and an input."""
    torch.manual_seed(0)
    make, shape = NETWORKS[name]
    network = make().eval()
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm2d | nn.InstanceNorm2d) and layer.running_mean is not None:
            layer.running_mean.normal_(0, 0.1)
            layer.running_var.uniform_(0.5, 1.5)
    return network, torch.randint(0, 50, shape) if shape == WORDS else torch.rand(shape)
