"""ONNX control flow: If, Loop and Scan."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import NotConstant
from nnir.model import Value
from nnir.ops import index, shape
from nnir.recipes.shape import flip, place_first_axis

from ... import branches
from ...capture import Capture
from ...loop_state import inline
from ...scans import scan as scan_slices
from ...source import SourceGraph
from ...table import Absent, Ints, Items, Maybe, Table
from ...translate import Translator
from ..lists import as_compound
from ..loops import Iteration, flag_of, repeat, require_tensors, write_out

table = Table()
LIMIT = "limit of the loop"
ENDLESS = np.iinfo(np.int64).max
"""A limit that no loop reaches: PyTorch's exporter writes it for `while`."""


@table.convert("If")
def if_(
    cond: Value, *, then_branch: SourceGraph, else_branch: SourceGraph, translator: Translator
) -> Any:
    flag = shape.reshape(cond, []) if cond.rank else cond
    known = translator.constant_of(flag)
    if known is not None:
        return tuple(inline(translator, then_branch if known else else_branch, []))

    def translate(graph: SourceGraph, inputs: list[Any]) -> list[Any]:
        return [as_compound(translator.model, v) for v in inline(translator, graph, inputs)]

    graphs = [then_branch, else_branch]
    parts = (partial(translate, g) for g in graphs)
    return branches.branch(translator, flag, graphs, [], *parts)


@table.convert("Loop")
def loop(
    M: Maybe,  # noqa: N803  ONNX's name
    cond: Maybe,
    *v_initial: Value | Items,
    body: SourceGraph,
    translator: Translator,
) -> Any:
    if any(isinstance(v, Items) for v in v_initial):
        written = write_out(translator, body, M, cond, v_initial)
        if written is not None:
            return written
    model = translator.model
    state = [as_compound(model, v) for v in v_initial]
    known = None if M is None else M.constant
    is_limit = known is None or (known < ENDLESS).all()
    limit = shape.reshape(M, []) if M is not None and is_limit else None
    capture = Capture({**translator.captured([body]), LIMIT: limit})
    start, go = model.constant(np.int64(0)), flag_of(translator, cond)
    if limit is not None:
        go = go & (start < limit)

    def step(scope: dict[str, Any], entries: list[Any]) -> Iteration:
        position, *before = entries
        flag = translator.model.constant(np.bool_(True))
        again, *made = inline(translator, body, [position, flag, *before])
        after, again, limit = position + 1, shape.reshape(again, []), scope[LIMIT]
        again = again if limit is None else again & (after < limit)
        kept, slices = made[: len(before)], made[len(before) :]
        return Iteration(again, [after, *kept], require_tensors(slices))

    _, *results = repeat(translator, go, [start, *state], capture, step)
    return tuple(results)


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
    ordered = ((flip(v, (0,)) if backward else v, axis) for v, axis, backward in places)
    return (*found[:count], *(place_first_axis(v, axis) for v, axis in ordered))


@table.convert("Scan")
def scan_8(
    sequence_lens: Absent,
    *initial_state_and_scan_inputs: Value,
    body: SourceGraph,
    num_scan_inputs: int,
    directions: Ints = (),
    translator: Translator,
) -> Any:
    """Opset 8 has a batch axis in front of everything: one scan for each sample."""
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
