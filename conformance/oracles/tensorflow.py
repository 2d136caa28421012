"""The TensorFlow oracle: one operator, or a SavedModel. Runs as a worker process."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # one order of summation, whatever the processor
import tensorflow as tf

from ..oracle import serve


RENAMED: dict[str, dict[str, str]] = {"Select": {"t": "x", "e": "y"}}
"""Inputs that `tf.raw_ops` calls by other names than the OpDef."""


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[Any]:
    """Run `op` of the head on its arguments, or the SavedModel in the folder `path`."""
    tf.random.set_seed(0)
    tensors = [tf.constant(a) for a in arrays]
    if "path" in head:
        loaded = tf.saved_model.load(head["path"])
        signature = loaded.signatures[head.get("signature") or "serving_default"]
        names = sorted(signature.structured_input_signature[1])
        found = signature(**dict(zip(names, tensors, strict=True)))
        return [found[k].numpy() for k in sorted(found)]
    given = dict(zip(head["names"], head["args"], strict=False)) | head["kwargs"]
    renamed = RENAMED.get(head["op"], {})
    arguments = {renamed.get(k, k): argument(a, tensors) for k, a in given.items()}
    return results(getattr(tf.raw_ops, head["op"])(**arguments))


def argument(source: Any, tensors: list[Any]) -> Any:
    """The inverse of `conformance.named_engine.described`."""
    if isinstance(source, list):
        return [argument(a, tensors) for a in source]
    if isinstance(source, dict):
        ((kind, value),) = source.items()
        match kind:
            case "tensor":
                return tensors[value]
            case "dtype":
                return tf.as_dtype(value)
            case "float":
                return float(value)
            case "complex":
                return complex(*map(float, value))
    return source


def results(found: Any) -> list[np.ndarray]:
    """The tensors of a result in order."""
    return [t.numpy() for t in tf.nest.flatten(found) if t is not None]


if __name__ == "__main__":
    serve(answer)
