"""A program as users have it: called again and by several at once, restored, timed, resized."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from hal.device import Cache
from hal.properties import Properties
from hal.runtime import manager
from hal.runtime.program import Program
from nnir.errors import BadCall, BadInput, DeviceError, NoDevice
from nnir.evaluate import evaluate
from nnir.staging import temporary_folder
from nnir.state import State

from ..judging.compare import compare, first_problem
from .written import FORMATS, READERS

KNOWN_SIZES = frozenset({"nnapi"})
"""Devices that keep programs of known sizes alone."""

INTEL = "INTEL_OPENVINO_"
TAKEN = {
    "litert": (
        *("LITERT_XNNPACK=0", "LITERT_XNNPACK=1", "GOOGLE_XNNPACK_NUM_THREADS=1"),
        "GOOGLE_XNNPACK_NUM_THREADS=3;LITERT_XNNPACK=0",
    ),
    "onnxruntime": (
        *("ONNXRUNTIME_NUM_THREADS=1", "ONNXRUNTIME_OPTIMIZATION=0", "ONNXRUNTIME_OPTIMIZATION=2"),
        *("ONNXRUNTIME_NUM_THREADS=2;ONNXRUNTIME_OPTIMIZATION=1", "ONNXRUNTIME_PROVIDERS=CPU"),
        "ONNXRUNTIME_PROVIDERS=cpu, CPUExecutionProvider;ONNXRUNTIME_DEVICE_ID=0",
    ),
    "openvino": (
        *(f"{INTEL}INFERENCE_NUM_THREADS=1", f"{INTEL}PERFORMANCE_HINT=throughput"),
        *(f"{INTEL}INFERENCE_PRECISION=F32", f"{INTEL}SELECT_DEVICE_NAMES=CPU"),
    ),
    "torch": ("TORCH_NUM_THREADS=1", "TORCH_DEVICE=cpu"),
}
REFUSED = {
    "litert": (*("LITERT_XNNPACK=2", "LITERT_XNNPACK=-1", "GOOGLE_XNNPACK_NUM_THREADS=0"),),
    "onnxruntime": (
        *("ONNXRUNTIME_PROVIDERS=Abacus", "ONNXRUNTIME_PROVIDERS=Azure"),
        *("ONNXRUNTIME_PROVIDERS=CPU,", "ONNXRUNTIME_DEVICE_ID=-1"),
    ),
    "openvino": (
        *(f"{INTEL}INFERENCE_NUM_THREADS=-1", f"{INTEL}PERFORMANCE_HINT=HASTE"),
        *(f"{INTEL}INFERENCE_PRECISION=F99", f"{INTEL}SELECT_DEVICE_NAMES=TOASTER"),
    ),
}
"""Properties that change no result, and those that a device does not take."""

CALLS = 6
"""At once: more than a device keeps interpreters for."""

Arrays = Sequence[np.ndarray]


def find_use(case: Any, device: str, want: Arrays) -> str | None:
    """What comes out otherwise in one of the ways to use a program; None where nothing does."""
    for use in USES:
        try:
            use(case, device, want)
        except AssertionError as error:
            return f"{use.__name__.strip('_')}: {error}"
    return None


def _require_near(case: Any, found: Arrays, want: Arrays) -> None:
    """AssertionError where results differ by more than the tolerance of the case."""
    problem = first_problem([compare(a, b, case.tol) for a, b in zip(found, want, strict=True)])
    if problem is not None:
        raise AssertionError(problem)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def _call_again(case: Any, device: str, want: Arrays) -> None:
    """A second call, one with memory for its results, and one with memory for the first alone."""
    given = case.arrays()
    before = [a.copy() for a in given]
    with Program(case.model(), device) as program:
        first = program(*given)
        kept = [a.copy() for a in first]
        memory = [np.zeros_like(a) for a in want]
        found = program(*given, outputs=memory)
        _require(all(a is b for a, b in zip(found, memory, strict=True)), "results lie elsewhere")
        _require_near(case, memory, want)
        _require_near(case, program(*given, outputs=[*memory[:1], *(None for _ in want[1:])]), want)
        _require_near(case, program(*(a.copy(order="F") for a in given)), want)
    same = (np.array_equal(a, b, equal_nan=_has_nan(a)) for a, b in zip(first, kept, strict=True))
    _require(all(same), "results of the first call have changed")
    unchanged = (a.tobytes() == b.tobytes() for a, b in zip(given, before, strict=True))
    _require(all(unchanged), "what went in has changed")


def _has_nan(array: np.ndarray) -> bool:
    return array.dtype.kind in "fc"


def _call_at_once(case: Any, device: str, want: Arrays) -> None:
    given = case.arrays()
    with Program(case.model(), device) as program, ThreadPoolExecutor(CALLS) as pool:
        calls: list[Callable[[], Any]] = [
            pool.submit(program, *given).result for _ in range(2 * CALLS)
        ]
        for call in calls:
            _require_near(case, call(), want)


def _restore(case: Any, device: str, want: Arrays) -> None:
    """Compiled, and what was kept of that; with the model and without it."""
    given = case.arrays()
    with temporary_folder() as folder:
        where: dict[str, Any] = {"cache_token": "case", "cache_dir": folder}
        with Program(case.model(), device, **where) as program:
            _require(not program.is_restored, "restored from nothing")
            _require_near(case, program(*given), want)
        is_kept = not (case.others and device in KNOWN_SIZES)
        for model in (case.model(), None) if is_kept else (case.model(),):
            with Program(model, device, **where) as program:
                _require(program.is_restored == is_kept, f"restored: {program.is_restored}")
                for _ in range(2):
                    _require_near(case, program(*given), want)


def _take_times(case: Any, device: str, want: Arrays) -> None:
    """Every step takes time, in order."""
    given = case.arrays()
    with Program(case.model(), device, profile=True) as program:
        for _ in range(2):
            _require_near(case, program(*given), want)
            found = program.profile
            _require(bool(found.rows), "no steps")
            _require(all(r.device == device for r in found.rows), "steps of another device")
            starts = [r.start for r in found.rows]
            _require(starts == sorted(starts), "steps out of order")
            _require(all(r.seconds >= 0 for r in found.rows), "a step that takes less than nothing")
            _require(all(r.operator for r in found.rows), "a step of no operator")
            _require(any(r.name for r in found.rows), "steps without names")
            kinds = {r.operator for r in found.rows}
            _require(not any("place." in kind for kind in kinds), f"kinds of steps: {kinds}")
            known = device == "nnrt" or all(r.operator != "PROGRAM" for r in found.rows)
            _require(known, "no step is known")


def _resize(case: Any, device: str, want: Arrays) -> None:
    """Inputs of several sizes by turns, of a case that has them."""
    with Program(case.model(), device) as program:
        for given in (*case.others, *case.others[::-1], case.arrays()):
            _require_near(case, program(*given), evaluate(case.model(), list(given)))


def _set_properties(case: Any, device: str, want: Arrays) -> None:
    """With properties of the device, of which some are refused."""
    given = case.arrays()
    for properties in TAKEN.get(device, ()):
        with Program(case.model(), device, f"{properties};") as program:
            _require_near(case, program(*given), want)
    for properties in REFUSED.get(device, ()):
        try:
            Program(case.model(), device, f"{properties};").close()
        except (BadCall, BadInput, NoDevice):
            continue
        raise AssertionError(f"{properties} is taken")


def _open_file(case: Any, device: str, want: Arrays) -> None:
    """The file that the device writes, opened once and run at all sizes; it is known as one."""
    suffix = next((s for s in manager.find(device).formats if s in FORMATS), None)
    if suffix is None or case.has_no_file(device):
        return
    engine = manager.acquire(device)
    model = case.model()
    with temporary_folder() as folder:
        path, other = folder / f"model{suffix}", folder / f"other{suffix}"
        made = engine.prepare_export(model, path)
        made.write()
        other.write_bytes(b"another kind of file")
        found = engine.files_of(path)
        _require(found is not None and {*found} == {*made.files}, f"files are {found}")
        _require(engine.files_of(other) is None, "any file is taken for one of its own")
        context = engine.create_context(Properties({}), None)
        types = ([v.type for v in ends] for ends in (model.inputs, model.outputs))
        program = engine.import_program(context, path, *types)
        for given in (case.arrays(), *case.others, *case.others[::-1], case.arrays()):
            results = engine.execute_program(program, given)
            _require_near(case, results, evaluate(case.model(), list(given)))


def _refuse_damaged(case: Any, device: str, want: Arrays) -> None:
    """What is kept of a program is restored whole; a part of it, or something else, is refused."""
    engine, model = manager.acquire(device), case.model()
    context = engine.create_context(Properties({}), None)
    ends = ([v.type for v in model.inputs], [v.type for v in model.outputs])
    cache = Cache(*ends)
    engine.create_program(context, model, cache)
    whole = cache.buffer
    if not whole:
        return
    program = engine.create_program(context, None, Cache(*ends, whole))
    _require_near(case, engine.execute_program(program, case.arrays()), want)
    for view in (b"", whole[:1], whole[:6], whole[:11], whole[:40], b"0123456789" * 99, whole[9:]):
        try:
            engine.create_program(context, None, Cache(*ends, view))
        except DeviceError:
            continue
        raise AssertionError(f"{len(view)} of {len(whole)} bytes are restored")


def _keep_states(case: Any, device: str, want: Arrays) -> None:
    """Of a case with states, what one call leaves is what the next one begins with."""
    if not case.kept:
        return
    *given, first = case.arrays()
    model = case.model()
    model.states = [State("kept", first)]
    with Program(model, device) as program:
        for _ in range(2):
            state = first
            for _ in range(3):
                *wanted, state = evaluate(case.model(), [*given, state])
                _require_near(case, program(*given), wanted)
                _require_near(case, [program.states["kept"]], [state])
            program.reset()


def _read_states(case: Any, device: str, want: Arrays) -> None:
    """The file of a model with states is, read again, a model with the same ones."""
    suffix = next((s for s in manager.find(device).formats if s in READERS), None)
    if suffix is None or not case.kept:
        return
    *given, first = case.arrays()
    for initial in (first, np.zeros_like(first)):
        model = case.model()
        model.states = [State("kept", initial)]
        with temporary_folder() as folder:
            path = folder / f"model{suffix}"
            manager.acquire(device).export(model, path)
            again = READERS[suffix].load(path)
            found = [(s.name, s.initial.tolist()) for s in again.states]
            _require(len(found) == 1, f"states that are read again: {found}")
            _require(np.array_equal(again.states[0].initial, initial), f"it begins with {found}")
            with Program(again, "builtin") as program:
                state = initial
                for _ in range(3):
                    *wanted, state = evaluate(case.model(), [*given, state])
                    _require_near(case, program(*given), wanted)


USES = (
    *(_call_again, _call_at_once, _restore, _take_times, _resize, _set_properties),
    *(_open_file, _refuse_damaged, _keep_states, _read_states),
)
