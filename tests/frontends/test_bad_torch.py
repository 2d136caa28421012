"""Damaged and hostile `.pt2` archives: the right error, one line, nothing else."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import nnadapter as nna
from frontends.torch.reading.container import OLD
from nnir.errors import BadFile, BadModel, NNAdapterError, Unsupported, summary

from .test_fuzz import mutate, survives
from .torch_programs import archive, block, changed, edited, members, saved

CONFIG = "data/weights/model_weights_config.json"


@pytest.fixture(scope="module")
def good() -> bytes:
    return block()


def refused(data: bytes, kind: type[NNAdapterError], text: str) -> None:
    with pytest.raises(kind, match=text) as caught:
        nna.load(data)
    assert "\n" not in summary(caught.value)


def graph(program: dict[str, Any]) -> dict[str, Any]:
    return program["graph_module"]["graph"]


def meta(config: dict[str, Any]) -> dict[str, Any]:
    return config["config"]["first.weight"]["tensor_meta"]


@pytest.mark.parametrize("name", ["archive_format", "byteorder", "models/model.json", CONFIG])
def test_missing_members(good: bytes, name: str) -> None:
    parts = members(good)
    del parts[name]
    with pytest.raises((BadFile, Unsupported)):
        nna.load(archive(parts))


def test_missing_weights(good: bytes) -> None:
    parts = members(good)
    del parts["data/weights/weight_0"]
    refused(archive(parts), BadFile, "has no member 'data/weights/weight_0'")


def test_short_weights(good: bytes) -> None:
    parts = members(good) | {"data/weights/weight_0": b"1234"}
    refused(archive(parts), BadFile, "has 4 bytes")


def test_byte_order(good: bytes) -> None:
    refused(archive(members(good) | {"byteorder": b"big"}), Unsupported, "big-endian")


def test_zip_bomb(good: bytes) -> None:
    parts = members(good) | {"data/weights/weight_0": bytes(50_000_000)}
    started = time.process_time()
    refused(archive(parts, zipfile.ZIP_DEFLATED), BadFile, "compressed")
    assert time.process_time() - started < 1


def test_two_members_of_one_name(good: bytes) -> None:
    buffer = io.BytesIO(archive(members(good)))
    with zipfile.ZipFile(buffer, "a") as target, pytest.warns(UserWarning, match="Duplicate"):
        target.writestr("archive/byteorder", "little")
    refused(buffer.getvalue(), BadFile, "two members")


@pytest.mark.parametrize("place", ["/etc/passwd", "../../../etc/passwd", "../../byteorder"])
def test_weights_outside_the_archive(good: bytes, place: str) -> None:
    def change(config: dict[str, Any]) -> None:
        config["config"]["first.weight"]["path_name"] = place

    refused(edited(good, CONFIG, change), BadFile, "has no member")


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        (lambda c: meta(c).update(sizes=[{"as_int": 1 << 40}, {"as_int": 4}]), BadFile, "behind"),
        (lambda c: meta(c).update(strides=[{"as_int": -4}, {"as_int": 1}]), BadFile, "strides"),
        (lambda c: meta(c).update(storage_offset={"as_int": -1}), BadFile, "offset"),
        (lambda c: meta(c).update(dtype=99), Unsupported, "type 99"),
        (lambda c: meta(c).update(layout=1), Unsupported, "sparse"),
        (lambda c: c["config"]["first.weight"].update(use_pickle=True), Unsupported, "pickled"),
        (lambda c: c["config"].pop("first.weight"), BadFile, "no data for 'first.weight'"),
    ],
)
def test_weights(
    good: bytes, change: Callable[[Any], Any], kind: type[NNAdapterError], text: str
) -> None:
    refused(edited(good, CONFIG, change), kind, text)


def deep(program: dict[str, Any]) -> None:
    node = graph(program)["nodes"][0]
    inner: dict[str, Any] = {
        "inputs": [],
        "outputs": [],
        "tensor_values": {},
        "nodes": [],
    }
    for _ in range(100):
        argument = {"name": "g", "arg": {"as_graph": {"name": "g", "graph": inner}}, "kind": 1}
        inner = {**inner, "nodes": [{**node, "inputs": [argument]}]}
    graph(program)["nodes"] = inner["nodes"]


def own_input(program: dict[str, Any]) -> None:
    for node in graph(program)["nodes"]:
        if node["target"].endswith("relu.default"):
            node["inputs"][0]["arg"]["as_tensor"]["name"] = node["outputs"][0]["as_tensor"]["name"]


def rename(op: str) -> Callable[[dict[str, Any]], None]:
    return lambda p: graph(p)["nodes"][0].update(target=op)


def size(text: str) -> Callable[[dict[str, Any]], None]:
    def change(program: dict[str, Any]) -> None:
        graph(program)["tensor_values"]["x"]["sizes"][0] = {"as_expr": {"expr_str": text}}

    return change


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        (lambda p: p["schema_version"].update(major=9), Unsupported, "schema 9"),
        (lambda p: p.pop("graph_module"), BadFile, "graph_module"),
        (lambda p: graph(p).update(nodes=7), BadFile, "damaged"),
        (deep, BadFile, "deep"),
        (own_input, BadModel, "cycle"),
        (rename("torch.ops.mylib.magic.default"), Unsupported, r"mylib\.magic\.default \(x1\)"),
        (rename("torch.ops.aten.add_.Tensor"), NNAdapterError, "add"),
        (size("__import__('os').system('true')"), BadFile, "not a size"),
        (size("Pow(Symbol('s0'), Integer(99999))"), BadFile, "not a size"),
        (size("(" * 5000), BadFile, "not a size"),
        (size("Symbol('s0')" + "*2" * 9000), BadFile, "a size of"),
        (lambda p: p["range_constraints"].update(s0={"min_val": "x", "max_val": None}), BadFile,
         "range"),
        (lambda p: p["range_constraints"].update(s0={"min_val": 2, "max_val": True}), BadFile,
         "2 to True"),
        (lambda p: p["range_constraints"].update(s0={"min_val": 2, "max_val": 1}), BadFile,
         "2 to 1"),
        (lambda p: graph(p)["outputs"].pop(), BadFile, "damaged"),
        (lambda p: graph(p)["tensor_values"].pop("x"), BadFile, "damaged"),
    ],
)  # fmt: skip
def test_programs(
    good: bytes, change: Callable[[Any], Any], kind: type[NNAdapterError], text: str
) -> None:
    refused(changed(good, change), kind, text)


def test_a_type_that_the_program_gets_wrong(good: bytes) -> None:
    def change(program: dict[str, Any]) -> None:
        graph(program)["tensor_values"]["relu"]["dtype"] = 6

    refused(changed(good, change), BadModel, "the program says float16")


def test_old_and_other_archives() -> None:
    inductor = {"archive_format": b"pt2", "data/aotinductor/model/x.so": b""}
    refused(archive(inductor), Unsupported, "AOTInductor")
    refused(archive({"something": b""}), BadFile, "has no member 'archive_format'")


def test_pickled_weights_of_older_versions(good: bytes) -> None:
    parts = members(good)
    kept = {n: c for n, c in parts.items() if not n.startswith("data/")}
    refused(
        archive({**kept, "data/weights/model.pt": b"?"}),
        Unsupported,
        r"model\.pt', which is a pickle",
    )
    program = parts["models/model.json"]
    old = {OLD: program, "serialized_state_dict.pt": b"?", "version": b"8"}
    refused(archive(old), Unsupported, "serialized_state_dict.pt', which is a pickle")


def test_older_programs_without_weights() -> None:
    class Plain(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(x) + 1

    program = torch.export.export(Plain(), (torch.ones(2),))
    body = members(saved(program))["models/model.json"]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for name, content in (("version", b"8"), (OLD, body), ("serialized_state_dict.pt", b"?")):
            target.writestr(name, content)
    (got,) = nna.compile(nna.load(buffer.getvalue()))(np.float32([-1, 2]))
    np.testing.assert_array_equal(got, [1, 3])


def test_truncated_at_every_place(good: bytes) -> None:
    for end in range(4, len(good), 97):
        with pytest.raises(NNAdapterError):
            nna.load(good[:end])


@pytest.mark.parametrize("seed", range(4))
def test_damaged(good: bytes, seed: int) -> None:
    parts = members(good)
    for round_ in range(60):
        generator = np.random.default_rng((seed, round_))
        name = "models/model.json" if round_ % 3 else CONFIG
        damaged = archive({**parts, name: mutate(parts[name], generator)})
        started = time.process_time()
        assert "\n" not in survives(damaged if round_ % 2 else mutate(good, generator))
        assert time.process_time() - started < 5


def test_nothing_is_written_beside_a_bad_file(good: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.pt2"
    path.write_bytes(good[:3000])
    with pytest.raises(NNAdapterError):
        nna.convert(path, tmp_path / "out.nnir")
    assert [p.name for p in tmp_path.iterdir()] == ["bad.pt2"]
