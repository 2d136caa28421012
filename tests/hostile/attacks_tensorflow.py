"""Attacks in SavedModels and frozen graphs: operators that act on the world, wherever they lie."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.frontends.paddle_legacy_bytes import varint

from .harness import HARMLESS, REFUSED, Attack

ASKING = ("load", "onnx", "verify", "bisect")
FLOAT, STRING = 1, 7


def part(number: int, content: bytes | str | int) -> bytes:
    """A field of a protobuf message."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def attribute(name: str, value: bytes) -> bytes:
    return part(5, part(1, name) + part(2, value))


def kind(name: str, number: int = FLOAT) -> bytes:
    return attribute(name, part(6, number))


def text(name: str, value: str) -> bytes:
    return attribute(name, part(2, value))


def texts(name: str, values: Iterable[str]) -> bytes:
    return attribute(name, part(1, b"".join(part(2, v) for v in values)))


def kinds(name: str, *numbers: int) -> bytes:
    return attribute(name, part(1, b"".join(part(6, n) for n in numbers)))


def function(name: str, called: str) -> bytes:
    return attribute(name, part(10, part(1, called)))


def node(name: str, op: str, inputs: Iterable[str] = (), *attributes: bytes) -> bytes:
    named = b"".join(part(3, i) for i in inputs)
    return part(1, name) + part(2, op) + named + b"".join(attributes)


SHAPE = part(2, part(1, 3))


def placeholder(name: str = "x") -> bytes:
    return node(name, "Placeholder", (), kind("dtype"), attribute("shape", part(7, SHAPE)))


def string(name: str, value: str) -> bytes:
    tensor = part(1, STRING) + part(2, b"") + part(8, value)
    return node(name, "Const", (), kind("dtype", STRING), attribute("value", part(8, tensor)))


def number(name: str, value: float = 1.0) -> bytes:
    tensor = part(1, FLOAT) + part(2, b"") + part(5, struct.pack("<f", value))
    return node(name, "Const", (), kind("dtype"), attribute("value", part(8, tensor)))


Acting = Callable[[Path], list[bytes]]
"""Nodes that act; the last is called `act`."""

ACTS: dict[str, Acting] = {
    "WriteFile": lambda m: [
        string("path", str(m)),
        string("text", "ran"),
        node("act", "WriteFile", ("path", "text")),
    ],
    "PrintV2 to a file": lambda m: [
        string("text", "ran"),
        node("act", "PrintV2", ("text",), text("output_stream", f"file://{m}")),
    ],
    "PyFunc": lambda m: [
        node("act", "PyFunc", (), text("token", "pyfunc_0"), kinds("Tin"), kinds("Tout")),
    ],
    "EagerPyFunc": lambda m: [
        node("act", "EagerPyFunc", (), text("token", "pyfunc_0"), kinds("Tin"), kinds("Tout")),
    ],
    "SaveV2": lambda m: [
        string("path", str(m)),
        string("name", "v"),
        string("slice", ""),
        number("value"),
        node("act", "SaveV2", ("path", "name", "slice", "value"), kinds("dtypes", FLOAT)),
    ],
    "Save": lambda m: [
        string("path", str(m)),
        string("name", "v"),
        number("value"),
        node("act", "Save", ("path", "name", "value"), kinds("T", FLOAT)),
    ],
    "MergeV2Checkpoints": lambda m: [
        string("path", str(m)),
        node("act", "MergeV2Checkpoints", ("path", "path")),
    ],
    "ReadFile": lambda m: [string("path", "/etc/passwd"), node("act", "ReadFile", ("path",))],
    "MatchingFiles": lambda m: [string("path", "/*"), node("act", "MatchingFiles", ("path",))],
    "RestoreV2": lambda m: [
        string("path", "/etc/passwd"),
        string("name", "v"),
        string("slice", ""),
        node("act", "RestoreV2", ("path", "name", "slice"), kinds("dtypes", FLOAT)),
    ],
    "a table of a file": lambda m: [
        node("table", "HashTableV2", (), kind("key_dtype", STRING), kind("value_dtype", STRING)),
        string("path", "/etc/passwd"),
        node("act", "InitializeTableFromTextFileV2", ("table", "path")),
    ],
    "a summary": lambda m: [
        node("writer", "SummaryWriter"),
        string("path", str(m.parent)),
        node("act", "CreateSummaryFileWriter", ("writer", "path", "path", "path", "path")),
    ],
    "a dataset": lambda m: [
        string("path", "/etc/passwd"),
        node("act", "TextLineDataset", ("path", "path", "path")),
    ],
    "a server": lambda m: [
        string("path", "localhost:1"),
        node("act", "RpcServer", ("path",)),
    ],
    "a call elsewhere": lambda m: [
        string("path", "/job:a"),
        node("act", "RemoteCall", ("path",), function("f", "f")),
    ],
    "an operator of a library": lambda m: [node("act", "VendorWrite", ())],
}


def frozen(*nodes: bytes, functions: Iterable[bytes] = ()) -> bytes:
    library = part(2, b"".join(part(1, f) for f in functions))
    return b"".join(part(1, n) for n in nodes) + library


def body(name: str, nodes: Iterable[bytes], controls: Iterable[str] = ()) -> bytes:
    """A function of one tensor that it returns; `controls` are effects that it has."""
    argument = part(1, "a") + part(3, FLOAT)
    signature = part(1, name) + part(2, argument) + part(3, part(1, "r") + part(3, FLOAT))
    result = part(4, part(1, "r") + part(2, "same:output:0"))
    effects = b"".join(part(6, part(1, c) + part(2, c)) for c in controls)
    inner = b"".join(part(3, n) for n in [*nodes, node("same", "Identity", ("a",), kind("T"))])
    return part(1, signature) + inner + result + effects


def call(name: str, op: str = "StatefulPartitionedCall") -> bytes:
    return node("y", op, ("x",), kinds("Tin", FLOAT), kinds("Tout", FLOAT), function("f", name))


def plain(name: str = "y", source: str = "x", *controls: str) -> bytes:
    return node(name, "Relu", (source, *(f"^{c}" for c in controls)), kind("T"))


def beside_the_result(nodes: list[bytes]) -> bytes:
    return frozen(placeholder(), *nodes, plain("y", "x", "act"))


def in_a_function(nodes: list[bytes]) -> bytes:
    return frozen(placeholder(), call("f"), functions=[body("f", nodes, ["act"])])


def in_a_function_of_a_function(nodes: list[bytes]) -> bytes:
    inner = node(
        *("inner", "StatefulPartitionedCall", ("a",), kinds("Tin", FLOAT), kinds("Tout", FLOAT)),
        function("f", "f"),
    )
    functions = [body("f", nodes, ["act"]), body("g", [inner], ["inner"])]
    return frozen(placeholder(), call("g"), functions=functions)


def unsaid_in_a_function(nodes: list[bytes]) -> bytes:
    """No control output says that it is needed; a stateful node runs nevertheless."""
    return frozen(placeholder(), call("f"), functions=[body("f", nodes)])


PLACES: dict[str, Callable[[list[bytes]], bytes]] = {
    "beside the result": beside_the_result,
    "in a function": in_a_function,
    "in a function of a function": in_a_function_of_a_function,
    "in a function that does not say so": unsaid_in_a_function,
}


def info(name: str) -> bytes:
    return part(1, name) + part(2, FLOAT) + part(3, SHAPE)


def signature(called: str, output: str = "y:0") -> bytes:
    ends = part(1, part(1, "x") + part(2, info("x:0")))
    ends += part(2, part(1, "y") + part(2, info(output)))
    return part(5, part(1, called) + part(2, ends))


def initialiser(called: str, name: str) -> bytes:
    ends = part(2, part(1, called) + part(2, part(1, name)))
    return part(5, part(1, called) + part(2, ends))


def saved(folder: Path, graph: bytes, *more: bytes) -> Path:
    """A SavedModel; `more` are fields of its MetaGraphDef."""
    path = folder / "m"
    path.mkdir()
    tags = part(1, part(4, "serve") + part(5, "2.21.0"))
    meta = tags + part(2, graph) + signature("serving_default") + b"".join(more)
    (path / "saved_model.pb").write_bytes(part(1, 1) + part(2, meta))
    return path


def in_graph(act: str, place: str, *, is_saved: bool) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        graph = PLACES[place](ACTS[act](marker))
        if is_saved:
            return saved(folder, graph)
        path = folder / "m.pb"
        path.write_bytes(graph)
        return path

    form = "SavedModel" if is_saved else ".pb"
    why = "results do not need it, and TensorFlow runs it"
    commands = ASKING if place == "in a function" else ("load", "verify")
    return Attack(f"{act} {place}", build, why, form, REFUSED, commands)


def collection(name: str, content: str) -> bytes:
    nodes = part(1, part(1, content))
    return part(4, part(1, name) + part(2, nodes))


def asset(nodes: bytes) -> bytes:
    return part(6, part(1, part(1, nodes)) + part(2, "../../../../etc/passwd"))


def object_graph(called: str) -> bytes:
    """An object whose creation and initialisation call a function."""
    child = part(1, part(1, 1) + part(2, "_initialize")) + part(1, part(1, 1) + part(2, "table"))
    resource = part(7, part(1, "cpu"))
    concrete = part(2, part(1, called))
    root = part(1, child + part(4, b""))
    made = part(1, child + resource)
    run = part(1, part(6, part(1, called)))
    return part(7, root + made + run + concrete)


ELSEWHERE: dict[str, Callable[[list[bytes]], tuple[bytes, list[bytes]]]] = {
    "an initialiser": lambda n: (
        frozen(placeholder(), plain(), *n),
        [initialiser("__saved_model_init_op", "act")],
    ),
    "a main operator": lambda n: (
        frozen(placeholder(), plain(), *n),
        [collection("saved_model_main_op", "act")],
    ),
    "an initialiser of the older kind": lambda n: (
        frozen(placeholder(), plain(), *n),
        [collection("legacy_init_op", "act")],
    ),
    "another signature": lambda n: (
        frozen(placeholder(), plain(), *n, plain("z", "x", "act")),
        [signature("other", "z:0")],
    ),
    "a function of an object": lambda n: (
        frozen(placeholder(), plain(), functions=[body("f", n, ["act"])]),
        [object_graph("f")],
    ),
    "nowhere": lambda n: (frozen(placeholder(), plain(), *n), []),
    "a saver without variables": lambda n: (
        frozen(placeholder(), plain(), *n),
        [part(3, part(1, "path:0") + part(2, "act:0") + part(3, "act") + part(7, 2))],
    ),
    "an asset": lambda n: (frozen(placeholder(), plain(), *n), [asset(b"path:0")]),
}


def elsewhere(act: str, place: str) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        graph, more = ELSEWHERE[place](ACTS[act](marker))
        return saved(folder, graph, *more)

    why = "TensorFlow runs it as it loads, and no result needs it"
    commands = ("load", "verify") if act == "WriteFile" else ("load", "run")
    return Attack(f"{act} in {place}", build, why, "SavedModel", HARMLESS, commands)


def library_beside(folder: Path, marker: Path) -> Path:
    path = saved(folder, frozen(placeholder(), plain()))
    (path / "assets.extra").mkdir()
    (path / "assets.extra" / "libvendor.so").write_bytes(b"\x7fELF")
    (path / "keras_metadata.pb").write_bytes(b"\x0a\x02hi")
    (path / "fingerprint.pb").write_bytes(b"\xff\xff")
    return path


ATTACKS = [
    *(in_graph(a, p, is_saved=s) for s in (True, False) for p in PLACES for a in ACTS),
    *(elsewhere("WriteFile", place) for place in ELSEWHERE),
    *(elsewhere("PrintV2 to a file", place) for place in ELSEWHERE),
    Attack(
        "files that TensorFlow looks for beside the model",
        library_beside,
        "libraries and metadata",
        "SavedModel",
        HARMLESS,
        ("load", "verify"),
    ),
]
