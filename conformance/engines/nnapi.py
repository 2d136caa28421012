"""NNAPI cases: a model of one operation, run by our runtime and, as nnir, by every other device.

The inputs of a case are the operation's tensors in order, None where one has no value: arrays are
inputs of the model, `Const` are constants, `Scaled` have a scale. Attributes are its scalars by
their names, which choose the form. `results` are the types of the results where they have a scale.
Where a case is open, no size of an input is specified.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontends import nnapi as frontend
from hal.drivers.nnapi.graph import FLOAT, INT, QUANT, Graph, Step, Tensor
from nnir.errors import BadModel
from nnir.formats.nnapi import files
from nnir.formats.nnapi.operations import SIGNATURES, Argument
from nnir.formats.nnapi.structures import Model as Made
from nnir.formats.nnapi.structures import (
    OperandType,
    OperationType,
)
from nnir.model import Model

from ..case import Case, Const
from ..judging.compare import compare, first_problem
from ..oracles.nnapi_runtime import execute
from ..oracles.oracle import Oracle
from .engine import Answer, Convert, Engine, Outcome
from .nnapi_twins import TWINS, Asking, grid_of
from .tflite import Scaled, array_of, run_inputs

KINDS = {"f": FLOAT, "i": INT, "u": QUANT}
RUNTIME = "nnapi"
"""The device whose own models the cases are: they are run as they are."""
HITS = (1.0, 0)


def make_model(case: Case, shapes: list[tuple[int, ...]] | None = None) -> Made:
    """A model of one operation; `shapes` are those of its results, open where they are not said."""
    kind = OperationType[case.op]
    signature = SIGNATURES[kind]
    scalars = dict(case.attrs)
    form = next((f for f in signature.forms if _fits(f.inputs, case)), None)
    if form is None:
        raise BadModel(f"{case.op} has no form with {', '.join(scalars)}")
    tensors = list(case.inputs)
    graph = Graph()
    inputs: list[Tensor | None] = []
    for argument in form.spread(len(tensors) + _count_scalars(form.inputs)):
        is_scalar = argument.types[0] in (OperandType.INT32, OperandType.FLOAT32)
        given = scalars.pop(argument.name, None) if is_scalar else tensors.pop(0)
        inputs.append(_tensor(graph, argument, given, is_scalar=is_scalar))
    if case.is_open:
        for tensor in graph.inputs:
            tensor.dims = (0,) * len(tensor.dims)
    outputs = [_result(case, k, shapes) for k in range(len(signature.outputs))]
    graph.outputs = outputs
    graph.steps.append(Step(kind, inputs, outputs))
    return graph.finish()[0]


def _fits(arguments: tuple[Argument, ...], case: Case) -> bool:
    """Whether the scalars of a case are those of a form."""
    names = [a for a in arguments if a.types[0] in (OperandType.INT32, OperandType.FLOAT32)]
    needed = {a.name for a in names if not a.optional}
    return needed <= case.attrs.keys() <= {a.name for a in names}


def _count_scalars(arguments: tuple[Argument, ...]) -> int:
    return sum(a.types[0] in (OperandType.INT32, OperandType.FLOAT32) for a in arguments)


def _tensor(graph: Graph, argument: Argument, given: Any, *, is_scalar: bool) -> Tensor | None:
    """An operand of the operation; inputs of the model are noted."""
    if given is None:
        return None
    if is_scalar:
        kind = argument.types[0]
        return Tensor(kind, (), np.array(given, kind.dtype))
    array = array_of(given)
    grid = grid_of(given) if isinstance(given, Scaled) else (0.0, 0)
    tensor = Tensor(KINDS[array.dtype.kind], array.shape, None, *grid)
    if isinstance(given, Const) or (isinstance(given, Scaled) and given.constant):
        tensor.data = array
    else:
        graph.inputs.append(tensor)
    return tensor


def _result(case: Case, number: int, shapes: list[tuple[int, ...]] | None) -> Tensor:
    """A result of the operation; without a scale of the first input's type."""
    said = case.results[number] if number < len(case.results) else None
    first = case.inputs[1 if case.op == "EMBEDDING_LOOKUP" else 0]
    if case.op == "HASHTABLE_LOOKUP":
        first = case.inputs[2]
        said = Scaled(np.empty(0, np.uint8), *HITS) if number else said
    array = array_of(first)
    shape = shapes[number] if shapes else (0,) * _rank(case, number, array.ndim)
    if isinstance(said, Scaled):
        return Tensor(QUANT, shape, None, *grid_of(said))
    if case.op == "LSH_PROJECTION":
        return Tensor(INT, shape)
    if said is None and isinstance(first, Scaled):
        return Tensor(QUANT, shape, None, *grid_of(first))
    dtype = array.dtype if said is None else np.dtype(said)
    return Tensor(KINDS[dtype.kind], shape)


def _rank(case: Case, number: int, usual: int) -> int:
    """How many dimensions a result has, all of them open."""
    ranks = SIGNATURES[OperationType[case.op]].outputs[number].ranks
    if len(ranks) == 1:
        return ranks[0]
    if case.op == "RESHAPE":
        return len(array_of(case.inputs[1]))
    if case.op in ("ADD", "MUL"):
        return max(array_of(a).ndim for a in case.inputs)
    return usual


class NNAPIEngine(Engine[Case]):
    """Cases of one operation in a model of our own making."""

    worker = "conformance.oracles.nnapi"

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        results = TWINS[case.op](Asking(oracle), case)
        content = files.dumps(make_model(case, [r.shape for r in results]))
        return Answer(results, (content,), case.read)

    def model(self, case: Case, answer: Answer) -> Model:
        return frontend.load(answer.files[0])

    def inputs(self, case: Case, model: Model) -> list[np.ndarray]:
        return run_inputs(case)

    def refused(self, case: Case, device: str, oracle: Oracle) -> list[np.ndarray]:
        content = files.dumps(make_model(case))
        return self.results(case, device, Answer([], (content,)))

    def results(self, case: Case, device: str, answer: Answer) -> list[np.ndarray]:
        if device == RUNTIME:
            return execute(files.load(answer.files[0]), run_inputs(case))
        return super().results(case, device, answer)

    def outcome(
        self, case: Case, device: str, answer: Answer, convert: Convert | None = None
    ) -> Outcome:
        if device != RUNTIME:
            return super().outcome(case, device, answer, convert)
        got, want = self.results(case, device, answer), answer.results
        pairs = zip(got, want, strict=True)
        differences = [compare(a, b, case.tolerance(b.dtype)) for a, b in pairs]
        return Outcome(got, want, differences, first_problem(differences))


ENGINE = NNAPIEngine()
