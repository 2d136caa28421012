"""A question to all frameworks: the same operator on the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..case import EXACT, ROUNDS, Case, Const, Tolerance

Arrays = list[np.ndarray]
WHOLE = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
FRAMEWORKS = ("onnx", "torch", "tensorflow", "tflite", "paddle")
SIGNS = Tolerance(signed_zeros=True)
"""For questions about the sign of zero."""

ZEROS = "which of the two zeros it is, the standard leaves open"
UNLOOKED = "ONNX's type rule forbids it; the evaluator does not look"
TOP = "ONNX Runtime's TopK puts NaN anywhere"
QUANTUM = "a quantum: the standard rounds halves to the even neighbour"


@dataclass(frozen=True)
class Question:
    """What is asked of each framework about one standard operator.

    `inputs` are what the page shows, and what the standard's operator gets where `standard` has
    its attributes. `cases` say it in each framework's words. `tol`: how near two answers must be
    to be one. `views`: what of a framework's results is its answer, where its form differs from
    the others'. `strays`: why a device does not follow an origin, by "framework device"; strict
    both ways.
    """

    operator: str
    title: str
    inputs: tuple[Any, ...]
    cases: Mapping[str, Case]
    note: str
    standard: Mapping[str, Any] | None = None
    tol: Tolerance = ROUNDS
    views: Mapping[str, Callable[[Arrays], Arrays]] = field(default_factory=dict)
    strays: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.title

    def case(self, framework: str) -> Case:
        """The case of a framework with the question's tolerance; integers have none."""
        return replace(self.cases[framework], tol={"": self.tol, **dict.fromkeys(WHOLE, EXACT)})


def because(reason: str, *places: str) -> dict[str, str]:
    """One reason for places such as "torch builtin"; "torch" is both devices."""
    each = (p if " " in p else f"{p} builtin,{p} onnxruntime" for p in places)
    return {place: reason for text in each for place in text.split(",")}


def same(*inputs: Any, **names: str) -> dict[str, Case]:
    """Cases of operators that take the same inputs and nothing else.

    PyTorch's names go without `aten.`, and without `.default` where that is the overload.
    """
    return {fw: Case(spelt(fw, op), inputs, results=_types(fw, inputs)) for fw, op in names.items()}


def spelt(framework: str, op: str) -> str:
    """An operator's whole name."""
    if framework != "torch" or op.count(".") > 1:
        return op
    return f"aten.{op}" if "." in op else f"aten.{op}.default"


def _types(framework: str, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """TFLite's result has the type of the first input."""
    return (inputs[0].dtype,) if framework == "tflite" else ()


def torch(op: str, *inputs: Any, **attrs: Any) -> Case:
    """A case of ATen."""
    return Case(spelt("torch", op), inputs, attrs)


def lite(op: str, *inputs: Any, to: Any = None, **options: Any) -> Case:
    """A case of TFLite; `to`: the types of its results, those of the first input by default."""
    types = to if isinstance(to, tuple) else (to,)
    return Case(op, inputs, options, results=() if to is None else types, outputs=len(types))


def plain(op: str, *inputs: Any, **attrs: Any) -> Case:
    """A case of ONNX, TensorFlow or Paddle."""
    return Case(op, inputs, attrs)


def sizes(*numbers: int, dtype: Any = np.int32) -> Const:
    """Numbers that the model holds."""
    return Const(np.array(numbers, dtype))


def number(value: Any, dtype: Any = np.int32) -> Const:
    """One number without axes that the model holds."""
    return Const(np.array(value, dtype))
