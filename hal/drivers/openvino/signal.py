"""Fourier transforms."""

from __future__ import annotations

from nnir.broadcast import axis_of, ints
from nnir.dim import Expr
from nnir.model import Value
from nnir.ops import signal

from ...operands import Known
from .emitter import Emitter, Ref
from .forms import Table, single

table = Table()


@table.lower(signal.dft)
def dft(
    g: Emitter,
    input: Value,
    dft_length: Value | None,
    axis: Known | None,
    *,
    inverse: bool,
    onesided: bool,
) -> Ref:
    parts, along = input.shape[-1], axis_of(axis[0] if axis else -2, input.rank)
    g.need(not isinstance(parts, Expr), f"needs a known last size of DFT, not {input.type}")
    length = [] if dft_length is None else [g.int64(dft_length)]
    x, at = single(g, input), g.ints(along)
    if parts == 1:
        if onesided and not inverse:
            size, wanted = input.shape[along], ints(dft_length)
            is_cut = wanted is not None and isinstance(size, int) and wanted[0] <= size
            real = g.squeeze(x, input.rank - 1)
            return g.node("RDFT", real if is_cut else _grow(g, real, along, *length), at, *length)
        x = g.concat(x, x * 0, axis=input.rank - 1)
    if inverse and onesided:
        halves = [n / 2 + 1 for n in length]
        real = g.node("IRDFT", _grow(g, x, along, *halves), at, *length)
        return g.unsqueeze(real, input.rank - 1)
    made = g.node("IDFT" if inverse else "DFT", _grow(g, x, along, *length), at, *length)
    if not onesided:
        return made
    return g.first(made, g.gather(g.dims(made), at, 0) / 2 + 1, along)


def _grow(g: Emitter, x: Ref, along: int, *length: Ref) -> Ref:
    """With zeros behind, up to a length if one is given: what OpenVINO adds itself is not always
    zero."""
    for size in length:
        missing = size - g.part(g.dims(x), along, along + 1)
        behind = (g.pair("Maximum", missing, 0) if k == along else g.ints(0) for k in range(x.rank))
        ends = g.ints(*[0] * x.rank), g.concat(*behind)
        x = g.node("Pad", x, *ends, g.number(0, x), pad_mode="constant")
    return x
