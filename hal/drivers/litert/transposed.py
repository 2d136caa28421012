"""Transposed convolutions."""

from __future__ import annotations

from dataclasses import replace

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv
from nnir.types import Precision

from ...attributes import Transposed
from ...lowering import Lowerings
from ...orders import channels_last
from . import windows
from .conv import bias_of, kernel_of
from .emitter import Emitter, Ref, result_shape
from .static import numbers
from .unary import real

table = Lowerings[Ref]()


@table.lower(conv.conv_2d_transpose, conv.conv_3d_transpose, how=Transposed)
def transposed_convolution(
    g: Emitter, input: Value, filter: Value, bias: Value, *, how: Transposed
) -> Ref:
    """The native operator without padding; the border is cut off or added after it."""
    if how.is_dilated:
        raise NoLowering("litert has no transposed convolution with dilations")
    x = windows.stored_last(g, real(g, input))
    rank, how = how.rank, how.over(kernel_of("a transposed convolution", filter))
    spatial = windows.spatial_sizes("a transposed convolution", input)
    out = numbers(result_shape(g)[2:])
    grown = replace(how, output_shape=out).growth(spatial)
    axes = list(zip(spatial, how.strides, how.kernel_shape, out, strict=True))
    fits = all(n * s == m if rank == 3 else -(-m // s) == n for n, s, _, m in axes)
    is_same = fits and all(-a == (-a - b) // 2 and b <= 0 for a, b in grown)
    full = [(n - 1) * s + max(k, s if rank == 3 else k) for n, s, k, _ in axes]
    beyond = [f - ((n - 1) * s + k) for f, (n, s, k, _) in zip(full, axes, strict=True)]
    fields = {"padding": windows.SAME if is_same else windows.VALID}
    fields |= windows.along("stride_{}", how.strides)
    shape = (x.tensor.shape[0], *(out if is_same else full), filter.shape[1])
    taps = g.ordered(filter, (1, 2, 3, 0) if rank == 2 else (2, 3, 4, 1, 0))
    name = "TRANSPOSE_CONV" if rank == 2 else "CONV_3D_TRANSPOSE"
    order = channels_last(rank + 2)
    result = g.one(name, [g.sizes(shape), taps, x], Precision.FLOAT32, shape, order, **fields)
    if not is_same:
        around = [(a, b - e) for (a, b), e in zip(grown, beyond, strict=True)]
        result = windows.add_border(g, result, around)
    if bias.constant is not None and not bias.constant.any():
        return result
    return result + g.reshape(bias_of(g, bias), (bias.shape[0], *(1,) * rank))
