"""ONNX control flow: If, Loop and Scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import NotConstant, Unsupported
from nnir.model import Model, Value
from nnir.ops import control, index, shape
from nnir.recipes.shape import flip
from nnir.types import Precision, TensorType

from ... import branches
from ...capture import Capture
from ...loop_state import fresh, inline
from ...loops import BODY, ROUNDS
from ...scans import scan as scan_slices
from ...source import SourceGraph
from ...table import Ints, Items, Table
from ...translate import Translator

table = Table()
LIMIT = "limit of the loop"


@table.convert("If")
def if_(
    cond: Value, *, then_branch: SourceGraph, else_branch: SourceGraph, translator: Translator
) -> Any:
    flag = shape.reshape(cond, []) if cond.rank else cond
    return branches.if_(translator, flag, [], then_branch, else_branch)


def _require_tensors(entries: Sequence[Any]) -> list[Value]:
    if not all(isinstance(entry, Value) for entry in entries):
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
    if any(isinstance(v, Items) for v in v_initial):
        return _write_out(translator, body, M, cond, v_initial)
    state, limit = _require_tensors(v_initial), None if M is None else shape.reshape(M, [])
    capture = Capture({**translator.captured([body]), LIMIT: limit})
    start, go = translator.model.constant(np.int64(0)), _flag(translator, cond)
    if limit is not None:
        go = go & (start < limit)
    types = [v.type for v in state]
    for _ in range(ROUNDS):
        made, changed = _loop_body(translator, body, capture, types)
        if not changed:
            break
        types = changed
    state = [start, *state]
    _, *results = control.while_(
        go, *state, *capture.values.values(), body=made, carried=len(state)
    )
    return tuple(results)


def _flag(translator: Translator, cond: Value | None) -> Value:
    """Whether to go on; yes where nothing is said."""
    return translator.model.constant(np.bool_(True)) if cond is None else shape.reshape(cond, [])


def _write_out(
    translator: Translator,
    graph: SourceGraph,
    limit: Value | None,
    cond: Value | None,
    state: Sequence[Any],
) -> Any:
    """A loop that carries a sequence, iteration by iteration; when it ends must be known."""
    flag, step, rows = _flag(translator, cond), 0, []
    last = None if limit is None else _item(translator, limit, "number of iterations")
    while _item(translator, flag, "condition") and (last is None or step < last):
        translator.spend(1)
        count = translator.model.constant(np.int64(step))
        flag, *entries = inline(translator, graph, [count, flag, *state])
        state, row = entries[: len(state)], entries[len(state) :]
        rows.append(row)
        step += 1
    if len(graph.outputs) > 1 + len(state) and not step:
        raise Unsupported("a Loop over a sequence with scan outputs and without iterations")
    return (*state, *(shape.stack(*c, axis=0) for c in zip(*rows, strict=True)))


def _item(translator: Translator, value: Value, what: str) -> Any:
    """The one element of a constant."""
    known = translator.constant_of(value)
    if known is None:
        raise NotConstant(f"a Loop over a sequence needs a constant {what}")
    return known.reshape(-1)[0]


def _loop_body(
    translator: Translator, graph: SourceGraph, capture: Capture, types: Sequence[TensorType]
) -> tuple[Model, list[TensorType]]:
    """The body as a model, and the types of the state where its sizes change."""
    translator.spend(BODY)
    model = Model(graph.name or "body", translator.model)
    step = model.input("iteration", TensorType(Precision.INT64, ()))
    state = [model.input(f"state{k}", t) for k, t in enumerate(types)]
    scope = capture.bind(model)
    with translator.inside(model, scope):
        entries = inline(translator, graph, [step, model.constant(np.bool_(True)), *state])
    go, *results = fresh(_require_tensors(entries))
    after, go, limit = step + 1, shape.reshape(go, []), scope[LIMIT]
    model.outputs = [go if limit is None else go & (after < limit), after, *results]
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
    scan_input_axes: Ints = (),
    scan_input_directions: Ints = (),
    scan_output_axes: Ints = (),
    scan_output_directions: Ints = (),
    translator: Translator,
) -> Any:
    count = len(initial_state_and_scan_inputs) - num_scan_inputs
    state = initial_state_and_scan_inputs[:count]
    scans = initial_state_and_scan_inputs[count:]
    pairs = zip(scan_input_axes or (0,) * len(scans), scans, strict=True)
    axes = [axis_of(a, v.rank) for a, v in pairs]
    found = scan_slices(translator, body, state, scans, axes=axes, backward=scan_input_directions)
    outputs, none = found[count:], (0,) * (len(found) - count)
    places = zip(outputs, scan_output_axes or none, scan_output_directions or none, strict=True)
    return (*found[:count], *(_place_axis(v, a, d) for v, a, d in places))


def _place_axis(value: Value, axis: int, backward: int) -> Value:
    """A stacked output with its order reversed and its first axis moved to where it belongs."""
    found = flip(value, (0,)) if backward else value
    order = list(range(1, value.rank))
    order.insert(axis_of(axis, value.rank), 0)
    return found if order[0] == 0 else shape.transpose(found, perm=tuple(order))


@table.convert("Scan")
def scan_8(
    sequence_lens: Value | None,
    *initial_state_and_scan_inputs: Value,
    body: SourceGraph,
    num_scan_inputs: int,
    directions: Ints = (),
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
