"""The LiteRT oracle: a file of one operator, or a TFLite file. Runs as a worker process."""

from __future__ import annotations

import functools
import math
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

from ..processes.array_store import Writer
from ..processes.worker_loop import serve
from .litert_files import call_file, write_graphs
from .litert_graphs import add_buffer, code_of, give_options, tensor

PLAIN = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
RESOLVERS = {
    None: litert.OpResolverType.AUTO,
    "plain": PLAIN,
    "reference": litert.OpResolverType.BUILTIN_REF,
}
"""Kernels: those of users, LiteRT's own without XNNPACK, and those that are written to be read."""

FLOATS = "floats"
"""Kernels that compute in floats with weights of integers: LiteRT has none, so that the weights are
floats before it sees them."""

DELEGATED = (b"Convolution2DTransposeBias",)
"""Custom operators of MediaPipe that XNNPACK has kernels of."""


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Any:
    """Run the file at `path`, or write and run a file of one operator."""
    if "path" in head:
        with open(head["path"], "rb") as file:
            content = file.read()
        if "save" in head:
            return save_tensors(content, arrays, head)
        wanted = head.get("kernels")
        if wanted == FLOATS:
            content, wanted = widen_weights(content), None
        kernels = RESOLVERS[wanted]
        if head.get("keeps"):
            if head.get("is_first"):
                open_file.cache_clear()
            return open_file(head["path"]).run(arrays, head)
        if head.get("signature"):
            return run_signature(content, arrays, head, kernels)
        return invoke(content, arrays, kernels)
    if "description" in head:
        count = head["constants"]
        content = write_graphs(head, arrays[:count])
        whole = np.frombuffer(content, np.uint8)
        return [whole, *(call_file(content, head, arrays[count:]) if head["run"] else ())]
    content = write_file(head, arrays)
    if not head["run"]:
        return [np.frombuffer(content, np.uint8)]
    tensors = zip(head["tensors"], arrays, strict=True)
    given = [a for t, a in tensors if not is_held(t)]
    kernels = RESOLVERS[None] if is_delegated(content) else PLAIN
    return [np.frombuffer(content, np.uint8), *invoke(content, given, kernels)]


def run_signature(
    content: bytes, arrays: list[np.ndarray], head: dict[str, Any], kernels: Any
) -> list[np.ndarray]:
    """The outputs of a signature; LiteRT has its inputs and outputs in an order of their own."""
    found = litert.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
    runner = found.get_signature_runner(head["signature"])
    results = runner(**dict(zip(head["inputs"], arrays, strict=True)))
    return [results[n] for n in head["outputs"]]


class Kept:
    """A file that keeps something from call to call, all of the same sizes."""

    def __init__(self, path: str) -> None:
        self.interpreter = litert.Interpreter(model_path=path)
        self.runner: Any = None

    def run(self, arrays: list[np.ndarray], head: dict[str, Any]) -> list[np.ndarray]:
        """The outputs of the next call."""
        if head.get("signature"):
            self.runner = self.runner or self.interpreter.get_signature_runner(head["signature"])
            results = self.runner(**dict(zip(head["inputs"], arrays, strict=True)))
            return [np.array(results[n]) for n in head["outputs"]]
        details = self.interpreter.get_input_details()
        if self.runner is None:
            for detail, array in zip(details, arrays, strict=True):
                self.interpreter.resize_tensor_input(detail["index"], array.shape)
            self.interpreter.allocate_tensors()
            self.runner = self.interpreter.invoke
        for detail, array in zip(details, arrays, strict=True):
            self.interpreter.set_tensor(detail["index"], array)
        self.runner()
        return [fetch(self.interpreter, d) for d in self.interpreter.get_output_details()]


@functools.lru_cache(maxsize=1)
def open_file(path: str) -> Kept:
    """The file, with what calls before left in it."""
    return Kept(path)


def save_tensors(content: bytes, arrays: list[np.ndarray], head: dict[str, Any]) -> dict[str, Any]:
    """Write the tensors `names` into the folder `save`, as LiteRT's own kernels make them."""
    found = litert.Interpreter(
        model_content=content,
        experimental_op_resolver_type=PLAIN,
        experimental_preserve_all_tensors=True,
    )
    places = [d["index"] for d in found.get_input_details()]
    if head.get("signature"):
        inputs = found.get_signature_runner(head["signature"])._inputs
        places = [inputs[n]["index"] for n in head["inputs"]]
    for place, array in zip(places, arrays, strict=True):
        found.resize_tensor_input(place, array.shape)
    found.allocate_tensors()
    for place, array in zip(places, arrays, strict=True):
        found.set_tensor(place, array)
    found.invoke()
    writer, wanted = Writer(head["save"]), set(head["names"])
    made = {k for op in found._get_ops_details() for k in op["outputs"]}
    for detail in found.get_tensor_details():
        if detail["name"] in wanted and detail["index"] in made:
            try:
                writer.add(detail["name"], found.get_tensor(detail["index"]))
            except ValueError:  # a tensor of a branch that was not taken
                continue
    return writer.saved


def invoke(content: bytes, arrays: list[np.ndarray], kernels: Any) -> list[np.ndarray]:
    """LiteRT's outputs, in the order of the graph."""
    if kernels is RESOLVERS[None] and is_delegated(content):
        return run_delegated(content, arrays)
    found = litert.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
    details = found.get_input_details()
    for detail, array in zip(details, arrays, strict=True):
        if tuple(detail["shape"]) != array.shape:
            found.resize_tensor_input(detail["index"], array.shape)
    found.allocate_tensors()
    for detail, array in zip(details, arrays, strict=True):
        found.set_tensor(detail["index"], array)
    found.invoke()
    return [fetch(found, d) for d in found.get_output_details()]


def is_delegated(content: bytes) -> bool:
    """Whether a file has operators that XNNPACK alone has."""
    return any(name in content for name in DELEGATED)


def run_delegated(content: bytes, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The outputs of a file with operators that XNNPACK has, and the interpreter does not."""
    from ai_edge_litert.compiled_model import CompiledModel

    found = CompiledModel.from_buffer(content)
    given, made = found.create_input_buffers(0), found.create_output_buffers(0)
    (key,) = found.get_signature_list()
    for buffer, array in zip(given, arrays, strict=True):
        if buffer.get_tensor_details()["shape"] != list(array.shape):
            raise ValueError(f"{key}: an input of shape {array.shape}")
        buffer.write(np.ascontiguousarray(array))
    found.run_by_index(0, given, made)
    results = []
    for buffer in made:
        shape = buffer.get_tensor_details()["shape"]
        results.append(buffer.read(math.prod(shape), np.float32).reshape(shape))
    return results


def widen_weights(content: bytes) -> bytes:
    """The file with the numbers that its weights stand for, where nodes have real inputs beside
    integers; ValueError where there are none."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    count = sum(widen_graph(model, graph) for graph in model.subgraphs)
    if not count:
        raise ValueError("no weights of integers beside real inputs")
    builder = flatbuffers.Builder(len(content))
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def widen_graph(model: Any, graph: Any) -> int:
    """How many weights of a graph have been made floats."""
    readers: dict[int, list[Any]] = {}
    for operator in graph.operators:
        for number in operator.inputs:
            readers.setdefault(int(number), []).append(operator)
    count = 0
    for number, held in enumerate(graph.tensors):
        data = model.buffers[held.buffer].data
        if held.type != schema.TensorType.INT8 or data is None:
            continue
        if all(is_real(graph, operator) for operator in readers.get(number, ())):
            numbers = reals_of(held, np.asarray(data, np.uint8).view(np.int8))
            held.type, held.quantization = schema.TensorType.FLOAT32, None
            held.buffer = add_buffer(model, numbers)
            count += 1
    return count


def is_real(graph: Any, operator: Any) -> bool:
    """Whether an operator of a graph reads floats and gives floats."""
    ends = graph.tensors[operator.inputs[0]], graph.tensors[operator.outputs[0]]
    return all(t.type == schema.TensorType.FLOAT32 for t in ends)


def reals_of(tensor: Any, integers: np.ndarray) -> np.ndarray:
    """What the integers of a tensor stand for."""
    how, shape = tensor.quantization, list(tensor.shape)
    spread = [1] * len(shape)
    if len(how.scale) > 1:
        spread[how.quantizedDimension] = -1
    zeros = np.asarray(0 if how.zeroPoint is None else how.zeroPoint)
    scales = np.asarray(how.scale, np.float32).reshape(spread)
    if zeros.size > 1:
        zeros = zeros.reshape(spread)
    lifted = integers.reshape(shape).astype(np.int32) - zeros.astype(np.int32)
    return lifted.astype(np.float32) * scales


def is_held(described: dict[str, Any]) -> bool:
    """Whether a tensor is no input of the graph: a constant, or a state that begins with zeros."""
    return bool(described.get("constant") or described.get("variable"))


def fetch(found: Any, detail: dict[str, Any]) -> np.ndarray:
    """An output; LiteRT does not hand out what has no elements and was sized while running."""
    result: np.ndarray
    if 0 in detail["shape"]:
        result = np.empty(detail["shape"], detail["dtype"])
    else:
        result = found.get_tensor(detail["index"])
    return result


def write_file(head: dict[str, Any], arrays: list[np.ndarray]) -> bytes:
    """A file with a graph of one operator, and with the graphs in its options."""
    model = schema.ModelT()
    model.version, model.description = 3, b"case"
    model.buffers, model.operatorCodes = [schema.BufferT()], []
    shapes = [list(a.shape) for a in arrays]
    model.subgraphs = [graph_of(model, head, shapes, arrays)]
    for inner in head.get("graphs", ()):
        shapes = [t["shape"] for t in inner["tensors"]]
        model.subgraphs.append(graph_of(model, {"version": 1, **inner}, shapes, []))
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def graph_of(
    model: Any, head: dict[str, Any], shapes: list[list[int]], arrays: list[np.ndarray]
) -> Any:
    """A graph of one operator, or of none: it gives its last input."""
    graph = schema.SubGraphT()
    graph.tensors = [tensor(t, s) for t, s in zip(head["tensors"], shapes, strict=True)]
    for described, made, array in zip(head["tensors"], graph.tensors, arrays, strict=False):
        if described.get("constant"):
            made.buffer = add_buffer(model, give_places(made, described, array))
    count = len(graph.tensors)
    graph.inputs = [k for k, t in enumerate(head["tensors"]) if not is_held(t)]
    graph.outputs, graph.operators = [count - 1], []
    if head["op"]:
        graph.tensors += [tensor(r, r.get("shape", [])) for r in head["results"]]
        graph.outputs = list(range(count, len(graph.tensors)))
        operator = schema.OperatorT()
        operator.opcodeIndex = len(model.operatorCodes)
        operator.inputs, operator.outputs = head["inputs"], graph.outputs
        give_options(operator, head["op"], head["options"])
        inside = [tensor(t, [0]) for t in head.get("intermediates", ())]
        operator.intermediates = [len(graph.tensors) + k for k in range(len(inside))]
        graph.tensors += inside
        graph.operators = [operator]
        model.operatorCodes.append(code_of(head["op"], head["version"]))
    for described, made in zip(head["tensors"], list(graph.tensors), strict=False):
        if blocks := described.get("blocks"):
            made.quantization = scale_blocks(model, graph, blocks)
    for k, made in enumerate(graph.tensors):
        made.name = f"t{k}".encode()
    return graph


def scale_blocks(model: Any, graph: Any, blocks: dict[str, Any]) -> Any:
    """The quantisation of a tensor whose blocks have scales, which are a tensor of the graph."""
    scales = np.array(blocks["scales"], blocks["kind"])
    made = tensor({"dtype": blocks["kind"]}, list(scales.shape))
    made.buffer = add_buffer(model, scales)
    graph.tensors.append(made)
    found = schema.QuantizationParametersT()
    found.detailsType = schema.QuantizationDetails.BlockwiseQuantization
    found.details = schema.BlockwiseQuantizationT()
    found.details.scales, found.details.zeroPoints = len(graph.tensors) - 1, -1
    found.details.blockSize = blocks["size"]
    return found


def give_places(made: Any, described: dict[str, Any], array: np.ndarray) -> np.ndarray:
    """What the file holds of a constant: of a sparse one the blocks that are not all 0."""
    how = described.get("sparse")
    if how is None:
        return array
    high, wide = how["block"]
    rows, columns = array.shape[0] // high, array.shape[1] // wide
    parts = array.reshape(rows, high, columns, wide).transpose(0, 2, 1, 3)
    if how["turned"]:
        parts = parts.transpose(1, 0, 2, 3)
    held: np.ndarray = np.asarray(parts.any(axis=(2, 3)))
    made.sparsity = schema.SparsityParametersT()
    first = [1, 0] if how["turned"] else [0, 1]
    made.sparsity.blockMap = [k for k, size in enumerate(how["block"]) if size > 1]
    made.sparsity.traversalOrder = first + [2 + k for k in range(len(made.sparsity.blockMap))]
    listed = axis_of(1)
    listed.arraySegmentsType, listed.arraySegments = places(np.append(0, held.sum(1).cumsum()))
    listed.arrayIndicesType, listed.arrayIndices = places(np.nonzero(held)[1])
    inside = [axis_of(0, how["block"][k]) for k in made.sparsity.blockMap]
    made.sparsity.dimMetadata = [axis_of(0, len(held)), listed, *inside]
    return np.ascontiguousarray(parts[held])


def axis_of(kind: int, size: int = 0) -> Any:
    """An axis of a sparse tensor, dense (0) or listed (1)."""
    made = schema.DimensionMetadataT()
    made.format, made.denseSize = kind, size
    return made


def places(numbers: np.ndarray) -> tuple[int, Any]:
    """Whole numbers in the narrowest of the schema's lists, and which it is."""
    name = "Uint8Vector" if numbers.max(initial=0) < 256 else "Uint16Vector"
    made = getattr(schema, name + "T")()
    made.values = numbers.astype(np.uint8 if name == "Uint8Vector" else np.uint16)
    return getattr(schema.SparseIndexVector, name), made


if __name__ == "__main__":
    serve(answer)
