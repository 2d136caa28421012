"""ATen's window functions, which are constants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir import build
from nnir.errors import BadType
from nnir.model import Value
from nnir.recipes.promotion import DEFAULT_FLOAT
from nnir.types import Precision

from ...table import Table
from ...translate import Translator

table = Table()
Shape = Callable[[np.ndarray], np.ndarray]
"""The weight at a place between 0 and 1."""


def cosines(*weights: float) -> Shape:
    """The sum of weights[k] * cos(2 pi k t)."""
    return lambda t: np.asarray(
        sum(w * np.cos(2 * np.pi * k * t) for k, w in enumerate(weights)), np.float64
    )


def kaiser(beta: float) -> Shape:
    """Bessel functions of a half circle."""
    return lambda t: np.i0(beta * np.sqrt(np.maximum(1 - (2 * t - 1) ** 2, 0))) / np.i0(beta)


def make_window(
    translator: Translator,
    length: int,
    form: Shape,
    *,
    periodic: bool,
    dtype: Precision | None,
) -> Value:
    """A window; a periodic one is a longer one without its last element."""
    if length < 0:
        raise BadType(f"a window of {length} elements")
    if length == 1:
        weights = np.ones(1)
    else:
        weights = form(build.arange(length) / max(length if periodic else length - 1, 1))
    return translator.model.constant(weights.astype((dtype or DEFAULT_FLOAT).dtype))


def _family(name: str, form: Shape) -> None:
    @table.convert(f"aten.{name}.default")
    def plain(
        window_length: int, *, dtype: Precision | None = None, translator: Translator
    ) -> Value:
        return make_window(translator, window_length, form, periodic=True, dtype=dtype)

    @table.convert(f"aten.{name}.periodic")
    def either(
        window_length: int,
        periodic: bool,
        *,
        dtype: Precision | None = None,
        translator: Translator,
    ) -> Value:
        return make_window(translator, window_length, form, periodic=periodic, dtype=dtype)


_family("hann_window", cosines(0.5, -0.5))
_family("hamming_window", cosines(0.54, -0.46))
_family("blackman_window", cosines(0.42, -0.5, 0.08))
_family("bartlett_window", lambda t: 1 - np.abs(2 * t - 1))
_family("kaiser_window", kaiser(12.0))


@table.convert("aten.hamming_window.periodic_alpha")
def hamming_alpha(
    window_length: int,
    periodic: bool,
    alpha: float,
    *,
    dtype: Precision | None = None,
    translator: Translator,
) -> Value:
    form = cosines(alpha, -0.46)
    return make_window(translator, window_length, form, periodic=periodic, dtype=dtype)


@table.convert("aten.hamming_window.periodic_alpha_beta")
def hamming_alpha_beta(
    window_length: int,
    periodic: bool,
    alpha: float,
    beta: float,
    *,
    dtype: Precision | None = None,
    translator: Translator,
) -> Value:
    form = cosines(alpha, -beta)
    return make_window(translator, window_length, form, periodic=periodic, dtype=dtype)


@table.convert("aten.kaiser_window.beta")
def kaiser_beta(
    window_length: int,
    periodic: bool,
    beta: float,
    *,
    dtype: Precision | None = None,
    translator: Translator,
) -> Value:
    return make_window(translator, window_length, kaiser(beta), periodic=periodic, dtype=dtype)
