"""The command that says whether a model will run: check."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hal.runtime.program import names_of
from nnir.check import check as check_model
from nnir.decomposition import Level
from nnir.model import Model
from nnir.progress import stage

from ..conversion import Plan, read_source
from ..terminal import (
    DIM,
    FILE,
    JSON,
    PROPERTIES,
    answer,
    load,
    loading,
    options_of,
    print_json,
    show,
    sizes_of,
)

if TYPE_CHECKING:
    from nnir.standard import Beyond

    from ..readiness.report import Answer, Missing, Readiness

MISSING = ("operator", "precision", "attributes", "count", "nodes")
LATER = "once sizes are known"
FEW = 3
"""So many nodes and reasons are named in a row; --json has all of them."""


@click.command()
@FILE
@loading
@click.option(
    "--target",
    "targets",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Would `convert` write this file? May be given several times.",
)
@click.option(
    "--device", help="Would it run on this device, or on these with commas between, as with `run`?"
)
@PROPERTIES
@click.option(
    "--opset",
    type=click.Choice(["v1", "v1.1", "ext"]),
    default="ext",
    show_default=True,
    help="Refuse operators that this version of the standard lacks; with --target, as `convert`.",
)
@click.option(
    "--level",
    type=click.Choice(["exact", "rounding", "unrolled"]),
    help="What --opset may change in a target, as with `convert`.",
)
@click.option("--target-opset", type=int, help="The operator set of an .onnx target (13 to 25).")
@click.option("--optimize", is_flag=True, help="Fuse operations before a target is written.")
@click.option("--strict", is_flag=True, help="Refuse everything beyond the standard's text.")
@DIM
@JSON
def check(
    file: Path,
    targets: tuple[Path, ...],
    device: str | None,
    properties: str,
    opset: str,
    level: str | None,
    target_opset: int | None,
    optimize: bool,
    strict: bool,
    dims: tuple[str, ...],
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Say whether FILE is a valid model, and will run: whether `convert` writes a target, and
    `run` takes it on devices.

    Nothing is written or run. What stands in the way is listed with its nodes, and the commands
    that help, each of them tried. Exit status: 0 yes, 1 no, 2 wrong usage.
    """
    if not targets and (level or target_opset or optimize):
        raise click.UsageError(
            "--level, --target-opset and --optimize say how a file is written: give --target"
        )
    if dims and not targets and device is None:
        raise click.UsageError(
            "--dim says how a file is written, or what is run: give --target or --device"
        )
    standard = None if opset == "ext" else opset
    plan = _plan_of(standard, level, target_opset, sizes_of(dims), optimize=optimize)
    devices = _lists_of(device)
    from ..readiness.checking import check_readiness

    models: list[Model] = []

    def read() -> Model:
        models.append(load(file, how))
        check_model(models[0], strict=strict)
        return models[0]

    with stage(f"checking {file.name}"):
        found = check_readiness(file, read, targets, devices, plan, properties)
        beyond = _beyond(models, standard) if not targets and standard else []
        cure = _cure_of(file, models[0], beyond, opset) if beyond else None
    if as_json:
        rows = [asdict(each) for each in beyond]
        print_json({"valid": bool(models), "beyond": rows, "cure": cure, **found.as_dict()})
    else:
        source = shlex.join([str(file), *options_of(how)])
        _tell(source, file, found, is_read=bool(models))
        _tell_beyond(beyond, cure and _name_source(cure, source), opset)
    sys.exit(1 if beyond or not found else 0)


def _plan_of(
    standard: str | None,
    level: str | None,
    opset: int | None,
    sizes: Mapping[str, int],
    *,
    optimize: bool,
) -> Plan:
    """How files are to be written."""
    if level and standard is None:
        raise click.UsageError("--level says how --opset may write the model: give --opset v1.1")
    return Plan(
        opset=opset, sizes=sizes, optimize=optimize, standard=standard, level=level or "exact"
    )


def _lists_of(device: str | None) -> list[list[str]]:
    """The devices that are asked about together, where there are any."""
    if device is None:
        return []
    names = names_of(device)
    if not names:
        raise click.UsageError("--device names no device")
    return [names]


def _beyond(models: Sequence[Model], opset: str) -> list[Beyond]:
    from nnir.standard import explain_beyond

    return explain_beyond(models[0], opset) if models else []


def _cure_of(file: Path, model: Model, beyond: Sequence[Beyond], opset: str) -> str | None:
    """The command that writes the whole model in the standard's operators, where there is one."""
    from ..readiness.cures import command_of, is_written

    levels = [each.level for each in beyond if each.level is not None]
    if len(levels) < len(beyond):
        return None
    level = max(levels, key=list(Level).index)
    target, plan = file.with_suffix(f".{opset}.nnir"), Plan(standard=opset, level=str(level))
    given = read_source(model, lambda: model)
    return command_of(target, plan) if is_written(given, target, plan) else None


def _name_source(command: str, source: str) -> str:
    """A command for the source that is asked about, with how it is read."""
    return command.replace(" FILE", f" {source}", 1)


def _tell(source: str, file: Path, found: Readiness, *, is_read: bool) -> None:
    """The answers for a person."""
    if is_read:
        answer(f"{file}: valid, {found.operations} operations")
    for each in found.answers:
        _tell_answer(each, source)


def _tell_answer(found: Answer, source: str) -> None:
    done = "written" if found.is_target else "compiled"
    verdict = f"yes, it can be {done}" if found else f"no, it cannot be {done}"
    later = f", but part of it is likely to be refused {LATER}" if found.doubts else ""
    answer(f"{found.asked}: {verdict}{later}")
    rows = [row for row in found.missing if row.nodes or row.operator]
    for row in found.missing:
        if row not in rows:  # it is no operation: the place of a file, or an option
            answer(f"  {'; '.join(row.why)}")
    if rows:
        show(("why", *MISSING), [_missing_row(row) for row in rows])
    if found.doubts:
        doubts = [_missing_row(row) for row in found.doubts]
        show((f"likely to be refused {LATER}", *MISSING), doubts)
    if found.cures:
        answer("what helps: each was tried")
        for cure in found.cures:  # lines that a shell takes as they are
            answer(f"  {_name_source(cure.command, source)}  # {cure.effect}")
    if found.fixed:
        sizes = [(f.end, f.axis, f.source, f.size, f.because) for f in found.fixed]
        show(("becomes constant", "axis", "in the source", "size", "because"), sizes)
    if found.parts:
        parts = [(p.device, p.operations, _counts(p.operators)) for p in found.parts]
        show(("part on", "operations", "operators"), parts)
    if found.copies:
        copies = [(c.value, c.type, c.source, c.target) for c in found.copies]
        show(("copied between parts", "type", "from", "to"), copies)


def _missing_row(row: Missing) -> tuple[str, ...]:
    names = " of ".join(dict.fromkeys(filter(None, (row.operator, row.source))))
    nodes = _some([*map(str, row.nodes)])
    return _some(row.why), names, row.precision, row.attributes, str(row.count), nodes


def _some(texts: Sequence[str]) -> str:
    """The first of some texts, and how many more there are."""
    more = [f"and {len(texts) - FEW} more"] if len(texts) > FEW else []
    return "; ".join([*texts[:FEW], *more])


def _counts(operators: Mapping[str, int]) -> str:
    return ", ".join(f"{name} (x{count})" for name, count in operators.items())


def _tell_beyond(beyond: Sequence[Beyond], cure: str | None, opset: str) -> None:
    """The operators that the standard lacks, and what writes the model in those that it has."""
    if beyond:
        ways = ((b.operator, b.count, b.why or f"level {b.level}") for b in beyond)
        show((f"not in {opset}", "count", "in its operators"), ways)
    if cure is not None:
        answer(f"what helps: {cure}")
