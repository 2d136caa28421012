"""Networks of PyTorch with integers, in the form that its PT2E quantisation writes.

Operators of real numbers stand between `quantize_per_tensor` and `dequantize_per_tensor`, weights
are integers that are dequantised; one scale for each tensor.
"""

from __future__ import annotations

import torch
import torch.ao.quantization.fx._decomposed  # defines torch.ops.quantized_decomposed
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

UINT8 = (0, 255, torch.uint8)


class Rounding(nn.Module):
    """Looks at what comes; once it is `fixed`, rounds it to 256 numbers between the extremes."""

    def __init__(self) -> None:
        super().__init__()
        self.low = self.high = 0.0
        self.is_fixed = False

    @property
    def grid(self) -> tuple[float, int]:
        scale = (self.high - self.low) / 255
        return scale, round(-self.low / scale)

    def forward(self, x: Tensor) -> Tensor:
        if not self.is_fixed:
            self.low, self.high = min(self.low, x.min().item()), max(self.high, x.max().item())
            return x
        ops = torch.ops.quantized_decomposed
        return ops.dequantize_per_tensor(
            ops.quantize_per_tensor(x, *self.grid, *UINT8), *self.grid, *UINT8
        )


class IntegerWeights(nn.Module):
    """A layer whose weights are integers."""

    def __init__(self, layer: nn.Conv2d | nn.Linear) -> None:
        super().__init__()
        weight = layer.weight.detach()
        self.scale = weight.abs().max().item() / 127
        whole = (weight / self.scale).round().clamp(-127, 127) + 128
        self.register_buffer("whole", whole.to(torch.uint8))
        self.register_buffer("bias", layer.bias.detach())
        self.layer = [layer]  # a list, as its own weights are no part of this

    def forward(self, x: Tensor) -> Tensor:
        ops, (layer,) = torch.ops.quantized_decomposed, self.layer
        weight = ops.dequantize_per_tensor(self.whole, self.scale, 128, *UINT8)
        if isinstance(layer, nn.Linear):
            return nn.functional.linear(x, weight, self.bias)
        return layer._conv_forward(x, weight, self.bias)


def round_network(network: nn.Sequential, data: Tensor) -> nn.Sequential:
    """The network with integers, whose ranges `data` shows; the original loses its parts."""
    rounded = nn.Sequential(Rounding(), *round_parts(list(network.children()))).eval()
    with torch.no_grad():
        rounded(data)
    for part in rounded.modules():
        if isinstance(part, Rounding):
            part.is_fixed = True
    return rounded


def round_parts(parts: list[nn.Module]) -> list[nn.Module]:
    """Products with integers as weights, and a `Rounding` behind each result."""
    made: list[nn.Module] = []
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        match part:
            case nn.Conv2d():
                made.append(IntegerWeights(fuse_conv_bn_eval(part, after)))
            case nn.Linear():
                made += [IntegerWeights(part), Rounding()]
            case nn.BatchNorm2d():
                made += [] if isinstance(after, nn.ReLU6) else [Rounding()]
            case nn.ReLU6() | nn.AdaptiveAvgPool2d():
                made += [part, Rounding()]
            case nn.Sequential():
                made += round_parts(list(part))
            case nn.Flatten():
                made.append(part)
            case _:
                part.body = nn.Sequential(*round_parts(list(part.body)))
                made += [part, Rounding()]
    return made
