"""Normalisations of ONNX Runtime's own domain, which add first what goes past them."""

from __future__ import annotations

import functools

from nnir.dim import differ
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import binary, norm, unary
from nnir.recipes.embeddings import count_ones, read_embeddings
from nnir.recipes.generate import constant_like
from nnir.recipes.norm import inverse_size, moments

from ...table import Maybe, Table, Withheld

table = Table(prefix="com.microsoft::")
Four = tuple[Value, Value | Withheld, Value, Value]
LAST = -1


@table.convert("SkipLayerNormalization")
def skip_layer_normalization(
    input: Value,
    skip: Value,
    gamma: Value,
    beta: Maybe = None,
    bias: Maybe = None,
    *,
    epsilon: float = 1e-12,
) -> Four:
    total = _add_up(input, skip, bias)
    shift = constant_like(gamma, 0) if beta is None else beta
    result = norm.layer_normalization(total, gamma, shift, begin_norm_axis=LAST, epsilon=epsilon)
    mean, variance = moments(total, [total.rank - 1])
    spread = unary.rsqrt(variance + epsilon)
    return norm.same_precision(result, input), mean, spread, norm.same_precision(total, input)


@table.convert("SkipSimplifiedLayerNormalization")
def skip_simplified_layer_normalization(
    input: Value, skip: Value, gamma: Value, bias: Maybe = None, *, epsilon: float = 1e-12
) -> Four:
    total = _add_up(input, skip, bias)
    result = norm.rms_normalization(total, gamma, begin_norm_axis=LAST, epsilon=epsilon)
    mean = Withheld("the mean of SkipSimplifiedLayerNormalization, which computes none")
    spread = inverse_size(total, [LAST], epsilon)
    return norm.same_precision(result, input), mean, spread, norm.same_precision(total, input)


def _add_up(input: Value, skip: Value, bias: Maybe) -> Value:
    """The sum, whose 16-bit floats stay float32 until everything is done."""
    if not input.is_float or input.rank not in (2, 3) or skip.rank > input.rank:
        raise BadType(f"a normalisation of {input.type} with {skip.type} added to it")
    total = norm.computing(input) + norm.computing(skip)
    if any(differ(n, d) for n, d in zip(total.shape, input.shape, strict=True)):
        raise BadType(f"a normalisation of {input.type} with {skip.type} added, which is larger")
    return total if bias is None else total + norm.computing(bias)


@table.convert("EmbedLayerNormalization")
def embed_layer_normalization(
    input_ids: Value,
    segment_ids: Maybe,
    word_embedding: Value,
    position_embedding: Value,
    segment_embedding: Maybe,
    gamma: Value,
    beta: Value,
    mask: Maybe = None,
    position_ids: Maybe = None,
    *,
    epsilon: float = 1e-12,
    mask_index_type: int = 0,
) -> tuple[Value, Value, Value]:
    """The sum of the embeddings, normalised; the second result counts the ones of the mask.

    `mask_index_type` says to shape inference which type that one has; it is int32 in any case.
    """
    tables = word_embedding, position_embedding, segment_embedding
    rows = read_embeddings(input_ids, segment_ids, position_ids, *tables)
    total = functools.reduce(binary.add, rows)
    result = norm.layer_normalization(total, gamma, beta, begin_norm_axis=LAST, epsilon=epsilon)
    return result, count_ones(mask, input_ids), total
