"""Programs that are run against the references before anyone relies on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hal.runtime.program import Program
from nnir.errors import BadInput, DeviceError, Differs, summary
from nnir.model import Model

if TYPE_CHECKING:
    from conformance.verifying.trials import Trial

STACK = 6
"""Frames between a warning here and whoever calls `nnadapter.compile`."""


class FallbackWarning(UserWarning):
    """A device gives something else than the references and is left out."""


def compile_checked(
    model: Model,
    devices: Sequence[str],
    make: Callable[[Sequence[str]], Program],
    inputs: Sequence[np.ndarray] | None = None,
) -> Program:
    """A program that agrees with the references on `inputs`, else random ones; `make` compiles for
    devices.

    Of several devices, the first one goes, with a warning, as long as the results differ or the
    program fails; of one device Differs is raised.
    """
    left = list(devices)
    trial: Trial | None = None
    while True:
        program = make(left)
        trial = trial or trial_of(model, inputs)
        problem = disagreement(model, program, trial)
        if problem is None:
            return program
        program.close()
        if len(left) == 1:
            raise Differs(f"{left[0]} does not agree with the references: {problem}")
        warnings.warn(
            f"{model.name}: without {left[0]}, as {', '.join(left)} do not agree with the "
            f"references: {problem}",
            FallbackWarning,
            stacklevel=STACK,
        )
        del left[0]


def trial_of(
    model: Model,
    inputs: Sequence[np.ndarray] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Trial:
    """What the references give on inputs; on random ones when None, of `sizes` where these are
    given."""
    from conformance.oracles.oracle import Refused
    from conformance.oracles.origin import References
    from conformance.verifying.inputs import random_inputs
    from conformance.verifying.trials import Trial, trials

    with References(model) as references:
        if inputs is None and not sizes:
            (trial,) = trials(model, references.run, count=1)
            return trial
        arrays = random_inputs(model, sizes=sizes) if inputs is None else [*map(np.asarray, inputs)]
        try:
            return Trial(arrays, references.run(arrays), dict(sizes or {}))
        except Refused as error:
            raise BadInput(summary(error)) from None


def disagreement(model: Model, program: Program, trial: Trial) -> str | None:
    """What a program does otherwise than the references in its first call; None where nothing."""
    try:
        got = program.call_tensors(*trial.arrays)
    except DeviceError as error:
        return summary(error)
    finally:
        program.reset()
    return problem_of(model, got, trial)


def problem_of(
    model: Model, got: Sequence[np.ndarray], trial: Trial, tolerance: float | None = None
) -> str | None:
    """How results differ from those of the references; None where they agree."""
    from conformance.verifying.verify import rows_of

    rows = rows_of(model, got, trial.wanted, tolerance)
    return next((f"{r.output}: {r.problem}" for r in rows if not r.agrees), None)
