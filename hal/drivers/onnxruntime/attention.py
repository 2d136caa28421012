"""Attention by ONNX Runtime's own kernels."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import attention
from nnir.types import Precision

from ...lowering import Lowerings
from .blind import is_mended_later
from .emitter import Emitter, Operand, Ref, Refs
from .tiny import raise_hidden
from .whole import is_inside

table = Lowerings[Ref]()
KERNELS = Precision.FLOAT32, Precision.FLOAT16
STEP = 8
"""Sizes of heads and tables of angles are multiples of it, of heads that are turned of twice it."""


@table.lower(attention.safe_softmax)
def safe_softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    """A plain one where products see to what comes of it."""
    if is_inside(g, g.operation.outputs[0]):
        return g.stand_in(g.operation.outputs[0])
    if is_mended_later(g.operation.outputs[0], for_file=g.for_file):
        return g.node("Softmax", raise_hidden(g, input), axis=axis)
    return g.decomposed()[0]


@table.lower(attention.group_query_attention)
def group_query_attention(
    g: Emitter,
    query: Value,
    key: Value,
    value: Value,
    last: Value,
    total: Value,
    past_key: Value | None,
    past_value: Value | None,
    *rest: Value | None,
    q_num_heads: int,
    kv_num_heads: int,
    causal: bool,
    interleaved: bool,
    local_window_size: int,
    scale: float,
    softcap: float,
) -> Refs:
    """ONNX Runtime's own kernel, which no file names: others would not read it."""
    if g.for_file:
        return tuple(g.decomposed())
    cos, sin, positions, bias, sink = rest
    if positions is not None or (local_window_size > 0 and not causal):
        raise NoLowering("GroupQueryAttention at given positions, or in a window to both sides")
    _require_kernel(query, past_key, g.operation.outputs[1], cos)
    count: Operand = total if past_key is not None else g.part(g.dims(query), 1, 2)
    return g.node(
        "GroupQueryAttention",
        *(query, key, value, past_key, past_value, g.cast(last, Precision.INT32)),
        g.cast(count, Precision.INT32),
        *(None if x is None else g.cast(x, query.precision) for x in (cos, sin, None, bias, sink)),
        outputs=3,
        domain="com.microsoft",
        causal=int(causal),
        do_rotary=int(cos is not None),
        kv_num_heads=kv_num_heads,
        local_window_size=local_window_size if local_window_size > 0 else -1,
        num_heads=q_num_heads,
        rotary_interleaved=int(interleaved),
        scale=scale,
        softcap=softcap,
    )


def _require_kernel(query: Value, past: Value | None, present: Value, cos: Value | None) -> None:
    """NoLowering for what the kernel refuses at the first call."""
    if query.precision not in KERNELS:
        raise NoLowering(f"onnxruntime has no GroupQueryAttention for {query.precision.name}")
    width, (batch, time, _) = present.shape[3], query.shape
    angles = STEP if cos is None else cos.shape[1]
    step = STEP if cos is None else 2 * STEP
    for size, factor in ((width, step), (angles, STEP)):
        if not isinstance(size, int) or size % factor:
            raise NoLowering(f"GroupQueryAttention takes multiples of {factor}, not {size}")
    several = isinstance(batch, int) and isinstance(time, int) and batch > 1 and time > 1
    if past is not None and several and past.shape[2] != 0:
        raise NoLowering("GroupQueryAttention of several words after others, of several samples")
