"""The oracle of NNAPI's operations: LiteRT, or PyTorch in float64 where LiteRT keeps the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from ..processes.worker_loop import serve
from . import litert

Tensors = Mapping[str, torch.Tensor]
FUSED: dict[int, Callable[[torch.Tensor], torch.Tensor]] = {
    0: lambda x: x,
    1: torch.relu,
    2: torch.nn.functional.hardtanh,
    3: torch.nn.functional.relu6,
}
CELLS: dict[int, Callable[[torch.Tensor], torch.Tensor]] = {
    0: lambda x: x,
    1: torch.relu,
    3: torch.nn.functional.relu6,
    4: torch.tanh,
    6: torch.sigmoid,
}


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Any:
    """LiteRT's answer, or that of a formula on named tensors."""
    if "formula" not in head:
        return litert.answer(head, arrays, blob)
    pairs = zip(head["names"], arrays, strict=True)
    tensors = {name: torch.from_numpy(a.copy()).double() for name, a in pairs}
    results = FORMULAS[head["formula"]](tensors, head["scalars"])
    return [r.float().numpy() for r in results]


def rnn(t: Tensors, s: dict[str, Any]) -> list[torch.Tensor]:
    """A step of PyTorch's own cell, without its activation."""
    linear = torch.nn.functional.linear
    sums = linear(t["input"], t["weights"], t["bias"])
    state = FUSED[s.get("fuse_code", 0)](
        sums + linear(t["hidden_state_in"], t["recurrent_weights"])
    )
    return [state, state]


def svdf(t: Tensors, s: dict[str, Any]) -> list[torch.Tensor]:
    """A convolution over features, then one over time in groups of one filter."""
    time = t["weights_time"]
    filters, memory = time.shape
    batch = len(t["input"])
    features = torch.nn.functional.conv1d(t["input"][:, :, None], t["weights_feature"][:, :, None])
    past = t["state_in"].reshape(batch, filters, memory - 1)
    whole = torch.cat([past, features], 2)
    made = torch.nn.functional.conv1d(whole, time[:, None, :], groups=filters)
    units = made.reshape(batch, -1, s["rank"]).sum(2)
    if "bias" in t:
        units = units + t["bias"]
    return [whole[:, :, 1:].flatten(1), FUSED[s.get("fuse_code", 0)](units)]


def lstm(t: Tensors, s: dict[str, Any]) -> list[torch.Tensor]:
    """The equations of the text, gate by gate."""
    x, h, cell, act = t["input"], t["output_state_in"], t["cell_state_in"], CELLS[s["activation"]]

    def gate(name: str, bias: str) -> torch.Tensor:
        wide = torch.cat([t[f"input_to_{name}_weights"], t[f"recurrent_to_{name}_weights"]], 1)
        return torch.cat([x, h], 1) @ wide.mT + t[bias]

    def peep(name: str, seen: torch.Tensor) -> torch.Tensor:
        holes = t.get(f"cell_to_{name}_weights", torch.zeros(()).double())
        return torch.sigmoid(gate(name, f"{name}_gate_bias") + holes * seen)

    forget = peep("forget", cell)
    coupled = "input_to_input_weights" not in t
    entry = 1 - forget if coupled else peep("input", cell)
    cell = limit(forget * cell + entry * act(gate("cell", "cell_bias")), s["cell_clip"])
    result = peep("output", cell) * act(cell)
    if "projection_weights" in t:
        bias = t.get("projection_bias")
        projected = torch.nn.functional.linear(result, t["projection_weights"], bias)
        result = limit(projected, s["proj_clip"])
    scratch = torch.zeros(len(x), cell.shape[1] * (3 if coupled else 4))
    return [scratch, result, cell, result]


def limit(x: torch.Tensor, most: float) -> torch.Tensor:
    """Between two thresholds; 0 is none."""
    return x.clamp(-most, most) if most else x


FORMULAS = {"RNN": rnn, "SVDF": svdf, "LSTM": lstm}

if __name__ == "__main__":
    serve(answer)
