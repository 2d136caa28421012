"""Models written in the operators of the standard alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from .decomposition import Level
from .errors import BadInput, NoLowering, Refusal, Unsupported
from .model import Model, Operation, Operator
from .ops import quant
from .pairs import as_pairs
from .passes import CLEAN, apply, fuse_gelu, fuse_swish, legalise
from .passes.legalise import Left
from .quantised_types import has_quantised_operations, to_explicit, to_quantised_types
from .records import dataclass
from .refusals import refusal_of
from .specialise import fix_sizes

VERSIONS = {"v1": frozenset({"v1"}), "v1.1": frozenset({"v1", "v1.1"})}
"""The versions of the standard, and whose operators each of them has."""

NEWEST = "v1.1"

BORDERS: frozenset[Operator] = frozenset({quant.quantize_linear, quant.dequantize_linear})
"""What stands between real numbers and integers in explicit models."""

FUSED = (fuse_gelu, fuse_swish)
"""Sequences of operators that are one of the standard's."""


@dataclass(frozen=True)
class Beyond:
    """An operator that a version of the standard lacks, and how often a model has it.

    `level`: from which level on `to_standard` writes it in others; None where it cannot, and `why`.
    """

    operator: str
    count: int
    level: Level | None
    why: str = ""


def to_standard(
    model: Model,
    opset: str = NEWEST,
    level: Level | str = Level.EXACT,
    *,
    partial: bool = False,
    quantised_types: bool = False,
) -> Model:
    """A model that does the same in operators of the standard alone.

    `opset` is "v1" or "v1.1". `level` says what may change: "exact" nothing; "rounding" the last
    digits of results, by polynomials and sums in another order (`nnadapter ops NAME` states the
    error); "unrolled" writes out loops and sequences of a known length as well. Weights are shared
    with `model`, which stays as it is.

    Raises Unsupported with every operator that has to stay, with counts and reasons; `partial`
    leaves them in the model instead. With `quantised_types`, or where `model` has such already,
    operations work on quantised operands (`nnir.quantised_types`) where the result is the same.
    BadInput for a version or level that there is not.
    """
    quantised_types |= has_quantised_operations(model)
    result, left = _express_model(model, opset, level, quantised_types=quantised_types)
    if left and not partial:
        counts = Counter((each.part_of, f"{_inside(each)}{each.why}") for each in left)
        rows = "; ".join(f"{name} (x{n}): {why}" for (name, why), n in counts.most_common())
        error = Unsupported(f"not in {opset} of the standard at level {str(level)!r}: {rows}")
        error.refusals = tuple(map(_refusal, left))
        raise error
    return result


def _refusal(left: Left) -> Refusal:
    """Why an operation stays, as one of the operator that it is a part of."""
    found = refusal_of(f"{_inside(left)}{left.why}", left.operation)
    return replace(found, operator=left.part_of)


def explain_beyond(model: Model, opset: str = NEWEST) -> list[Beyond]:
    """The operators of a model that a version of the standard lacks, most frequent first."""
    allowed = _version(opset)
    counts: Counter[str] = Counter()
    _count(model, allowed, counts)
    if not counts:
        return []
    stays = {level: _express_model(model, opset, level)[1] for level in Level}
    rows = []
    for operator, count in counts.most_common():
        reasons = {
            level: dict.fromkeys(
                f"{_inside(each)}{each.why}" for each in left if each.part_of == operator
            )
            for level, left in stays.items()
        }
        first = next((level for level, why in reasons.items() if not why), None)
        why = "" if first else "; ".join(reasons[Level.UNROLLED])
        rows.append(Beyond(operator, count, first, why))
    return rows


def _inside(left: Left) -> str:
    name = left.operation.operator.name
    return "" if name == left.part_of else f"{name}: "


def _count(model: Model, allowed: frozenset[str], counts: Counter[str]) -> None:
    for operation in model.operations:
        if operation.operator.since not in allowed:
            counts[operation.operator.name] += 1
        for inner in operation.models:
            _count(inner, allowed, counts)


def _express_model(
    model: Model, opset: str, level: Level | str, *, quantised_types: bool = False
) -> tuple[Model, list[Left]]:
    """The model in operators of the standard, and what stays."""
    allowed, chosen = _version(opset), _level(level)
    result = to_explicit(model) if quantised_types else fix_sizes(model, {})
    if chosen.allows(Level.ROUNDING):
        result = _without_complex(result)
        apply(result, FUSED)
    if quantised_types:  # borders stay until what lies between them has its types
        _legalise(result, allowed, chosen, BORDERS)
        result = to_quantised_types(result)
    return result, _legalise(result, allowed, chosen)


def _legalise(
    model: Model, allowed: frozenset[str], level: Level, kept: frozenset[Operator] = frozenset()
) -> list[Left]:
    """Write all operators in those that are allowed or kept; what stays."""
    left: list[Left] = []

    def is_supported(operation: Operation) -> bool:
        return operation.operator.since in allowed or operation.operator in kept

    while apply(model, [legalise(is_supported, level, left)]):
        left.clear()
        apply(model, CLEAN)
    return left


def _without_complex(model: Model) -> Model:
    """Complex numbers as pairs of real ones, where the inputs and outputs are real."""
    if any(v.precision.is_complex for v in (*model.inputs, *model.outputs)):
        return model
    try:
        return as_pairs(model)
    except NoLowering:
        return model


def _version(opset: str) -> frozenset[str]:
    if opset not in VERSIONS:
        raise BadInput(f"no version {opset!r} of the standard; there are {', '.join(VERSIONS)}")
    return VERSIONS[opset]


def _level(level: Level | str) -> Level:
    try:
        return Level(level)
    except ValueError:
        raise BadInput(f"no level {level!r}; there are {', '.join(Level)}") from None
