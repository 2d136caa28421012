"""What LiteRT's kernels keep inside of the finite numbers."""

from __future__ import annotations

import numpy as np

from .emitter import Emitter, Ref
from .kernels import FUSED


def restore_infinities(g: Emitter, result: Ref, *parameters: Ref) -> Ref:
    """LiteRT's own kernels keep results within the finite numbers; those of an activation are not
    below 0. XNNPACK's, which take parameters that are all known, do not."""
    if parameters and all(p.tensor.data is not None for p in parameters):
        return result
    most, is_rectified = float(np.finfo(np.float32).max), FUSED in g.makers[result.tensor].fields
    ends = (most, np.inf), (-most, -np.inf)
    for bound, beyond in ends[: 2 - is_rectified]:
        result = g.where(result.equal(bound), beyond, result)
    return result
