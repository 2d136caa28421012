"""PyTorch models that are measured: written as `.pt2` and, by torch.onnx, as `.onnx`.

    python -m benchmarks.torch_models FOLDER NAME

Random weights; needs torch, torchvision, transformers, and for `.onnx` onnxscript.
"""

from __future__ import annotations

import itertools
import logging
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

NAMES = (
    *(
        "resnet50",
        "mobilenetv2",
        "efficientnet_b0",
        "vit_b",
        "swin_t",
        "convnext_t",
        "bert",
        "gpt2",
    ),
    *("llama", "whisper", "unet", "crnn"),
)
VISION = {
    "mobilenetv2": "mobilenet_v2",
    "efficientnet_b0": "",
    "swin_t": "",
    "convnext_t": "convnext_tiny",
}
"""Models of torchvision, and how it calls them where that is another name."""

PAST = 128
"""Words in the caches of the decoder."""


def ensure(folder: Path, name: str) -> tuple[Path, Path]:
    """The `.pt2` and the `.onnx` file of a model, made in a process of its own where missing."""
    folder.mkdir(parents=True, exist_ok=True)
    program, onnx = folder / f"{name}.pt2", folder / f"{name}_torch.onnx"
    if not (program.exists() and onnx.exists()):
        subprocess.run(
            [sys.executable, "-W", "ignore", "-m", __name__, str(folder), name],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    return program, onnx


def build(name: str) -> tuple[Any, Sequence[Any]]:
    """A module and the inputs that it is exported on."""
    import torch
    from torch import nn

    class Chosen(nn.Module):
        """A transformers model whose result is one tensor."""

        def __init__(self, model: nn.Module, choose: Callable[..., Any]) -> None:
            super().__init__()
            self.model = model
            self.choose = choose

        def forward(self, *tensors: torch.Tensor) -> Any:
            return self.choose(self.model, *tensors)

    image = torch.randn(1, 3, 224, 224)
    if name in VISION:
        import torchvision

        return getattr(torchvision.models, VISION[name] or name)(), (image,)
    match name:
        case "resnet50":
            return ResNet50(), (image,)
        case "unet":
            return UNet(), (torch.randn(1, 3, 128, 128),)
        case "crnn":
            return CRNN(), (torch.randn(1, 1, 32, 256),)
    import transformers as t

    def tokens(*shape: int, high: int = 8000) -> Any:
        return torch.randint(0, high, shape)

    match name:
        case "vit_b":
            model = t.ViTModel(t.ViTConfig())
            return Chosen(model, lambda m, x: m(x)[0]), (image,)
        case "bert":
            mask = torch.ones(1, 128, dtype=torch.int64)
            model = t.BertModel(t.BertConfig())
            call = Chosen(model, lambda m, i, a: m(input_ids=i, attention_mask=a)[:2])
            return call, (tokens(1, 128), mask)
        case "gpt2":
            model = t.GPT2LMHeadModel(t.GPT2Config(use_cache=False))
            return Chosen(model, lambda m, i: m(i)[0]), (tokens(1, 128),)
        case "llama":
            config = t.LlamaConfig(
                vocab_size=8000, hidden_size=512, intermediate_size=1376, num_hidden_layers=8,
                num_attention_heads=8, num_key_value_heads=4,
            )  # fmt: skip
            held = torch.randn(2 * 8, 1, 4, PAST, 64)
            return Chosen(t.LlamaForCausalLM(config), _step), (tokens(1, 1), *held)
        case "whisper":
            config = t.WhisperConfig(
                d_model=512, encoder_layers=6, encoder_attention_heads=8, encoder_ffn_dim=2048,
                decoder_attention_heads=8,
            )  # fmt: skip
            model = t.WhisperModel(config).encoder
            return Chosen(model, lambda m, x: m(x)[0]), (torch.randn(1, 80, 3000),)
    raise ValueError(f"no model {name!r}; there are {', '.join(NAMES)}")


def _step(model: Any, words: Any, *held: Any) -> Any:
    """A word behind a cache: its logits, and the keys and values of each layer."""
    from transformers.cache_utils import DynamicCache

    cache = DynamicCache(list(zip(held[::2], held[1::2], strict=True)))
    found = model(words, past_key_values=cache, use_cache=True)
    layers = found.past_key_values.layers
    return (found.logits, *(part for layer in layers for part in (layer.keys, layer.values)))


def ResNet50(classes: int = 1000) -> Any:  # noqa: N802  stands for a class that needs torch
    """ResNet-50."""
    from torch import nn

    class Bottleneck(nn.Module):
        def __init__(self, channels: int, width: int, stride: int) -> None:
            super().__init__()
            out = width * 4
            self.body = nn.Sequential(
                nn.Conv2d(channels, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(True),
                nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width),
                nn.ReLU(True), nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out),
            )  # fmt: skip
            self.short = nn.Identity()
            if stride != 1 or channels != out:
                conv = nn.Conv2d(channels, out, 1, stride, bias=False)
                self.short = nn.Sequential(conv, nn.BatchNorm2d(out))
            self.relu = nn.ReLU(True)

        def forward(self, x: Any) -> Any:
            return self.relu(self.body(x) + self.short(x))

    layers: list[Any] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True)]
    layers.append(nn.MaxPool2d(3, 2, 1))
    channels = 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for k in range(count):
            layers.append(Bottleneck(channels, width, stride if k == 0 else 1))
            channels = width * 4
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, classes))
    return nn.Sequential(*layers, *head)


def UNet() -> Any:  # noqa: N802  stands for a class that needs torch
    """A U-Net of four levels."""
    import torch
    from torch import nn

    def block(before: int, after: int) -> Any:
        return nn.Sequential(
            nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(True),
            nn.Conv2d(after, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(True),
        )  # fmt: skip

    widths = (32, 64, 128, 256)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            pairs = list(zip((3, *widths), widths, strict=False))
            self.down = nn.ModuleList(block(a, b) for a, b in pairs)
            self.middle = block(256, 512)
            self.up = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, 2) for w in widths[::-1])
            self.join = nn.ModuleList(block(2 * w, w) for w in widths[::-1])
            self.pool, self.head = nn.MaxPool2d(2), nn.Conv2d(32, 4, 1)

        def forward(self, x: Any) -> Any:
            kept = []
            for down in self.down:
                x = down(x)
                kept.append(x)
                x = self.pool(x)
            x = self.middle(x)
            for up, join in zip(self.up, self.join, strict=True):
                x = join(torch.cat([up(x), kept.pop()], 1))
            return self.head(x)

    return Net()


def CRNN() -> Any:  # noqa: N802  stands for a class that needs torch
    """Lines of text: convolutions, then two layers of LSTM in both directions along the width."""
    from torch import nn

    widths = (1, 64, 128, 256, 256, 512, 512)
    pools = {0: 2, 1: 2, 3: (2, 1), 5: (2, 1)}

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layers: list[Any] = []
            for k, ends in enumerate(itertools.pairwise(widths)):
                conv = nn.Conv2d(*ends, 3, padding=1, bias=False)
                layers += [conv, nn.BatchNorm2d(ends[1]), nn.ReLU(True)]
                layers += [nn.MaxPool2d(pools[k])] if k in pools else []
            self.body = nn.Sequential(*layers, nn.Conv2d(512, 512, (2, 1)), nn.ReLU(True))
            self.recurrent = nn.LSTM(512, 256, 2, bidirectional=True)
            self.head = nn.Linear(512, 96)

        def forward(self, x: Any) -> Any:
            x = self.body(x).squeeze(2).permute(2, 0, 1)
            return self.head(self.recurrent(x)[0])

    return Net()


def ensure_program(folder: Path, name: str) -> Path:
    """The `.pt2` file of a model alone, made in this process where missing."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.pt2"
    if not path.exists():
        _write_program(path)
    return path


def _write_program(path: Path) -> tuple[Any, tuple[Any, ...]]:
    """Write the `.pt2` file of the model that it is named after: its module and inputs."""
    import torch

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(0)
    module, inputs = build(path.stem)
    module.eval()
    for part in module.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(part.running_mean, -0.2, 0.2)
            torch.nn.init.uniform_(part.running_var, 0.5, 1.5)
    with torch.no_grad():
        torch.export.save(torch.export.export(module, tuple(inputs), strict=False), path)
    return module, tuple(inputs)


def make(folder: Path, name: str) -> None:
    """Write both files of a model."""
    import torch

    module, inputs = _write_program(folder / f"{name}.pt2")
    with torch.no_grad():
        results = module(*inputs)
        exported = torch.onnx.export(module, inputs, dynamo=True, optimize=True)
        exported.save(folder / f"{name}_torch.onnx")
    results = (results,) if torch.is_tensor(results) else results
    np.savez(folder / f"{name}_inputs.npz", *(x.numpy() for x in inputs))
    np.savez(folder / f"{name}_results.npz", *(x.numpy() for x in results))


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2])
