"""Rows of tables, by their number or by a key."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadInput

from .call import Call, Kernel, Results


def embedding_lookup(call: Call) -> Results:
    """Rows by number; one that is not there is an error."""
    rows, table = call.array("lookups"), call.array("values")
    outside = (rows < 0) | (rows >= len(table))
    if outside.any():
        raise BadInput(f"EMBEDDING_LOOKUP of row {rows[outside][0]} of {len(table)}")
    return [table[rows]]


def hashtable_lookup(call: Call) -> Results:
    """Rows by key, zeros where a key is not there, and which ones were."""
    wanted, keys, table = (call.array(n) for n in ("lookups", "keys", "values"))
    if np.any(keys[1:] < keys[:-1]):
        raise BadInput("HASHTABLE_LOOKUP with keys that do not ascend")
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    hits = keys[places] == wanted
    rows = table[places]
    rows[~hits] = 0
    return [rows, hits.astype(np.uint8)]


KERNELS: dict[str, Kernel] = {
    "EMBEDDING_LOOKUP": embedding_lookup,
    "HASHTABLE_LOOKUP": hashtable_lookup,
}
