"""What PyTorch, TensorFlow and Paddle have no defined answer for: tables of data."""

from __future__ import annotations

from .conditions import (
    always,
    any_nan,
    bfloat16_as_uint16,
    descending,
    edges_fall,
    empty,
    falls_short,
    far_apart,
    from_nothing,
    gappy,
    half,
    has_subnormals,
    has_ties,
    huge_integers,
    is_unchecked,
    large,
    negative,
    negative_float,
    no_steps,
    not_finite,
    not_initialised,
    odd_mean,
    odd_sums,
    of_high_degree,
    of_one_column,
    of_two_shapes,
    overflowing,
    reaches_out,
    reduces_all,
    tiny,
)
from .exclusion import Exclusion

TORCH: tuple[Exclusion, ...] = (
    Exclusion(
        (
            "aten.*conv*",
            "aten.*dropout*",
            "*grouped_mm*",
            "*trilinear*",
            "*_loss*",
            "*norm*",
            "*median*",
            "*pdist*",
            "*bincount*",
            "*histc*",
            "*addmv*",
        ),
        empty,
        "PyTorch's shortcut for empty inputs gives other shapes and types",
        "torch",
    ),
    Exclusion(
        ("*flash_attention*", "*scaled_dot*"), empty, "PyTorch does not check shapes", "torch"
    ),
    Exclusion(
        (
            *("*trapz*", "*trapezoid*", "*gradient*", "*upsample*", "*lstm*", "*histogram*"),
            *("*var_mean*", "*std_mean*", "*euclidean_dist*", "*cdist*", "*chain_matmul*"),
            *("*multi_dot*", "*trilinear*", "*grid_sampl*", "*stft*"),
        ),
        odd_sums,
        "where PyTorch's sums of infinities give NaN depends on its formula",
        "torch",
    ),
    Exclusion(
        ("aten.cosine_embedding_loss*", "*trapz*", "*trapezoid*", "*fake_quant*"),
        of_two_shapes,
        "PyTorch sums before it repeats what is shorter, or checks nothing",
        "torch",
    ),
    Exclusion(("*_norm*",), not_finite, "PyTorch's vectors and the rest of a row differ", "torch"),
    Exclusion(
        ("*max_pool*",), not_finite, "which of several NaN is the first is not said", "torch"
    ),
    Exclusion(("aten.mode*", "aten.unique*"), any_nan, "std::sort has no order with NaN", "torch"),
    Exclusion(("aten.topk*", "aten.kthvalue*"), has_ties, "equal elements have no order", "torch"),
    Exclusion(
        ("*trapz*", "*trapezoid*", "*ldexp*"), huge_integers, "integers overflow in C++", "torch"
    ),
    Exclusion(
        ("_operator.*", "torch.sym*"), huge_integers, "Python's integers have no end", "torch"
    ),
    Exclusion(
        ("aten.linalg_svd.*", "aten._linalg_svd.*", "aten.svd.*", "aten.*linalg_eig*.*"),
        always,
        "vectors have no sign, and eigenvalues no order",
        "torch",
    ),
    Exclusion(
        ("*scaled_dot*",), not_finite, "PyTorch's flash kernel gives 0, the other NaN", "torch"
    ),
    Exclusion(("*grouped_mm*",), falls_short, "rows behind the last offset are not set", "torch"),
    Exclusion(("*upsample*_aa*",), of_one_column, "PyTorch leaves out the other axis", "torch"),
    Exclusion(("*gradient*", "*addmv*"), overflowing, "overflows on the way", "torch"),
    Exclusion(("*_loss*",), huge_integers, "integers overflow in C++", "torch"),
    Exclusion(("aten.conv_tbc*",), not_finite, "whether padding is multiplied", "torch"),
    Exclusion(
        ("*fake_quant*", "*quantize_per*"),
        any_nan,
        "C++ leaves NaN as an integer undefined",
        "torch",
    ),
    Exclusion(("*histogram*",), edges_fall, "edges rise", "torch"),
    Exclusion(("*segment_reduce*",), reaches_out, "PyTorch does not check offsets", "torch"),
    Exclusion(("*polynomial*",), of_high_degree, "NaN gives what was there; sums cancel", "torch"),
    Exclusion(("*grouped_mm*",), descending, "PyTorch does not check that offsets rise", "torch"),
    Exclusion(("*_unsafe*", "aten._slow*"), always, "PyTorch does not check these", "torch"),
    Exclusion(
        ("*embedding_bag*",), descending, "PyTorch does not check that offsets rise", "torch"
    ),
    Exclusion(
        ("torchvision.*",), half, "the formulas of the oracle are written for float32", "torch"
    ),
)

TENSORFLOW: tuple[Exclusion, ...] = (
    Exclusion(("*",), has_subnormals, "TensorFlow takes them for zero", "tensorflow"),
    Exclusion(
        ("Conv*", "Depthwise*", "FusedBatchNorm*", "Matrix*", "DynamicPartition"),
        empty,
        "TensorFlow's kernels do not look after empty inputs here",
        "tensorflow",
    ),
    Exclusion(("UnravelIndex",), negative, "TensorFlow does not look at it", "tensorflow"),
    Exclusion(
        (
            *("Dilation2D", "SparseMatMul", "MaxPool*", "*SegmentM*", "RGBToHSV", "HSVToRGB"),
            *("AdjustHue*", "AdjustSaturation*", "CTC*", "Resize*", "CropAndResize"),
            *("ScaleAndTranslate", "ClipByValue", "LinSpace", "QuantizeAndDequantize*"),
            *("*ScatterM*", "*ScatterNdM*", "AudioSpectrogram", "TopK*", "Arg*", "NthElement"),
            *("CumulativeLogsumexp", "Erf"),
        ),
        not_finite,
        "TensorFlow's kernels lose NaN by the place in a vector, or where infinities cancel",
        "tensorflow",
    ),
    Exclusion(("*FFT*",), from_nothing, "TensorFlow reads what is not there", "tensorflow"),
    Exclusion(
        ("Adjust*", "RGBToHSV", "HSVToRGB"),
        negative_float,
        "colours are not negative",
        "tensorflow",
    ),
    Exclusion(("Combined*",), has_ties, "equal scores have no order", "tensorflow"),
    Exclusion(("TopK*",), has_ties, "what is not sorted has no order", "tensorflow"),
    Exclusion(("Mfcc",), negative_float, "no power is negative", "tensorflow"),
    Exclusion(("BlockLSTM*",), no_steps, "results past the last step are not set", "tensorflow"),
    Exclusion(
        ("Bessel*", "Igamma*"), tiny, "Eigen takes the smallest numbers for zero", "tensorflow"
    ),
    Exclusion(("Fresnel*", "Zeta", "Polygamma"), large, "overflows on the way", "tensorflow"),
    Exclusion(("Mean",), odd_mean, "0 / 0 of complex numbers", "tensorflow"),
    Exclusion(("Empty",), not_initialised, "what is in it is not said", "tensorflow"),
)

PADDLE: tuple[Exclusion, ...] = (
    Exclusion(("*",), bfloat16_as_uint16, "Paddle takes uint16 for bfloat16", "paddle"),
    Exclusion(
        ("*relu*", "maxout", "*max*", "*min*", "*clip*", "softshrink", "hard*", "brelu", "*shrink"),
        not_finite,
        "Paddle's kernels lose NaN, by the length of the vector",
        "paddle",
    ),
    Exclusion(
        ("*softmax*", "*cross_entropy*"), far_apart, "Paddle's CPU kernel clips at -64", "paddle"
    ),
    Exclusion(
        ("*_pool*",),
        has_ties,
        "equal elements have no order",
        "paddle-legacy",
    ),
    Exclusion(("*",), is_unchecked, "Paddle does not look at empty inputs here", "paddle-legacy"),
    Exclusion(
        ("bernoulli", "maxout"),
        always,
        "Paddle checks no numbers here",
        "paddle-legacy",
    ),
    Exclusion(
        ("top_k*", "topk*", "kthvalue", "mode", "argsort", "searchsorted"),
        has_ties,
        "equal elements have no order",
        "paddle",
    ),
    Exclusion(
        (
            *("*nms*", "*proposals*", "roi_*", "prior_box", "gather_tree", "yolo_box", "fused_*"),
            "ctc_align",
        ),
        always,
        "Paddle checks neither boxes, positions, lengths nor shapes",
        "paddle",
    ),
    Exclusion(("atan2",), of_two_shapes, "Paddle does not broadcast, nor check", "paddle"),
    Exclusion(
        ("fmax", "fmin", "copysign", "*pow*", "batch_fc", "matmul*", "gemm*"),
        huge_integers,
        "Paddle computes these in floats",
        "paddle",
    ),
    Exclusion(("*conv*", "swiglu"), empty, "Paddle's shortcut for empty inputs", "paddle"),
    Exclusion(
        (
            "*quantize*",
            "moving_average*",
            "full_batch_size_like",
            "send_*",
            "segment_*",
            *("bincount", "histogram", "*pool*", "add*mm*", "*_fc*", "*loss*", "cross_entropy*"),
        ),
        empty,
        "Paddle's shortcut for empty inputs gives other shapes and types",
        "paddle",
    ),
    Exclusion(
        ("*embedding*", "lookup_table*"),
        negative,
        "a position is not negative: where Paddle sees it, it fails",
        "paddle",
    ),
    Exclusion(
        (
            *("*_norm*", "*rnn", "*gru*", "*lstm*", "*interp*", "viterbi*", "put_along*"),
            *("logsigmoid", "multi_dot", "*attention*", "*attn*", "unique*", "*logsumexp*"),
            *("logcumsumexp", "row_conv", "*pool*", "lrn"),
        ),
        not_finite,
        "Paddle's kernels lose NaN, or multiply by the zeros of a mask",
        "paddle",
    ),
    Exclusion(("viterbi*", "*gru*", "*median*"), overflowing, "overflows on the way", "paddle"),
    Exclusion(("erfinv*", "lgamma*"), tiny, "the smallest numbers count as zero", "paddle"),
    Exclusion(("*",), has_subnormals, "Paddle takes them for zero", "paddle"),
    Exclusion(("reduce_am*",), reduces_all, "Paddle leaves what it takes for results", "paddle"),
    Exclusion(("unique*",), gappy, "results that are not asked for are left out", "paddle"),
    Exclusion(("eig", "eigvals"), always, "eigenvalues have no order", "paddle"),
)
