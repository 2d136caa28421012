"""Models built operand by operand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import NoneType
from typing import Any

import numpy as np

from nnir import model as nnir
from nnir.check import check
from nnir.errors import BadCall
from nnir.operator import Operator
from nnir.ops import unary
from nnir.types import Lifetime, Precision, TensorType

from .arguments import require_a, show
from .binding import bind, operator_of
from .device import Context
from .handle import Handle, require_kind
from .types import OperandType


class Operand:
    """NNAdapterOperand: made by `Model.add_operand`."""

    def __init__(self, model: Model, declared: OperandType, name: str) -> None:
        self.model = model
        self.declared = declared
        self.name = name
        self.data: np.ndarray | None = None
        self.lifetime = Lifetime.TEMPORARY_VARIABLE
        self.value: nnir.Value | None = None

    def tensor(self) -> nnir.Value:
        """The value of the graph, made on first use."""
        if self.value is None:
            graph = self.model.graph
            self.value = nnir.Value(graph, self.declared.tensor_type(graph), self.name)
            self.value.constant = self.data
        return self.value


class Model(Handle):
    """NNAdapterModel: made by `create`, then built, identified and finished."""

    def __init__(self) -> None:
        self.graph = nnir.Model()
        self.is_finished = False
        self.inputs: list[Operand] | None = None
        self.outputs: list[Operand] = []
        self._count = 0

    @classmethod
    def create(cls) -> Model:
        """An empty model."""
        return cls()

    def destroy(self) -> None:
        """Give the model back; compiled programs do not need it. Again does nothing."""
        self._end()

    def add_operand(self, type: OperandType, name: str | None = None) -> Operand:
        """An operand of a type, which is copied. `name` is what configs and files call it."""
        self._require_open()
        require_a("the type of an operand", type, OperandType)
        require_a("the name of an operand", name, str, NoneType)
        self._count += 1
        return Operand(self, replace(type), name or f"operand{self._count - 1}")

    def set_operand_value(
        self,
        operand: Operand,
        buffer: bytes | bytearray | memoryview | np.ndarray,
        copy: bool = True,
    ) -> None:
        """Give a constant its data: bytes or an array of exactly the operand's length.

        Without `copy` the caller keeps the memory as it is until the model is compiled.
        INVALID_PARAMETER for an operand that has a value or is made by an operation.
        """
        self._require_open()
        self._require_mine(operand)
        require_a("copy", copy, int)
        if operand.data is not None:
            raise BadCall(f"{operand.name} has a value already")
        if operand.value is not None and operand.value.producer is not None:
            raise BadCall(f"{operand.name} is made by an operation")
        data = _array(operand, buffer)
        operand.data = data.copy() if copy else data
        kind = Lifetime.CONSTANT_COPY if copy else Lifetime.CONSTANT_REFERENCE
        operand.lifetime = kind
        if operand.value is not None:
            operand.value.constant = operand.data

    def get_operand_type(self, operand: Operand) -> OperandType:
        """The type as it is now: what an operation makes has the dimensions that were inferred."""
        self.require()
        self._require_mine(operand)
        if operand.value is None or operand.value.producer is None:
            return replace(operand.declared, lifetime=operand.lifetime)
        return OperandType.of(operand.value.type, operand.lifetime)

    def add_operation(
        self,
        type: int | str | Operator[object],
        inputs: Sequence[Operand | None],
        outputs: Sequence[Operand | None],
    ) -> nnir.Operation:
        """Append an operation, by the standard's code or name, and infer the types it makes.

        `inputs` are all operands in the order of the standard, None for an absent optional one.
        INVALID_PARAMETER for a wrong number, for operands of another model, for outputs that are
        made or have a value already, and for types that do not go together.
        """
        self._require_open()
        self._require_all_mine(inputs, outputs, may_lack=True)
        operator = operator_of(type)
        if not any(o is not None for o in outputs):
            raise BadCall(f"{operator.name} without outputs")
        for operand in outputs:
            if operand is not None:
                _require_free(operand)
        tensors, attributes = bind(operator, inputs)
        bound = operator.bind_attributes(attributes)
        values = operator.bind_inputs(self.graph, tuple(tensors))
        made = self.graph.append(operator, values, bound, self._stated(outputs))
        try:
            self._name(operator, outputs, made)
        except BadCall:
            self.graph.remove([self.graph.operations[-1]])
            raise
        return self.graph.operations[-1]

    def _stated(self, outputs: Sequence[Operand | None]) -> list[TensorType]:
        """How callers declare that results are quantised, as no rule infers that but for what is
        moved: that is quantised as before where nothing is declared."""
        real = TensorType(Precision.FLOAT32, ())
        types = [real if o is None else o.declared.shapeless() for o in outputs]
        return [type if type.quantization is not None else real for type in types]

    def _name(
        self,
        operator: Operator[object],
        outputs: Sequence[Operand | None],
        made: Sequence[nnir.Value],
    ) -> None:
        """Let operands be what an operation makes."""
        if len(outputs) != len(made):
            raise BadCall(f"{operator.name} makes {len(made)} outputs, not {len(outputs)}")
        pairs = [(o, v) for o, v in zip(outputs, made, strict=True) if o is not None]
        for operand, value in pairs:
            _require_declared(operand, value.type)
        for operand, value in pairs:
            if operand.value is not None:
                self.graph.replace(operand.value, value)
            value.name = operand.name
            operand.value = value

    def identify_inputs_and_outputs(
        self, inputs: Sequence[Operand], outputs: Sequence[Operand]
    ) -> None:
        """Say which operands are the ends of the model; their order is that of an execution."""
        self._require_open()
        if self.inputs is not None:
            raise BadCall("inputs and outputs were identified before")
        self._require_all_mine(inputs, outputs)
        if not outputs or len(set(inputs)) < len(inputs) or len(set(outputs)) < len(outputs):
            raise BadCall("a model has at least one output, and each end once")
        for operand in inputs:
            _require_free(operand)
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.graph.inputs = [operand.tensor() for operand in inputs]
        for operands, lifetime in (
            (inputs, Lifetime.MODEL_INPUT),
            (outputs, Lifetime.MODEL_OUTPUT),
        ):
            for operand in operands:
                operand.lifetime = lifetime

    def finish(self) -> None:
        """End building: from now on the model does not change. INVALID_PARAMETER when it is
        not valid, has no identified ends, or was finished before."""
        self._require_open()
        if self.inputs is None:
            raise BadCall("inputs and outputs are not identified")
        self.graph.outputs = [self._output(operand) for operand in self.outputs]
        self.graph.output_names = [operand.name for operand in self.outputs]
        check(self.graph)
        self.is_finished = True

    def _output(self, operand: Operand) -> nnir.Value:
        """The value of an output; an input that is one too is handed on by an operation."""
        value = operand.tensor()
        if value.producer is None and value.constant is None:
            if value not in self.graph.inputs:
                raise BadCall(f"output {operand.name} is made by no operation")
            return unary.assign(value)
        return value

    def get_supported_operations(self, context: Context) -> list[bool]:
        """For each operation in the order of adding, whether a device of the context runs it."""
        self._require_finished()
        require_kind(context, Context, "the context")
        answers = (d.validate_program(h, self.graph) for d, h in context.runtime.entries)
        return [any(column) for column in zip(*answers, strict=True)]

    def _require_open(self) -> None:
        self.require()
        if self.is_finished:
            raise BadCall("the model is finished")

    def _require_finished(self) -> None:
        self.require()
        if not self.is_finished:
            raise BadCall("the model is not finished")

    def finished_graph(self) -> nnir.Model:
        """The graph; INVALID_PARAMETER before `finish`."""
        self._require_finished()
        return self.graph

    def _require_all_mine(self, *lists: object, may_lack: bool = False) -> None:
        """BadCall for what are no lists of operands of this model; `may_lack`: with None."""
        for operands in lists:
            require_a("operands", operands, list, tuple)
            for operand in operands:  # type: ignore[attr-defined]
                if not may_lack or operand is not None:
                    self._require_mine(operand)

    def _require_mine(self, operand: Any) -> None:
        if not isinstance(operand, Operand):
            raise BadCall(f"{show(operand)} is no operand")
        if operand.model is not self:
            raise BadCall(f"{operand.name} is an operand of another model")


def _array(operand: Operand, buffer: bytes | bytearray | memoryview | np.ndarray) -> np.ndarray:
    """The data of a constant; BadCall where its length is not the type's."""
    type = operand.declared
    try:
        raw = np.ascontiguousarray(buffer) if isinstance(buffer, np.ndarray) else None
        data = np.frombuffer(buffer if raw is None else raw.reshape(-1).view(np.uint8), np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise BadCall(f"the value of {operand.name}: {error}") from None
    if data.nbytes != type.length or not data.nbytes:
        raise BadCall(
            f"the value of {operand.name} has {data.nbytes} bytes, "
            f"{list(type.dimensions)} needs {type.length}"
        )
    return data.view(type.precision.dtype).reshape(type.dimensions)


def _require_free(operand: Operand) -> None:
    """BadCall for an operand that something makes already."""
    if operand.data is not None:
        raise BadCall(f"{operand.name} has a value")
    if operand.value is not None and operand.value.producer is not None:
        raise BadCall(f"{operand.name} is made by an operation already")
    if operand.lifetime == Lifetime.MODEL_INPUT:
        raise BadCall(f"{operand.name} is an input of the model")


def _require_declared(operand: Operand, made: TensorType) -> None:
    """BadCall where an operation makes something else than the caller declared."""
    declared, found = operand.declared, OperandType.of(made)
    same_rank = len(declared.dimensions) == len(found.dimensions)
    fits = not declared.dimensions or (
        same_rank
        and all(
            a == b or -1 in (a, b)
            for a, b in zip(declared.dimensions, found.dimensions, strict=True)
        )
    )
    if declared.precision != found.precision or not fits:
        raise BadCall(
            f"{operand.name} is declared {declared.precision.name} "
            f"{list(declared.dimensions)}, the operation makes {made}"
        )
