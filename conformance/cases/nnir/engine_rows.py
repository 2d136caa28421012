"""Rows of the standard's operators that are compared with their references."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nnir.dim import symbol
from nnir.evaluate import evaluate
from nnir.model import Model, Operator, Value
from nnir.types import TensorType, precision_of

from .direct import DirectCase, _value


@dataclass(frozen=True)
class Fed:
    """An operand of what follows that goes in at run time."""

    array: np.ndarray

    def value(self, model: Model) -> Value:
        """An input of a model."""
        array = self.array
        return model.input("fed", TensorType(precision_of(array.dtype), array.shape))


@dataclass(frozen=True)
class Row(DirectCase):
    """A case of which the operators' references say what is right.

    `then`: operators that follow one another on the first result, each with its other operands,
    which are constants or `Fed`, and its attributes. `opens`: whether it is run with open sizes
    too. `names` are those of the inputs.
    """

    then: tuple[tuple[Operator[Any], tuple[Any, ...], dict[str, Any]], ...] = ()
    opens: bool = True
    names: tuple[str, ...] = ()

    @property
    def can_open(self) -> bool:
        return self.opens and super().can_open

    @property
    def can_turn(self) -> bool:
        return False

    def arrays(self) -> list[np.ndarray]:
        others = (x for _, operands, _ in self.then for x in operands)
        return [*super().arrays(), *(x.array for x in others if isinstance(x, Fed))]

    def model(self) -> Model:
        model = Model(self.operator.name)
        values = tuple(_value(model, f"x{k}", x) for k, x in enumerate(self.inputs))
        for value, name in zip(model.inputs, self.names, strict=False):
            value.name = name
        most = max((v.rank for v in model.inputs), default=0)
        for value in model.inputs if self.is_open else ():
            if value.rank == most or value.rank > 1:  # vectors beside data say axes and sizes
                dims = tuple(d if d in self.known else symbol(f"n{d}") for d in value.shape)
                value.type = value.type.with_shape(dims)
        model.outputs = list(self.operator.append(values, self.attrs))
        for operator, others, attributes in self.then:
            operands = tuple(
                x.value(model) if isinstance(x, Fed) else model.constant(x) for x in others
            )
            model.outputs = list(operator.append((model.outputs[0], *operands), attributes))
        return model

    def wanted(self) -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            return evaluate(replace(self, is_open=False).model(), self.arrays())
