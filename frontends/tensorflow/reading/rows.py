"""Inputs that are the values, places or bounds of rows: each of them has a length of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nnir.dim import Expr
from nnir.mapping import Buffer
from nnir.notation import name_dim
from nnir.types import Precision

from ...source import SourceValue

SAID = (
    b"Ragged",
    b"RowPartition",
    b"SparseFillEmptyRows",
    b"SparseReduce",
    b"SparseReshape",
    b"SparseSegment",
    b"SparseTensorDense",
    b"SparseToDense",
)
"""What graphs of ragged and of sparse tensors say."""


def loosen_rows(inputs: Sequence[SourceValue], graph: Buffer) -> list[SourceValue]:
    """The inputs, `batch` only where it is one; `graph` are the bytes of a graph.

    Vectors and places, which are rows of integers, have other lengths than a batch, and each its
    own: `<input>_0`.
    """
    loose = [k for k, value in enumerate(inputs) if _is_loose(value)]
    if len(loose) < 2 or all(graph.find(word) < 0 for word in SAID):
        return list(inputs)
    return [_with_own(v) if k in loose else v for k, v in enumerate(inputs)]


def _is_loose(value: SourceValue) -> bool:
    type = value.type
    if type is None or not type.shape or not isinstance(type.shape[0], Expr):
        return False
    return type.rank == 1 or (type.rank == 2 and type.precision == Precision.INT64)


def _with_own(value: SourceValue) -> SourceValue:
    if value.type is None:
        return value
    shape = (name_dim(f"{value.name}_0"), *value.type.shape[1:])
    return replace(value, type=value.type.with_shape(shape))
