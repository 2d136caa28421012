"""RESIZE as lowerings take it: its attributes, and the plan where all sizes are known."""

from __future__ import annotations

from dataclasses import dataclass

from nnir.broadcast import axes_of, ints
from nnir.dim import Expr
from nnir.model import Value
from nnir.ops import resize
from nnir.ops.sampling import Filter

from .attributes import Ints

Axis = tuple[int, int, int, float, tuple[float, float] | None]
"""An axis, its size, the size of the result, the scale and the region."""


@dataclass(frozen=True)
class Corners:
    """The attributes of RESIZE_LINEAR."""

    align_corners: bool
    align_mode: int | None

    @property
    def rule(self) -> str:
        """What RESIZE calls it."""
        if self.align_corners:
            return "align_corners"
        return "half_pixel" if self.align_mode == 0 else "asymmetric"


@dataclass(frozen=True)
class Resizing:
    """The attributes of RESIZE."""

    mode: str
    coordinate_transformation_mode: str
    nearest_mode: str
    antialias: bool
    axes: Ints | None
    cubic_coeff_a: float
    exclude_outside: bool
    extrapolation_value: float
    keep_aspect_ratio_policy: str

    @property
    def is_nearest(self) -> bool:
        """Whether elements are moved and nothing is computed."""
        return self.mode == "nearest"

    @property
    def filter(self) -> Filter:
        """How one axis is resampled."""
        return Filter(
            self.mode,
            self.coordinate_transformation_mode,
            self.nearest_mode,
            self.antialias,
            self.exclude_outside,
            self.cubic_coeff_a,
        )

    def axes_of(self, rank: int) -> Ints:
        """The axes that are resized, from the front."""
        return tuple(axes_of(range(rank) if self.axes is None else self.axes, rank))

    def plan(
        self, input: Value, roi: Value | None, scales: Value | None, sizes: Value | None
    ) -> list[Axis] | None:
        """What becomes of each axis; None where that is only known while running.

        Axes of open sizes that stay as they are are left out.
        """
        axes = self.axes_of(input.rank)
        factors = (
            None
            if scales is None or scales.constant is None
            else scales.constant.reshape(-1).tolist()
        )
        wanted = ints(sizes)
        if (roi is not None and roi.constant is None) or (factors is None and wanted is None):
            return None
        flat = None if roi is None or roi.constant is None else roi.constant.reshape(-1).tolist()
        count = len(axes)
        regions = [None if not flat else (flat[k], flat[k + count]) for k in range(count)]
        whole = [None if factors is None else factors[k] == 1 for k in range(count)]
        unknown = [k for k, a in enumerate(axes) if isinstance(input.shape[a], Expr)]
        if any(not whole[k] or regions[k] is not None for k in unknown):
            return None
        shape = [1 if isinstance(d, Expr) else d for d in input.shape]
        policy = self.keep_aspect_ratio_policy
        out, steps = resize.resolve_sizes(shape, axes, wanted, factors, policy)
        own = [shape[a] for a in axes]
        if 0 in out or 0 in own:
            return None
        rows = list(zip(axes, own, out, steps, regions, strict=True))
        return [row for k, row in enumerate(rows) if k not in unknown]
