"""Scans: a graph for each slice of tensors, which carries a state and whose results are stacked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Expr
from nnir.errors import Unsupported
from nnir.model import Model, Value
from nnir.ops import control, index
from nnir.types import Precision, TensorType

from .capture import Capture
from .loop_state import fresh, inline, require_tensor
from .loops import BODY
from .source import SourceGraph
from .translate import Translator


def scan(
    translator: Translator,
    graph: SourceGraph,
    init: Sequence[Value],
    xs: Sequence[Value],
    fixed: Sequence[Value] = (),
    *,
    axes: Sequence[int] | None = None,
    backward: Sequence[int] | None = None,
) -> tuple[Value, ...]:
    """The last state, and what else the graph gives, stacked along a new first axis.

    The graph takes the state, a slice of each of `xs` (along its entry of `axes`, the first one
    by default, and from the end where `backward` says so), and `fixed`; it gives the state first.
    """
    if not xs:
        raise Unsupported("a scan over nothing")
    translator.spend(BODY)
    axes, backward = axes or (0,) * len(xs), backward or (0,) * len(xs)
    names = [f"fixed{k}" for k in range(len(fixed))]
    outer = Capture(translator.captured([graph]) | dict(zip(names, fixed, strict=True)))
    model = Model(graph.name or "body", translator.model)
    step = model.input("iteration", TensorType(Precision.INT64, ()))
    state = [model.input(f"state{k}", v.type) for k, v in enumerate(init)]
    wholes = [model.input(f"scan{k}", v.type) for k, v in enumerate(xs)]
    scope = outer.bind(model)
    after, size = step + 1, wholes[0].size(axes[0])
    with translator.inside(model, scope):
        slices = [
            index.gather(x, size - after if reverse else step, axis=axis)
            for x, axis, reverse in zip(wholes, axes, backward, strict=True)
        ]
        found = inline(translator, graph, [*state, *slices, *(scope[n] for n in names)])
    model.outputs = [after < size, after, *fresh([require_tensor(v, "a scan") for v in found])]
    start, length = translator.model.constant(np.int64(0)), xs[0].shape[axes[0]]
    go = start < xs[0].size(axes[0])
    _, *results = control.while_(
        *(go, start, *init, *xs, *outer.values.values()),
        body=model,
        carried=1 + len(init),
        trips=None if isinstance(length, Expr) else length,
    )
    return tuple(results)
