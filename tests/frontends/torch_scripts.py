"""Modules that tests save with torch.jit.save, with the inputs that they are called with."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from collections.abc import Callable
from typing import NamedTuple  # what TorchScript reads

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it
from torch.nn.utils import rnn


class Residual(nn.Module):
    """Convolutions as residual networks have them, with operations in place."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 4, 3, padding=1, groups=2)
        self.relu = nn.ReLU(inplace=True)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(4, 3, 2, 2)
        self.head = nn.Linear(3, 2)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = self.relu(self.norm(self.first(x)))
        y = self.relu(self.second(y)) + y
        y = self.up(self.pool(y))
        y += x
        return self.head(torch.flatten(y.mean((2, 3)), 1)), y.view(x.size(0), -1)


class Memories(nn.Module):
    """Recurrent layers and cells, which are stepped through."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(3, 4, batch_first=True)
        self.cell = nn.LSTMCell(3, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y, (h, _) = self.lstm(x)
        z, _ = self.gru(x)
        state = torch.zeros(x.size(0), 4), torch.zeros(x.size(0), 4)
        for t in range(3):
            state = self.cell(x[:, t], state)
        return y, h, z + state[0].unsqueeze(1)


class Encoder(nn.Module):
    """PyTorch's transformer, with a mask and a decoder."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        hidden = self.encoder(x, src_key_padding_mask=mask)
        found: Tensor = self.decoder(x, hidden)
        return found


class Layer(nn.Module):
    """A layer of a decoder with causal attention."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(size)
        self.attend = nn.Linear(size, 3 * size)
        self.inner = nn.Sequential(nn.Linear(size, 2 * size), nn.GELU(), nn.Linear(2 * size, size))
        self.register_buffer("mask", torch.tril(torch.ones(16, 16)).bool())

    def forward(self, x: Tensor) -> Tensor:
        batch, length, size = x.shape
        q, k, v = self.attend(self.norm(x)).split(size, dim=2)
        q = q.view(batch, length, self.heads, size // self.heads).transpose(1, 2)
        k = k.view(batch, length, self.heads, size // self.heads).transpose(1, 2)
        v = v.view(batch, length, self.heads, size // self.heads).transpose(1, 2)
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        scores = scores.masked_fill(~self.mask[:length, :length], float("-inf"))
        y = (F.softmax(scores, -1) @ v).transpose(1, 2).contiguous().view(batch, length, size)
        return x + self.inner(x + y)


class Decoder(nn.Module):
    """A small language model whose weights are tied."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        self.place = nn.Embedding(16, 8)
        self.layers = nn.ModuleList([Layer(8, 2) for _ in range(2)])
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids: Tensor) -> Tensor:
        places = torch.arange(0, ids.size(1), dtype=torch.long, device=ids.device)
        x = self.embed(ids) + self.place(places)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Views(nn.Module):
    """Changes in place of tensors, views, parts and what they are views of."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        y = x.clone()
        y[:, 0] = x[:, 1] * 2
        y[:, 1:3].mul_(3)
        flat = y.view(-1)
        flat[0:2] += 1
        turned = y.t()
        turned[0].add_(1)
        apart = y.transpose(0, 1).contiguous()
        apart[0] = 0
        left, right = y.chunk(2, dim=1)
        left.neg_()
        same = y.to(torch.float32)
        same.clamp_(min=-1.0, max=2.0)
        y[y > 1.5] = 0.25
        return y, flat, apart, right


class Boxes(nn.Module):
    """Detections: the best of each image, a condition on data, dictionaries and a loop."""

    def forward(self, boxes: Tensor, scores: Tensor, count: int = 3) -> dict[str, Tensor]:
        found: list[Tensor] = []
        for i in range(boxes.shape[0]):
            values, places = scores[i].topk(count)
            found.append(boxes[i][places] * values.unsqueeze(1))
        best = torch.stack(found)
        if best.sum() > 0:  # noqa: SIM108  # as TorchScript prints it
            best = best - 1
        else:
            best = best.abs()
        i = 0
        while i < 3:
            best = best * 2
            i += 1
            if i == 2:
                break
        best[:, 0] = 5
        best[0, :, 1] += 3
        high = torch.zeros_like(best)
        high[best > 3] = 1.0
        return {"best": best, "high": high}


class Suppress(nn.Module):
    """Boxes without those that overlap better ones."""

    def forward(self, boxes: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        order = scores.argsort(descending=True)
        b = boxes[order]
        area = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
        low = torch.max(b[:, None, :2], b[None, :, :2])
        high = torch.min(b[:, None, 2:], b[None, :, 2:])
        sides = (high - low).clamp(min=0)
        inside = sides[..., 0] * sides[..., 1]
        overlap = inside / (area[:, None] + area[None, :] - inside)
        keep = torch.ones(b.shape[0], dtype=torch.bool)
        for i in range(b.shape[0]):
            if keep[i]:
                worse = overlap[i] > 0.5
                worse[: i + 1] = False
                keep = keep & ~worse
        return order[keep], scores[order] * keep.float()


class Early(nn.Module):
    """Returns from branches, and what only one of them sets."""

    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:
            return x * 2
        if x.max() > -1:
            y = x + 1
            return y  # noqa: RET504  # a variable of one branch
        return x - 1


class Repeat(nn.Module):
    """A loop of unknown length that changes a tensor in place and counts."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, int]:
        count = 0
        seen = torch.zeros_like(x)
        while x.sum() < 100:
            x = x * 2 + 1
            seen[0] += 1
            count += 1
        return x, seen, count


class Count(nn.Module):
    """A loop over a number that is an input."""

    def forward(self, x: Tensor, rounds: int) -> Tensor:
        y = x
        for i in range(rounds):
            y = y * 0.5 + i
            if i % 2 == 0:
                y = y + 1
        return y


class Pair(NamedTuple):
    total: Tensor
    parts: list[Tensor]


class Nested(nn.Module):
    """Tuples, lists, dictionaries and optional tensors in and out."""

    def forward(
        self,
        pair: tuple[Tensor, Tensor],
        table: dict[str, Tensor],
        several: list[Tensor],
        factor: Tensor | None = None,
    ) -> Pair:
        x = pair[0] + pair[1] + table["a"]
        for t in several:
            x = x + t
        if factor is not None:
            x = x * factor
        return Pair(x, [x * 2, x - 1])


class Keeps(nn.Module):
    """Buffers that are changed in place, and set."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        self.mean.mul_(0.5).add_(x)
        self.calls = self.calls + 1
        return self.mean * 2 + self.calls


class Lists(nn.Module):
    """Tensors as lists of numbers."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        dims: list[int] = torch.arange(1, len(x.shape)).tolist()
        table: list[list[float]] = x[:2, :2].tolist()
        first: float = x[0, 0].tolist()
        return x.mean(dims), torch.tensor([table[1][0], first]) * table[0][1]


class Adds(nn.Module):
    """Adds to a tensor of the code, which traces keep from call to call."""

    def forward(self, x: Tensor) -> Tensor:
        total = torch.tensor(0.0)
        for row in x:
            total += row.sum()
        return x * total


class Packs(nn.Module):
    """Layers over packed sequences, and functions between."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, 2, bidirectional=True)
        self.gru = nn.GRU(8, 4, batch_first=True)

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        made, _ = self.lstm(packed)
        made = made._replace(data=torch.tanh(made.data))
        rows, ends = rnn.pad_packed_sequence(made, True, -1.5, len(x) + 1)
        packed = rnn.pack_padded_sequence(rows, ends, True, False)
        return rows, *self.gru(packed)[1:], ends


class Classes(nn.Module):
    """As many classes as the data has, and one more."""

    def forward(self, ids: Tensor) -> Tensor:
        return F.one_hot(ids, int(ids.max()) + 2)


class Scaled(nn.Module):
    """Tensors of many types and ranks beside numbers of Python, in front and behind."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        found = []
        for y in (x, x.sum(), x.half(), x.sum().half(), x > 0, (x * 9).to(torch.int8)):
            found += [0.5 * y, y + 1, y * 3, y / 2, 1.5 + y, torch.multiply(y, y.sum())]
        return (*found, x.sum() - 0.25, torch.sub(x.to(torch.int32), 3, alpha=2))


class Numbers(nn.Module):
    """Arithmetic of Python on sizes and constants."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, list[int], list[float]]:
        b, c, h, w = x.shape
        n = h * w // 2 + 1
        assert h % 2 == 0, "even"
        whole = [-7 // 2, -7 % 3, 7 >> 1, 5 & 6, 5 | 8, 5 ^ 1, int(-2.5), max(3, n), min([4, 2])]
        whole += [len(["a", "b"]), abs(-3), [1, 2, 3, 4][-3:][0], n // -3]
        real = [7 / 2, -7.5 % 2.0, float(n) ** 0.5, math.floor(-0.5) * 1.0, math.ceil(0.2) * 1.0]
        real += [round(2.5), round(-3.5), 2**-1, math.log(3.0), float("1.5")]
        return x.reshape(b, c, -1) * (n / 3.0), x.new_zeros(b, n), torch.arange(w) / w, whole, real


class Images(nn.Module):
    """Resizing, padding and pooling by sizes of the input."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y = F.interpolate(x, scale_factor=2.0, mode="nearest")
        size = [x.shape[2] * 2, x.shape[3] * 2]
        z = F.interpolate(x, size=size, mode="bilinear", align_corners=False)
        return F.pad(y, (1, 1, 0, 0), mode="reflect"), F.avg_pool2d(z, 2), F.unfold(x, 2)


class Shares(nn.Module):
    """A tensor that may be another one, and is changed in place."""

    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        z = y
        if x.sum() > 0:
            z = y * 2
        z.add_(1)
        return y + z


def archive_of(module: nn.Module, inputs: tuple[object, ...], way: str) -> bytes:
    """What torch.jit.save writes of a module that is traced, scripted or scripted and frozen."""
    module = module.eval()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        if way == "traced":
            made = torch.jit.trace(module, inputs, check_trace=False)
        else:
            made = torch.jit.script(module)
            if way == "frozen":
                made = torch.jit.freeze(made)
        buffer = io.BytesIO()
        torch.jit.save(made, buffer)
    return buffer.getvalue()


def with_code(data: bytes, change: Callable[[str], str]) -> bytes:
    """An archive whose main file of code says something else."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        parts = {info.filename: source.read(info) for info in source.infolist()}
    (name,) = (n for n in parts if n.endswith("code/__torch__.py"))
    parts[name] = change(parts[name].decode()).encode()
    return zipped(parts)


def zipped(parts: dict[str, bytes]) -> bytes:
    """An archive of members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for name, content in parts.items():
            target.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()
