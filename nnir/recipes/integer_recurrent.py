"""LSTM whose products are of integers, as dynamic quantisation makes it."""

from __future__ import annotations

from collections.abc import Sequence

from .. import build
from ..dim import Expr
from ..errors import BadType
from ..model import Model, Value
from ..ops import activation, control, index, linear, shape, unary
from ..records import dataclass
from ..types import Precision, TensorType
from .integer_products import multiply_dynamically, spread_steps
from .shape import flip


@dataclass(frozen=True)
class Weights:
    """Integers [directions, rows, 4 hidden] with a scale and a zero point, for all or each column
    of a direction; the gates are input, output, forget, cell."""

    steps: Value
    scale: Value
    zero_point: Value

    def of(self, number: int) -> Weights:
        """Those of one direction, without the axis of all."""
        parts = self.steps, self.scale, self.zero_point
        return Weights(*(index.gather(v, number) for v in parts))


def run_lstm(
    x: Value,
    w: Weights,
    r: Weights,
    b: Value | None,
    states: Sequence[Value | None],
    is_back: Sequence[bool],
) -> tuple[Value, Value, Value]:
    """The outputs [time, directions, batch, hidden] of [time, batch, inputs], and the last states.

    `states`: hidden and cell [directions, batch, hidden], zeros where they are None; `b`:
    [directions, 8 hidden], of the input, then of the state. The input becomes integers as a whole,
    the state of each sample by itself at each step.
    """
    steps = r.steps
    hidden = steps.shape[1] if steps.rank == 3 else None
    if x.rank != 3 or w.steps.rank != 3 or hidden is None or steps.shape[0] != len(is_back):
        raise BadType(f"LSTM of {x.type}, {w.steps.type} and {steps.type}, {len(is_back)} ways")
    if isinstance(hidden, Expr):
        raise BadType(f"LSTM with weights {steps.type} of the state")
    runs = []
    for number, backward in enumerate(is_back):
        gates = _input_gates(x, w.of(number), b, number)
        first = [_initial(v, x, hidden, number) for v in states]
        own = r.of(number)
        *last, outputs = _run(flip(gates, (0,)) if backward else gates, own, first)
        runs.append((flip(outputs, (0,)) if backward else outputs, *last))
    each, last_h, last_c = zip(*runs, strict=True)
    return shape.stack(*each, axis=1), shape.stack(*last_h, axis=0), shape.stack(*last_c, axis=0)


def _input_gates(x: Value, weights: Weights, b: Value | None, number: int) -> Value:
    """What the input and the biases give to the gates [time, batch, 4 hidden]."""
    gates = multiply_dynamically(x, weights.steps, weights.scale, weights.zero_point)
    if b is None:
        return gates
    first, second = shape.unstack(shape.reshape(index.gather(b, number), [2, -1]), axis=0, num=2)
    return gates + first + second


def _initial(given: Value | None, x: Value, hidden: int, number: int) -> Value:
    """The first state of one direction [batch, hidden], 0 where it is not given."""
    if given is not None:
        return index.gather(given, number)
    sizes = build.vector(x.model, [build.size_of(x, 1), hidden])
    return shape.expand(x.model.constant(0, "float32"), sizes)


def _run(gates: Value, weights: Weights, states: Sequence[Value]) -> tuple[Value, ...]:
    """The last states, and the hidden state after each step."""
    fixed = gates, weights.steps, weights.scale, weights.zero_point
    start, length = gates.model.constant(0, "int64"), gates.shape[0]
    body = Model("lstm", gates.model)
    step = body.input("step", TensorType(Precision.INT64, ()))
    h, c = (body.input(name, v.type) for name, v in zip("hc", states, strict=True))
    names = ("gates", "weights", "scale", "zero_point")
    own, *inner = (body.input(n, v.type) for n, v in zip(names, fixed, strict=True))
    after = step + 1
    moved = _move(index.gather(own, step), Weights(*inner), h, c)
    body.outputs = [after < own.size(0), after, *moved, unary.assign(moved[0])]
    _, *results = control.while_(
        *(start < gates.size(0), start, *states, *fixed),
        body=body,
        carried=3,
        trips=None if isinstance(length, Expr) else length,
    )
    return tuple(results)


def _move(gates: Value, weights: Weights, h: Value, c: Value) -> tuple[Value, Value]:
    """The next states; gates come in the order input, output, forget, cell."""
    hidden = weights.steps.sizes[0]
    total = gates + _multiply_rows(h, weights)
    i, o, f, g = shape.split(total, [hidden] * 4, axis=1)
    c = activation.sigmoid(f) * c + activation.sigmoid(i) * activation.tanh(g)
    return activation.sigmoid(o) * activation.tanh(c), c


def _multiply_rows(h: Value, weights: Weights) -> Value:
    """h W, with each row of `h` as integers of 8 bits by its own extremes."""
    scale, zero = spread_steps(h, [1])
    steps = activation.clip(unary.round_(h / scale) + zero, 0, 255) - zero
    whole = weights.steps.cast(Precision.INT32) - weights.zero_point.cast(Precision.INT32)
    product = linear.mat_mul(steps.cast(Precision.INT32), whole)
    return product.cast(Precision.FLOAT32) * (scale * weights.scale)
