"""The writer of OpenVINO's IR: its graphs and files are those of OpenVINO itself."""

from __future__ import annotations

import ast
import contextlib
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import pytest
import torch

import nnadapter as nna
from conformance.engines.engine import Answer
from conformance.suites.operators import book
from hal.drivers.openvino.constants import tensor_of
from hal.drivers.openvino.emitter import Emitter, graph
from hal.drivers.openvino.families import LOWERINGS
from nnir.dim import symbol
from nnir.errors import NNAdapterError, NoLowering
from nnir.formats.openvino import runtime as paper
from nnir.formats.openvino.files import ALIGNMENT
from nnir.formats.openvino.graph import Node, Output
from nnir.formats.openvino.nodes import create, kinds
from nnir.model import Model
from nnir.ops import activation, conv, index, linear, shape, unary
from nnir.pairs import as_pairs
from nnir.types import Precision, TensorType

from ..conftest import folder_of
from ..docs import models as documented
from ..nnadapter.test_quantize_weights import BLOCK, texts, transformer
from ..nnadapter.test_states import Keeper
from ..nnir import quantised_models
from .ir_misfits import Book
from .ir_twins import REFUSED, first_difference, twins
from .stock_openvino import require_equal

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "data" / "samples"
SOURCES = ROOT / "hal" / "drivers" / "openvino"
FRONTENDS = ("nnir", "onnx", "torch", "tensorflow", "paddle")
EVERY = 1 if os.environ.get("NNADAPTER_IR") == "all" else 16
"""One of so many cases is written; NNADAPTER_IR=all writes them all, in two minutes."""

COMPARED = {"Greater", "GreaterEqual", "IsFinite", "IsInf"}
"""Nodes that lowerings look for and make none of."""

BODIES = {"If", "Loop", "TensorIterator"}
ENDS = {"Constant", "Parameter", "Result", "ReadValue", "Assign"}


def cases(every: int) -> Iterator[tuple[str, Model]]:
    """Models of the cases of frontends that need nobody else for it."""
    for frontend in FRONTENDS:
        for number, (name, (engine, case)) in enumerate(book(frontend).cases.items()):
            if number % every or name.startswith("model-"):
                continue
            try:
                made = getattr(case, "outputs", 1)
                yield f"{frontend} {name}", engine.model(case, Answer([], made=made))
            except (NNAdapterError, IndexError):  # refused, or in need of the origin
                continue


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of("tests.conformance.networks", tmp_path_factory)


@pytest.mark.long
def test_cases_are_written_as_openvino_writes_them(tmp_path: Path) -> None:
    """Every layer, port, size, attribute, name and number; what it refuses is refused."""
    differing, refused, count = {}, 0, 0
    for name, model in cases(EVERY):
        theirs, ours = twins(model, tmp_path)
        count += 1
        refused += theirs == REFUSED
        if why := first_difference(theirs, ours):
            differing[name] = why
    assert not differing, differing
    assert count > 16000 / EVERY
    assert 0 < refused < count / 4


def nodes(monkeypatch: pytest.MonkeyPatch) -> Book:
    """Nodes that models are made of."""
    noted = Book(most=6)

    def keep(name: str, inputs: Sequence[Output], given: Mapping[str, Any]) -> Node:
        noted.note(name, inputs, given)
        return create(name, inputs, given)

    with monkeypatch.context() as patch:
        patch.setattr(paper, "create", keep)
        for _, model in cases(4 * EVERY):
            with contextlib.suppress(NoLowering):
                graph(Emitter(LOWERINGS, paper), as_pairs(model))
    return noted


@pytest.mark.long
def test_nodes_that_nearly_fit_are_refused_as_by_openvino(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What OpenVINO refuses must be refused; what both take has the same types and sizes.

    That more is refused does no harm where no case says otherwise; without elements sizes differ.
    """
    draw, found, problems = random.Random(5), Counter[str](), []
    for wishes in nodes(monkeypatch).wishes.values():
        for kept in wishes.values():
            for wish in kept.variants(draw, 8):
                theirs, ours = wish.answers()
                found["refused"] += theirs is None
                found["alike"] += theirs == ours
                found["all"] += 1
                is_empty = any(low == 0 == high for g in wish.reads for low, high in g.sizes)
                if ours is not None and (theirs is None or (theirs != ours and not is_empty)):
                    problems.append((wish, theirs, ours))
    assert not problems, problems[:5]
    assert found["all"] > 3000
    assert found["refused"] > found["all"] / 10
    assert found["alike"] > 0.95 * found["all"]


def networks_of(nets: Path, folder: Path) -> Iterator[tuple[str, Model]]:
    """Whole models: with weights, loops, branches, states, integers of 8 and of 4 bits."""
    for name in ("net.onnx", "net.pt2", "net.tflite", "saved", "pir.json", "net.nnrt"):
        yield name, nna.load(SAMPLES / name)
    for path in sorted(nets.glob("*/model.pt2")):
        yield path.parent.name, nna.load(path)
    for write in (documented.loop, documented.half, documented.external, documented.sequence):
        write(folder, folder)
    path = folder / "keeper.pt2"
    example = (torch.ones(1, 3), torch.tensor([1]))
    torch.export.save(torch.export.export(Keeper(), example), path)
    yield path.name, nna.load(path)
    for file in sorted(folder.glob("*.onnx")):
        yield file.name, nna.load(file)
    yield "integers", quantised_models.network()
    yield "integers at the ends", quantised_models.network(ends=True)
    yield "behind convolutions", hard_network()
    for weights in ("int4", "uint4", "int8"):
        how: dict[str, Any] = {"weights": weights, "activations": None, "block": BLOCK}
        yield weights, nna.quantize(transformer(), texts(), **how).model


def hard_network() -> Model:
    """Convolutions with activations that are nodes behind them alone."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 2, 5, 5)))
    taps = model.constant(np.ones((2, 2, 3, 3), np.float32))
    bias = model.constant(np.ones(2, np.float32))
    how: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1)}
    y = activation.hard_swish(conv.conv_2d(x, taps, bias, **how), alpha=1 / 6, beta=0.5)
    y = activation.hard_sigmoid(conv.conv_2d(y, taps, bias, **how), alpha=1 / 6, beta=0.5)
    model.outputs = [y]
    return model


def test_networks_are_written_as_openvino_writes_them(networks: Path, tmp_path: Path) -> None:
    models = networks_of(networks, tmp_path)
    found = {name: first_difference(*twins(model, tmp_path)) for name, model in models}
    assert not {name: why for name, why in found.items() if why}
    assert len(found) > 18


def test_every_node_that_lowerings_make_is_known() -> None:
    """Words of their sources that OpenVINO has nodes for."""
    trees = [ast.parse(p.read_text()) for p in SOURCES.glob("*.py")]
    constants = [n.value for t in trees for n in ast.walk(t) if isinstance(n, ast.Constant)]
    words = {c for c in constants if isinstance(c, str) and re.fullmatch(r"[A-Z]+[a-z]\w+", c)}
    theirs = {name.replace("_", "") for name in dir(openvino.opset16)}
    named = {w for w in words if w.lower() in theirs} - COMPARED - BODIES - ENDS
    named |= {c for c in constants if isinstance(c, str)} & kinds().keys()  # as DFT
    assert not named - kinds().keys()
    sequences = {f"{name}Sequence" for name in ("RNN", "GRU", "LSTM")}
    assert kinds().keys() - named == {*sequences, "GroupConvolutionBackpropData"}


def model_of(*arrays: np.ndarray) -> Model:
    """Sums with constants."""
    model = Model()
    y = x = model.input("x", TensorType(Precision.FLOAT32, arrays[0].shape))
    for array in arrays:
        y = y + model.constant(array)
    model.outputs = [y * x]
    return model


def test_equal_constants_lie_in_a_file_once(tmp_path: Path) -> None:
    large = np.arange(1000, dtype=np.float32)
    model = model_of(large, large.copy(), large[::-1].copy())
    nna.convert(model, tmp_path / "m.xml", verify=False)
    places = re.findall(r'offset="(\d+)" size="4000"', (tmp_path / "m.xml").read_text())
    assert len(places) == 3
    assert len({*places}) == 2
    assert not any(int(p) % ALIGNMENT for p in places)
    assert (tmp_path / "m.bin").stat().st_size < 2 * 4000 + 2 * ALIGNMENT


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    model = nna.load(SAMPLES / "net.pt2")
    files = []
    for name in "ab":
        (tmp_path / name).mkdir()
        nna.convert(model, tmp_path / name / "m.xml", verify=False)
        files.append([(tmp_path / name / f"m.{s}").read_bytes() for s in ("xml", "bin")])
    assert files[0] == files[1]


def test_sizes_that_nobody_knows_are_not_the_same(tmp_path: Path) -> None:
    """What is left of axes of which one is copied: the others are open, not that one."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("n"), 64)))
    sizes = model.input("sizes", TensorType(Precision.INT64, (3,)))
    pages = shape.reshape(x, sizes)
    model.outputs = [shape.reshape(pages, [0, -1, 8])]
    theirs, ours = twins(model, tmp_path)
    assert theirs != REFUSED
    assert first_difference(theirs, ours) == ""


def test_constants_are_views(tmp_path: Path) -> None:
    weights = np.arange(12, dtype=np.float32)
    made, held = tensor_of(paper, weights)
    assert np.shares_memory(made.array, weights)
    assert held[0] is weights


@pytest.mark.parametrize("name", ["a,b", "x<&\">'", "é😀", "a\\,b", "a;b c", "-"])
def test_names_are_those_that_openvino_reads(name: str, tmp_path: Path) -> None:
    model = Model(name=f"m{name}")
    x = model.input(f"x{name}", TensorType(Precision.FLOAT32, (2,)))
    model.outputs = [activation.relu(x), x + x]
    model.output_names = [f"y{name}", f"z{name}"]
    nna.convert(model, tmp_path / "m.xml", verify=False)
    found = openvino.Core().read_model(str(tmp_path / "m.xml"))
    assert [p.get_names() for p in found.inputs] == [{f"x{name}"}]
    assert [p.get_names() for p in found.outputs] == [{f"y{name}"}, {f"z{name}"}]
    assert found.get_friendly_name() == f"m{name}"


def test_openvino_runs_what_is_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    model = model_of(*(rng.normal(size=(3, 4)).astype(np.float32) for _ in range(3)))
    x = rng.normal(size=(3, 4)).astype(np.float32)
    require_equal(model, tmp_path, x)


def test_nodes_without_a_rule_are_written_by_openvino(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of plug-ins; without OpenVINO they are refused."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2,)))
    model.outputs = [unary.exp(x)]
    monkeypatch.delitem(kinds(), "Exp")
    nna.convert(model, tmp_path / "m.xml", verify=False)
    found = openvino.compile_model(str(tmp_path / "m.xml"))(np.zeros(2, np.float32))[0]
    assert found.tolist() == [1, 1]
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(NoLowering, match="has no rule for Exp"):
        nna.convert(model, tmp_path / "n.xml", verify=False)


def test_an_embedding_that_is_the_last_layer_too_is_written_once(tmp_path: Path) -> None:
    table = np.random.default_rng(0).standard_normal((100, 16)).astype(np.float32)
    model = Model("tied")
    words = model.input("words", TensorType(Precision.INT64, (3,)))
    found = index.gather(model.constant(table, name="table"), words, axis=0)
    model.outputs = [linear.mat_mul(found, model.constant(table.T, name="table"))]
    path = tmp_path / "tied.xml"
    nna.convert(model, path)
    assert path.with_suffix(".bin").stat().st_size < 1.1 * table.nbytes
    given = np.array([1, 5, 7])
    rows = table[given].astype(np.float64)
    np.testing.assert_allclose(nna.compile(model, "openvino")(given)[0], rows @ table.T, rtol=1e-5)


def test_constants_over_the_same_bytes_keep_their_types() -> None:
    """NumPy has one word for the element types of 8 bits that it does not know itself."""
    codes = np.arange(0x30, 0x48, dtype=np.uint8)
    model, wanted = Model("same bytes"), []
    x = model.input("x", TensorType(Precision.FLOAT32, (len(codes),)))
    for kind in (Precision.FLOAT8E4M3FN, Precision.FLOAT8E4M3FNUZ):
        array = codes.view(kind.dtype)
        model.outputs.append(x + model.constant(array).cast(Precision.FLOAT32))
        wanted.append(array.astype(np.float32))
    found = nna.compile(model, "openvino")(np.zeros(len(codes), np.float32))
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(got, want)
