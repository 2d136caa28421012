"""What the attributes of the operators mean, and where each operator is from.

A name means the same wherever it stands; where it does not, the operator's name is in front.
"""

from __future__ import annotations

from typing import Any

from ..operator import Operator

ATTRIBUTES: dict[str, str] = {
    "activation_alpha": "the alphas of those activations that have one, in their order; None takes "
    "ONNX's defaults",
    "activation_beta": "the betas of those activations that have one, in their order; None takes "
    "ONNX's defaults",
    "activations": "the functions of the gates by ONNX's names (Sigmoid, Tanh, Relu, ...), for one "
    "direction or for each",
    "adjoint": "whether to multiply by the conjugate transpose",
    "aggregate": "what a target keeps of its leaves: SUM, AVERAGE, MIN or MAX",
    "align_corners": "whether the centres of the corner elements lie on each other, instead of "
    "their outer edges",
    "align_mode": "where an element lies without align_corners: 0 at its centre (half a pixel), 1 "
    "at its start; None is 0",
    "aligned": "whether half a pixel is taken off the corners of a region",
    "CELU.alpha": "the limit far below 0 is -alpha, and the width of the bend; not 0",
    "ELU.alpha": "the limit far below 0 is -alpha",
    "LEAKY_RELU.alpha": "the slope below 0",
    "HARD_SIGMOID.alpha": "the slope",
    "HARD_SWISH.alpha": "the slope of the gate",
    "LRN.alpha": "the factor of the mean of the squares",
    "anchors": "width and height of each anchor in pixels of the image, one after the other",
    "antialias": "whether the filter is widened when the result is smaller",
    "approximate": "whether the tanh formula takes the place of the error function",
    "aspect_ratios": "width / height of the boxes beside the square one; > 0",
    "auto_pad": "NONE takes `pads`, SAME pads until the result has ceil(size / stride) elements, "
    "VALID pads nothing",
    "axes": "the axes that change, from -rank to rank - 1; None is all of them",
    "axis": "an axis, from -rank to rank - 1",
    "DEQUANTIZE_LINEAR.axis": "the axis of the scales, where there are several",
    "QUANTIZE_LINEAR.axis": "the axis of the scales, where there are several",
    "STACK.axis": "where the new axis stands, from -rank - 1 to rank",
    "UNIQUE.axis": "the axis whose slices are compared; None compares elements",
    "background_label": "the class that is left out; -1 is none",
    "batch_axis": "the axis of the sequences",
    "batch_dims": "how many leading axes both operands share; >= 0",
    "begin_norm_axis": "the first of the axes that are normalised, all after it are too",
    "HARD_SIGMOID.beta": "the value at 0",
    "HARD_SWISH.beta": "the value of the gate at 0",
    "LRN.beta": "the exponent",
    "SOFTPLUS.beta": "the sharpness of the bend; not 0",
    "bias": "what is added to the mean of the squares",
    "block_size": "how many entries of `axis` one scale is for; 0 is all, or one",
    "body": "the model of one iteration",
    "carried": "how many of the inputs are the state; >= 0",
    "causal": "whether a query sees no key behind its own",
    "ceil_mode": "whether a last window that overhangs counts",
    "center_point_box": "whether boxes are centre and size, not two corners",
    "class_num": "how many classes there are; >= 1",
    "clip": "the gates' sums are limited to [-clip, clip]; > 0, None does not limit",
    "PRIOR_BOX.clip": "whether the boxes end at the image",
    "clip_bbox": "whether the boxes end at the image",
    "complete": "whether Q is square",
    "conf_thresh": "boxes of less confidence are 0; a probability",
    "coordinate_transformation_mode": "where an element of the result lies in the input, by ONNX's "
    "names: half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, "
    "tf_crop_and_resize",
    "count_include_pad": "whether padding counts in the divisor",
    "cubic_coeff_a": "the parameter of Keys' cubic kernel; usually -0.5 or -0.75",
    "deformable_group": "how many groups of channels have offsets of their own; divides C",
    "depth": "how many steps lead from a root to the deepest leaf; >= 0",
    "dilations": "the distance between taps along each spatial axis, in elements; >= 1, None is 1",
    "direction": "forward, reverse or bidirectional",
    "downsample_ratio": "pixels of the image per cell of the grid",
    "dtype": "the type of the result",
    "else_model": "what runs where the condition is false",
    "end_axis": "the last of the axes that are merged, from -rank to rank - 1",
    "epsilon": "what is added before the root or division, so that nothing divides by 0; >= 0",
    "equation": "the labels of the operands' axes and of the result, as in NumPy's einsum",
    "exclude_outside": "whether taps outside of the input weigh nothing and the others are scaled",
    "exclusive": "whether an element does not count for its own result",
    "extrapolation_value": "what lies outside of the input, for tf_crop_and_resize",
    "flip": "whether 1 / ratio is a ratio too",
    "fmod": "whether the sign is that of the dividend, as in C",
    "full_matrices": "whether U and Vh are square",
    "fuse_code": "what is applied to the result: NONE, RELU, RELU1 (0 to 1) or RELU6 (0 to 6)",
    "group": "how many groups of channels do not see each other; divides the channels",
    "groups": "how many groups of channels are normalised alone; divides C",
    "hermitian": "whether the matrix is Hermitian instead of symmetric",
    "high": "the end of the interval, which is not drawn",
    "input_forget": "whether the forget gate is 1 - the input gate",
    "interleaved": "whether the two features that are turned together stand side by side, not half "
    "a head apart",
    "inverse": "whether to transform back, divided by the length",
    "iou_aware": "whether the head predicts the overlap too",
    "iou_aware_factor": "the weight of the predicted overlap in the confidence, 0 to 1",
    "iou_threshold": "a box goes where it overlaps a better one by more than this part, 0 to 1",
    "keep_aspect_ratio_policy": "stretch, or one scale for all axes: not_larger or "
    "not_smaller than `sizes`",
    "keep_top_k": "how many boxes of an image stay; -1 is all",
    "keepdim": "whether reduced axes stay, with size 1",
    "kernel_shape": "the size of the window along each spatial axis; >= 1",
    "kind": "which polynomials: chebyshev_t, _u, _v or _w, hermite_h, hermite_he, laguerre_l or "
    "legendre_p",
    "kv_num_heads": "how many heads keys and values have; divides q_num_heads",
    "largest": "whether the largest elements are meant, not the smallest",
    "left": "whether to shift towards the higher bits",
    "linear_before_reset": "whether the reset gate is applied after the recurrent product",
    "local_window_size": "how many keys up to its own a query sees; -1 is all",
    "low": "the start of the interval",
    "max_gram_length": "the longest n-gram that counts",
    "max_sizes": "the sizes of further square boxes, in pixels: sqrt(min * max)",
    "max_skip_count": "how many numbers may lie between two of an n-gram; >= 0",
    "mean": "the mean of the distribution",
    "min_gram_length": "the shortest n-gram that counts; >= 1",
    "min_max_aspect_ratios_order": "whether boxes are in the order min, max, ratios",
    "min_sizes": "the sizes of the square boxes, in pixels",
    "mode": "how values between elements are made: BILINEAR, NEAREST or BICUBIC",
    "PAD.mode": "what is added: CONSTANT, REFLECT (without the border), REPLICATE, EDGE or WRAP",
    "RESIZE.mode": "nearest, linear or cubic",
    "TF_IDF_VECTORIZER.mode": "TF, IDF or TFIDF",
    "n_targets": "how many targets the leaves speak for; >= 1",
    "nearest_mode": "how positions are rounded: round_prefer_floor, round_prefer_ceil, floor, ceil",
    "ngram_counts": "where the n-grams of each length begin in the pool",
    "ngram_indexes": "the column of each n-gram",
    "nms_eta": "the factor of the threshold after each box while it is above 0.5; 1 keeps it",
    "nms_threshold": "a box goes where it overlaps a better one by more than this part, 0 to 1",
    "nms_top_k": "how many boxes of a class are looked at, best first; -1 is all",
    "normalized": "whether coordinates are parts of the image, else pixels (width is x2 - x1 + 1)",
    "num": "how many slices there are: the size of the axis",
    "offset": "where the centre of a cell lies in it, 0 to 1",
    "onesided": "whether only the first half of the frequencies is there, of a real signal",
    "order": "which derivative of the digamma function; >= 0",
    "output_height": "how many rows of bins a region has; >= 1",
    "output_padding": "elements added behind each spatial axis of the result; None is 0",
    "output_shape": "the sizes of the spatial axes of the result",
    "CONV_2D_TRANSPOSE.output_shape": "the spatial sizes of the result; None follows from the rest",
    "CONV_3D_TRANSPOSE.output_shape": "the spatial sizes of the result; None follows from the rest",
    "output_width": "how many columns of bins a region has; >= 1",
    "p": "the power of the norm; > 0",
    "LP_NORMALIZATION.p": "which norm: 1 or 2",
    "pad_mode": "what lies outside: CONSTANT (0), EDGE or REPLICATE (the border), REFLECT",
    "pads": "elements (before, after) of each spatial axis, one after the other; >= 0, None is 0",
    "perm": "which axis of the input each axis of the result is; None reverses them",
    "pivot": "whether rows are swapped for the largest pivot",
    "pool_int64s": "the numbers of all n-grams, by their length",
    "pooled_shape": "rows and columns of bins that a region has; >= 1",
    "precision": "the type that the division is done in; None is that of the scale",
    "q_num_heads": "how many heads the queries have",
    "reduction": "what a place makes of its updates: none (the last one), add, mul, max or min",
    "return_index": "whether the position of each row is a third result",
    "return_indices": "whether the positions of the maxima are a second result",
    "return_indices_dtype": "the type of the positions: INT32 or INT64",
    "reverse": "whether to start at the end",
    "sample_size": "how many draws there are; >= 1",
    "sampling_ratio": "samples along each axis of a bin; 0 takes ceil(size / bins)",
    "saturate": "whether what is too large becomes the largest number, not infinity or NaN",
    "scale": "the factor of the result; 0 is 1 / sqrt(size of a head)",
    "RANDOM_NORMAL.scale": "the standard deviation; >= 0",
    "scale_x_y": "the factor by which centres may leave their cell; 1 keeps them inside",
    "score_threshold": "boxes of less score are left out",
    "seed": "the same seed draws the same numbers; None draws others in each run",
    "size": "how many channels the window has; >= 1",
    "PIVOT_ORDER.size": "how many rows there are",
    "softcap": "the bound that the scores approach by tanh; 0 is none",
    "sorted": "whether results are in order",
    "UNIQUE.sorted": "whether the elements rise, instead of standing in order of first occurrence",
    "spatial_scale": "cells of the feature map per unit of a region's coordinates",
    "start_axis": "the first of the axes that are merged, from -rank to rank - 1",
    "step_h": "the distance of boxes in pixels of the image, downwards; 0 is height / rows",
    "step_w": "the distance of boxes in pixels of the image, to the right; 0 is width / columns",
    "strides": "the distance between windows along each spatial axis, in elements; >= 1, None is 1",
    "then_model": "what runs where the condition is true",
    "threshold": "above this value of beta * x the result is x",
    "time_axis": "the axis that is reversed",
    "transpose_x": "whether the last two axes of the first operand are swapped before",
    "transpose_y": "whether the last two axes of the second operand are swapped before",
    "trips": "the number of iterations; None where only the data tells",
    "unit_diagonal": "whether the diagonal counts as ones and is not read",
    "update_rule": "linear, gated, delta or gated_delta",
    "upper": "whether the upper triangle is meant, not the lower",
    "variances": "the variances of (x, y, width, height), which are a result as they are",
    "weights": "the weight of each n-gram; empty is 1",
}
"""The meaning, unit and accepted values of each attribute."""

_ONNX = {
    "ACOS": "Acos", "ACOSH": "Acosh", "AFFINE_GRID": "AffineGrid", "ASIN": "Asin",
    "ASINH": "Asinh", "ATAN": "Atan", "ATANH": "Atanh", "AVERAGE_POOL": "AveragePool",
    "BERNOULLI": "Bernoulli", "BITWISE_AND": "BitwiseAnd", "BITWISE_NOT": "BitwiseNot",
    "BITWISE_OR": "BitwiseOr", "BITWISE_XOR": "BitwiseXor", "BIT_CAST": "BitCast",
    "BIT_SHIFT": "BitShift", "CEIL": "Ceil", "CELU": "Celu", "COL_2_IM": "Col2Im",
    "CONV_3D": "Conv", "CONV_3D_TRANSPOSE": "ConvTranspose", "CONV_INTEGER": "ConvInteger",
    "COSH": "Cosh", "CUM_PROD": "CumProd", "DEQUANTIZE_LINEAR": "DequantizeLinear",
    "DETERMINANT": "Det", "DFT": "DFT", "DROPOUT": "Dropout", "EINSUM": "Einsum", "ELU": "Elu",
    "ERF": "Erf", "GATHER_ELEMENTS": "GatherElements", "GATHER_ND": "GatherND",
    "GRID_SAMPLE_3D": "GridSample", "GRU": "GRU", "HARDMAX": "Hardmax", "IF": "If",
    "LINEAR_ATTENTION": "LinearAttention", "LP_POOL": "LpPool", "LSTM": "LSTM",
    "MAX_POOL": "MaxPool", "MAX_ROI_POOL": "MaxRoiPool", "MAX_UNPOOL": "MaxUnpool", "MOD": "Mod",
    "MULTINOMIAL": "Multinomial", "NEG": "Neg", "NON_ZERO": "NonZero",
    "NON_MAX_SUPPRESSION_INDICES": "NonMaxSuppression", "QUANTIZE_LINEAR": "QuantizeLinear",
    "RANDOM_NORMAL": "RandomNormal", "RANDOM_UNIFORM": "RandomUniform", "RECIPROCAL": "Reciprocal",
    "REDUCE_LOG_SUM_EXP": "ReduceLogSumExp", "REDUCE_MIN": "ReduceMin",
    "REDUCE_PROD": "ReduceProd", "RESHAPE_EXACT": "Reshape (allowzero)", "RESIZE": "Resize",
    "REVERSE_SEQUENCE": "ReverseSequence", "RMS_NORMALIZATION": "RMSNormalization", "RNN": "RNN",
    "ROI_ALIGN_MAX": "RoiAlign (max)", "ROUND": "Round", "SCATTER_ELEMENTS": "ScatterElements",
    "SCATTER_ND": "ScatterND", "SIGN": "Sign", "SINH": "Sinh", "SQRT": "Sqrt", "TAN": "Tan",
    "TF_IDF_VECTORIZER": "TfIdfVectorizer", "TREE_ENSEMBLE": "ai.onnx.ml TreeEnsemble",
    "UNIQUE": "Unique", "WHILE": "Loop",
}  # fmt: skip
_PYTORCH = {
    "AIRY_AI": "special_airy_ai", "ANGLE": "angle", "APPLY_HOUSEHOLDER": "ormqr",
    "ATAN2": "atan2", "CHOLESKY": "linalg_cholesky", "COMPLEX": "complex",
    "COMPLEX_TO_PAIRS": "view_as_real", "CONJ": "conj", "CUM_LOG_SUM_EXP": "logcumsumexp",
    "CUM_MAX": "cummax", "CUM_MIN": "cummin", "EIG": "linalg_eig",
    "EIGENVALUES": "linalg_eigvals", "EIGENVALUES_H": "linalg_eigvalsh", "EIGH": "linalg_eigh",
    "ERFC": "erfc", "ERFINV": "erfinv", "EXPM1": "expm1", "FREXP": "frexp", "GCD": "gcd",
    "GROUPED_MAT_MUL": "_grouped_mm", "HOUSEHOLDER": "geqrf", "HYPOT": "hypot", "IMAG": "imag",
    "INVERSE": "inverse", "LDL_FACTOR": "linalg_ldl_factor", "LDL_SOLVE": "linalg_ldl_solve",
    "LOG10": "log10", "LOG1P": "log1p", "LOG2": "log2", "LU_FACTOR": "linalg_lu_factor",
    "MATRIX_EXP": "linalg_matrix_exp", "MATRIX_INVERSE": "linalg_inv",
    "MAX_ROI_POSITIONS": "torchvision roi_pool", "NEXT_AFTER": "nextafter",
    "PAIRS_TO_COMPLEX": "view_as_complex", "PIVOT_ORDER": "lu_unpack", "POLAR": "polar",
    "POLYGAMMA": "polygamma", "POLYNOMIAL": "special_chebyshev_polynomial_t and its siblings",
    "QR": "linalg_qr", "REAL": "real", "SAFE_SOFTMAX": "_safe_softmax",
    "SIGN_LOG_DET": "linalg_slogdet", "SINGULAR_VALUES": "linalg_svdvals",
    "SOLVE": "linalg_solve", "SOLVE_TRIANGULAR": "linalg_solve_triangular",
    "SUPPRESS_BOXES": "torchvision nms", "SVD": "linalg_svd", "REDUCE_XOR": "bitwise_xor over axes",
}  # fmt: skip
_SCIPY = {
    "BESSEL_I0": "i0", "BESSEL_I0E": "i0e", "BESSEL_I1": "i1", "BESSEL_I1E": "i1e",
    "BESSEL_J0": "j0", "BESSEL_J1": "j1", "BESSEL_K0": "k0", "BESSEL_K0E": "k0e",
    "BESSEL_K1": "k1", "BESSEL_K1E": "k1e", "BESSEL_Y0": "y0", "BESSEL_Y1": "y1",
    "BETAINC": "betainc", "DAWSN": "dawsn", "DIGAMMA": "psi", "ERFCX": "erfcx",
    "EXPINT": "expi", "FRESNEL_COS": "fresnel", "FRESNEL_SIN": "fresnel", "IGAMMA": "gammainc",
    "IGAMMAC": "gammaincc", "LGAMMA": "gammaln", "LOG_NDTR": "log_ndtr", "NDTRI": "ndtri",
    "SPENCE": "spence", "ZETA": "zeta",
}  # fmt: skip
_ONNXRUNTIME = {"GROUP_QUERY_ATTENTION": "GroupQueryAttention"}
STANDARD = {
    "v1": "the operator documents of NNAdapter",
    "v1.1": "the newest public header of NNAdapter, and what its drivers do",
}


SOURCES = {
    "ONNX": _ONNX,
    "onnxruntime's": _ONNXRUNTIME,
    "PyTorch's": _PYTORCH,
    "scipy.special's": _SCIPY,
}


def meaning_of(operator: Operator[Any], attribute: str) -> str:
    """The meaning, unit and accepted values of an attribute."""
    return ATTRIBUTES.get(f"{operator.name}.{attribute}") or ATTRIBUTES[attribute]


def source_of(operator: Operator[Any]) -> str:
    """What an operator is named and defined after."""
    if operator.since in STANDARD:
        return STANDARD[operator.since]
    for kind, names in SOURCES.items():
        if operator.name in names:
            return f"{kind} {names[operator.name]}"
    raise KeyError(operator.name)
