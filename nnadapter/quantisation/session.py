"""A model that is being quantised: what data has shown of it, and the forms that were tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from nnir.errors import Unsupported
from nnir.model import Model, Operation, Value
from nnir.progress import note, stage
from nnir.quantisation import (
    Grid,
    Group,
    Integers,
    Placement,
    Recipe,
    Scheme,
    Target,
    append_twins,
    inputs_to_average,
    place,
    quantize_model,
)
from nnir.records import dataclass
from nnir.specialise import fix_sizes

from .calibration import observe
from .measuring import Likeness, Results, compare_results, measure_twins, run_samples
from .rounding import round_by_inputs
from .samples import Sample

NOT_FINITE = "its values are infinite or NaN on the calibration data"

Kept = Mapping[Operation, str]
"""Operations that stay as they are, each with the reason."""


@dataclass(frozen=True)
class Form:
    """A quantised copy of a model: where what became an integer, in terms of the original."""

    model: Model
    placement: Placement


class Session:
    """The original model with grids for all that may be rounded."""

    def __init__(
        self,
        base: Model,
        samples: Sequence[Sample],
        scheme: Scheme,
        target: Target,
        device: str,
        kept: Kept,
        *,
        correct_bias: bool,
    ) -> None:
        self.base, self.samples, self.device = base, samples, device
        self.scheme, self.target = scheme, target
        self.kept = dict(kept)
        self._grids: dict[Value, Grid] = {}
        self._means: dict[Value, np.ndarray] = {}
        self._rounded: Mapping[Operation, Integers] = {}
        placement = self.place({})
        if not kept:
            _require_integers(placement)
        if scheme.activations is not None:
            with stage("calibrating"):
                self._calibrate(placement, correct_bias=correct_bias)
        if scheme.weight_method == "gptq":
            with stage("rounding weights by their inputs"):
                self._rounded = round_by_inputs(base, placement, scheme, samples, device)

    def place(self, more: Kept) -> Placement:
        """What becomes an integer where `more` operations stay as they are."""
        kept = {**more, **self.kept}
        return place(self.base, self.scheme, self.target, kept.get)

    def _calibrate(self, placement: Placement, *, correct_bias: bool) -> None:
        averaged = inputs_to_average(placement) if correct_bias else {}
        seen = observe(self.base, placement, self.scheme, self.samples, self.device, averaged)
        self._grids = {_name_of(group): grid for group, grid in seen.grids.items()}
        self._means = dict(seen.means)
        bad = set(seen.unfit)
        for value, group in placement.rounded.items():
            if group in bad:
                makers = [] if value.producer is None else [value.producer]
                touching = [o for o in (*makers, *value.uses) if o in placement.integer]
                self.kept.update(dict.fromkeys(touching, NOT_FINITE))
        note(f"{len(self._grids)} ranges from {len(self.samples)} samples")

    def form(self, more: Kept | None = None) -> Form:
        """A quantised copy of the model."""
        copy, placement, recipe = self._prepare(more or {})
        quantize_model(copy, placement, recipe)
        return Form(copy, self.place(more or {}))

    def _prepare(self, more: Kept) -> tuple[Model, Placement, Recipe]:
        """A copy of the model, with what was decided and chosen in its terms."""
        copy = fix_sizes(self.base, {})
        order = self.base.sorted()
        originals = dict(zip(copy.operations, order, strict=True))
        values = dict(zip(copy.inputs, self.base.inputs, strict=True))
        for made, original in originals.items():
            values.update(zip(made.outputs, original.outputs, strict=True))
        kept = {**more, **self.kept}
        placement = place(copy, self.scheme, self.target, lambda o: kept.get(originals[o]))
        grids = {g: self._grids[values[_name_of(g)]] for g in placement.groups}
        means = {v: self._means[o] for v, o in values.items() if o in self._means}

        def rounded(operation: Operation, _: np.ndarray, __: int) -> Integers | None:
            return self._rounded.get(originals[operation])

        return copy, placement, Recipe(self.scheme, grids, means, rounded)

    def measure_operations(self) -> dict[Operation, float]:
        """The ratio of signal to noise in dB that each operation with integers leaves where it
        reads exact values."""
        copy, placement, recipe = self._prepare({})
        twins = append_twins(copy, placement, recipe)
        integer = list(self.place({}).integer)
        ratios = measure_twins(copy, twins, self.samples, self.device)
        return dict(zip(integer, ratios, strict=True))

    def run_base(self, samples: Sequence[Sample]) -> Results:
        """What the original gives."""
        return run_samples(self.base, samples, self.device)

    def compare(
        self, model: Model, wanted: Results, samples: Sequence[Sample]
    ) -> dict[str, Likeness]:
        """How like a quantised model is, by outputs."""
        names = [name for name, _ in self.base.named_outputs()]
        return compare_results(names, wanted, run_samples(model, samples, self.device))


def _require_integers(placement: Placement) -> None:
    """Unsupported, with all reasons, where nothing of a model can compute with integers."""
    if placement.integer:
        return
    reasons = Counter(placement.kept.values()).most_common()
    told = "; ".join(f"{count} x {reason}" for reason, count in reasons) or "it computes no floats"
    raise Unsupported(f"nothing of the model can compute with integers: {told}")


def _name_of(group: Group) -> Value:
    """What stands for a group in copies of a model."""
    return group.observed[0]
