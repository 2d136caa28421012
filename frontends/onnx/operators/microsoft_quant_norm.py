"""ONNX Runtime's embeddings of integers with a normalisation (com.microsoft)."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import compare, index, norm, quant, reduce, shape
from nnir.types import Precision

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
    if input_ids.rank != 2:
        raise BadType(f"QEmbedLayerNormalization of {input_ids.type}, not [batch, length]")
    words = index.gather(word_embedding_quant, input_ids)
    total = quant.dequantize_linear(words, word_embedding_scale, word_embedding_zero_point)
    length = index.slice_(shape.shape(input_ids, dtype=Precision.INT64), [0], [1], [2])
    places = index.slice_(position_embedding_quant, [0], [0], length)
    total = total + quant.dequantize_linear(
        places, position_embedding_scale, position_embedding_zero_point
    )
    if segment_ids is not None:
        if segment_embedding is None or segment_embedding_scale is None:
            raise BadType("QEmbedLayerNormalization with segments and no embeddings of them")
        rows = index.gather(segment_embedding, segment_ids)
        total = total + quant.dequantize_linear(
            rows, segment_embedding_scale, segment_embedding_zero_point
        )
    gamma = quant.dequantize_linear(gamma_quant, gamma_scale, gamma_zero_point)
    beta = quant.dequantize_linear(beta_quant, beta_scale, beta_zero_point)
    result = norm.layer_normalization(total, gamma, beta, begin_norm_axis=2, epsilon=epsilon)
    ones = compare.equal(input_ids * 0 if mask is None else mask, 1).cast(Precision.INT32)
    return result, reduce.reduce_sum(ones, [1], keepdim=False)
