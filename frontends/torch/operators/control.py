"""PyTorch's operators over graphs: cond, while_loop, scan, map, and regions that are no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnir.errors import BadModel, Unsupported
from nnir.model import Model, Value
from nnir.ops import control, shape, unary
from nnir.types import Precision

from ... import scans
from ...loops import BODY
from ...source import SourceGraph
from ...table import Items, Table
from ...translate import Translator

table = Table()


def inline(translator: Translator, graph: SourceGraph, inputs: Sequence[Any]) -> list[Value]:
    """The outputs of a graph that is given its inputs, in the current model."""
    if len(graph.inputs) != len(inputs):
        raise BadModel(f"{graph.name!r} takes {len(graph.inputs)} inputs, not {len(inputs)}")
    names = [v.name for v in graph.inputs]
    return translator.inline(graph, dict(zip(names, inputs, strict=True)))


def inputs_of(model: Model, values: Sequence[Value]) -> list[Value]:
    """What values are within a sub-model: its inputs, but constants stay constants."""
    made = []
    for value in values:
        known = value.known
        inner = (
            model.input(value.name or "x", value.type) if known is None else model.constant(known)
        )
        inner.is_number = value.is_number
        made.append(inner)
    return made


def computed_values(values: Sequence[Value]) -> list[Value]:
    """The values that become inputs of a sub-model."""
    return [v for v in values if v.known is None]


@table.convert("higher_order.cond")
def cond(
    pred: Value,
    true_fn: SourceGraph,
    false_fn: SourceGraph,
    operands: Items,
    *,
    translator: Translator,
) -> Any:
    known = translator.constant_of(pred)
    if known is not None:
        return tuple(inline(translator, true_fn if known.item() else false_fn, operands))
    models = []
    for graph in (true_fn, false_fn):
        model = Model(graph.name or "branch", translator.model)
        with translator.inside(model, {}):
            made = inline(translator, graph, inputs_of(model, operands))
        model.outputs = [unary.assign(v) if v.producer is None else v for v in made]
        models.append(model)
    flag = shape.reshape(pred, []) if pred.rank else pred
    return control.if_(flag, *computed_values(operands), then_model=models[0], else_model=models[1])


@table.convert("higher_order.while_loop")
def while_loop(
    cond_fn: SourceGraph,
    body_fn: SourceGraph,
    carried_inputs: Items,
    additional_inputs: Items,
    *,
    translator: Translator,
) -> Any:
    translator.spend(BODY)
    state = list(carried_inputs)
    (go,) = inline(translator, cond_fn, [*state, *additional_inputs])
    model = Model(body_fn.name or "body", translator.model)
    before = [model.input(f"state{k}", v.type) for k, v in enumerate(state)]
    with translator.inside(model, {}):
        fixed = inputs_of(model, additional_inputs)
        after = inline(translator, body_fn, [*before, *fixed])
        (again,) = inline(translator, cond_fn, [*after, *fixed])
    for old, new in zip(state, after, strict=True):
        if old.type != new.type:
            raise Unsupported(f"a while_loop whose state changes from {old.type} to {new.type}")
    model.outputs = [to_flag(again), *after]
    rest = computed_values(additional_inputs)
    return control.while_(to_flag(go), *state, *rest, body=model, carried=len(state))


def to_flag(condition: Value) -> Value:
    """A condition without axes, as a value of its own."""
    return unary.assign(shape.reshape(condition, []) if condition.rank else condition)


@table.convert("higher_order.scan")
def scan(
    combine_fn: SourceGraph,
    init: Items,
    xs: Items,
    additional_inputs: Items,
    *,
    translator: Translator,
) -> Any:
    return scans.scan(translator, combine_fn, init, xs, additional_inputs)


@table.convert("higher_order.map_impl")
def map_impl(f: SourceGraph, xs: Items, pos_args: Items, *, translator: Translator) -> Any:
    return scans.scan(translator, f, [], xs, pos_args)


@table.convert("higher_order.wrap_with_set_grad_enabled")
def set_grad_enabled(
    enable_grad: bool, wrapped_func: SourceGraph, args: Items, *, translator: Translator
) -> Any:
    return tuple(inline(translator, wrapped_func, args))


@table.convert("higher_order.wrap_with_autocast")
def autocast(
    device_type: str,
    dtype: Precision | None,
    enabled: bool,
    cache_enabled: bool | None,
    wrapped_func: SourceGraph,
    args: Items,
    *,
    translator: Translator,
) -> Any:
    if enabled:
        raise Unsupported(
            "a region of autocast: export without it, with the model in one precision"
        )
    return tuple(inline(translator, wrapped_func, args))


@table.convert("higher_order.invoke_subgraph")
def invoke_subgraph(
    subgraph: SourceGraph, identifier: str, operands: Items, *, translator: Translator
) -> Any:
    return tuple(inline(translator, subgraph, operands))
