"""Which results ONNX Runtime takes for what their readers make of them."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Pattern
from nnir.ops import quant, shape


def is_padded(value: Value) -> bool:
    """Whether something pads `value`: ONNX Runtime moves a Pad into the Conv behind it, and reads
    an output in front of it by a name that is gone then."""
    return any(o.operator is shape.pad and o.inputs[0] is value for o in value.uses)


def is_quantised_behind_transpose(value: Value) -> bool:
    """Whether what `value` is moved from is transposed, and quantised then.

    ONNX Runtime drops what moves nothing and cancels permutations first, and lets the quantised
    values take the name of what is left.
    """
    while (made := value.producer) is not None and made.operator.pattern is Pattern.MOVEMENT:
        source = made.inputs[0] if made.inputs else None
        if source is None:
            break
        value = source
    ahead, seen = [(value, False)], set[tuple[Value, bool]]()
    while ahead:
        moved, is_turned = ahead.pop()
        if (moved, is_turned) in seen:
            continue
        seen.add((moved, is_turned))
        for reader in moved.uses:
            if not reader.inputs or reader.inputs[0] is not moved:
                continue
            if is_turned and reader.operator is quant.quantize_linear:
                return True
            if reader.operator.pattern is Pattern.MOVEMENT:
                turns = is_turned or reader.operator is shape.transpose
                ahead += [(v, turns) for v in reader.outputs]
    return False
