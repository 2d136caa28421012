"""Passes: rewrites of a model in place, one a file, imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..collector import import_paused
from .legalise import legalise
from .rewrite import Pass, apply

if TYPE_CHECKING:
    from .activation import fuse_activation
    from .batch_norm import fold_batch_norm
    from .cleaning import CLEAN
    from .clip import name_clips
    from .common import merge_common
    from .copies import remove_copies
    from .dead import remove_dead_code
    from .dense import fuse_dense
    from .doubles import narrow_comparisons, narrow_doubles
    from .fold import fold_constants, fold_large_constants
    from .fusing import FUSIONS
    from .gelu import fuse_gelu
    from .heads import share_heads
    from .identities import join_unsqueezes, remove_identities
    from .layer_norm import fuse_layer_norm
    from .layout import sink_transposes
    from .lift import lift_transposes
    from .masks import remove_masks
    from .products import absorb_transposes, join_scales
    from .rms import fuse_rms, scale_rms
    from .scale import fold_scale
    from .shapes import simplify_shapes
    from .signs import find_negative_zeros
    from .swish import fuse_swish
    from .transposes import cancel_transposes, name_transposes

_PLACES = {
    "CLEAN": "cleaning",
    "FUSIONS": "fusing",
    "fuse_activation": "activation",
    "fold_batch_norm": "batch_norm",
    "name_clips": "clip",
    "merge_common": "common",
    "remove_copies": "copies",
    "remove_dead_code": "dead",
    "fuse_dense": "dense",
    "narrow_comparisons": "doubles",
    "narrow_doubles": "doubles",
    "fold_constants": "fold",
    "fold_large_constants": "fold",
    "fuse_gelu": "gelu",
    "share_heads": "heads",
    "join_unsqueezes": "identities",
    "remove_identities": "identities",
    "fuse_layer_norm": "layer_norm",
    "sink_transposes": "layout",
    "lift_transposes": "lift",
    "remove_masks": "masks",
    "fuse_rms": "rms",
    "scale_rms": "rms",
    "fold_scale": "scale",
    "simplify_shapes": "shapes",
    "find_negative_zeros": "signs",
    "fuse_swish": "swish",
    "absorb_transposes": "products",
    "join_scales": "products",
    "cancel_transposes": "transposes",
    "name_transposes": "transposes",
}
__all__ = [
    "CLEAN",
    "FUSIONS",
    "Pass",
    "absorb_transposes",
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
    "join_scales",
    "join_unsqueezes",
    "legalise",
    "lift_transposes",
    "merge_common",
    "name_clips",
    "name_transposes",
    "narrow_comparisons",
    "narrow_doubles",
    "remove_copies",
    "remove_dead_code",
    "remove_identities",
    "remove_masks",
    "scale_rms",
    "share_heads",
    "simplify_shapes",
    "sink_transposes",
]


def __getattr__(name: str) -> Any:
    """A pass, or a tuple of them: most programs need few."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_paused(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = found
    return found
