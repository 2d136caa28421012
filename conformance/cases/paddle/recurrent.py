"""Paddle's recurrent layers and decoders."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, NotConstant, Unsupported

from ...case import ROUNDS, Case, Const, f, i, rand

I32 = np.int32
GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def rnn(
    mode: str,
    *,
    layers: int = 1,
    both: bool = False,
    lengths: np.ndarray | None = None,
    why: str = "",
    raises: type[NNAdapterError] | None = None,
    **more: Any,
) -> Case:
    """A stack of layers over 5 steps of 2 samples of 3 numbers, with 4 hidden ones."""
    directions, hidden, gates = 2 if both else 1, 4, GATES.get(mode, 1)
    weights: list[np.ndarray] = []
    biases: list[np.ndarray] = []
    for layer in range(layers):
        size = 3 if layer == 0 else hidden * directions
        for side in range(directions):
            seed = 10 * layer + side
            weights += [
                rand(gates * hidden, n, seed=seed, low=-0.5, high=0.5) for n in (size, hidden)
            ]
            biases += [rand(gates * hidden, seed=seed + k, low=-0.5, high=0.5) for k in (1, 2)]
    count = 2 if mode == "LSTM" else 1
    states = [rand(layers * directions, 2, hidden, seed=k) for k in range(count)]
    inputs = (rand(5, 2, 3), states, weights + biases, lengths, Const(np.zeros(1, np.uint8)))
    attrs: dict[str, Any] = {
        "is_bidirec": both,
        "input_size": 3,
        "hidden_size": hidden,
        "num_layers": layers,
    }
    attrs |= {"mode": mode, "is_test": True} | more
    name = f"{mode} {layers} {'both' if both else 'forward'} {why}".strip()
    return Case("rnn", inputs, attrs, tol=ROUNDS, why=name, raises=raises)


POTENTIALS = (rand(3, 5, 4), rand(4, 4))

CASES = [
    *(rnn(mode) for mode in GATES),
    *(rnn(mode, both=True) for mode in GATES),
    *(rnn(mode, layers=2, both=True) for mode in GATES),
    rnn("LSTM", layers=3),
    *(rnn(mode, lengths=i(5, 3, dtype=I32), why="lengths") for mode in GATES),
    rnn("LSTM", both=True, layers=2, lengths=i(5, 3, dtype=I32), why="lengths"),
    rnn("GRU", both=True, lengths=i(2, 5, dtype=I32), why="lengths"),
    rnn("OTHER", raises=Unsupported),
    rnn("LSTM", layers=2, dropout_prob=0.5, is_test=False, raises=Unsupported, why="dropout"),
    Case("gru_unit", (rand(2, 12), rand(2, 4), rand(4, 12), rand(1, 12)), tol=ROUNDS),
    Case(
        "gru_unit",
        (rand(2, 12), rand(2, 4), rand(4, 12), None),
        {"origin_mode": True, "activation": 3, "gate_activation": 0},
        tol=ROUNDS,
    ),
    Case(
        "gru_unit",
        (rand(2, 12), rand(2, 4), rand(4, 12), None),
        {"activation": 9},
        raises=Unsupported,
    ),
    Case(
        "ctc_align",
        (
            i(0, 1, 1, 0, 2, 2, 1, 0, 3, 3, 3, 1, dtype=I32).reshape(2, 6),
            i(6, 4, dtype=I32).reshape(2, 1),
        ),
    ),
    Case(
        "ctc_align",
        (i(0, 1, 1, 0, 2, 2, 1, 0, 3, 3, 3, 1).reshape(2, 6), i(6, 5).reshape(2, 1)),
        {"blank": 1, "merge_repeated": False, "padding_value": 7},
    ),
    Case("ctc_align", (i(0, 1, 1).reshape(1, 3), None), raises=BadType),
    Case("viterbi_decode", (*POTENTIALS, i(5, 2, 4)), tol=ROUNDS),
    Case("viterbi_decode", (*POTENTIALS, i(1, 4, 3)), {"include_bos_eos_tag": False}, tol=ROUNDS),
    Case(
        "viterbi_decode",
        (rand(1, 3, 2), f(*[np.nan] * 4).reshape(2, 2), i(3)),
        read=1,
        tol=ROUNDS,
        why="NaN does not exceed what the search begins with",
    ),
    Case(
        "edit_distance",
        (
            i(1, 2, 3, 4, 1, 1, 2, 0).reshape(2, 4),
            i(1, 3, 3, 2, 2, 1).reshape(2, 3),
            i(4, 3),
            i(3, 2),
        ),
        why="lengths",
    ),
    Case(
        "edit_distance",
        (
            i(1, 2, 3, 4, 1, 1, 2, 0).reshape(2, 4),
            i(1, 3, 3, 2, 2, 1).reshape(2, 3),
            i(4, 1),
            i(3, 3),
        ),
        {"normalized": True},
        tol=ROUNDS,
    ),
    Case(
        "edit_distance",
        (i(1, 2).reshape(1, 2), i(1, 2).reshape(1, 2), None, None),
        raises=NotConstant,
        why="no lengths",
    ),
    rnn("LSTM", seed=3, why="a seed"),
]
