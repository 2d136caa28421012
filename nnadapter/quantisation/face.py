"""`nnadapter.quantize`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nnir.errors import BadInput
from nnir.quantisation import Method, Scheme, WeightMethod
from nnir.types import Precision

from .. import api, conversion
from ..net import guard
from ..outputs import keeping_sources
from .quantising import Wish
from .quantising import quantize as run
from .samples import Data, is_random

if TYPE_CHECKING:
    from .report import Quantized

AUTO, FLOAT = "auto", "float"
USUAL_RATIO = 20.0
"""The signal to noise ratio in dB that `keep_float="auto"` reaches."""


class QuantizationWarning(UserWarning):
    """Something about a quantised model that its user should know."""


@guard("source", "data", "target", "evaluate", "page")
def quantize(
    source: api.Source,
    data: Data,
    target: str | os.PathLike[str] | None = None,
    *,
    weights: str = "int8",
    activations: str | None = "int8",
    method: Method = "minmax",
    percentile: float = 99.99,
    per_channel: bool = True,
    block: int = 0,
    weight_method: WeightMethod = "nearest",
    weight_zero_points: bool = False,
    symmetric: bool = False,
    reduce_range: bool = False,
    keep_float: str | Sequence[str] = (),
    min_sqnr: float | None = None,
    equalize: bool = False,
    correct_bias: bool = True,
    evaluate: Data | None = None,
    sizes: Mapping[str, int] | None = None,
    device: str | None = None,
    page: str | os.PathLike[str] | None = None,
    integer_io: bool = False,
    verify: bool = True,
    **loading: Any,
) -> Quantized:
    """A model that computes with integers, from a trained one and what it usually sees.

    `source`: a model, which stays as it is, or what `load` takes with the options `loading`;
    `sizes` are numbers for its open sizes. `data`: an `.npz` file with an array for each input, cut
    along its first axis; a folder of `.npz` or `.npy` files, one for each call; or a list of
    dictionaries, tuples or arrays: 100 to 500 samples. `evaluate`: other data to measure on.
    `target`: the file to write; its suffix says which operations have integer kernels. With
    `verify` its stock engine runs it. `page`: the graph with its noise, as an HTML page.

    `weights`, `activations` (None: weights alone), `method` and the options behind them are those
    of `nnir.quantisation.Scheme`. Operations that `keep_float` names, with * and ?, stay as they
    are, and as many of the noisiest as it takes for `min_sqnr`, the ratio of signal to noise of
    each output in dB; "auto" stands for 20 dB. `equalize` scales channels between convolutions
    alike, `correct_bias` makes up for what rounding loses, `integer_io` takes and gives integers.
    `device` looks at the values.

    Raises BadInput for options and data that do not fit, Unsupported for what the format cannot
    hold, and Differs where the file is farther from the source than the quantised model.
    """
    kinds = _activations_of(activations), precision_named(weights)
    ranges = method, percentile, symmetric, reduce_range, weight_zero_points, weight_method
    scheme = Scheme(kinds[0], kinds[1], per_channel, block, *ranges)
    wish = _wish_of(keep_float, min_sqnr, Wish((), None, equalize, correct_bias, integer_io))
    files = {"the target": target, "page": page}
    given = _read(source, [data, evaluate], files, sizes, loading)
    path = None if target is None else Path(target)
    found = run(given, data, scheme, wish, path, evaluate, device, verify=verify)
    return _finish(found, source, page, is_guess=is_random(data))


def _activations_of(name: str | None) -> Precision | None:
    return None if name in (None, FLOAT) else precision_named(str(name))


def precision_named(name: str) -> Precision:
    """A precision by its name in any case; BadInput for a word that names none."""
    try:
        return Precision[name.upper()]
    except KeyError:
        raise BadInput(f"{name!r} is no precision") from None


def _wish_of(keep: str | Sequence[str], min_sqnr: float | None, wish: Wish) -> Wish:
    """What is asked for, with names to keep, or "auto" among them."""
    patterns = [keep] if isinstance(keep, str) else list(keep)
    if AUTO in patterns and min_sqnr is None:
        min_sqnr = USUAL_RATIO
    return replace(wish, keep_float=[p for p in patterns if p != AUTO], min_sqnr=min_sqnr)


def _read(
    source: api.Source,
    data: Sequence[Data | None],
    files: Mapping[str, str | os.PathLike[str] | None],
    sizes: Mapping[str, int] | None,
    loading: Mapping[str, Any],
) -> conversion.Given:
    """The model, with known sizes; nothing that is written is one of what is read."""
    api.require_unloaded(source, loading)
    place = api._path_of(source)
    paths = [d for d in (place, *data) if isinstance(d, (str, os.PathLike))]
    with keeping_sources(paths, files):
        given = conversion.read_source(place or source, lambda: api.load(source, **loading))
    if not sizes:
        return given
    return replace(given, model=conversion.with_fixed_sizes(given.model, sizes))


def _finish(
    found: Quantized, source: api.Source, page: str | os.PathLike[str] | None, *, is_guess: bool
) -> Quantized:
    """Say what there is to say, and draw."""
    notes = ["random numbers are no data: the ranges are guesses"] if is_guess else []
    for text in (*notes, *found.notes):
        warnings.warn(text, QuantizationWarning, stacklevel=4)
    if page is not None:
        draw(found, api._path_of(source), Path(page))
    return found


def draw(found: Quantized, source: Path | None, page: Path) -> None:
    """The original's graph, with the noise of each operation."""
    from ..looking import facts
    from ..looking import page as drawing
    from ..looking.noise_heat import heat_of_quantization

    drawing.write(
        found.base, facts.facts(found.base, source), page, heat=heat_of_quantization(found)
    )
