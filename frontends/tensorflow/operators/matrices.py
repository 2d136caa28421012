"""TensorFlow's diagonals and bands of matrices."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, shape
from nnir.recipes.diagonal import (
    band_bounds,
    band_elements,
    band_indices,
    band_positions,
    constant_mask,
    diagonal_matrix,
    has_open_sizes,
    set_diagonals,
)

from ...table import Table

table = Table()


@table.convert("MatrixBandPart")
def matrix_band_part(input: Value, num_lower: Index, num_upper: Index) -> Value:
    """A negative number keeps the whole triangle."""
    rows, columns = (
        shape.unsqueeze(build.arange_along(input, -2), [1]),
        build.arange_along(input, -1),
    )
    kept = None
    for count, away in ((num_lower, (rows, columns)), (num_upper, (columns, rows))):
        known = ints(count)
        if known is not None and known[0] < 0:
            continue
        inside = binary.sub(*away) <= build.int64(count)
        if known is None:
            inside = inside | (build.int64(count) < 0)
        kept = inside if kept is None else kept & inside
    if kept is None:
        return input
    return compare.where(kept, input, 0)


@table.convert("MatrixDiag")
def matrix_diag(diagonal: Value) -> Value:
    return diagonal_matrix(diagonal)


@table.convert("MatrixSetDiag")
def matrix_set_diag(input: Value, diagonal: Value) -> Value:
    return set_diagonals(input, diagonal, (0,), "LEFT_LEFT")


@table.convert("MatrixDiagPart")
def matrix_diag_part(input: Value) -> Value:
    return band_part(input, (0,), None, "LEFT_LEFT")


@table.convert("MatrixDiagV2")
def matrix_diag_v2(
    diagonal: Value, k: tuple[int, ...], num_rows: int, num_cols: int, padding_value: Value
) -> Value:
    return band_matrix(diagonal, k, (num_rows, num_cols), padding_value, "LEFT_LEFT")


@table.convert("MatrixDiagV3")
def matrix_diag_v3(
    diagonal: Value,
    k: tuple[int, ...],
    num_rows: int,
    num_cols: int,
    padding_value: Value,
    *,
    align: str = "RIGHT_LEFT",
) -> Value:
    return band_matrix(diagonal, k, (num_rows, num_cols), padding_value, align)


@table.convert("MatrixDiagPartV2")
def matrix_diag_part_v2(input: Value, k: tuple[int, ...], padding_value: Value) -> Value:
    return band_part(input, k, padding_value, "LEFT_LEFT")


@table.convert("MatrixDiagPartV3")
def matrix_diag_part_v3(
    input: Value, k: tuple[int, ...], padding_value: Value, *, align: str = "RIGHT_LEFT"
) -> Value:
    return band_part(input, k, padding_value, align)


@table.convert("MatrixSetDiagV2")
def matrix_set_diag_v2(input: Value, diagonal: Value, k: tuple[int, ...]) -> Value:
    return set_diagonals(input, diagonal, k, "LEFT_LEFT")


@table.convert("MatrixSetDiagV3")
def matrix_set_diag_v3(
    input: Value, diagonal: Value, k: tuple[int, ...], *, align: str = "RIGHT_LEFT"
) -> Value:
    return set_diagonals(input, diagonal, k, align)


@table.convert("Diag")
def diag(diagonal: Value) -> Value:
    lengths = build.sizes_of(diagonal)
    made = matrix_diag(build.flatten(diagonal))
    return made if diagonal.rank == 1 else build.reshape(made, [*lengths, *lengths])


@table.convert("DiagPart")
def diag_part(input: Value) -> Value:
    half = build.sizes_of(input)[: input.rank // 2]
    if input.rank % 2 or not half:
        raise BadType(f"the diagonal of {input.type}")
    count = build.product(half)
    square = input if input.rank == 2 else build.reshape(input, [count, count])
    found = matrix_diag_part(square)
    return found if input.rank == 2 else build.reshape(found, half)


def band_matrix(
    diagonal: Value, k: tuple[int, ...], given: tuple[int, int], padding: Value, align: str
) -> Value:
    """Matrices with the given diagonals, and `padding` elsewhere."""
    first, last = band_bounds(k)
    open_size = isinstance(diagonal.shape[-1], Expr)
    if open_size and first == last == 0 and given == (-1, -1) and _is_zero(padding):
        return matrix_diag(diagonal)
    (longest,) = build.known_sizes(diagonal, (-1,))
    least = (longest - min(last, 0), longest + max(first, 0))
    if given == (-1, -1):
        rows = columns = max(least)
    else:
        rows, columns = (n if n != -1 else low for n, low in zip(given, least, strict=True))
    spots, mask = band_indices(rows, columns, k, align)
    found = index.gather(band_elements(diagonal, k), spots, axis=-1)
    return found if mask.all() else compare.where(constant_mask(found, mask), found, padding)


def _is_zero(padding: Value) -> bool:
    return padding.constant is not None and not padding.constant.any()


def band_part(x: Value, k: tuple[int, ...], padding: Value | None, align: str) -> Value:
    """Diagonals of matrices as rows, filled with `padding`."""
    if band_bounds(k) == (0, 0) and has_open_sizes(x):
        return _main_diagonal(x)
    rows, columns = build.known_sizes(x, (-2, -1))
    where = band_positions(rows, columns, k, align)
    where = where[0] if len(k) < 2 or k[0] == k[1] else where
    lines = build.reshape(x, [*build.sizes_of(x)[:-2], rows * columns])
    found = index.gather(lines, np.maximum(where, 0), axis=-1)
    if (where >= 0).all():
        return found
    if padding is None:
        raise NotConstant("diagonals of several lengths without a padding")
    return compare.where(constant_mask(found, where >= 0), found, padding)


def _main_diagonal(x: Value) -> Value:
    """Each element is one row and one column on."""
    *head, rows, columns = build.sizes_of(x)
    lengths = [build.vector(x.model, [n]) for n in (rows, columns)]
    steps = generate.range_([0], binary.min_(*lengths), [1])
    places = steps * build.vector(x.model, [build.plus(columns, 1)])
    lines = build.reshape(x, [*head, build.times(rows, columns)])
    return index.gather(lines, places, axis=-1)
