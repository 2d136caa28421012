"""Whole TFLite files of which cases say every graph, tensor, operator and signature."""

from __future__ import annotations

import json
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

from .litert_graphs import add_buffer, code_of, give_options, tensor


def write_graphs(head: dict[str, Any], arrays: list[np.ndarray]) -> bytes:
    """The file; `arrays` are its constants, in the order of the tensors of all graphs."""
    model = schema.ModelT()
    model.version, model.description = 3, head["description"].encode()
    model.buffers, model.operatorCodes = [schema.BufferT()], []
    data = iter(arrays)
    model.subgraphs = [_graph(model, graph, data) for graph in head["graphs"]]
    model.signatureDefs = [_signature(given) for given in head["signatures"]]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _graph(model: Any, head: dict[str, Any], data: Any) -> Any:
    graph = schema.SubGraphT()
    graph.name = head["name"].encode()
    graph.inputs, graph.outputs = head["inputs"], head["outputs"]
    graph.tensors, graph.operators = [], []
    for described in head["tensors"]:
        made = tensor(described, [max(n, 1) for n in described["shape"]])
        if any(n < 0 for n in described["shape"]):
            made.shapeSignature = described["shape"]
        if described.get("constant"):
            made.shape = described["shape"]
            made.buffer = add_buffer(model, next(data))
        made.name = described["name"].encode()
        graph.tensors.append(made)
    for node in head["nodes"]:
        operator = schema.OperatorT()
        operator.opcodeIndex = len(model.operatorCodes)
        operator.inputs, operator.outputs = node["inputs"], node["outputs"]
        give_options(operator, node["op"], node["options"])
        graph.operators.append(operator)
        model.operatorCodes.append(code_of(node["op"], node["version"]))
    return graph


def _signature(given: dict[str, Any]) -> Any:
    made = schema.SignatureDefT()
    made.signatureKey, made.subgraphIndex = given["key"].encode(), given["graph"]
    made.inputs, made.outputs = (_ends(given[side]) for side in ("inputs", "outputs"))
    return made


def _ends(named: dict[str, int]) -> list[Any]:
    found = []
    for name, index in named.items():
        end = schema.TensorMapT()
        end.name, end.tensorIndex = name.encode(), index
        found.append(end)
    return found


def call_file(content: bytes, head: dict[str, Any], inputs: list[np.ndarray]) -> list[np.ndarray]:
    """What LiteRT calls the ends of a file, as JSON, then the results of several calls, of which
    each has the inputs turned by one more along their last axis."""
    plain = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    found = litert.Interpreter(model_content=content, experimental_op_resolver_type=plain)
    results: list[np.ndarray] = []
    ends = found.get_input_details(), found.get_output_details()
    names = [[d["name"] for d in side] for side in ends]
    key, listed = head["signature"], found.get_signature_list()
    runner = found.get_signature_runner(key) if key else None
    known = listed.get(key or next(iter(listed), None), {"inputs": [], "outputs": []})
    if runner is None:
        for detail, array in zip(ends[0], inputs, strict=True):
            if tuple(detail["shape"]) != array.shape:
                found.resize_tensor_input(detail["index"], array.shape)
        found.allocate_tensors()
    for call in range(head["calls"]):
        given = [np.roll(a, call, -1) if a.ndim else a for a in inputs]
        if runner is not None:
            made = runner(**dict(zip(head["inputs"], given, strict=True)))
            results += [np.array(made[name]) for name in head["outputs"]]
            continue
        for detail, array in zip(ends[0], given, strict=True):
            found.set_tensor(detail["index"], array)
        found.invoke()
        results += [found.get_tensor(d["index"]) for d in found.get_output_details()]
    said = {"names": names, "signature": [known["inputs"], known["outputs"]]}
    return [np.frombuffer(json.dumps(said).encode(), np.uint8), *results]
