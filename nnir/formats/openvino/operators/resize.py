"""Resizing and sampling."""

from __future__ import annotations

from ....errors import NoLowering
from ..graph import End
from ..operands import Image, Number, PlaceVector, Real
from ..schema import Ints, Table
from ..shapes import PartialShape, merge
from .shape import axes_in, sizes_in

table = Table()


@table.kind("Interpolate", since=11)
def interpolate(
    data: Number,
    sizes: PlaceVector,
    axes: PlaceVector,
    *,
    mode: str,
    shape_calculation_mode: str,
    coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor",
    antialias: bool = False,
    pads_begin: Ints = (0,),
    pads_end: Ints = (0,),
    cube_coeff: float = -0.75,
) -> End:
    if shape_calculation_mode != "sizes" or any((*pads_begin, *pads_end)):
        raise NoLowering("openvino: Interpolate by scales or with a border")
    places = axes_in(axes, len(data.shape), "Interpolate")
    if places is None:
        raise NoLowering("openvino: Interpolate along axes that are only known while running")
    merge(sizes.shape[0], axes.shape[0], "sizes and axes of Interpolate")
    made = list(data.shape)
    for place, size in zip(places, sizes_in(sizes, "Interpolate"), strict=True):
        made[place] = size
    return data.type, PartialShape(made)


@table.kind("GridSample", since=9)
def grid_sample(
    data: Image,
    grid: Real,
    *,
    align_corners: bool = False,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
) -> End:
    if len(grid.shape) != 4 or not grid.shape[3].holds(2):
        raise NoLowering(f"openvino: GridSample of [{data.shape}] at [{grid.shape}]")
    batch = merge(data.shape[0], grid.shape[0], "data and grid of GridSample")
    return data.type, PartialShape([batch, data.shape[1], *grid.shape[1:3]])
