"""ONNX rows at the corners of attributes: what is equal, the last axis, one element, a default."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadModel, BadType, NotConstant, Unsupported

from ...case import EXACT, ROUNDS, Case, Const, Tolerance, f, i, rand, scalar
from .attention import CLOSE, SEEN, K, Q, V, attend
from .attention import HALF as NEAR_HALF
from .conv import SUMS, X2
from .features import ml
from .resize import UP, resized
from .trees import POINTS, tree

ORT = "onnxruntime"
LEAST, MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max
X, PLANES = rand(2, 3, 5), rand(1, 2, 5, 4)
DOUBLE = Tolerance(relative=1e-14)


def c(*values: int) -> Const:
    """Positions or sizes that the model holds as a constant."""
    return Const(i(*values))


def s(value: float, dtype: object = np.int64) -> np.ndarray:
    """One number at run time."""
    return scalar(value, dtype)


def powers(*exponents: int) -> np.ndarray:
    """Numbers at, beside and half way between powers of two, by the bits of float32."""
    fractions = (0, 1, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFF)
    bits = [(e << 23) | fraction for e in exponents for fraction in fractions]
    return np.array(bits, np.uint32).view(np.float32)


ELEMENTWISE = [
    Case("ThresholdedRelu", (f(0.5, 1, 1.5),), why="not above itself"),
    Case("Shrink", (f(-0.75, -0.5, -0.25, 0.25, 0.5, 0.75),), {"bias": 0.25}, why="the gap itself"),
    Case("Clip", (i(1, 5, 9), s(4)), why="integers from below"),
    Case("Clip", (i(1, 5, 9), None, s(4)), why="integers from above"),
    *(
        Case("Clip", (f(-3, 1, 4),), {name: 2.0}, opset=6, why=f"only {name}")
        for name in ("min", "max")
    ),
    *(
        Case("Swish", (f(-2, 3, dtype=d),), {"alpha": alpha}, opset=24, tol=NEAR_HALF,
             why=f"{alpha} of another type")
        for d in (np.float16, np.float64)
        for alpha in (1.0, 2.0)
    ),
    Case("PRelu", (rand(4), rand(4, seed=1)), why="a slope for each element", tol=ROUNDS),
    Case("PRelu", (rand(2, 3), rand(3, seed=1)), why="a slope for each column", tol=ROUNDS),
    Case("PRelu", (rand(2, 3), rand(3, seed=1)), opset=6, why="columns are channels", tol=ROUNDS),
    Case("PRelu", (X, scalar(0.5)), why="one number", tol=ROUNDS),
    Case("PRelu", (X, rand(1, 1)), why="one number in two axes", tol=ROUNDS),
    *(
        Case("PRelu", (X.astype(d), rand(3, 1, dtype=d)), tol=NEAR_HALF, why="a type, channels")
        for d in (np.float16, np.float64)
    ),
    *(
        Case(op, (X,), opset=11, tol=ROUNDS, oracle=ORT, why="all but the first axis")
        for op in ("Softmax", "LogSoftmax", "Hardmax")
    ),
    Case("Dropout", (np.ones(10_000, np.float32), None, np.array(True)), random=True, oracle=ORT,
         why="of many, by default"),
    Case("Dropout", (X, s(0.7, np.float32), np.array(False)), why="one result, switched off"),
    *(
        Case("Pow", (f(2, 3, dtype=d), Const(y)), tol=ROUNDS, why=f"{y.dtype} to the {y[0]}")
        for d in (np.float32, np.float64)
        for y in (f(0.1, dtype=np.float64), i((1 << 24) + 1), f(2, dtype=np.float64))
    ),
    Case("Pow", (i(2, 3, dtype=np.uint64), i(3, 20)), why="unsigned"),
    Case("Pow", (i(2, 3, dtype=np.int32), i(3, 2, dtype=np.uint64)), why="by unsigned"),
    Case("Pow", (i(2, 3, dtype=np.int32), Const(i(3, 2))), why="a known exponent of integers"),
    *(
        Case("Cast", (f(1.5),), {"to": to}, opset=5, raises=Unsupported)
        for to in ("UNDEFINED", "STRING")
    ),
    *(
        Case("Cast", (powers(0, 1, 2, 127, 253, 254),), {"to": 24, "round_mode": mode}, opset=25,
             why=f"every corner of powers of two, {mode}")
        for mode in ("up", "down", "nearest")
    ),
    *(
        Case("Cast", (powers(253, 254),), {"to": 24, "round_mode": mode, "saturate": 0}, opset=25,
             why=f"the largest powers of two, {mode}")
        for mode in ("up", "down", "nearest")
    ),
    *(
        Case("IsInf", (f(np.inf, -np.inf, np.nan, 1, dtype=d),),
             {"detect_negative": low, "detect_positive": high},
             why=f"a type, {low}, {high}")
        for d in (np.float16, np.float64)
        for low in (0, 1)
        for high in (0, 1)
    ),
    Case("Relu", (f(1),), {"consumed_inputs": (0,)}, opset=6, why="overwrites too late",
         raises=Unsupported),
]  # fmt: skip
POSITIONS = [
    Case("EyeLike", (X,), why="rank 3", raises=BadType),
    Case("EyeLike", (rand(3, 4),), {"k": 3}, why="the last diagonal"),
    Case("EyeLike", (rand(3, 4),), {"k": 9}, why="beyond"),
    Case("Compress", (X, np.arange(30) % 3 == 1), why="flattened from three axes"),
    Case("Compress", (X, np.array([True, False, True])), {"axis": 1}, why="an inner axis"),
    Case("OneHot", (i(0, 2, dtype=np.int32), scalar(3, np.int32), f(0, 1)), why="int32"),
    Case("OneHot", (i([0, 2], [1, 0]), c(3), f(0, 1)), {"axis": -2}, why="the axis before",
         oracle=ORT),
    Case("OneHot", (i([0, 2], [1, 0]), c(3), f(0, 1)), {"axis": -3}, why="the first axis",
         oracle=ORT),
    *(
        Case("TensorScatter", (rand(2, 4, 3), rand(2, 2, 3)), {"mode": mode, "axis": 1}, opset=24,
             why=f"{mode}, from the start")
        for mode in ("linear", "circular")
    ),
    Case("TensorScatter", (rand(2, 3, 4), rand(2, 3, 2), i(1, 2)), {"axis": -1}, opset=24,
         why="the last axis"),
    Case("TopK", (rand(5),), {"k": 2}, opset=1, why="the last axis of one"),
    Case("TopK", (rand(2, 3, 4),), {"k": 2}, opset=9, outputs=2, why="the last axis of three"),
    Case("TopK", (rand(3, 5), c(2)), outputs=2, opset=10, why="the largest"),
    Case("TopK", (rand(3, 5), c(5)), {"axis": 1, "largest": 0}, outputs=2, why="all of them"),
    Case("Trilu", (rand(3, 4), c(1)), why="above the diagonal"),
    Case("ArgMax", (f(2, 2, 1),), {"axis": -1, "select_last_index": 1}, why="the last axis of one"),
]  # fmt: skip
SHAPES = [
    *(Case("Unsqueeze", (X, i(*a)), why=f"{a} at run time") for a in ((3, 0), (0, 1), (-1, 0))),
    Case("Unsqueeze", (X,), {"axes": [-1, 0]}, opset=11, why="negative axes as an attribute"),
    Case("Squeeze", (rand(1, 3, 1),), {"axes": [2]}, opset=11, why="one of two"),
    Case("Squeeze", (rand(1, 3, 1), c(-1)), opset=13, why="the last one"),
    Case("Flatten", (X,), {"axis": -2}, why="from behind"),
    Case("Flatten", (rand(4),), why="one axis"),
    *(
        Case("Split", (rand(2, 5),), {"split": [2, 3], "axis": axis}, opset=2, outputs=2,
             why=f"lengths along {axis}")
        for axis in (1, -1)
    ),
    Case("Split", (rand(4, 2),), opset=2, outputs=2, why="equal pieces of rows"),
    Case("Split", (rand(2, 6),), {"axis": 1}, opset=2, outputs=3, why="equal pieces of columns"),
    Case("Split", (rand(6),), {"num_outputs": 4}, outputs=4, why="a last piece of none"),
    *(
        Case("Split", (rand(7, 2),), {"num_outputs": n}, outputs=n, is_open=True, why=f"{n} pieces")
        for n in (2, 3)
    ),
    *(
        Case("CenterCropPad", (rand(5, 4), shape), why=f"{name}, odd differences", is_open=is_open)
        for shape, name in ((c(2, 7), "known"), (i(2, 7), "at run time"), (c(8, 1), "the other"))
        for is_open in (False, True)
        if is_open or name != "known"
    ),
    Case("CenterCropPad", (rand(9, 4), c(2, 3)), why="a large crop", is_open=True),
    Case("Reshape", (X, c(2, 15)), {"allowzero": 1}, why="no zero to allow"),
    Case("Expand", (X, c(1, 1, 1)), why="its own shape"),
    Case("Pad", (rand(3, 4), i(2, 1), None, c(-1)), why="a known axis, pads at run time"),
    Case("Pad", (rand(3, 4), c(2, 1), None, i(-1)), why="known pads, an axis at run time"),
    Case("Pad", (rand(3, 4), c(1, 2, 3, 4), None, c(1, -2)), why="both axes in another order"),
    Case("Size", (X,), is_open=True, why="open"),
    *(
        Case("DepthToSpace", (rand(2, 18, 2, 3),), {"blocksize": 3, "mode": mode},
             why=f"by 3, {mode}")
        for mode in ("DCR", "CRD")
    ),
]  # fmt: skip
WINDOWS = [
    Case("AveragePool", (PLANES,), {"kernel_shape": [3, 2], "auto_pad": "VALID",
         "pads": [1, 1, 1, 1]}, tol=ROUNDS, why="valid, with pads", oracle=ORT),
    Case("MaxPool", (PLANES,), {"kernel_shape": [5, 4]}, outputs=2, why="a window that fits",
         oracle=ORT, opset=21),
    Case("MaxPool", (PLANES,), {"kernel_shape": [2, 2], "auto_pad": "NOTSET",
         "pads": [1, 0, 0, 1]}, why="not set"),
    Case("MaxPool", (rand(2, 3, 4, 5),), {"kernel_shape": [2, 3], "storage_order": 1}, outputs=2,
         is_open=True, why="by columns", oracle=ORT, opset=21),
    Case("GlobalMaxPool", (PLANES,), is_open=True, why="open"),
    *(
        Case("LpPool", (PLANES,), {"kernel_shape": [2, 2], "p": p}, tol=ROUNDS, why=f"norm {p}")
        for p in (1, 4)
    ),
    *(
        Case("LRN", (rand(2, 5, 3, 2),), {"size": n, "alpha": 0.5}, tol=ROUNDS, oracle=ORT,
             why=f"{n} channels")
        for n in (1, 3, 7)
    ),
    Case("Conv", (X2, rand(4, 3, 3, 2)), {"kernel_shape": [3, 2, 1]}, raises=BadType,
         why="a kernel of three axes"),
    Case("Conv", (X2, rand(4, 3, 3, 2)), {"kernel_shape": [3]}, raises=BadType,
         why="a kernel of one axis"),
    *(
        Case("ConvTranspose", (X2, rand(3, 4, 3, 2)),
             {"output_shape": size, "strides": [2, 2], "auto_pad": pad}, tol=SUMS, oracle=ORT,
             why=f"{size}, {pad}")
        for size in ([14, 10], [13, 9])
        for pad in ("SAME_UPPER", "SAME_LOWER", "NOTSET")
    ),
    *(
        Case("ConvTranspose", (x, rand(3, 4, 3, 2)), {"output_shape": [14, 10], "strides": [2, 2]},
             is_open=True, raises=NotConstant, why=why)
        for x, why in ((X2, "open"), (rand(2, 3, 1, 5), "one open axis"))
    ),
    *(
        Case("ConvTranspose", (X2, rand(3, 4, 4, 3)), {"auto_pad": pad, "strides": [2, 2]},
             tol=SUMS, oracle=ORT, is_open=True, why=f"open, {pad}")
        for pad in ("SAME_UPPER", "SAME_LOWER")
    ),
    Case("DeformConv", (rand(1, 2, 5, 4), rand(3, 2, 2, 2), rand(1, 16, 4, 3, low=-1, high=1)),
         {"offset_group": 2}, tol=SUMS, why="two groups without a mask"),
    Case("Col2Im", (rand(1, 8, 6), i(3, 4), i(2, 2)), {"pads": [0, 0, 0, 0]}, tol=ROUNDS,
         why="pads of none"),
]  # fmt: skip
RESIZED = [
    *(resized(rand(5), f(2), f"one axis, {mode}", mode=mode) for mode in ("nearest", "linear")),
    *(
        resized(PLANES, UP, f"{rule} {mode} whole", mode=mode, coordinate_transformation_mode=rule,
                nearest_mode="floor")
        for rule in ("half_pixel", "asymmetric", "align_corners")
        for mode in ("linear", "nearest")
    ),
    *(
        resized(PLANES, UP, f"whole, {name}", mode="linear", **{name: value})
        for name, value in (
            ("antialias", 1), ("exclude_outside", 1), ("axes", [0, 1, 2, 3]),
        )
    ),
    *(
        Case("Resize", (PLANES, None, None, Const(i(1, 2, *size))),
             {"mode": mode, "coordinate_transformation_mode": "asymmetric",
              "nearest_mode": "floor"}, tol=ROUNDS, why=f"to {size}, {mode}")
        for size in ((10, 8), (10, 6), (5, 8), (5, 4))
        for mode in ("nearest", "linear")
    ),
    Case("Resize", (PLANES, None, None, Const(i(1, 2, 10, 8))),
         {"mode": "linear", "keep_aspect_ratio_policy": "not_larger"}, tol=ROUNDS,
         why="whole, not larger"),
    Case("Resize", (rand(2, 2, 3, 3), None, Const(f(2, 1, 2, 2))), {"nearest_mode": "floor",
         "coordinate_transformation_mode": "asymmetric"}, why="the batch grows"),
    Case("Resize", (rand(1, 3, 4), None, Const(f(1, 2, 2))), {"mode": "linear"}, tol=ROUNDS,
         why="three axes, whole"),
    Case("Resize", (PLANES, Const(f(0, 0, 0, 0, 1, 1, 1, 1)), Const(f(1, 1, 1.5, 1.5))),
         {"mode": "linear"}, tol=ROUNDS, why="a region that plays no role"),
    *(
        Case("Upsample", (PLANES, Const(f(1, 1, 2, 3))), {"mode": mode}, opset=9, oracle=ORT,
             tol=ROUNDS, why=f"{mode} by constants")
        for mode in ("linear",)
    ),
]  # fmt: skip
SUMMED = [
    Case("MatMulInteger", (rand(2, 3, dtype=np.uint8, low=0, high=255),
         rand(3, 4, dtype=np.uint8, low=0, high=255), i(5, dtype=np.uint8)),
         why="a zero point in one axis"),
    Case("BatchNormalization", (rand(5), *(rand(1, seed=k, low=0.5) for k in range(4))),
         tol=ROUNDS, why="one axis", oracle=ORT),
    Case("BatchNormalization", (X, *(rand(3, seed=k, low=0.5) for k in range(4))),
         {"training_mode": 1}, opset=14, outputs=3, tol=ROUNDS, why="training in its first opset"),
    Case("BatchNormalization", (X, *(rand(3, seed=k, low=0.5) for k in range(4))), outputs=3,
         raises=Unsupported, why="statistics without training"),
    Case("GroupNormalization", (rand(2, 4, 3), rand(4), rand(4, seed=1)), {"num_groups": 4},
         tol=ROUNDS, why="a group for each channel"),
    Case("MeanVarianceNormalization", (rand(1, 2, 3, 4) * np.float32(1e-7),),
         tol=Tolerance(1e-3, 1e-5), why="a deviation of almost nothing"),
    *(
        Case("LpNormalization", (rand(3, 4, dtype=d, low=0.1),), {"p": p}, tol=NEAR_HALF,
             why=f"a type, {p}")
        for d in (np.float16, np.float64)
        for p in (1, 2)
    ),
    Case("LpNormalization", (f(0, 0, 3, 4, dtype=np.float64).reshape(2, 2),), tol=DOUBLE,
         why="a norm of 0 in double"),
    Case("LayerNormalization", (X, rand(5), rand(1)), tol=ROUNDS, why="a bias that broadcasts"),
    Case("LayerNormalization", (X, rand(3, 5)), {"axis": 1}, outputs=3, tol=ROUNDS,
         why="an inner axis, with statistics"),
    Case("LayerNormalization", (X, rand(2, 3, 5)), {"axis": 0}, tol=ROUNDS, why="every axis"),
    Case("GroupNormalization", (rand(2, 4, 3), rand(2), rand(2, seed=1)), {"num_groups": 2},
         opset=18, is_open=True, tol=ROUNDS, why="open, one scale a group"),
]  # fmt: skip
ATTENDED = [
    *(
        Case(
            "CausalConvWithState",
            (rand(2, 3, 6, dtype=d), rand(3, 1, 4, seed=1, dtype=d)),
            opset=27,
            outputs=2,
            tol={"": DOUBLE, "float16": NEAR_HALF},
            why="a type",
        )
        for d in (np.float16, np.float64)
    ),
    *(
        attend(Q, K, V, left_window_size=left, right_window_size=right, why=f"{left}, {right}")
        for left, right in ((0, -1), (-1, 0), (0, 0), (2, 1))
    ),
    *(
        attend(Q, K, V, SEEN, is_causal=causal, qk_matmul_output_mode=2, why=f"sums, {causal}")
        for causal in (0, 1)
    ),
    *(
        Case(
            "FlexAttention",
            tuple(x.astype(d) for x in (Q, K, V)),
            domain="ai.onnx.preview",
            tol=NEAR_HALF,
            why="a type",
        )
        for d in (np.float16, np.float64)
    ),
    Case("Attention", tuple(x.astype(np.float64) for x in (Q, K, V)), tol=CLOSE, why="double"),
]
FEATURES = [
    ml("Binarizer", i(LEAST, 0, dtype=np.int32), threshold=float(LEAST))("the least of integers"),
    ml("Binarizer", i(0, MOST, dtype=np.int32), threshold=float(1 << 31))("above all, by one"),
    tree(POINTS, "one missing value", nodes_missing_value_tracks_true=[1], raises=BadType),
    tree(POINTS, "too few weights", leaf_weights=f(5.25, 12.5), raises=BadType),
    tree(POINTS, "too few splits", nodes_splits=f(3.0, 1.5), raises=BadModel),
    *(
        tree(POINTS, f"roots {roots}", tree_roots=roots, raises=BadModel)
        for roots in ([9], [-1], [0, 3])
    ),
    tree(POINTS, "members without a set", membership_values=f(1.5, np.nan), raises=BadModel),
    tree(
        POINTS,
        "one node",
        tree_roots=[0],
        nodes_modes=i(0, dtype=np.uint8),
        nodes_featureids=[1],
        nodes_splits=f(1.5),
        nodes_truenodeids=[0],
        nodes_trueleafs=[1],
        nodes_falsenodeids=[1],
        nodes_falseleafs=[1],
        leaf_targetids=[1, 0],
        leaf_weights=f(5.25, 12.5),
    ),
    ml("Scaler", rand(1, 3), offset=[1.0, 2.0, 3.0], scale=[2.0])("open features", is_open=True),
    ml("Scaler", rand(2, 3), offset=[1.0, 2.0], scale=[2.0])("too few", raises=BadType),
    ml("Imputer", f(1, 5, 2), imputed_value_floats=[9.0], replaced_value_float=5.0)(
        "one number", oracle=ORT
    ),
    ml("Normalizer", f([0, 0], [3, -4]), norm="L2")("a row of zeros", oracle=ORT),
]
SIGNALS = [
    *(
        Case(op, (Const(s(n)),), {"periodic": periodic}, tol=CLOSE, why=f"of {n}, {periodic}")
        for op in ("HannWindow", "HammingWindow", "BlackmanWindow")
        for n in (2, 5)
        for periodic in (0, 1)
    ),
    Case("DFT", (rand(2, 3, 4, 2),), opset=17, tol=CLOSE, why="the second axis"),
    Case("DFT", (rand(2, 3, 4, 2),), tol=CLOSE, why="the last axis but one"),
    Case("DFT", (rand(2, 3, 4, 2), None, Const(s(-2))), tol=CLOSE, why="an axis from behind"),
    Case("STFT", (rand(2, 20, 1), s(4), rand(7)), tol=CLOSE, why="an odd window"),
    Case("STFT", (rand(1, 8, 2), s(4), None, s(8)), {"onesided": 0}, tol=CLOSE,
         why="one frame of a complex signal"),
    *(
        Case("MelWeightMatrix", (s(5), s(n), s(8000), scalar(100.0), scalar(3000.0)),
             tol=CLOSE, why=f"from 100 Hz, {n}")
        for n in (33, 64, 8192)
    ),
]  # fmt: skip
NUMBERS = [
    Case("QuantizeLinear", (f(-3, 0, 2), s(0.1, np.float32), s(3, np.uint8)), {"block_size": 16},
         why="one scale in blocks"),
    Case("QuantizeLinear", (f(-3, 0, 2), s(0.1, np.float32), s(3, np.uint8)), {"output_dtype": 3},
         opset=21, why="to two types", raises=BadType),
    *(
        Case("QuantizeLinear", (f(-300, -1, 0, 7), s(0.5, np.float32)), {"output_dtype": to},
             opset=21, why=f"to type {to}")
        for to in (2, 3, 4, 5)
    ),
    *(
        Case("DequantizeLinear", (i(-3, 0, 7, dtype=np.int8), s(0.5, d)), opset=21, why=f"by {n}")
        for d, n in ((np.float16, "half"), (ml_dtypes.bfloat16, "bfloat16"))
    ),
    Case("DequantizeLinear", (i(-3, 0, 7, dtype=np.int8), s(0.5, np.float32)), opset=10,
         why="the first version", oracle=ORT),
    Case("DequantizeLinear", (i(-3, 0, 70000, dtype=np.int32), s(0.5, np.float32)), why="int32"),
    Case("NonMaxSuppression", (rand(1, 6, 4, low=0, high=1), rand(1, 1, 6, seed=1), c(3)),
         {"center_point_box": -1}, raises=BadType, why="no such box"),
    Case("NonMaxSuppression", (rand(1, 6, 4, low=0, high=1), rand(1, 1, 6, seed=1), c(0)),
         why="none is wanted", oracle=ORT),
    *(
        Case(op, (X, None), {"noop_with_empty_axes": 1}, tol=ROUNDS, why="no axes at all")
        for op in ("ReduceSum", "ReduceMean", "ReduceL2", "ReduceLogSumExp")
    ),
    Case("ReduceL2", (i(3, 4),), tol=EXACT, why="integers", oracle=ORT),
    Case("ReduceLogSum", (i(3, 4),), why="integers", oracle=ORT),
    Case("ReduceLogSumExp", (i(1, 2),), why="integers", oracle=ORT),
]  # fmt: skip
CASES = [
    *(*ELEMENTWISE, *POSITIONS, *SHAPES, *WINDOWS, *RESIZED, *SUMMED, *ATTENDED),
    *(*FEATURES, *SIGNALS, *NUMBERS),
]
