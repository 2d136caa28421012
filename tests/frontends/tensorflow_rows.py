"""Fills a folder with TensorFlow models of ragged and sparse tensors and of hash tables.

Run as `python -m tests.frontends.tensorflow_rows FOLDER`, in a process of its own. `NAME.npz`
beside a model holds its inputs; what this process sees of objects is in `said.json`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

import nnadapter as nna

ROOT = Path(sys.argv[1])
INTS, LONGS, REALS = np.int32, np.int64, np.float32
WEIGHT = tf.Variable(np.random.default_rng(0).normal(size=(10, 4)).astype(REALS))


def save(name: str, function: Callable[..., Any], **inputs: np.ndarray) -> None:
    """A SavedModel of a function of open vectors and matrices, and inputs for it."""
    module = tf.Module()
    module.weight = WEIGHT
    module.tables = list(TABLES.values())
    specs = [
        tf.TensorSpec([None, *a.shape[1:]] if n != "shape" else a.shape, a.dtype, name=n)
        for n, a in inputs.items()
    ]
    module.call = tf.function(function, input_signature=specs)
    tf.saved_model.save(module, str(ROOT / name), signatures=module.call)
    np.savez(ROOT / f"{name}.npz", **inputs)


def static(keys: Any, values: Any, default: Any, *kinds: Any) -> Any:
    """A table that an initialiser fills."""
    given = [tf.constant(v, k) for v, k in zip((keys, values), kinds, strict=True)]
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(*given), default)


def mutable(default: Any, keys: Any, values: Any) -> Any:
    """A table that the checkpoint fills."""
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, default)
    table.insert(tf.constant(keys, tf.int64), tf.constant(values))
    return table


TABLES = {
    "close": static([5, 7, 100], [0, 1, 2], -1, tf.int64, tf.int64),
    "far": static([5, -(2**40), 2**50], [0.5, 0.1, 2], -1.0, tf.int64, tf.float32),
    "mutable": mutable(0.0, [1, 2], [3.0, 4.0]),
    "rows": mutable([0.0, 1.0], [1, 2], [[3.0, 4.0], [5.0, 6.0]]),
}


def pad_ragged(values: Any, splits: Any) -> Any:
    rows = tf.RaggedTensor.from_row_splits(values, splits)
    return {"dense": rows.to_tensor(-1.0), "sum": tf.reduce_sum(rows, axis=1)}


def embed_ragged(values: Any, lengths: Any) -> Any:
    found = tf.nn.embedding_lookup(WEIGHT, tf.RaggedTensor.from_row_lengths(values, lengths))
    return {"mean": tf.reduce_mean(found, axis=1), "dense": found.to_tensor()}


def gather_ragged(values: Any, splits: Any, chosen: Any) -> Any:
    found = tf.gather(tf.RaggedTensor.from_row_splits(values, splits), chosen)
    return {"flat": found.flat_values, "splits": found.row_splits, "dense": found.to_tensor()}


def combine_sparse(indices: Any, values: Any, shape: Any) -> Any:
    x = tf.SparseTensor(indices, values, shape)
    return {
        "product": tf.sparse.sparse_dense_matmul(x, WEIGHT),
        "sum": tf.sparse.reduce_sum(x, axis=1),
        "dense": tf.sparse.to_dense(x),
        "flat": tf.sparse.reshape(x, [-1, 5]).indices,
    }


def embed_sparse(indices: Any, values: Any, shape: Any, weights: Any) -> Any:
    ids, how = tf.SparseTensor(indices, values, shape), tf.SparseTensor(indices, weights, shape)
    safe = tf.nn.safe_embedding_lookup_sparse
    return {
        "plain": tf.nn.embedding_lookup_sparse(WEIGHT, ids, None, combiner="sqrtn"),
        "weighted": tf.nn.embedding_lookup_sparse(WEIGHT, ids, how, combiner="mean"),
        "safe": safe(WEIGHT, ids, None, combiner="sum", default_id=3),
    }


def look_up(x: Any) -> Any:
    found = {name: table.lookup(x) for name, table in TABLES.items()}
    often = tf.cond(tf.shape(x)[0] > 100, lambda: x, lambda: TABLES["close"].lookup(x))
    return found | {"branch": often, "size": TABLES["far"].size()}


def main() -> None:
    """Write all models."""
    values, splits = np.arange(1, 7).astype(REALS), np.array([0, 2, 2, 5, 6], LONGS)
    places = np.array([[0, 0], [0, 1], [1, 0], [2, 0], [2, 9]], LONGS)
    size = np.array([3, 10], LONGS)
    save("padded", pad_ragged, values=values, splits=splits)
    save(
        "embedded",
        embed_ragged,
        values=np.array([1, 2, 3, 9, 5], INTS),
        lengths=np.array([2, 1, 2], LONGS),
    )
    save("gathered", gather_ragged, values=values, splits=splits, chosen=np.array([2, 0, 3], LONGS))
    save("sparse", combine_sparse, indices=places, values=values[:5], shape=size)
    save(
        "embedded_sparse",
        embed_sparse,
        indices=places,
        values=np.array([1, 5, 9, 0, 5], LONGS),
        shape=size,
        weights=values[:5],
    )
    keys = np.array([5, 1, 2, 7, 100, -(2**40), 2**50, 2**62, -9], LONGS)
    save("tables", look_up, x=keys)
    function = tf.function(look_up).get_concrete_function(tf.TensorSpec((9,), tf.int64))
    wanted = look_up(tf.constant(keys))
    found = dict(zip(sorted(wanted), nna.compile(nna.load(function))(keys), strict=True))
    agree = {k: bool(np.array_equal(a, found[k])) for k, a in wanted.items()}
    (ROOT / "said.json").write_text(json.dumps(agree))


main()
