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
    """Whether what `value` is a permutation of is transposed, and quantised then.

    ONNX Runtime cancels permutations first, and lets the quantised values take the name of that.
    """
    while (made := value.producer) is not None and made.operator is shape.transpose:
        (value,) = (v for v in made.inputs if v is not None)
    turned = [o.outputs[0] for o in value.uses if o.operator is shape.transpose]
    seen: set[Value] = set()
    while turned:
        moved = turned.pop()
        if moved in seen:
            continue
        seen.add(moved)
        readers = [o for o in moved.uses if o.inputs and o.inputs[0] is moved]
        if any(o.operator is quant.quantize_linear for o in readers):
            return True
        turned += [v for o in readers if o.operator.pattern is Pattern.MOVEMENT for v in o.outputs]
    return False
