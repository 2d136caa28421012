"""NNAPI's pools."""

from __future__ import annotations

from nnir.errors import BadModel

from ...case import ROUNDS, Case, rand
from .numbers import ACTIVATIONS, QUANTUM, q, scheme, sides

IMAGE, BYTES = rand(2, 7, 8, 3), q(2, 7, 8, 3)
SIZE = {"filter_width": 2, "filter_height": 3}
POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")
INTEGER = POOLS[:2]

CASES = [
    *(
        Case(op, (IMAGE,), scheme(p, s, fuse_code=0, **SIZE), tol=ROUNDS)
        for op in POOLS
        for p in (0, 1, 2)
        for s in (1, 3)
    ),
    *(
        Case(op, (IMAGE,), scheme(2, 2, fuse_code=a, **SIZE), tol=ROUNDS, why=f"activation {a}")
        for op in POOLS
        for a in ACTIVATIONS[1:]
    ),
    *(
        Case(op, (IMAGE,), sides(1, 0, 2, 1, fuse_code=1, **SIZE), tol=ROUNDS, why="explicit")
        for op in POOLS
    ),
    *(
        Case(
            op,
            (IMAGE,),
            sides(0, 0, 0, 0, fuse_code=0, filter_width=8, filter_height=7),
            tol=ROUNDS,
            why="the whole image",
        )
        for op in POOLS
    ),
    *(
        Case(
            op,
            (BYTES,),
            scheme(1, 2, fuse_code=a, **SIZE),
            tol=QUANTUM,
            why=f"quantised, activation {a}",
        )
        for op in INTEGER
        for a in ACTIVATIONS
    ),
    *(
        Case(
            op,
            (BYTES,),
            sides(1, 0, 2, 1, fuse_code=0, **SIZE),
            tol=QUANTUM,
            why="quantised, explicit",
        )
        for op in INTEGER
    ),
    *(
        Case(
            op,
            (IMAGE,),
            sides(2, 0, 0, 0, fuse_code=0, **SIZE),
            raises=BadModel,
            why="windows of nothing but padding",
        )
        for op in POOLS
    ),
    Case(
        "MAX_POOL_2D", (IMAGE,), scheme(2, 0, fuse_code=0, **SIZE), raises=BadModel, why="no step"
    ),
    Case(
        "L2_POOL_2D", (BYTES,), scheme(2, 1, fuse_code=0, **SIZE), raises=BadModel, why="integers"
    ),
    Case(
        "MAX_POOL_2D",
        (rand(1, 2, 2, 1),),
        scheme(2, 1, fuse_code=0, **SIZE),
        raises=BadModel,
        why="larger than the image",
    ),
]
