"""Recurrent layers with the gates, directions and options of ONNX. The cells are in `cells`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..dim import Dim, Expr
from ..model import Value
from ..numeric import is_half
from ..operator import operator, pairs, require
from ..types import TensorType
from . import cells

DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
Array = np.ndarray


def _layer(
    make: Callable[[int, Array], cells.Step],
    input: Array,
    weight: Array,
    direction: str,
    lengths: Array | None,
    start: list[Array],
) -> tuple[Array, ...]:
    """Run every direction: [T, D, N, H] and the last states [D, N, H]."""
    outputs, lasts = [], []
    for k, reverse in enumerate(DIRECTIONS[direction]):
        first = tuple(s[k] for s in start)
        found, last = cells.run(input, lengths, first, make(k, weight[k]), reverse=reverse)
        outputs.append(found)
        lasts.append(last)
    ends = [np.stack(states) for states in zip(*lasts, strict=True)]
    return np.stack(outputs, axis=1), *ends


def _states(input: Array, recurrence: Array, *given: Array | None) -> list[Array]:
    shape = (len(recurrence), input.shape[1], recurrence.shape[2])
    return [np.zeros(shape, input.dtype) if g is None else g for g in given]


def _bias(bias: Array | None, weight: Array) -> Array:
    return np.zeros((len(weight), 2 * weight.shape[1]), weight.dtype) if bias is None else bias


def _wide(reference: Callable[..., tuple[Array, ...]]) -> Callable[..., tuple[Array, ...]]:
    """16-bit floats compute in float32 and round at the end; for several results."""

    def call(*arrays: Array | None, **attributes: object) -> tuple[Array, ...]:
        dtype = arrays[0].dtype  # type: ignore[union-attr]  # the first is never absent
        if not is_half(dtype):
            return reference(*arrays, **attributes)
        wide = [a.astype(np.float32) if a is not None and is_half(a.dtype) else a for a in arrays]
        return tuple(r.astype(dtype) for r in reference(*wide, **attributes))

    return call


def _functions(
    direction: str,
    each: int,
    activations: tuple[str, ...],
    alphas: tuple[float, ...] | None,
    betas: tuple[float, ...] | None,
) -> list[list[cells.Function]]:
    """The activations of each direction; those of one direction serve both."""
    count = len(DIRECTIONS[direction])
    names = activations if len(activations) == each * count else activations * count
    made = cells.functions(names, alphas, betas)
    return [made[k * each : (k + 1) * each] for k in range(count)]


def _check(
    name: str,
    gates: int,
    each: int,
    operands: dict[str, Value | None],
    *,
    direction: str,
    activations: tuple[str, ...],
    clip: float | None,
) -> tuple[TensorType, TensorType]:
    """The types of the outputs [T, D, N, H] and of a last state [D, N, H]."""
    require(direction in DIRECTIONS, f"{name} with direction={direction!r}")
    count = len(DIRECTIONS[direction])
    good = len(activations) in (each, each * count)
    require(good, f"{name} with activations={activations!r}: {each} for each direction")
    unknown = [a for a in activations if a.lower() not in cells.FUNCTIONS]
    require(not unknown, f"{name} with activation {unknown[:1]!r}")
    require(clip is None or clip > 0, f"{name} with clip={clip}")
    input, weight, recurrence = (operands[k] for k in ("input", "weight", "recurrence"))
    if input is None or weight is None or recurrence is None:
        raise ValueError(name)
    require(input.is_float and input.rank == 3, f"{name} needs a float input of rank 3")
    floats = [v for k, v in operands.items() if v is not None and k != "sequence_lens"]
    one = all(v.precision == input.precision for v in floats)
    require(one, f"{name} needs operands of one precision with {input.type}")
    ranks = weight.rank == 3 and recurrence.rank == 3
    require(ranks, f"{name} with weights {weight.type} and {recurrence.type}")
    hidden = recurrence.shape[2]
    _same(name, weight, (count, gates * hidden, input.shape[2]))
    _same(name, recurrence, (count, gates * hidden, hidden))
    for key, rows in (("bias", 2 * gates), ("peephole", 3)):
        if (row := operands.get(key)) is not None:
            _same(name, row, (count, rows * hidden))
    lengths = operands["sequence_lens"]
    require(lengths is None or lengths.is_integer, f"{name} needs integer sequence_lens")
    if lengths is not None:
        _same(name, lengths, input.shape[1:2])
    last = (count, input.shape[1], hidden)
    for key in ("initial_h", "initial_c"):
        if (state := operands.get(key)) is not None:
            _same(name, state, last)
    outputs = input.type.with_shape((input.shape[0], *last))
    return outputs, input.type.with_shape(last)


def _same(name: str, value: Value, shape: tuple[Dim, ...]) -> None:
    pairs = zip(value.shape, shape, strict=False)
    fits = len(value.shape) == len(shape) and all(
        isinstance(a, Expr) or isinstance(b, Expr) or a == b for a, b in pairs
    )
    require(fits, f"{name} with {value.type}, where {list(shape)} is needed")


@_wide
def _rnn(
    input: Array,
    weight: Array,
    recurrence: Array,
    bias: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
) -> tuple[Array, ...]:
    functions = _functions(direction, 1, activations, activation_alpha, activation_beta)
    biases = _bias(bias, weight)

    def make(k: int, w: Array) -> cells.Step:
        return cells.rnn(w, recurrence[k], biases[k], functions[k], clip)

    start = _states(input, recurrence, initial_h)
    return _layer(make, input, weight, direction, sequence_lens, start)


@operator(steps=pairs, code=1900, reference=_rnn)
def rnn(
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    direction: str = "forward",
    activations: tuple[str, ...] = ("Tanh",),
    activation_alpha: tuple[float, ...] | None = None,
    activation_beta: tuple[float, ...] | None = None,
    clip: float | None = None,
) -> tuple[TensorType, TensorType]:
    """A layer of plain recurrent cells: h = f(x W' + h R' + b).

    Types: any float, one for all; `sequence_lens` integers.
    Shapes: [T, N, I], weights [D, H, I] and [D, H, H], bias [D, 2 H] to every output
        [T, D, N, H] and the last [D, N, H]; D is 2 when bidirectional.
    Edges: past the end of a sequence outputs are 0 and the state stays.
    """
    operands = {"input": input, "weight": weight, "recurrence": recurrence, "bias": bias}
    operands |= {"sequence_lens": sequence_lens, "initial_h": initial_h}
    return _check("rnn", 1, 1, operands, direction=direction, activations=activations, clip=clip)


@_wide
def _gru(
    input: Array,
    weight: Array,
    recurrence: Array,
    bias: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
    linear_before_reset: bool,
) -> tuple[Array, ...]:
    functions = _functions(direction, 2, activations, activation_alpha, activation_beta)
    biases = _bias(bias, weight)

    def make(k: int, w: Array) -> cells.Step:
        return cells.gru(
            w, recurrence[k], biases[k], functions[k], clip, linear_before_reset=linear_before_reset
        )

    start = _states(input, recurrence, initial_h)
    return _layer(make, input, weight, direction, sequence_lens, start)


@operator(steps=pairs, code=1901, reference=_gru)
def gru(
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    direction: str = "forward",
    activations: tuple[str, ...] = ("Sigmoid", "Tanh"),
    activation_alpha: tuple[float, ...] | None = None,
    activation_beta: tuple[float, ...] | None = None,
    clip: float | None = None,
    linear_before_reset: bool = False,
) -> tuple[TensorType, TensorType]:
    """A layer of gated recurrent units; the gates are update, reset, hidden.

    Types: any float, one for all; `sequence_lens` integers.
    Shapes: as RNN with weights [D, 3 H, I] and [D, 3 H, H], bias [D, 6 H].
    Edges: `linear_before_reset` applies the reset gate after the recurrent product.
    """
    operands = {"input": input, "weight": weight, "recurrence": recurrence, "bias": bias}
    operands |= {"sequence_lens": sequence_lens, "initial_h": initial_h}
    return _check("gru", 3, 2, operands, direction=direction, activations=activations, clip=clip)


@_wide
def _lstm(
    input: Array,
    weight: Array,
    recurrence: Array,
    bias: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    initial_c: Array | None = None,
    peephole: Array | None = None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
    input_forget: bool,
) -> tuple[Array, ...]:
    functions = _functions(direction, 3, activations, activation_alpha, activation_beta)
    biases = _bias(bias, weight)
    peeps = [None] * len(weight) if peephole is None else peephole

    def make(k: int, w: Array) -> cells.Step:
        given = recurrence[k], biases[k], peeps[k], functions[k]
        return cells.lstm(w, *given, clip, input_forget=input_forget)

    start = _states(input, recurrence, initial_h, initial_c)
    return _layer(make, input, weight, direction, sequence_lens, start)


@operator(steps=pairs, code=1902, reference=_lstm)
def lstm(
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    initial_c: Value | None = None,
    peephole: Value | None = None,
    *,
    direction: str = "forward",
    activations: tuple[str, ...] = ("Sigmoid", "Tanh", "Tanh"),
    activation_alpha: tuple[float, ...] | None = None,
    activation_beta: tuple[float, ...] | None = None,
    clip: float | None = None,
    input_forget: bool = False,
) -> tuple[TensorType, TensorType, TensorType]:
    """A layer of long short-term memory cells; the gates are input, output, forget, cell.

    Types: any float, one for all; `sequence_lens` integers.
    Shapes: as RNN with weights [D, 4 H, I] and [D, 4 H, H], bias [D, 8 H], peepholes [D, 3 H]
        (input, output, forget); a third result is the last cell state [D, N, H].
    Edges: `input_forget` makes the forget gate 1 - the input gate.
    """
    operands = {"input": input, "weight": weight, "recurrence": recurrence, "bias": bias}
    operands |= {"sequence_lens": sequence_lens, "initial_h": initial_h}
    operands |= {"initial_c": initial_c, "peephole": peephole}
    outputs, last = _check(
        "lstm", 4, 3, operands, direction=direction, activations=activations, clip=clip
    )
    return outputs, last, last
