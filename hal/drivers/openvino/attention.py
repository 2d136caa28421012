"""The softmax of attention."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import attention

from ...operands import Axis
from .activation import share
from .emitter import Emitter, Ref
from .forms import Table
from .reduce import reduce_node

table = Table()


@table.lower(attention.safe_softmax)
def safe_softmax(g: Emitter, input: Value, *, axis: Axis) -> Ref:
    """Whether all of a row is -infinity takes one reduction, its largest element three."""
    is_blind = reduce_node(g, "ReduceLogicalAnd", g.take(input).equal(-np.inf), [axis], True)
    return g.where(is_blind, 0, share(g, "Softmax", input, axis=axis))
