"""What is otherwise with or without AVX-512 or VNNI, or by chance, and is not tried."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path

WIDE = "avx512f"
SUMMING = ("avx512_vnni", "avx_vnni")
"""Any of them adds products of two bytes in 32 bits."""

ORIGINS: Mapping[tuple[str, str], str] = {
    ("paddle", "fused_bias_residual_layernorm"): "Paddle's kernel ends with SIGILL",
    ("paddle", "fused_rms_norm_quant"): "Paddle's kernel ends with SIGILL",
    ("paddle", "self_dp_attention"): "Paddle's kernel ends with SIGILL",
}
"""By frontend and operator."""

DEVICES: Mapping[tuple[str, str], str] = dict.fromkeys(
    [
        ("openvino", "MOD-float32-float32, {}"),
        ("openvino", "MOD-float32-float32, {'fmod': True}"),
        ("openvino", "MOD-float32-every pair of float32"),
        ("openvino", "MOD-float32-fmod of float32"),
        ("openvino", "MOD-float32-not finite of float32"),
        ("openvino", "FloorMod-float32-floats"),
        ("openvino", "FloorMod-float32-floats, (1,) by (4, -4, 1, -1)"),
        ("openvino", "TruncateMod-float32-floats, (1,) by (4, -4, 1, -1)"),
        ("openvino", "FLOOR_MOD-float32-broadcast"),
        ("openvino", "FLOOR_MOD-float32-a negative divisor"),
    ],
    "OpenVINO's remainder of floats fails",
) | dict.fromkeys(
    [
        ("openvino", "aten.mul.Scalar-bfloat16-a number that is no bfloat16"),
        ("openvino", "aten.div.Scalar-bfloat16-a number that is no bfloat16"),
        ("openvino", "aten.cross_entropy_loss.default-bfloat16-scores of a narrower type"),
        ("openvino", "DIV-bfloat16-bfloat16 at its ends"),
        ("openvino", "DIV-bfloat16-bfloat16 by constants"),
        ("openvino", "EINSUM-bfloat16-narrow"),
    ],
    "OpenVINO truncates",
)
"""By device and case; where it truncates, bfloat16 is made of float32 without rounding."""

SUMS: frozenset[tuple[str, str]] = frozenset(
    [
        ("onnx", "QLinearConv"),
        *(
            ("onnx", f"com.microsoft::{name}")
            for name in (
                "DynamicQuantizeLSTM",
                "DynamicQuantizeMatMul",
                "MatMulIntegerToFloat",
                "QAttention",
                "QGemm",
                "QLinearConv",
            )
        ),
    ]
)
"""By frontend and operator: whose origin is wrong where its sums saturate."""

DEVICE_SUMS: frozenset[tuple[str, str]] = frozenset(
    ("onnxruntime", f"CONV_2D-uint8-on integers, {how}")
    for how in (
        "per channel",
        "depthwise, RELU6",
        "per layer, RELU",
        "padded to the same size",
    )
)
"""By device and case."""

BUGS: Mapping[str, str] = {
    "openvino_gate_behind_attention": "OpenVINO's kernel with AVX-512 is right",
    "openvino_one_channel_of_cubes": "OpenVINO's kernel with AVX-512 is right",
}
"""By program in docs/upstream_bugs: what only processors without AVX-512 show."""

WIDE_DEVICES: Mapping[tuple[str, str], str] = dict.fromkeys(
    [
        ("torch", f"GELU-{kind}-not finite, approximate 0 of {kind}")
        for kind in ("float32", "float16", "bfloat16")
    ],
    "PyTorch's GELU of infinity is NaN",
)
"""By device and case: what is wrong with AVX-512 (docs/upstream_bugs/torch_gelu_of_infinity.py)."""


CHANCE: Mapping[tuple[str, str], str] = {
    ("openvino", "scatter-float32-the last one stays"): (
        "OpenVINO writes to equal positions at once: which of them stays is chance"
    ),
}
"""By device and case: what passes or not by chance, on any processor."""


def lacking(frontend: str, op: str, case: str, device: str) -> str | None:
    """Why a case says nothing here; None where it says something."""
    if chance := CHANCE.get((device, case)):
        return chance
    if saturates() and ((frontend, op) in SUMS or (device, case) in DEVICE_SUMS):
        return "this processor has no VNNI: ONNX Runtime's sums of products of bytes saturate there"
    if (why := WIDE_DEVICES.get((device, case))) and has(WIDE):
        return f"this processor has AVX-512: {why} there"
    why = ORIGINS.get((frontend, op)) or DEVICES.get((device, case))
    return f"this processor has no AVX-512, {why} there" if why and not has(WIDE) else None


def saturates() -> bool:
    """Whether ONNX Runtime adds products of UINT8 and INT8 in 16 bits here, where they saturate: by
    its own documentation, on x86 processors without instructions for such sums."""
    return platform.machine() in ("x86_64", "AMD64") and not any(map(has, SUMMING))


def kind() -> str:
    """Which kernels engines choose here: those of AVX-512, or of what is narrower."""
    return f"{platform.machine()}-{'wide' if has(WIDE) else 'narrow'}"


@cache
def has(feature: str) -> bool:
    """Whether this processor has a feature, by the name that Linux gives it; where Linux does not
    say, it is taken to have it."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return True
    lines = (line for line in path.read_text().splitlines() if line.startswith("flags"))
    return feature in next(lines, feature).split()
