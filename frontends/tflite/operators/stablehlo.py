"""StableHLO's operators, which the converters of JAX and PyTorch write into TFLite files.

Source: the StableHLO specification. Graphs in operators must be one plain operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, binary, compare, index, logic, shape, sort, unary
from nnir.recipes.slices import slice_from
from nnir.types import Precision

from ... import branches
from ...source import SourceGraph
from ...table import Table
from ...translate import Translator
from . import reduce
from .contractions import Axes, Steps, convolution, dot
from .control import while_
from .index import dynamic_update_slice
from .reducers import combination, is_descending, operator_of
from .scatter import Slices, clamp_starts, gather_slices, scatter_slices
from .unary import cast
from .windows import Windows, pad_between, reduce_windows

table = Table()
table.same(
    {
        "STABLEHLO_ABS": unary.abs_,
        "STABLEHLO_COSINE": unary.cos,
        "STABLEHLO_DIVIDE": binary.div,
        "STABLEHLO_EXPONENTIAL": unary.exp,
        "STABLEHLO_FLOOR": unary.floor,
        "STABLEHLO_LOG": unary.log,
        "STABLEHLO_LOGISTIC": activation.sigmoid,
        "STABLEHLO_NEGATE": unary.neg,
        "STABLEHLO_POWER": binary.pow_,
        "STABLEHLO_RSQRT": unary.rsqrt,
        "STABLEHLO_SUBTRACT": binary.sub,
        "STABLEHLO_TANH": activation.tanh,
    }
)
table.convert("STABLEHLO_WHILE")(while_)
COMBINED = {"ADD": "add", "MULTIPLY": "mul", "MAXIMUM": "max", "MINIMUM": "min", "AND": "and"}
COMPARED = {
    "EQ": compare.equal,
    "NE": compare.not_equal,
    "GE": compare.greater_equal,
    "GT": compare.greater,
    "LE": compare.less_equal,
    "LT": compare.less,
}
DIRECTION, KIND = "STABLEHLO_COMPARISON_DIRECTION_", "STABLEHLO_COMPARISON_TYPE_"
Numbers = tuple[int, ...]


def _register_scatter(name: str) -> Any:
    def convert(lhs: Value, rhs: Value) -> Value:
        return operator_of(name, lhs.precision)(lhs, rhs)

    return convert


for _their, _mine in (*COMBINED.items(), ("OR", "or")):
    table.convert(f"STABLEHLO_{_their}")(_register_scatter(_mine))


@table.convert("STABLEHLO_REMAINDER")
def remainder(lhs: Value, rhs: Value) -> Value:
    """With the sign of the dividend."""
    return binary.mod(lhs, rhs, fmod=True)


@table.convert("STABLEHLO_SHIFT_LEFT")
def shift_left(lhs: Value, rhs: Value) -> Value:
    return logic.bit_shift(lhs, rhs, left=True)


@table.convert("STABLEHLO_CBRT")
def cbrt(operand: Value) -> Value:
    third = operand.model.constant(1 / 3, operand.dtype)
    return unary.sign(operand) * abs(operand) ** third


@table.convert("STABLEHLO_COMPARE")
def compare_(
    lhs: Value,
    rhs: Value,
    *,
    comparison_direction: str,
    compare_type: str,
) -> Value:
    """A total order of floats, which tells -0 from 0, is not the standard's."""
    total = compare_type == KIND + "FLOAT_TOTAL_ORDER"
    operator = COMPARED.get(comparison_direction.removeprefix(DIRECTION))
    if operator is None or (total and lhs.is_float):
        raise Unsupported(f"STABLEHLO_COMPARE with {comparison_direction} and {compare_type}")
    if lhs.precision == Precision.BOOL8 and operator not in (compare.equal, compare.not_equal):
        lhs, rhs = (v.cast(Precision.INT32) for v in (lhs, rhs))
    return operator(lhs, rhs)


@table.convert("STABLEHLO_SELECT")
def select(pred: Value, on_true: Value, on_false: Value) -> Value:
    return compare.where(pred, on_true, on_false)


@table.convert("STABLEHLO_CLAMP")
def clamp(min: Value, operand: Value, max: Value) -> Value:
    return binary.min_(binary.max_(operand, min), max)


@table.convert("STABLEHLO_CONVERT")
def convert(operand: Value, *, out_data_type: Precision) -> Value:
    return cast(operand, out_data_type=out_data_type)


@table.convert("STABLEHLO_RESHAPE")
def reshape(operand: Value, *, out_sizes: Numbers) -> Value:
    return build.reshape_to(operand, operand.model.constant(np.array(out_sizes, np.int64)))


@table.convert("STABLEHLO_TRANSPOSE")
def transpose(operand: Value, *, permutation: Numbers) -> Value:
    return shape.transpose(operand, perm=permutation)


@table.convert("STABLEHLO_BROADCAST_IN_DIM")
def broadcast_in_dim(operand: Value, *, broadcast_dimensions: Numbers, out_sizes: Numbers) -> Value:
    """Each axis of the operand becomes one of the result; the others repeat it."""
    good = all(0 <= a < len(out_sizes) for a in broadcast_dimensions)
    if not good or len(broadcast_dimensions) != operand.rank or min(out_sizes, default=0) < 0:
        raise BadType(f"a broadcast of {operand.type} along {broadcast_dimensions} to {out_sizes}")
    order = tuple(int(a) for a in np.argsort(broadcast_dimensions))
    turned = operand if order == tuple(range(len(order))) else shape.transpose(operand, perm=order)
    new = [a for a in range(len(out_sizes)) if a not in broadcast_dimensions]
    wide = shape.unsqueeze(turned, new) if new else turned
    return wide if wide.shape == out_sizes else shape.expand(wide, list(out_sizes))


@table.convert("STABLEHLO_CONCATENATE")
def concatenate(*inputs: Value, dimension: int) -> Value:
    return shape.concat(*inputs, axis=dimension) if len(inputs) > 1 else inputs[0]


@table.convert("STABLEHLO_SLICE")
def slice_(
    operand: Value,
    *,
    start_indices: Numbers,
    limit_indices: Numbers,
    strides: Numbers,
) -> Value:
    lists = (start_indices, limit_indices, strides)
    if any(len(v) != operand.rank for v in lists) or min(start_indices, default=0) < 0:
        raise BadType(f"a slice of {operand.type} with {lists}")
    axes = list(range(operand.rank))
    return index.slice_(operand, axes, *(list(v) for v in lists)) if axes else operand


@table.convert("STABLEHLO_DYNAMIC_SLICE")
def dynamic_slice(operand: Value, *start_indices: Value, slice_sizes: Numbers) -> Value:
    """A start is moved until the slice lies in the tensor."""
    if not operand.rank:
        return operand
    starts = clamp_starts(operand, start_indices, slice_sizes)
    return slice_from(operand, starts, operand.model.constant(np.array(slice_sizes, np.int64)))


@table.convert("STABLEHLO_DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice_(operand: Value, update: Value, *start_indices: Value) -> Value:
    if not operand.rank:
        return update
    parts = [shape.reshape(s.cast(Precision.INT64), [1]) for s in start_indices]
    starts = shape.concat(*parts, axis=0) if len(parts) > 1 else parts[0]
    return dynamic_update_slice(operand, update, starts)


@table.convert("STABLEHLO_PAD")
def pad(
    operand: Value,
    padding_value: Value,
    *,
    edge_padding_low: Numbers,
    edge_padding_high: Numbers,
    interior_padding: Numbers,
) -> Value:
    """Also between elements; fewer than 0 at an end are cut off."""
    lists = (edge_padding_low, edge_padding_high, interior_padding)
    if any(len(v) != operand.rank for v in lists):
        raise BadType(f"a padding of {operand.type} by {lists}")
    around = list(zip(edge_padding_low, edge_padding_high, strict=True))
    return pad_between(operand, padding_value, interior_padding, around)


@table.convert("STABLEHLO_IOTA")
def iota(
    *,
    iota_dimension: int,
    out_sizes: Numbers,
    out_data_type: Precision,
    translator: Translator,
) -> Value:
    """0, 1, ... along an axis."""
    if not 0 <= iota_dimension < len(out_sizes) or min(out_sizes) < 0:
        raise BadType(f"0, 1, ... along axis {iota_dimension} of {out_sizes}")
    model = translator.model
    line = build.arange(out_sizes[iota_dimension]).astype(out_data_type.dtype)
    column = line.reshape(-1, *(1,) * (len(out_sizes) - 1 - iota_dimension))
    return shape.expand(model.constant(column), list(out_sizes))


@table.convert("STABLEHLO_DOT_GENERAL")
def dot_general(
    lhs: Value,
    rhs: Value,
    *,
    lhs_batching_dimensions: Numbers,
    rhs_batching_dimensions: Numbers,
    lhs_contracting_dimensions: Numbers,
    rhs_contracting_dimensions: Numbers,
) -> Value:
    batch = (lhs_batching_dimensions, rhs_batching_dimensions)
    return dot(lhs, rhs, batch, (lhs_contracting_dimensions, rhs_contracting_dimensions))


def _pairs(numbers: Numbers, count: int) -> list[tuple[int, int]]:
    if len(numbers) not in (0, 2 * count):
        raise BadType(f"{len(numbers)} paddings of {count} axes")
    return list(zip(numbers[::2], numbers[1::2], strict=True)) or [(0, 0)] * count


@table.convert("STABLEHLO_CONVOLUTION")
def convolution_(
    lhs: Value,
    rhs: Value,
    *,
    window_strides: Numbers,
    padding: Numbers,
    lhs_dilation: Numbers,
    rhs_dilation: Numbers,
    window_reversal: tuple[bool, ...],
    input_batch_dimension: int,
    input_feature_dimension: int,
    input_spatial_dimensions: Numbers,
    kernel_input_feature_dimension: int,
    kernel_output_feature_dimension: int,
    kernel_spatial_dimensions: Numbers,
    output_batch_dimension: int,
    output_feature_dimension: int,
    output_spatial_dimensions: Numbers,
    feature_group_count: int,
    batch_group_count: int,
) -> Value:
    if batch_group_count > 1:
        raise Unsupported(f"STABLEHLO_CONVOLUTION with batch_group_count={batch_group_count}")
    ones = (1,) * (lhs.rank - 2)
    how = Steps(
        window_strides or ones,
        _pairs(padding, len(ones)),
        lhs_dilation or ones,
        rhs_dilation or ones,
        window_reversal or (False,) * len(ones),
    )
    axes = (
        Axes(input_batch_dimension, input_feature_dimension, input_spatial_dimensions),
        Axes(
            kernel_output_feature_dimension,
            kernel_input_feature_dimension,
            kernel_spatial_dimensions,
        ),
        Axes(output_batch_dimension, output_feature_dimension, output_spatial_dimensions),
    )
    return convolution(lhs, rhs, axes, how, max(feature_group_count, 1))


@table.convert("STABLEHLO_GATHER")
def gather(
    operand: Value,
    start_indices: Value,
    *,
    offset_dims: Numbers,
    collapsed_slice_dims: Numbers,
    start_index_map: Numbers,
    index_vector_dim: int,
    slice_sizes: Numbers,
) -> Value:
    how = Slices(offset_dims, collapsed_slice_dims, start_index_map, index_vector_dim, slice_sizes)
    return gather_slices(operand, start_indices, how)


@table.convert("STABLEHLO_SCATTER")
def scatter(
    operand: Value,
    scatter_indices: Value,
    updates: Value,
    *,
    update_window_dims: Numbers,
    inserted_window_dims: Numbers,
    scatter_dims_to_operand_dims: Numbers,
    index_vector_dim: int,
    update_computation_subgraph: SourceGraph,
) -> Value:
    name = combination(update_computation_subgraph)
    reduction = {"last": "none"}.get(name, name)
    if reduction in ("and", "or"):
        raise Unsupported(f"STABLEHLO_SCATTER with {reduction!r}")
    kept = [a for a in range(operand.rank) if a not in inserted_window_dims]
    spans = build.known_sizes(updates, sorted(update_window_dims))
    if len(kept) != len(spans):
        raise BadType(f"a scatter of {updates.type} along {update_window_dims} to {operand.type}")
    found = dict(zip(kept, spans, strict=True))
    sizes = [found.get(a, 1) for a in range(operand.rank)]
    axes = scatter_dims_to_operand_dims
    how = Slices(update_window_dims, inserted_window_dims, axes, index_vector_dim, sizes)
    return scatter_slices(operand, scatter_indices, updates, how, reduction)


REDUCED = {
    "add": "SUM", "mul": "REDUCE_PROD", "max": "REDUCE_MAX", "min": "REDUCE_MIN",
}  # fmt: skip


@table.convert("STABLEHLO_REDUCE")
def reduce_(*inputs: Value, dimensions: Numbers, body_subgraph: SourceGraph) -> Value:
    """Of one tensor; the initial value counts as one more element."""
    if len(inputs) != 2:
        raise Unsupported(f"STABLEHLO_REDUCE of {len(inputs) // 2} tensors at once")
    operand, start = inputs
    name = combination(body_subgraph)
    operator = operator_of(name, operand.precision)
    if not dimensions:
        return operator(operand, start)
    truth = {logic.and_: "REDUCE_ALL", logic.or_: "REDUCE_ANY"}.get(operator)
    known = truth or REDUCED.get(name)
    if known is None:
        return _fold_windows(operand, start, operator, dimensions)
    (converter,) = reduce.table.entries[known].values()
    axes = operand.model.constant(np.array(dimensions, np.int64))
    return operator(converter.function(operand, axes, keep_dims=False), start)


def _fold_windows(x: Value, start: Value, operator: Operator, axes: Sequence[int]) -> Value:
    """A reduction as one window."""
    ones = (1,) * x.rank
    found = dict(zip(axes, build.known_sizes(x, axes), strict=True))
    spans = tuple(found.get(a, 1) for a in range(x.rank))
    how = Windows(spans, ones, ones, ones, [(0, 0)] * x.rank)
    return shape.squeeze(reduce_windows(x, start, operator, how), list(axes))


@table.convert("STABLEHLO_REDUCE_WINDOW")
def reduce_window(
    *inputs: Value,
    window_dimensions: Numbers,
    window_strides: Numbers,
    base_dilations: Numbers,
    window_dilations: Numbers,
    padding: Numbers,
    body_subgraph: SourceGraph,
) -> Value:
    if len(inputs) != 2:
        raise Unsupported(f"STABLEHLO_REDUCE_WINDOW of {len(inputs) // 2} tensors at once")
    operand, start = inputs
    ones = (1,) * operand.rank
    how = Windows(
        window_dimensions,
        window_strides or ones,
        base_dilations or ones,
        window_dilations or ones,
        _pairs(padding, operand.rank),
    )
    operator = operator_of(combination(body_subgraph), operand.precision)
    return reduce_windows(operand, start, operator, how)


@table.convert("STABLEHLO_SORT")
def sort_(
    *inputs: Value, dimension: int, comparator_subgraph: SourceGraph
) -> Value | tuple[Value, ...]:
    """All tensors in the order of the first."""
    falls = is_descending(comparator_subgraph)
    keys, *others = inputs
    count = keys.shape[dimension]
    values, order = sort.top_k(keys, [count], axis=dimension, largest=falls)
    rest = [index.gather_elements(v, order, axis=dimension) for v in others]
    return (values, *rest) if rest else values


@table.convert("STABLEHLO_CASE")
def case(
    branch: Value, *inputs: Value, branch_subgraphs: tuple[SourceGraph, ...], translator: Translator
) -> Any:
    """A number that is none of a branch takes the last."""
    if not branch_subgraphs:
        raise BadType("STABLEHLO_CASE without branches")
    return branches.case(translator, branch, inputs, branch_subgraphs)
