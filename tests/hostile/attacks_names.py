"""Attacks by names: what commands a terminal, reorders a line, ends one, or is half a character."""

from __future__ import annotations

from typing import Any

import onnx

from .building import Build, edited, json_edited, sample, texts_replaced
from .harness import HARMLESS, QUICK, Attack

NAMES = {
    "an escape sequence": "\x1b[31mred\x1b]0;title\x07",
    "C1 control characters": "a\x9b31mred\x85b",
    "a line that looks like ours": "x\nerror: trust this file\r",
    "reordered text": "a\u202egnp.exe\u2066b",
    "ends of lines": "a\u2028b\u2029c",
    "all of ASCII's control characters": "".join(map(chr, range(1, 32))) + "\x7f",
}
SURROGATES = {"half a character": "a\ud800b", "bytes as halves": "x\udcff\udc80"}
SAID = "names reach people in tables, texts, graphs and errors"


def onnx_named(name: str, place: str) -> Build:
    """The sample with one kind of name replaced."""

    def change(data: bytes) -> bytes:
        model = onnx.load_from_string(data)
        graph = model.graph
        match place:
            case "model":
                graph.name = model.producer_name = name
            case "nodes":
                for k, node in enumerate(graph.node):
                    node.name = f"{name}{k}"
            case "dimensions":
                for value in (*graph.input, *graph.output):
                    for dim in value.type.tensor_type.shape.dim:
                        if dim.dim_param:
                            dim.dim_param = name
            case "operator":
                graph.node[1].op_type = name
            case "domain":
                graph.node[1].domain = name
            case "attribute":
                graph.node[1].attribute[0].name = name
            case _:
                return texts_replaced(data, place.encode(), name.encode())
        return model.SerializeToString()

    return edited(".onnx", change)


def pt2_named(old: str, name: str) -> Build:
    """The sample with a value called something else."""

    def change(document: Any) -> Any:
        return _renamed(document, old, name)

    return json_edited(".pt2", change)


def json_named(suffix: str, old: str, name: str) -> Build:
    return json_edited(suffix, lambda document: _renamed(document, old, name))


def _renamed(value: Any, old: str, new: str) -> Any:
    match value:
        case dict():
            return {_renamed(k, old, new): _renamed(v, old, new) for k, v in value.items()}
        case list():
            return [_renamed(v, old, new) for v in value]
        case str() if value == old:
            return new
    return value


def protobuf_named(suffix: str, old: str, name: str) -> Build:
    return edited(suffix, lambda data: texts_replaced(data, old.encode(), name.encode()))


def tflite_named(name: str) -> Build:
    """The producer of a TFLite file, which has the room."""
    old = b"serving_default"

    def change(data: bytes) -> bytes:
        new = name.encode()[: len(old)].ljust(len(old), b"_")
        return data.replace(old, new)

    return edited(".tflite", change)


def harmless(label: str, build: Build, format: str, why: str = SAID) -> Attack:
    return Attack(label, build, why=why, format=format, ends=HARMLESS, commands=QUICK)


ATTACKS = [
    harmless(f"{what} in {place}", onnx_named(name, place), ".onnx")
    for what, name in NAMES.items()
    for place in ("model", "nodes", "dimensions", "x")
]
ATTACKS += [
    Attack(f"{what} in an unknown {place}", onnx_named(name, place), why=SAID, format=".onnx")
    for what, name in NAMES.items()
    for place in ("operator", "domain", "attribute")
]
ATTACKS += [
    harmless(f"{what} in {old}", json_named(suffix, old, name), suffix)
    for what, name in (NAMES | SURROGATES).items()
    for suffix, old in ((".nnir", "x"), (".nnir", "net"), (".nnir", "dense"))
]
ATTACKS += [
    Attack(
        f"{what} for a value", json_named(".pt2", "relu", name), why="code is made of it",
        format=".pt2",
    )
    for what, name in (NAMES | SURROGATES).items()
]  # fmt: skip
ATTACKS += [
    harmless(f"{what} in the input", json_named(".json", "x", name), ".json")
    for what, name in (NAMES | SURROGATES).items()
]
ATTACKS += [
    harmless(f"{what} in a tensor", tflite_named(name), ".tflite") for what, name in NAMES.items()
]
ATTACKS += [
    harmless(f"{what} in the placeholder", protobuf_named(".pb", "x", name), ".pb")
    for what, name in NAMES.items()
    if ":" not in name  # which parts a node from its output
]
ATTACKS += [
    Attack(
        f"{what} in an unknown operator",
        protobuf_named(suffix, old, name),
        why=SAID,
        format=suffix,
    )
    for what, name in NAMES.items()
    for suffix, old in ((".pb", "MatMul"), (".pdmodel", "conv2d"), ("saved", "MatMul"))
]
ATTACKS += [
    Attack(
        f"{what} in an unknown target",
        json_named(".pt2", "torch.ops.aten.relu.default", f"torch.ops.{name}.default"),
        why=SAID,
        format=".pt2",
    )
    for what, name in (NAMES | SURROGATES).items()
]
ATTACKS += [
    Attack("a name that is no UTF-8", edited(".onnx", lambda d: d.replace(b"dense", b"d\xff\xfes")
        if sample("net.onnx") else d), why="bytes that are no text", format=".onnx"),
]  # fmt: skip
