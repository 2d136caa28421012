"""Files that devices write of a case: what their readers see is the model again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from frontends import onnx as onnx_files
from frontends import tflite as tflite_files
from frontends.source import buffer_of
from frontends.tflite.reading import reader as tflite_reader
from hal.device import Device
from hal.properties import Properties
from hal.runtime import manager
from nnir.dim import Dim, symbols_of
from nnir.errors import NoLowering
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.staging import temporary_folder
from nnir.types import Precision

from ..cases.nnir import forms
from ..cases.nnir.written import FILE
from ..judging.compare import compare, first_problem
from .forms import form_of_model

READERS = {".onnx": onnx_files, ".tflite": tflite_files}
"""Of what our frontends read again; the engine itself reads it, too."""

FORMATS = (*READERS, ".xml")
OPSETS = (13, 14, 15, 16, 18, 19, 20, 21, 25)
"""The operator sets of ONNX in which something is written otherwise than before, and the newest."""

NARROW = frozenset(p for p in Precision if p.name in ("INT2", "UINT2", "INT4", "UINT4")) | {
    Precision.FLOAT8E8M0FNU
}
"""Types that ONNX Runtime has no Identity for."""


def find_problem(case: Any, device: str, want: Sequence[np.ndarray]) -> str | None:
    """What is wrong with the files of a case, of a device that writes one of `FORMATS`."""
    kind = manager.find(device)
    suffix = next((s for s in kind.formats if s in FORMATS), None)
    if suffix is None:
        return None
    try:
        with temporary_folder() as folder:
            path = folder / f"model{suffix}"
            for opset in _opsets(case, suffix):
                _check(case, manager.acquire(device), path, opset, want)
            if case.noted == suffix:
                _require_same(f"nodes in {suffix}", _noted()[str(case)], nodes_of(path))
            if suffix == ".onnx" and case.opset is not None and case.lowest > OPSETS[0]:
                _check_lowest(case, kind(), folder)
    except AssertionError as error:
        return str(error)
    return None


def find_other_form(case: Any, device: str) -> str | None:
    """What is otherwise about the nodes of a row's file, where `forms.json` has them."""
    want = forms.form_of(device, str(case)) if device in forms.WRITERS else None
    if want is None:
        return None
    suffix = forms.WRITERS[device]
    with temporary_folder() as folder:
        path = folder / f"model{suffix}"
        found = form_of_model(manager.acquire(device), case.model(), path)
        if found[0] != want[0]:
            return f"nodes of {device}: {found[0]}, not {want[0]}"
        if found != want:
            return f"nodes of {device}: {found[0]}, which read other values or constants"
        return find_other_size(path) if device == "litert" else None


def find_other_size(path: Path) -> str | None:
    """A tensor of a `.tflite` file that LiteRT finds to be of other sizes than the file says; None
    for files of open sizes, and those that XNNPACK alone takes."""
    from ai_edge_litert import interpreter as litert

    plain = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    found = litert.Interpreter(
        model_path=str(path),
        experimental_op_resolver_type=plain,
        experimental_preserve_all_tensors=True,
    )
    said = {d["index"]: [*d["shape"]] for d in found.get_tensor_details()}
    if any(-1 in d["shape_signature"] for d in found.get_tensor_details()):
        return None
    with suppress(RuntimeError, ValueError):
        found.allocate_tensors()
    for tensor in found.get_tensor_details():
        before, after = said.get(tensor["index"], []), [*tensor["shape"]]
        if tensor["index"] in said and before != after:
            return f"{tensor['name']!r} in .tflite is of {before}, not {after}"
    return None


def find_other_signature(path: Path, model: Model) -> str | None:
    """What LiteRT calls the ends of a file otherwise than the model does."""
    from ai_edge_litert import interpreter as litert

    (ends,) = litert.Interpreter(model_path=str(path)).get_signature_list().values()
    inputs = [v.name or f"input{k}" for k, v in enumerate(model.inputs)]
    wanted = sorted(inputs), sorted(name for name, _ in model.named_outputs())
    found = sorted(ends["inputs"]), sorted(ends["outputs"])
    return None if found == wanted else f"the signature has {found}, not {wanted}"


@cache
def _noted() -> dict[str, str]:
    """The nodes of files, by case."""
    found: dict[str, str] = json.loads(FILE.read_text())
    return found


def nodes_of(path: Path) -> str:
    """The kinds of the nodes of a file, in order."""
    if path.suffix == ".tflite":
        source = tflite_reader.read(buffer_of(path, "TFLite file"))
        return " ".join(n.op for n in source.graph.nodes)
    import onnx

    return " ".join(n.op_type for n in onnx.load(path).graph.node)


def _opsets(case: Any, suffix: str) -> Iterator[int | None]:
    """The operator sets that a file is written for: one where nothing is said."""
    yield None
    if suffix == ".onnx" and case.opset is not None:
        yield from (n for n in OPSETS if n >= case.lowest)


def _check(
    case: Any,
    device: Device[Any, Any],
    path: Path,
    opset: int | None,
    want: Sequence[np.ndarray],
) -> None:
    """AssertionError where a file is another model than the case."""
    model, arrays = case.model(), case.arrays()
    device.export(model, path, opset=opset)
    what = f"{path.suffix} of opset {opset}" if opset else path.suffix
    if reader := READERS.get(path.suffix):
        again = reader.load(path)
        _require_same(f"inputs in {what}", _ends(model, path.suffix), _ends(again, path.suffix))
        _require_near(f"{what}, read again", case, evaluate(again, arrays), want)
        if path.suffix == ".onnx":  # the others say nothing of the source
            lines = model.provenance.places.values(), again.provenance.places.values()
            _require_same(f"places in {what}", *map(set, lines))
    if path.suffix == ".onnx":
        _check_onnx(path, opset or case.opset, model)
    if path.suffix == ".tflite":
        _require_same("what is otherwise", None, find_other_signature(path, model))
    context = device.create_context(Properties({}), None)
    types = ([v.type for v in ends] for ends in (model.inputs, model.outputs))
    program = device.import_program(context, path, *types)
    _require_near(what, case, device.execute_program(program, arrays), want)


def _require_near(
    what: str, case: Any, found: Sequence[np.ndarray], want: Sequence[np.ndarray]
) -> None:
    """AssertionError where results differ by more than the tolerance of the case."""
    problem = first_problem([compare(a, b, case.tol) for a, b in zip(found, want, strict=True)])
    if problem is not None:
        raise AssertionError(f"{what}: {problem}")


def _ends(model: Model, suffix: str) -> list[str]:
    """The inputs and outputs, in words; names of sizes are ONNX's alone."""
    ends = [*((v.name or "", v) for v in model.inputs), *model.named_outputs()]
    known = {n for v in model.inputs for d in v.shape for n in symbols_of(d)}
    has_names = suffix == ".onnx"

    def size(dim: Dim) -> str:
        is_said = has_names and symbols_of(dim) <= known
        return str(dim) if isinstance(dim, int) or is_said else "open"

    return [f"{n}: {v.precision.name} {[*map(size, v.shape)]}" for n, v in ends]


def _check_onnx(path: Path, opset: int | None, model: Model) -> None:
    """What ONNX's own checker says, and the names that a user sees."""
    import onnx

    onnx.checker.check_model(path, full_check=True)
    written = onnx.load(path)
    if opset is not None:
        _require_same("the operator set", opset, written.opset_import[0].version)
    graph = written.graph
    _require_same("the name of the graph", model.name, graph.name)
    copies = [n.name for n in graph.node if n.op_type == "Identity"]
    read = {n for node in graph.node for n in node.input}
    unread = [t.name for t in graph.initializer if t.name not in read]
    _require_same("weights that nobody reads", [], unread)
    made = [(n.name, n.output[0]) for n in graph.node if n.output[0] not in _tails(graph)]
    _require_same("names of nodes", [out for _, out in made], [name for name, _ in made])
    described = {v.name for v in graph.value_info}
    missing = [n for n in described if n not in {o for node in graph.node for o in node.output}]
    _require_same("types of what no node makes", [], missing)
    _require_same("copies", _count_copies(model), len(copies))


def _tails(graph: Any) -> set[str]:
    return {v.name for v in graph.output}


def _count_copies(model: Model) -> int:
    """How many outputs no node can give its name: inputs, weights, what is one already, and what a
    branch or a loop reads by the name that it has. Those of few bits go through other types."""
    blocks = {v for o in model.operations if o.models for v in o.inputs if v is not None}
    seen: set[Value] = set()
    count = 0
    for value in model.outputs:
        is_copied = value.producer is None or value in seen | blocks
        count += is_copied and value.precision not in NARROW
        seen.add(value)
    return count


def _check_lowest(case: Any, device: Device[Any, Any], folder: Path) -> None:
    """AssertionError where an older operator set than the lowest one is written."""
    try:
        device.export(case.model(), folder / "older.onnx", opset=case.lowest - 1)
    except NoLowering:
        return
    raise AssertionError(f"written for opset {case.lowest - 1}, which has no such form")


def _require_same(what: str, want: Any, found: Any) -> None:
    """AssertionError with both, where they differ."""
    if want != found:
        raise AssertionError(f"{what}: {found}, not {want}")
