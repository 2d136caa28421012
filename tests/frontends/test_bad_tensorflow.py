"""Damaged and hostile SavedModels and graphs: the right error, one line, within seconds."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from frontends import tensorflow as frontend
from frontends.tensorflow.reading import saved_model
from frontends.tensorflow.reading.flatten import Node
from nnir.errors import BadFile, BadModel, NNAdapterError, Unsupported, summary
from nnir.model import Model

from .test_fuzz import mutate

SECONDS = 5.0
FLOAT = 1
Field = tuple[int, Any]


def number(value: int) -> bytes:
    """A varint."""
    value &= (1 << 64) - 1
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def message(*fields: Field) -> bytes:
    """Protobuf of integers, texts and messages."""
    found = b""
    for key, value in fields:
        if isinstance(value, int):
            found += number(key << 3) + number(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            found += number(key << 3 | 2) + number(len(content)) + content
    return found


def attributes(key: int, **values: bytes) -> list[Field]:
    return [(key, message((1, k), (2, v))) for k, v in values.items()]


def node(name: str, op: str, *inputs: str, **values: bytes) -> bytes:
    """A NodeDef."""
    return message((1, name), (2, op), *((3, i) for i in inputs), *attributes(5, **values))


def sizes(*dims: int) -> bytes:
    return message(*((2, message((1, d))) for d in dims))


def kind(code: int = FLOAT) -> bytes:
    """An attribute that is a type."""
    return message((6, code))


def tensor(*dims: int, code: int = FLOAT, values: tuple[Field, ...] = ()) -> bytes:
    """An attribute that is a tensor."""
    return message((8, message((1, code), (2, sizes(*dims)), *values)))


def calls(name: str) -> bytes:
    """An attribute that is a function."""
    return message((10, message((1, name))))


def types(count: int) -> bytes:
    return message((1, message(*[(6, FLOAT)] * count)))


def function(name: str, *nodes: bytes, result: str) -> bytes:
    """A FunctionDef from `x` to `y`."""
    argument = message((1, "x"), (3, FLOAT))
    signature = message((1, name), (2, argument), (3, message((1, "y"), (3, FLOAT))))
    given = [(3, n) for n in nodes]
    return message((1, signature), *given, (4, message((1, "y"), (2, result))))


def call(name: str, target: str, argument: str) -> bytes:
    given = {"Tin": types(1), "Tout": types(1), "f": calls(target)}
    return node(name, "PartitionedCall", argument, **given)


X = node("x", "Placeholder", dtype=kind(), shape=message((7, sizes(2))))


def graph(*nodes: bytes, functions: tuple[bytes, ...] = ()) -> bytes:
    library = message(*((1, f) for f in functions))
    return message(*((1, n) for n in nodes), (2, library))


def doubling(depth: int) -> tuple[bytes, ...]:
    """Functions that each call the next one twice."""
    made = [
        function(
            f"f{k}",
            call("a", f"f{k + 1}", "x"),
            call("b", f"f{k + 1}", "a:output:0"),
            result="b:output:0",
        )
        for k in range(depth)
    ]
    return (*made, function(f"f{depth}", node("a", "Neg", "x", T=kind()), result="a:y:0"))


def chain(depth: int) -> tuple[bytes, ...]:
    """Functions that each call the next one."""
    rest = [
        function(f"f{k}", call("a", f"f{k + 1}", "x"), result="a:output:0") for k in range(depth)
    ]
    return (*rest, function(f"f{depth}", node("a", "Neg", "x", T=kind()), result="a:y:0"))


def itself(op: str, **given: bytes) -> tuple[bytes, ...]:
    """A function that has itself as its body or branch."""
    flag = node("flag", "Const", dtype=kind(10), value=tensor(code=10, values=((11, 1),)))
    inner = node("a", op, *(["flag", "x"] if op == "If" else ["x"]), **given)
    return (function("f", flag, inner, result="a:output:0"),)


def deep_attribute(depth: int) -> bytes:
    """Functions in attributes of functions."""
    inner = message((1, "f"))
    for _ in range(depth):
        inner = message((1, "f"), (2, message((1, "g"), (2, message((10, inner))))))
    return message((10, inner))


BRANCHES = {
    "Tcond": kind(10),
    "Tin": types(1),
    "Tout": types(1),
    "then_branch": calls("f"),
    "else_branch": calls("f"),
}
BODY = {"T": types(1), "cond": calls("f"), "body": calls("f")}
ENTRY = call("y", "f0", "x")
HUGE = 1 << 40

GRAPHS: dict[str, tuple[bytes, type[NNAdapterError], str]] = {
    "a cycle": (
        graph(X, node("a", "Add", "x", "b", T=kind()), node("b", "Neg", "a", T=kind()),
              node("y", "Neg", "b", T=kind())),
        BadModel, "cycle through",
    ),
    "reads itself": (
        graph(X, node("a", "Add", "x", "a", T=kind()), node("y", "Neg", "a", T=kind())),
        BadModel, "cycle through",
    ),
    "no such node": (graph(X, node("y", "Neg", "nobody", T=kind())), BadModel, "no node 'nobody'"),
    "no such result": (graph(X, node("y", "Neg", "x:3", T=kind())), BadModel, "has 1 results"),
    "no number": (graph(X, node("y", "Neg", "x:-1", T=kind())), BadModel, "is no tensor"),
    "two of one name": (graph(X, X), BadModel, "two nodes"),
    "no such operator": (graph(X, node("y", "MyOwn", "x")), Unsupported, "MyOwn"),
    "an operator without converter": (
        graph(X, node("y", "Requantize", *"xxxxx", Tinput=kind(13))), Unsupported, "Requantize",
    ),
    "too few inputs": (graph(X, node("y", "Add", "x", T=kind())), BadModel, "'y' is missing"),
    "too many inputs": (graph(X, node("y", "Neg", "x", "x", T=kind())), BadModel, "1 are expected"),
    "no count": (graph(X, node("y", "AddN", "x", T=kind())), BadModel, "of N=None"),
    "a huge count": (
        graph(X, node("y", "AddN", "x", T=kind(), N=message((3, HUGE)))), BadModel, "of N=",
    ),
    "a negative count": (
        graph(X, node("y", "AddN", "x", T=kind(), N=message((3, -1)))), BadModel, "of N=-1",
    ),
    "huge results": (
        graph(X, node("y", "Unpack", "x", T=kind(), num=message((3, HUGE)))), BadModel, "of num=",
    ),
    "no such function": (graph(X, call("y", "nobody", "x")), BadModel, "calls 'nobody'"),
    "no function": (graph(X, node("y", "PartitionedCall", "x", Tin=types(1))), BadModel, "calls"),
    "a function calls itself": (
        graph(X, ENTRY, functions=(function("f0", call("a", "f0", "x"), result="a:output:0"),)),
        BadModel, "calls itself",
    ),
    "deep calls": (graph(X, ENTRY, functions=chain(200)), BadModel, "deep"),
    "calls that double": (graph(X, ENTRY, functions=doubling(50)), BadModel, "no end"),
    "a branch of itself": (
        graph(X, call("y", "f", "x"), functions=itself("If", **BRANCHES)), BadModel, "itself",
    ),
    "a body of itself": (
        graph(X, call("y", "f", "x"), functions=itself("While", **BODY)), BadModel, "itself",
    ),
    "no result": (
        graph(X, ENTRY, functions=(function("f0", result="nobody:y:0"),)), BadModel, "no node",
    ),
    "a wrong result": (
        graph(X, ENTRY, functions=(
            function("f0", node("a", "Neg", "x", T=kind()), result="a:z:0"),)),
        BadModel, "has no result 'z'",
    ),
    "deep attributes": (
        graph(X, node("y", "Neg", "x", f=deep_attribute(500))), BadFile, "deep",
    ),
    "a constant of negative size": (
        graph(node("y", "Const", dtype=kind(), value=tensor(-1))), BadFile, "shape",
    ),
    "a constant with too few bytes": (
        graph(node("y", "Const", dtype=kind(), value=tensor(4, values=((4, b"abc"),)))),
        BadFile, "3 bytes for",
    ),
    "a constant with too many values": (
        graph(node("y", "Const", dtype=kind(), value=tensor(1, values=((5, bytes(12)),)))),
        BadFile, "3 values",
    ),
    "a constant of texts": (
        graph(node("y", "Const", dtype=kind(7), value=tensor(1, code=7, values=((8, b"a"),)))),
        NNAdapterError, "Const",
    ),
    "an input of unknown type": (
        graph(node("x", "Placeholder", dtype=kind(99), shape=message((7, sizes(2))))),
        Unsupported, "type 99",
    ),
    "an input of unknown rank": (
        graph(node("x", "Placeholder", dtype=kind())), Unsupported, "unknown rank",
    ),
    "an attribute that nobody knows": (
        graph(X, node("y", "Neg", "x", T=kind(), extra=kind())), NNAdapterError, "neg",
    ),
    "a variable without value": (
        graph(node("v", "VarHandleOp", dtype=kind(), shape=message((7, sizes(2)))),
              node("y", "ReadVariableOp", "v", dtype=kind())),
        Unsupported, "has no value",
    ),
    "what writes": (
        graph(X, node("v", "VarHandleOp", dtype=kind()),
              node("y", "AssignVariableOp", "v", "x", dtype=kind())),
        NNAdapterError, "no value|writes",
    ),
}  # fmt: skip


def refused(load: Callable[[], Model], error: type[NNAdapterError], text: str) -> None:
    started = time.process_time()
    with pytest.raises(error, match=text) as caught:
        load()
    assert "\n" not in summary(caught.value)
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs(name: str, tmp_path: Path) -> None:
    data, error, text = GRAPHS[name]
    path = tmp_path / "bad.pb"
    path.write_bytes(data)
    refused(lambda: frontend.load(path), error, text)


def test_huge_constants_take_no_memory(tmp_path: Path) -> None:
    """One value that repeats; to compute with it is another matter."""
    value = tensor(HUGE, values=((5, bytes(4)),))
    path = tmp_path / "huge.pb"
    path.write_bytes(graph(node("c", "Const", dtype=kind(), value=value),
                           node("y", "Neg", "c", T=kind())))  # fmt: skip
    started = time.process_time()
    outcome(path)
    assert time.process_time() - started < SECONDS


def test_long_chains(tmp_path: Path) -> None:
    """Graphs are as deep as they like: nothing recurs along their nodes."""
    nodes = [node(f"n{k}", "Neg", f"n{k - 1}" if k else "x", T=kind()) for k in range(5000)]
    path = tmp_path / "long.pb"
    path.write_bytes(graph(X, *reversed(nodes)))
    assert len(frontend.load(path).operations) == 5000


def outcome(path: Path) -> str:
    """Load and run; the error's text, or nothing."""
    try:
        model = frontend.load(path)
        shapes = [[d if isinstance(d, int) else 1 for d in v.shape] for v in model.inputs]
        if sum(int(np.prod(s)) for s in shapes) < 1e6:
            inputs = [np.zeros(s, v.dtype) for s, v in zip(shapes, model.inputs, strict=True)]
            nna.compile(model)(*inputs)
    except NNAdapterError as error:
        return summary(error)
    return ""


def test_restored_through_a_circle() -> None:
    """A value assigned from Identities that read each other is refused, not followed forever."""
    nodes = {
        "assign": Node("assign", "AssignVariableOp", ("handle", "a"), (), {}),
        "a": Node("a", "Identity", ("b",), (), {}),
        "b": Node("b", "Identity", ("a:0",), (), {}),
    }
    with pytest.raises(BadFile, match="'a' reads itself"):
        saved_model._assigned_keys(nodes, None)


@pytest.fixture
def folder(models: Path, tmp_path: Path) -> Path:
    """A SavedModel with a variable that may be damaged."""
    shutil.copytree(models / "cond", tmp_path / "model")
    return tmp_path / "model"


def test_missing_files(folder: Path) -> None:
    (folder / "variables" / "variables.data-00000-of-00001").unlink()
    refused(lambda: frontend.load(folder), BadFile, "cannot read .*variables.data")
    (folder / "variables" / "variables.index").unlink()
    refused(lambda: frontend.load(folder), BadFile, r"has no variables/variables\.index")
    (folder / "saved_model.pb").unlink()
    refused(lambda: frontend.load(folder), BadFile, r"cannot read .*saved_model\.pb")


def test_short_data(folder: Path) -> None:
    data = folder / "variables" / "variables.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:20])
    refused(lambda: frontend.load(folder), BadFile, "ends behind the checkpoint's data file")
    data.write_bytes(b"")
    refused(lambda: frontend.load(folder), BadFile, "ends behind the checkpoint's data file")


def test_damaged_data(folder: Path) -> None:
    data = folder / "variables" / "variables.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    content[3] ^= 1
    data.write_bytes(content)
    refused(lambda: frontend.load(folder), BadFile, "is damaged: its checksum")


def test_damaged_index(folder: Path) -> None:
    """Every byte counts, but those of the footer that nothing reads."""
    index = folder / "variables" / "variables.index"
    content = index.read_bytes()
    harmless = 0
    for place in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        index.write_bytes(damaged)
        text = outcome(folder)
        assert "\n" not in text
        harmless += not text
    assert harmless < 20
    for end in range(0, len(content), 5):
        index.write_bytes(content[:end])
        refused(lambda: frontend.load(folder), BadFile, "checkpoint|cannot read|no variable")


def renamed(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content
    assert len(old) == len(new)
    path.write_bytes(content.replace(old, new))


def test_missing_key(folder: Path) -> None:
    renamed(folder / "saved_model.pb", b"weight/.ATTRIBUTES", b"wieght/.ATTRIBUTES")
    refused(lambda: frontend.load(folder), BadFile, "has no variable 'wieght/")


def test_missing_function(folder: Path) -> None:
    renamed(
        folder / "saved_model.pb",
        b"__inference_signature_wrapper",
        b"__inference_SIGNATURE_wrapper",
    )
    content = (folder / "saved_model.pb").read_bytes()
    first = content.index(b"__inference_SIGNATURE_wrapper")
    damaged = content[:first] + b"__inference_nothing__________" + content[first + 29 :]
    (folder / "saved_model.pb").write_bytes(damaged)
    refused(lambda: frontend.load(folder), BadModel, "which it does not have")


def test_other_tags(models: Path) -> None:
    refused(
        lambda: saved_model.read(models / "cond", tags=["gpu"]),
        BadFile,
        r"no graph with the tags \['gpu'\]; the SavedModel has \[\['serve'\]\]",
    )


def test_truncated_at_every_place(folder: Path) -> None:
    content = (folder / "saved_model.pb").read_bytes()
    for end in range(0, len(content), 61):
        (folder / "saved_model.pb").write_bytes(content[:end])
        refused(lambda: frontend.load(folder), NNAdapterError, ".")


@pytest.mark.parametrize("name", ["cond", "while", "list", "calls"])
def test_random_damage(models: Path, name: str, tmp_path: Path) -> None:
    target = tmp_path / name
    shutil.copytree(models / name, target)
    content = (target / "saved_model.pb").read_bytes()
    texts = []
    for seed in range(100):
        damaged = mutate(content, np.random.default_rng((seed, len(content))))
        (target / "saved_model.pb").write_bytes(damaged)
        started = time.process_time()
        texts.append(outcome(target))
        assert time.process_time() - started < SECONDS, f"mutation {seed} took too long"
    assert sum(map(bool, texts)) > len(texts) // 2
    assert not any("\n" in t for t in texts)


def test_random_damage_of_a_graph(models: Path, tmp_path: Path) -> None:
    content = (models / "frozen.pb").read_bytes()
    path = tmp_path / "damaged.pb"
    for seed in range(300):
        path.write_bytes(mutate(content, np.random.default_rng(seed)))
        assert "\n" not in outcome(path)
