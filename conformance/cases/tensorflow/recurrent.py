"""TensorFlow's recurrent layers."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant

from ...case import ROUNDS, Case, Const, Made, i, rand

N, IN, H, T = 2, 3, 4, 5
STATE, HIDDEN = rand(N, H, seed=1), rand(N, H, seed=2)
WEIGHTS = (rand(IN + H, 4 * H, seed=3), *(rand(H, seed=k) for k in (4, 5, 6)), rand(4 * H, seed=7))
LAYER = (rand(T, N, IN), STATE, HIDDEN, *WEIGHTS)
GRU: tuple[np.ndarray, ...]
GRU = (rand(N, IN), HIDDEN, rand(IN + H, 2 * H, seed=8), rand(IN + H, H, seed=9))
GRU += (rand(2 * H, seed=10), rand(H, seed=11))
CELL = (rand(N, IN), STATE, HIDDEN, *WEIGHTS)


def steps(count: int) -> Const:
    """How many steps of the layer count."""
    return Const(np.array(count, np.int64))


LABELS = rand(6, 3, 4, seed=12)
LENGTHS = i(6, 3, 0, dtype=np.int32)
REPEATED = np.repeat(LABELS, 2, axis=0)

CASES = [
    Case("CTCGreedyDecoder", (LABELS, LENGTHS), outputs=4, tol=ROUNDS),
    Case("CTCGreedyDecoder", (REPEATED, LENGTHS), {"merge_repeated": True}, outputs=4, tol=ROUNDS),
    Case("CTCGreedyDecoder", (REPEATED, LENGTHS), {"blank_index": 1}, outputs=4, tol=ROUNDS),
    Case("CTCGreedyDecoder", (LABELS, LENGTHS[:2]), outputs=4, why="other batch", raises=BadType),
    Case("LSTMBlockCell", CELL, outputs=7, tol=ROUNDS),
    Case("LSTMBlockCell", CELL, {"use_peephole": True, "cell_clip": 0.5}, outputs=7, tol=ROUNDS),
    Case("LSTMBlockCell", CELL, {"forget_bias": 0.0, "cell_clip": -1.0}, outputs=7, tol=ROUNDS),
    *(Case(op, (steps(T), *LAYER), outputs=7, tol=ROUNDS) for op in ("BlockLSTM", "BlockLSTMV2")),
    *(Case(op, (steps(T), *LAYER), {"use_peephole": True, "cell_clip": 0.5}, outputs=7, tol=ROUNDS)
      for op in ("BlockLSTM", "BlockLSTMV2")),
    Case("BlockLSTM", (steps(9), *LAYER), why="more steps", outputs=7, raises=BadType),
    # what TensorFlow says of the gates behind the last step is what lay in memory
    *(Case("Identity", (Made(Case(op, (steps(n), *LAYER), outputs=7), k),), tol=ROUNDS,
           why=f"{n} of {T} steps of {op}, {name}")
      for op in ("BlockLSTM", "BlockLSTMV2") for n in (0, 1, 3)
      for k, name in ((1, "states"), (6, "outputs"))),
    *(Case(op, (steps(1), LAYER[0][:1].copy(), *LAYER[1:]), outputs=7, tol=ROUNDS, why="one step")
      for op in ("BlockLSTM", "BlockLSTMV2")),
    *(Case(op, (steps(0), LAYER[0][:0].copy(), *LAYER[1:]), outputs=7, raises=NotConstant,
           why="no steps") for op in ("BlockLSTM", "BlockLSTMV2")),
    Case("GRUBlockCell", GRU, outputs=4, tol=ROUNDS),
    Case("BlockLSTM", (steps(T), *LAYER), {"forget_bias": 0.5}, outputs=7, tol=ROUNDS),
]  # fmt: skip
