"""Windows over images with channels last, with explicit or implicit padding."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.dim import Dim
from nnir.formats.nnapi.structures import PaddingScheme
from nnir.recipes.windows import Window, make_window
from nnir.records import dataclass

from ...table import Attributes

NHWC = "NHWC"


@dataclass(frozen=True)
class Sliding(Attributes):
    """How a window moves; without a padding scheme the padding is explicit."""

    stride_width: int
    stride_height: int
    padding_left: int = 0
    padding_right: int = 0
    padding_top: int = 0
    padding_bottom: int = 0
    padding_scheme: int | None = None

    def window(self, kernel: Sequence[Dim]) -> Window:
        """The window of a kernel [height, width]."""
        strides = (1, self.stride_height, self.stride_width, 1)
        if self.padding_scheme is not None:
            padding = "SAME" if self.padding_scheme == PaddingScheme.SAME else "VALID"
            return make_window(kernel, strides, padding, NHWC)
        rows, columns = (
            (self.padding_top, self.padding_bottom),
            (self.padding_left, self.padding_right),
        )
        pads = (0, 0, *rows, *columns, 0, 0)
        return make_window(kernel, strides, "EXPLICIT", NHWC, (), pads)
