"""ONNX Runtime's embeddings of integers with a normalisation (com.microsoft)."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import norm, quant
from nnir.recipes.embeddings import Embedding, count_ones, embed_tokens

from ...table import Table

table = Table(prefix="com.microsoft::")


@table.convert("QEmbedLayerNormalization")
def q_embed_layer_normalization(
    input_ids: Value,
    segment_ids: Value | None,
    word_embedding_quant: Value,
    position_embedding_quant: Value,
    segment_embedding: Value | None,
    gamma_quant: Value,
    beta_quant: Value,
    mask: Value | None,
    word_embedding_scale: Value,
    position_embedding_scale: Value,
    segment_embedding_scale: Value | None,
    gamma_scale: Value,
    beta_scale: Value,
    word_embedding_zero_point: Value,
    position_embedding_zero_point: Value,
    segment_embedding_zero_point: Value | None,
    gamma_zero_point: Value,
    beta_zero_point: Value,
    *,
    epsilon: float = 1e-12,
) -> tuple[Value, Value]:
    """The sum of the embeddings, normalised, and how many ones the mask of each sample has.

    Rows are read as integers: only those become real.
    """
    words = word_embedding_scale, word_embedding_zero_point
    places = position_embedding_scale, position_embedding_zero_point
    segments = segment_embedding_scale, segment_embedding_zero_point
    total = embed_tokens(
        input_ids,
        segment_ids,
        None,
        _table(word_embedding_quant, *words),
        _table(position_embedding_quant, *places),
        None if segment_embedding is None else _table(segment_embedding, *segments),
    )
    gamma = quant.dequantize_linear(gamma_quant, gamma_scale, gamma_zero_point)
    beta = quant.dequantize_linear(beta_quant, beta_scale, beta_zero_point)
    result = norm.layer_normalization(total, gamma, beta, begin_norm_axis=2, epsilon=epsilon)
    return result, count_ones(mask, input_ids)


def _table(rows: Value, scale: Value | None, zero_point: Value | None) -> Embedding:
    if scale is None:
        raise BadType("QEmbedLayerNormalization with segments and no scale of them")
    return Embedding(rows, lambda x: quant.dequantize_linear(x, scale, zero_point))
