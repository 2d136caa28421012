"""Which values of a model 16 bits cannot hold, on data: what overflows, vanishes, loses digits."""

from __future__ import annotations

import glob
import math
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

import numpy as np

from conformance.oracles.origin import BUILTIN
from nnir.model import Model, Operation, Value
from nnir.precision import SINGLE, append_half_twins, half_named, largest
from nnir.progress import stage
from nnir.records import dataclass
from nnir.specialise import fix_sizes
from nnir.types import Precision

from . import api
from .quantisation.calibration import watch
from .quantisation.measuring import measure_twins
from .quantisation.quantising import usual_device
from .quantisation.samples import Data, read_samples, require_stateless

MASKS = 1e30
"""Elements of such magnitude stand for infinity: any number that is large enough does for them."""

FEW = 2
"""So many samples are computed in 16 bits, by the references: engines leave casts out, and then
nothing overflows in them that does on accelerators."""

LEAST = 20.0
"""Signal over noise in dB below which an operation has few digits left: noise of a tenth."""

OVERFLOWS = "overflows"
READS = "reads what overflows"
FEW_DIGITS = "has few digits left"


@dataclass(frozen=True)
class ScanRow:
    """One operation on the data.

    `largest` is the largest magnitude of its results in float32; `overflows` and `vanishes` are the
    parts of their elements that would be infinite, or 0 though they are not. `sqnr`: the ratio of
    its result to its own error in 16 bits, in dB; None where it has none. `verdict`: why it is to
    stay in float32, or nothing.
    """

    operation: str
    operator: str
    largest: float
    overflows: float
    vanishes: float
    sqnr: float | None
    verdict: str


@dataclass(frozen=True)
class Scan:
    """What a scan found; true where nothing needs float32.

    `keep` are the patterns for `convert(keep_float32=...)` and `--keep-fp32`.
    """

    precision: str
    samples: int
    device: str
    rows: list[ScanRow] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.keep

    @property
    def keep(self) -> list[str]:
        return [glob.escape(r.operation) for r in self.rows if r.verdict]

    def as_dict(self) -> dict[str, Any]:
        """For JSON, which has no infinity."""
        rows = [{k: _finite(v) for k, v in asdict(r).items()} for r in self.rows]
        return {**asdict(self), "rows": rows, "keep": self.keep}


def _finite(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def scan(
    source: api.Source,
    data: Data = "random",
    *,
    precision: str = "float16",
    sizes: Mapping[str, int] | None = None,
    device: str | None = None,
    **loading: Any,
) -> Scan:
    """What float16 or bfloat16 would do to each operation of a model, on data.

    `source`: a model, which stays as it is, or what `load` takes with the options `loading`;
    `sizes` are numbers for its open sizes. `data` as `quantize` takes it: an `.npz` file, a folder,
    a list of inputs, or "random". The model runs in float32 on `device`, by default ONNX Runtime
    where it is installed, and operation by operation in 16 bits on `builtin`.

    Raises BadInput for data that does not fit and for another precision, Unsupported for a model
    that keeps states.
    """
    kind = half_named(precision)
    model = source if isinstance(source, Model) else api.load(source, **loading)
    require_stateless(model, "scan")
    base = fix_sizes(model, sizes or {})
    runner = device or usual_device()
    samples = read_samples(base, data)
    seen: dict[Value, _Extent] = {v: _Extent(kind) for v in _real_results(base)}
    with stage("looking at every value"):
        watch(base, list(seen), samples, runner, lambda value, array: seen[value].add(array))
    twins = append_half_twins(base, kind)
    with stage(f"computing every operation in {precision}"):
        ratios = dict(
            zip(
                (t.operation for t in twins),
                measure_twins(base, twins, samples[:FEW], BUILTIN),
                strict=True,
            )
        )
    rows = [_row_of(o, seen, ratios) for o in dict.fromkeys(v.producer for v in seen) if o]
    return Scan(precision, len(samples), runner, rows)


def _real_results(model: Model) -> list[Value]:
    made = [v for o in model.sorted() for v in o.outputs if v.precision == SINGLE]
    return [v for v in model.inputs if v.precision == SINGLE] + made


class _Extent:
    """How large and how small the elements of a value are."""

    def __init__(self, precision: Precision) -> None:
        self.most, self.dtype = largest(precision), precision.dtype
        self.largest, self.count, self.over, self.gone, self.masks = 0.0, 0, 0, 0, 0

    def add(self, array: np.ndarray) -> None:
        sizes = np.abs(array)
        self.masks += int((sizes >= MASKS).sum())
        sizes = sizes[sizes < MASKS]
        with np.errstate(over="ignore", under="ignore"):
            rounded = sizes.astype(self.dtype).astype(np.float32)
        self.count += array.size
        self.largest = max(self.largest, float(sizes.max(initial=0.0)))
        self.over += int(np.isinf(rounded).sum())
        self.gone += int(((rounded == 0) & (sizes != 0)).sum())


def _row_of(
    operation: Operation, seen: Mapping[Value, _Extent], ratios: Mapping[Operation, float]
) -> ScanRow:
    own = [seen[v] for v in operation.outputs if v in seen]
    read = [seen[v] for v in operation.inputs if v is not None and v in seen]
    count = max(1, sum(e.count for e in own))
    ratio = None if any(e.masks for e in own) else ratios.get(operation)
    verdict = ""
    if any(e.over for e in own):
        verdict = OVERFLOWS
    elif any(e.over for e in read):
        verdict = READS
    elif ratio is not None and not ratio >= LEAST:
        verdict = FEW_DIGITS
    return ScanRow(
        operation.label,
        operation.operator.name,
        max((e.largest for e in own), default=0.0),
        sum(e.over for e in own) / count,
        sum(e.gone for e in own) / count,
        ratio,
        verdict,
    )
