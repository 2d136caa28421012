"""NNAPI's tables."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import compare, index, reduce, shape
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("EMBEDDING_LOOKUP")
def embedding_lookup(lookups: Value, values: Value) -> Value:
    return index.gather(values, lookups, axis=0)


@table.convert("HASHTABLE_LOOKUP")
def hashtable_lookup(lookups: Value, keys: Value, values: Value) -> tuple[Value, Value]:
    """Rows by key, zeros where a key is not there, and which ones were.

    As many keys as are below the one that is looked up lie in front of it.
    """
    wanted = shape.unsqueeze(lookups, [1])
    found = compare.equal(wanted, shape.unsqueeze(keys, [0])).cast(Precision.INT32)
    hits = reduce.reduce_max(found, [1], keepdim=False)
    place = reduce.arg_max(found, axis=1, keepdim=False)
    rows = index.gather(values, place, axis=0)
    mask = hits > 0
    wide = shape.unsqueeze(mask, list(range(1, values.rank)))
    nothing = values.model.constant(np.zeros((), values.dtype))
    return compare.where(wide, rows, nothing), hits.cast(Precision.UINT8)
