"""NNRt cases: a file of one operation, and what PyTorch, TensorFlow or LiteRT gives for it.

The inputs of a case are the operation's in order, None where one is absent; `Scaled` are quantised.
Attributes are its parameters by the header's names. `results` are the scales of quantised results;
of a case that must fail, arrays of the shapes that its results are declared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np

from frontends import nnrt as frontend
from hal.drivers.nnrt.graph import parameter_type
from nnir.formats.nnrt.enums import DATA_TYPES
from nnir.formats.nnrt.files import write_as_is
from nnir.formats.nnrt.model import ABSENT, DYNAMIC, Operation, QuantParam, Tensor, parameter_tensor
from nnir.formats.nnrt.model import Model as Written
from nnir.formats.nnrt.operations import OPERATIONS
from nnir.model import Model
from nnir.types import precision_of

from ..case import Case, Const
from ..oracles.oracle import Oracle
from .engine import Answer, Engine


@dataclass(frozen=True)
class Scaled:
    """Integers with what they stand for: (q - zero_point) * scale; several for the first axis."""

    array: np.ndarray
    scale: float | tuple[float, ...]
    zero_point: int | tuple[int, ...] = 0
    constant: bool = False

    @property
    def how(self) -> QuantParam:
        """The scales as a tensor has them: they are numbers of 32 bits."""
        scales = np.atleast_1d(np.asarray(self.scale, np.float32))
        zeros = np.broadcast_to(self.zero_point, scales.shape)
        rows = tuple(map(float, scales)), tuple(int(z) for z in zeros)
        return QuantParam(*rows, 8 * self.array.dtype.itemsize)


def array_of(given: Any) -> np.ndarray:
    """The data of an input."""
    found: np.ndarray = given.array if isinstance(given, (Const, Scaled)) else given
    return found


def is_held(given: Any) -> bool:
    """Whether the file holds an input as a constant."""
    return isinstance(given, Const) or (isinstance(given, Scaled) and given.constant)


def tensor_of(given: Any, name: str) -> Tensor:
    """The tensor of an input."""
    array = array_of(given)
    return Tensor(
        DATA_TYPES[precision_of(array.dtype)],
        array.shape,
        name=name,
        quantization=given.how if isinstance(given, Scaled) else None,
        data=array if is_held(given) else None,
    )


def declare_result(given: Any, result: np.ndarray, name: str) -> Tensor:
    """The tensor of a result."""
    how = given.how if isinstance(given, Scaled) else None
    kind = DATA_TYPES[precision_of(result.dtype)]
    return Tensor(kind, result.shape, name=name, quantization=how)


def write_case(case: Case, results: Sequence[Tensor]) -> bytes:
    """The file of one operation."""
    definition = OPERATIONS[case.op]
    tensors: list[Tensor] = []
    inputs = []
    for number, given in enumerate(case.inputs):
        inputs.append(ABSENT if given is None else len(tensors))
        if given is not None:
            tensors.append(tensor_of(given, f"x{number}"))
    begins = [k for k in inputs if k != ABSENT and tensors[k].data is None]
    parameters = []
    for name, value in case.attrs.items():
        parameter = definition.named(name)
        parameters.append(len(tensors))
        tensors.append(parameter_tensor(parameter, value, parameter_type(parameter, value)))
    outputs = [len(tensors) + k for k in range(len(results))]
    operation = Operation(definition.code, tuple(parameters), tuple(inputs), tuple(outputs))
    whole = (*tensors, *results)
    file = BytesIO()
    write_as_is(Written(whole, (operation,), tuple(begins), tuple(outputs), "case"), file)
    return file.getvalue()


def describe_scale(given: Any) -> dict[str, Any] | None:
    """The scales of an input or result for the oracle."""
    if not isinstance(given, Scaled):
        return None
    how = given.how
    rows = {"scale": list(how.scales), "zero": list(how.zero_points)}
    return {"dtype": given.array.dtype.name, **rows}


class NnrtEngine(Engine[Case]):
    """Cases of one operation in a file of ours."""

    worker = "conformance.oracles.nnrt"

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        given = [g for g in case.inputs if g is not None]
        head = {
            "op": case.op,
            "attrs": {k: _plain(v) for k, v in case.attrs.items()},
            "absent": [g is None for g in case.inputs],
            "scales": [describe_scale(g) for g in given],
            "results": [describe_scale(r) for r in case.results],
        }
        results = oracle.ask(head, [array_of(g) for g in given])
        hows = case.results or (None,) * len(results)
        tensors = [
            declare_result(how, result, f"y{k}")
            for k, (how, result) in enumerate(zip(hows, results, strict=True))
        ]
        return Answer(results, (write_case(case, tensors),))

    def model(self, case: Case, answer: Answer) -> Model:
        return frontend.load(answer.files[0])

    def inputs(self, case: Case, model: Model) -> list[np.ndarray]:
        return [array_of(g) for g in case.inputs if g is not None and not is_held(g)]

    def refused(self, case: Case, device: str, oracle: Oracle) -> list[np.ndarray]:
        first = next(array_of(g) for g in case.inputs if g is not None)
        tensors = [declare_result(r, array_of(r), f"y{k}") for k, r in enumerate(case.results)]
        tensors = tensors or [_open(first, k) for k in range(case.outputs)]
        return self.results(case, device, Answer([], (write_case(case, tensors),)))


def _open(first: np.ndarray, number: int) -> Tensor:
    """A result of the type of the first input, with as many axes of open sizes."""
    kind = DATA_TYPES[precision_of(first.dtype)]
    return Tensor(kind, (DYNAMIC,) * first.ndim, name=f"y{number}")


def _plain(value: Any) -> Any:
    """A parameter as JSON."""
    return value.tolist() if isinstance(value, np.ndarray) else value


ENGINE = NnrtEngine()
