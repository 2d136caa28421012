"""The passes of every loaded model."""

from __future__ import annotations

from .common import merge_common
from .copies import remove_copies
from .dead import remove_dead_code
from .doubles import narrow_comparisons, narrow_doubles
from .fold import fold_constants
from .identities import join_unsqueezes, remove_identities
from .rewrite import Pass
from .shapes import simplify_shapes
from .signs import find_negative_zeros

CLEAN: tuple[Pass, ...] = (
    remove_copies,
    fold_constants,
    remove_identities,
    join_unsqueezes,
    find_negative_zeros,
    narrow_doubles,
    narrow_comparisons,
    simplify_shapes,
    merge_common,
    remove_dead_code,
)
"""What every loaded model goes through: nothing that rounds differently."""
