"""The softmax of attention."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import attention
from nnir.types import Precision

from ...operands import Axis
from .activation import share
from .emitter import Emitter, Ref
from .forms import Table
from .reduce import reduce_node

table = Table()


@table.lower(attention.safe_softmax)
def safe_softmax(g: Emitter, input: Value, *, axis: Axis) -> Ref:
    """Whether all of a row is -infinity takes one reduction, its largest element three."""
    is_least = g.cast(input, Precision.FLOAT32).equal(-np.inf)
    is_blind = reduce_node(g, "ReduceLogicalAnd", is_least, [axis], keepdim=True)
    return g.where(is_blind, 0, share(g, "Softmax", input, axis=axis))
