"""ONNX control flow: If, Loop and Scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import NotConstant, Unsupported
from nnir.model import Model, Value
from nnir.ops import control, index, shape, unary
from nnir.types import Precision, TensorType

from ...capture import Capture
from ...source import SourceGraph
from ...table import Items, Table
from ...translate import Translator

table = Table()
BODY = 10
"""A loop costs as much as so many plain nodes."""

ROUNDS = 8
"""How often a loop body is translated until the sizes of its state stay as they are."""


@table.convert("If")
def if_(
    cond: Value, *, then_branch: SourceGraph, else_branch: SourceGraph, translator: Translator
) -> Any:
    known = translator.constant_of(cond)
    if known is not None:
        chosen = then_branch if known.reshape(-1)[0] else else_branch
        return tuple(translator.inline(chosen, {}))
    capture = Capture(translator.captured([then_branch, else_branch]))
    branches = [_branch(translator, g, capture) for g in (then_branch, else_branch)]
    return control.if_(
        cond, *capture.values.values(), then_model=branches[0], else_model=branches[1]
    )


def _branch(translator: Translator, graph: SourceGraph, capture: Capture) -> Model:
    model = Model(graph.name or "branch", translator.model)
    with translator.inside(model, capture.bind(model)):
        model.outputs = _tensors(translator.inline(graph, {}))
    return model


def _tensors(entries: Sequence[Any]) -> list[Value]:
    for entry in entries:
        if not isinstance(entry, Value):
            raise Unsupported("a sub-graph whose output is a sequence or an optional")
    return list(entries)


@table.convert("Loop")
def loop(
    M: Value | None,  # noqa: N803  ONNX's name
    cond: Value | None,
    *v_initial: Value | Items,
    body: SourceGraph,
    translator: Translator,
) -> Any:
    tensors = [v for v in v_initial if isinstance(v, Value)]
    if len(tensors) < len(v_initial):
        return _written_out(translator, body, M, cond, v_initial)
    capture = Capture(translator.captured([body]))
    model = translator.model
    start = model.constant(np.int64(0))
    go = model.constant(np.bool_(True)) if cond is None else shape.reshape(cond, [])
    limit = None if M is None else shape.reshape(M, [])
    if limit is not None:
        go = go & (start < limit)
    types = [v.type for v in tensors]
    for _ in range(ROUNDS):
        made, changed = _loop_body(translator, body, capture, types, limit)
        if not changed:
            break
        types = changed
    fixed = [*([] if limit is None else [limit]), *capture.values.values()]
    state = [start, *tensors]
    _, *results = control.while_(go, *state, *fixed, body=made, carried=len(state))
    return tuple(results)


def _written_out(
    translator: Translator,
    graph: SourceGraph,
    limit: Value | None,
    cond: Value | None,
    state: Sequence[Any],
) -> Any:
    """A loop that carries a sequence, iteration by iteration; when it ends must be known."""
    names = [v.name for v in graph.inputs]
    model = translator.model
    flag = model.constant(np.bool_(True)) if cond is None else cond
    last = None if limit is None else _item(translator, limit, "number of iterations")
    columns: list[list[Value]] = [[] for _ in graph.outputs[1 + len(state) :]]
    step = 0
    while _item(translator, flag, "condition") and (last is None or step < last):
        translator.spend(1)
        count = model.constant(np.int64(step))
        entries = translator.inline(graph, dict(zip(names, [count, flag, *state], strict=True)))
        flag, state = entries[0], entries[1 : 1 + len(state)]
        for column, made in zip(columns, entries[1 + len(state) :], strict=True):
            column.append(made)
        step += 1
    if columns and not step:
        raise Unsupported("a Loop over a sequence with scan outputs and without iterations")
    return (*state, *(shape.stack(*c, axis=0) for c in columns))


def _item(translator: Translator, value: Value, what: str) -> Any:
    """The one element of a constant."""
    known = translator.constant_of(value)
    if known is None:
        raise NotConstant(f"a Loop over a sequence needs a constant {what}")
    return known.reshape(-1)[0]


def _loop_body(
    translator: Translator,
    graph: SourceGraph,
    capture: Capture,
    types: Sequence[TensorType],
    limit: Value | None,
) -> tuple[Model, list[TensorType]]:
    """The body as a model, and the types of the state where its sizes change."""
    translator.spend(BODY)
    model = Model(graph.name or "body", translator.model)
    step = model.input("iteration", TensorType(Precision.INT64, ()))
    state = [model.input(f"state{k}", t) for k, t in enumerate(types)]
    end = None if limit is None else model.input("limit", limit.type)
    with translator.inside(model, capture.bind(model)):
        names = [v.name for v in graph.inputs]
        flag = model.constant(np.bool_(True))
        entries = translator.inline(graph, dict(zip(names, [step, flag, *state], strict=True)))
    go, *results = _tensors(entries)
    after = step + 1
    go = shape.reshape(unary.assign(go), [])
    if end is not None:
        go = go & (after < end)
    model.outputs = [go, after, *results]
    joined = [
        control.join_types(translator.model, a, v.type, "the state of a Loop")
        for a, v in zip(types, results[: len(types)], strict=True)
    ]
    return model, joined if joined != list(types) else []


@table.convert("Scan", since=9)
def scan(
    *initial_state_and_scan_inputs: Value,
    body: SourceGraph,
    num_scan_inputs: int,
    scan_input_axes: tuple[int, ...] = (),
    scan_input_directions: tuple[int, ...] = (),
    scan_output_axes: tuple[int, ...] = (),
    scan_output_directions: tuple[int, ...] = (),
    translator: Translator,
) -> Any:
    count = len(initial_state_and_scan_inputs) - num_scan_inputs
    state = initial_state_and_scan_inputs[:count]
    scans = initial_state_and_scan_inputs[count:]
    axes = [
        axis_of(a, v.rank)
        for a, v in zip(_fill_defaults(scan_input_axes, scans), scans, strict=True)
    ]
    reverse = _fill_defaults(scan_input_directions, scans)
    capture = Capture(translator.captured([body]))
    made = _scan_body(translator, body, capture, state, scans, axes, reverse)
    model = translator.model
    length = scans[0].shape[axes[0]]
    size = _size(scans[0], axes[0])
    start = model.constant(np.int64(0))
    results = control.while_(
        start < size,
        start,
        *state,
        *scans,
        *capture.values.values(),
        body=made,
        carried=1 + count,
        trips=None if isinstance(length, Expr) else length,
    )
    outputs = results[1 + count :]
    places = zip(
        outputs,
        _fill_defaults(scan_output_axes, outputs),
        _fill_defaults(scan_output_directions, outputs),
        strict=True,
    )
    return (*results[1 : 1 + count], *(_place_axis(v, a, d) for v, a, d in places))


def _scan_body(
    translator: Translator,
    graph: SourceGraph,
    capture: Capture,
    state: Sequence[Value],
    scans: Sequence[Value],
    axes: Sequence[int],
    reverse: Sequence[int],
) -> Model:
    model = Model(graph.name or "body", translator.model)
    step = model.input("iteration", TensorType(Precision.INT64, ()))
    inner_state = [model.input(f"state{k}", v.type) for k, v in enumerate(state)]
    inner_scans = [model.input(f"scan{k}", v.type) for k, v in enumerate(scans)]
    size = _size(inner_scans[0], axes[0])
    after = step + 1
    last = size - after
    slices = [
        index.gather(v, last if backward else step, axis=axis)
        for v, axis, backward in zip(inner_scans, axes, reverse, strict=True)
    ]
    with translator.inside(model, capture.bind(model)):
        names = [v.name for v in graph.inputs]
        entries = translator.inline(graph, dict(zip(names, [*inner_state, *slices], strict=True)))
    model.outputs = [after < size, after, *_tensors(entries)]
    return model


def _size(value: Value, axis: int) -> Value:
    """The size of an axis as a rank-0 int64, a constant where it is known."""
    size = value.shape[axis]
    if not isinstance(size, Expr):
        return value.model.constant(np.int64(size))
    sizes = shape.shape(value, dtype=Precision.INT64)
    return index.gather(sizes, value.model.constant(np.int64(axis)), axis=0)


def _fill_defaults(given: Sequence[int], values: Sequence[Any]) -> list[int]:
    return list(given) if given else [0] * len(values)


def _place_axis(value: Value, axis: int, backward: int) -> Value:
    """A stacked output with its order reversed and its first axis moved to where it belongs."""
    if backward:
        value = index.slice_(value, [0], [-1], [np.iinfo(np.int64).min], [-1])
    axis = axis_of(axis, value.rank)
    order = list(range(1, value.rank))
    order.insert(axis, 0)
    return value if axis == 0 else shape.transpose(value, perm=tuple(order))


@table.convert("Scan")
def scan_8(
    sequence_lens: Value | None,
    *initial_state_and_scan_inputs: Value,
    body: SourceGraph,
    num_scan_inputs: int,
    directions: tuple[int, ...] = (),
    translator: Translator,
) -> Any:
    """Opset 8 has a batch axis in front of everything: one scan for each sample."""
    if sequence_lens is not None:
        raise Unsupported("Scan of opset 8 with sequence_lens")
    batch = initial_state_and_scan_inputs[0].shape[0]
    if isinstance(batch, Expr):
        raise NotConstant("Scan of opset 8 with a dynamic batch")
    translator.spend(batch)
    samples = [
        scan(
            *(index.gather(v, np.int64(k), axis=0) for v in initial_state_and_scan_inputs),
            body=body,
            num_scan_inputs=num_scan_inputs,
            scan_input_directions=directions,
            translator=translator,
        )
        for k in range(batch)
    ]
    return tuple(shape.stack(*column, axis=0) for column in zip(*samples, strict=True))
