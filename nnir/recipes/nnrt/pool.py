"""NNRt's pools of images with channels last."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import BadType
from ...model import Value
from ..layout import with_channels_first
from ..pool import PoolWindow, pool_maxima, pool_means
from ..windows import make_window
from . import Recipes
from .activating import activate, choose_pads

Ints = tuple[int, ...]


def _pool(*, maximum: bool) -> Callable[..., Value]:
    def compute(
        input: Value,
        *,
        kernel_size: Ints,
        strides: Ints,
        pad_mode: int | None = None,
        pad_list: Ints | None = None,
        round_mode: int = 0,
        global_: bool = False,
        activation_type: int,
    ) -> Value:
        how = _window(input, kernel_size, strides, pad_mode, pad_list, round_mode)
        how = _whole(input) if global_ else how

        def reduce(x: Value) -> Value:
            return pool_maxima(x, how, positions=False)[0] if maximum else _means(x, how)

        return activate(with_channels_first(input, "NHWC", reduce), activation_type)

    return compute


def _means(x: Value, how: PoolWindow) -> Value:
    """What is padded does not count."""
    return pool_means(x, how, include=False)


def _window(
    input: Value,
    kernel: Ints,
    strides: Ints,
    pad_mode: int | None,
    pad_list: Ints | None,
    round_mode: int,
) -> PoolWindow:
    if round_mode not in (0, 1):
        raise BadType(f"a pool with roundMode={round_mode}: 0 (floor) or 1 (ceil) is accepted")
    if min(kernel) < 1:
        raise BadType(f"a pool with kernelSize={list(kernel)}: 1 or more is accepted")
    padding = choose_pads(pad_mode, pad_list)
    given = (0, 0, *pad_list, 0, 0) if pad_list is not None else ()
    how = make_window(kernel, (1, *strides, 1), padding, "NHWC", (), given)
    pads = how.all_pads(input.shape[1:3])
    return PoolWindow(how.kernel, how.strides, pads, how.dilations, round_mode == 1)


def _whole(input: Value) -> PoolWindow:
    """A window as large as the image."""
    return PoolWindow(input.sizes[1:3], (1, 1), (0, 0, 0, 0), (1, 1))


RECIPES: Recipes = {
    "AVG_POOL": _pool(maximum=False),
    "MAX_POOL": _pool(maximum=True),
}
