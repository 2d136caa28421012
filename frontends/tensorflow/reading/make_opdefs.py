"""Write `opdefs.json`: the signatures of TensorFlow's operators, from an installed TensorFlow.

    python -m frontends.tensorflow.reading.make_opdefs

Graphs leave out attributes that have their default, name the results of a function's nodes by the
results' names, and list an operator's inputs without saying which belong together: the OpDefs say.
"""

from __future__ import annotations

import json
from typing import Any

import tensorflow  # noqa: F401  registers the operators
from tensorflow.core.framework import attr_value_pb2, op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session as session

from .opdefs import FILE


def describe_definition(definition: Any) -> dict[str, Any]:
    """Inputs and outputs with the attributes that say how many they are, and the defaults."""
    found: dict[str, Any] = {
        "in": [_argument(a) for a in definition.input_arg],
        "out": [_argument(a) for a in definition.output_arg],
        "attr": {a.name: _default(a) for a in definition.attr},
    }
    implied = {
        name
        for a in definition.input_arg
        for name in (a.type_attr, a.number_attr, a.type_list_attr)
        if name
    }
    if implied:
        found["implied"] = sorted(implied)
    return found


def _argument(argument: Any) -> Any:
    many = argument.number_attr or argument.type_list_attr
    return [argument.name, many] if many else argument.name


def _default(attribute: Any) -> Any:
    """[type] without a default, [type, default] with one."""
    if not attribute.HasField("default_value"):
        return [attribute.type]
    return [attribute.type, _value(attribute.default_value)]


def _value(value: attr_value_pb2.AttrValue) -> Any:
    kind = value.WhichOneof("value")
    match kind:
        case "s":
            return value.s.decode("utf-8", "replace")
        case "type":
            return types_pb2.DataType.Name(value.type)
        case "shape":
            return None if value.shape.unknown_rank else [d.size for d in value.shape.dim]
        case "list":
            parts = value.list
            for name in ("i", "f", "b", "type"):
                if getattr(parts, name):
                    return [float(x) if name == "f" else x for x in getattr(parts, name)]
            return [s.decode("utf-8", "replace") for s in parts.s]
        case "tensor" | "func" | None:
            return None
    return getattr(value, kind)


def everything() -> list[Any]:
    """Every operator that TensorFlow knows."""
    found = op_def_pb2.OpList()
    found.ParseFromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    return [d for d in found.op if not d.name.startswith("_")]


if __name__ == "__main__":
    definitions = sorted(everything(), key=lambda d: d.name)
    lines = [f"{json.dumps(d.name)}: {json.dumps(describe_definition(d))}" for d in definitions]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
