"""Fourier transforms."""

from __future__ import annotations

import torch

from nnir.broadcast import axis_of, ints
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import signal
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Result

table = Lowerings[Result]()


def transform(x: torch.Tensor, count: int, axis: int, kind: str) -> torch.Tensor:
    """A Fourier transform along an axis; of no signals too."""
    function = {
        "fft": torch.fft.fft,
        "ifft": torch.fft.ifft,
        "rfft": torch.fft.rfft,
        "irfft": torch.fft.irfft,
    }[kind]
    if all(n != 0 for k, n in enumerate(x.shape) if k != axis):
        return function(x, count, axis)
    sizes = list(x.shape)
    sizes[axis] = count // 2 + 1 if kind == "rfft" else count
    whole = x.real.new_empty([*sizes, 2])
    return whole[..., 0] if kind == "irfft" else torch.view_as_complex(whole)


@table.lower(signal.dft)
def dft(
    g: Emitter,
    input: Value,
    dft_length: Value | None,
    axis: Value | None,
    *,
    inverse: bool,
    onesided: bool,
) -> Result:
    known, parts = (signal.AXIS,) if axis is None else ints(axis), input.shape[-1]
    if known is None or isinstance(parts, Expr):
        raise NoLowering(f"torch needs a known axis and known parts of {input.type}")
    along = axis_of(known[0], input.rank)
    x, size = g.of(input), g.axes(input)[along]
    kind = torch.float64 if input.precision == Precision.FLOAT64 else torch.float32
    x = x.to(kind)
    count = g.size((size - 1) * 2 if inverse and onesided else size)
    count = count if dft_length is None else g.sizes(dft_length)[0]
    real = x.select(-1, 0)
    wave = torch.complex(real, x.select(-1, 1) if parts == 2 else torch.zeros_like(real))
    if inverse and onesided:
        made = g.call(transform, wave, count, along, "irfft").unsqueeze(-1)
        return g.back(made, input.precision)
    if onesided and parts == 1:
        result = g.call(transform, real, count, along, "rfft")
    else:
        result = g.call(transform, wave, count, along, "ifft" if inverse else "fft")
        result = result.narrow(along, 0, count // 2 + 1) if onesided else result
    return g.back(torch.view_as_real(result), input.precision)
