"""Attacks in ONNX and TFLite files that ask the engine for code or for files elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from .harness import HARMLESS, REFUSED, Attack

ASKING = ("load", "onnx", "verify")
DOMAINS = (
    *("com.vendor", "org.pytorch.aten", "com.microsoft.nchwc", "com.ms.internal.nhwc"),
    *("ai.onnx.contrib", "com.microsoft.experimental", "com.microsoft.mlfeaturizers"),
)
MICROSOFT = ("PythonOp", "EPContext", "Snpe", "TritonOp", "TrainableDropoutGrad", "NoSuchOp")
ELSEWHERE = (
    *("/etc/passwd", "../../../../etc/passwd", "link", "folder/../../secret", "/proc/self/mem"),
    *("/dev/zero", "file:///etc/passwd", "\x00", "."),
)


def model(*nodes: onnx.NodeProto, weights: tuple[TensorProto, ...] = ()) -> onnx.ModelProto:
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in "xy")
    graph = helper.make_graph(list(nodes), "g", [x], [y], list(weights))
    names = {"", *(n.domain for n in nodes)}
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid(n, 18) for n in names])
    made.ir_version = 9
    return made


def written(folder: Path, made: onnx.ModelProto) -> Path:
    path = folder / "m.onnx"
    path.write_bytes(made.SerializeToString())
    return path


RELU = helper.make_node("Relu", ["x"], ["y"])


def foreign(domain: str, op: str, where: str) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        node = helper.make_node(op, ["x"], ["z"], domain=domain, name=str(marker))
        match where:
            case "in the graph":
                node.output[0] = "y"
                return written(folder, model(node))
            case "whose result nobody reads":
                return written(folder, model(node, RELU))
        inner = helper.make_graph([node], "b", [], [helper.make_tensor_value_info("z", 1, [3])])
        choice = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)
        condition = helper.make_tensor("c", TensorProto.BOOL, [], [True])
        made = model(choice, weights=(condition,))
        made.opset_import.append(helper.make_opsetid(domain, 1))
        return written(folder, made)

    why = "operators of other domains are libraries"
    return Attack(f"{domain} {op} {where}", build, why, ".onnx", REFUSED, ASKING)


def external(location: str, where: str) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        (folder / "link").symlink_to("/etc/passwd")
        weight = TensorProto(name="w", dims=[3], data_type=TensorProto.FLOAT)
        weight.data_location = TensorProto.EXTERNAL
        weight.external_data.add(key="location", value=location)
        sum_of = helper.make_node("Add", ["x", "w"], ["y"])
        if where == "an initialiser":
            return written(folder, model(sum_of, weights=(weight,)))
        constant = helper.make_node("Constant", [], ["w"], value=weight)
        return written(folder, model(constant, sum_of))

    why = "engines open the files that tensors name"
    return Attack(f"{where} in {location!r}", build, why, ".onnx", REFUSED, ASKING)


def configured(folder: Path, marker: Path) -> Path:
    made = model(RELU)
    text = f'{{"session_options": {{"enable_profiling": 1, "profile_file_prefix": "{marker}"}}}}'
    made.metadata_props.add(key="ort_config", value=text)
    return written(folder, made)


def own_format(folder: Path, marker: Path) -> Path:
    """Bytes that both ONNX and ONNX Runtime's own format begin with."""
    made = model(RELU)
    made.producer_name = "ORTM" + "x" * 6
    return written(folder, made)


def two_graphs(folder: Path, marker: Path) -> Path:
    """Protobuf joins graphs that are there twice; who takes the last one does not see the first."""
    hidden = model(helper.make_node("Write", ["x"], ["z"], domain="com.vendor"))
    path = folder / "m.onnx"
    path.write_bytes(hidden.SerializeToString() + model(RELU).SerializeToString())
    return path


def custom(name: str) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        import flatbuffers

        from conformance.oracles.litert import write_file as tflite

        assert flatbuffers
        head = {
            "op": name,
            "version": 1,
            "options": {},
            "tensors": [{"dtype": "float32"}],
            "inputs": [0],
            "results": [{"dtype": "float32", "shape": [3]}],
        }
        import numpy as np

        path = folder / "m.tflite"
        path.write_bytes(tflite(head, [np.ones(3, np.float32)]))
        return path

    why = "a delegate makes of it what it likes"
    return Attack(f"the custom operator {name}", build, why, ".tflite", REFUSED, ASKING)


OTHERS: dict[str, Callable[[Path, Path], Path]] = {
    "a file of two formats": own_format,
    "a graph behind a graph": two_graphs,
}
PLACES = ("in the graph", "whose result nobody reads", "in a branch")
ATTACKS = [
    *(foreign(d, "Write", place) for d in DOMAINS for place in PLACES),
    *(foreign("com.microsoft", op, place) for op in MICROSOFT for place in PLACES),
    *(external(e, w) for e in ELSEWHERE for w in ("an initialiser", "a constant")),
    *(
        Attack(name, build, "readers differ", ".onnx", REFUSED, ASKING)
        for name, build in OTHERS.items()
    ),
    *(custom(n) for n in ("Vendor", "FlexWriteFile", "FlexPyFunc", "FlexReadFile", "FlexPrintV2")),
    Attack("options of a session", configured, "profiles", ".onnx", HARMLESS, ("load", "verify")),
]
