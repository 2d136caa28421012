"""Fourier transforms."""

from __future__ import annotations

from ....errors import NoLowering
from ..graph import End, Output
from ..operands import PlaceVector, Real
from ..schema import Table
from ..shapes import OPEN, Dimension, PartialShape
from .shape import axes_in, sizes_in

table = Table()


def _transform_sizes(
    name: str, data: Output, axes: Output, size: Output | None, *, pairs: bool
) -> tuple[list[Dimension], int, bool]:
    """The sizes of the transform, its last axis, and whether that one's size was given."""
    rank = len(data.shape) - pairs
    if rank < 1:
        raise NoLowering(f"openvino: {name} of [{data.shape}]")
    if pairs and not data.shape[-1].holds(2):
        raise NoLowering(f"openvino: {name} of [{data.shape}], whose last axis has no pairs")
    places = axes_in(axes, rank, name)
    if places is None:
        raise NoLowering(f"openvino: {name} along axes that are only known while running")
    made = list(data.shape)
    if size is None:
        return made, places[-1], False
    for place, wanted in zip(places, sizes_in(size, name), strict=True):
        made[place] = wanted
    return made, places[-1], True


def _complex(name: str) -> None:
    @table.kind(name, since=7)
    def rule(data: Real, axes: PlaceVector, size: PlaceVector | None = None) -> End:
        return data.type, PartialShape(_transform_sizes(name, data, axes, size, pairs=True)[0])


_complex("DFT")
_complex("IDFT")


@table.kind("RDFT", since=9)
def real(data: Real, axes: PlaceVector, size: PlaceVector | None = None) -> End:
    made, last, _ = _transform_sizes("RDFT", data, axes, size, pairs=False)
    made[last] = made[last].over(2) + 1 if made[last] != OPEN else OPEN
    return data.type, PartialShape([*made, 2])


@table.kind("IRDFT", since=9)
def inverse_real(data: Real, axes: PlaceVector, size: PlaceVector | None = None) -> End:
    made, last, is_given = _transform_sizes("IRDFT", data, axes, size, pairs=True)
    if not is_given:
        made[last] = (made[last] - 1) * 2
    return data.type, PartialShape(made[:-1])
