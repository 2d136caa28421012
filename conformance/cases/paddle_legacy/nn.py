"""Legacy operators of neural networks: convolutions, pools, norms, resizing, recurrence."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand

LOOSE = Tolerance(relative=1e-4, absolute=1e-5)
IMAGE = rand(2, 4, 6, 7)
LAST = rand(2, 6, 7, 4)
VOLUME = rand(1, 2, 4, 5, 6)
KERNEL = Const(rand(6, 4, 3, 3))
BACK = Const(rand(4, 3, 3, 3))
CONV = ("Output",)
INT32 = np.int32
MASKED = ("Out", "Mask")
FOUR = {
    "Scale": Const(rand(4)),
    "Bias": Const(rand(4, seed=1)),
    "Mean": Const(rand(4, seed=2)),
    "Variance": Const(rand(4, seed=3, low=0.5)),
}
BATCH = ("Y", ("MeanOut", "Mean"), ("VarianceOut", "Variance"), "SavedMean", "SavedVariance")
NORMED = ("Y", "Mean", "Variance")


def pool(rank: int = 2, **attrs: object) -> dict[str, object]:
    """Attributes of a pool."""
    plain = {"pooling_type": "max", "ksize": [2] * rank, "strides": [2] * rank}
    return plain | {"paddings": [0] * rank} | attrs


def resized(name: str, **attrs: object) -> dict[str, object]:
    """Attributes of an interpolation."""
    return {"interp_method": name, "align_corners": False, "align_mode": 1} | attrs


def lstm(directions: int) -> dict[str, object]:
    """Inputs of an LSTM of one layer, 3 inputs and 2 states."""
    weights = [rand(8, n, seed=10 * d + n) for d in range(directions) for n in (3, 2)]
    biases = [rand(8, seed=10 * d + n) for d in range(directions) for n in (0, 1)]
    states = [rand(directions, 5, 2, seed=k) for k in (7, 8)]
    return {
        "Input": rand(4, 5, 3),
        "PreState": states,
        "WeightList": [Const(w) for w in [*weights, *biases]],
    }


RNN = ("Out", ("State", 2), "DropoutState", "Reserve")

CASES = [
    Case("conv2d", ({"Input": IMAGE, "Filter": KERNEL},), results=CONV, tol=LOOSE),
    Case(
        "conv2d",
        ({"Input": IMAGE, "Filter": KERNEL},),
        {"strides": [2, 1], "paddings": [1, 2], "dilations": [1, 2]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv2d",
        ({"Input": IMAGE, "Filter": KERNEL},),
        {"paddings": [0, 1, 1, 0]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv2d",
        ({"Input": IMAGE, "Filter": KERNEL},),
        {"padding_algorithm": "SAME", "strides": [2, 2]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv2d",
        ({"Input": IMAGE, "Filter": KERNEL},),
        {"padding_algorithm": "VALID"},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv2d",
        ({"Input": IMAGE, "Filter": Const(rand(6, 2, 3, 3))},),
        {"groups": 2},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv2d",
        ({"Input": LAST, "Filter": KERNEL},),
        {"data_format": "NHWC"},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "depthwise_conv2d",
        ({"Input": IMAGE, "Filter": Const(rand(4, 1, 3, 3))},),
        {"groups": 4, "paddings": [1, 1]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv2d_transpose",
        ({"Input": IMAGE, "Filter": BACK},),
        {"strides": [2, 2]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv2d_transpose",
        ({"Input": IMAGE, "Filter": BACK},),
        {"strides": [2, 2], "paddings": [1, 1], "output_padding": [1, 1]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv2d_transpose",
        ({"Input": IMAGE, "Filter": BACK},),
        {"strides": [2, 2], "output_size": [14, 15]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "depthwise_conv2d_transpose",
        ({"Input": IMAGE, "Filter": Const(rand(4, 1, 3, 3))},),
        {"groups": 4},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv3d",
        ({"Input": VOLUME, "Filter": Const(rand(3, 2, 2, 2, 2))},),
        {"paddings": [1, 0, 1]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "conv3d_transpose",
        ({"Input": VOLUME, "Filter": Const(rand(2, 3, 2, 2, 2))},),
        {"strides": [2, 1, 2]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "deformable_conv",
        (
            {
                "Input": IMAGE,
                "Offset": rand(2, 18, 4, 5),
                "Mask": rand(2, 9, 4, 5),
                "Filter": KERNEL,
            },
        ),
        {"im2col_step": 1},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "deformable_conv_v1",
        ({"Input": IMAGE, "Offset": rand(2, 18, 4, 5), "Filter": KERNEL},),
        {"im2col_step": 1},
        results=CONV,
        tol=LOOSE,
    ),
    Case("row_conv", ({"X": rand(2, 5, 3), "Filter": Const(rand(2, 3))},), tol=LOOSE),
    Case("pool2d", ({"X": IMAGE},), pool()),
    Case(
        "pool2d",
        ({"X": IMAGE},),
        pool(pooling_type="avg", paddings=[1, 1], ksize=[3, 3]),
        tol=ROUNDS,
    ),
    Case(
        "pool2d",
        ({"X": IMAGE},),
        pool(pooling_type="avg", paddings=[1, 1], ksize=[3, 3], exclusive=False),
        tol=ROUNDS,
    ),
    Case("pool2d", ({"X": IMAGE},), pool(ceil_mode=True)),
    Case("pool2d", ({"X": IMAGE},), pool(padding_algorithm="SAME", ksize=[3, 3])),
    Case("pool2d", ({"X": IMAGE},), pool(global_pooling=True, pooling_type="avg"), tol=ROUNDS),
    Case(
        "pool2d", ({"X": IMAGE},), pool(adaptive=True, pooling_type="avg", ksize=[3, 2]), tol=ROUNDS
    ),
    Case(
        "pool2d", ({"X": IMAGE},), pool(adaptive=True, pooling_type="avg", ksize=[1, 1]), tol=ROUNDS
    ),
    Case("pool2d", ({"X": LAST},), pool(data_format="NHWC")),
    Case("pool3d", ({"X": VOLUME},), pool(3)),
    Case("pool3d", ({"X": VOLUME},), pool(3, pooling_type="avg", paddings=[1, 0, 1]), tol=ROUNDS),
    Case(
        "max_pool2d_with_index",
        ({"X": IMAGE},),
        {"ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0]},
        results=MASKED,
    ),
    Case(
        "max_pool2d_with_index",
        ({"X": IMAGE},),
        {"ksize": [3, 2], "adaptive": True},
        results=MASKED,
    ),
    Case(
        "max_pool3d_with_index",
        ({"X": VOLUME},),
        {"ksize": [2, 2, 2], "strides": [2, 2, 2], "paddings": [0, 0, 0]},
        results=MASKED,
    ),
    Case(
        "unpool",
        ({"X": rand(1, 1, 2, 2), "Indices": i(0, 3, 9, 14, dtype=INT32).reshape(1, 1, 2, 2)},),
        {
            "ksize": [2, 2],
            "strides": [2, 2],
            "paddings": [0, 0],
            "unpooling_type": "max",
            "output_size": [4, 4],
        },
    ),
    Case(
        "batch_norm", ({"X": IMAGE, **FOUR},), {"is_test": True}, results=BATCH, read=1, tol=LOOSE
    ),
    Case(
        "batch_norm",
        ({"X": LAST, **FOUR},),
        {"is_test": True, "epsilon": 0.001, "data_layout": "NHWC"},
        results=BATCH,
        read=1,
        tol=LOOSE,
    ),
    Case(
        "batch_norm",
        ({"X": IMAGE, **FOUR},),
        {"use_global_stats": True},
        results=BATCH,
        read=1,
        tol=LOOSE,
    ),
    Case(
        "sync_batch_norm",
        ({"X": IMAGE, **FOUR},),
        {"is_test": True},
        results=BATCH,
        read=1,
        domain="batch_norm",
        tol=LOOSE,
    ),
    Case("layer_norm", ({"X": IMAGE},), {"begin_norm_axis": 2}, results=NORMED, read=1, tol=LOOSE),
    Case(
        "layer_norm",
        ({"X": rand(2, 4), "Scale": FOUR["Scale"], "Bias": FOUR["Bias"]},),
        {"epsilon": 0.001},
        results=NORMED,
        read=1,
        tol=LOOSE,
    ),
    Case(
        "instance_norm",
        ({"X": IMAGE, "Scale": FOUR["Scale"], "Bias": FOUR["Bias"]},),
        results=("Y", "SavedMean", "SavedVariance"),
        read=1,
        tol=LOOSE,
    ),
    Case(
        "group_norm",
        ({"X": IMAGE, "Scale": FOUR["Scale"], "Bias": FOUR["Bias"]},),
        {"groups": 2},
        results=NORMED,
        read=1,
        tol=LOOSE,
    ),
    Case(
        "group_norm",
        ({"X": LAST},),
        {"groups": 2, "data_layout": "NHWC"},
        results=NORMED,
        read=1,
        tol=LOOSE,
    ),
    Case(
        "norm",
        ({"X": IMAGE},),
        {"axis": 1, "is_test": True},
        results=("Out", "Norm"),
        read=1,
        tol=LOOSE,
    ),
    Case("p_norm", ({"X": IMAGE},), {"porder": 2.0, "axis": 1, "keepdim": True}, tol=LOOSE),
    Case("p_norm", ({"X": IMAGE},), {"porder": 1.0, "asvector": True}, tol=LOOSE),
    Case(
        "lrn",
        ({"X": IMAGE},),
        {"n": 3, "k": 2.0, "alpha": 0.1, "beta": 0.5},
        results=("Out", "MidOut"),
        read=1,
        tol=LOOSE,
    ),
    Case(
        "lrn",
        ({"X": LAST},),
        {"n": 5, "data_format": "NHWC"},
        results=("Out", "MidOut"),
        read=1,
        tol=LOOSE,
    ),
    Case(
        "dropout",
        ({"X": IMAGE},),
        {"is_test": True, "dropout_prob": 0.3},
        results=("Out", "Mask"),
        read=1,
        tol=ROUNDS,
    ),
    Case(
        "dropout",
        ({"X": IMAGE},),
        {"is_test": True, "dropout_prob": 0.3, "dropout_implementation": "upscale_in_train"},
        results=("Out", "Mask"),
        read=1,
    ),
    Case(
        "grid_sampler",
        ({"X": IMAGE, "Grid": rand(2, 3, 5, 2, low=-1.2, high=1.2)},),
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "grid_sampler",
        ({"X": IMAGE, "Grid": rand(2, 3, 5, 2, low=-1.2, high=1.2)},),
        {"mode": "nearest", "padding_mode": "border", "align_corners": False},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "affine_grid",
        ({"Theta": rand(2, 2, 3)},),
        {"output_shape": [2, 3, 4, 5]},
        results=CONV,
        tol=LOOSE,
    ),
    Case(
        "affine_grid",
        ({"Theta": rand(2, 2, 3), "OutputShape": Const(i(2, 3, 4, 5, dtype=INT32))},),
        {"align_corners": False},
        results=CONV,
        why="a tensor",
        tol=LOOSE,
    ),
    Case("nearest_interp_v2", ({"X": IMAGE},), resized("nearest", out_h=9, out_w=4)),
    Case("nearest_interp_v2", ({"X": IMAGE},), resized("nearest", scale=[2.0, 1.5])),
    Case(
        "nearest_interp_v2",
        ({"X": IMAGE, "OutSize": Const(i(3, 4, dtype=INT32))},),
        resized("nearest"),
        why="a tensor",
    ),
    Case("bilinear_interp_v2", ({"X": IMAGE},), resized("bilinear", out_h=9, out_w=4), tol=LOOSE),
    Case(
        "bilinear_interp_v2",
        ({"X": IMAGE},),
        resized("bilinear", scale=[1.3, 0.7], align_mode=0),
        tol=LOOSE,
    ),
    Case(
        "bilinear_interp_v2",
        ({"X": IMAGE},),
        resized("bilinear", out_h=9, out_w=4, align_corners=True),
        tol=LOOSE,
    ),
    Case(
        "bilinear_interp_v2",
        ({"X": IMAGE, "SizeTensor": [Const(i(9, dtype=INT32)), Const(i(4, dtype=INT32))]},),
        resized("bilinear"),
        why="a list of tensors",
        tol=LOOSE,
    ),
    Case("bicubic_interp_v2", ({"X": IMAGE},), resized("bicubic", out_h=9, out_w=4), tol=LOOSE),
    Case("linear_interp_v2", ({"X": rand(2, 3, 5)},), resized("linear", out_w=8), tol=LOOSE),
    Case(
        "trilinear_interp_v2",
        ({"X": VOLUME},),
        resized("trilinear", out_d=3, out_h=9, out_w=4),
        tol=LOOSE,
    ),
    Case("nearest_interp", ({"X": IMAGE},), resized("nearest", out_h=9, out_w=4)),
    Case("nearest_interp", ({"X": IMAGE},), resized("nearest", scale=1.3)),
    Case(
        "nearest_interp",
        ({"X": IMAGE, "OutSize": Const(i(3, 4, dtype=INT32))},),
        resized("nearest"),
        why="a tensor",
    ),
    Case("bilinear_interp", ({"X": IMAGE},), resized("bilinear", out_h=9, out_w=4), tol=LOOSE),
    Case(
        "bilinear_interp", ({"X": IMAGE},), resized("bilinear", scale=1.3), tol=LOOSE, why="a scale"
    ),
    Case(
        "bilinear_interp_v2",
        ({"X": IMAGE, "Scale": Const(f(1.3))},),
        resized("bilinear"),
        tol=LOOSE,
        why="a scale that is a tensor",
    ),
    Case(
        "bicubic_interp",
        ({"X": IMAGE},),
        resized("bicubic", out_h=9, out_w=4),
        tol=LOOSE,
        domain="bicubic_interp_v2",
    ),
    Case(
        "linear_interp",
        ({"X": rand(2, 3, 5)},),
        resized("linear", out_w=8),
        tol=LOOSE,
        domain="linear_interp_v2",
    ),
    Case(
        "trilinear_interp",
        ({"X": VOLUME},),
        resized("trilinear", out_d=3, out_h=9, out_w=4),
        tol=LOOSE,
        domain="trilinear_interp_v2",
    ),
    Case(
        "rnn",
        (lstm(1),),
        {"mode": "LSTM", "hidden_size": 2, "input_size": 3, "is_test": True},
        results=RNN,
        read=2,
        tol=LOOSE,
    ),
    Case(
        "rnn",
        (lstm(2),),
        {"mode": "LSTM", "hidden_size": 2, "input_size": 3, "is_test": True, "is_bidirec": True},
        results=RNN,
        read=2,
        tol=LOOSE,
    ),
]
LIMITS = [
    Limit(
        "max_pool2d_with_index",
        device="onnxruntime",
        case="adaptive",
        raises=NoLowering,
        why="bins that overlap",
    ),
]
