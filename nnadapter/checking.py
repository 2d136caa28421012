"""Programs that are run once against the references before anyone relies on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from hal.runtime.program import Program
from nnir.errors import DeviceError, Differs, summary
from nnir.model import Model

STACK = 5
"""Frames between a warning here and whoever calls `nnadapter.compile`."""


class FallbackWarning(UserWarning):
    """A device gives something else than the references and is left out."""


def compile_checked(
    model: Model, devices: Sequence[str], make: Callable[[Sequence[str]], Program]
) -> Program:
    """A program that agrees with the references on random inputs; `make` compiles for devices.

    Of several devices, the first one goes, with a warning, as long as the results differ or the
    program fails; of one device Differs is raised.
    """
    left = list(devices)
    while True:
        program = make(left)
        problem = disagreement(model, program)
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


def disagreement(model: Model, program: Program) -> str | None:
    """What a program does otherwise than the references on random inputs; None where nothing."""
    from conformance.oracles.origin import References
    from conformance.verifying.trials import trials
    from conformance.verifying.verify import rows_of

    with References(model) as references:
        (trial,) = trials(model, references.run, count=1)
    try:
        got = program(*trial.arrays)
    except DeviceError as error:
        return summary(error)
    finally:
        program.reset()
    rows = rows_of(model, got, trial.wanted, None)
    return next((f"{r.output}: {r.problem}" for r in rows if not r.agrees), None)
