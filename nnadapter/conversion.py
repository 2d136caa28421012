"""Write a model in another format: aside first, proved there, then under the target's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hal.device import Device, Export, open_shapes
from hal.quantised import shown_to
from nnir import archive
from nnir.errors import BadFile, BadInput, Differs, NoDevice, Unsupported
from nnir.mapping import map_file
from nnir.model import Model
from nnir.progress import note, stage
from nnir.quantised_types import to_quantised_types
from nnir.records import dataclass
from nnir.specialise import fix_sizes
from nnir.spelling import suggest
from nnir.staging import Staging, require_place

from .outputs import Sources, keeping_sources
from .readiness.report import FixedSize
from .readiness.sizes import fixed_sizes

if TYPE_CHECKING:
    from conformance.verifying.verify import Report
    from nnir.precision import Narrowed

NO_OUTPUTS: Mapping[str, Path] = {}
DIFFERS = ".differs"
"""What the name of a kept file has before its suffix where it does not agree."""


@dataclass(frozen=True)
class Plan:
    """How a file is to be written.

    `device` is the name of the one that writes, where several could. `opset`: the operator set of
    the format. `sizes`: dimensions by name that become numbers. `optimize`: fuse operations first.
    `standard`: write it in the operators of that version first, as far as `level` allows.
    `quantised_types`: let operations work on quantised operands, which only archives hold.
    `precision`: real numbers have 16 bits, `float16` or `bfloat16`, but for those of the operations
    that the patterns `keep_float32` name; or those of 64 bits have 32, `float32`. With
    `weights_only` constants alone have.
    `verify`: prove what was written. `keep`: a file that differs appears under another name.
    """

    device: str | None = None
    opset: int | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    optimize: bool = False
    verify: bool = True
    keep: bool = False
    standard: str | None = None
    level: str = "exact"
    quantised_types: bool = False
    precision: str | None = None
    keep_float32: Sequence[str] = ()
    weights_only: bool = False


@dataclass(frozen=True)
class Given:
    """A model with what it was read from."""

    model: Model
    sources: Sources


@dataclass(frozen=True)
class Prepared:
    """What can be written: the model, the passes that changed it, and its files."""

    model: Model
    passes: list[str]
    export: Export
    narrowed: Narrowed | None = None


@dataclass(frozen=True)
class Written:
    """What was written: the model, its files (the main one last), how it was proved, the passes
    that changed it, what has 16 bits, and the sizes that were open in the source and are not."""

    model: Model
    files: list[Path]
    report: Report | None
    passes: list[str]
    narrowed: Narrowed | None = None
    fixed: tuple[FixedSize, ...] = ()


def convert(
    source: Any,
    target: Path,
    plan: Plan,
    read: Callable[[], Model],
    reopen: Callable[[Path], Model],
) -> Written:
    """Write `source`, which `read` reads, as `target`, which `reopen` reads again to prove it.

    Raises BadInput where the target belongs to the source, BadFile where it would replace what is
    foreign, and Differs where what was written does not agree; then nothing appears.
    """
    writer = writer_of(target, plan)
    given = read_source(source, read, _outputs_of(target, plan))
    with Staging(target) as staging:
        ready = prepare_target(given, target, staging.path, writer, plan)
        model = ready.model
        with stage(f"writing {target.name}"):
            ready.export.write()
        given.sources.require_apart(*staging.outputs())
        require_own(staging.outputs(), target, writer)
        report = None
        if plan.verify:
            report = prove(source, model, staging.path, writer, reopen, plan.precision)
            if report and plan.precision:
                differing = _prove_rounded(given.model, model, plan.precision)
                report = report if differing is None else differing
        if report is not None and not report:
            kept = _keep_differing(given, model, target, writer, plan) if plan.keep else None
            is_half = plan.precision not in (None, "float32")
            cure = "; `nnadapter scan` says what must stay float32" if is_half else ""
            raise Differs(_difference(target, report, kept) + cure)
        require_own(staging.outputs(), target, writer)  # a proof takes time
        fixed = fixed_sizes(given.model, ready.export, plan.sizes)
        return Written(model, staging.commit(), report, ready.passes, ready.narrowed, fixed)


def rehearse(given: Given, target: Path, plan: Plan) -> Prepared:
    """All that `convert` does but writing and proving; it refuses what `convert` refuses.

    The model stays as it is.
    """
    writer = writer_of(target, plan)
    if plan.optimize:  # which changes a model in place
        given = replace(given, model=fix_sizes(given.model, {}))
    require_place(target)
    ready = prepare_target(given, target, target, writer, plan)
    ready.export.rehearse()
    return ready


def read_source(
    source: Any, read: Callable[[], Model], outputs: Mapping[str, Path] = NO_OUTPUTS
) -> Given:
    """The model of a source, which `read` reads, and its files; `outputs` are none of them.

    A model that somebody holds may replace the file that it came from.
    """
    is_model = isinstance(source, Model)
    with keeping_sources([] if is_model else [source], outputs) as sources:
        model = source if is_model else read()
    note(f"{len(model.operations)} operations")
    return Given(model, sources)


def _outputs_of(target: Path, plan: Plan) -> dict[str, Path]:
    """The main files that may be written."""
    return {"the target": target} | (
        {"what differs": _name_of_differing(target)} if plan.keep else {}
    )


def _name_of_differing(target: Path) -> Path:
    """What a target is called where it does not agree."""
    return target.with_name(f"{target.stem}{DIFFERS}{target.suffix}")


def prepare_target(
    given: Given, target: Path, path: Path, writer: Device | None, plan: Plan
) -> Prepared:
    """A model as the files of `target`, to be written at `path`: `convert` and what only asks
    whether it would succeed have this in common."""
    given.sources.require_apart(target)
    model, passes = prepare(given.model, plan)
    narrowed = narrow(model, plan) if plan.precision else None
    model = model if narrowed is None else narrowed.model
    with stage(f"lowering for {target.suffix}"):
        export = form(model, path, writer, plan.opset)
    outputs = [target.with_name(file.name) for file in export.files]
    given.sources.require_apart(*outputs)
    require_own(outputs, target, writer)
    return Prepared(model, passes, export, narrowed)


def narrow(model: Model, plan: Plan) -> Narrowed:
    """The model in the precision of a plan, which has one."""
    from nnir.precision import narrow, narrow_weights, precision_named

    from .quantisation.keeping import match_patterns

    change = narrow_weights if plan.weights_only else narrow
    if plan.keep_float32 and plan.precision == "float32":
        raise BadInput("keep_float32 goes with 16 bits: in float32 nothing is left out")
    with stage(f"rounding to {plan.precision}"):
        kept = match_patterns(model, plan.keep_float32)
        return change(model, precision_named(str(plan.precision)), kept)


def _keep_differing(
    given: Given, model: Model, target: Path, writer: Device | None, plan: Plan
) -> Path:
    """Write a model that differs under a name that says so."""
    path = _name_of_differing(target)
    with Staging(path) as staging:
        form(model, staging.path, writer, plan.opset).write()
        given.sources.require_apart(*staging.outputs())
        require_own(staging.outputs(), path, writer)
        staging.commit()
    return path


def _difference(target: Path, report: Report, kept: Path | None) -> str:
    notes = "".join(f" ({note})" for note in report.notes)
    where = (
        f"it is kept as {str(kept)!r}"
        if kept is not None
        else "nothing was written; keep=True (--keep) writes it under another name"
    )
    return f"{target.name} differs from {report.origin}: {report.worst()}{notes}; {where}"


def prepare(model: Model, plan: Plan) -> tuple[Model, list[str]]:
    """The model with known sizes, fused operations and standard operators, as it is asked for."""
    if plan.sizes:
        model = with_fixed_sizes(model, plan.sizes)
    passes = optimize(model) if plan.optimize else []
    if plan.standard is not None:
        from nnir.standard import to_standard

        model = to_standard(model, plan.standard, plan.level, quantised_types=plan.quantised_types)
    elif plan.quantised_types:
        model = to_quantised_types(model)
    return model, passes


def with_fixed_sizes(model: Model, sizes: Mapping[str, int]) -> Model:
    """A copy of a model whose named dimensions are numbers, and shapes constants where they can."""
    from nnir.passes import CLEAN, apply

    made = fix_sizes(model, sizes)
    apply(made, CLEAN)
    return made


def optimize(model: Model) -> list[str]:
    """Fuse and fold in place; the names of the passes that changed something."""
    from nnir.passes import CLEAN, FUSIONS, apply

    return apply(model, (*CLEAN, *FUSIONS, *CLEAN))


def writer_of(target: Path, plan: Plan) -> Device | None:
    """The device that writes files with the suffix of `target`; None for an archive."""
    if plan.quantised_types and target.suffix != archive.SUFFIX:
        raise BadInput(
            f"{target.suffix} files have no quantised operands; {archive.SUFFIX} files have"
        )
    if target.suffix == archive.SUFFIX:
        return None
    return exporter(target.suffix, plan.device)


def exporter(suffix: str, device: str | None = None) -> Device:
    """The device that writes files with a suffix; Unsupported when there is none.

    It is open only where it writes with its engine.
    """
    from hal.runtime import manager

    classes = {device: manager.find(device)} if device else manager.classes()
    for name, found in classes.items():
        if suffix in found.formats:
            return found() if found.writes_alone else _open_writer(name, suffix)
    raise _unknown(suffix, _suffixes_of(classes.values()))


def require_format(suffix: str) -> None:
    """Unsupported for a suffix that no installed format has, whatever is needed to write it."""
    from hal.runtime import manager

    known = _suffixes_of(manager.classes().values())
    if suffix not in known:
        raise _unknown(suffix, known)


def _suffixes_of(devices: Iterable[type[Device]]) -> list[str]:
    """What devices write, and archives."""
    return sorted({archive.SUFFIX, *(s for device in devices for s in device.formats)})


def _unknown(suffix: str, known: Sequence[str]) -> Unsupported:
    near = suggest(suffix, known)
    return Unsupported(
        f"no format has the suffix {suffix!r}{near or ';'} known are {', '.join(known)}"
    )


def _open_writer(name: str, suffix: str) -> Device:
    """The open device whose engine writes files with a suffix."""
    from hal.runtime import manager

    try:
        return manager.acquire(name)
    except NoDevice as error:
        alone = [s for c in manager.classes().values() if c.writes_alone for s in c.formats]
        needless = ", ".join(sorted({archive.SUFFIX, *alone}))
        error.add_note(f"(its engine writes {suffix} files; {needless} need no package)")
        raise


def form(model: Model, path: Path, writer: Device | None, opset: int | None = None) -> Export:
    """A model as files of a device's format, not written yet; as an archive without a device."""
    if writer is not None:
        return writer.prepare_export(shown_to(writer, model), path, opset=opset)
    if opset is not None:
        raise Unsupported(f"{archive.SUFFIX} files have no opset")
    inputs, outputs = (open_shapes(v.shape for v in e) for e in (model.inputs, model.outputs))
    return Export(archive.prepare(model, path), [path], inputs, outputs)


def prove(
    source: Any,
    model: Model,
    path: Path,
    writer: Device | None,
    reopen: Callable[[Path], Model],
    precision: str | None = None,
) -> Report:
    """Run what was written as its users do, and compare it with the origin; `precision` is what
    the results may be rounded to on the way."""
    from conformance.verifying.verify import TOLERANCES, verify_file

    if isinstance(source, Path) and archive.is_archive_file(source):
        source = model  # what an archive means is in the references
    tolerance = None if precision is None else TOLERANCES[precision]
    with stage("proving"):
        return verify_file(source, model, path, writer, reopen, tolerance=tolerance)


def _prove_rounded(original: Model, model: Model, precision: str) -> Report | None:
    """What differs between a model and its narrower form, in the references; None for nothing.

    They round after each operation. Engines for CPUs leave casts out, and then nothing overflows in
    them that does on accelerators.
    """
    from conformance.oracles.origin import BUILTIN
    from conformance.verifying.verify import TOLERANCES, verify

    with stage(f"proving {precision}"):
        report = verify(original, model, BUILTIN, tolerance=TOLERANCES[precision])
    return None if report else report


def require_own(outputs: Iterable[Path], target: Path, writer: Device | None) -> None:
    """BadFile where a file to write would replace one that is not of the same model and format."""
    own = own_files(target, writer) if target.exists() else []
    if own is None:
        raise BadFile(
            f"cannot write {str(target)!r}: what is there is no {target.suffix} file; remove it "
            "or choose another target"
        )
    for path in outputs:
        if path != target and path.exists() and path not in own:
            raise BadFile(
                f"cannot write {str(path)!r}, which belongs beside {target.name}: a file of that "
                "name is there already; move it or choose another target"
            )


def own_files(target: Path, writer: Device | None) -> list[Path] | None:
    """The files of an existing target; None where it is no file of the format."""
    if writer is not None:
        return writer.files_of(target)
    data = map_file(target)
    return [target] if not data or archive.is_archive(data[:64]) else None
