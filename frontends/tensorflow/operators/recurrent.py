"""TensorFlow's recurrent layers: cells in one operator, and layers of them written out."""

from __future__ import annotations

from typing import NamedTuple

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.ops import activation, index, linear, shape

from ...table import Table
from ...translate import Translator
from . import ctc

table = Table.merge([ctc.table])
LONGEST = 10_000
STEP = 10
"""A step costs as much as so many plain nodes."""

Seven = tuple[Value, ...]


class Cell(NamedTuple):
    """What all steps of an LSTM have in common."""

    w: Value
    peepholes: tuple[Value, Value, Value] | None
    b: Value
    forget_bias: float
    clip: float
    order: str

    def step(self, x: Value, state: Value, hidden: Value) -> Seven:
        """The gates i, f, o, their cell input ci, and states: i, cs, f, o, ci, co, h."""
        gates = linear.mat_mul(shape.concat(x, hidden, axis=1), self.w) + self.b
        columns = gates.shape[1]
        if isinstance(columns, Expr) or columns % 4:
            raise BadType(f"an LSTM with weights of {self.w.type}")
        parts = dict(zip(self.order, shape.split(gates, [columns // 4] * 4, axis=1), strict=True))
        i, c, f, o = (parts[k] for k in "icfo")
        f = f + self.forget_bias if self.forget_bias else f
        if self.peepholes is not None:
            i = i + state * self.peepholes[0]
            f = f + state * self.peepholes[1]
        i, f, c = activation.sigmoid(i), activation.sigmoid(f), activation.tanh(c)
        state = c * i + state * f
        if self.clip > 0:
            state = activation.clip(state, -self.clip, self.clip)
        if self.peepholes is not None:
            o = o + state * self.peepholes[2]
        o, wide = activation.sigmoid(o), activation.tanh(state)
        return i, state, f, o, c, wide, wide * o


@table.convert("LSTMBlockCell")
def lstm_block_cell(
    x: Value,
    cs_prev: Value,
    h_prev: Value,
    w: Value,
    wci: Value,
    wcf: Value,
    wco: Value,
    b: Value,
    *,
    forget_bias: float = 1.0,
    cell_clip: float = 3.0,
    use_peephole: bool = False,
) -> Seven:
    peepholes = (wci, wcf, wco) if use_peephole else None
    return Cell(w, peepholes, b, forget_bias, cell_clip, "icfo").step(x, cs_prev, h_prev)


def layer(cell: Cell, steps: int, x: Value, state: Value, hidden: Value) -> Seven:
    """All steps of a layer; behind the last one the states are 0, the gates anything."""
    count = x.shape[0]
    if isinstance(count, Expr) or not 0 < count <= LONGEST:
        raise NotConstant(f"an LSTM over {x.type}: the number of steps must be known")
    if not 0 <= steps <= count:
        raise BadType(f"an LSTM of {steps} steps over {x.type}")
    rows: list[Seven] = []
    for k in range(steps):
        row = cell.step(index.gather(x, k, axis=0), state, hidden)
        state, hidden = row[1], row[6]
        rows.append(row)
    if not rows:
        whole = build.vector(x.model, [count, *build.sizes_of(state)])
        return (shape.expand(state.scalar(0), whole),) * 7
    results = [shape.stack(*column, axis=0) for column in zip(*rows, strict=True)]
    if steps == count:
        return tuple(results)
    rest = [0, count - steps, 0, 0, 0, 0]
    return tuple(shape.pad(v, rest) for v in results)


@table.convert("BlockLSTM")
def block_lstm(
    seq_len_max: int,
    x: Value,
    cs_prev: Value,
    h_prev: Value,
    w: Value,
    wci: Value,
    wcf: Value,
    wco: Value,
    b: Value,
    *,
    forget_bias: float = 1.0,
    cell_clip: float = 3.0,
    use_peephole: bool = False,
    translator: Translator,
) -> Seven:
    translator.spend(STEP * seq_len_max)
    peepholes = (wci, wcf, wco) if use_peephole else None
    cell = Cell(w, peepholes, b, forget_bias, cell_clip, "icfo")
    return layer(cell, seq_len_max, x, cs_prev, h_prev)


@table.convert("BlockLSTMV2")
def block_lstm_2(
    seq_len_max: int,
    x: Value,
    cs_prev: Value,
    h_prev: Value,
    w: Value,
    wci: Value,
    wcf: Value,
    wco: Value,
    b: Value,
    *,
    cell_clip: float = 0.0,
    use_peephole: bool = False,
    translator: Translator,
) -> Seven:
    translator.spend(STEP * seq_len_max)
    peepholes = (wci, wcf, wco) if use_peephole else None
    return layer(Cell(w, peepholes, b, 0.0, cell_clip, "ifco"), seq_len_max, x, cs_prev, h_prev)


@table.convert("GRUBlockCell")
def gru_block_cell(
    x: Value, h_prev: Value, w_ru: Value, w_c: Value, b_ru: Value, b_c: Value
) -> tuple[Value, Value, Value, Value]:
    gates = linear.mat_mul(shape.concat(x, h_prev, axis=1), w_ru)
    both = activation.sigmoid(gates + b_ru)
    columns = both.shape[1]
    if isinstance(columns, Expr) or columns % 2:
        raise BadType(f"a GRU with weights of {w_ru.type}")
    r, u = shape.split(both, [columns // 2] * 2, axis=1)
    reset = shape.concat(x, h_prev * r, axis=1)
    c = activation.tanh(linear.mat_mul(reset, w_c) + b_c)
    rest = 1 - u
    return r, u, c, rest * c + u * h_prev
