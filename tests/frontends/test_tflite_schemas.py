"""A converter's keywords are the fields of its operator's options; the schema has the defaults."""

from __future__ import annotations

import inspect

import pytest

from frontends.tflite import TABLE
from frontends.tflite.reading import reader
from nnir.formats.tflite import schema
from nnir.operator import Operator

FROM_TENSORS = {
    "QUANTIZE": {"scale", "zero_point", "axis", "dtype"},
    "DEQUANTIZE": {"scale", "zero_point", "axis", "block_size"},
    "BITCAST": {"out_data_type"},
    "MULTINOMIAL": {"out_data_type"},
    "READ_VARIABLE": {"value"},
    "STABLEHLO_BROADCAST_IN_DIM": {"out_sizes"},
    "STABLEHLO_CONVERT": {"out_data_type"},
    "STABLEHLO_IOTA": {"out_sizes", "out_data_type"},
    "STABLEHLO_RESHAPE": {"out_sizes"},
    "UNIDIRECTIONAL_SEQUENCE_LSTM": {"hidden_scales", "hidden_zeros"},
}
"""What the reader adds of tensors and variables."""

BUILTIN = sorted(set(TABLE.entries) & set(schema.operators()))


@pytest.mark.parametrize("name", BUILTIN)
def test_keywords_are_the_fields(name: str) -> None:
    (converter,) = TABLE.entries[name].values()
    options = schema.defaults_of(name).items()
    theirs = {called(k): v for k, v in options if k not in reader.IGNORED}
    if isinstance(converter.function, Operator):  # it binds by position, and takes tensors only
        assert not theirs
        return
    mine = {
        n.removesuffix("_"): p.default
        for n, (p, _) in converter.parameters.items()
        if p.kind is p.KEYWORD_ONLY and n not in converter.services
    }
    added = FROM_TENSORS.get(name, set())
    assert set(mine) == set(theirs) | added
    given = {k: v for k, v in mine.items() if v is not inspect.Parameter.empty}
    shared = {k: v for k, v in given.items() if k not in added}
    assert shared == {k: theirs[k] for k in shared}, "of what other frontends take, too"


def called(field: str) -> str:
    """What the reader makes of a field; numbers of graphs become the graphs."""
    if field == "branch_subgraph_indices":
        return "branch_subgraphs"
    return field.removesuffix("_index") if field in reader.SUB_GRAPHS else field
