"""ONNX Runtime's LSTM of integers (com.microsoft), as dynamic quantisation writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Model, Value
from nnir.ops import activation, binary, compare, control, index, linear, reduce, shape, unary
from nnir.recipes.shape import flip
from nnir.types import Precision, TensorType

from ...table import Floats, Table
from .microsoft_products import mat_mul_integer_to_float
from .quant import dynamic_quantize_linear

table = Table(prefix="com.microsoft::")
DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
DEFAULTS = ("Sigmoid", "Tanh", "Tanh")


@dataclass(frozen=True)
class Weights:
    """Integers [rows, 4 hidden] with a scale and a zero point, for all or for each column."""

    steps: Value
    scale: Value
    zero_point: Value

    @classmethod
    def of_direction(cls, number: int, *stacked: Value) -> Weights:
        """Those of one direction."""
        return cls(*(index.gather(v, number) for v in stacked))


@table.convert("DynamicQuantizeLSTM")
def dynamic_quantize_lstm(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None,
    sequence_lens: Value | None,
    initial_h: Value | None,
    initial_c: Value | None,
    p: Value | None,
    w_scale: Value,
    w_zero_point: Value,
    r_scale: Value,
    r_zero_point: Value,
    *,
    activation_alpha: Floats = (),
    activation_beta: Floats = (),
    activations: tuple[str, ...] = (),
    clip: float | None = None,
    direction: Literal["forward", "reverse", "bidirectional"] = "forward",
    hidden_size: int | None = None,
    input_forget: Literal[0] = 0,
) -> tuple[Value, Value, Value]:
    """The input becomes integers as a whole, the state of each sample by itself at each step.

    ONNX Runtime takes as many samples together as one of its threads has: fewer where there are
    more threads, one in the end.
    """
    turns = DIRECTIONS[direction]
    if sequence_lens is not None or p is not None or clip is not None:
        raise Unsupported("DynamicQuantizeLSTM with sequence_lens, peepholes or clip")
    if activations not in ((), DEFAULTS * len(turns)) or activation_alpha or activation_beta:
        raise Unsupported(f"DynamicQuantizeLSTM with {activations=}, not {DEFAULTS}")
    hidden = r.shape[1] if r.rank == 3 else None
    if x.rank != 3 or w.rank != 3 or hidden is None or r.shape[0] != len(turns):
        raise BadType(f"DynamicQuantizeLSTM of {x.type}, {w.type} and {r.type} going {direction}")
    if isinstance(hidden, Expr) or hidden_size not in (None, hidden):
        raise BadType(f"DynamicQuantizeLSTM with {hidden_size=} and weights {r.type}")
    runs = []
    for number, is_back in enumerate(turns):
        gates = _input_gates(x, Weights.of_direction(number, w, w_scale, w_zero_point), b, number)
        states = [_initial(v, x, hidden, number) for v in (initial_h, initial_c)]
        own = Weights.of_direction(number, r, r_scale, r_zero_point)
        last_h, last_c, outputs = _run(flip(gates, (0,)) if is_back else gates, own, states)
        runs.append((flip(outputs, (0,)) if is_back else outputs, last_h, last_c))
    each, last_hs, last_cs = zip(*runs, strict=True)
    return shape.stack(*each, axis=1), shape.stack(*last_hs, axis=0), shape.stack(*last_cs, axis=0)


def _input_gates(x: Value, weights: Weights, b: Value | None, number: int) -> Value:
    """What the input and the biases give to the gates [time, batch, 4 hidden]."""
    steps, scale, zero_point = dynamic_quantize_linear(x)
    gates = mat_mul_integer_to_float(
        *(steps, weights.steps, scale, weights.scale, zero_point, weights.zero_point)
    )
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
    high = binary.max_(reduce.reduce_max(h, [1]), 0)
    low = binary.min_(reduce.reduce_min(h, [1]), 0)
    scale = compare.where(compare.equal(high, low), 1, high - low) / 255
    zero = unary.round_(activation.clip(0 - low / scale, 0, 255))
    steps = activation.clip(unary.round_(h / scale) + zero, 0, 255) - zero
    whole = weights.steps.cast(Precision.INT32) - weights.zero_point.cast(Precision.INT32)
    product = linear.mat_mul(steps.cast(Precision.INT32), whole)
    return product.cast(Precision.FLOAT32) * (scale * weights.scale)
