"""Calibration data: what a user hands over, as arrays for each call of a model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hal.runtime.fitting import fit_arrays, ranges_of
from nnir.broadcast import text
from nnir.errors import BadFile, BadInput, Unsupported
from nnir.model import Model
from nnir.types import TensorType

from ..arrays import SUFFIX, read_array, read_arrays

Sample = list[np.ndarray]
"""One array for each input of a model, in its order."""

Data = str | os.PathLike[str] | Iterable[Any]

ARCHIVE = ".npz"
FORMS = (
    "an .npz file with an array for each input, cut along its first axis; a folder of .npz files "
    "(or .npy files, for a model of one input), one for each call; in Python also a list of "
    "dictionaries, tuples or arrays"
)


RANDOM = "random"
"""In place of data: numbers that no model was made for, to see that the rest works."""

FEW = 8


def require_stateless(model: Model, verb: str) -> None:
    """Unsupported for a model whose results depend on calls before, which samples do not say."""
    if model.states:
        names = ", ".join(state.name for state in model.states)
        raise Unsupported(
            f"the model keeps {names} from call to call: {verb} it with state='explicit' "
            "(--state explicit) and data for these inputs too"
        )


def is_random(data: Data) -> bool:
    """Whether random numbers are asked for in place of data."""
    return isinstance(data, str) and data == RANDOM and not Path(data).exists()


def read_samples(model: Model, data: Data) -> list[Sample]:
    """The calls of a model that calibration data stands for.

    Raises BadInput for data that does not fit the model, BadFile for files that cannot be read.
    """
    if is_random(data):
        from conformance.verifying.inputs import random_inputs

        return [random_inputs(model, seed) for seed in range(FEW)]
    if isinstance(data, (str, os.PathLike)):
        found = _read_path(model, Path(data))
    else:
        found = [_sample_of(model, each) for each in data]
    if not found:
        raise BadInput(f"no calibration data in {data!r:.80}; it is {FORMS}")
    types, ranges = [(v.name or "", v.type) for v in model.inputs], ranges_of(model)
    return [list(fit_arrays(sample, types, ranges)) for sample in found]


def _read_path(model: Model, path: Path) -> list[Sample]:
    if path.is_dir():
        files = sorted(p for p in path.iterdir() if p.suffix in (ARCHIVE, SUFFIX))
        return [_sample_of(model, _read_file(p)) for p in files]
    if not path.exists():
        raise BadFile(f"no such file: {str(path)!r}")
    if path.suffix not in (ARCHIVE, SUFFIX):
        raise BadInput(f"calibration data in {str(path)!r}; it is {FORMS}")
    return _cut(model, _sample_of(model, _read_file(path)))


def _read_file(path: Path) -> dict[str, np.ndarray] | np.ndarray:
    return read_array(path) if path.suffix == SUFFIX else read_arrays(path)


def _sample_of(model: Model, given: Any) -> Sample:
    """Arrays in the order of the inputs: by name, else by place where none is mistaken."""
    names = [v.name or "" for v in model.inputs]
    if isinstance(given, Mapping):
        if set(names) <= set(given):
            return [np.asarray(given[n]) for n in names]
        if len({len(given), len(names), 1}) > 1 and not all(map(_is_number, given)):
            raise BadInput(f"data for {', '.join(map(str, given))}; inputs are {', '.join(names)}")
        given = list(given.values())
    arrays = list(given) if isinstance(given, (tuple, list)) else [given]
    if len(arrays) != len(names):
        raise BadInput(f"{len(arrays)} arrays for {len(names)} inputs: {', '.join(names)}")
    return [np.asarray(a) for a in arrays]


def _is_number(name: str) -> bool:
    """Whether NumPy gave the name: arr_0, arr_1, ..."""
    return str(name).startswith("arr_")


def _cut(model: Model, arrays: Sample) -> list[Sample]:
    """Arrays with many calls in their first axis, one after the other; BadInput if they have not
    equally many."""
    sizes = [_size_of_call(v.type, a) for v, a in zip(model.inputs, arrays, strict=True)]
    counts = {len(a) // size if size else len(a) for a, size in zip(arrays, sizes, strict=True)}
    if len(counts) != 1:
        have = ", ".join(
            f"{v.name} {list(a.shape)}" for v, a in zip(model.inputs, arrays, strict=True)
        )
        raise BadInput(f"the inputs have different numbers of samples: {have}")
    (count,) = counts
    return [
        [
            a[k * size : (k + 1) * size] if size else a[k]
            for a, size in zip(arrays, sizes, strict=True)
        ]
        for k in range(count)
    ]


def _size_of_call(type: TensorType, array: np.ndarray) -> int:
    """How much of the first axis one call takes; 0 where that axis only counts calls."""
    rank = len(type.shape)
    if array.ndim == rank + 1:
        return 0
    if array.ndim != rank or not rank:
        raise BadInput(f"data of {array.dtype}{list(array.shape)} for {type}")
    first = type.shape[0]
    size = first if isinstance(first, int) else 1
    if not size or len(array) % size:
        raise BadInput(
            f"data of {array.dtype}{list(array.shape)} for {text(type.shape)}: the first axis is "
            f"no multiple of {size}"
        )
    return size
