"""TFLite's recurrent layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, Tolerance, rand
from ...engines.tflite import INSIDE, Scaled, State
from .numbers import QUANTUM, integers, q, stored

STEPS, BATCH, INPUTS, UNITS = 5, 2, 3, 4
SERIES = rand(STEPS, BATCH, INPUTS)
TANH: dict[str, Any] = {"fused_activation_function": "TANH", "time_major": True}
STEP: dict[str, Any] = {"fused_activation_function": "TANH"}
FLOAT = (np.float32,)
NEAR = Tolerance(relative=1e-4, absolute=2e-5)


def weights(*shape: int, seed: int) -> Const:
    """Small numbers."""
    return Const(rand(*shape, seed=seed, low=-0.7, high=0.7))


def zeros(*shape: int) -> State:
    """A state."""
    return State(np.zeros(shape, np.float32))


def cell(
    seed: int = 0,
    *,
    coupled: bool = False,
    peephole: bool = False,
    projection: int = 0,
    projection_bias: bool = False,
    diagonal: bool = False,
    inputs: int = INPUTS,
) -> tuple[Any, ...]:
    """The tensors of an LSTM: weights of input, forget, cell and output gates, and so on."""
    hidden = projection or UNITS
    first = 100 * seed + 1
    entering = [weights(UNITS, inputs, seed=first + k) for k in range(4)]
    square = (UNITS,) if diagonal else (UNITS, hidden)
    recurrent = [weights(*square, seed=first + 10 + k) for k in range(4)]
    peeps: list[Any] = [weights(UNITS, seed=first + 20 + k) if peephole else None for k in range(3)]
    biases = [weights(UNITS, seed=first + 30 + k) for k in range(4)]
    if coupled:
        entering[0] = recurrent[0] = peeps[0] = biases[0] = None  # type: ignore[call-overload]
    ends = (
        weights(projection, UNITS, seed=first + 40) if projection else None,
        weights(projection, seed=first + 41) if projection_bias else None,
    )
    return (*entering, *recurrent, *peeps, *biases, *ends)


def states(hidden: int = UNITS) -> tuple[State, State]:
    """Output and cell state."""
    return zeros(BATCH, hidden), zeros(BATCH, UNITS)


def norms(*, coupled: bool = False) -> tuple[Any, ...]:
    """Coefficients of the gates."""
    found: list[Any] = [weights(UNITS, seed=70 + k) for k in range(4)]
    return (None, *found[1:]) if coupled else tuple(found)


def lstm(x: np.ndarray = SERIES, /, **given: Any) -> tuple[Any, ...]:
    """The inputs of a layer without normalisation."""
    return (x, *cell(**given), *states(given.get("projection") or UNITS))


def without(*places: int) -> tuple[Any, ...]:
    """The inputs of a layer, some of them left out."""
    return tuple(None if k in places else given for k, given in enumerate(lstm()))


def rnn(seed: int = 0, inputs: int = INPUTS) -> tuple[Any, ...]:
    """The tensors of a plain cell."""
    first = 100 * seed + 1
    return (
        weights(UNITS, inputs, seed=first),
        weights(UNITS, UNITS, seed=first + 1),
        weights(UNITS, seed=first + 2),
        zeros(BATCH, UNITS),
    )


NORMED = (SERIES, *cell(), *states(), *norms())
HYBRID = tuple(
    Scaled(integers(*c.array.shape, seed=k), 0.005, 0, constant=True)
    if isinstance(c, Const) and c.array.ndim == 2
    else c
    for k, c in enumerate(cell())
)


def whole(*shape: int, seed: int, dtype: Any = np.int8, scale: float = 0.01) -> Scaled:
    """Constant integers."""
    most = {np.int8: 100, np.int16: 9000, np.int32: 2000}[dtype]
    data = rand(*shape, seed=seed, dtype=dtype, low=-most, high=most)
    return Scaled(data, scale, 0, constant=True)


def lstm_of_integers(
    *, coupled: bool = False, peephole: bool = False, projection: int = 0, normed: bool = False
) -> tuple[Any, ...]:
    """The inputs of a layer in integers: bytes, a state of bytes and one of 16 bits."""
    hidden, wide = projection or UNITS, np.int32
    x = q(STEPS, BATCH, INPUTS, scale=0.02, zero=3)
    bias = 1e-5 if normed else 0.02 * 0.01
    entering: list[Any] = [whole(UNITS, INPUTS, seed=k) for k in range(4)]
    recurrent: list[Any] = [whole(UNITS, hidden, seed=10 + k) for k in range(4)]
    holes: list[Any] = [
        whole(UNITS, seed=20 + k, dtype=np.int16, scale=1e-4) if peephole else None
        for k in range(3)
    ]
    biases: list[Any] = [whole(UNITS, seed=30 + k, dtype=wide, scale=bias) for k in range(4)]
    if normed:
        norms: list[Any] = [whole(UNITS, seed=40 + k, dtype=np.int16, scale=1e-4) for k in range(4)]
    else:
        norms = [None] * 4
    if coupled:
        for row in (entering, recurrent, holes, biases, norms):
            row[0] = None
    ends = whole(projection, UNITS, seed=50) if projection else None, None
    held = (
        State(np.zeros((BATCH, hidden), np.int8), 1 / 128),
        State(np.zeros((BATCH, UNITS), np.int16), 1 / 2048),
    )
    return (x, *entering, *recurrent, *holes, *biases, *ends, *held, *norms)


WHOLE_WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "coupled": {"coupled": True},
    "peephole": {"peephole": True},
    "projection": {"projection": 3},
    "normalised": {"normed": True},
}
BYTES = stored(1 / 128)


def gates(*hidden: Any) -> dict[str, Any]:
    """What an LSTM in integers says of the tensors inside it; `hidden`: scale and zero point."""
    return {INSIDE: (*[stored(1 / 1024, dtype=np.int16)[0]] * 4, stored(*hidden)[0])}


GATES = gates(1 / 128)
SHORTS = q(BATCH, UNITS, dtype=np.int16, scale=1 / 2048)
BASIC = (
    q(BATCH, INPUTS, dtype=np.uint8, scale=1 / 128, zero=128),
    q(BATCH, UNITS, dtype=np.uint8, scale=1 / 128, zero=128, seed=1),
    q(4 * UNITS, INPUTS + UNITS, dtype=np.uint8, scale=0.01, zero=120, seed=2, constant=True),
    whole(4 * UNITS, seed=3, dtype=np.int32, scale=0.01 / 128),
    SHORTS,
)
BASIC_RESULTS = (
    *stored(1 / 128, 128, np.uint8), *stored(1 / 2048, 0, np.int16),
    *stored(1 / 128, 128, np.uint8), *stored(1 / 4096, 0, np.int16),
)  # fmt: skip


def svdf_of_integers(*, bias: bool) -> tuple[Any, ...]:
    """The inputs of a filter of 6 features for 3 units over 7 steps."""
    x = q(BATCH, INPUTS, scale=0.02, zero=3)
    over_time = whole(6, 7, seed=2, dtype=np.int16, scale=1e-4)
    extra = whole(3, seed=3, dtype=np.int32, scale=0.002 * 1e-4) if bias else None
    held = State(np.zeros((BATCH, 42), np.int16), 0.002)
    return x, whole(6, INPUTS, seed=1), over_time, extra, held


BOTH = (*cell(1), *cell(2), *states(), *states())
ALONE = (None,) * 9
BESIDE = rand(STEPS, BATCH, INPUTS, seed=9)
AUXILIARY = tuple(weights(UNITS, INPUTS, seed=300 + k) for k in range(8))
TWO = FLOAT * 2
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "coupled": {"coupled": True},
    "peephole": {"peephole": True},
    "coupled, peephole": {"coupled": True, "peephole": True},
    "projection": {"projection": 3},
    "projection, bias, peephole": {"projection": 3, "projection_bias": True, "peephole": True},
}

UNIDIRECTIONAL = "UNIDIRECTIONAL_SEQUENCE_LSTM"
BIDIRECTIONAL = "BIDIRECTIONAL_SEQUENCE_LSTM"
CASES = [
    *(Case(UNIDIRECTIONAL, lstm(**way), TANH, tol=NEAR, why=why) for why, way in WAYS.items()),
    Case(UNIDIRECTIONAL, lstm(SERIES[0]), TANH, raises=BadType, why="two axes"),
    Case(UNIDIRECTIONAL, lstm(SERIES.transpose(1, 0, 2).copy()), {**TANH, "time_major": False},
         tol=NEAR, why="batches first"),
    Case(UNIDIRECTIONAL, lstm(), {**TANH, "cell_clip": 0.2}, tol=NEAR, why="clip"),
    Case(UNIDIRECTIONAL, lstm(projection=3), {**TANH, "cell_clip": 0.3, "proj_clip": 0.1},
         tol=NEAR, why="both clips"),
    *(Case(UNIDIRECTIONAL, lstm(), {**TANH, "fused_activation_function": a}, tol=NEAR, why=a)
      for a in ("RELU", "RELU6")),
    Case(UNIDIRECTIONAL, lstm(diagonal=True), {**TANH, "diagonal_recurrent_tensors": True},
         tol=NEAR, why="diagonal"),
    Case(UNIDIRECTIONAL, lstm(diagonal=True), TANH, raises=BadType, why="diagonal, not said"),
    Case(UNIDIRECTIONAL, lstm(), {"time_major": True}, raises=Unsupported,
         why="no activation: LiteRT multiplies by what its memory holds"),
    Case(UNIDIRECTIONAL, lstm(), {**TANH, "fused_activation_function": "SIGN_BIT"},
         raises=Unsupported),
    Case(UNIDIRECTIONAL, NORMED, TANH, tol=NEAR, why="normalised", opset=2),
    Case(UNIDIRECTIONAL, (SERIES, *cell(coupled=True, peephole=True), *states(),
                          *norms(coupled=True)), TANH, tol=NEAR, opset=2,
         why="normalised, coupled, peephole"),
    Case(UNIDIRECTIONAL, (SERIES, *HYBRID, *states()), TANH, tol=Tolerance(absolute=0.05), opset=3,
         why="int8 weights: LiteRT quantises the input too"),
    *(Case(UNIDIRECTIONAL, lstm_of_integers(**way), {**TANH, **GATES}, results=BYTES, opset=3,
           tol=QUANTUM, why=f"in integers, {why}") for why, way in WHOLE_WAYS.items()),
    Case(UNIDIRECTIONAL, lstm_of_integers(), {**TANH, **GATES, "cell_clip": 0.3}, results=BYTES,
         opset=3, tol=QUANTUM, why="in integers, clip"),
    *(Case(UNIDIRECTIONAL, lstm_of_integers(), {**TANH, **gates(*hidden)}, results=stored(*made),
           opset=3, tol=QUANTUM, why=f"in integers, {why}")
      for why, hidden, made in (
          ("rounded otherwise than they are read", (1 / 100, 5), (1 / 128,)),
          ("a state and results of two scales", (1 / 128,), (1 / 90, -6)),
          ("integers of three scales", (1 / 120, -3), (1 / 100, 7)))),
    Case("LSTM", BASIC, {**STEP, "kernel_type": "BASIC"}, tol=Tolerance(absolute=4), opset=2,
         results=BASIC_RESULTS, read=2, outputs=4, why="in integers"),
    *(Case("SVDF", svdf_of_integers(bias=b), {"rank": 2, "fused_activation_function": a},
           results=stored(0.02, zero), tol=QUANTUM, opset=3,
           why=f"in integers, {zero}, {'bias' if b else 'no bias'}")
      for b, a, zero in ((True, "RELU", -128), (False, "RELU", -128), (True, "RELU", -100))),
    Case(UNIDIRECTIONAL, lstm()[:-1], TANH, raises=BadType, why="no state"),
    *(Case(UNIDIRECTIONAL, without(*places), TANH, raises=BadType, why=why)
      for why, places in (("no forget gate", (2, 6)), ("no cell gate", (3, 7)),
                          ("no output gate", (4, 8)), ("no recurrent weights", (8,)))),
    *(Case("LSTM", (SERIES[0], *lstm(**way)[1:]), STEP, tol=NEAR, why=why)
      for why, way in WAYS.items()),
    Case("LSTM", (SERIES[0], *lstm(projection=3)[1:]), {**STEP, "proj_clip": 0.05}, tol=NEAR,
         why="a clipped projection"),
    Case("LSTM", (SERIES[0], *lstm()[1:]), {**STEP, "cell_clip": 0.05}, tol=NEAR, why="clip"),
    Case("LSTM", (SERIES[0], *NORMED[1:]), {**STEP, "cell_clip": 0.4}, tol=NEAR, opset=3,
         why="normalised, clip"),
    Case("LSTM", (SERIES[0], rand(BATCH, UNITS), weights(4 * UNITS, INPUTS + UNITS, seed=1),
                  weights(4 * UNITS, seed=2), rand(BATCH, UNITS, seed=3)),
         {**STEP, "kernel_type": "BASIC"}, tol=NEAR, opset=2, results=FLOAT * 4, read=2,
         outputs=4),
    *(Case(BIDIRECTIONAL, (SERIES, *BOTH, *ALONE), {**TANH, "merge_outputs": m},
           results=TWO[: 2 - m], outputs=2 - m, tol=NEAR) for m in (False, True)),
    Case(BIDIRECTIONAL, (SERIES.transpose(1, 0, 2).copy(), *BOTH, *ALONE),
         {**TANH, "time_major": False}, results=TWO, outputs=2, tol=NEAR, opset=3),
    Case(BIDIRECTIONAL, (SERIES, *cell(1, projection=3), *cell(2, projection=3),
                         *states(3), *states(3), *ALONE),
         {**TANH, "cell_clip": 0.3, "proj_clip": 0.2}, results=TWO, outputs=2, tol=NEAR,
         why="projection and clips"),
    Case(BIDIRECTIONAL, (SERIES, *BOTH, BESIDE, *AUXILIARY), TANH, results=TWO, outputs=2,
         tol=NEAR, why="another input"),
    Case(BIDIRECTIONAL, (SERIES, *BOTH, BESIDE, *[None] * 8), TANH, results=TWO, outputs=2,
         tol=NEAR, why="another input backwards"),
    Case(BIDIRECTIONAL, (SERIES, *cell(1, coupled=True), *cell(2, coupled=True), *states(),
                         *states(), BESIDE, None, *AUXILIARY[1:4], None, *AUXILIARY[5:]), TANH,
         results=TWO, outputs=2, tol=NEAR, why="another input, coupled"),
    *(Case("UNIDIRECTIONAL_SEQUENCE_RNN", (SERIES, *rnn()),
           {"time_major": True, "fused_activation_function": a}, tol=NEAR)
      for a in ("TANH", "RELU", "NONE", "RELU6")),
    Case("UNIDIRECTIONAL_SEQUENCE_RNN", (SERIES.transpose(1, 0, 2).copy(), *rnn()), STEP,
         tol=NEAR, why="batches first"),
    *(Case("RNN", (SERIES[0], *rnn()), {"fused_activation_function": a}, tol=NEAR)
      for a in ("TANH", "RELU", "NONE")),
    *(Case("BIDIRECTIONAL_SEQUENCE_RNN", (SERIES, *rnn(1), *rnn(2), None, None, None),
           {"time_major": True, "fused_activation_function": a, "merge_outputs": m},
           results=TWO[: 2 - m], outputs=2 - m, tol=NEAR)
      for a, m in (("TANH", False), ("RELU", True), ("NONE", False))),
    Case("BIDIRECTIONAL_SEQUENCE_RNN", (SERIES, *rnn(1), *rnn(2), BESIDE,
                                        weights(UNITS, INPUTS, seed=5),
                                        weights(UNITS, INPUTS, seed=6)),
         {"time_major": True, "fused_activation_function": "TANH"}, results=TWO, outputs=2,
         tol=NEAR, why="another input"),
    Case("BIDIRECTIONAL_SEQUENCE_RNN", (SERIES, *rnn(1), *rnn(2), BESIDE, None, None),
         {"time_major": True, "fused_activation_function": "TANH"}, results=TWO, outputs=2,
         tol=NEAR, why="another input backwards"),
    *(Case("SVDF", (SERIES[0], weights(6, INPUTS, seed=1), weights(6, 7, seed=2), b,
                    zeros(BATCH, 42)), {"rank": r, "fused_activation_function": a}, tol=ROUNDS,
           why=f"rank {r}, {a}, {'no ' if b is None else ''}bias")
      for r, a, b in ((1, "NONE", weights(6, seed=3)), (2, "RELU", weights(3, seed=3)),
                      (3, "NONE", None))),
    Case("SVDF", (SERIES[0], weights(6, INPUTS, seed=1), weights(6, 7, seed=2), None,
                  zeros(BATCH, 42)), {"rank": 4}, raises=BadType, why="filters that do not divide"),
]  # fmt: skip
