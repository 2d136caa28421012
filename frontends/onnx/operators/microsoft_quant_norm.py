"""ONNX Runtime's embeddings of integers with a normalisation (com.microsoft)."""

from __future__ import annotations

import functools

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import binary, norm, quant
from nnir.recipes.embeddings import count_ones, read_embeddings

from ...table import Maybe, Table

table = Table(prefix="com.microsoft::")


@table.convert("QEmbedLayerNormalization")
def q_embed_layer_normalization(
    input_ids: Value,
    segment_ids: Maybe,
    word_embedding_quant: Value,
    position_embedding_quant: Value,
    segment_embedding: Maybe,
    gamma_quant: Value,
    beta_quant: Value,
    mask: Maybe,
    word_embedding_scale: Value,
    position_embedding_scale: Value,
    segment_embedding_scale: Maybe,
    gamma_scale: Value,
    beta_scale: Value,
    word_embedding_zero_point: Value,
    position_embedding_zero_point: Value,
    segment_embedding_zero_point: Maybe,
    gamma_zero_point: Value,
    beta_zero_point: Value,
    *,
    epsilon: float = 1e-12,
) -> tuple[Value, Value]:
    """The sum of the embeddings, normalised, and how many ones the mask of each sample has.

    Rows are read as integers: only those become real.
    """
    extra = None if segment_ids is None else segment_embedding
    if segment_ids is not None and segment_embedding_scale is None:
        raise BadType("QEmbedLayerNormalization with segments and no scale of them")
    tables = word_embedding_quant, position_embedding_quant
    scales = (
        (word_embedding_scale, word_embedding_zero_point),
        (position_embedding_scale, position_embedding_zero_point),
        (segment_embedding_scale, segment_embedding_zero_point),
    )
    rows = read_embeddings(input_ids, segment_ids, None, *tables, extra)
    parts = (quant.dequantize_linear(r, *s) for r, s in zip(rows, scales, strict=False))
    gamma = quant.dequantize_linear(gamma_quant, gamma_scale, gamma_zero_point)
    beta = quant.dequantize_linear(beta_quant, beta_scale, beta_zero_point)
    total = functools.reduce(binary.add, parts)
    result = norm.layer_normalization(total, gamma, beta, begin_norm_axis=2, epsilon=epsilon)
    return result, count_ones(mask, input_ids)
