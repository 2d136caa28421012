"""ONNX Runtime's own mixtures of experts.

In halves its kernel writes over an input that is computed (docs/upstream_bugs): a constant is safe.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Tolerance, rand
from .microsoft_activation import MICROSOFT

CLOSE = Tolerance(relative=2e-5, absolute=2e-5)
"""Two products and the sum over experts, in another order."""


HALF = Tolerance(relative=4e-3, absolute=4e-3)
"""The same in float32, rounded to a half at the end."""


def case(*inputs: Any, why: str = "", raises: Any = None, **attrs: Any) -> Case:
    """A case of MoE."""
    tol = {"": CLOSE, "float16": HALF}
    return Case("MoE", inputs, attrs, tol, why=why, raises=raises, domain=MICROSOFT)


X, ROUTER = rand(5, 4), rand(5, 3, seed=9)
UP, DOWN = (rand(3, 6, 4), rand(3, 6)), (rand(3, 4, 6), rand(3, 4))
PAIRS = rand(3, 12, 4, seed=6), rand(3, 12, seed=7)
GATED: dict[str, Any] = {"activation_type": "swiglu", "swiglu_fusion": 1, "k": 2}
HALVES = tuple(x.astype(np.float16) for x in (X, ROUTER, *UP, *DOWN))
MIXED = [
    case(Const(HALVES[0]), *HALVES[1:], k=2),
    case(X, ROUTER, *UP, *DOWN),
    case(X, ROUTER, UP[0], None, DOWN[0], k=2, why="no biases"),
    case(X, ROUTER, *map(Const, (*UP, *DOWN)), k=3, why="all experts"),
    case(X[None], ROUTER, *UP, *DOWN, k=2, why="a batch"),
    case(X, np.ones((5, 3), np.float32), *UP, *DOWN, k=2, why="equal experts"),
    *(
        case(X, ROUTER, *UP, *DOWN, k=2, normalize_routing_weights=1, activation_type=name)
        for name in ("gelu", "identity", "relu", "silu")
    ),
    case(X, ROUTER, *PAIRS, *DOWN, **GATED),
    case(X, ROUTER, *PAIRS, *DOWN, activation_alpha=1.75, activation_beta=1.0, **GATED),
    case(X, ROUTER, *PAIRS, *DOWN, swiglu_limit=0.75, **GATED),
    case(X, ROUTER, *UP, *DOWN, activation_type="tanh", raises=Unsupported),
    case(X, ROUTER, *PAIRS, *DOWN, activation_type="swiglu", raises=Unsupported),
    case(X, ROUTER, *PAIRS, *DOWN, activation_type="swiglu", swiglu_fusion=2, raises=Unsupported),
    case(X, ROUTER, *UP, *DOWN, use_sparse_mixer=1, raises=Unsupported),
    case(X, ROUTER, *UP, *DOWN, UP[0], why="a third layer", raises=Unsupported),
    case(X, ROUTER, *UP, *DOWN, None, UP[1], why="a third bias", raises=Unsupported),
    case(X, ROUTER, *UP, *DOWN, k=0, raises=BadType),
]


WIDE, SIZE = rand(5, 32), 32
INTO, OUT = rand(3, 64, seed=3), rand(3, 32, seed=4)
ROUNDED = Tolerance(relative=2e-2, absolute=0.15)
"""ONNX Runtime rounds tokens to 8 bits where weights have 8, or `accuracy_level` lets it, which is
an error of a hundredth of the largest numbers; those are 20 here."""


def pack(seed: int, *sizes: int) -> Const:
    """Bytes of integers."""
    made = np.random.default_rng(seed).integers(0, 256, sizes)
    return Const(made.astype(np.uint8))


def scale(seed: int, bits: int, *sizes: int) -> Const:
    """Factors of integers of so many bits: at most 1 over their range."""
    return Const(rand(*sizes, seed=seed, low=0.1, high=1.0) / np.float32(2**bits))


def pieces(bits: int, block: int, *, shifted: bool = False, rows: int = 64) -> tuple[Any, ...]:
    """Weights, scales and zero points of both layers, and how they are kept."""
    each = (SIZE // block,) if block else ()
    layers = []
    for seed, count in ((1, rows), (2, 32)):
        held = 3, count, SIZE * bits // 8
        bytes_of_zeros = -(-(each or (count,))[0] * bits // 8)
        zeros = (3, *((count,) if block else ()), bytes_of_zeros)
        zero = pack(seed + 20, *zeros) if shifted else None
        layers.append((pack(seed, *held), scale(seed, bits, 3, count, *each), zero))
    how = {"expert_weight_bits": bits, **({"block_size": block} if block else {})}
    return (*layers, how)


def quantised(
    bits: int,
    block: int,
    *,
    shifted: bool = False,
    why: str = "",
    biased: bool = True,
    **attrs: Any,
) -> Case:
    """A case of QMoE."""
    rows = 64 if "swiglu_fusion" in attrs else 32
    (up, up_scale, up_zero), (down, down_scale, down_zero), how = pieces(
        bits, block, shifted=shifted, rows=rows
    )
    biases = (INTO[:, :rows], OUT) if biased else (None, None)
    rest = (None,) * 3 + (up_zero, down_zero) if shifted else ()
    inputs = WIDE, ROUTER, up, up_scale, biases[0], down, down_scale, biases[1], *rest
    tol = ROUNDED if (bits == 8 and block) or attrs.get("accuracy_level") == 4 else CLOSE
    attrs = {"k": 2, **how, **attrs}
    return Case("QMoE", inputs, attrs, tol, why=why, domain=MICROSOFT)


def refused(
    *, why: str = "", at: int | None = None, raises: Any = Unsupported, **attrs: Any
) -> Case:
    """A case of QMoE that is refused, maybe for what its input `at` is."""
    plain = quantised(4, 16, why=why, **attrs)
    inputs = list(plain.inputs)
    if at is not None:
        inputs += [None] * (at + 1 - len(inputs))
        inputs[at] = Const(np.ones(3, np.float32))
    return replace(plain, inputs=tuple(inputs), raises=raises)


ABSENT = {
    8: "a third layer",
    9: "scales of a third layer",
    10: "biases of a third layer",
    13: "zero points of a third layer",
    15: "a scale of all",
    16: "a second scale of all",
    17: "scales of tokens",
    18: "scales of tokens between",
    19: "scales of blocks of tokens",
    20: "scales of blocks between",
}
SWIGLU: dict[str, Any] = {"activation_type": "swiglu", "swiglu_fusion": 1}
WEIGHED = (None,) * 6 + (rand(5, 3, seed=11, low=0.1, high=1.0),)
QUANTISED = [
    *(
        quantised(bits, block, shifted=shifted, why=f"{bits} bits in blocks of {block}{end}")
        for bits in (2, 4, 8)
        for block in (0, 16)
        for shifted, end in ((False, ""), (True, ", zero points"))
    ),
    *(quantised(4, 16, activation_type=name) for name in ("gelu", "identity", "silu")),
    quantised(4, 16, biased=False, why="no biases of blocks"),
    quantised(4, 16, normalize_routing_weights=1),
    quantised(4, 32, **SWIGLU, activation_alpha=1.5, activation_beta=1.0, swiglu_limit=0.75),
    quantised(4, 16, accuracy_level=4, **SWIGLU),
    quantised(4, 16, weights_prepacked=0),
    quantised(4, 16, fc1_expert_weight_bits=4, fc2_expert_weight_bits=4, why="each layer its bits"),
    *(
        replace(case, inputs=(*case.inputs, *WEIGHED), why=f"weights beside scores, {share}")
        for share in (0, 1)
        for case in [quantised(4, 16, normalize_routing_weights=share)]
    ),
    *(refused(at=at, why=why) for at, why in ABSENT.items()),
    quantised(4, 16, fc3_expert_weight_bits=4, **SWIGLU),
    refused(fc3_expert_weight_bits=8, **SWIGLU),
    refused(quant_type="nvfp4"),
    refused(weights_prepacked=1),
    refused(activation_type="tanh"),
    refused(use_sparse_mixer=1),
    refused(swiglu_fusion=1),
    refused(k=0, raises=BadType),
    refused(block_size=24, raises=BadType),
    refused(block_size=0, raises=BadType),
    refused(at=11, why="too few zero points", raises=BadType),
    *(
        replace(case, inputs=(*case.inputs[:at], given, *case.inputs[at + 1 :]), raises=BadType)
        for at, given, why in (
            (11, pack(21, 4, 32, 1), "zero points of four experts"),
            (11, pack(21, 3, 16, 1), "zero points of fewer rows"),
            (3, scale(1, 4, 3, 64), "scales of blocks beside each other"),
            (3, scale(1, 4, 96, 2), "scales of all rows"),
            (2, pack(1, 96, 16), "weights of all rows"),
        )
        for case in [quantised(4, 16, shifted=True, why=why)]
    ),
    *(
        replace(case, inputs=(*case.inputs[:k], None, *case.inputs[k + 1 :]), raises=BadType)
        for k, why in ((3, "no scales"), (6, "no scales of the second layer"))
        for case in [quantised(4, 16, why=why)]
    ),
]
PLAIN = quantised(4, 16, why="weights beside scores")
QUANTISED += [replace(PLAIN, inputs=(*PLAIN.inputs, *WEIGHED))]
CASES = [*MIXED, *QUANTISED]
