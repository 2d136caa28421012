"""Find out which precisions ONNX Runtime's CPU kernels lack.

`python -m hal.drivers.onnxruntime.probe` makes a session of one node for every operator and
element type and writes `kernels.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.defs import OpSchema

from nnir.formats.onnx import CODES
from nnir.staging import replacing

from .emitter import OPSET
from .older import ir_version

NAMES = {code: p.name for p, code in CODES.items()}
PREFERRED = ("tensor(float)", "tensor(int64)", "tensor(bool)", "tensor(uint8)", "tensor(int32)")
VALUES: dict[int, Any] = {1: 1.0, 2: 1, 3: "x", 6: [1.0], 7: [1]}
SPECIAL: dict[str, dict[str, Any]] = {
    "Cast": {"to": TensorProto.FLOAT},
    "Einsum": {"equation": "i,i->i"},
    "GridSample": {"mode": "linear"},
    "DepthToSpace": {"blocksize": 1},
    "SpaceToDepth": {"blocksize": 1},
}
REFUSALS = ("NOT_IMPLEMENTED", "not find an implementation", "not currently registered")
SUB_GRAPHS = ("If", "Loop", "Scan", "SequenceMap", "Constant")


class UnclearError(Exception):
    """A session is refused for a reason that has nothing to do with kernels."""


def codes_of(types: list[str]) -> dict[int, str]:
    """TensorProto codes of type strings such as tensor(float)."""
    words = {f"tensor({TensorProto.DataType.Name(c).lower()})": c for c in NAMES}
    return {words[t]: t for t in types if t in words}


def has_kernel(schema: OpSchema, first: str, code: int) -> bool:
    """Whether ONNX Runtime accepts the operator with `code` for the type variable `first`."""
    inputs, names = [], []
    for position, formal in enumerate(schema.inputs):
        if formal.option == OpSchema.FormalParameterOption.Optional:
            break
        types = codes_of(list(formal.types))
        chosen = code if formal.type_str == first else _prefer(types)
        names.append(f"x{position}")
        inputs.append(helper.make_tensor_value_info(names[-1], chosen, None))
    required = {n: VALUES[_number(a.type)] for n, a in schema.attributes.items() if a.required}
    outputs = [helper.make_empty_tensor_value_info(f"y{k}") for k in range(schema.min_output)]
    node = helper.make_node(
        schema.name, names, [o.name for o in outputs], **(required | SPECIAL.get(schema.name, {}))
    )
    graph = helper.make_graph([node], "probe", inputs, outputs)
    versions = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=versions, ir_version=ir_version(OPSET))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    except Exception as error:
        if any(text in str(error) for text in REFUSALS):
            return False
        raise UnclearError(schema.name) from error
    return True


def _number(kind: Any) -> int:
    """The code of an attribute's type; its enum has no annotations."""
    return int(kind.value)


def _prefer(types: dict[int, str]) -> int:
    by_text = {text: code for code, text in types.items()}
    return next((by_text[t] for t in PREFERRED if t in by_text), next(iter(types), 1))


def probe() -> dict[str, dict[str, int | list[str]]]:
    """By operator, which operand selects the kernel and the types there are kernels for."""
    table: dict[str, dict[str, int | list[str]]] = {}
    for name in sorted({s.name for s in onnx.defs.get_all_schemas() if not s.domain}):
        if name in SUB_GRAPHS or name.startswith(("Sequence", "Optional", "String")):
            continue
        try:
            schema = onnx.defs.get_schema(name, OPSET)
        except onnx.defs.SchemaError:
            continue  # newer than what is emitted
        if not schema.inputs or schema.deprecated:
            continue
        position = next((k for k, i in enumerate(schema.inputs) if len(i.types) > 2), 0)
        formal = schema.inputs[position]
        codes = codes_of(list(formal.types))
        try:
            found = [c for c in codes if has_kernel(schema, formal.type_str, c)]
        except UnclearError:
            continue
        if found:
            table[name] = {"operand": position, "precisions": sorted(NAMES[c] for c in found)}
    return table


def main() -> None:
    """Write the table beside this file."""
    table = {"onnxruntime": onnxruntime.__version__, "kernels": probe()}
    with replacing(Path(__file__).with_name("kernels.json")) as file:
        file.write((json.dumps(table, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
