"""Operators written in others, one module a family; importing the package registers all of them.

A device takes a decomposition for an operator that it has no lowering for, `to_standard` for one
that the standard does not have. `impossible` says of the others why there is none.
"""

from . import (
    activation,
    attention,
    bessel,
    binary,
    control,
    conv,
    detection,
    features,
    generate,
    index,
    linalg,
    linear,
    logic,
    norm,
    pool,
    recurrent,
    reduce,
    resize,
    sampling,
    shape,
    special,
    unary,
    windows,
    yolo,
)

__all__ = [
    "activation",
    "attention",
    "bessel",
    "binary",
    "control",
    "conv",
    "detection",
    "features",
    "generate",
    "index",
    "linalg",
    "linear",
    "logic",
    "norm",
    "pool",
    "recurrent",
    "reduce",
    "resize",
    "sampling",
    "shape",
    "special",
    "unary",
    "windows",
    "yolo",
]
