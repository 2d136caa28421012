"""The TensorFlow oracle: one operator, or a SavedModel. Runs as a worker process."""

from __future__ import annotations

import functools
import inspect
import os
from typing import Any

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # one order of summation, whatever the processor
import tensorflow as tf

from ..processes.array_store import Writer
from ..processes.worker_loop import serve
from .oracle import argument

RENAMED: dict[str, dict[str, str]] = {"Select": {"t": "x", "e": "y"}}
"""Inputs that `tf.raw_ops` calls by other names than the OpDef."""

CODES = {tf.int8: tf.qint8, tf.uint8: tf.quint8, tf.int16: tf.qint16, tf.uint16: tf.quint16} | {
    tf.int32: tf.qint32
}
"""TensorFlow's types of quantised elements by the integers that they are stored as."""

QUANTISED = frozenset({"Dequantize", "QuantizeV2"})
"""Operators whose integers are codes."""


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Any:
    """Run `op` of the head on its arguments, or the SavedModel in the folder `path`."""
    tf.random.set_seed(0)
    tensors = [tf.constant(a) for a in arrays]
    if "save" in head:
        return save_values(head, tensors)
    if "outputs" in head:
        return run_graph(head, tensors)
    if "keras" in head:
        return run_keras(head["path"], dict(zip(head["keras"], tensors, strict=True)))
    if "path" in head:
        if head.get("is_first"):
            signature_of.cache_clear()
        signature = signature_of(head["path"], head.get("signature"), head.get("tags"))
        names = sorted(signature.structured_input_signature[1])
        found = signature(**dict(zip(names, tensors, strict=True)))
        return [found[k].numpy() for k in sorted(found)]
    given = dict(zip(head["names"], head["args"], strict=False)) | head["kwargs"]
    if not hasattr(tf.raw_ops, head["op"]):
        return results(call_custom(head["op"], given, tensors))
    renamed = RENAMED.get(head["op"], {})
    function = getattr(tf.raw_ops, head["op"])
    given = call_operator({renamed.get(k, k): a for k, a in given.items()}, function)
    given = {k: with_table(a, tensors) for k, a in given.items()}
    dtype_of: Any = tf.as_dtype
    if head["op"] in QUANTISED:
        tensors = [tf.bitcast(t, CODES[t.dtype]) if t.dtype in CODES else t for t in tensors]
        dtype_of = code_type
    return results(function(**{k: argument(a, tensors, dtype_of) for k, a in given.items()}))


def with_table(given: Any, tensors: list[Any]) -> Any:
    """An argument; a table for one whose keys and values are tensors."""
    if not isinstance(given, dict) or "table" not in given:
        return given
    keys, values = tensors[given["table"] :][:2]
    kinds = {"key_dtype": keys.dtype, "value_dtype": values.dtype}
    if values.shape.rank > 1:
        made = tf.raw_ops.MutableHashTableOfTensorsV2(value_shape=values.shape[1:], **kinds)
    else:
        made = tf.raw_ops.MutableHashTableV2(**kinds)
    tf.raw_ops.LookupTableImportV2(table_handle=made, keys=keys, values=values)
    return made


def code_type(name: str) -> Any:
    """The type of TensorFlow's codes that are stored as integers of a type."""
    return CODES.get(tf.as_dtype(name), tf.as_dtype(name))


def call_custom(op: str, given: dict[str, Any], tensors: list[Any]) -> Any:
    """Call an operator of a library, which TensorFlow's table of operators alone knows."""
    from tensorflow.python.framework import op_def_library

    named = {k: argument(a, tensors, tf.as_dtype) for k, a in given.items()}
    constants = {k: a for k, a in named.items() if not tf.is_tensor(a)}
    placed = {k: a for k, a in named.items() if tf.is_tensor(a)}
    return tf.function(lambda **xs: op_def_library.apply_op(op, **xs, **constants))(**placed)


@functools.lru_cache(maxsize=1)
def signature_of(path: str, name: str | None, tags: str | None) -> Any:
    """A signature of a SavedModel; it keeps what it needs of the rest."""
    loaded = tf.saved_model.load(path, tags=tags.split(",") if tags else None)
    signature = loaded.signatures[name or "serving_default"]
    signature.loaded = loaded
    return signature


def run_keras(path: str, named: dict[str, Any]) -> list[np.ndarray]:
    """A Keras archive on its inputs by name: the archive has them in an order of its own."""
    model = keras_model(path)
    tensors = list(named.values())
    if len(tensors) > 1:
        tensors = [named[t.name] for t in model.inputs]
        return results(
            model(tf.nest.pack_sequence_as(model._inputs_struct, tensors), training=False)
        )
    return results(model(tensors[0], training=False))


@functools.lru_cache(maxsize=1)
def keras_model(path: str) -> Any:
    """The model in an archive."""
    import keras

    return keras.saving.load_model(path, compile=False, safe_mode=True)


def call_operator(given: dict[str, Any], function: Any) -> dict[str, Any]:
    """Arguments by the names of `tf.raw_ops`: what it does not know is its next one."""
    names = [n for n in inspect.signature(function).parameters if n not in given and n != "name"]
    known = inspect.signature(function).parameters
    strange = [k for k in given if k not in known]
    if len(strange) > len(names):  # as in a version that does not have it yet
        raise TypeError(f"unexpected arguments {', '.join(strange[len(names) :])}")
    return {k if k in known else names.pop(0): a for k, a in given.items()}


def run_graph(head: dict[str, Any], tensors: list[Any]) -> list[Any]:
    """A frozen graph on its inputs, by the names of nodes."""
    wrapped = load_frozen(head["path"])
    inputs, outputs = ([tensor_of(wrapped, n) for n in head[k]] for k in ("inputs", "outputs"))
    return results(wrapped.prune(inputs, outputs)(*tensors))


@functools.lru_cache(maxsize=1)
def load_frozen(path: str) -> Any:
    """The graph in a file as a function."""
    graph = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        graph.ParseFromString(file.read())
    return tf.compat.v1.wrap_function(lambda: tf.compat.v1.import_graph_def(graph, name=""), [])


def tensor_of(wrapped: Any, name: str) -> Any:
    """A tensor of a graph; a node stands for its first one."""
    return wrapped.graph.as_graph_element(name if ":" in name else f"{name}:0")


def save_values(head: dict[str, Any], tensors: list[Any]) -> dict[str, Any]:
    """Write the values `names` that a frozen graph or a signature makes into the folder `save`."""
    if "inputs" in head:
        wrapped, inputs = load_frozen(head["path"]), head["inputs"]
    else:
        wrapped, inputs = flat(signature_of(head["path"], head.get("signature"), head.get("tags")))
    writer, made = Writer(head["save"]), {}
    places = {inside(o.name): o for o in reversed(wrapped.graph.get_operations())}
    for name in head["names"]:
        node, _, port = name.partition(":")
        found = places.get(inside(node))
        if found is None or found.type == "Const" or len(found.outputs) <= int(port or 0):
            continue  # a name of ours, or what is known before it runs
        tensor = found.outputs[int(port or 0)]
        if tensor.dtype not in (tf.variant, tf.resource, tf.string):
            made[name] = tensor
    function = wrapped.prune([tensor_of(wrapped, n) for n in inputs], list(made.values()))
    for name, array in zip(made, function(*tensors), strict=True):
        writer.add(name, array.numpy())
    return writer.saved


def inside(name: str) -> str:
    """A node's name without the calls that lead to its function: they are numbered in any way."""
    parts = [p for p in name.split("/") if not p.startswith(("StatefulPartitionedCall", "Func"))]
    return "/".join(parts)


def flat(signature: Any) -> tuple[Any, list[str]]:
    """A signature as one graph with its variables as constants, and the names of its inputs."""
    from tensorflow.python.framework import convert_to_constants

    whole = convert_to_constants.convert_variables_to_constants_v2(signature)
    graph = whole.graph.as_graph_def()
    wrapped = tf.compat.v1.wrap_function(lambda: tf.compat.v1.import_graph_def(graph, name=""), [])
    return wrapped, [t.name for t in whole.inputs]


def results(found: Any) -> list[np.ndarray]:
    """The tensors of a result in order."""
    return [unwrap_codes(t).numpy() for t in tf.nest.flatten(found) if t is not None]


def unwrap_codes(tensor: Any) -> Any:
    """A tensor; codes as the integers that they are stored as."""
    kinds = {code: kind for kind, code in CODES.items()}
    return tf.bitcast(tensor, kinds[tensor.dtype]) if tensor.dtype in kinds else tensor


if __name__ == "__main__":
    serve(answer)
