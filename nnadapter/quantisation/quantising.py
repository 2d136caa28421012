"""Post-training quantisation from a model and data to a proved file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from nnir import archive
from nnir.errors import BadInput
from nnir.model import Model, Operation
from nnir.ops import quant
from nnir.progress import note, stage
from nnir.quantisation import (
    Scheme,
    equalise,
    make_ends_integer,
    prepare,
    require_fit,
    target_of,
)
from nnir.records import dataclass
from nnir.specialise import fix_sizes

from .. import conversion
from .keeping import match_patterns
from .measuring import EXACT, least
from .report import FLOAT, INTEGER, Quantized, Row
from .samples import Data, read_samples, require_stateless
from .session import Form, Session
from .writing import File, write_file

INTEGER_ENDS = frozenset(
    {quant.quantize, quant.dequantize, quant.quantize_linear, quant.dequantize_linear}
)
"""Between which operations compute with integers."""

FEW = 16
"""So many samples decide how many operations stay as they are."""

NOISY = "kept for accuracy: its rounding leaves {:.1f} dB"


@dataclass(frozen=True)
class Wish:
    """What a user asks for beside the scheme.

    `keep_float`: patterns of operations that stay as they are. `min_sqnr`: the ratio of signal to
    noise of every output, in dB, for which the noisiest operations stay as they are. `equalize`:
    scale channels between convolutions alike first. `correct_bias`: let biases make up for what
    rounded weights lose on average. `integer_io`: inputs and outputs are integers too.
    """

    keep_float: Sequence[str] = ()
    min_sqnr: float | None = None
    equalize: bool = False
    correct_bias: bool = True
    integer_io: bool = False


def quantize(
    given: conversion.Given,
    data: Data,
    scheme: Scheme,
    wish: Wish,
    target: Path | None = None,
    evaluate: Data | None = None,
    device: str | None = None,
    *,
    verify: bool = True,
) -> Quantized:
    """A quantised copy of a model; written as `target` where one is named.

    `evaluate`: other data to compare with the original on; by default the calibration data.
    """
    suffix = archive.SUFFIX if target is None else target.suffix
    purpose = target_of(suffix)
    require_fit(scheme, purpose)
    writer = None if target is None else conversion.writer_of(target, conversion.Plan())
    _require_floats(given.model)
    require_stateless(given.model, "quantize")
    base = fix_sizes(given.model, {})
    base.provenance = given.model.provenance
    with stage("fusing operations"):
        conversion.optimize(base)
        prepare(base, purpose)
    if wish.equalize:
        note(f"{equalise(base)} pairs of convolutions equalised")
    samples = read_samples(base, data)
    tests = samples if evaluate is None else read_samples(base, evaluate)
    runner = device or usual_device()
    session = Session(
        base,
        samples,
        scheme,
        purpose,
        runner,
        match_patterns(base, wish.keep_float),
        correct_bias=wish.correct_bias,
    )
    ratios = session.measure_operations()
    kept = _keep_noisiest(session, ratios, wish.min_sqnr)
    form = session.form(kept)
    wanted = session.run_base(tests)
    found = _describe(session, form, ratios, kept)
    file = File()
    if target is None or not verify:
        file = File(session.compare(form.model, wanted, tests))
    ends = make_ends_integer(form.model) if wish.integer_io else None
    if target is not None:
        quantised = replace(given, model=form.model)
        proof = write_file(quantised, target, writer, tests, wanted, ends, verify=verify)
        file = proof if verify else file
    return _with_file(found, file)


def _require_floats(model: Model) -> None:
    """BadInput where a model computes with integers that stand for real numbers already."""
    found = Counter(o.operator.name for o in model.operations if o.operator in INTEGER_ENDS)
    if found:
        told = ", ".join(f"{count} {name}" for name, count in found.most_common())
        raise BadInput(
            f"the model is quantised already ({told}): convert it, or give the float one"
        )


def usual_device() -> str:
    """The device that models are looked at on."""
    return "onnxruntime" if find_spec("onnxruntime") is not None else "builtin"


def _keep_noisiest(
    session: Session, ratios: dict[Operation, float], wanted: float | None
) -> dict[Operation, str]:
    """The fewest of the noisiest operations with which the others reach a ratio."""
    if wanted is None or not ratios:
        return {}
    order = sorted(ratios, key=lambda o: ratios[o])
    few = session.samples[:FEW]
    exact = session.run_base(few)

    def keep(count: int) -> dict[Operation, str]:
        return {o: NOISY.format(ratios[o]) for o in order[:count]}

    def reaches(count: int) -> bool:
        model = session.form(keep(count)).model
        return least(session.compare(model, exact, few)) >= wanted

    low, high = 0, len(order)
    with stage(f"keeping operations until {wanted} dB are reached"):
        while low < high:
            middle = (low + high) // 2
            if reaches(middle):
                high = middle
            else:
                low = middle + 1
    note(f"{low} of {len(order)} operations stay as they are to reach {wanted} dB")
    return keep(low)


def _describe(
    session: Session, form: Form, ratios: dict[Operation, float], kept: dict[Operation, str]
) -> Quantized:
    """What became of each operation."""
    places: dict[Operation, Row] = {}
    for operation in session.base.sorted():
        name, operator = operation.label, operation.operator.name
        if operation in form.placement.integer:
            places[operation] = Row(name, operator, INTEGER, "", ratios.get(operation, EXACT))
        elif operation in form.placement.kept:
            reason = form.placement.kept[operation]
            ratio = ratios.get(operation) if operation in kept else None
            places[operation] = Row(name, operator, FLOAT, reason, ratio)
    return Quantized(
        model=form.model,
        rows=list(places.values()),
        sqnr={},
        agreement={},
        samples=len(session.samples),
        sizes=(_bytes_of(session.base), _bytes_of(form.model)),
        device=session.device,
        base=session.base,
        places=places,
    )


def _with_file(found: Quantized, file: File) -> Quantized:
    """What was measured, and where."""
    likeness = file.likeness or {}
    return replace(
        found,
        device=file.engine or found.device,
        notes=file.notes,
        sqnr={n: one.sqnr for n, one in likeness.items()},
        agreement={n: one.agreement for n, one in likeness.items()},
    )


def _bytes_of(model: Model) -> int:
    """The bytes of all constants, where 4 bits take half of one."""
    total = 0.0
    for value in model.values():
        if value.constant is not None:
            total += value.constant.size * _bytes_each(value.precision.name, value.dtype.itemsize)
    return int(total)


def _bytes_each(precision: str, size: int) -> float:
    return 0.5 if precision in ("INT4", "UINT4") else size
