"""What ONNX's own schemas allow: its reference evaluator looks at no types, so others must."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..case import Case
from ..engines.engine import Answer
from ..engines.onnx import versions
from .tree import array_of, is_leaf

NAMES = {"float32": "float", "float64": "double", "bool": "bool"}


def schema_violation(case: Case, answer: Answer) -> str | None:
    """Why inputs, or the evaluator's results, are not of the types that the schema says."""
    from onnx import defs

    try:
        schema = defs.get_schema(case.op, versions(case)[case.domain], case.domain)
    except defs.SchemaError:
        return None
    if case.attrs.get("auto_pad", "NOTSET") != "NOTSET" and any(case.attrs.get("pads", ())):
        return "ONNX does not allow pads beside auto_pad"
    allowed = {c.type_param_str: set(c.allowed_type_strs) for c in schema.type_constraints}
    bound: dict[str, str] = {}
    for formal, given in _pairs(schema.inputs, case.inputs):
        if is_leaf(given) and not _fits(formal, type_name(array_of(given).dtype), allowed, bound):
            return "ONNX does not allow inputs of these types"
    for formal, result in _pairs(schema.outputs, answer.results):
        if not _fits(formal, type_name(result.dtype), allowed, bound):
            return "ONNX's evaluator gives a result of a type that ONNX does not allow"
    return None


def _pairs(formals: Any, given: Any) -> list[tuple[Any, Any]]:
    """Formal parameters and what is given; the last one may stand for several."""
    return [(formals[min(k, len(formals) - 1)], g) for k, g in enumerate(given) if formals]


def type_name(dtype: np.dtype) -> str:
    """A precision as ONNX's schemas call it."""
    return f"tensor({NAMES.get(dtype.name, dtype.name)})"


def _fits(formal: Any, name: str, allowed: dict[str, set[str]], bound: dict[str, str]) -> bool:
    """Whether a type is one of the formal parameter's, and the same as that of its others."""
    of = formal.type_str
    if of not in allowed:
        return name == of or not of.startswith("tensor(")
    if not any(t.startswith("tensor(") for t in allowed[of]):
        return True  # a sequence, of tensors that are arrays here
    if not formal.is_homogeneous:
        return name in allowed[of]
    return name in allowed[of] and bound.setdefault(of, name) == name
