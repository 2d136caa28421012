"""Normalisations and what goes over one axis."""

from __future__ import annotations

from ..graph import End, Output
from ..operands import Channels, Line, Number, Place
from ..schema import Capitals, Single, Table
from ..shapes import PartialShape, merge
from .elementwise import same_type
from .shape import axis_of

table = Table()
INSIDE = Capitals("INSIDE_SQRT")


@table.kind("BatchNormInference", since=5)
def batch_norm(
    data: Channels, gamma: Line, beta: Line, mean: Line, variance: Line, *, epsilon: float
) -> End:
    kind = same_type("BatchNormInference", data, gamma, beta, mean, variance)
    batch, channels, *sizes = data.shape
    for given in (gamma, beta, mean, variance):
        channels = merge(channels, given.shape[0], "channels of BatchNormInference")
    return kind, PartialShape([batch, channels, *sizes])


@table.kind("MVN", since=6)
def normalise(
    data: Output,
    axes: Place,
    *,
    eps: Single,
    normalize_variance: bool = True,
    eps_mode: Capitals = INSIDE,
) -> End:
    return data.type, data.shape


def _along_axis(name: str, since: int) -> None:
    @table.kind(name, since=since)
    def rule(data: Output, *, axis: int = 1) -> End:
        axis_of(axis, len(data.shape), name)
        return data.type, data.shape


_along_axis("Softmax", 8)
_along_axis("LogSoftmax", 5)


@table.kind("CumSum", since=3)
def running_sum(
    data: Number, axis: Place, *, exclusive: bool = False, reverse: bool = False
) -> End:
    return data.type, data.shape
