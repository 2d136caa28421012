"""Write `.pt2` files: `torch.export` of the module."""

from __future__ import annotations

import contextlib
import io
import itertools
import logging
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch._export.serde.serialize import SerializeError
from torch.fx.experimental import _config as symbolic
from typing_extensions import Buffer

from nnir.dim import Expr, Symbol, evaluate, symbols_of
from nnir.errors import BadFile, BadInput, Unsupported
from nnir.guesses import find_small, long_sizes, nearest_sizes
from nnir.model import Model, Value
from nnir.staging import replacing
from nnir.stateful import user_inputs

from ...device import Export, Shapes, open_shapes
from ...emission import WRITING_STEP
from .copying import copy_before_reshapes
from .dtypes import dtype_of
from .origins import keep_origins
from .program import emit, one_line
from .states import keep_states

EXAMPLES = (64, 32, 96, 224, 8, 3)
"""Sizes to try for what is only known while running; 0 and 1 would be taken for constants."""

LONG = (512, 4096, 16384)
"""The same for sound."""

ATTEMPTS = 4
WAYS = ((True, False), (True, True), (False, False))
"""Whether torch is not to look at sizes, and what is not contiguous is copied before a reshape."""


def prepare(model: Model, path: Path) -> Export:
    """A model as a `.pt2` file that is not written yet; Unsupported where torch cannot express it,
    with what torch says."""
    program = export(model)

    def write() -> None:
        with replacing(path) as file:
            target = Patient(file)
            _save(program, target, model.name)
        if target.error is not None:
            raise BadFile(f"cannot write {path.name!r}: {target.error.strerror}")

    def rehearse() -> None:
        with open(os.devnull, "wb") as nothing:
            _save(program, Patient(nothing), model.name)

    signature = program.graph_signature
    inputs = _shapes_of(program, signature.user_inputs)
    return Export(write, [path], inputs, _shapes_of(program, signature.user_outputs), rehearse)


def _save(program: torch.export.ExportedProgram, target: Patient, name: str) -> None:
    try:
        with warnings.catch_warnings():  # of a transposed weight: all of its storage is written
            warnings.filterwarnings("ignore", "No complete tensor found")
            torch.export.save(program, target)  # type: ignore[arg-type]  # as IO[bytes] is
    except SerializeError as error:
        raise Unsupported(f"torch cannot save {name!r}: {one_line(error)}") from None


def _shapes_of(program: torch.export.ExportedProgram, names: Sequence[object]) -> Shapes:
    """The shapes of inputs or outputs of a program."""
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    return open_shapes(getattr(values.get(str(n)), "shape", ()) for n in names)


class Patient(io.RawIOBase):
    """A file that takes everything: what the disk refuses is said at the end.

    PyTorch's writer of archives ends the process when a write raises.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.error: OSError | None = None

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Stay at the end: torch.export rewinds a file that it wrote, for who reads it next."""
        return offset

    def write(self, data: Buffer) -> int:
        if self.error is None:
            try:
                self.file.write(data)
            except OSError as error:
                self.error = error
        return memoryview(data).nbytes


def _emit(model: Model) -> Any:
    _, module = emit(model, WRITING_STEP, for_file=True)
    keep_states(module, model)
    return module


def export(model: Model) -> torch.export.ExportedProgram:
    """The ExportedProgram of a model, without what differs from run to run.

    Sizes have the ranges of their symbols, or where the model itself is narrower (a table of so
    many positions) those that torch finds; that a size became a constant is never accepted. First,
    torch is not to look whether a computed size is 0 or 1 (`any_sizes`): it would refuse the sizes
    for which one is.
    """
    module = _emit(model)
    names = [n.target for n in module.graph.nodes if n.op == "placeholder"]
    dims = _dims(model)
    problem = "no sizes fit its inputs"
    for sizes in itertools.islice(_examples(model), ATTEMPTS):
        for any_sizes, copies in WAYS if dims else WAYS[-1:]:
            tried = _emit(model) if copies else module
            if copies and not copy_before_reshapes(tried):
                continue
            try:
                inputs = tuple(_example(v, sizes) for v in user_inputs(model))
                with _oblivious(any_sizes):
                    return keep_origins(_attempt(tried, inputs, model, names, dims))
            except Exception as error:  # noqa: BLE001  # torch raises many kinds
                problem = one_line(error)
    raise Unsupported(f"torch cannot export {model.name!r}: {problem}")


@contextlib.contextmanager
def _oblivious(any_sizes: bool) -> Iterator[None]:
    """With `any_sizes`, torch does not look whether a size is 0 or 1.

    Its cache of results of fake tensors looks none the less, and is not used then.
    """
    with (
        symbolic.patch(backed_size_oblivious=any_sizes),  # type: ignore[attr-defined]
        torch._dynamo.config.patch(fake_tensor_cache_enabled=not any_sizes),
    ):
        yield


def _attempt(
    module: Any,
    inputs: tuple[torch.Tensor, ...],
    model: Model,
    names: list[str],
    dims: dict[str, Any],
) -> Any:
    """An export; once more with narrower ranges where torch proposes them."""

    def shapes(known: Mapping[str, object]) -> dict[str, dict[int, object] | None]:
        return {n: _shape(v, known) for n, v in zip(names, user_inputs(model), strict=True)}

    with torch.no_grad(), _quiet():
        try:
            return torch.export.export(module, inputs, dynamic_shapes=shapes(dims), strict=False)
        except torch._dynamo.exc.UserError as error:
            narrower = _narrow_dims(dims, str(error))
            if narrower is None:
                raise
        return torch.export.export(module, inputs, dynamic_shapes=shapes(narrower), strict=False)


RANGE = re.compile(r"^  (\w+) = Dim\('\w+'(?:, min=(\d+))?(?:, max=(\d+|oo))?\)$", re.MULTILINE)
MULTIPLE = re.compile(r"^  (\w+) = (\d+)\*(\w+)(?: ([+-]) (\d+))?$", re.MULTILINE)
EQUAL = re.compile(r"^  (\w+) = ([A-Za-z_]\w*)$", re.MULTILINE)
FIX = re.compile(r"^  \w+ = ", re.MULTILINE)


def _narrow_dims(dims: dict[str, Any], message: str) -> dict[str, Any] | None:
    """What torch proposes: ranges, multiples of new sizes, and sizes that are the same ones.

    None where a size is a number.
    """
    text = message.partition("Suggested fixes:")[2]
    ranges, multiples, equal = (kind.findall(text) for kind in (RANGE, MULTIPLE, EQUAL))
    proposed = len(ranges) + len(multiples) + len(equal)
    if not proposed or proposed != len(FIX.findall(text)) or (multiples and not ranges):
        return None
    made = {d.__name__: d for d in dims.values()}
    for name, low, high in ranges:
        bounds = {"min": int(low)} if low else {}
        bounds |= {} if high in ("", "oo") else {"max": int(high)}
        made[name] = torch.export.Dim(name, **bounds)
    for name, factor, of, sign, rest in multiples:
        whole = int(factor) * made[of]
        made[name] = whole if not rest else whole + int(sign + rest)
    for name, of in equal:
        made[name] = made[of]
    return {symbol: made[d.__name__] for symbol, d in dims.items()}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What torch logs of attempts is in the errors that it raises."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _symbols(model: Model) -> list[str]:
    found: dict[str, None] = {}
    for value in user_inputs(model):
        for dim in value.shape:
            found.update(dict.fromkeys(sorted(symbols_of(dim))))
    return list(found)


def _dims(model: Model) -> dict[str, Any]:
    """torch's dimensions by the names of symbols, with their ranges."""
    made: dict[str, Any] = {}
    for name in _symbols(model):
        low, high = model.symbols.get(name, (0, None))
        bounds = {"min": low} if low > 1 else {}
        bounds |= {} if high is None else {"max": high}
        word = re.sub(r"\W+", "_", name)
        made[name] = torch.export.Dim(word if word.isidentifier() else f"d_{word}", **bounds)
    return made


def _shape(value: Value, dims: Mapping[str, Any]) -> dict[int, Any]:
    """The dynamic axes of an input; what is no plain symbol torch finds out."""
    found = {}
    for axis, dim in enumerate(value.shape):
        if isinstance(dim, Expr):
            found[axis] = dims.get(str(dim)) or _linear(dim, dims)
    return found


def _linear(dim: Expr, dims: Mapping[str, Any]) -> Any:
    """A multiple of one symbol and a number more, which torch knows too."""
    symbols = [(m[0], c) for m, c in dim.terms if len(m) == 1 and isinstance(m[0], Symbol)]
    rest = sum(c for m, c in dim.terms if not m)
    if len(symbols) == 1 and len(dim.terms) == 1 + bool(rest) and symbols[0][1] > 0:
        name, factor = str(symbols[0][0]), symbols[0][1]
        whole = dims[name] if factor == 1 else factor * dims[name]
        return whole + rest if rest else whole
    return torch.export.Dim.DYNAMIC(min=0)


def _examples(model: Model) -> list[dict[str, int]]:
    """Sizes of the symbols: small ones, different ones first; later those that leave nothing, or
    one, which torch takes for a constant."""
    names = _symbols(model)
    if not names:
        return [{}]
    tried = []
    for shift, step in itertools.product(range(len(EXAMPLES)), (1, 0)):
        places = enumerate(names)
        tried.append({n: EXAMPLES[(shift + k * step) % len(EXAMPLES)] for k, n in places})
    tried += [long_sizes(model, size) for size in LONG]
    return sorted((nearest_sizes(model, sizes) for sizes in tried), key=find_small(model, 2))


def _example(value: Value, sizes: dict[str, int]) -> torch.Tensor:
    known = []
    for dim in value.shape:
        size = evaluate(dim, sizes)
        if isinstance(size, Expr) or size < 0:
            raise BadInput(f"no size for {value.type}")
        known.append(size)
    return torch.zeros(known, dtype=dtype_of(value.precision))
