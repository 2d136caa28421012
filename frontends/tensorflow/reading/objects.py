"""Read TensorFlow's objects: functions, modules, Keras models and GraphDefs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf

from nnir.errors import BadInput, Unsupported
from nnir.types import Precision, TensorType

from ...source import UNRANKED, Contents, SourceModel, SourceValue, dims
from .flatten import Flattener, Library
from .hash_tables import kinds_of_table
from .messages import GRAPH, decode
from .nodes import functions_of, nodes_of
from .rows import loosen_rows
from .saved_model import read_graph
from .tensors import precision
from .variables import Variable


def read(source: Any, inputs: Sequence[Any] | None = None) -> SourceModel:
    """The source model of a Keras model, a `tf.function`, a module or a GraphDef."""
    if isinstance(source, tf.compat.v1.GraphDef):
        return read_graph(source.SerializeToString())
    function = concrete(source, inputs)
    data = function.graph.as_graph_def().SerializeToString()
    message = decode(data, (0, len(data)), GRAPH)
    nodes = nodes_of(data, message.get("node", ()))
    functions = functions_of(data, message.get("library", {}).get("function", ()))
    flattener = Flattener(Library(nodes, functions))
    captured = bind_captures(flattener, function)
    names = input_names(source, function)
    tensors = [t for t in function.inputs if t.name not in captured]
    given = [
        placeholder(names[k] if k < len(names) else t.op.name, t) for k, t in enumerate(tensors)
    ]
    for tensor, value in zip(tensors, loosen_rows(given, data), strict=True):
        flattener.bind_input(tensor.op.name, value)
    results = function.structured_outputs
    called = sorted(results) if isinstance(results, Mapping) else []
    for position, tensor in enumerate(tf.nest.flatten(results)):
        path = called[position] if len(called) == len(tf.nest.flatten(results)) else None
        if isinstance(tensor, tf.Tensor):
            entry = flattener.tensor(tensor.name)
            made = flattener.name_of(entry)
            flattener.graph.outputs.append(SourceValue(made, called=path))
    effects = [op.name for op in function.graph.control_outputs] if flattener.is_ordered else []
    producer = {"producer": f"tensorflow {tf.__version__}"}
    return replace(flattener.finish(effects), metadata=producer)


def concrete(source: Any, inputs: Sequence[Any] | None) -> Any:
    """The ConcreteFunction of what can be called with tensors."""
    if hasattr(source, "captured_inputs") and hasattr(source, "graph"):
        return source
    if hasattr(source, "inputs") and hasattr(source, "layers") and source.inputs:
        specs = [tf.TensorSpec(t.shape, t.dtype, name=t.name) for t in source.inputs]
        whole = source.inputs if len(specs) > 1 else source.inputs[0]
        nested = tf.nest.pack_sequence_as(getattr(source, "_inputs_struct", whole), specs)
        return tf.function(lambda x: source(x, training=False)).get_concrete_function(nested)
    if isinstance(source, tf.Module) and not hasattr(source, "layers"):
        source = source.__call__
    function = source if hasattr(source, "get_concrete_function") else tf.function(source)
    if inputs is None and getattr(function, "input_signature", None) is None:
        raise BadInput(
            f"{type(source).__name__} is traced on example inputs: load(model, inputs=(x, ...))"
        )
    given = [tf.TensorSpec(np.shape(a), tf.as_dtype(np.asarray(a).dtype)) for a in inputs or ()]
    return function.get_concrete_function(*given)


def bind_captures(flattener: Flattener, function: Any) -> set[str]:
    """Give what the function captures its value; the names of the placeholders."""
    handles = {id(v.handle): v for v in function.graph.variables}
    found = set()
    for outside, inside in function.graph.captures:
        variable = handles.get(id(outside))
        if variable is None and outside.dtype == tf.resource:
            flattener.made[inside.op.name] = [held_by(outside, inside.op.name, flattener.library)]
            found.add(inside.name)
            continue
        name = inside.op.name if variable is None else variable.name
        while name in flattener.graph.weights:
            name += "_"
        flattener.graph.weights[name] = (outside if variable is None else variable).numpy()
        flattener.made[inside.op.name] = [name if variable is None else Variable(name)]
        found.add(inside.name)
    return found


def held_by(handle: Any, name: str, library: Library) -> Contents:
    """What a table of numbers holds; Unsupported for other resources."""
    kinds = kinds_of_table(name, library.nodes, library.functions)
    if kinds is None or not all(isinstance(k, Precision) for k in kinds):
        raise Unsupported(f"{name!r} is a resource that is no variable and no table of numbers")
    keys, values = (tf.as_dtype(k.dtype) for k in kinds)
    held = tf.raw_ops.LookupTableExportV2(table_handle=handle, Tkeys=keys, Tvalues=values)
    return Contents(name, held[0].numpy(), held[1].numpy())


def input_names(source: Any, function: Any) -> list[str]:
    """What the inputs are called: by the Keras model, else by the function's arguments."""
    if hasattr(source, "layers") and getattr(source, "inputs", None):
        return [t.name for t in source.inputs]
    args, kwargs = function.structured_input_signature
    leaves = [*tf.nest.flatten(args), *tf.nest.flatten(kwargs)]
    return [s.name for s in leaves if isinstance(s, tf.TensorSpec) and s.name]


def placeholder(name: str, tensor: Any) -> SourceValue:
    """An input of the model."""
    kind = precision(tensor.dtype.as_datatype_enum)
    if tensor.shape.rank is None:
        return SourceValue(name, None, UNRANKED, unranked=kind)
    sizes = [-1 if d is None else d for d in tensor.shape]
    return SourceValue(name, TensorType(kind, dims(name, sizes)))
