"""The Python face: load, save, compile, convert, check, verify, bisect, devices, ops."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from inspect import signature as signature_of
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hal.device import Device
from hal.runtime import manager
from hal.runtime.options import Options
from hal.runtime.program import Program, names_of
from nnir import archive
from nnir.errors import BadInput
from nnir.model import Model
from nnir.plugins import REGISTRY, Plugin

from .compiling import CompilePlan, compile_model
from .net import guard
from .outputs import keeping_sources
from .sources import Source as Source
from .sources import candidate_frontends
from .sources import load as load

if TYPE_CHECKING:
    import numpy as np

    from conformance.bisecting.finding import Bisection
    from conformance.verifying.verify import Report
    from nnir.operator import Operator

    from .looking.difference import Difference
    from .readiness.report import Readiness


def add_plugin(plugin: Plugin) -> None:
    """Let a plug-in take part in this process; one of the same name that is installed gives way.

    Packages need no call: they name their `nnadapter.Plugin` in an entry point of the group
    `nnadapter.plugins`. Raises BadInput where an operator's name or code is another's.
    """
    REGISTRY.add(plugin)


def plugins() -> dict[str, Plugin]:
    """The plug-ins that take part, by name."""
    return {p.name: p for p in REGISTRY.plugins()}


@guard("path")
def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model as `.nnir`, whole or not at all; equal models give equal bytes."""
    if Path(path).suffix != archive.SUFFIX:
        raise BadInput(f"save writes {archive.SUFFIX}, not {str(path)!r}: use convert")
    archive.save(model, Path(path))


def to_standard(
    model: Model,
    opset: str = "v1.1",
    level: str = "exact",
    *,
    partial: bool = False,
    quantised_types: bool = False,
) -> Model:
    """A model that does the same in operators of the standard alone; weights are shared.

    `opset` is "v1" or "v1.1". `level` says what may change: "exact" nothing; "rounding" the last
    digits of results; "unrolled" writes out loops and sequences of a known length as well.

    Raises Unsupported with every operator that has to stay, with counts and reasons; `partial`
    leaves them in the model instead. With `quantised_types`, operations work on quantised operands
    where the result is the same; devices that do not know these get them as explicit operations.
    """
    from nnir import standard

    return standard.to_standard(
        model, opset, level, partial=partial, quantised_types=quantised_types
    )


def optimize(model: Model) -> list[str]:
    """Fuse and fold in place; the names of the passes that changed something.

    Results may differ by rounding from those of the model as it was loaded.
    """
    from . import conversion

    return conversion.optimize(model)


@guard("cache_dir")
def compile(
    model: Model | None,
    device: str | Sequence[str] | Options = "builtin",
    properties: str = "",
    callback: Callable[[int, Any], int] | None = None,
    *,
    inputs: Sequence[np.ndarray] | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    cache_token: str = "",
    cache_buffer: bytes | None = None,
    partition: str | os.PathLike[str] | None = None,
    profile: bool = False,
    check: bool = False,
) -> Program:
    """A program that runs `model` on a device, or on several.

    `device`: a name, or names in order of preference (a list, or a text with commas): each
    operation runs on the first of them that can, as in `["openvino", "builtin"]`; or "fastest":
    all are tried as `benchmark` does, and `cache_dir` keeps the choice. Options of Paddle-Lite's
    form are taken too, in place of all the rest. `properties` is `KEY=value;` text,
    such as `ONNXRUNTIME_NUM_THREADS=2;`; the environment has those that are not given.

    `cache_dir`: a folder for compiled programs, one `.nnc` file each, named `cache_token` or by a
    hash of everything the program depends on; one that is stale, damaged or of other devices is
    compiled anew, with a warning. `cache_buffer`: the bytes of such a file; then `model` may be
    None, as with a token whose file exists.

    `partition`: operations that run on `builtin` whatever the devices can, as the lines of a
    subgraph-partition config, or the path of one. `profile`: measure the steps of each run
    (`program.profile`), which slows it down. `check`: run once and compare with
    `builtin`; of several devices those that differ or fail are left out, with a warning. `inputs`:
    arrays for that and for "fastest", one for each input; random ones when None.

    Raises NoDevice when a device is not installed, NoLowering with everything it cannot run, and
    with `check` Differs when no device is left that agrees; BadInput for arguments beside Options.
    """
    if isinstance(device, Options):
        cached = (cache_dir, cache_token, cache_buffer)
        _require_only_options(
            (properties, callback, inputs, *cached, partition, profile, check),
        )
        return device.program(model)

    place = None if cache_dir is None else Path(cache_dir)
    plan = CompilePlan(properties, callback, place, cache_token, cache_buffer, partition, profile)
    return compile_model(model, device, plan, inputs, check=check)


def _require_only_options(values: Sequence[Any]) -> None:
    """BadInput where arguments of `compile` stand beside options of Paddle-Lite's form."""
    names = [*signature_of(compile).parameters][2:]
    given = zip(names, values, strict=True)
    if asked := [n for n, v in given if v is not None and v is not False and v != ""]:
        raise BadInput(
            f"{', '.join(asked)}: not beside Options, which take the place of all the rest; say it "
            "with their own calls, or name the devices"
        )


@guard("source", "target")
def convert(
    source: Source,
    target: str | os.PathLike[str],
    device: str | None = None,
    *,
    opset: int | None = None,
    standard: str | None = None,
    level: str = "exact",
    quantised_types: bool = False,
    precision: str | None = None,
    keep_float32: Sequence[str] = (),
    weights_only: bool = False,
    sizes: Mapping[str, int] | None = None,
    verify: bool = True,
    keep: bool = False,
    **loading: Any,
) -> Model:
    """Write a model in another format, through the device that owns it; the model as written.

    The suffix of `target` chooses the format: `.nnir`, `.onnx`, `.xml` (OpenVINO), `.tflite`,
    `.pt2`, `.nnapi`, `.nnrt`. `opset`: the operator set that an `.onnx` file is for. `standard`:
    write the model in the operators of that version of the standard first ("v1", "v1.1"), as far as
    `level` allows; see `to_standard`, also for `quantised_types`, which `.nnir` files hold.
    `sizes`: dimensions by name that become numbers. `loading`: options of `load`; BadInput where
    `source` is a model. `precision`, `keep_float32` and `weights_only` are those of `to_precision`.

    The file is written aside and takes its name once it is proved: it is opened as its users open
    it, in a process of its own, and compared with the framework that the source comes from, or with
    the NumPy references where the source is a model. A warning says what could not be asked.

    Raises Differs when it does not agree (then nothing appears, or with `keep` a file
    `x.differs.onnx`), NoLowering with everything that the format cannot hold, BadInput when the
    target belongs to the source, and BadFile when it would replace a file of another kind.
    """
    require_unloaded(source, loading)
    from . import conversion  # most programs compile, and write no files

    plan = conversion.Plan(
        *(device, opset, sizes or {}),
        verify=verify,
        keep=keep,
        standard=standard,
        level=level,
        quantised_types=quantised_types,
        precision=precision,
        keep_float32=keep_float32,
        weights_only=weights_only,
    )
    given = _path_of(source) or source
    written = conversion.convert(given, Path(target), plan, lambda: load(source, **loading), load)
    for text in written.report.unproved if written.report else ():
        warnings.warn(f"{Path(target).name} is not verified {text}", stacklevel=3)
    return written.model


@guard("source")
def check(
    source: Source,
    target: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    device: str | Sequence[str] = (),
    properties: str = "",
    *,
    opset: int | None = None,
    standard: str | None = None,
    level: str = "exact",
    sizes: Mapping[str, int] | None = None,
    optimize: bool = False,
    **loading: Any,
) -> Readiness:
    """Whether `convert` writes a model as `target` and `compile` takes it for `device`; a report
    that is true where the answer is yes.

    `target`: a path or several; `device`: a name, or names in order of preference, with
    `properties`, as for `compile`. All is done that `convert` does before it writes, and that
    `compile` does before it runs: what is refused is listed thing by thing, with its nodes, count
    and the commands that help, each of them tried. A proof that `convert` makes afterwards may
    still find a difference. `sizes`: dimensions by name that become numbers, for devices too.
    `optimize`: fuse operations first. The other options are those of `convert`.

    Raises BadFile and BadInput as `load` does; Unsupported from `load` is an answer too where
    something is asked.
    """
    from .readiness.checking import check_readiness

    require_unloaded(source, loading)
    targets = [target] if isinstance(target, (str, os.PathLike)) else list(target)
    names = names_of(device)
    from . import conversion

    plan = conversion.Plan(None, opset, sizes or {}, optimize, standard=standard, level=level)
    given = _path_of(source) or source
    paths, lists = [Path(each) for each in targets], [names] if names else []
    return check_readiness(given, lambda: load(source, **loading), paths, lists, plan, properties)


@guard("source", "page")
def inspect(
    source: Source,
    page: str | os.PathLike[str] | None = None,
    *,
    sizes: Mapping[str, int] | None = None,
    layers: bool = False,
    **loading: Any,
) -> dict[str, Any]:
    """What a model is and costs, as numbers: opset, FLOPs, bytes of weights and activations,
    precisions, operators, and with `layers` a row for each operation.

    `source`: a model, or what `load` takes with the options `loading`. `page`: write the graph as
    an HTML page to this path. `sizes`: numbers for open sizes by name, else their lowest.

    Raises BadInput for a size that the model does not have and a page that would replace the
    source, and what `load` raises.
    """
    from .looking import facts
    from .looking import page as drawing

    require_unloaded(source, loading)
    with keeping_sources([source], {"page": page}):
        model = source if isinstance(source, Model) else load(source, **loading)
    found = facts.facts(model, _path_of(source), sizes)
    if page is not None:
        drawing.write(model, found, Path(page))
    return found | ({"layers": [*facts.layers(model, found["sizes"])]} if layers else {})


@guard("first", "second", "page")
def diff(
    first: Source,
    second: Source,
    device: str | None = None,
    *,
    page: str | os.PathLike[str] | None = None,
    seed: int = 0,
    sizes: Mapping[str, int] | None = None,
    tolerance: float | None = None,
    ignore_names: bool = False,
) -> Difference:
    """What differs between two models, each a model or what `load` takes: structure, names,
    weights. A report that is true where nothing does.

    `device`: run both there on the same random inputs from `seed`, and compare the results within
    `tolerance` as `verify` does; `sizes` are numbers for open sizes by name. `page`: write both
    side by side as an HTML page to this path. `ignore_names`: what is only called otherwise is
    equal.

    Raises BadInput where models that are run do not take or give the same, for a tolerance or
    sizes without a device, and for a page that would replace one of them.
    """
    from .looking import difference, difference_page, results

    if device is None and (tolerance is not None or sizes):
        raise BadInput("tolerance and sizes are for models that are run: name a device")
    with keeping_sources([first, second], {"page": page}):
        a, b = (m if isinstance(m, Model) else load(m) for m in (first, second))
    found = difference.compare(a, b, ignore_names=ignore_names)
    if device is not None:
        found.results = results.run_both(a, b, device, seed=seed, sizes=sizes, tolerance=tolerance)
    if page is not None:
        paths = _path_of(first), _path_of(second)
        names = (paths[0].name if paths[0] else a.name, paths[1].name if paths[1] else b.name)
        difference_page.write(found, names, Path(page), is_equal=bool(found))
    return found


def require_unloaded(source: Source, loading: Mapping[str, Any]) -> None:
    """BadInput where options say how to load what is a model already; as for `load`, None and
    False ask for nothing."""
    asked = [name for name, value in loading.items() if value is not None and value is not False]
    if asked and isinstance(source, Model):
        raise BadInput(
            f"{', '.join(asked)}: not for a model that is loaded already; leave them away, or hand "
            "over what it was loaded from"
        )


def _path_of(source: Source) -> Path | None:
    """The file or folder that a source is, where it is one."""
    return Path(source) if isinstance(source, (str, os.PathLike)) else None


@guard("source")
def verify(
    source: Source,
    device: str = "builtin",
    inputs: Sequence[np.ndarray] | None = None,
    properties: str = "",
    *,
    tolerance: float | None = None,
    seed: int = 0,
    loading: Mapping[str, Any] | None = None,
) -> Report:
    """Compare a model on a device with its origin framework, which runs in a worker process.

    `inputs`: one array per model input, random ones from `seed` when None; a module is exported
    on them. `tolerance`: the largest error relative to the largest magnitude of an output; by
    default by precision, and one step for integers that stand for real numbers. `loading`: further
    options of `load`.
    """
    from conformance.verifying.verify import verify as run

    model = _load_for_proof(source, inputs, loading)
    return run(source, model, device, inputs, properties, tolerance=tolerance, seed=seed)


@guard("source", "folder")
def bisect(
    source: Source,
    device: str = "builtin",
    inputs: Sequence[np.ndarray] | None = None,
    properties: str = "",
    *,
    folder: str | os.PathLike[str] | None = None,
    fuse: bool = False,
    tolerance: float | None = None,
    seed: int = 0,
    loading: Mapping[str, Any] | None = None,
) -> Bisection:
    """Find the first operation of a model that is wrong; true when there is none.

    Every operation is run by itself, by the standard's reference and on the device, on the values
    that the origin framework has at that place. `folder`: write the operation as a model, its
    inputs and a script that shows the difference into this new folder. `fuse`: look at the model
    as `optimize` leaves it. `tolerance`: the largest error of one operation relative to the
    largest magnitude of its output. The rest is as for `verify`.
    """
    from conformance.bisecting import evidence
    from conformance.bisecting.bisect import bisect as run

    if folder is not None:
        evidence.require_new(Path(folder))
    with keeping_sources([source], {}, folder):
        model = _load_for_proof(source, inputs, loading)
    if fuse:
        optimize(model)
    found = run(source, model, device, inputs, properties, tolerance=tolerance, seed=seed)
    if folder is not None and found.finding is not None and found.finding.model is not None:
        evidence.write(found.finding, Path(folder))
    return found


def _load_for_proof(
    source: Source, inputs: Sequence[Any] | None, loading: Mapping[str, Any] | None
) -> Model:
    """The model of what is to be proved; a module is exported on the inputs."""
    options = dict(loading or {})
    if _is_traced(source):
        options["inputs"] = inputs
    return load(source, **options)


def _is_traced(source: Source) -> bool:
    """Whether a frontend traces or exports `source` on example inputs."""
    if isinstance(source, (str, os.PathLike, bytes)):
        return False
    found = next((f for f in candidate_frontends(source) if f.detects(source)), None)
    return found is not None and found.exports(source)


def devices() -> dict[str, type[Device]]:
    """The installed devices by name; not opened. A library that is no driver is left out."""
    return manager.classes()


def ops() -> dict[str, Operator]:
    """Every operator by its name, of the standard, ours and those of plug-ins."""
    return {operator.name: operator for operator in REGISTRY.operators()}
