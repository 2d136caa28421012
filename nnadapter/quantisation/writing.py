"""Write a quantised model as a file, and prove it in the engine of its users."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from conformance.oracles.origin import BUILTIN
from conformance.verifying.stock_engine import Stock
from hal.device import Device
from nnir.errors import Differs, Unsupported, summary
from nnir.model import Model
from nnir.ops import quant
from nnir.progress import follow, stage
from nnir.quantisation import Ends
from nnir.records import dataclass
from nnir.staging import Staging

from .. import conversion
from .measuring import Likeness, Results, compare_results, run_samples
from .samples import Sample

PROVED = 4
"""So many samples are computed by the references as well, which are slow."""

SLACK = 1.0
"""How many dB the file may be worse than the references: engines round products differently. In
deep models that makes other noise as strong, of which few elements show too much or too little:
three standard deviations are added."""

KERNELS = 35.0
"""The ratio in dB that is left where engines round what they multiply with integer weights to 8
bits, as ONNX Runtime and OpenVINO do unless they are told otherwise."""


@dataclass(frozen=True)
class File:
    """What was written: how like the original it is in the engine named, and what is to be said."""

    likeness: dict[str, Likeness] | None = None
    engine: str | None = None
    notes: list[str] = field(default_factory=list)


def write_file(
    given: conversion.Given,
    target: Path,
    writer: Device | None,
    samples: Sequence[Sample],
    wanted: Results,
    ends: Ends | None,
    *,
    verify: bool,
) -> File:
    """Write the model of `given`, whose inputs and outputs are `ends`.

    The file is opened in its stock engine, in a process of its own, and must be as like the
    original, which gives `wanted` for the samples, as the quantised model is by its references.
    Differs, and nothing appears, where it is not; a note says where the engine is not installed.
    """
    plan = conversion.Plan(verify=verify)
    with Staging(target) as staging:
        ready = conversion.prepare_target(given, target, staging.path, writer, plan)
        with stage(f"writing {target.name}"):
            ready.export.write()
        given.sources.require_apart(*staging.outputs())
        conversion.require_own(staging.outputs(), target, writer)
        proof = File()
        if verify:
            with stage(f"proving {target.name}"):
                proof = _prove(ready.model, staging.path, writer, samples, wanted, ends)
        conversion.require_own(staging.outputs(), target, writer)
        staging.commit()
    return proof


def _prove(
    model: Model,
    path: Path,
    writer: Device | None,
    samples: Sequence[Sample],
    wanted: Results,
    ends: Ends | None,
) -> File:
    names = [name for name, _ in model.named_outputs()]
    given = samples if ends is None else [ends.round_inputs(s) for s in samples]
    few = slice(PROVED)
    meant = compare_results(
        names, wanted[few], _as_real(ends, run_samples(model, given[few], BUILTIN))
    )
    try:
        with Stock(path, writer, model) as opened:
            raw = [opened.run(sample) for sample in follow(given, f"running {path.name}")]
            opened.finish()
            engine = opened.name
    except Unsupported as error:
        return File(meant, BUILTIN, [f"NOT VERIFIED: {summary(error)}"])
    got = _as_real(ends, raw)
    is_whole = any(o.operator is quant.quantize_linear for o in model.operations)
    for name, one in compare_results(names, wanted[few], got[few]).items():
        least = meant[name].sqnr if is_whole else _with_noise(meant[name].sqnr, KERNELS)
        if one.sqnr < least - SLACK - 3 * one.uncertainty:
            raise Differs(
                f"output {name!r} of {path.name} in {engine} has {one.sqnr:.1f} dB of signal over "
                f"noise, the quantised model {meant[name].sqnr:.1f} dB; nothing was written"
            )
    return File(compare_results(names, wanted, got), engine)


def _as_real(ends: Ends | None, results: Results) -> Results:
    """Results in real numbers, whatever the outputs are."""
    return results if ends is None else [ends.read_outputs(r) for r in results]


def _with_noise(first: float, second: float) -> float:
    """The ratio in dB of a signal with the noise that two ratios say."""
    return -10 * math.log10(10 ** (-first / 10) + 10 ** (-second / 10))
