"""What would help a model that is refused: each way is gone before it is named."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hal.runtime import manager
from nnir import archive
from nnir.decomposition import Level
from nnir.dim import symbols_of
from nnir.errors import BadFile, BadInput, NNAdapterError, NoDevice
from nnir.model import Model
from nnir.precision import is_wide
from nnir.standard import NEWEST

from ..conversion import Given, Plan, narrow, rehearse, with_fixed_sizes
from .devices import Run, parts_of
from .report import Cure

Way = tuple[Plan, str]
"""Another plan, and what it does."""

GUESSES = (8, 1)
"""Sizes to try for those that are open."""

FEW = 4

NARROWS = "computes in FLOAT32 what is FLOAT64, inputs and outputs included"

FORMATS = (".onnx", ".tflite", ".xml", ".pt2", archive.SUFFIX)
"""Formats to write instead, those first that are quick to ask."""

DEVICES = ("onnxruntime", "openvino", "litert", "torch")
"""Devices to run on instead, those first that are quick to ask."""

HOST = "builtin"
BEYOND_CURE = (BadFile, BadInput, NoDevice)
"""What the place of a file, an option or the installation is to blame for: the message says what
to do."""


def cures_for_target(
    given: Given, target: Path, plan: Plan, error: NNAdapterError
) -> tuple[Cure, ...]:
    """Commands that write the file, and such as write another format."""
    if isinstance(error, BEYOND_CURE):
        return ()
    ways = [*_other_plans(given, target, plan), *_other_formats(given, target, plan)]
    return tuple(ways)


def _other_plans(given: Given, target: Path, plan: Plan) -> Iterator[Cure]:
    """The first that helps of each kind."""
    kinds = (
        _newest_opset(plan),
        _narrow(given.model, plan),
        _fix_sizes(given, plan),
        _fuse(plan),
        _to_standard(plan),
    )
    for kind in kinds:
        for changed, effect in kind:
            if is_written(given, target, changed):
                yield Cure(command_of(target, changed), effect)
                break


def _newest_opset(plan: Plan) -> Iterator[Way]:
    if plan.opset is not None:
        yield replace(plan, opset=None), "takes the lowest operator set that has all of it"


def _narrow(model: Model, plan: Plan) -> Iterator[Way]:
    if plan.precision is None and is_wide(model):
        yield replace(plan, precision="float32"), NARROWS


def _fix_sizes(given: Given, plan: Plan) -> Iterator[Way]:
    for sizes in _guesses(given.model, plan.sizes):
        effect = "fixes open sizes, to what you choose; tried with these"
        yield replace(plan, sizes={**plan.sizes, **sizes}), effect


def _fuse(plan: Plan) -> Iterator[Way]:
    if not plan.optimize:
        yield replace(plan, optimize=True), "fuses operations first"


def _to_standard(plan: Plan) -> Iterator[Way]:
    """The levels at which the standard's operators can be written, the lowest first."""
    version = plan.standard or NEWEST
    for level in Level:
        if (version, str(level)) != (plan.standard, plan.level):
            effect = "writes it in the operators of the standard first"
            yield replace(plan, standard=version, level=str(level)), effect


def _other_formats(given: Given, target: Path, plan: Plan) -> Iterator[Cure]:
    written = 0
    for suffix in FORMATS:
        is_slow = suffix == ".pt2" and written
        if suffix == target.suffix or is_slow:
            continue
        path, changed = target.with_suffix(suffix), replace(plan, opset=None, device=None)
        if is_written(given, path, changed):
            written += 1
            yield Cure(command_of(path, changed), "writes another format")


def command_of(target: Path, plan: Plan) -> str:
    """The command that writes a target so; FILE stands for the source."""
    options = _dims_of(plan.sizes)
    options += ["--optimize"] if plan.optimize else []
    options += [] if plan.opset is None else [f"--target-opset {plan.opset}"]
    options += [f"--opset {plan.standard} --level {plan.level}"] if plan.standard else []
    options += [f"--precision {plan.precision}"] if plan.precision else []
    return " ".join(["nnadapter convert FILE", shlex.quote(str(target)), *options])


def _dims_of(sizes: Mapping[str, int]) -> list[str]:
    return [f"--dim {name}={size}" for name, size in sizes.items()]


def is_written(given: Given, target: Path, plan: Plan) -> bool:
    """Whether `convert` would write a file that way."""
    try:
        rehearse(given, target, plan)
    except NNAdapterError:
        return False
    return True


def _guesses(model: Model, known: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Sizes for the dimensions that are open: for each of few by itself, then for all of them."""
    names = sorted({n for v in model.inputs for d in v.shape for n in symbols_of(d)} - {*known})
    if 1 < len(names) <= FEW:
        yield from ({name: _guess(model, name, GUESSES[0])} for name in names)
    for guess in GUESSES if names else ():
        yield {name: _guess(model, name, guess) for name in names}


def _guess(model: Model, name: str, guess: int) -> int:
    low, high = model.symbols.get(name, (0, None))
    return max(low, guess if high is None else min(guess, high))


def cures_for_devices(
    model: Model, asked: Run, errors: Sequence[NNAdapterError]
) -> tuple[Cure, ...]:
    """Devices, or sizes, with which the model can be compiled."""
    if any(isinstance(error, BEYOND_CURE) for error in errors):
        return ()
    return tuple(_other_devices(model, asked))


def _other_devices(model: Model, asked: Run) -> Iterator[Cure]:
    if HOST not in asked.devices:
        shared = replace(asked, devices=[*asked.devices, HOST])
        found = shared.compile(model)
        if found.split is not None and not found.errors:
            parts = parts_of(found.split)
            count = sum(part.operations for part in parts if part.device == HOST)
            effect = f"{HOST} runs {count} of {len(model.operations)} operations"
            yield Cure(_run_so(shared), effect)
    if is_wide(model) and not replace(asked, sizes={}).compile(_in_float32(model, asked)).errors:
        plan = Plan(sizes=asked.sizes, precision="float32")
        yield Cure(command_of(Path("float32.nnir"), plan), f"{NARROWS}: run what this writes")
    for sizes in [asked.sizes] if asked.sizes else _guesses(model, {}):
        if _compiles_fixed(model, asked, sizes):
            effect = "fixes open sizes, to what you choose: run what this writes"
            yield Cure(command_of(Path("fixed.nnir"), Plan(sizes=sizes)), effect)
            break
    done = 0
    for name in DEVICES:
        is_slow = name == "torch" and done
        if name in asked.devices or name not in manager.names() or is_slow:
            continue
        other = replace(asked, devices=[name])
        made = other.compile(model)
        if not made.errors and not made.doubts:
            done += 1
            yield Cure(_run_so(other), "runs all of it")


def _run_so(asked: Run) -> str:
    """The command that runs so; FILE stands for the source."""
    options = [f"--properties {shlex.quote(asked.properties)}"] if asked.properties else []
    options += _dims_of(asked.sizes)
    return " ".join(["nnadapter run FILE --device", ",".join(asked.devices), *options])


def _in_float32(model: Model, asked: Run) -> Model:
    """A model of the sizes that were asked for, in FLOAT32."""
    return narrow(with_fixed_sizes(model, asked.sizes), Plan(precision="float32")).model


def _compiles_fixed(model: Model, asked: Run, sizes: Mapping[str, int]) -> bool:
    try:
        return not replace(asked, sizes={}).compile(with_fixed_sizes(model, sizes)).errors
    except NNAdapterError:
        return False
