"""Paddle's operators that are refused: operands that do not fit, or what is not taken yet."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, f, i, rand

X, IMAGE = rand(2, 3, 4), rand(2, 3, 5, 6)
COUNTS = i(1, 1, dtype=np.int32)
REGIONS = f(0, 0, 4, 4, 1, 1, 3, 3).reshape(2, 4)
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
    )),
    *(Case(op, given, attrs, raises=Unsupported, why=why) for op, given, attrs, why in (
        ("affine_channel", (IMAGE, rand(3), rand(3)), {"data_layout": "NWHC"}, "a layout"),
        ("memory_efficient_attention",
         (*[rand(1, 4, 2, 3)] * 3, *[None] * 5),
         {"max_seqlen_q": 4.0, "max_seqlen_k": 4.0, "causal": False, "dropout_p": 0.5,
          "scale": 0.5, "is_test": False}, "training"),
    )),
]  # fmt: skip
