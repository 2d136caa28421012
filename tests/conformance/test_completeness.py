"""Every parameter with a default is given another value by some case, or excused by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import onnx
import pytest

from conformance.case import Case, Const, f, i, rand
from conformance.cases.onnx import CASES as ONNX_CASES
from conformance.cases.onnx import MODELS
from conformance.cases.tflite import CASES as TFLITE_CASES
from conformance.cases.torch import CASES as TORCH_CASES
from conformance.engines import onnx as onnx_engine
from conformance.engines import tflite as tflite_engine
from conformance.engines import torch as torch_engine
from conformance.judging.completeness import (
    bind_by_position,
    defaults,
    name_of,
    needless,
    untried_parameters,
    without_excuse,
)
from conformance.oracles.oracle import Oracle
from frontends.onnx import TABLE as ONNX
from frontends.onnx.reading import reader as onnx_reader
from frontends.source import SourceGraph, SourceNode
from frontends.table import Converter, Table
from frontends.tflite import TABLE as TFLITE
from frontends.tflite.reading import reader as tflite_reader
from frontends.torch import TABLE as TORCH
from nnir.errors import BadType, Unsupported
from nnir.formats.tflite import schema
from nnir.model import Value

from ..frontends.test_stablehlo import PLANES, REFUSED, ROWS, Row, ran, wanted
from .judging import DEVICES, worker_of

Excuses = dict[str | tuple[str, str], str]
OLD = "neither the reference evaluator nor ONNX Runtime has this version; see test_old_opsets.py"
FUSED = "an operator of the standard stands in the table itself; no file names its fuse code"
LITERT = "LiteRT refuses to prepare the operator"
CPU = "PyTorch refuses it on a CPU"
ONNX_EXCUSED: Excuses = {
    **{(op, "output_sequence"): OLD for op in ("RNN", "GRU", "LSTM")},
    **{("Pow", name): OLD for name in ("axis", "broadcast")},
    **{("Upsample", name): OLD for name in ("height_scale", "width_scale")},
    ("Dropout", "is_test"): OLD,
    ("Split", "lengths"): "neither origin has version 1, where the lengths are floats",
    ("CastLike", "round_mode"): "the reference evaluator's CastLike is older than the attribute",
    ("Constant", "sparse_value"): "the origins give a sparse output; see test_reader.py",
}
TFLITE_EXCUSED: Excuses = {
    "fuse_code": FUSED,
    ("CONCATENATION", "fused_activation_function"): LITERT,
    ("L2_NORMALIZATION", "fused_activation_function"): LITERT,
    ("FAKE_QUANT", "narrow_range"): LITERT,
}
TORCH_EXCUSED: Excuses = {
    "generator": "an exported program cannot hold a generator of random numbers",
    "driver": f"a routine of cuSOLVER: {CPU}",
    "pivot": f"{CPU} to factorise without pivots",
}
EXCUSED = {"onnx": ONNX_EXCUSED, "tflite": TFLITE_EXCUSED, "torch": TORCH_EXCUSED}
"""By framework what no case can show: a parameter, or that of one operator, and why."""


IMAGES = rand(2, 3, 4, 5)
FILTERS = rand(4, 3, 2, 2, seed=1)
WINDOWS = np.lib.stride_tricks.sliding_window_view(IMAGES, (2, 2), (2, 3))
BATCHES_LAST = Row(
    "STABLEHLO_CONVOLUTION",
    (np.ascontiguousarray(IMAGES.transpose(1, 2, 3, 0)), FILTERS),
    np.ascontiguousarray(np.einsum("ncyxkl,ockl->oyxn", WINDOWS, FILTERS)),
    {
        **PLANES,
        "padding": (0, 0, 0, 0),
        "window_reversal": (False, False),
        "input_batch_dimension": 3,
        "input_feature_dimension": 0,
        "input_spatial_dimensions": (1, 2),
        "output_batch_dimension": 3,
        "output_feature_dimension": 0,
        "output_spatial_dimensions": (1, 2),
    },
    "batches last",
)


@pytest.fixture(scope="module")
def writer() -> Iterator[Oracle]:
    yield from worker_of("litert")


@pytest.fixture(scope="module")
def missing(writer: Oracle) -> dict[str, dict[str, list[str]]]:
    """By framework what no case shows."""
    names = torch_engine.ENGINE.names
    return {
        "onnx": untried_parameters(ONNX, onnx_cases(), partial(placed, ONNX)),
        "tflite": untried_parameters(
            TFLITE, tflite_cases(writer), partial(placed, TFLITE), schema_defaults
        ),
        "torch": untried_parameters(
            TORCH, TORCH_CASES, lambda c: dict(zip(names(c), c.inputs, strict=False)) | c.attrs
        ),
    }


def placed(table: Table, case: Case) -> Mapping[str, Any]:
    """The arguments of a case whose inputs have positions."""
    newest = max(onnx_engine.versions(case).values())
    converter = table.find(name_of(case), case.opset or newest)
    return {} if converter is None else bind_by_position(converter, case.inputs, case.attrs)


def schema_defaults(converter: Converter) -> dict[str, Any]:
    """The defaults of options, which TFLite's schema has instead of our signatures."""
    options = schema.defaults_of(converter.name).items()
    return defaults(converter) | {n: v for n, v in options if n in converter.parameters}


def nodes_of(graph: SourceGraph) -> Iterator[SourceNode]:
    """The nodes of a graph and of the graphs in it."""
    for node in graph.nodes:
        yield node
        for value in node.attributes.values():
            for inner in value if isinstance(value, tuple) else (value,):
                if isinstance(inner, SourceGraph):
                    yield from nodes_of(inner)


def as_cases(graph: SourceGraph, opset: int) -> Iterator[Case]:
    """The nodes of a graph as cases; an input is its name."""
    for node in nodes_of(graph):
        inputs = tuple(name or None for name in node.inputs)
        yield Case(node.op, inputs, dict(node.attributes), opset=opset)


def onnx_cases() -> Iterator[Case]:
    """Every row, and every node of the models."""
    yield from ONNX_CASES
    for model in MODELS:
        if model.raises in (None, Unsupported):
            data = onnx.parser.parse_model(model.text).SerializeToString()
            source = onnx_reader.read(data)
            yield from as_cases(source.graph, source.versions.get("", 1))


def tflite_cases(writer: Oracle) -> Iterator[Case]:
    """Every operator of the files that the rows become, as the reader gives it."""
    rows = [c for c in TFLITE_CASES if c.raises in (None, Unsupported)]
    against_numpy = [*ROWS, BATCHES_LAST, *(row for row, error in REFUSED if error is Unsupported)]
    rows += [Case(r.op, r.inputs, dict(r.attrs), results=wanted(r)) for r in against_numpy]
    for row in rows:
        content, _ = tflite_engine.ask_litert(row, writer, run=False)
        try:
            graph = tflite_reader.read(content).graph
        except Unsupported:
            yield row
        else:
            yield from as_cases(graph, 1)


@pytest.mark.parametrize("framework", EXCUSED)
def test_every_parameter_is_tried(framework: str, missing: dict[str, dict[str, list[str]]]) -> None:
    assert without_excuse(missing[framework], EXCUSED[framework]) == {}


@pytest.mark.parametrize("framework", EXCUSED)
def test_every_excuse_is_needed(framework: str, missing: dict[str, dict[str, list[str]]]) -> None:
    assert needless(missing[framework], EXCUSED[framework]) == []


def test_every_required_attribute_is_given() -> None:
    """Also those that only an old version has."""
    given: dict[str, set[str]] = {}
    for case in onnx_cases():
        given.setdefault(name_of(case), set()).update(case.attrs)
    missing = {
        (op, name)
        for op, versions in ONNX.entries.items()
        for converter in versions.values()
        for name in converter.keywords.keys() - defaults(converter).keys() - given.get(op, set())
    }
    assert not missing


@pytest.mark.parametrize("device", DEVICES)
def test_batches_last(device: str, writer: Oracle) -> None:
    (got,) = ran(BATCHES_LAST, device, writer)
    np.testing.assert_allclose(got, BATCHES_LAST.want, rtol=2e-5, atol=2e-6)


def tiny() -> Table:
    """One operator in two versions."""
    table = Table()

    @table.convert("Op")
    def old(x: Value, *, axis: int = 1, names: tuple[str, ...] = ()) -> Value:
        return x

    @table.convert("Op", since=7)
    def new(x: Value, bias: Value | None = None, *, from_: float = 0.5, mode: str = "a") -> Value:
        return x

    return table


def left(*cases: Case) -> Sequence[str]:
    return untried_parameters(tiny(), cases, partial(placed, tiny())).get("Op", [])


def test_what_is_not_given_is_untried() -> None:
    assert left() == ["axis", "bias", "from_", "mode", "names"]
    assert left(Case("Other", (f(1), f(2)))) == ["axis", "bias", "from_", "mode", "names"]


@pytest.mark.parametrize(
    ("case", "name"),
    [
        (Case("Op", (f(1),), {"axis": 0}), "axis"),
        (Case("Op", (f(1),), {"axis": Const(i(1, 2))}), "axis"),
        (Case("Op", (f(1), Const(f(2)))), "bias"),
        (Case("Op", (f(1),), {"from": 0.25}), "from_"),
        (Case("Op", (f(1),), {"mode": "b"}, raises=Unsupported), "mode"),
        (Case("Op", (f(1),), {"names": ("x",)}), "names"),
    ],
    ids=lambda x: str(x),
)
def test_another_value_is_a_trial(case: Case, name: str) -> None:
    assert name not in left(case)


@pytest.mark.parametrize(
    "case",
    [
        Case("Op", (f(1),), {"axis": 1}),
        Case("Op", (f(1),), {"axis": Const(i(1, 1))}),
        Case("Op", (f(1), None)),
        Case("Op", (f(1), f(2)), opset=1),
        Case("Op", (f(1),), {"from": f(0.5)}),
        Case("Op", (f(1),), {"mode": "a"}),
        Case("Op", (f(1),), {"mode": "b"}, raises=BadType),
        Case("Op", (f(1),), {"names": ()}),
    ],
    ids=str,
)
def test_the_default_is_no_trial(case: Case) -> None:
    assert left(case) == left()


def test_an_excuse_is_for_what_is_untried() -> None:
    untried = {"Op": ["axis", "mode"], "Other": ["axis"]}
    assert without_excuse(untried, [("Op", "axis"), "mode"]) == {"Other": ["axis"]}
    assert without_excuse(untried, ["axis", "mode"]) == {}
    assert needless(untried, ["axis", ("Op", "mode")]) == []
    assert needless(untried, ["bias", ("Other", "mode")]) == ["bias", ("Other", "mode")]
