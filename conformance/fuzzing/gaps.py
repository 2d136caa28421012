"""What engines are known to compute otherwise, by the values that they are given."""

from __future__ import annotations

from dataclasses import dataclass

from ..case import Case
from ..engines.engine import Answer
from .conditions import (
    above_8,
    any_nan,
    half,
    has_large_quotients,
    has_subnormals,
    is_clamped,
    large_states,
    not_finite,
    odd_bounds,
    overflowing,
)
from .exclusion import Condition, matches


@dataclass(frozen=True)
class Gap:
    """Examples on which devices differ, which neither a model nor a type shows."""

    devices: tuple[str, ...]
    ops: tuple[str, ...]
    when: Condition
    why: str


GAPS = (
    Gap(
        ("litert",),
        ("*",),
        has_subnormals,
        "XNNPACK tells the processor to take subnormal numbers for zero",
    ),
    Gap(
        ("onnxruntime",),
        ("quantized_decomposed.*",),
        half,
        "ONNX Runtime computes float16 in float32, and drops the rounding in front of a cast",
    ),
    Gap(
        ("onnxruntime",),
        ("*gru*", "*GRU*", "*rnn*", "*RNN*"),
        not_finite,
        "ONNX Runtime's cells lose NaN",
    ),
    Gap(
        ("onnxruntime",),
        ("*gru*", "*GRU*"),
        large_states,
        "ONNX Runtime's sigmoid is an approximation, by which the state is multiplied",
    ),
    Gap(
        ("onnxruntime",),
        ("*index_reduce*", "*scatter_reduce*", "*ScatterM*", "*ScatterNdM*", "put_along*"),
        any_nan,
        "ONNX Runtime's ScatterElements and ScatterND lose NaN with a reduction",
    ),
    Gap(
        ("openvino", "litert", "torch"),
        ("*MOD*", "*Mod*", "*mod*", "*remainder*"),
        has_large_quotients,
        "remainders lose digits, or are NaN, by what goes into a number more than 2**23 times",
    ),
    Gap(
        ("onnxruntime", "openvino"),
        ("Clip", "*clip*", "*clamp*", "RELU_*"),
        odd_bounds,
        "a bound that is NaN is none",
    ),
    Gap(
        ("litert",),
        ("*[Cc]onv*", "*[Pp]ool*", "*[Mm]at[Mm]ul*", "Gemm", "*mm*", "*linear*"),
        is_clamped,
        "activations that are none keep what is infinite at the largest number",
    ),
    Gap(("onnxruntime",), ("TopK",), any_nan, "the order of NaN depends on how many are wanted"),
    Gap(("onnxruntime", "openvino"), ("*[Uu]nique*",), any_nan, "all NaN are the same"),
    Gap(
        ("onnxruntime",),
        ("*SwiGLU", "*[Ss]wish*", "*silu*"),
        above_8,
        "ONNX Runtime's sigmoid is right to seven digits behind the point",
    ),
    Gap(
        ("torch", "openvino", "litert"),
        ("*[Gg]elu*", "*GELU*"),
        overflowing,
        "the engines multiply before they divide",
    ),
)


def is_gap(device: str, op: str, case: Case, answer: Answer) -> bool:
    """Whether a device is known to differ on an example of an operator."""
    return any(
        device in gap.devices and matches(gap.ops, op) and gap.when(case, answer) for gap in GAPS
    )
