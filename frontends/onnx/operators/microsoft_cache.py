"""Attention of ONNX Runtime's own domain over caches, whose samples have lengths of their own."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import attention, compare, index, norm
from nnir.recipes.cached_attention import attend_cached, count_on, separate_heads
from nnir.recipes.windowed_cache import attend_windowed
from nnir.records import dataclass
from nnir.specialise import close_size

from ...table import Absent, Attributes, Maybe, Table, Withheld

table = Table(prefix="com.microsoft::")
SCORES = Withheld("the scores of GroupQueryAttention without qk_output")


@dataclass(frozen=True)
class Looking(Attributes):
    """How queries see keys, and whether both are turned by their places."""

    causal: bool = True
    do_rotary: bool = False
    local_window_size: int = -1
    rotary_interleaved: bool = False
    scale: float | None = None
    smooth_softmax: Literal[-1, 0, 1] = -1
    softcap: float = 0.0

    def sink(self, given: Maybe, query: Value, heads: int) -> Maybe:
        """The score of a key without a value, of each head."""
        if given is not None or self.smooth_softmax != 1:
            return given
        return query.model.constant(np.zeros(heads, query.dtype))

    def attributes(self) -> dict[str, Any]:
        """Those of GROUP_QUERY_ATTENTION."""
        seen = {"causal": self.causal, "local_window_size": self.local_window_size}
        scores = {"scale": self.scale or 0.0, "softcap": self.softcap}
        return {**seen, **scores, "interleaved": self.rotary_interleaved}


@dataclass(frozen=True)
class Storage(Attributes):
    """How a cache is kept: as it is, whole or its last keys. The epsilon belongs to norms that are
    refused."""

    k_quant_type: Literal["NONE"] = "NONE"
    kv_cache_bit_width: Literal[0] = 0
    qk_norm_epsilon: float = 1e-6
    sliding_window_cache: bool = False
    v_quant_type: Literal["NONE"] = "NONE"


@table.convert("GroupQueryAttention")
def group_query_attention(
    query: Value,
    key: Maybe,
    value: Maybe,
    past_key: Maybe,
    past_value: Maybe,
    seqlens_k: Value,
    total_sequence_length: Value,
    cos_cache: Maybe = None,
    sin_cache: Maybe = None,
    position_ids: Maybe = None,
    attention_bias: Maybe = None,
    head_sink: Maybe = None,
    k_scale: Absent = None,
    v_scale: Absent = None,
    q_norm_weight: Absent = None,
    k_norm_weight: Absent = None,
    *,
    kv_num_heads: int,
    num_heads: int,
    qk_output: Literal[0, 1, 2] = 0,
    looking: Looking,
    storage: Storage,
) -> tuple[Value | Withheld, ...]:
    """`seqlens_k` has one less than the number of keys of each sample, the new ones included."""
    if looking.do_rotary and (cos_cache is None or sin_cache is None):
        raise BadType("GroupQueryAttention with do_rotary=1 and no cos_cache or sin_cache")
    total = total_sequence_length
    q, k, v = separate_heads(query, key, value, num_heads, kv_num_heads)
    _close_widths(k, kv_num_heads, past_key, past_value)
    turns = None if position_ids is None else count_on(position_ids, q, total)
    operands = (
        *(q, k, v, build.flatten(seqlens_k), total, past_key, past_value),
        *((cos_cache, sin_cache, turns) if looking.do_rotary else (None,) * 3),
        *(attention_bias, looking.sink(head_sink, query, num_heads)),
    )
    how = {"q_num_heads": num_heads, "kv_num_heads": kv_num_heads, **looking.attributes()}
    if storage.sliding_window_cache:
        if qk_output or attention_bias is not None:
            raise Unsupported(
                "GroupQueryAttention with sliding_window_cache=1 and qk_output or attention_bias"
            )
        parts = *operands[:4], *operands[5:10], operands[11]
        return *attend_windowed(*parts, **how), SCORES
    if not qk_output:
        return *attention.group_query_attention(*operands, **how), SCORES
    made = attend_cached(*operands, **how)
    chosen = compare.where(made.seen, (made.scores, made.weights)[qk_output - 1], 0)
    if past_key is not None:
        chosen = index.slice_(chosen, [-1], [0], build.flatten(build.int64(total)))
    return made.output, made.key, made.value, norm.same_precision(chosen, query)


def _close_widths(key: Value, heads: int, *pasts: Maybe) -> None:
    """Files leave the width of what a cache holds open, as it may be quantised; it is that of the
    heads of keys."""
    width = key.shape[-1]
    for past in pasts:
        if past is not None and past.rank == 4 and isinstance(width, int) and heads > 0:
            why = "GroupQueryAttention has heads of this width"
            close_size(past.model, past.shape[3], width // heads, why)
