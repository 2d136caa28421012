"""Attacks by what a small file asks for: elements, depth, counts, and work."""

from __future__ import annotations

import json
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .building import (
    Build,
    archive_of,
    bytes_of,
    edited,
    good,
    graph_changed,
    header_changed,
    json_edited,
    members,
    nested,
    sample,
    sparse,
)
from .damage import varint
from .harness import HARMLESS, Attack

HUGE = 10**12
CONFIG = "data/weights/model_weights_config.json"
node = helper.make_node


def info(name: str, shape: list[Any] | None, kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def onnx_of(nodes: list[onnx.NodeProto], shape: list[Any] | None = None, **weights: Any) -> Build:
    """A model of `nodes` from x to y."""
    tensors = [numpy_helper.from_array(np.asarray(v), k) for k, v in weights.items()]
    graph = helper.make_graph(nodes, "g", [info("x", shape or [1])], [info("y", None)], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return bytes_of(model.SerializeToString(), ".onnx")


def claimed(dims: list[int], kind: int = TensorProto.FLOAT, raw: bytes = b"") -> Build:
    """The sample with a weight that says it is of other sizes."""

    def change(data: bytes) -> bytes:
        model = onnx.load_from_string(data)
        weight = model.graph.initializer[0]
        weight.data_type = kind
        del weight.dims[:]
        weight.dims.extend(dims)
        if raw:
            weight.raw_data = raw
        return model.SerializeToString()

    return edited(".onnx", change)


def external(**fields: str) -> Build:
    """A weight that lies where these fields say; the file beside it has 60 bytes."""

    def build(folder: Path, marker: Path) -> Path:
        model = onnx.load_from_string(sample("external.onnx"))
        (folder / "external.data").write_bytes(sample("external.data"))
        for entry in model.graph.initializer[0].external_data:
            entry.value = fields.get(entry.key, entry.value)
        path = folder / "m.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    return build


def meta(**fields: Any) -> Build:
    """A `.pt2` weight with other sizes, strides or offset."""

    def change(data: bytes) -> bytes:
        parts = members(data)
        (name,) = (n for n in parts if n.endswith(CONFIG))
        config = json.loads(parts[name])
        entry = next(iter(config["config"].values()))["tensor_meta"]
        for key, value in fields.items():
            entry[key] = (
                [{"as_int": v} for v in value] if isinstance(value, list) else {"as_int": value}
            )
        parts[name] = json.dumps(config).encode()
        return archive_of(parts)

    return edited(".pt2", change)


def deep_json(suffix: str, member: str = "") -> Build:
    text = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    match suffix:
        case ".pt2":
            return edited(
                ".pt2",
                lambda d: archive_of({n: text if n.endswith(member) else c
                                      for n, c in members(d).items()}),
            )  # fmt: skip
        case ".nnir":
            return edited(".nnir", lambda d: graph_changed(d, lambda _: text))
    return bytes_of(b'{"base_code":{"magic":"pir","version":1},"program":' + text + b"}", suffix)


def weight_of(**changes: Any) -> Build:
    """A `.nnir` file whose first weight says something else."""

    def change(document: Any) -> None:
        document["w0"].update(changes)

    return edited(".nnir", lambda data: header_changed(data, change))


def nnir_weights(weights: list[Any]) -> Build:
    def change(document: Any) -> None:
        document["weights"] = weights

    return json_edited(".nnir", change)


def many_inputs(document: Any) -> None:
    row = document["values"][0]
    document["values"] = [row] * 200_000
    document["inputs"] = list(range(200_000))


def of_shape(*sizes: Any) -> Build:
    """A `.nnir` file whose first value has these sizes."""

    def change(document: Any) -> None:
        document["values"][0][1][1] = list(sizes)

    return json_edited(".nnir", change)


def pir_of_shape(*sizes: Any) -> Build:
    """A PIR program whose parameters have these sizes."""

    def change(document: Any) -> None:
        for operation in document["program"]["regions"][0]["blocks"][0]["ops"]:
            if operation["#"] == "p":
                result = operation["O"]
                result = result[0] if isinstance(result, list) else result
                result["TT"]["D"][1] = list(sizes)

    return json_edited(".json", change)


def parameters(data: bytes, suffix: str) -> Build:
    """A good program with other parameters."""

    def build(folder: Path, marker: Path) -> Path:
        path = good(folder, suffix)
        path.with_suffix(".pdiparams").write_bytes(data)
        return path

    return build


def tail_of_parameters(suffix: str) -> Build:
    def build(folder: Path, marker: Path) -> Path:
        path = good(folder, suffix)
        os.truncate(path.with_suffix(".pdiparams"), 20 << 30)
        return path

    return build


def parameter(sizes: list[int], code: int = 5, levels: int = 0) -> bytes:
    described = varint(1 << 3) + varint(code)
    for size in sizes:
        described += varint(2 << 3) + varint(size)
    return struct.pack("<IQIi", 0, levels, 0, len(described)) + described


def index_of_zeros(folder: Path, marker: Path) -> Path:
    path = good(folder, "saved")
    sparse(path / "variables" / "variables.index", b"")
    return path


def shards_of(count: int) -> Build:
    """A checkpoint that says it is in so many files."""

    def build(folder: Path, marker: Path) -> Path:
        path = good(folder, "saved")
        index = path / "variables" / "variables.index"
        data = index.read_bytes()
        index.write_bytes(data.replace(b"\x08\x01", b"\x08" + varint(count)[:1], 1))
        return path

    return build


def compressed(data: bytes) -> bytes:
    """The program as a thousandth of its size."""
    parts = members(data)
    name = next(n for n in parts if n.endswith("models/model.json"))
    parts[name] = b" " * (200 << 20) + parts[name]
    return archive_of(parts, zipfile.ZIP_DEFLATED)


def many_members(data: bytes) -> bytes:
    parts = members(data) | {f"net/extra/{k}": b"" for k in range(65_000)}
    del parts[next(n for n in parts if n.endswith("models/model.json"))]
    return archive_of(parts)


def counted(number: int) -> Build:
    """An archive whose end counts other members than there are."""

    def change(data: bytes) -> bytes:
        place = data.rindex(b"PK\x05\x06")
        return data[: place + 8] + struct.pack("<HH", number, number) + data[place + 12 :]

    return edited(".pt2", change)


def vectors(count: int, slot: int) -> Build:
    """A TFLite file whose graph has a vector with this length."""

    def change(data: bytes) -> bytes:
        from nnir.formats.flatbuffer import Bytes

        changed = bytearray(data)
        place = Bytes(data).root().tables(2)[0].place(slot)
        assert place is not None
        start = place + struct.unpack_from("<I", data, place)[0]
        struct.pack_into("<I", changed, start, count)
        return bytes(changed)

    return edited(".tflite", change)


def attribute(suffix_name: str, value: Any) -> Build:
    def change(document: Any) -> None:
        document["operations"][0][2][suffix_name] = value

    return json_edited(".nnir", change)


def big_svd(folder: Path, marker: Path) -> Path:
    """Singular values of a constant of 25 MB: minutes, from a file that is mostly a hole."""
    size = 2500
    graph = helper.make_graph(
        [node("Det", ["w"], ["d"]), node("Add", ["x", "d"], ["y"])],
        "g",
        [info("x", [1])],
        [info("y", None)],
        [
            TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[size, size]),
        ],
    )
    weight = graph.initializer[0]
    weight.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "w.data"), ("length", str(size * size * 4))):
        entry = weight.external_data.add()
        entry.key, entry.value = key, value
    sparse(folder / "w.data", b"", size * size * 4)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return path


OUTSIDE = {
    "behind the file": {"offset": "100"},
    "before the file": {"offset": "-4"},
    "of huge length": {"length": str(2**63)},
    "at no number": {"offset": "1e3"},
    "at a number of a million digits": {"offset": "9" * 1_000_000},
    "in another folder": {"location": "../external.data"},
    "at an absolute path": {"location": "/etc/passwd"},
    "in a device": {"location": "/dev/zero"},
    "in a folder": {"location": "."},
    "nowhere": {"location": "nothing"},
    "at a NUL": {"location": "a\0b"},
    "at a long name": {"location": "n" * 5000},
    "at an escape": {"location": "\x1b[31m/../../x"},
}
ATTACKS = [
    Attack(f"external data {what}", external(**fields), why="a weight that is not there",
           format=".onnx")
    for what, fields in OUTSIDE.items()
]  # fmt: skip
ATTACKS += [
    Attack(f"a weight of {what}", claimed(dims), why="products of sizes", format=".onnx")
    for what, dims in {
        "4e37 elements": [2**62, 2**62],
        "a product that wraps to 0": [2**32, 2**32],
        "sizes below 0": [-4, -3],
        "more sizes than data": [HUGE],
        "a hundred thousand axes": [1] * 100_000,
    }.items()
]
ATTACKS += [
    Attack("ranges without end", onnx_of([node("Range", ["a", "b", "c"], ["r"]),
        node("Add", ["x", "r"], ["y"])], a=np.float32(0), b=np.float32(1), c=np.float32(0)),
        why="a step of 0", format=".onnx", commands=("run", "verify", "bisect")),
    Attack("pieces without end", onnx_of([node("Split", ["x"], ["y"], num_outputs=HUGE)], [HUGE]),
        why="a count", format=".onnx"),
    Attack("an axis outside", onnx_of([node("Softmax", ["x"], ["y"], axis=2**62)]),
        why="an axis", format=".onnx"),
    Attack("messages in messages", bytes_of(nested(100_000, 1), ".pdmodel"), why="depth",
        format=".pdmodel"),
    Attack("messages in messages", bytes_of(nested(100_000, 1), ".pb"), why="depth", format=".pb"),
    Attack("the determinant of 25 MB", big_svd, why="work, not size", format=".onnx",
        ends=HARMLESS, commands=("load", "check", "inspect")),
]  # fmt: skip
ATTACKS += [
    Attack(f"a weight with {what}", meta(**fields), why=why, format=".pt2")
    for what, why, fields in (
        ("stride 0", "15 GB of a few bytes", {"sizes": [60_000, 65_536], "strides": [0, 0]}),
        ("one stride of 0", "a row again", {"sizes": [HUGE, 1, 1, 1], "strides": [0, 1, 1, 1]}),
        ("a huge stride", "outside", {"sizes": [2, 1, 1, 1], "strides": [2**62, 1, 1, 1]}),
        ("a stride below 0", "before", {"sizes": [2, 1, 1, 1], "strides": [-1, 1, 1, 1]}),
        ("huge sizes", "overflow", {"sizes": [2**62] * 4}),
        ("sizes below 0", "negative", {"sizes": [-2, 1, 3, 3]}),
        ("a huge offset", "outside", {"storage_offset": 2**62}),
        ("more strides than sizes", "lists", {"strides": [1] * 9}),
        ("a hundred axes", "axes", {"sizes": [1] * 100, "strides": [1] * 100}),
    )
]
ATTACKS += [
    Attack("a deep document", deep_json(".pt2", "models/model.json"), why="depth", format=".pt2"),
    Attack("a deep table of weights", deep_json(".pt2", CONFIG), why="depth", format=".pt2"),
    Attack("a deep document", deep_json(".json"), why="depth", format=".json"),
    Attack("a deep document", deep_json(".nnir"), why="depth", format=".nnir"),
    Attack("a bomb", edited(".pt2", compressed), why="200 MB of 200 kB", format=".pt2"),
    Attack("sixty thousand members", edited(".pt2", many_members), why="counts", format=".pt2"),
    Attack("a member in 20 GB", edited(".pt2", lambda d: d[:-22] + b"\0" * 4000 + d[-22:]),
        why="offsets", format=".pt2"),
]  # fmt: skip
ATTACKS += [
    Attack(f"a weight {what}", weight_of(**changes), why="offsets", format=".nnir")
    for what, changes in {
        "behind the file": {"data_offsets": [0, 2**40]},
        "that ends before it begins": {"data_offsets": [48, 0]},
        "before the file": {"data_offsets": [-48, 0]},
        "at no number": {"data_offsets": ["0", "48"]},
        "at three places": {"data_offsets": [0, 48, 49]},
        "at infinity": {"data_offsets": [0, 1e300]},
    }.items()
]
ATTACKS += [
    Attack(f"weights {what}", nnir_weights(weights), why="types", format=".nnir")
    for what, weights in {
        "of huge sizes": [["FLOAT32", [2**62, 2**62]]] * 2,
        "of sizes below 0": [["FLOAT32", [-4, -3]]] * 2,
        "of no type": [["FLOAT1", [4, 3]]] * 2,
        "of a thousand axes": [["FLOAT32", [1] * 1000]] * 2,
        "that are missing": [],
    }.items()
]
ATTACKS += [
    Attack(f"a value {what}", of_shape(*sizes), why="sizes", format=".nnir")
    for what, sizes in {
        "of 1e24 axes": (10**24,),
        "that divides by 0": ("a//0",),
        "of a size that is code": ("__import__('os').system('x')",),
        "of a deep size": ("(" * 3000 + "a" + ")" * 3000,),
        "of a size that grows": ("a*a*a*a*a" * 200 + "*a",),
        "of sizes below 0": (-1, 4),
        "of a real size": (1.5,),
        "of a size that is true": (True, "a"),
    }.items()
]
ATTACKS += [
    Attack("two hundred thousand inputs of one name", json_edited(".nnir", many_inputs),
        why="counts", format=".nnir", commands=("load", "run")),
    Attack("a header of 2**63 bytes", edited(".nnir", lambda d: b"\xff" * 7 + b"\x7f" + d[8:]),
        why="lengths", format=".nnir"),
    Attack("an attribute that is NaN", attribute("transpose_x", {"float": "nan"}),
        why="types", format=".nnir"),
    Attack("an attribute that is a model", attribute("transpose_x", {"model": {}}), why="types",
        format=".nnir"),
    Attack("an unknown attribute", attribute("__class__", 1), why="names", format=".nnir"),
]  # fmt: skip
ATTACKS += [
    Attack(f"parameters of {what}", pir_of_shape(*sizes), why="sizes", format=".json")
    for what, sizes in {
        "huge sizes": (2**62, 2**62),
        "sizes below 0": (-7, 3),
        "a size that is a text": ("3", 4),
        "a hundred axes": (1,) * 100,
    }.items()
]
ATTACKS += [
    Attack(f"{what} in the parameters", parameters(data, suffix), why=why, format=suffix)
    for suffix in (".json", ".pdmodel")
    for what, why, data in (
        ("huge sizes", "products", parameter([2**31, 2**31, 2**31])),
        ("sizes below 0", "negative", parameter([-1, 4])),
        ("levels without end", "counts", parameter([1], levels=2**60)),
        ("no type", "types", parameter([1], code=999)),
        ("a hundred axes", "axes", parameter([1] * 100)),
        ("another version", "versions", b"\x01" + b"\0" * 40),
        ("a descriptor of 2 GB", "lengths", struct.pack("<IQIi", 0, 0, 0, 2**31 - 1)),
        ("a descriptor below 0", "lengths", struct.pack("<IQIi", 0, 0, 0, -1)),
    )
]
ATTACKS += [
    Attack("a tail of 20 GB of parameters", tail_of_parameters(suffix), why="read in pieces",
           format=suffix)
    for suffix in (".json", ".pdmodel")
]  # fmt: skip
ATTACKS += [
    Attack("an index of 20 GB of zeros", index_of_zeros, why="a table", format="saved"),
    *(
        Attack(f"a vector of {count} in slot {slot}", vectors(count, slot), why="counts",
               format=".tflite")
        for count in (2**31 - 1, 2**32 - 1, 10**6)
        for slot in (0, 1, 2, 3)
    ),
]  # fmt: skip
ATTACKS += [
    Attack(f"a directory that counts {n} members", counted(n), why="counts", format=".pt2")
    for n in (0, 1, 60_000)
]
