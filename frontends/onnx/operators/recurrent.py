"""ONNX recurrent layers."""

from __future__ import annotations

from typing import Any, Literal

from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import recurrent, shape
from nnir.records import dataclass

from ...table import Attributes, Floats, Maybe, Table

table = Table()
Results = tuple[Value, ...]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Operands(Attributes):
    """The inputs that the layers have alike."""

    x: Value
    w: Value
    r: Value
    b: Maybe = None
    sequence_lens: Maybe = None
    initial_h: Maybe = None


@dataclass(frozen=True)
class Layer(Attributes):
    """What the layers have alike.

    `output_sequence` says whether the first output is wanted; it is there in any case.
    """

    activation_alpha: Floats | None = None
    activation_beta: Floats | None = None
    clip: float | None = None
    direction: str = "forward"
    hidden_size: int | None = None
    layout: Literal[0, 1] = 0
    output_sequence: int = 0

    def apply(
        self, operator: Operator[Results], given: Operands, *more: Maybe, **options: Any
    ) -> Results:
        """Call the operator, which has time first; `more` begins with another initial state."""
        size = given.r.shape[2] if given.r.rank == 3 else None
        if self.hidden_size not in (None, size) and not isinstance(size, Expr):
            name = operator.name
            raise BadType(f"{name} with hidden_size={self.hidden_size} and weights of {size}")
        states = (given.initial_h, *more[:1])
        outputs, *last = operator(
            *(self._turn(given.x), given.w, given.r, given.b, given.sequence_lens),
            *map(self._turn, states),
            *more[1:],
            activation_alpha=self.activation_alpha,
            activation_beta=self.activation_beta,
            clip=self.clip,
            direction=self.direction,
            **options,
        )
        if self.layout:
            outputs = shape.transpose(outputs, perm=(2, 0, 1, 3))
        return outputs, *map(self._turn, last)

    def _turn(self, value: Maybe) -> Any:
        """Time and batch change places where the batch is first."""
        is_turned = value is not None and self.layout
        return shape.transpose(value, perm=(1, 0, 2)) if is_turned else value


@table.convert("RNN")
def rnn(given: Operands, *, activations: Names = ("Tanh", "Tanh"), how: Layer) -> Results:
    if activations == ("Tanh", "Tanh") and how.direction != "bidirectional":
        activations = ("Tanh",)
    return how.apply(recurrent.rnn, given, activations=activations)


@table.convert("GRU")
def gru(
    given: Operands,
    *,
    activations: Names = ("Sigmoid", "Tanh"),
    linear_before_reset: bool = False,
    how: Layer,
) -> Results:
    options = {"activations": activations, "linear_before_reset": linear_before_reset}
    return how.apply(recurrent.gru, given, **options)


@table.convert("LSTM")
def lstm(
    given: Operands,
    initial_c: Maybe = None,
    p: Maybe = None,
    *,
    activations: Names = ("Sigmoid", "Tanh", "Tanh"),
    input_forget: bool = False,
    how: Layer,
) -> Results:
    options = {"activations": activations, "input_forget": input_forget}
    return how.apply(recurrent.lstm, given, initial_c, p, **options)
