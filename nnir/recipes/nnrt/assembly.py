"""An NNRt model as a model of the standard, by the recipes of its operations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ...budget import numbers_of
from ...dim import Dim
from ...errors import BadType, NNAdapterError, NotConstant
from ...folding import Folder
from ...formats.nnrt.check import check_model
from ...formats.nnrt.explicit import write_out
from ...formats.nnrt.model import ABSENT, DYNAMIC, Operation, Tensor, arguments_of
from ...formats.nnrt.model import Model as Source
from ...formats.nnrt.names import python_name
from ...model import Model, Value
from ...notation import name_dim
from ...types import TensorType
from . import all_recipes

Sizes = Sequence[tuple[int, ...]]


@cache
def recipes() -> Mapping[str, Callable[..., Any]]:
    """The recipes, once."""
    return all_recipes()


def assemble(source: Source, sizes: Sizes | None = None) -> Model:
    """The model of the standard that computes what an NNRt model says.

    `sizes`: those of the inputs where some of them are open in `source`. BadModel or BadType for
    what is not valid, Unsupported for what is valid and has no meaning here. Weights are views.
    """
    check_model(source)
    return Assembly(write_out(source), sizes).run()


class Assembly:
    """Walks over the operations; `values` are the tensors that are there by their numbers."""

    def __init__(self, source: Source, sizes: Sizes | None) -> None:
        self.source = source
        self.model = Model(source.name or "model")
        self.labels = source.labels()
        self.folder = Folder()
        self.values: dict[int, Value] = {}
        for place, number in enumerate(source.inputs):
            tensor = source.tensor(number)
            shape = input_sizes(tensor, self.labels[number]) if sizes is None else sizes[place]
            kind = TensorType(tensor.data_type.precision, shape)
            require_declared(tensor, kind, f"input {self.labels[number]!r}")
            self.values[number] = self.model.input(self.labels[number], kind)

    def run(self) -> Model:
        """All operations, then the outputs."""
        for operation in self.source.operations:
            try:
                self.add(operation)
            except NNAdapterError as error:
                error.add_note(f"in NNRt operation {operation.definition.full_name}")
                raise
        self.model.outputs = [self.value(number) for number in self.source.outputs]
        self.model.output_names = [self.labels[number] for number in self.source.outputs]
        return self.model

    def value(self, number: int) -> Value:
        """A tensor that is there; constants are made on their first use."""
        if number not in self.values:
            data = self.source.tensor(number).data
            if data is None:
                raise BadType(f"tensor {number} is read before it is made")
            self.values[number] = self.model.constant(data, name=self.labels[number])
        return self.values[number]

    def add(self, operation: Operation) -> None:
        """One operation by its recipe; its results must be what their tensors say."""
        name = operation.definition.name
        results = self.call(recipes()[name], operation)
        if len(results) != len(operation.outputs):
            raise BadType(f"{name} gives {len(results)} results, not {len(operation.outputs)}")
        for number, result in zip(operation.outputs, results, strict=True):
            tensor = self.source.tensor(number)
            self.require(tensor, result.type, f"result {self.labels[number]!r} of {name}")
            if result.name is None:
                result.name = self.labels[number]
            self.values[number] = result

    def require(self, tensor: Tensor, found: TensorType, what: str) -> None:
        """BadType where a result is not what its tensor says."""
        require_declared(tensor, found, what)

    def call(self, recipe: Callable[..., Any], operation: Operation) -> Sequence[Value]:
        """The results of a recipe on the operands and parameters of an operation."""
        hints = list(parameters_of(recipe))
        positional = [h for h in hints if h.kind is not h.KEYWORD_ONLY]
        inputs = []
        for place, number in enumerate(operation.inputs):
            hint = positional[min(place, len(positional) - 1)]
            inputs.append(None if number == ABSENT else self.operand(number, hint))
        made = recipe(*inputs, **attributes_of(self.source, operation))
        return made if isinstance(made, (tuple, list)) else [made]

    def operand(self, number: int, hint: inspect.Parameter) -> Any:
        """An input as a recipe takes it: a value, or what must be known of it."""
        value = self.value(number)
        if hint.annotation not in (int, tuple[int, ...]):
            return value
        known = self.folder.constant_of(value)
        if known is None:
            raise NotConstant(f"{hint.name!r} is {value.type}: a constant is needed")
        if hint.annotation is not int:
            return tuple(numbers_of(known))
        if known.size != 1:
            raise BadType(f"{hint.name!r} is {value.type}: one element is accepted")
        return int(known.reshape(-1)[0])


@cache
def parameters_of(recipe: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """The parameters of a recipe or an operator, with their annotations as types."""
    target = getattr(recipe, "rule", recipe)
    return tuple(inspect.signature(target, eval_str=True).parameters.values())


def attributes_of(source: Source, operation: Operation) -> dict[str, Any]:
    """The parameters of an operation by the names that recipes have; a cast is told how its ends
    are quantised."""
    found = {python_name(n): v for n, v in arguments_of(source, operation).items()}
    if operation.definition.name == "QUANT_DTYPE_CAST":
        ends = {"source": operation.inputs[0], "target": operation.outputs[0]}
        hows = {name: source.tensor(number).quantization for name, number in ends.items()}
        found |= {name: how for name, how in hows.items() if how is not None}
    return found


def input_sizes(tensor: Tensor, label: str) -> tuple[Dim, ...]:
    """The sizes of an input; open ones get names."""
    return tuple(
        name_dim(f"{label}_{axis}") if size == DYNAMIC else size
        for axis, size in enumerate(tensor.shape)
    )


def require_declared(tensor: Tensor, found: TensorType, what: str) -> None:
    """BadType where a result is not of the type that its tensor says."""
    fits = len(tensor.shape) == found.rank and all(
        size == DYNAMIC or not isinstance(real, int) or real == size
        for size, real in zip(tensor.shape, found.shape, strict=True)
    )
    if found.precision != tensor.data_type.precision or not fits:
        raise BadType(f"the {what} is declared {tensor}, and is {found}")
