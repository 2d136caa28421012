"""How a node of opset 21 is written in an older operator set.

`write_older` answers for one node. A form that an older set has not raises NoLowering, so that the
operation is decomposed into others where it can be.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from nnir.errors import NoLowering, Unsupported
from nnir.types import Precision, precision_of

from .proto import Attributes

OLDEST, NEWEST = 13, 25
"""The operator sets that files are written for."""

NEWEST_FORM = 21
"""The operator set whose forms lowerings write, unless they ask for a newer one."""

IR_VERSIONS = {13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10} | {
    23: 11,
    24: 12,
    25: 13,
}
"""The version of the file format that came with an operator set."""

SINCE = {
    **dict.fromkeys(("HardSwish", "Trilu"), 14),
    **dict.fromkeys(("Bernoulli", "CastLike"), 15),
    "GridSample": 16,
    **dict.fromkeys(("LayerNormalization", "DFT", "STFT", "MelWeightMatrix"), 17),
    **dict.fromkeys(("BlackmanWindow", "HammingWindow", "HannWindow"), 17),
    **dict.fromkeys(("BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor"), 18),
    **dict.fromkeys(("CenterCropPad", "Col2Im", "Mish"), 18),
    "DeformConv": 19,
    **dict.fromkeys(("AffineGrid", "Gelu"), 20),
    "GroupNormalization": 21,
}
"""Operators that older sets have not, or not with the same meaning."""

Node = tuple[list[str], Attributes]
"""The names of the inputs and the attributes."""

Known = Mapping[str, np.ndarray]
"""Small initializers by name."""


def check_opset(opset: int) -> None:
    """Unsupported for an operator set that no file is written for."""
    if not OLDEST <= opset <= NEWEST:
        raise Unsupported(f"opset {opset}: .onnx is written for opset {OLDEST} to {NEWEST}")


def ir_version(opset: int) -> int:
    """The version of the file format for an operator set."""
    return IR_VERSIONS.get(opset, IR_VERSIONS[NEWEST])


@cache
def types() -> dict[str, list[dict[Precision, int]]]:
    """By operator and input, the element types that only newer sets take; from `make_types.py`."""
    data = json.loads(Path(__file__).with_name("types.json").read_text())
    return {
        op: [{Precision[name]: since for name, since in row.items()} for row in rows]
        for op, rows in data["since"].items()
    }


def missing(op: str, position: int, opset: int) -> dict[Precision, int]:
    """The element types that an input has not yet, with the sets that add them.

    The last input of an operator stands for all that follow.
    """
    rows = types().get(op)
    row = rows[min(position, len(rows) - 1)] if rows else {}
    return {p: since for p, since in row.items() if since > opset}


def check_types(op: str, given: Sequence[Precision | None], opset: int) -> None:
    """NoLowering for operands of types that the operator takes in newer sets only."""
    for position, precision in enumerate(given):
        if precision is None:
            continue
        stored = precision_of(precision.dtype)  # a quantised type is stored as its integers
        if since := missing(op, position, opset).get(stored):
            raise NoLowering(f"{op} of {stored.name} needs opset {since}, not {opset}")


def write_older(
    op: str,
    inputs: list[str],
    attributes: Attributes,
    given: Sequence[Precision | None],
    opset: int,
    known: Known,
) -> Node:
    """A node whose operands have the precisions `given` as `opset` has it.

    NoLowering where that has no such form.
    """
    if SINCE.get(op, 0) > opset:
        raise NoLowering(f"{op} needs opset {SINCE[op]}, not {opset}")
    check_types(op, given, opset)
    for before, rule in RULES.get(op, ()):
        if opset < before:
            inputs, attributes = rule(op, inputs, dict(attributes), known)
    return inputs, attributes


def lowest(
    op: str,
    inputs: list[str],
    attributes: Attributes,
    given: Sequence[Precision | None],
    known: Known,
    start: int,
) -> int:
    """The lowest operator set from `start` on that has a node; 21 at most: nodes are of its form
    or need a newer set by themselves."""
    for opset in range(start, NEWEST_FORM):
        try:
            write_older(op, list(inputs), dict(attributes), given, opset, known)
        except NoLowering:
            continue
        return opset
    return max(start, NEWEST_FORM)


def _axes_attribute(op: str, inputs: list[str], attributes: Attributes, known: Known) -> Node:
    """Axes were an attribute of reductions."""
    if len(inputs) < 2:
        return inputs, attributes
    if inputs[1] not in known:
        raise NoLowering(f"{op} with computed axes needs opset 18")
    axes = known[inputs[1]].reshape(-1).tolist()
    if axes or not attributes.pop("noop_with_empty_axes", 0):
        return inputs[:1], {**attributes, **({"axes": axes} if axes else {})}
    raise NoLowering(f"{op} over no axes needs opset 18")


def _axis_attribute(op: str, inputs: list[str], attributes: Attributes, known: Known) -> Node:
    """The axis of a DFT was an attribute."""
    if len(inputs) < 3:
        return inputs, attributes
    if inputs[2] not in known:
        raise NoLowering(f"{op} with a computed axis needs opset 20")
    kept = [name for name in inputs[:2] if name]
    return kept, {**attributes, "axis": int(known[inputs[2]].reshape(-1)[0])}


def _no_zero(op: str, inputs: list[str], attributes: Attributes, known: Known) -> Node:
    """A 0 in the shape of RESHAPE copied a size, without a choice."""
    shape = known.get(inputs[1])
    if attributes.pop("allowzero", 0) and (shape is None or not np.all(shape)):
        raise NoLowering(f"{op} to a shape that may have a 0 needs opset 14")
    return inputs, attributes


def _old_modes(op: str, inputs: list[str], attributes: Attributes, known: Known) -> Node:
    """The modes of GridSample had other names."""
    names = {"linear": "bilinear", "cubic": "bicubic"}
    mode = str(attributes["mode"])
    return inputs, {**attributes, "mode": names.get(mode, mode)}


def _needs(opset: int, **defaults: Any) -> tuple[int, Callable[..., Node]]:
    """Attributes that came with an opset: left out where they have their default."""

    def rule(op: str, inputs: list[str], attributes: Attributes, known: Known) -> Node:
        for name, default in defaults.items():
            given = attributes.pop(name, default)
            plain = all(v == 1 for v in given) if default == [1] else given == default
            if not plain:
                raise NoLowering(f"{op} with {name}={given!r} needs opset {opset}")
        return inputs, attributes

    return opset, rule


def _allows(opset: int, name: str, *values: str) -> tuple[int, Callable[..., Node]]:
    """Values of an attribute that an older set knows."""

    def rule(op: str, inputs: list[str], attributes: Attributes, known: Known) -> Node:
        if attributes.get(name, values[0]) not in values:
            raise NoLowering(f"{op} with {name}={attributes[name]!r} needs opset {opset}")
        return inputs, attributes

    return opset, rule


def _all_axes(op: str, inputs: list[str], attributes: Attributes, known: Known) -> Node:
    """Pad always took all axes in order."""
    named = [known.get(name) for name in inputs[3:]]
    if all(axes is not None and np.array_equal(axes, np.arange(axes.size)) for axes in named):
        kept = inputs[:3] if inputs[2:3] != [""] else inputs[:2]
        return kept, attributes
    raise NoLowering(f"{op} of some axes needs opset 18")


def _equal_parts(op: str, inputs: list[str], attributes: Attributes, known: Known) -> Node:
    """Without sizes, Split made as many equal parts as it had outputs."""
    attributes.pop("num_outputs", None)
    return inputs, attributes


REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare")
RULES: dict[str, list[tuple[int, Callable[..., Node]]]] = {
    **{f"Reduce{kind}": [(18, _axes_attribute)] for kind in REDUCTIONS},
    **{name: [_needs(14, layout=0)] for name in ("GRU", "LSTM", "RNN")},
    **{
        name: [_allows(18, "reduction", "none", "add", "mul"), _needs(16, reduction="none")]
        for name in ("ScatterElements", "ScatterND")
    },
    "AveragePool": [_needs(19, dilations=[1])],
    "BatchNormalization": [_needs(14, training_mode=0)],
    "Cast": [_needs(19, saturate=1)],
    "DFT": [(20, _axis_attribute)],
    "DequantizeLinear": [_needs(21, block_size=0)],
    "GridSample": [(20, _old_modes)],
    "LpPool": [_needs(18, ceil_mode=0, dilations=[1])],
    "Pad": [(18, _all_axes), _allows(19, "mode", "constant", "reflect", "edge")],
    "QuantizeLinear": [
        _needs(21, block_size=0, output_dtype=0),
        _needs(19, saturate=1),
    ],
    "Reshape": [(14, _no_zero)],
    "Resize": [
        _needs(18, antialias=0, axes=None, keep_aspect_ratio_policy="stretch"),
        _allows(
            19,
            "coordinate_transformation_mode",
            "half_pixel",
            "pytorch_half_pixel",
            "align_corners",
            "asymmetric",
            "tf_crop_and_resize",
        ),
    ],
    "RoiAlign": [_needs(16, coordinate_transformation_mode="output_half_pixel")],
    "Shape": [_needs(15, start=0, end=None)],
    "Split": [(18, _equal_parts)],
}
"""What changed, with the opset that changed it: the newest change first."""
