"""NNAPI's operations as their origins have them: operators of TensorFlow Lite, or formulas.

LiteRT has no explicit padding: the border is added before, and for means their share of it is
divided out. LiteRT's states begin with zeros, so recurrent layers are asked as formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..case import Case, Const
from ..oracles.oracle import Oracle
from .tflite import Scaled, array_of, ask_litert

FUSED = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")
PADDINGS = ("VALID", "SAME", "VALID")
LITERT, TORCH = "LiteRT", "PyTorch"
Results = list[np.ndarray]
Twin = Callable[["Asking", Case], Results]


class Asking:
    """Asks the origins one operator at a time."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle

    def litert(
        self, op: str, inputs: Sequence[Any], results: Sequence[Any] = (), **options: Any
    ) -> Results:
        """LiteRT's results; without `results` one of the type and scale of the first input."""
        first = inputs[0]
        if not results and isinstance(first, Scaled):
            results = [replace(first, array=np.empty(0, np.uint8))]
        given = Case(op, tuple(inputs), options, results=tuple(results))
        return ask_litert(given, self.oracle)[1]

    def formula(self, case: Case, names: Sequence[str]) -> Results:
        """PyTorch's results in float64, rounded once."""
        pairs = [(n, array_of(a)) for n, a in zip(names, case.inputs, strict=True) if a is not None]
        head = {"formula": case.op, "names": [n for n, _ in pairs], "scalars": case.attrs}
        return self.oracle.ask(head, [np.asarray(a, np.float32) for _, a in pairs])


def name_activation(case: Case) -> dict[str, str]:
    """The activation by its name."""
    return {"fused_activation_function": FUSED[case.attrs.get("fuse_code", 0)]}


def same(op: str, *kept: str) -> Twin:
    """The same operands; `kept` are options by the same names."""

    def ask(origin: Asking, case: Case) -> Results:
        options = {k: case.attrs[k] for k in kept}
        if "fuse_code" in case.attrs:
            options |= name_activation(case)
        return origin.litert(op, case.inputs, case.results, **options)

    return ask


def strides(case: Case) -> dict[str, int]:
    """The steps by their names."""
    return {"stride_w": case.attrs["stride_width"], "stride_h": case.attrs["stride_height"]}


def add_border(given: Any, case: Case, value: float) -> Any:
    """An image with the explicit padding of a case."""
    a = case.attrs
    pads = [(0, 0), (a["padding_top"], a["padding_bottom"])]
    pads += [(a["padding_left"], a["padding_right"]), (0, 0)]
    wide = np.pad(array_of(given), pads, constant_values=value)
    return replace(given, array=wide) if isinstance(given, Scaled) else wide


def is_explicit(case: Case) -> bool:
    """Whether the padding is."""
    return "padding_scheme" not in case.attrs


def convolve(op: str, *kept: str) -> Twin:
    """Convolutions."""

    def ask(origin: Asking, case: Case) -> Results:
        options: dict[str, Any] = {**strides(case), **name_activation(case)}
        options |= {k: case.attrs[k] for k in kept}
        first, *rest = case.inputs
        if is_explicit(case):
            zero = grid_of(first)[1] if isinstance(first, Scaled) else 0
            first, options["padding"] = add_border(first, case, zero), "VALID"
        else:
            options["padding"] = PADDINGS[case.attrs["padding_scheme"]]
        return origin.litert(op, [first, *rest], case.results, **options)

    return ask


def window(case: Case) -> dict[str, int]:
    """The steps and sizes of a pool."""
    names = ("filter_width", "filter_height")
    return {**strides(case), **{n: case.attrs[n] for n in names}}


def pool(origin: Asking, case: Case) -> Results:
    """Pools without explicit padding, and the largest elements with it."""
    (x,) = case.inputs
    options: dict[str, Any] = {**window(case), **name_activation(case)}
    if is_explicit(case):
        lowest = 0 if isinstance(x, Scaled) else -np.inf
        x, options["padding"] = add_border(x, case, lowest), "VALID"
    else:
        options["padding"] = PADDINGS[case.attrs["padding_scheme"]]
    return origin.litert(case.op, [x], case.results, **options)


def average(origin: Asking, case: Case) -> Results:
    """The mean of a bordered image, by the mean of a bordered image of ones."""
    if not is_explicit(case):
        return pool(origin, case)
    (x,) = case.inputs
    real = reals(x)
    options: dict[str, Any] = {**window(case), "padding": "VALID"}
    (sums,), (counts,) = (
        origin.litert("AVERAGE_POOL_2D", [add_border(a, case, 0)], **options)
        for a in (real, np.ones_like(real))
    )
    return [back(clip(sums / counts, case), x)]


def root_mean_square(origin: Asking, case: Case) -> Results:
    """Explicitly padded, the root of a mean of squares."""
    if not is_explicit(case):
        return pool(origin, case)
    squares = replace(case, inputs=(case.inputs[0] ** 2,), attrs={**case.attrs, "fuse_code": 0})
    return [clip(np.sqrt(average(origin, squares)[0]), case)]


def clip(x: np.ndarray, case: Case) -> np.ndarray:
    """The activation of a case."""
    low, high = ((-np.inf, np.inf), (0, np.inf), (-1, 1), (0, 6))[case.attrs.get("fuse_code", 0)]
    return np.clip(x, np.float32(low), np.float32(high))


def grid_of(given: Scaled) -> tuple[float, int]:
    """The one scale and zero point of a tensor."""
    return np.array(given.scale, float).item(), np.array(given.zero_point, int).item()


def reals(given: Any) -> np.ndarray:
    """What integers stand for."""
    if not isinstance(given, Scaled):
        return array_of(given)
    scale, zero = grid_of(given)
    return np.asarray((given.array.astype(np.float32) - np.float32(zero)) * np.float32(scale))


def back(real: np.ndarray, like: Any) -> np.ndarray:
    """Real numbers as integers of the scale that an operand has."""
    if not isinstance(like, Scaled):
        return real
    scale, zero = grid_of(like)
    steps = np.rint(real / np.float32(scale)) + zero
    return np.clip(steps, 0, 255).astype(np.uint8)


def dense(origin: Asking, case: Case) -> Results:
    """Rows of the weights."""
    options = {**name_activation(case), "weights_format": "DEFAULT", "keep_num_dims": False}
    return origin.litert("FULLY_CONNECTED", case.inputs, case.results, **options)


def reshape(origin: Asking, case: Case) -> Results:
    """To known sizes."""
    wanted = array_of(case.inputs[1])
    (x,) = origin.litert("RESHAPE", [case.inputs[0], Const(wanted)], case.results)
    return [x]


def resize(origin: Asking, case: Case) -> Results:
    """From the corner 0."""
    size = Const(np.array([case.attrs["new_height"], case.attrs["new_width"]], np.int32))
    options: dict[str, Any] = {"align_corners": False, "half_pixel_centers": False}
    return origin.litert("RESIZE_BILINEAR", [*case.inputs, size], **options)


def look_up(origin: Asking, case: Case) -> Results:
    """Rows by number."""
    kind = case.results or (array_of(case.inputs[1]).dtype.type,)
    return origin.litert("EMBEDDING_LOOKUP", case.inputs, kind)


def look_up_keys(origin: Asking, case: Case) -> Results:
    """Rows by key."""
    table = array_of(case.inputs[2])
    kinds = (table.dtype.type, np.uint8)
    return origin.litert("HASHTABLE_LOOKUP", case.inputs, kinds)


def project(origin: Asking, case: Case) -> Results:
    """Bits by hashes."""
    given = [a for a in case.inputs if a is not None]
    return origin.litert("LSH_PROJECTION", given, (np.int32,), type=case.attrs["type"])


def formula(*names: str) -> Twin:
    """PyTorch, with operands by their names."""

    def ask(origin: Asking, case: Case) -> Results:
        return origin.formula(case, names)

    return ask


GATES = ("input", "forget", "cell", "output")
CELL = (
    "input",
    *(f"{a}_to_{g}_weights" for a in ("input", "recurrent") for g in GATES),
    *(f"cell_to_{g}_weights" for g in GATES if g != "cell"),
    *("input_gate_bias", "forget_gate_bias", "cell_bias", "output_gate_bias"),
    *("projection_weights", "projection_bias", "output_state_in", "cell_state_in"),
)
TWINS: dict[str, Twin] = {
    "ADD": same("ADD"),
    "AVERAGE_POOL_2D": average,
    "CONCATENATION": same("CONCATENATION", "axis"),
    "CONV_2D": convolve("CONV_2D"),
    "DEPTHWISE_CONV_2D": convolve("DEPTHWISE_CONV_2D", "depth_multiplier"),
    "DEPTH_TO_SPACE": same("DEPTH_TO_SPACE", "block_size"),
    "DEQUANTIZE": same("DEQUANTIZE"),
    "EMBEDDING_LOOKUP": look_up,
    "FLOOR": same("FLOOR"),
    "FULLY_CONNECTED": dense,
    "HASHTABLE_LOOKUP": look_up_keys,
    "L2_NORMALIZATION": same("L2_NORMALIZATION"),
    "L2_POOL_2D": root_mean_square,
    "LOCAL_RESPONSE_NORMALIZATION": same(
        "LOCAL_RESPONSE_NORMALIZATION", "radius", "bias", "alpha", "beta"
    ),
    "LOGISTIC": same("LOGISTIC"),
    "LSH_PROJECTION": project,
    "LSTM": formula(*CELL),
    "MAX_POOL_2D": pool,
    "MUL": same("MUL"),
    "RELU": same("RELU"),
    "RELU1": same("RELU_N1_TO_1"),
    "RELU6": same("RELU6"),
    "RESHAPE": reshape,
    "RESIZE_BILINEAR": resize,
    "RNN": formula("input", "weights", "recurrent_weights", "bias", "hidden_state_in"),
    "SOFTMAX": same("SOFTMAX", "beta"),
    "SPACE_TO_DEPTH": same("SPACE_TO_DEPTH", "block_size"),
    "SVDF": formula("input", "weights_feature", "weights_time", "bias", "state_in"),
    "TANH": same("TANH"),
}
ORIGINS = {op: TORCH if op in ("LSTM", "RNN", "SVDF") else LITERT for op in TWINS}
"""Who answers for an operation."""
