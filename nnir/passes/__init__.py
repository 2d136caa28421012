"""Passes: rewrites of a model in place, one a file."""

from .activation import fuse_activation
from .batch_norm import fold_batch_norm
from .clip import name_clips
from .common import merge_common
from .copies import remove_copies
from .dead import remove_dead_code
from .dense import fuse_dense
from .fold import fold_constants, fold_large_constants
from .gelu import fuse_gelu
from .heads import share_heads
from .identities import join_unsqueezes, remove_identities
from .layer_norm import fuse_layer_norm
from .layout import sink_transposes
from .legalise import legalise
from .lift import lift_transposes
from .rewrite import Pass, apply
from .rms import fuse_rms, scale_rms
from .scale import fold_scale
from .shapes import simplify_shapes
from .signs import find_negative_zeros
from .swish import fuse_swish
from .transposes import cancel_transposes

CLEAN: tuple[Pass, ...] = (
    remove_copies,
    fold_constants,
    remove_identities,
    join_unsqueezes,
    find_negative_zeros,
    simplify_shapes,
    merge_common,
    remove_dead_code,
)
"""What every loaded model goes through: nothing that rounds differently."""

FUSIONS: tuple[Pass, ...] = (
    cancel_transposes,
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

__all__ = [
    "CLEAN",
    "FUSIONS",
    "Pass",
    "apply",
    "cancel_transposes",
    "find_negative_zeros",
    "fold_batch_norm",
    "fold_constants",
    "fold_large_constants",
    "fold_scale",
    "fuse_activation",
    "fuse_dense",
    "fuse_gelu",
    "fuse_layer_norm",
    "fuse_rms",
    "fuse_swish",
    "join_unsqueezes",
    "legalise",
    "lift_transposes",
    "merge_common",
    "name_clips",
    "remove_copies",
    "remove_dead_code",
    "remove_identities",
    "simplify_shapes",
    "sink_transposes",
]
