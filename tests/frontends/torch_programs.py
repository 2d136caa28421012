"""Exported programs that tests read, and archives with changed members."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

import torch
from torch import nn


class Block(nn.Module):
    """A dense layer, attention-like arithmetic on sizes, and a nested result."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 4)
        self.second.weight = nn.Parameter(torch.randn(8, 4).t())

    def forward(self, x: torch.Tensor, *, extra: dict[str, Any]) -> dict[str, Any]:
        hidden = self.second(torch.relu(self.first(x)))
        hidden = hidden + extra["bias"][0]
        return {"flat": hidden.reshape(x.shape[0] * 2, 2), "pair": (hidden, x)}


class Counter(nn.Module):
    """Changes a buffer and a part of a tensor in place."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        y = x * 2
        y[:, 0] = 3
        y.view(-1).add_(self.count[0])
        return y.t().mul_(2).t() + y


def saved(program: torch.export.ExportedProgram) -> bytes:
    """What torch.export.save writes."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of transposed weights, and writes them right
        torch.export.save(program, buffer)
    return buffer.getvalue()


def block() -> bytes:
    """The `.pt2` of Block with a dynamic batch."""
    torch.manual_seed(0)
    batch = torch.export.Dim("batch", min=2, max=64)
    shapes = {"x": {0: batch}, "extra": {"bias": [{0: batch}]}}
    arguments = (torch.randn(3, 4),), {"extra": {"bias": [torch.randn(3, 4)]}}
    return saved(torch.export.export(Block(), *arguments, dynamic_shapes=shapes))


def members(data: bytes) -> dict[str, bytes]:
    """The members of an archive by their names below its root."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {n.partition("/")[2]: archive.read(n) for n in archive.namelist()}


def archive(parts: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as target:
        for name, content in parts.items():
            target.writestr(f"archive/{name}", content)
    return buffer.getvalue()


def changed(data: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """An archive whose program `change` has edited."""
    return edited(data, "models/model.json", change)


def edited(data: bytes, member: str, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """An archive with one JSON member that `change` has edited."""
    parts = members(data)
    content = json.loads(parts[member])
    change(content)
    return archive({**parts, member: json.dumps(content).encode()})
