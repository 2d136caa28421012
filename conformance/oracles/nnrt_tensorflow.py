"""NNRt's operations by TensorFlow's functions, for `conformance.oracles.nnrt`.

What PyTorch has not, or pads otherwise; parameters have the names of the header in this project's
spelling.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # one order of summation, whatever the processor
import numpy as np
import tensorflow as tf

Formula = Callable[..., Any]
FUSES: dict[int, Formula] = {0: tf.identity, 1: tf.nn.relu, 2: tf.nn.relu6}
"""OH_NN_FuseType."""


MODES = {0: "SAME"}
"""Values of padMode that PyTorch has not."""


def constant(array: np.ndarray) -> Any:
    """TensorFlow's tensor of an array."""
    return tf.constant(array)


def fuse(function: Formula) -> Formula:
    """A function with an activation behind it."""

    def call(*args: Any, activation_type: int, **kwargs: Any) -> Any:
        return FUSES[activation_type](function(*args, **kwargs))

    return call


def convolve(x: Any, weight: Any, bias: Any, *, stride: Any, dilation: Any, group: int,
             pad_mode: int) -> Any:  # fmt: skip
    """tf.nn.conv2d of each group, with SAME or VALID."""
    padding = MODES[pad_mode]
    images = tf.split(x, group, 3)
    filters = tf.split(tf.transpose(weight, [1, 2, 3, 0]), group, 3)
    parts = [
        tf.nn.conv2d(a, w, stride, padding, dilations=dilation)
        for a, w in zip(images, filters, strict=True)
    ]
    return tf.nn.bias_add(tf.concat(parts, 3), bias)


def depthwise(x: Any, weight: Any, bias: Any, *, stride: Any, dilation: Any,
              pad_mode: int) -> Any:  # fmt: skip
    """tf.nn.depthwise_conv2d, whose output channels lie with their input channel."""
    channels = x.shape[3]
    taps = tf.transpose(weight[..., 0], [1, 2, 0])
    taps = tf.reshape(taps, [*taps.shape[:2], channels, taps.shape[2] // channels])
    padding = MODES[pad_mode]
    made = tf.nn.depthwise_conv2d(x, taps, [1, *stride, 1], padding, dilations=dilation)
    return tf.nn.bias_add(made, bias)


def transpose_convolve(x: Any, weight: Any, bias: Any, *, stride: Any, dilation: Any, group: int,
               output_pads: Any, pad_mode: int) -> Any:  # fmt: skip
    """tf.nn.conv2d_transpose of each group."""
    padding, out = MODES[pad_mode], weight.shape[0]
    n, *space = x.shape[:3]
    sizes = [s * m for s, m in zip(space, stride, strict=True)]
    images = tf.split(x, group, 3)
    filters = tf.split(tf.transpose(weight, [1, 2, 0, 3]), group, 2)
    parts = [
        tf.nn.conv2d_transpose(a, f, [n, *sizes, out // group], stride, padding, dilations=dilation)
        for a, f in zip(images, filters, strict=True)
    ]
    return tf.nn.bias_add(tf.concat(parts, 3), bias)


def pool(function: Formula) -> Formula:
    """A pool with SAME or VALID."""

    def call(x: Any, *, kernel_size: Any, strides: Any, pad_mode: int, **_: Any) -> Any:
        return function(x, kernel_size, strides, MODES[pad_mode])

    return call


def resize_bilinear(x: Any, *, new_height: int, new_width: int, coordinate_transform_mode: int,
                    **_: Any) -> Any:  # fmt: skip
    """tf.raw_ops.ResizeBilinear."""
    made = tf.raw_ops.ResizeBilinear(
        images=x,
        size=[new_height, new_width],
        align_corners=coordinate_transform_mode == 1,
        half_pixel_centers=coordinate_transform_mode == 2,
    )
    return tf.cast(made, x.dtype)


def strided_slice(x: Any, begin: Any, end: Any, strides: Any, **masks: int) -> Any:
    """tf.strided_slice."""
    return tf.strided_slice(x, begin, end, strides, **masks)


def pad(x: Any, paddings: Any, constant_values: Any, padding_mode: int = 0) -> Any:
    """tf.pad."""
    mode = ("CONSTANT", "REFLECT", "SYMMETRIC")[padding_mode]
    return tf.pad(x, paddings, mode, tf.cast(constant_values, x.dtype))


def tile(x: Any, multiples: Any, dims: Any = None) -> Any:
    """tf.tile."""
    times = [int(m) for m in multiples]
    if dims is not None:
        named = dict(zip((d % x.ndim for d in dims), times, strict=True))
        times = [named.get(k, 1) for k in range(x.ndim)]
    return tf.tile(tf.reshape(x, [1] * (len(times) - x.ndim) + x.shape), times)


def lrn(x: Any, depth_radius: int, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5,
        norm_region: int = 0) -> Any:  # fmt: skip
    """tf.nn.local_response_normalization."""
    return tf.nn.local_response_normalization(x, depth_radius, bias, alpha, beta)


def l2_normalize(x: Any, axis: int, epsilon: float = 1e-6) -> Any:
    """tf.math.l2_normalize."""
    return tf.math.l2_normalize(x, axis, epsilon)


def depth_to_space(x: Any, block_size: int, mode: int) -> Any:
    """tf.nn.depth_to_space, of channels whose block comes first."""
    if mode:
        n, h, w, c = x.shape
        parts = tf.reshape(x, [n, h, w, c // block_size**2, block_size**2])
        x = tf.reshape(tf.transpose(parts, [0, 1, 2, 4, 3]), x.shape)
    return tf.nn.depth_to_space(x, block_size)


def one_hot(indices: Any, depth: Any, on: Any, off: Any, axis: int) -> Any:
    """tf.one_hot."""
    return tf.one_hot(indices, int(depth), tf.reshape(on, []), tf.reshape(off, []), axis)


def sparse_to_dense(indices: Any, values: Any, sizes: Any) -> Any:
    """tf.sparse.to_dense."""
    where, shape = (tf.cast(v, tf.int64) for v in (indices, sizes))
    return tf.sparse.to_dense(tf.sparse.SparseTensor(where, values, shape))


FORMULAS: dict[str, Formula] = {
    "AVG_POOL": fuse(pool(tf.nn.avg_pool2d)),
    "BATCH_TO_SPACE_ND": lambda x, block_size, crops: tf.raw_ops.BatchToSpaceND(
        input=x, block_shape=block_size, crops=[crops[:2], crops[2:]]
    ),
    "CONV2D": fuse(convolve),
    "CONV2D_TRANSPOSE": fuse(transpose_convolve),
    "DEPTHWISE_CONV2D_NATIVE": fuse(depthwise),
    "DEPTH_TO_SPACE": depth_to_space,
    "GATHER_ND": tf.gather_nd,
    "L2_NORMALIZE": fuse(l2_normalize),
    "LRN": lrn,
    "MAX_POOL": fuse(pool(tf.nn.max_pool2d)),
    "ONE_HOT": one_hot,
    "PAD": pad,
    "RESIZE_BILINEAR": resize_bilinear,
    "SCATTER_ND": lambda where, updates, sizes: tf.scatter_nd(where, updates, sizes),
    "SPACE_TO_BATCH_ND": lambda x, block_shape, paddings: tf.space_to_batch(
        x, block_shape, [paddings[:2], paddings[2:]]
    ),
    "SPACE_TO_DEPTH": lambda x, block_size: tf.nn.space_to_depth(x, block_size),
    "SPARSE_TO_DENSE": sparse_to_dense,
    "STRIDED_SLICE": strided_slice,
    "TILE": tile,
}
"""What answers for each operation."""
