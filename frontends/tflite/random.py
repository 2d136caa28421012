"""TFLite's random numbers: its own are not repeated, only their distributions."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.types import Precision

from ..table import Table
from ..tensorflow import random as tensorflow

table = Table()


@table.convert("RANDOM_UNIFORM")
def random_uniform(shape: Index, *, seed: int = 0, seed2: int = 0) -> Value:
    kind = tensorflow.from_attributes(seed, seed2)
    return tensorflow.uniform(shape, Precision.FLOAT32, kind)


@table.convert("RANDOM_STANDARD_NORMAL")
def random_standard_normal(shape: Index, *, seed: int = 0, seed2: int = 0) -> Value:
    kind = tensorflow.from_attributes(seed, seed2)
    return tensorflow.normal(shape, Precision.FLOAT32, kind)


@table.convert("MULTINOMIAL")
def multinomial(
    logits: Value,
    num_samples: int,
    *,
    seed: int = 0,
    seed2: int = 0,
    out_data_type: Precision = Precision.INT64,
) -> Value:
    kind = tensorflow.from_attributes(seed, seed2)
    return tensorflow.drawn_classes(logits, num_samples, out_data_type, kind)
