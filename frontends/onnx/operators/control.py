"""ONNX control flow: If, Loop and Scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import index, shape
from nnir.recipes.shape import flip

from ... import branches
from ...capture import Capture
from ...loop_state import inline
from ...scans import scan as scan_slices
from ...source import SourceGraph
from ...table import Ints, Items, Table
from ...translate import Translator
from ..lists import as_compound
from ..loops import Iteration, repeat

table = Table()
LIMIT = "limit of the loop"


@table.convert("If")
def if_(
    cond: Value, *, then_branch: SourceGraph, else_branch: SourceGraph, translator: Translator
) -> Any:
    flag = shape.reshape(cond, []) if cond.rank else cond
    known = translator.constant_of(flag)
    if known is not None:
        return tuple(inline(translator, then_branch if known else else_branch, []))
    graphs = [then_branch, else_branch]
    return branches.branch(
        translator, flag, graphs, [], *(_as_branch(translator, g) for g in graphs)
    )


def _as_branch(translator: Translator, graph: SourceGraph) -> branches.Branch:
    """What a branch gives, sequences as tensors."""

    def translate(inputs: list[Any]) -> list[Any]:
        return [as_compound(translator.model, v) for v in inline(translator, graph, inputs)]

    return translate


@table.convert("Loop")
def loop(
    M: Value | None,  # noqa: N803  ONNX's name
    cond: Value | None,
    *v_initial: Value | Items,
    body: SourceGraph,
    translator: Translator,
) -> Any:
    if any(isinstance(v, Items) for v in v_initial):
        written = _write_out(translator, body, M, cond, v_initial)
        if written is not None:
            return written
    model = translator.model
    state = [as_compound(model, v) for v in v_initial]
    limit = None if M is None else shape.reshape(M, [])
    capture = Capture({**translator.captured([body]), LIMIT: limit})
    start, go = model.constant(np.int64(0)), _flag(translator, cond)
    if limit is not None:
        go = go & (start < limit)

    def step(scope: dict[str, Any], entries: list[Any]) -> Iteration:
        position, *before = entries
        flag = translator.model.constant(np.bool_(True))
        again, *made = inline(translator, body, [position, flag, *before])
        after, again, limit = position + 1, shape.reshape(again, []), scope[LIMIT]
        again = again if limit is None else again & (after < limit)
        kept, slices = made[: len(before)], made[len(before) :]
        return Iteration(again, [after, *kept], _require_tensors(slices))

    _, *results = repeat(translator, go, [start, *state], capture, step)
    return tuple(results)


def _require_tensors(entries: Sequence[Any]) -> list[Value]:
    if not all(isinstance(entry, Value) for entry in entries):
        raise Unsupported("a sequence or an optional in each iteration of a loop")
    return list(entries)


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
    """A loop that carries a sequence, iteration by iteration; None where it is not known when it
    ends."""
    flag, step, rows = _flag(translator, cond), 0, []
    last = None if limit is None else _item(translator, limit)
    if limit is not None and last is None:
        return None
    while (go := _item(translator, flag)) is not None and go and (last is None or step < last):
        translator.spend(1)
        count = translator.model.constant(np.int64(step))
        flag, *entries = inline(translator, graph, [count, flag, *state])
        state, row = entries[: len(state)], entries[len(state) :]
        rows.append(row)
        step += 1
    if go is None:
        return None
    if len(graph.outputs) > 1 + len(state) and not step:
        raise Unsupported("a Loop over a sequence with scan outputs and without iterations")
    return (*state, *(shape.stack(*c, axis=0) for c in zip(*rows, strict=True)))


def _item(translator: Translator, value: Value) -> Any:
    """The one element of a constant; None where it is none."""
    known = translator.constant_of(value)
    return None if known is None else known.reshape(-1)[0]


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
