"""The passes that fuse."""

from __future__ import annotations

from .activation import fuse_activation
from .batch_norm import fold_batch_norm
from .clip import name_clips
from .dense import fuse_dense
from .gelu import fuse_gelu
from .heads import share_heads
from .layer_norm import fuse_layer_norm
from .masks import remove_masks
from .products import absorb_transposes, join_scales
from .rewrite import Pass
from .rms import fuse_rms, scale_rms
from .scale import fold_scale
from .swish import fuse_swish
from .transposes import cancel_transposes, name_transposes

FUSIONS: tuple[Pass, ...] = (
    name_transposes,
    cancel_transposes,
    join_scales,
    absorb_transposes,
    remove_masks,
    fold_batch_norm,
    fold_scale,
    fuse_gelu,
    fuse_swish,
    fuse_layer_norm,
    fuse_rms,
    scale_rms,
    share_heads,
    fuse_dense,
    name_clips,
    fuse_activation,
)
"""What makes a model smaller and faster; results may differ by rounding."""
