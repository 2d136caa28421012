"""What the origin has no defined answer for, and what elements of inputs mean: tables of data."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from ..case import Case
from ..engines.engine import Answer
from . import schema
from .conditions import (
    alone,
    always,
    any_nan,
    any_ties,
    before_7,
    beyond_bytes,
    degenerate,
    dilated_not_finite,
    dilated_same,
    empty,
    falls_somewhere,
    far_apart,
    fractional,
    half,
    has_clip,
    has_subnormals,
    huge_integers,
    huge_results,
    hybrid,
    indefinite,
    is_clamped,
    is_unchecked,
    large,
    longer,
    many_values,
    narrow_integers,
    negative,
    negative_float,
    no_image,
    no_scale,
    not_finite,
    odd_complex,
    odd_thresholds,
    of_16_bits,
    of_integers,
    of_two_shapes,
    out_of_integers,
    outside,
    overflowing,
    padded_same,
    quantised_nothing,
    raw_scores,
    reads_past,
    scalar_result,
    small_image,
    unsorted_dims,
    unsorted_rows,
    wide_bounds,
    wide_shift,
    wild,
    without_vectors,
    zero_divisor,
    zero_inside,
    zero_quantum,
)
from .exclusion import Exclusion
from .frameworks import PADDLE, TENSORFLOW, TORCH


def is_listed(table: Iterable[tuple[str, str]], frontend: str, op: str) -> bool:
    """Whether a table of frontends and patterns has an operator."""
    return any(f in (frontend, "*") and fnmatch.fnmatchcase(op, p) for f, p in table)


def exclusion_of(frontend: str, op: str, case: Case, answer: Answer) -> str | None:
    """Why an example says nothing, or None."""
    for exclusion in EXCLUSIONS:
        if exclusion.covers(frontend, op) and exclusion.when(case, answer):
            return exclusion.why
    return schema.schema_violation(case, answer) if frontend == "onnx" else None


CASTS = (
    "*qparams*",
    "*Cast*",
    "CAST",
    "cast*",
    "*to_copy*",
    "aten.to.*",
    "*type_as*",
    "prims.convert*",
)

MATRICES = (
    *(
        "*[Mm]atrix*",
        "Lu",
        "LuSolve",
        "lu",
        "lu_*",
        "aten.lu*",
        "aten._lu*",
        "*[Ss]vd*",
        "Qr",
        "qr",
    ),
    *("aten.qr*", "*_qr*", "*[Ee]igh*", "*eigvals*", "eig", "*_eig.*", "Eig", "*SelfAdjointEig*"),
    *("*linalg*", "*[Ii]nverse*", "*solve*", "*Solve*", "aten.det*", "*logdet*", "det", "Det"),
    *("*lstsq*", "*pinv*", "*ldl_*", "*[Cc]holesky*", "*geqrf*", "*ormqr*", "*orgqr*"),
    *("*householder*", "Tridiagonal*", "*nuclear*"),
)
"""Operators that eliminate, decompose or invert."""

SUMS = (
    *(
        "*conv*",
        "*Conv*",
        "*CONV*",
        "*mm.*",
        "*mm",
        "*mm_*",
        "*MatMul*",
        "*matmul*",
        "*Gemm*",
        "*gemm*",
        "*linear*",
    ),
    *(
        "*attention*",
        "*attn*",
        "*Attention*",
        "*mean*",
        "*Mean*",
        "*sum*",
        "*Sum*",
        "*[Nn]orm*",
        "*[Pp]ool*",
    ),
    *("*lerp*", "*_fc*", "fc"),
    *(
        "*einsum*",
        "*Einsum*",
        "*dot*",
        "*RotaryEmbedding*",
        "*MATMUL*",
        "*CDist*",
        "*GridSample*",
        "AffineGrid",
        "*::SVM*",
        "*var*",
        "*std*",
        "*[Rr]esize*",
        "*interp*",
        "*upsample*",
    ),
    *(
        "*fft*",
        "*FFT*",
        "DFT",
        "STFT",
        "*bilinear*",
        "*LRN*",
        "*MEAN*",
        "*SUM*",
        "*cdist*",
        "*prod*",
    ),
)
"""Operators that add up products."""

POSITIONS: tuple[tuple[str, str], ...] = ()
"""Frontends and patterns of operators all of whose integers are positions, sizes or counts."""

FLAGS = frozenset(
    {"align_corners", "allowzero", "keepdims", "largest", "onesided", "periodic", "sorted"}
)
"""Integers that say yes or no, for which a framework says nothing of 2."""

FIXED = (
    *("aten.*lstm*", "aten.*gru*", "aten.rnn*"),
    *("*LSTM", "*RNN", "*_rnn", "SVDF", "TFLite_Detection_PostProcess", "lstm", "gru*", "rnn*"),
)
"""Operators whose sizes and precisions stay: the origin believes what the file says of them."""

EVALUATOR = "ONNX's reference evaluator"
EXCLUSIONS: tuple[Exclusion, ...] = (
    Exclusion(CASTS, out_of_integers, "C++ leaves a float beyond the integer's range undefined"),
    Exclusion(
        ("*[Dd]iv*", "*[Mm]od*", "*DIV*", "*MOD*", "*remainder*"),
        zero_divisor,
        "C++ leaves the division of integers by zero undefined",
    ),
    Exclusion(
        ("*[Ss]hift*", "*SHIFT*"), wide_shift, "C++ leaves shifts beyond the width undefined"
    ),
    Exclusion(("*",), odd_complex, "infinities times complex numbers depend on the formula"),
    Exclusion(SUMS, overflowing, "sums that overflow on the way depend on their order"),
    Exclusion(MATRICES, not_finite, "what elimination makes of NaN depends on its order"),
    Exclusion(MATRICES, overflowing, "products of elements overflow, or vanish"),
    Exclusion(MATRICES, empty, "there is no rule for matrices without elements"),
    Exclusion(
        ("*searchsorted*", "*ucketize*", "LowerBound", "UpperBound"),
        falls_somewhere,
        "positions are those in what is sorted",
    ),
    Exclusion(MATRICES, degenerate, "a degenerate matrix has many decompositions"),
    Exclusion(("*[Nn]ms*", "*NonMax*", "*roi_*"), not_finite, "boxes have finite corners"),
    Exclusion(("*[Nn]ms*", "*NonMax*"), any_ties, "equal scores have no order"),
    Exclusion(
        ("Resize", "Upsample", "RoiAlign", "DeformConv", "AffineGrid", "*GridSample"),
        not_finite,
        f"{EVALUATOR} multiplies what it does not take by zero",
        "onnx",
    ),
    Exclusion(("MaxPool",), any_nan, "ONNX Runtime, which is asked, loses NaN in a window", "onnx"),
    Exclusion(("GlobalMaxPool",), no_image, f"{EVALUATOR} reduces two axes, always", "onnx"),
    Exclusion(("PRelu", "And", "Or", "Xor"), before_7, f"{EVALUATOR} knows no axis", "onnx"),
    Exclusion(("Scatter*",), any_nan, f"{EVALUATOR} compares as Python does", "onnx"),
    Exclusion(("Attention",), raw_scores, f"{EVALUATOR} gives them behind the cap", "onnx"),
    Exclusion(
        ("NonMaxSuppression",), odd_thresholds, "ONNX says that they are from 0 to 1", "onnx"
    ),
    Exclusion(
        ("Upsample",), of_integers, f"ONNX Runtime cuts, {EVALUATOR} rounds in Resize", "onnx"
    ),
    Exclusion(("MaxPool",), small_image, f"{EVALUATOR} counts windows of padding", "onnx"),
    Exclusion(("Unique",), unsorted_rows, f"{EVALUATOR} takes rows for elements", "onnx"),
    Exclusion(("ReverseSequence",), longer, f"{EVALUATOR} cuts lengths", "onnx"),
    Exclusion(("GatherElements",), outside, f"{EVALUATOR} moves them inside", "onnx"),
    Exclusion(("*DynamicQuantize*",), has_subnormals, "the quantum may vanish", "onnx"),
    Exclusion(("Range",), not_finite, "there is no step to infinity", "onnx"),
    Exclusion(("Clip",), wide_bounds, "ONNX says that bounds have no axes", "onnx"),
    Exclusion(("OneHot",), not_finite, f"{EVALUATOR} multiplies what is off by zero", "onnx"),
    Exclusion(("*Conv",), dilated_not_finite, f"{EVALUATOR} fills filters with zeros", "onnx"),
    Exclusion(("*QLinearSoftmax",), zero_inside, "ONNX Runtime wraps what is above", "onnx"),
    Exclusion(
        ("*QLinearAveragePool", "*NhwcMaxPool"),
        small_image,
        "ONNX Runtime rounds sizes towards zero",
        "onnx",
    ),
    Exclusion(("*NhwcMaxPool",), dilated_same, "ONNX Runtime pads for small windows", "onnx"),
    Exclusion(("*::MoE",), half, "ONNX Runtime writes over its input of float16", "onnx"),
    Exclusion(
        ("LogSoftmax", "Softmax", "SoftmaxCrossEntropyLoss", "Hardmax", "ai.onnx.ml::Normalizer"),
        far_apart,
        f"{EVALUATOR} and ONNX Runtime differ in NaN, and in what overflows",
        "onnx",
    ),
    Exclusion(
        ("Conv*", "MaxPool", "NonMaxSuppression", "ReverseSequence", "Col2Im", "RoiAlign"),
        empty,
        f"{EVALUATOR} looks at no sizes here",
        "onnx",
    ),
    Exclusion(("LSTM", "GRU", "RNN"), has_clip, f"{EVALUATOR} does not clip or couple", "onnx"),
    Exclusion(
        ("LSTM", "GRU", "RNN", "*Attention", "*Normalization", "LRN", "MaxRoiPool", "*::*MoE"),
        not_finite,
        "ONNX Runtime's activations and maxima lose NaN, its running sums spread it",
        "onnx",
    ),
    Exclusion(
        ("ReduceLogSumExp", "*CDist", "DFT", "STFT"),
        not_finite,
        "the formulas add and subtract infinities",
        "onnx",
    ),
    Exclusion(
        ("*DynamicQuantize*", "*QuantizeLinear"),
        not_finite,
        "C++ leaves NaN as an integer undefined",
        "onnx",
    ),
    Exclusion(("LpNormalization",), negative_float, f"{EVALUATOR} adds with signs", "onnx"),
    Exclusion(("ConvTranspose",), padded_same, "ONNX Runtime clamps negative padding", "onnx"),
    Exclusion(("Constant",), many_values, "a constant has one value", "onnx"),
    Exclusion(("OneHot",), fractional, f"{EVALUATOR} does not round positions", "onnx"),
    Exclusion(("*Attention", "LinearAttention"), empty, "there is nothing to attend to", "onnx"),
    Exclusion(
        ("AveragePool", "LpPool", "MelWeightMatrix", "STFT", "Slice"),
        always,
        f"{EVALUATOR} does not look at windows beyond the input, at ranks or at order",
        "onnx",
    ),
    Exclusion(("Reduce*", "Gemm", "ai.onnx.ml::*"), huge_integers, "sums overflow", "onnx"),
    Exclusion(("*Window",), huge_integers, "no memory holds as many", "onnx"),
    Exclusion(("Unique",), alone, f"{EVALUATOR} sorts whatever is asked", "onnx"),
    Exclusion(
        ("QuantizeLinear", "DequantizeLinear"),
        no_scale,
        "a quantum is above zero",
        "onnx",
    ),
    Exclusion(
        ("*QLinear*", "*QGemm", "*MatMulInteger*"),
        zero_quantum,
        "nothing is a multiple of zero",
        "onnx",
    ),
    Exclusion(
        ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"),
        negative,
        f"a class is not negative; {EVALUATOR} counts from the end",
        "onnx",
    ),
    Exclusion(
        (
            *("GroupNormalization", "Reduce*", "LpPool", "*Regressor", "*Classifier"),
            *("*QLinear*", "*QGemm", "*MatMulInteger*", "*DynamicQuantize*"),
            *("com.microsoft::*MatMul", "com.microsoft::*Conv", "*::*MoE"),
        ),
        empty,
        f"neither {EVALUATOR} nor ONNX Runtime looks after empty inputs here",
        "onnx",
    ),
    Exclusion(
        ("*fake_quant*", "*quantize_per*", "*quantize_linear*", "*qparams*"),
        no_scale,
        "a quantum is above zero",
    ),
    Exclusion(("*holesky*",), indefinite, "there is no such factor"),
    Exclusion(("*grid_sampl*",), any_nan, "documented as -1 by PyTorch, but its kernels differ"),
    Exclusion(
        (
            "*RELU*",
            "MAXIMUM",
            "MINIMUM",
            "*MAX*",
            "*MIN*",
            "STABLEHLO_SCATTER",
        ),
        any_nan,
        "LiteRT's kernels differ: NaN is lost in some",
        "tflite",
    ),
    Exclusion(
        ("RESIZE_BILINEAR", "FAKE_QUANT", "ADD_N", "NON_MAX*", "*REDUCE_WINDOW"),
        not_finite,
        "LiteRT's kernels differ in NaN and infinities",
        "tflite",
    ),
    Exclusion(
        ("*RNN", "*LSTM", "SVDF"), wild, "sums of large numbers depend on their order", "tflite"
    ),
    Exclusion(("TOPK_V2", "UNIQUE"), any_nan, "C++ leaves the order of NaN undefined", "tflite"),
    Exclusion(
        ("QUANTIZE",), beyond_bytes, "LiteRT's kernels differ: XNNPACK's stay at the end", "tflite"
    ),
    Exclusion(("SOFTMAX",), of_16_bits, "LiteRT looks it up in a table", "tflite"),
    Exclusion(("STABLEHLO_SCATTER",), unsorted_dims, "LiteRT does not look at it", "tflite"),
    Exclusion(("MEAN",), quantised_nothing, "nothing is a multiple of NaN", "tflite"),
    Exclusion(("BROADCAST_ARGS",), huge_integers, "LiteRT's sizes have 32 bits", "tflite"),
    Exclusion(("REVERSE_SEQUENCE",), longer, "LiteRT reads past the end", "tflite"),
    Exclusion(
        ("STABLEHLO_GATHER",), without_vectors, "LiteRT believes what the file says", "tflite"
    ),
    Exclusion(
        ("NON_MAX*", "MATRIX_SET_DIAG"), always, "LiteRT leaves places, checks no ranks", "tflite"
    ),
    Exclusion(("POW",), huge_results, "integers overflow", "tflite"),
    Exclusion(("*",), hybrid, "LiteRT rounds the floats to bytes", "tflite"),
    Exclusion(
        ("*CONV*", "FULLY_CONNECTED", "REDUCE_PROD", "SUM", "MEAN", "CUMSUM"),
        huge_integers,
        "sums and products overflow",
        "tflite",
    ),
    Exclusion(("STRIDED_SLICE",), reads_past, "LiteRT reads past the shorter", "tflite"),
    Exclusion(("STABLEHLO_PAD",), is_unchecked, "LiteRT's sizes are all 0 if one is", "tflite"),
    Exclusion(
        ("*POOL*", "REDUCE_*", "FULLY_CONNECTED"),
        empty,
        "LiteRT looks after no empty input",
        "tflite",
    ),
    Exclusion(
        ("REDUCE_*", "RESIZE_BILINEAR", "EXP"),
        narrow_integers,
        "LiteRT computes in few bits, or copies what it ought to scale again",
        "tflite",
    ),
    Exclusion(("Mfcc",), negative_float, "squares are not negative", "tflite"),
    Exclusion(("LOCAL_RESPONSE_NORMALIZATION",), always, "LiteRT's running sum cancels", "tflite"),
    Exclusion(("RFFT2D", "AudioSpectrogram", "Mfcc"), large, "overflows on the way", "tflite"),
    Exclusion(
        ("TFLite_Detection_PostProcess",),
        always,
        "LiteRT leaves the places that are not used",
        "tflite",
    ),
    Exclusion(
        ("ADD", "SUB", "MUL", "DIV", "POW", "*POOL_2D", "*CONV*", "FULLY_CONNECTED", "L2_*"),
        is_clamped,
        "LiteRT's kernels differ: some clamp what is infinite to the largest number",
        "tflite",
    ),
    Exclusion(
        ("ATAN2", "STABLEHLO_SHIFT*", "MATRIX_SET_DIAG"),
        of_two_shapes,
        "LiteRT reads past the smaller",
        "tflite",
    ),
    Exclusion(
        ("SELECT*",),
        scalar_result,
        "LiteRT keeps the shape of the file where one element fits it",
        "tflite",
    ),
    *TORCH,
    *TENSORFLOW,
    *PADDLE,
)
