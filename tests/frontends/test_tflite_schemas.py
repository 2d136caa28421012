"""A converter's keywords are the fields of its operator's options, with the schema's defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from frontends.tflite import TABLE
from frontends.tflite.reading import reader
from nnir.formats.tflite import schema
from nnir.operator import Operator
from nnir.types import Precision

TABLES = {
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "L2_POOL_2D": "Pool2DOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    **dict.fromkeys(("MAXIMUM", "MINIMUM"), "MaximumMinimumOptions"),
    **dict.fromkeys(("MEAN", "SUM"), "ReducerOptions"),
    **dict.fromkeys(
        ("REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"), "ReducerOptions"
    ),
    **dict.fromkeys(("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL", "MULTINOMIAL"), "RandomOptions"),
}
"""Tables of options that are not called as their operator is."""

FROM_TENSORS = {
    "QUANTIZE": {"scale", "zero_point", "axis", "dtype"},
    "DEQUANTIZE": {"scale", "zero_point", "axis"},
    "BITCAST": {"out_data_type"},
    "MULTINOMIAL": {"out_data_type"},
    "READ_VARIABLE": {"value"},
    "STABLEHLO_BROADCAST_IN_DIM": {"out_sizes"},
    "STABLEHLO_CONVERT": {"out_data_type"},
    "STABLEHLO_IOTA": {"out_sizes", "out_data_type"},
    "STABLEHLO_RESHAPE": {"out_sizes"},
}
"""What the reader adds of tensors and variables."""

NO_DEFAULT = {
    **dict.fromkeys(
        ("padding", "block_size", "seq_dim", "out_type", "out_data_type", "output_type")
    ),
    **dict.fromkeys(("stride_w", "stride_h", "stride_d", "filter_width", "filter_height")),
}
"""Fields whose default in the schema means nothing: they are always written."""

BUILTIN = sorted(set(TABLE.entries) & set(schema.operators()))


def table_of(name: str) -> str | None:
    """The table of an operator's options."""
    wanted = "".join(name.lower().split("_")) + "options"
    known = {n.lower(): n for n in schema.tables()}
    return TABLES.get(name) or known.get(wanted)


@pytest.mark.parametrize("name", BUILTIN)
def test_keywords_are_the_fields(name: str) -> None:
    (converter,) = TABLE.entries[name].values()
    options = table_of(name)
    fields = {} if options is None else {f.name: f for f in schema.tables()[options]}
    theirs = {called(k): f for k, f in fields.items() if k not in reader.IGNORED}
    if isinstance(converter.function, Operator):  # it binds by position, and takes tensors only
        assert not theirs
        return
    mine = {
        n.removesuffix("_"): p.default
        for n, (p, _) in converter.parameters.items()
        if p.kind is p.KEYWORD_ONLY and n not in converter.services
    }
    assert set(mine) == set(theirs) | FROM_TENSORS.get(name, set())
    for key, field in theirs.items():
        if mine[key] is inspect.Parameter.empty:
            assert key in NO_DEFAULT or key != field.name, key
        else:
            assert same(mine[key], default(field)), f"{key}={mine[key]!r}"


def called(field: str) -> str:
    """What the reader makes of a field; numbers of graphs become the graphs."""
    if field == "branch_subgraph_indices":
        return "branch_subgraphs"
    return field.removesuffix("_index") if field in reader.SUB_GRAPHS else field


def default(field: schema.Field) -> Any:
    """What the reader gives for a field that is absent."""
    if field.kind.endswith("[]"):
        return ()
    if field.name in schema.ENUMS:
        return schema.member(schema.ENUMS[field.name], field.default)
    return schema.precision(field.default) if field.name in schema.TYPE_FIELDS else field.default


def same(mine: Any, theirs: Any) -> bool:
    if isinstance(theirs, Precision):
        return mine is theirs
    return type(mine) is type(theirs) and bool(mine == theirs)
