"""NNRt's operations by PyTorch's functions, for `conformance.oracles.nnrt`.

Images have channels last; parameters have the names of the header in this project's spelling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812  as PyTorch's documentation calls it

Formula = Callable[..., Any]
TYPES = {
    1: torch.bool,
    2: torch.int8,
    3: torch.int16,
    4: torch.int32,
    5: torch.int64,
    6: torch.uint8,
    10: torch.float16,
    11: torch.float32,
    12: torch.float64,
}
"""OH_NN_DataType."""

FUSES: dict[int, Formula] = {0: lambda x: x, 1: F.relu, 2: F.relu6}
"""OH_NN_FuseType."""


def same(function: Formula) -> Formula:
    """A function of two tensors, in the wider of their types."""

    def call(a: Any, b: Any, **kwargs: Any) -> Any:
        wide = torch.promote_types(a.dtype, b.dtype)
        return function(a.to(wide), b.to(wide), **kwargs)

    return call


def fuse(function: Formula) -> Formula:
    """A function with an activation behind it."""

    def call(*args: Any, activation_type: int, **kwargs: Any) -> Any:
        return FUSES[activation_type](function(*args, **kwargs))

    return call


def divide(a: Any, b: Any) -> Any:
    """torch.div; of integers towards zero."""
    return torch.div(a, b) if a.is_floating_point() else torch.div(a, b, rounding_mode="trunc")


def eltwise(a: Any, b: Any, mode: int) -> Any:
    """The product, sum or maximum."""
    return (torch.mul, torch.add, torch.maximum)[mode](a, b)


def scale(x: Any, scale: Any, bias: Any, axis: int) -> Any:
    """Along `axis`, by names of axes of torch.einsum's kind: moved last, and back."""
    moved = x.movedim(axis, -1)
    return torch.addcmul(bias, moved, scale).movedim(-1, axis)


def exp(x: Any, base: float = -1.0, scale: float = 1.0, shift: float = 0.0) -> Any:
    """torch.pow of a number, or torch.exp."""
    return torch.exp(shift + scale * x) if base == -1 else torch.pow(base, shift + scale * x)


def pow_(x: Any, y: Any, scale: float = 1.0, shift: float = 0.0) -> Any:
    """torch.pow."""
    return same(torch.pow)(x if (scale, shift) == (1, 0) else x * scale + shift, y)


def channels_first(x: Any) -> Any:
    """NHWC as NCHW."""
    return x.movedim(-1, 1)


def convolve(x: Any, weight: Any, bias: Any, *, stride: Any, dilation: Any, group: int,
             pad_list: Any = (0, 0, 0, 0), **_: Any) -> Any:  # fmt: skip
    """torch.nn.functional.conv2d, of an image that torch.nn.functional.pad surrounds."""
    top, bottom, left, right = pad_list
    image = F.pad(channels_first(x), (left, right, top, bottom))
    made = F.conv2d(image, channels_first(weight), bias, stride, 0, dilation, group)
    return made.movedim(1, -1)


def depthwise(x: Any, weight: Any, bias: Any, **kwargs: Any) -> Any:
    """A group for each channel."""
    return convolve(x, weight, bias, group=x.shape[-1], **kwargs)


def transpose_convolve(x: Any, weight: Any, bias: Any, *, stride: Any, dilation: Any, group: int,
               output_pads: Any, pad_list: Any = (0, 0, 0, 0), **_: Any) -> Any:  # fmt: skip
    """torch.nn.functional.conv_transpose2d of each group, then cut."""
    top, bottom, left, right = pad_list
    images = channels_first(x).chunk(group, 1)
    filters = weight.permute(0, 3, 1, 2).chunk(group, 0)
    parts = [
        F.conv_transpose2d(a, w.transpose(0, 1), None, stride, dilation=dilation)
        for a, w in zip(images, filters, strict=True)
    ]
    whole = F.pad(torch.cat(parts, 1), (0, output_pads[1], 0, output_pads[0]))
    whole = whole + bias.reshape(1, -1, 1, 1)
    h, w = whole.shape[2:]
    return whole[:, :, top : h - bottom, left : w - right].movedim(1, -1)


def pool(function: Formula, outside: float, **fixed: Any) -> Formula:
    """A pool whose padding is the same on both sides of an axis."""

    def call(x: Any, *, kernel_size: Any, strides: Any, pad_list: Any = (0, 0, 0, 0),
             round_mode: int = 0, global_: bool = False, **_: Any) -> Any:  # fmt: skip
        top, bottom, left, right = pad_list
        if global_:
            kernel_size, strides = x.shape[1:3], (1, 1)
        pads, image = (top, left), channels_first(x)
        if (top, left) != (bottom, right):
            pads, image = (0, 0), F.pad(image, (left, right, top, bottom), value=outside)
        made = function(image, kernel_size, strides, pads, ceil_mode=bool(round_mode), **fixed)
        return made.movedim(1, -1)

    return call


def batch_norm(x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: float) -> Any:
    """torch.nn.functional.batch_norm."""
    image = channels_first(x)
    return F.batch_norm(image, mean, variance, scale, offset, eps=epsilon).movedim(1, -1)


def instance_norm(x: Any, scale: Any, bias: Any, epsilon: float) -> Any:
    """torch.nn.functional.instance_norm."""
    made = F.instance_norm(channels_first(x), weight=scale, bias=bias, eps=epsilon)
    return made.movedim(1, -1)


def layer_norm(x: Any, gamma: Any, beta: Any, begin_axis: int, epsilon: float,
               begin_params_axis: int) -> Any:  # fmt: skip
    """torch.nn.functional.layer_norm."""
    sizes = list(x.shape[begin_axis:])
    if begin_axis == begin_params_axis:
        return F.layer_norm(x, sizes, gamma, beta, epsilon)
    return torch.addcmul(beta, F.layer_norm(x, sizes, eps=epsilon), gamma)


def full_connection(x: Any, weight: Any, bias: Any = None, has_bias: bool | None = None,
                    axis: int | None = None, use_axis: bool | None = None) -> Any:  # fmt: skip
    """torch.nn.functional.linear."""
    has_axis = axis is not None or use_axis
    rows = x.flatten(axis or 0) if has_axis else x.reshape(-1, weight.shape[1])
    return F.linear(rows, weight, None if has_bias is False else bias)


def matmul(a: Any, b: Any, transpose_x: bool, transpose_y: bool) -> Any:
    """torch.matmul."""
    return torch.matmul(a.mT if transpose_x else a, b.mT if transpose_y else b)


def reduction(function: Formula) -> Formula:
    """A reduction along axes, one after the other, times a factor."""

    def call(x: Any, axis: Any, keep_dims: Any, reduce_to_end: bool = False,
             coeff: float = 1.0) -> Any:  # fmt: skip
        axes = [a % x.ndim for a in axis.reshape(-1).tolist()]
        if reduce_to_end:
            axes = list(range(axes[0], x.ndim))
        made = function(x, axes, bool(keep_dims))
        return made * coeff if coeff != 1 else made

    return call


def product(x: Any, axes: list[int], keep: bool) -> Any:
    """torch.prod, from the last axis to the first."""
    for axis in sorted(axes, reverse=True):
        x = torch.prod(x, axis, keepdim=keep, dtype=x.dtype)
    return x


def every(x: Any, axes: list[int], keep: bool) -> Any:
    """torch.all, from the last axis to the first."""
    for axis in sorted(axes, reverse=True):
        x = torch.all(x, axis, keepdim=keep)
    return x.bool()


def arg_max(x: Any, axis: int, keep_dims: bool, top_k: int = 1,
            out_max_value: bool = False) -> Any:  # fmt: skip
    """torch.max, or torch.topk of several."""
    found: Any = torch.max(x, axis, keepdim=keep_dims)
    if top_k > 1:
        found = torch.topk(x, top_k, axis)
    return found[0] if out_max_value else found[1].int()


def top_k(x: Any, k: Any, sorted: bool, axis: int = -1) -> Any:
    """torch.topk; in rising order turned round."""
    values, places = torch.topk(x, int(k), axis)
    if not sorted:
        values, places = values.flip(axis), places.flip(axis)
    return values, places.int()


def split(x: Any, output_num: int, size_splits: Any, axis: int) -> Any:
    """torch.split, or torch.chunk."""
    if size_splits:
        return torch.split(x, list(size_splits), axis)
    return torch.tensor_split(x, output_num, axis)


def squeeze(x: Any, axis: Any) -> Any:
    """torch.squeeze."""
    return torch.squeeze(x, tuple(axis)) if axis else torch.squeeze(x)


def unsqueeze(x: Any, axis: Any) -> Any:
    """torch.unsqueeze, axis by axis."""
    for place in sorted(a % (x.ndim + len(axis)) for a in axis):
        x = torch.unsqueeze(x, place)
    return x


def crop(x: Any, sizes: Any, axis: int, offset: Any) -> Any:
    """torch.narrow, axis by axis."""
    axes = range(axis % x.ndim, x.ndim)
    starts = list(offset) * len(axes) if len(offset) == 1 else offset
    for place, start in zip(axes, starts, strict=True):
        x = torch.narrow(x, place, start, int(sizes[place]))
    return x


def slice_(x: Any, begin: Any, size: Any, axes: Any = None) -> Any:
    """torch.narrow, axis by axis."""
    for k, axis in enumerate(range(x.ndim) if axes is None else axes):
        x = torch.narrow(x, axis, int(begin[k]), int(size[k]))
    return x


def lstm(x: Any, w_ih: Any, w_hh: Any, bias: Any, hx: Any, cx: Any, *, bidirectional: bool,
         has_bias: bool, input_size: int, hidden_size: int, num_layers: int,
         **_: Any) -> Any:  # fmt: skip
    """torch.nn.LSTM."""
    layer = torch.nn.LSTM(
        input_size, hidden_size, num_layers, has_bias, bidirectional=bidirectional, dtype=x.dtype
    )
    rows = list(layer.parameters())
    each = 4 if has_bias else 2
    for k in range(len(rows) // each):
        given = [w_ih[k], w_hh[k], *(bias[k].chunk(2) if has_bias else ())]
        for row, values in zip(rows[each * k :], given, strict=False):
            row.data.copy_(values)
    output, (h, c) = layer(x, (hx, cx))
    return output, h, c


def assert_(condition: Any, *data: Any, summarize: int) -> Any:
    """torch._assert, and the condition."""
    torch._assert_async(condition.all())
    return condition


def clip(x: Any, min: float, max: float) -> Any:
    """torch.clamp."""
    return torch.clamp(x, min, max)


def select(condition: Any, a: Any, b: Any) -> Any:
    """torch.where."""
    return same(lambda x, y: torch.where(condition.bool(), x, y))(a, b)


FORMULAS: dict[str, Formula] = {
    "ABS": torch.abs,
    "ADD": fuse(same(torch.add)),
    "ALL": reduction(every),
    "ARG_MAX": arg_max,
    "ASSERT": assert_,
    "AVG_POOL": fuse(pool(F.avg_pool2d, 0.0, count_include_pad=False)),
    "BATCH_NORM": batch_norm,
    "BIAS_ADD": lambda x, bias: torch.add(x, bias),
    "BROADCAST_TO": lambda x, shape: torch.broadcast_to(x, shape),
    "CAST": lambda x, type: x.to(TYPES[int(type)]),
    "CEIL": torch.ceil,
    "CLIP": clip,
    "CONCAT": lambda *xs, axis: torch.cat(xs, axis),
    "CONSTANT_OF_SHAPE": lambda s, data_type, value: torch.full(
        s.tolist(), value, dtype=TYPES[data_type]
    ),
    "CONV2D": fuse(convolve),
    "CONV2D_TRANSPOSE": fuse(transpose_convolve),
    "COS": torch.cos,
    "CROP": crop,
    "DEPTHWISE_CONV2D_NATIVE": fuse(depthwise),
    "DIV": fuse(same(divide)),
    "ELTWISE": eltwise,
    "EQUAL": same(torch.eq),
    "ERF": torch.erf,
    "EXP": exp,
    "EXPAND_DIMS": lambda x, axis: torch.unsqueeze(x, int(axis)),
    "FILL": lambda value, s: torch.full(s.tolist(), value.item(), dtype=value.dtype),
    "FLATTEN": lambda x, axis: x.reshape(x.shape[:axis].numel(), -1),
    "FLOOR": torch.floor,
    "FULL_CONNECTION": fuse(full_connection),
    "GATHER": lambda x, where, axis: torch.index_select(x, int(axis), where.reshape(-1)).reshape(
        *x.shape[: int(axis) % x.ndim], *where.shape, *x.shape[int(axis) % x.ndim + 1 :]
    ),
    "GELU": lambda x, approximate=False: F.gelu(x, approximate="tanh" if approximate else "none"),
    "GREATER": same(torch.gt),
    "GREATER_EQUAL": same(torch.ge),
    "HARD_SIGMOID": F.hardsigmoid,
    "HSWISH": F.hardswish,
    "INSTANCE_NORM": instance_norm,
    "LAYER_NORM": layer_norm,
    "LEAKY_RELU": lambda x, negative_slope: F.leaky_relu(x, negative_slope),
    "LESS": same(torch.lt),
    "LESS_EQUAL": same(torch.le),
    "LOG": torch.log,
    "LOGICAL_AND": torch.logical_and,
    "LOGICAL_NOT": torch.logical_not,
    "LOGICAL_OR": torch.logical_or,
    "LOG_SOFTMAX": lambda x, axis: F.log_softmax(x, axis),
    "LSTM": lstm,
    "MATMUL": fuse(matmul),
    "MAXIMUM": same(torch.maximum),
    "MAX_POOL": fuse(pool(F.max_pool2d, float("-inf"))),
    "MINIMUM": same(torch.minimum),
    "MOD": same(torch.remainder),
    "MUL": fuse(same(torch.mul)),
    "NEG": torch.neg,
    "NOT_EQUAL": same(torch.ne),
    "POW": pow_,
    "PRELU": lambda x, w: (
        F.prelu(channels_first(x), w).movedim(1, -1) if x.ndim > 1 else F.prelu(x, w)
    ),
    "RANGE": lambda x, start, limit, delta: torch.arange(start, limit, delta, dtype=x.dtype),
    "RANK": lambda x: torch.tensor(x.dim(), dtype=torch.int32),
    "RECIPROCAL": torch.reciprocal,
    "REDUCE_ALL": reduction(every),
    "REDUCE_L2": reduction(lambda x, axes, keep: torch.linalg.vector_norm(x, 2, axes, keep)),
    "REDUCE_MAX": reduction(lambda x, axes, keep: torch.amax(x, axes, keep)),
    "REDUCE_MEAN": reduction(lambda x, axes, keep: torch.mean(x, axes, keep)),
    "REDUCE_MIN": reduction(lambda x, axes, keep: torch.amin(x, axes, keep)),
    "REDUCE_PROD": reduction(product),
    "REDUCE_SUM": reduction(lambda x, axes, keep: torch.sum(x, axes, keep, dtype=x.dtype)),
    "RELU": F.relu,
    "RELU6": F.relu6,
    "RESHAPE": lambda x, s: torch.reshape(x, s.tolist()),
    "ROUND": torch.round,
    "RSQRT": torch.rsqrt,
    "SCALE": fuse(scale),
    "SELECT": select,
    "SHAPE": lambda x: torch.tensor(x.shape, dtype=torch.int32),
    "SIGMOID": torch.sigmoid,
    "SIN": torch.sin,
    "SLICE": slice_,
    "SOFTMAX": lambda x, axis: torch.softmax(x, axis),
    "SPLIT": split,
    "SQRT": torch.sqrt,
    "SQUARE": torch.square,
    "SQUARED_DIFFERENCE": same(lambda a, b: torch.square(torch.sub(a, b))),
    "SQUEEZE": squeeze,
    "STACK": lambda *xs, axis: torch.stack(xs, axis),
    "SUB": fuse(same(torch.sub)),
    "SWISH": F.silu,
    "TANH": torch.tanh,
    "TOP_K": top_k,
    "TRANSPOSE": lambda x, perm: torch.permute(x, perm.tolist()),
    "UNSQUEEZE": unsqueeze,
    "UNSTACK": lambda x, axis: torch.unbind(x, axis),
    "WHERE": select,
}
"""What answers for each operation."""

CODES = {torch.int8: torch.qint8, torch.uint8: torch.quint8, torch.int32: torch.qint32}


def dequantize(x: Any, scales: list[float], zeros: list[int], axis: int = 0) -> Any:
    """What integers stand for, by PyTorch's quantised tensors."""
    if len(scales) == 1:
        return torch.dequantize(torch._make_per_tensor_quantized_tensor(x, scales[0], zeros[0]))
    rows = torch.tensor(scales, dtype=torch.float64), torch.tensor(zeros)
    return torch.dequantize(torch._make_per_channel_quantized_tensor(x, *rows, axis))


def quantize(x: Any, kind: str, scales: list[float], zeros: list[int], axis: int = 0) -> Any:
    """Integers that stand for numbers."""
    code = CODES[getattr(torch, kind)]
    if len(scales) == 1:
        return torch.quantize_per_tensor(x, scales[0], zeros[0], code).int_repr()
    rows = torch.tensor(scales, dtype=torch.float64), torch.tensor(zeros)
    return torch.quantize_per_channel(x, *rows, axis, code).int_repr()
