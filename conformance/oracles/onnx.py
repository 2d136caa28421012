"""The ONNX oracle: ONNX's reference evaluator, or ONNX Runtime. Runs as a worker process."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from nnir.lists import Types, types_of
from nnir.metadata import LIST_ENDS

from ..processes.array_store import Writer
from ..processes.worker import LIBRARIES
from ..processes.worker_loop import serve

MEGABYTE = 1 << 20
MOST = 256 * MEGABYTE
"""Bytes of values for one session: it holds every output of its model until it has run."""

RANDOM = frozenset(
    {"Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike"}
    | {"RandomUniform", "RandomUniformLike"}
)
EXTERNAL = "session.model_external_initializers_file_folder_path"


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Any:
    """Run a case (`case` in the head) or a whole model (the blob, the file `path`, or `text`).

    For a text, the model's bytes come after the outputs. `write`: the bytes of a case's model, of
    the lowest operator set that has its node, in place of outputs.
    """
    if "text" in head:
        parsed = onnx.parser.parse_model(head["text"])
        data = parsed.SerializeToString()
        rest = {k: v for k, v in head.items() if k != "text"}
        outputs = [] if head.get("parse_only") else answer(rest, arrays, data)
        return [*outputs, np.frombuffer(data, np.uint8)]
    model = case_model(head["case"], arrays) if "case" in head else _model(head, blob)
    if head.get("write"):
        return [np.frombuffer(with_lowest_opset(model).SerializeToString(), np.uint8)]
    if "save" in head:
        return save_values(head, model, arrays)
    names = [i.name for i in model.graph.input]
    weights = {t.name for t in model.graph.initializer}
    taken, given = types_of({LIST_ENDS: head["lists"]} if "lists" in head else {})
    feeds = feed([n for n in names if n not in weights], arrays, taken)
    if head.get("engine") == "onnxruntime":
        found = _run_onnxruntime(head, model, feeds)
    else:
        found = ReferenceEvaluator(model).run(None, feeds)
    return tensors_of([o.name for o in model.graph.output], found, given) if given else list(found)


def feed(names: Sequence[str], arrays: Sequence[np.ndarray], types: Types) -> dict[str, Any]:
    """What inputs are given, lists made of their tensors; an initializer may be left out."""
    found: dict[str, Any] = {}
    rest = list(arrays)
    for name in names:
        type = types.get(name)
        count = 1 if type is None else type.count
        part, rest = rest[:count], rest[count:]
        if part:
            found[name] = part[0] if type is None else type.unpack(part)
    return found


def tensors_of(names: Sequence[str], values: Sequence[Any], types: Types) -> list[np.ndarray]:
    """The tensors of outputs, some of which are lists."""
    found: list[np.ndarray] = []
    for name, value in zip(names, values, strict=True):
        found += types[name].pack(value, name) if name in types else [value]
    return found


def _run_onnxruntime(head: dict[str, Any], model: onnx.ModelProto, feeds: dict[str, Any]) -> Any:
    import onnxruntime

    if "save" not in head and "path" in head:
        return session_of(head["path"], head.get("kernels")).run(None, feeds)
    options = options_of_session(is_plain="save" in head)
    source = model.SerializeToString()
    if "save" in head and "path" in head:
        options.add_session_config_entry(EXTERNAL, os.path.dirname(head["path"]))
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def options_of_session(*, is_plain: bool = False) -> Any:
    """Options of a session that has the kernels of plug-ins, and prints nothing; `is_plain`: it
    runs operator by operator what the file says."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    if is_plain:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    # threads that wait do so asleep: the numbers are the same, and others have the processor
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    for library in filter(None, os.environ.get(LIBRARIES, "").split(os.pathsep)):
        options.register_custom_ops_library(library)
    return options


@functools.lru_cache(maxsize=3)
def session_of(path: str, kernels: str | None = None) -> Any:
    """A file in ONNX Runtime, which reads what lies beside it by itself; `plain` kernels are
    those of the nodes in the file, `single` ones run in one thread."""
    import onnxruntime

    options = options_of_session(is_plain=kernels == "plain")
    options.intra_op_num_threads = int(kernels == "single")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _model(head: dict[str, Any], blob: bytes) -> onnx.ModelProto:
    if "path" in head:
        is_light = head.get("engine") == "onnxruntime"  # which reads external data itself
        return file_model(head["path"], load_external_data=not is_light)
    return onnx.ModelProto.FromString(blob)


@functools.lru_cache(maxsize=1)
def file_model(path: str, *, load_external_data: bool) -> onnx.ModelProto:
    """The model in a file."""
    return onnx.load(path, load_external_data=load_external_data)


def save_values(
    head: dict[str, Any], model: onnx.ModelProto, arrays: list[np.ndarray]
) -> dict[str, Any]:
    """Write the values `names` that nodes of the graph make into the folder `save`."""
    wanted = set(head["names"])
    made = list(dict.fromkeys(n for node in model.graph.node for n in node.output if n in wanted))
    writer = Writer(head["save"])
    weights = {t.name for t in model.graph.initializer}
    fed = [i.name for i in model.graph.input if i.name not in weights]
    feeds = dict(zip(fed, arrays, strict=False))
    if head.get("engine") == "onnxruntime":
        for names in groups(
            made, head["sizes"], most=sys.maxsize if is_random(model.graph) else MOST
        ):
            del model.graph.output[:]
            model.graph.output.extend(helper.make_empty_tensor_value_info(n) for n in names)
            write(writer, dict(zip(names, _run_onnxruntime(head, model, feeds), strict=True)))
    else:
        found: Any = ReferenceEvaluator(model).run(None, feeds, intermediate=True)
        write(writer, {name: found.get(name) for name in made})
    return writer.saved


def write(writer: Writer, found: dict[str, Any]) -> None:
    """Write what is a tensor."""
    for name, array in found.items():
        if isinstance(array, np.ndarray):
            writer.add(name, array)


def groups(names: list[str], sizes: dict[str, int], most: int) -> Iterator[list[str]]:
    """Names in order, so many at once that they stay below `most` bytes, or one."""
    group: list[str] = []
    held = 0
    for name in names:
        size = sizes.get(name, MEGABYTE)
        if group and held + size > most:
            yield group
            group, held = [], 0
        group.append(name)
        held += size
    if group:
        yield group


def is_random(graph: onnx.GraphProto) -> bool:
    """Whether two runs give different values."""
    bodies = [b for n in graph.node for a in n.attribute for b in (a.g, *a.graphs) if b.ByteSize()]
    return any(n.op_type in RANDOM for n in graph.node) or any(map(is_random, bodies))


def case_model(case: dict[str, Any], arrays: list[np.ndarray]) -> onnx.ModelProto:
    """A model of one node. `case["inputs"]` says for each input: "run", "const" or ""."""
    inputs, weights, names = [], [], []
    left = iter(arrays)
    for position, kind in enumerate(case["inputs"]):
        names.append(f"x{position}" if kind else "")
        if kind == "run":
            array = next(left)
            code = helper.np_dtype_to_tensor_dtype(array.dtype)
            inputs.append(helper.make_tensor_value_info(names[-1], code, array.shape))
    for position, kind in enumerate(case["inputs"]):
        if kind == "const":
            weights.append(onnx.numpy_helper.from_array(next(left), f"x{position}"))
    tensors = {k: onnx.numpy_helper.from_array(next(left)) for k in case["tensors"]}
    outputs = [f"y{k}" for k in range(case["outputs"])]
    attributes = case["attrs"] | tensors
    node = helper.make_node(case["op"], names, outputs, domain=case["domain"], **attributes)
    graph = helper.make_graph(
        [node], "case", inputs, [helper.make_empty_tensor_value_info(o) for o in outputs], weights
    )
    versions = [helper.make_opsetid(d, v) for d, v in case["versions"].items()]
    return helper.make_model(graph, opset_imports=versions, ir_version=10)


LOWEST = 7
"""The lowest operator set that ONNX Runtime promises to run."""


def with_lowest_opset(model: onnx.ModelProto) -> onnx.ModelProto:
    """A model of one node, of the lowest operator set in which its operator has the same inputs,
    outputs and attributes, and takes these types."""
    (node,) = model.graph.node
    versions = {o.domain: o.version for o in model.opset_import}
    schema = schema_of(node, versions[node.domain])
    while schema is not None:
        lower = {node.domain: schema.since_version}
        if not (node.domain and schema.has_function):  # which is made of what is newer
            lower[""] = max(LOWEST, lower.get("", LOWEST))
        trial = with_opsets(model, versions | lower)
        if not is_valid(trial):
            break
        model, older = trial, schema_of(node, schema.since_version - 1)
        schema = older if older and parameters(older) == parameters(schema) else None
    return model


def with_opsets(model: onnx.ModelProto, versions: dict[str, int]) -> onnx.ModelProto:
    """A copy of a model, of other operator sets."""
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    del copy.opset_import[:]
    copy.opset_import.extend(helper.make_opsetid(*pair) for pair in versions.items())
    return copy


def schema_of(node: onnx.NodeProto, opset: int) -> Any:
    """The schema of a node's operator; None where ONNX has none."""
    try:
        return onnx.defs.get_schema(node.op_type, opset, node.domain)
    except onnx.defs.SchemaError:
        return None


def parameters(schema: Any) -> Any:
    """The inputs, outputs and attributes of an operator, as they can be compared."""
    ends = [[p.name for p in part] for part in (schema.inputs, schema.outputs)]
    defaults = {k: a.default_value.SerializeToString() for k, a in schema.attributes.items()}
    return ends, defaults


def is_valid(model: onnx.ModelProto) -> bool:
    """Whether ONNX finds the types right."""
    try:
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except onnx.shape_inference.InferenceError:
        return False
    return True


if __name__ == "__main__":
    serve(answer)
