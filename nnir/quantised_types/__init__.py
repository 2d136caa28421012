"""The quantised operand types of the standard, as a view of a quantised model and back.

A quantised model is explicit: DEQUANTIZE_LINEAR and QUANTIZE_LINEAR stand around operators of real
numbers, and plain integers lie between them. The standard has types for such integers instead,
which hold scale and zero point, and its operators work on them directly. `to_quantised_types`
writes a model so, where the result is the same, and `to_explicit` writes it back:

    view = to_quantised_types(model)   # CONV_2D of a quant_uint8_asymm_per_layer, ...
    same = to_explicit(view)           # prints as to_explicit(model) does

What such an operation means is stated once (`Operator.infer`, `nnir.evaluate`, `nnir.affine`): it
computes with the numbers that its operands stand for, and rounds each result once to the type that
its result states. Both functions leave the model that they read as it is and share its constants.

In the view

* integers that are computed are QUANT_UINT8_ASYMM_PER_LAYER or QUANT_UINT16_ASYMM_PER_LAYER. INT8
  and INT16 are moved up by half their range, which `Quantization.stored` notes, as the symmetric
  types leave the lowest integer out and QUANTIZE_LINEAR does not;
* constants with zero points of 0 are symmetric, per layer or per channel, on the same memory;
* a bias is QUANT_INT32_SYMM_* in the steps of its products, or FLOAT32 as it was;
* borders to real numbers are QUANTIZE and DEQUANTIZE; what no operation on quantised operands reads
  or makes stays explicit, and so does the INT8 of inputs and outputs of the model.

`explain_kept` says of every operation that integers reach why it computes with real numbers;
`operators.ROLES` is the list of operators that take part. A device that knows no such operations
gets `to_explicit(model)` from the runtime.
"""

from __future__ import annotations

from ..model import Model, Operation
from .conversion import Choice, Writer
from .reversal import Reversal
from .spelling import spell


def to_quantised_types(model: Model) -> Model:
    """A model whose operations work on quantised operands, where its results are the same."""
    return Writer(Choice(to_explicit(model))).run()


def to_explicit(model: Model) -> Model:
    """A model whose operations compute with real numbers between explicit borders.

    One that is explicit already is written in the same way: what says the same is spelled alike.
    """
    return spell(Reversal(model).run())


def has_quantised_operations(model: Model) -> bool:
    """Whether an operation of a model works on quantised operands."""
    return any(o.is_on_integers for o in model.operations)


def explain_kept(model: Model) -> list[tuple[Operation, str]]:
    """The operations that integers reach and that compute with real numbers in the view, and why.

    They are those of `to_explicit(model)`.
    """
    return list(Choice(to_explicit(model)).kept.items())


__all__ = [
    "Reversal",
    "explain_kept",
    "has_quantised_operations",
    "to_explicit",
    "to_quantised_types",
]
