"""Recurrent layers step by step, with every option of ONNX."""

from __future__ import annotations

from collections.abc import Sequence

import torch

Names = Sequence[tuple[str, float, float]]
"""Activations with their two parameters."""


def activate(x: torch.Tensor, how: tuple[str, float, float], clip: float | None) -> torch.Tensor:
    """An activation by its name in small letters, after limiting to [-clip, clip]."""
    name, a, b = how
    x = x if clip is None else torch.clamp(x, -clip, clip)
    if name in ("sigmoid", "tanh", "relu"):
        return {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}[name](x)
    if name == "affine":
        return a * x + b
    if name == "elu":
        return torch.where(x >= 0, x, a * torch.expm1(torch.clamp(x, max=0)))
    if name == "hardsigmoid":
        return torch.clamp(a * x + b, 0, 1)
    if name == "leakyrelu":
        return torch.where(x >= 0, x, a * x)
    if name == "scaledtanh":
        return a * torch.tanh(b * x)
    if name == "softplus":
        return torch.logaddexp(x, torch.zeros_like(x))
    if name == "softsign":
        return x / (1 + torch.abs(x))
    if name == "thresholdedrelu":
        return torch.where(x > a, x, 0.0)
    raise ValueError(f"no activation {name!r}")


def rnn_step(
    x: torch.Tensor,
    state: list[torch.Tensor],
    r: torch.Tensor,
    rb: torch.Tensor,
    f: Names,
    clip: float | None,
) -> list[torch.Tensor]:
    """The plain cell; `x` is the product of the input already."""
    return [activate(x + state[0] @ r.t() + rb, f[0], clip)]


def gru_step(
    x: torch.Tensor,
    state: list[torch.Tensor],
    r: torch.Tensor,
    rb: torch.Tensor,
    f: Names,
    clip: float | None,
    linear_before_reset: bool,
) -> list[torch.Tensor]:
    """The gated recurrent unit."""
    (h,) = state
    size = r.shape[1]
    both = x[:, : 2 * size] + h @ r[: 2 * size].t() + rb[: 2 * size]
    gates = activate(both, f[0], clip)
    z, reset = gates[:, :size], gates[:, size:]
    if linear_before_reset:
        hidden = reset * (h @ r[2 * size :].t() + rb[2 * size :])
    else:
        hidden = (reset * h) @ r[2 * size :].t() + rb[2 * size :]
    new = activate(x[:, 2 * size :] + hidden, f[1], clip)
    return [(1 - z) * new + z * h]


def lstm_step(
    x: torch.Tensor,
    state: list[torch.Tensor],
    r: torch.Tensor,
    rb: torch.Tensor,
    peephole: torch.Tensor | None,
    f: Names,
    clip: float | None,
    input_forget: bool,
) -> list[torch.Tensor]:
    """The long short-term memory cell."""
    h, c = state
    i, o, forget, new = torch.chunk(x + h @ r.t() + rb, 4, 1)
    if peephole is not None:
        peep_i, peep_o, peep_f = torch.chunk(peephole, 3)
        i, forget = i + peep_i * c, forget + peep_f * c
    i = activate(i, f[0], clip)
    forget = 1 - i if input_forget else activate(forget, f[0], clip)
    cell = forget * c + i * activate(new, f[1], clip)
    if peephole is not None:
        o = o + peep_o * cell
    o = activate(o, f[0], clip)
    return [o * activate(cell, f[2], None), cell]


def layer(
    kind: str,
    x: torch.Tensor,
    weights: tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None],
    lengths: torch.Tensor | None,
    start: Sequence[torch.Tensor],
    functions: Names,
    clip: float | None,
    flag: bool,
    reverse: bool,
) -> tuple[torch.Tensor, ...]:
    """One direction: the first state of every moment and the last states."""
    w, r, wb, rb, peephole = weights
    products = x @ w.t() + wb
    state = list(start)
    moments = x.shape[0]
    outputs: list[torch.Tensor] = []
    order = range(moments - 1, -1, -1) if reverse else range(moments)
    for t in order:
        if kind == "rnn":
            new = rnn_step(products[t], state, r, rb, functions, clip)
        elif kind == "gru":
            new = gru_step(products[t], state, r, rb, functions, clip, flag)
        else:
            new = lstm_step(products[t], state, r, rb, peephole, functions, clip, flag)
        shown = new[0]
        if lengths is not None:
            live = (t < lengths)[:, None]
            new = [torch.where(live, n, o) for n, o in zip(new, state, strict=True)]
            shown = torch.where(live, shown, 0.0)
        state = new
        outputs.append(shown)
    if reverse:
        outputs.reverse()
    whole = torch.stack(outputs) if outputs else x.new_zeros([0, *start[0].shape])
    return (whole, *state)
