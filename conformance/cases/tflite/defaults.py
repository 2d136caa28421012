"""TFLite rows without a field of the options, which then has the default of the schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import Case

LEFT_OUT: tuple[tuple[str, str, type[NNAdapterError] | None], ...] = (
    ("DEPTHWISE_CONV_2D", "depth_multiplier", None),
    ("FAKE_QUANT", "max", None),
    ("LEAKY_RELU", "alpha", None),
    ("LOCAL_RESPONSE_NORMALIZATION", "alpha beta bias radius", None),
    ("LSTM", "fused_activation_function", None),
    ("SOFTMAX", "beta", None),
    (
        "STABLEHLO_REDUCE_WINDOW",
        "base_dilations padding window_dilations window_strides",
        None,
    ),
    ("AVERAGE_POOL_2D", "filter_height filter_width", BadType),
    ("BIDIRECTIONAL_SEQUENCE_LSTM", "fused_activation_function", Unsupported),
    ("FAKE_QUANT", "num_bits", BadType),
    ("L2_POOL_2D", "filter_height filter_width", BadType),
    ("MAX_POOL_2D", "filter_height filter_width", BadType),
    ("STABLEHLO_GATHER", "index_vector_dim start_index_map", BadType),
    (
        "STABLEHLO_SCATTER",
        "index_vector_dim scatter_dims_to_operand_dims update_window_dims",
        BadType,
    ),
    ("UNIDIRECTIONAL_SEQUENCE_LSTM", "fused_activation_function", Unsupported),
)
"""Operators and fields that all other rows give, and what a model without one is refused with."""


def rows_without(cases: Iterable[Case]) -> Iterator[Case]:
    """The first row that gives a field, without it."""
    rows = [c for c in cases if c.raises is None]
    for op, fields, error in LEFT_OUT:
        for field in fields.split():
            row = next(c for c in rows if c.op == op and field in c.attrs)
            attrs = {n: v for n, v in row.attrs.items() if n != field}
            why = f"{row.why}, {field} left out".removeprefix(", ")
            yield replace(row, attrs=attrs, why=why, raises=error)
