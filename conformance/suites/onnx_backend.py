"""The official ONNX backend test suite as cases: models, inputs and expected outputs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

import nnir.types

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator", "real")
BFLOAT16 = nnir.types.Precision.BFLOAT16.dtype


@dataclass(frozen=True)
class SuiteCase:
    """One case; `load` gives the model's bytes and its (inputs, outputs) sets."""

    name: str
    kind: str
    relative: float
    absolute: float
    source: Any

    def load(self) -> tuple[bytes, list[tuple[list[Any], list[Any]]]]:
        """The model and its data sets."""
        if self.kind == "node" and self.source.model_dir is None:
            sets = [
                ([_array(x) for x in i], [_array(x) for x in o]) for i, o in self.source.data_sets
            ]
            return self.source.model.SerializeToString(), sets
        if self.kind == "real":
            return _light(self.source)
        folder = Path(self.source.model_dir)
        model = onnx.load(folder / "model.onnx")
        sets = [
            (
                _read_stored(place, "input", model.graph.input),
                _read_stored(place, "output", model.graph.output),
            )
            for place in sorted(folder.glob("test_data_set*"))
        ]
        return model.SerializeToString(), sets


@functools.cache
def cases() -> dict[str, SuiteCase]:
    """Every case by its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            t.name: SuiteCase(t.name, kind, t.rtol, t.atol, t)
            for kind in KINDS
            for t in sorted(load_model_tests(kind=kind), key=lambda t: t.name)
        }


def _array(given: Any) -> Any:
    """An array of what the suite stores; sequences stay lists."""
    if isinstance(given, onnx.TensorProto):
        return numpy_helper.to_array(given)
    return np.asarray(given) if isinstance(given, np.generic) else given


def _light(test: Any) -> tuple[bytes, list[tuple[list[Any], list[Any]]]]:
    """A model of the zoo whose weights are made by ConstantOfShape."""
    path = Path(onnx.__file__).parents[1] / test.url
    model = onnx.load(path)
    weights = {t.name for t in model.graph.initializer}
    inputs = [
        Runner.generate_dummy_data(x, name=test.model_name)
        for x in model.graph.input
        if x.name not in weights
    ]
    outputs = [
        numpy_helper.to_array(
            onnx.TensorProto.FromString(path.with_name(f"{path.stem}_output_{k}.pb").read_bytes())
        )
        for k in range(len(model.graph.output))
    ]
    return model.SerializeToString(), [(inputs, outputs)]


def _read_stored(folder: Path, what: str, infos: Sequence[onnx.ValueInfoProto]) -> list[Any]:
    found: list[Any] = []
    for k in range(len(list(folder.glob(f"{what}_*.pb")))):
        data = (folder / f"{what}_{k}.pb").read_bytes()
        match infos[k].type.WhichOneof("value"):
            case "sequence_type":
                found.append(numpy_helper.to_list(onnx.SequenceProto.FromString(data)))
            case "optional_type":
                found.append(numpy_helper.to_optional(onnx.OptionalProto.FromString(data)))
            case _:
                found.append(numpy_helper.to_array(onnx.TensorProto.FromString(data)))
    return found


def agree(case: SuiteCase, want: Sequence[Any], got: Sequence[Any]) -> str | None:
    """What is wrong with the outputs by the suite's own rule, or None."""
    if len(want) != len(got):
        return f"{len(got)} outputs, not {len(want)}"
    for position, (theirs, mine) in enumerate(zip(want, got, strict=True)):
        if isinstance(theirs, (list, tuple)) != isinstance(mine, (list, tuple)):
            return f"output {position} is a {type(mine).__name__}"
        problem = (
            agree(case, theirs, mine)
            if isinstance(theirs, (list, tuple))
            else _array_problem(case, theirs, mine)
        )
        if problem:
            return f"output {position}: {problem}"
    return None


def _array_problem(case: SuiteCase, want: np.ndarray, got: np.ndarray) -> str | None:
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}"
    relative = case.relative
    if got.dtype == BFLOAT16:
        relative = max(relative, 2**-6)
        got, want = got.astype(np.float32), want.astype(np.float32)
    try:
        np.testing.assert_allclose(got, want, rtol=relative, atol=case.absolute)
    except AssertionError as error:
        return " ".join(str(error).split())[:300]
    return None
