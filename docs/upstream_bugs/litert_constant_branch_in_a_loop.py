"""LiteRT: an IF in the body of a WHILE whose branch gives a constant damages the heap.

Kind: crash
Says: The schema allows a branch without inputs, and the same branch outside a loop is right. The
process counts to four and dies when the interpreter is deleted.
Seen: 1.4.0, 2.3.0
Here: constants are copied while running (`hal/drivers/litert/emitter.py`).
"""

import subprocess
import sys
from typing import Any

import numpy as np

try:
    import flatbuffers
    from _one_operator import option
    from ai_edge_litert import interpreter as litert
    from ai_edge_litert import schema_py_generated as schema
except ModuleNotFoundError:
    sys.exit(2)

if sys.argv[1:] != ["child"]:
    died = subprocess.run([sys.executable, __file__, "child"], capture_output=True, check=False)
    print(f"exit status of the process: {died.returncode}, right is 0")
    sys.exit(int(died.returncode < 0))

BOOL, INT = schema.TensorType.BOOL, schema.TensorType.INT32
RESHAPE = option("ReshapeOptions", newShape=[])
model = option("Model", version=3, buffers=[schema.BufferT()], operatorCodes=[], subgraphs=[])


def tensor(kind: int, value: Any = None) -> Any:
    """A number of a type; one that the file holds where `value` is given."""
    made = option("Tensor", type=kind, shape=[], name="t", hasRank=True)
    if value is not None:
        made.buffer = len(model.buffers)
        data = np.frombuffer(np.asarray(value).tobytes(), np.uint8)
        model.buffers.append(option("Buffer", data=data))
    return made


def step(op: str, inputs: list[int], outputs: list[int], options: Any) -> Any:
    """An operator of a graph."""
    code = getattr(schema.BuiltinOperator, op)
    described = option("OperatorCode", builtinCode=code, deprecatedBuiltinCode=code, version=1)
    model.operatorCodes.append(described)
    made = option("Operator", opcodeIndex=len(model.operatorCodes) - 1, builtinOptions=options)
    kind = type(options).__name__.removesuffix("T")
    made.builtinOptionsType = getattr(schema.BuiltinOptions, kind)
    made.inputs, made.outputs = inputs, outputs
    return made


def graph(tensors: list[Any], inputs: list[int], outputs: list[int], *steps: Any) -> None:
    """A graph of the model: the whole, a condition, a body, a branch."""
    made = option("SubGraph", tensors=tensors, operators=list(steps), name="g")
    made.inputs, made.outputs = inputs, outputs
    model.subgraphs.append(made)


loop = option("WhileOptions", condSubgraphIndex=1, bodySubgraphIndex=2)
branches = option("IfOptions", thenSubgraphIndex=3, elseSubgraphIndex=4)
ends = [tensor(BOOL), tensor(INT), tensor(BOOL), tensor(INT)]
graph(ends, [0, 1], [2, 3], step("WHILE", [0, 1], [2, 3], loop))
state = [tensor(BOOL), tensor(INT), tensor(BOOL)]
graph(state, [0, 1], [2], step("RESHAPE", [0], [2], RESHAPE))
one, four = tensor(INT, np.int32(1)), tensor(INT, np.int32(4))
inner = [tensor(BOOL), tensor(INT), one, four, tensor(INT), tensor(BOOL), tensor(BOOL)]
steps = [
    step("ADD", [1, 2], [4], option("AddOptions")),
    step("LESS", [4, 3], [5], option("LessOptions")),
    step("IF", [5], [6], branches),
]
graph(inner, [0, 1], [6, 4], *steps)
for answer in (True, False):
    graph([tensor(BOOL, answer), tensor(BOOL)], [], [1], step("RESHAPE", [0], [1], RESHAPE))
builder = flatbuffers.Builder(1024)
builder.Finish(model.Pack(builder), b"TFL3")

found = litert.Interpreter(model_content=bytes(builder.Output()))
found.allocate_tensors()
for place, number in zip(found.get_input_details(), (np.bool_(True), np.int32(0)), strict=True):
    found.set_tensor(place["index"], np.asarray(number))
found.invoke()
del found
