"""Paddle's operators that are refused: operands that do not fit, or what is not taken yet."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import Case, f, i, rand, scalar

X, IMAGE = rand(2, 3, 4), rand(2, 3, 5, 6)
COUNTS = i(1, 1, dtype=np.int32)
REGIONS = f(0, 0, 4, 4, 1, 1, 3, 3).reshape(2, 4)
NORM = {
    "is_test": True,
    "momentum": 0.9,
    "epsilon": 1e-5,
    "data_format": "NCHW",
    "use_global_stats": False,
    "trainable_statistics": False,
}
CASES: list[Case] = [
    *(Case(op, given, attrs, raises=BadType, why=why) for op, given, attrs, why in (
        ("psroi_pool", (IMAGE, REGIONS, COUNTS),
         {"pooled_height": 2, "pooled_width": 2, "output_channels": 2}, "other channels"),
        ("fill_diagonal", (f(1, 2),), {}, "a vector"),
        ("split", (X, [-1, -1], 1), {}, "two rests"),
        ("split", (X, [-2, 2], 1), {}, "a size below 0"),
        ("pool2d", (X, [2, 2]), {"strides": [1, 1], "paddings": [0, 0], "pooling_type": "avg"},
         "three axes"),
        ("lp_pool2d", (X, [2, 2]), {"norm_type": 2.0}, "three axes"),
        ("temporal_shift", (X, 2), {}, "three axes"),
        ("affine_grid", (rand(2, 2, 3), None), {}, "no size"),
        ("expand_as", (X, None, None), {}, "no shape"),
        ("bilinear_interp", (IMAGE, None, None, None), {"out_h": 0, "out_w": 0}, "no size"),
        ("interp_antialias", (IMAGE, None, None, None), {"out_h": 0, "out_w": 0}, "no size"),
        ("as_strided", (rand(2, 3, dtype=np.float64), [2], [1], 3), {}, "half an element"),
        ("dropout", (X, None, -0.5), {"mode": "upscale_in_train", "is_test": True},
         "a share below 0"),
        ("self_dp_attention", (rand(2, 4, 3, 2, 5),), {"alpha": 0.3, "head_number": 3},
         "other heads"),
        ("assign_value_", (f(1), [2], Precision.FLOAT32, [1.5]), {}, "one number of two"),
        ("send_uv", (rand(2, 1), rand(2, 1), i(0, dtype=np.int16), i(1, dtype=np.int16)),
         {"message_op": "ADD"}, "short positions"),
        ("einsum", ([X[0]], "ii->i"), {}, "no square"),
        ("batch_norm", (IMAGE, rand(3), rand(3, 1), rand(3), rand(3)),
         NORM, "a variance of two axes"),
        ("pool2d", (IMAGE, [6, 2]), {"strides": [1, 1], "paddings": [0, 0], "pooling_type": "max"},
         "a window larger than the image"),
        ("max_pool2d_with_index", (IMAGE, [2, 7]), {"strides": [1, 1]},
         "a window larger than the image"),
        ("lp_pool2d", (IMAGE, [6, 2]), {"norm_type": 2.0}, "a window larger than the image"),
        ("fractional_max_pool2d", (IMAGE, [6, 6]), {"random_u": 0.3}, "more bins than elements"),
        ("fake_channel_wise_quantize_abs_max", (f(1, 2),), {}, "a vector of channels"),
        ("dequantize_log", (i(1, dtype=np.int8), rand(1, 128)), {}, "a table of two axes"),
        ("affine_grid", (rand(2, 2, 4), [2, 3, 4, 5]), {}, "matrices of another form"),
        ("affine_grid", (rand(3, 2, 3), [2, 3, 4, 5]), {}, "matrices of another batch"),
        ("crop", (X, [1, 3, 4], [2, 0, 0]), {}, "a box that reaches out"),
        ("repeat_interleave", (X, 2, 1), {"output_size": 8}, "another size"),
        ("gammaincc", (f(1), f(1, 2)), {}, "two shapes"),
        ("index_add", (X, i(0), rand(2, 2, 4), 1), {}, "one position for two rows"),
        ("fft_c2r", (rand(2, 3, dtype=np.complex64), [1], "backward", False, 6), {},
         "more samples than there are frequencies for"),
        ("quantize_linear", (X, scalar(0.5), f(0, 0)), {"quant_axis": 1, "is_test": True},
         "one scale for two zeros"),
    )),
    *(Case(op, given, attrs, raises=Unsupported, why=why) for op, given, attrs, why in (
        ("split", (X, [1, 3], -1), {}, "an axis from the end"),
        ("baddbmm", (rand(2, 1), rand(2, 2, 2), rand(2, 2, 1)), {"beta": 1.0, "alpha": 1.0},
         "a matrix for all"),
        ("frobenius_norm", (rand(2, 3, dtype=np.complex64), [0], True, False), {}, "complex"),
        ("affine_channel", (IMAGE, rand(3), rand(3)), {"data_layout": "NWHC"}, "a layout"),
        ("memory_efficient_attention",
         (*[rand(1, 4, 2, 3)] * 3, *[None] * 5),
         {"max_seqlen_q": 4.0, "max_seqlen_k": 4.0, "causal": False, "dropout_p": 0.5,
          "scale": 0.5, "is_test": False}, "training"),
    )),
]  # fmt: skip
