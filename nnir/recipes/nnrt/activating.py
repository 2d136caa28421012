"""What many operations of NNRt do to their operands and results."""

from __future__ import annotations

from ...errors import BadType
from ...formats.nnrt.enums import FuseType, member
from ...model import Value
from ...ops import activation
from ..promotion import promote_types


def activate(x: Value, activation_type: int) -> Value:
    """The activation of a fuse type on a result."""
    match member(FuseType, activation_type):
        case FuseType.NONE:
            return x
        case FuseType.RELU:
            return activation.relu(x)
        case FuseType.RELU6:
            return activation.relu6(x)


def promote(a: Value, b: Value) -> tuple[Value, Value]:
    """Both operands in the wider of their types."""
    wide = promote_types(a.precision, b.precision)
    return a.cast(wide), b.cast(wide)


def choose_pads(pad_mode: int | None, pad_list: tuple[int, ...] | None) -> str:
    """The name of a padding: padMode 0 is SAME, 1 VALID; without either nothing is padded."""
    if pad_mode is not None and pad_list is not None:
        raise BadType("padMode and padList: one of them is accepted")
    if pad_list is not None:
        if min(pad_list) < 0:
            raise BadType(f"padList={list(pad_list)}: 0 or more is accepted")
        return "EXPLICIT"
    if pad_mode not in (None, 0, 1):
        raise BadType(f"padMode={pad_mode}: 0 (same) or 1 (valid) is accepted")
    return "SAME" if pad_mode == 0 else "VALID"
