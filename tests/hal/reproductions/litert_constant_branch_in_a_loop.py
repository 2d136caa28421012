"""LiteRT: an IF in the body of a WHILE whose branch gives a constant damages the heap.

The process dies when the interpreter is deleted.
"""

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

CODES = schema.BuiltinOperator
BOOL, INT = schema.TensorType.BOOL, schema.TensorType.INT32
model = schema.ModelT()
model.version, model.buffers, model.operatorCodes, model.subgraphs = 3, [schema.BufferT()], [], []


def constant(array: np.ndarray) -> int:
    buffer = schema.BufferT()
    buffer.data = np.frombuffer(array.tobytes(), np.uint8)
    model.buffers.append(buffer)
    return len(model.buffers) - 1


def tensor(kind: int, buffer: int = 0) -> schema.TensorT:
    made = schema.TensorT()
    made.type, made.shape, made.buffer, made.name, made.hasRank = kind, [], buffer, b"t", True
    return made


def step(
    code: int, inputs: list[int], outputs: list[int], kind: int = 0, options: object = None
) -> schema.OperatorT:
    described = schema.OperatorCodeT()
    described.builtinCode = described.deprecatedBuiltinCode = code
    described.version = 1
    model.operatorCodes.append(described)
    made = schema.OperatorT()
    made.opcodeIndex, made.inputs, made.outputs = len(model.operatorCodes) - 1, inputs, outputs
    made.builtinOptions, made.builtinOptionsType = options, kind
    return made


def graph(
    tensors: list[schema.TensorT], inputs: list[int], outputs: list[int], *steps: schema.OperatorT
) -> None:
    made = schema.SubGraphT()
    made.tensors, made.inputs, made.outputs, made.operators = tensors, inputs, outputs, list(steps)
    made.name = b"g"
    model.subgraphs.append(made)


loop, branches = schema.WhileOptionsT(), schema.IfOptionsT()
loop.condSubgraphIndex, loop.bodySubgraphIndex = 1, 2
branches.thenSubgraphIndex, branches.elseSubgraphIndex = 3, 4
union = schema.BuiltinOptions
reshape = schema.ReshapeOptionsT()
reshape.newShape = []
less, add = schema.LessOptionsT(), schema.AddOptionsT()
graph(
    [tensor(BOOL), tensor(INT), tensor(BOOL), tensor(INT)],
    [0, 1],
    [2, 3],
    step(CODES.WHILE, [0, 1], [2, 3], union.WhileOptions, loop),
)
graph(
    [tensor(BOOL), tensor(INT), tensor(BOOL)],
    [0, 1],
    [2],
    step(CODES.RESHAPE, [0], [2], union.ReshapeOptions, reshape),
)
one, four = constant(np.int32(1)), constant(np.int32(4))
graph(
    [
        tensor(BOOL),
        tensor(INT),
        tensor(INT, one),
        tensor(INT, four),
        tensor(INT),
        tensor(BOOL),
        tensor(BOOL),
    ],
    [0, 1],
    [6, 4],
    step(CODES.ADD, [1, 2], [4], union.AddOptions, add),
    step(CODES.LESS, [4, 3], [5], union.LessOptions, less),
    step(CODES.IF, [5], [6], union.IfOptions, branches),
)
for value in (True, False):
    data = constant(np.bool_(value))
    graph(
        [tensor(BOOL, data), tensor(BOOL)],
        [],
        [1],
        step(CODES.RESHAPE, [0], [1], union.ReshapeOptions, reshape),
    )
builder = flatbuffers.Builder(1024)
builder.Finish(model.Pack(builder), b"TFL3")

found = litert.Interpreter(model_content=bytes(builder.Output()))
found.allocate_tensors()
for place, value in zip(found.get_input_details(), (np.bool_(True), np.int32(0)), strict=True):
    found.set_tensor(place["index"], np.asarray(value))
found.invoke()
print("count:", found.get_tensor(found.get_output_details()[1]["index"]), flush=True)
del found
