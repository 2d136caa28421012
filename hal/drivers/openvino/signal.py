"""Fourier transforms."""

from __future__ import annotations

from nnir.broadcast import axis_of, ints
from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import signal
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


@table.lower(signal.dft)
def dft(
    g: Emitter,
    input: Value,
    dft_length: Value | None,
    axis: Value | None,
    *,
    inverse: bool,
    onesided: bool,
) -> Ref:
    known = (-2,) if axis is None else ints(axis)
    parts = input.shape[-1]
    if known is None or isinstance(parts, Expr):
        raise NoLowering(f"openvino: dft of {input.type} along an axis that is not known")
    along = axis_of(known[0], input.rank)
    length = [] if dft_length is None else [g.int64(dft_length)]
    x = g.cast(input, FLOAT32)
    if parts == 1:
        if onesided and not inverse:
            real = g.squeeze(x, input.rank - 1)
            if dft_length is not None and not _fits(input.shape[along], dft_length):
                real = _grow(g, real, along, length[0], half=False)  # RDFT only cuts
            return g.node("RDFT", real, g.ints(along), *length)
        x = g.concat(x, x * 0, axis=input.rank - 1)
    return _complex(g, x, along, length, inverse, onesided)


def _fits(size: Dim, length: Value) -> bool:
    """Whether a transform of a length is known to need no more than there is."""
    known = ints(length)
    return known is not None and isinstance(size, int) and known[0] <= size


def _grow(g: Emitter, x: Ref, along: int, length: Ref, *, half: bool) -> Ref:
    """With zeros behind, up to a length, or to what is kept of `half` a spectrum of that length:
    what OpenVINO adds itself is not always zero."""
    size = g.reshape(length, [1])
    if half:
        halves = size / g.ints(2)
        size = halves + 1
    missing = size - g.part(g.dims(x), along, along + 1)
    missing = g.pair("Maximum", missing, 0)
    back = g.concat(g.ints(*[0] * along), missing, g.ints(*[0] * (x.rank - along - 1)))
    return g.node("Pad", x, g.ints(*[0] * x.rank), back, g.number(0, x), pad_mode="constant")


def _complex(
    g: Emitter, x: Ref, along: int, length: list[Ref], inverse: bool, onesided: bool
) -> Ref:
    """The transform of pairs."""
    if length:
        x = _grow(g, x, along, length[0], half=inverse and onesided)
    if inverse and onesided:
        real = g.node("IRDFT", x, g.ints(along), *length)
        return g.unsqueeze(real, x.rank - 1)
    made = g.node("IDFT" if inverse else "DFT", x, g.ints(along), *length)
    if not onesided:
        return made
    half = g.gather(g.dims(made), g.ints(along), 0)
    bins = half / 2
    return g.node("Slice", made, g.ints(0), bins + 1, g.ints(1), g.ints(along))
