"""Steps of NNAPI's recurrent layers."""

from __future__ import annotations

from typing import Any

from nnir.errors import BadModel, NNAdapterError

from ...case import Case, Const, rand
from .numbers import ACTIVATIONS, SUMS

BATCH, INPUT, UNITS, OUTPUT = 2, 3, 4, 5
STEP = {"activation": 4, "cell_clip": 0.0, "proj_clip": 0.0}


def weights(*shape: int, seed: int) -> Const:
    """Known numbers."""
    return Const(rand(*shape, seed=seed, low=-1, high=1))


def cell(
    *, coupled: bool = False, peepholes: bool = False, projects: bool = False, bias: bool = True
) -> tuple[Any, ...]:
    """The tensors of an LSTM in order."""
    out = OUTPUT if projects else UNITS
    gates = [None if coupled and k == 0 else k for k in range(4)]
    inner = [None if g is None else weights(UNITS, INPUT, seed=10 + g) for g in gates]
    outer = [None if g is None else weights(UNITS, out, seed=20 + g) for g in gates]
    holes = [weights(UNITS, seed=30 + k) if peepholes else None for k in range(3)]
    if coupled:
        holes[0] = None
    shifts = [None if g is None else weights(UNITS, seed=40 + g) for g in gates]
    projection = weights(OUTPUT, UNITS, seed=50) if projects else None
    shift = weights(OUTPUT, seed=51) if projects and bias else None
    states = rand(BATCH, out, seed=60), rand(BATCH, UNITS, seed=61)
    return (rand(BATCH, INPUT), *inner, *outer, *holes, *shifts, projection, shift, *states)


def without(tensors: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    """All but one."""
    return (*tensors[:place], None, *tensors[place + 1 :])


RNN = (
    rand(BATCH, INPUT),
    weights(UNITS, INPUT, seed=1),
    weights(UNITS, UNITS, seed=2),
    weights(UNITS, seed=3),
    rand(BATCH, UNITS, seed=4),
)


def filters(rank: int, memory: int, *, bias: bool = True) -> tuple[Any, ...]:
    """The tensors of an SVDF of three units."""
    count = 3 * rank
    shift = weights(3, seed=3) if bias else None
    state = rand(BATCH, (memory - 1) * count, seed=4)
    return (
        rand(BATCH, INPUT),
        weights(count, INPUT, seed=1),
        weights(count, memory, seed=2),
        shift,
        state,
    )


CASES = [
    *(Case("RNN", RNN, {"fuse_code": a}, tol=SUMS, why=f"activation {a}") for a in ACTIVATIONS),
    Case("RNN", RNN, tol=SUMS, why="without an activation"),
    Case("RNN", (*RNN[:4], rand(BATCH, 3)), {"fuse_code": 0}, raises=BadModel, why="another state"),
    *(
        Case(
            "SVDF",
            filters(r, m),
            {"rank": r, "fuse_code": a},
            tol=SUMS,
            why=f"rank {r}, {m} steps, {a}",
        )
        for r, m, a in ((1, 4, 0), (2, 5, 1), (3, 2, 3))
    ),
    Case("SVDF", filters(2, 1), {"rank": 2}, raises=NNAdapterError, why="one step"),
    Case("SVDF", filters(1, 4, bias=False), {"rank": 1}, tol=SUMS, why="no bias, no activation"),
    Case("SVDF", filters(2, 4), {"rank": 4, "fuse_code": 0}, raises=BadModel, why="another rank"),
    Case("LSTM", cell(), STEP, tol=SUMS),
    *(
        Case("LSTM", cell(), {**STEP, "activation": a}, tol=SUMS, why=f"activation {a}")
        for a in (0, 1, 3, 6)
    ),
    Case("LSTM", cell(coupled=True), STEP, tol=SUMS, why="coupled gates"),
    Case("LSTM", cell(peepholes=True), STEP, tol=SUMS, why="peepholes"),
    Case("LSTM", cell(coupled=True, peepholes=True), STEP, tol=SUMS, why="coupled, peepholes"),
    Case("LSTM", cell(projects=True), STEP, tol=SUMS, why="a projection"),
    Case(
        "LSTM",
        cell(projects=True, bias=False),
        {**STEP, "proj_clip": 0.2},
        tol=SUMS,
        why="a projection without bias, clipped",
    ),
    Case("LSTM", cell(), {**STEP, "cell_clip": 0.3}, tol=SUMS, why="a clipped state"),
    Case("LSTM", without(cell(), 1), STEP, raises=BadModel, why="half an input gate"),
    Case(
        "LSTM", without(cell(peepholes=True), 11), STEP, raises=BadModel, why="half the peepholes"
    ),
    Case("LSTM", without(cell(projects=True), 16), STEP, raises=BadModel, why="a lone bias"),
    Case("LSTM", cell(), {**STEP, "activation": 2}, raises=BadModel, why="no such activation"),
]
