"""Small networks with the parts of real ones, in model folders: python -m ... FOLDER.

Each begins with arithmetic on buffers, which is computed while loading, and ends with the
position of the best score, where two always tie.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def tied(layer: nn.Linear | nn.Conv2d) -> nn.Linear | nn.Conv2d:
    """The first two classes have the same weights and always the best score."""
    with torch.no_grad():
        layer.weight[1] = layer.weight[0]
        layer.bias[:2] = 100
    return layer


class Normalise(nn.Module):
    """Pixels from 0 to 255 as the networks want them; what is known is computed once."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(MEAN).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor(STD).view(1, 3, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return (x * 255 - self.mean * 255) / (self.std * 255)


class Block(nn.Module):
    """A residual block."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.short = nn.Conv2d(inside, outside, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn1(self.conv1(x)).relu_()
        return torch.relu(self.bn2(self.conv2(y)) + self.short(x))


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.normalise = Normalise()
        self.stem = nn.Conv2d(3, 8, 5, 2, 2)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.blocks = nn.Sequential(Block(8, 8, 1), Block(8, 12, 2))
        self.head = tied(nn.Linear(12, 5))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = self.pool(torch.relu(self.stem(self.normalise(x))))
        seen = self.blocks(y).mean((2, 3))
        return seen.softmax(1), self.head(seen).argmax(1)


class Layer(nn.Module):
    """Attention and a feed-forward part."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, 1e-2), nn.LayerNorm(width, 1e-2)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = parts.unbind(0)
        weights = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        x = self.norm1(x + self.out(mixed))
        return self.norm2(x + self.down(nn.functional.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self, width: int = 16, words: int = 30) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(12, width)
        self.kinds = nn.Embedding(12, width)
        self.register_buffer("place", torch.arange(12)[None])
        self.register_buffer("kind", torch.zeros(1, 12, dtype=torch.int64))
        self.norm = nn.LayerNorm(width, 1e-2)
        self.layers = nn.Sequential(Layer(width, 2), Layer(width, 2))
        self.pooler = nn.Linear(width, width)
        self.head = tied(nn.Linear(width, 4))

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        length = ids.shape[1]
        x = self.words(ids) + self.places(self.place[:, :length])
        x = self.layers(self.norm(x + self.kinds(self.kind[:, :length])))
        seen = torch.relu(self.pooler(x[:, 0]))
        return seen, self.head(seen).argmax(-1)


def double(inside: int, outside: int) -> nn.Sequential:
    parts = (inside, outside), (outside, outside)
    layers = [
        layer
        for a, b in parts
        for layer in (nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())
    ]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.normalise = Normalise()
        self.down1, self.down2 = double(3, 6), double(6, 8)
        self.middle = double(8, 10)
        self.up2 = nn.ConvTranspose2d(10, 8, 2, 2)
        self.join2 = double(16, 8)
        self.join1 = double(14, 6)
        self.head = tied(nn.Conv2d(6, 4, 1))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        pixels = nn.functional.interpolate(self.normalise(x), size=(24, 24), mode="nearest")
        one = self.down1(pixels)
        two = self.down2(nn.functional.max_pool2d(one, 2))
        deep = self.middle(nn.functional.max_pool2d(two, 2))
        two = self.join2(torch.cat([two, self.up2(deep)], 1))
        wide = nn.functional.interpolate(two, scale_factor=2, mode="nearest")
        seen = self.join1(torch.cat([one, wide], 1))
        return seen.softmax(1), self.head(seen).argmax(1)


NETWORKS = {
    "resnet": (ResNet, lambda: torch.rand(2, 3, 32, 32)),
    "bert": (Bert, lambda: torch.randint(0, 30, (2, 9))),
    "unet": (UNet, lambda: torch.rand(1, 3, 16, 16)),
}


def shaken(module: nn.Module) -> nn.Module:
    """Weights and statistics that are not what they are by default."""
    for name, tensor in (*module.named_parameters(), *module.named_buffers()):
        if name.endswith(("running_mean", "bias")) and "head" not in name:
            nn.init.normal_(tensor, std=0.3)
        elif name.endswith("running_var") or ("norm" in name and name.endswith("weight")):
            nn.init.uniform_(tensor, 0.5, 2)
    return module.eval()


def main() -> None:
    torch.manual_seed(0)
    for name, (make, example) in NETWORKS.items():
        folder = Path(sys.argv[1]) / name
        folder.mkdir()
        given = example()
        with torch.no_grad():
            program = torch.export.export(shaken(make()), (given,), strict=False)
            results = program.module()(given)
        torch.export.save(program, folder / "model.pt2")
        np.savez(folder / "inputs.npz", in_0=given.numpy())
        outputs = {f"out_{k}": r.numpy() for k, r in enumerate(results)}
        np.savez(folder / "outputs.npz", **outputs)


if __name__ == "__main__":
    main()
