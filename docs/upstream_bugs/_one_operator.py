"""A TFLite file of one operator, run by LiteRT alone: LiteRT has no other way to make one."""

from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

PLAIN = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES


def option(kind: str, /, **fields: Any) -> Any:
    """The options of an operator, as the schema names them."""
    made = getattr(schema, f"{kind}T")()
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def run(
    op: str,
    *inputs: np.ndarray,
    shape: tuple[int, ...] | None = None,
    constants: tuple[int, ...] = (),
    options: Any = None,
    plain: bool = False,
    scales: tuple[float, ...] = (),
    results: tuple[np.ndarray, ...] = (),
) -> np.ndarray:
    """The first result, which has the type of the first input, and its shape unless given: that of
    the first of `results`, where there are some.

    `constants`: the inputs that the file holds. `plain`: LiteRT's own kernels, without XNNPACK.
    `scales`: those of inputs and result where they are quantised.
    """
    model = option("Model", version=3, buffers=[schema.BufferT()])
    tensors = [
        option("Tensor", type=_kind(a), shape=list(a.shape), name=f"t{k}", hasRank=True)
        for k, a in enumerate(inputs)
    ]
    result = np.empty(inputs[0].shape if shape is None else shape, inputs[0].dtype)
    made = results or (result,)
    tensors += [
        option("Tensor", type=_kind(a), shape=list(a.shape), name=f"y{k}", hasRank=True)
        for k, a in enumerate(made)
    ]
    for tensor, scale in zip(tensors, scales, strict=False):
        tensor.quantization = option("QuantizationParameters", scale=[scale], zeroPoint=[0])
    for k in constants:
        tensors[k].buffer = len(model.buffers)
        model.buffers.append(option("Buffer", data=np.frombuffer(inputs[k].tobytes(), np.uint8)))
    code = getattr(schema.BuiltinOperator, op)
    model.operatorCodes = [option("OperatorCode", builtinCode=code, version=1)]
    model.operatorCodes[0].deprecatedBuiltinCode = min(code, 127)
    places = list(range(len(inputs)))
    outputs = [len(inputs) + k for k in range(len(made))]
    step = option("Operator", opcodeIndex=0, inputs=places, outputs=outputs)
    if options is not None:
        kind = getattr(schema.BuiltinOptions, type(options).__name__.removesuffix("T"))
        step.builtinOptions, step.builtinOptionsType = options, kind
    ends = [k for k in places if k not in constants]
    graph = option("SubGraph", tensors=tensors, inputs=ends, outputs=outputs, name="g")
    graph.operators, model.subgraphs = [step], [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    kernels = {"experimental_op_resolver_type": PLAIN} if plain else {}
    found = litert.Interpreter(model_content=bytes(builder.Output()), **kernels)
    found.allocate_tensors()
    for place, k in zip(found.get_input_details(), ends, strict=True):
        found.set_tensor(place["index"], inputs[k])
    found.invoke()
    return found.get_tensor(found.get_output_details()[0]["index"])


def _kind(array: np.ndarray) -> int:
    return getattr(schema.TensorType, array.dtype.name.upper())
