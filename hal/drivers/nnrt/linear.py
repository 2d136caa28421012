"""Matrix products."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import linear
from nnir.types import Fuse

from ...lowering import Lowerings
from ...orders import identity
from .binary import FUSES, after
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()


@table.lower(linear.fully_connected)
def fully_connected(
    g: Emitter, input: Value, weight: Value, bias: Value, *, fuse_code: Fuse
) -> Ref:
    operands = [g.plain(v) for v in (input, weight, bias)]
    code = FUSES.get(fuse_code, 0)
    shape = result_shape(g)
    made = g.one("FULL_CONNECTION", operands, shape, hasBias=True, activationType=code)
    return after(g, made, fuse_code)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    left, turns_left = _matrices(g, x, transpose_x)
    right, turns_right = _matrices(g, y, transpose_y)
    flags = {"transposeX": turns_left, "transposeY": turns_right}
    return g.one("MATMUL", [left, right], result_shape(g), **flags)


def _matrices(g: Emitter, operand: Value, turns: bool) -> tuple[Ref, bool]:
    """Matrices, and whether they are to be transposed: those that are stored so are not moved."""
    ref = g.take(operand)
    swapped = (*range(ref.rank - 2), ref.rank - 1, ref.rank - 2)
    if ref.rank > 1 and ref.order == swapped:
        return ref.stored(identity(ref.rank)), not turns
    return g.plain(ref), turns
