"""What of PyTorch's operator samples is not passed, and why. A gap that nothing shows must go."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class OpGap:
    """Operators (a regular expression over whole names) that fail on a device, for some types.

    `campaign`: "special" for inputs with NaN, infinities and the like, "dynamic" for programs of
    open sizes. `wrong`: the numbers differ, which needs a reason why ours are no worse.
    """

    ops: str
    why: str
    dtypes: tuple[str, ...] = ("float32",)
    device: str = "builtin"
    campaign: str = ""
    wrong: bool = False


EVERY = ("float32", "float64", "float16", "bfloat16", "int64", "bool")
TIES = "which of equal elements comes first is not specified"
STEPS = "PyTorch rounds every step to 16 bits, ours the result"
SPECIAL = (
    (r"bmm|baddbmm", "overflow depends on the order of a sum"),
    (r"_upsample_bilinear2d_aa", "infinity times the zeros of dense weights"),
    (r"nn\.functional\.grid_sample|grid_sampler_2d", "coordinates that are not finite"),
    (r"nn\.functional\.max_pool3d", "PyTorch gives the position of the last NaN, not of the first"),
    (
        r"topk|kthvalue|sort|argsort|msort|mode",
        "the order of equal elements and of NaN is not specified",
    ),
    (r"bucketize|searchsorted", "NaN among the boundaries: they are not in order"),
    (r"fft\..*|stft|istft", "infinities and overflow within a transform depend on its algorithm"),
    (
        r"(var|std)(_mean)?(/unbiased)?|sum_to_size|gradient",
        "inf - inf depends on the order of a sum",
    ),
    (r"nn\.functional\.(hardswish|gelu)", "PyTorch overflows at the largest number"),
    (r"igammac?", "PyTorch gives NaN at the largest number"),
    (
        r"special\.(chebyshev|shifted_chebyshev|hermite|laguerre|legendre).*",
        "PyTorch's recurrence overflows in float32, ours is computed in float64",
    ),
    (
        r"lu(_.*)?|ormqr|triangular_solve|linalg\.(det|slogdet|householder_product|ldl.*|lu.*)|logdet",
        "NaN and infinities in factorisations are not specified",
    ),
)
NOT_FINITE = (
    (
        r"linalg\.(cond|matrix_rank|svdvals|cholesky_ex|eigvals)|norm/nuc",
        "a matrix that is not finite, as LAPACK says",
    ),
)
DYNAMIC = (
    (r"lu_unpack|lu_solve|nn\.functional\.pdist", "sizes that must be known"),
    (
        r"linalg\.(lu|lu_solve|householder_product|tensorinv|tensorsolve|vander)",
        "sizes that must be known",
    ),
    (r"cholesky_inverse|linalg\.matrix_power", "an identity of open size"),
    (r"_chunk_cat", "padding that depends on open sizes"),
    (r"nn\.functional\.avg_pool[23]d", "ceil_mode with a divisor and open sizes"),
    (r"nn\.functional\.scaled_dot_product_attention", "an open head size without a scale"),
    (r"_native_batch_norm_legit|_batch_norm_with_update", "statistics of open sizes"),
    (r"nn\.functional\.adaptive_avg_pool[23]d", "an open output size"),
    (r"nn\.functional\.(adaptive_max_pool3d|fractional_max_pool2d)", "bins of open sizes"),
)
HALF = ("float16", "bfloat16")
HALVES = (
    r"log_softmax|logit|special\.ndtr|grid_sampler_2d|"
    r"nn\.functional\.(conv_transpose3d|grid_sample|instance_norm|scaled_dot_product_attention)"
)
GAPS: tuple[OpGap, ...] = (
    OpGap(r"nn\.functional\.rrelu", "training draws random numbers", EVERY),
    OpGap(
        r"nn\.functional\.(multi_head_attention_forward|scaled_dot_product_attention)",
        "dropout in training",
        EVERY,
    ),
    OpGap(
        r"nn\.functional\.fractional_max_pool3d", "PyTorch draws random samples", EVERY, wrong=True
    ),
    OpGap(r"_upsample_bilinear2d_aa", "an antialiased resize with align_corners", EVERY),
    OpGap(r"kthvalue|topk|sort|argsort|msort", TIES, ("int64", *HALF, "bool"), wrong=True),
    OpGap(HALVES, STEPS, HALF, wrong=True),
    OpGap(r"matrix_exp", "PyTorch's own is infinite for small matrices", ("float16",)),
    OpGap(
        r"nn\.functional\.(avg_pool[123]d|local_response_norm|conv_transpose[123]d)",
        "averages and transposed convolutions of integers",
        ("int64",),
    ),
    *(OpGap(ops, why, campaign="special", wrong=True) for ops, why in SPECIAL),
    *(OpGap(ops, why, campaign="special") for ops, why in NOT_FINITE),
    *(OpGap(ops, why, campaign="dynamic") for ops, why in DYNAMIC),
)


def gap(op: str, device: str, dtype: str, campaign: str = "") -> OpGap | None:
    """The gap that covers an operator; one of wrong numbers first."""
    found = [
        known
        for known in GAPS
        if known.device == device
        and dtype in known.dtypes
        and known.campaign in ("", campaign)
        and re.fullmatch(known.ops, op)
    ]
    return max(found, key=lambda g: g.wrong, default=None)
