"""Ask what `convert` and `compile` would say of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nnir.errors import NNAdapterError, Unsupported, summary
from nnir.model import Model
from nnir.provenance import Provenance

from ..conversion import Given, Plan, read_source, rehearse
from .cures import cures_for_devices, cures_for_target
from .devices import Run, copies_of, parts_of
from .report import Answer, Readiness, group
from .sizes import fixed_sizes

NOTHING = Plan()


def check_readiness(
    source: Any,
    read: Callable[[], Model],
    targets: Sequence[Path] = (),
    devices: Sequence[Sequence[str]] = (),
    plan: Plan = NOTHING,
    properties: str = "",
) -> Readiness:
    """The answers on every target and every list of devices; `plan` is how files are written, and
    its sizes are those of a run too. `properties` are those of the devices.

    What cannot be converted from its framework is refused by all of them alike. Raises what
    reading raises for a source that is damaged, or none.
    """
    try:
        given = read_source(source, read)
    except Unsupported as error:
        if not targets and not devices:
            raise
        return _refuse_all(source, error, targets, devices)
    answers = [ask_target(given, target, plan) for target in targets]
    answers += [ask_devices(given.model, Run(names, properties, plan.sizes)) for names in devices]
    return Readiness(given.model.name, len(given.model.operations), tuple(answers))


def _refuse_all(
    source: Any,
    error: Unsupported,
    targets: Sequence[Path],
    devices: Sequence[Sequence[str]],
) -> Readiness:
    missing, text = group([error], Provenance()), summary(error)
    answers = [Answer(path.name, True, text, missing) for path in targets]
    answers += [Answer(",".join(names), False, text, missing) for names in devices]
    return Readiness(str(getattr(source, "name", "model")), 0, tuple(answers))


def ask_target(given: Given, target: Path, plan: Plan = NOTHING, *, cures: bool = True) -> Answer:
    """Whether `convert` writes a model as `target`; it does all but write and prove the file.

    `cures`: try what would help where it does not.
    """
    known = given.model.provenance
    try:
        ready = rehearse(given, target, plan)
    except NNAdapterError as error:
        ways = cures_for_target(given, target, plan, error) if cures else ()
        return Answer(target.name, True, summary(error), group([error], known), ways)
    return Answer(target.name, True, fixed=fixed_sizes(given.model, ready.export, plan.sizes))


def ask_devices(model: Model, asked: Run, *, cures: bool = True) -> Answer:
    """Whether `compile` makes a program of a model for devices; it does all but run it.

    `cures`: try what would help where it does not.
    """
    name, known = ",".join(asked.devices), model.provenance
    found = asked.compile(model)
    if found.split is not None and not found.errors:
        parts, copies = parts_of(found.split), copies_of(found.split)
        doubts = group(found.doubts, known)
        ways = cures_for_devices(model, asked, found.doubts) if cures and doubts else ()
        return Answer(name, False, cures=ways, parts=parts, copies=copies, doubts=doubts)
    text = " | ".join(map(summary, found.errors))
    ways = cures_for_devices(model, asked, found.errors) if cures else ()
    return Answer(name, False, text, group(found.errors, known), ways)
