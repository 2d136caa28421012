"""Cases and answers in a few words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from nnir.types import Precision

from ..case import Case, Const, ModelCase
from ..differences.words import clean, write_array
from ..engines.tflite import Body, Scaled, State
from ..judging.result import CRASH, MEMORY, PASS, SKIP, TIMEOUT
from .asking import Said
from .classify import Kind

MOST = 6
"""So many elements are shown of an array; of a larger one the element in question."""

LONGEST = 160

VERBS = {SKIP: "refuses", TIMEOUT: "never ends", MEMORY: "needs too much memory"}
PLACES = (
    re.compile(r"Exception from \S+:\d+: *"),
    re.compile(r"(?:\w+ )?onnxruntime::[^)]*\)(?: const)?(?: \[with [^\]]*\])? "),
)
"""Where in the source of an engine an error is, which is another place in each version."""


def show_said(said: Said, kind: Kind) -> str:
    """An answer: the element that changed, or the array where that is small."""
    if said.verdict != PASS:
        return why_not(said)
    if len(said.arrays) <= kind.output:
        return f"{len(said.arrays)} results"
    name = f"result {kind.output}: " if kind.output else ""
    return name + show_array(said.arrays[kind.output], kind.index)


def why_not(said: Said) -> str:
    """Why there is no answer."""
    text = said.reason
    for pattern in PLACES:
        text = pattern.sub("", text)
    if said.verdict == CRASH:
        signal = re.search(r"SIG[A-Z]+", text)
        return f"dies: {signal.group() if signal else 'the process ends'}"
    return f"{VERBS.get(said.verdict, said.verdict)}: {clean(text)}"


def show_array(array: np.ndarray, index: tuple[int, ...] | None = None) -> str:
    """Type, shape and a few elements."""
    if array.size <= MOST:
        return f"{array.dtype} {_plain(array)}"
    if index is not None and len(index) == array.ndim and _has(array, index):
        return f"{array.dtype}{list(array.shape)} with {_plain(array[index])} at {list(index)}"
    first = _plain(array.reshape(-1)[:2]).strip("[]")
    return f"{array.dtype}{list(array.shape)} {first} ..."


def _has(array: np.ndarray, index: tuple[int, ...]) -> bool:
    return all(k < size for k, size in zip(index, array.shape, strict=True))


def _plain(array: Any) -> str:
    """Elements as short as they can be told from others of their type."""
    array = np.asarray(array)
    if not array.size:
        return f"nothing (shape {list(array.shape)})"
    if array.dtype.kind in "biu" or array.dtype.kind == "c":
        return write_array(array, signs=True)
    if array.ndim == 0:
        return str(array[()])
    return f"[{', '.join(_plain(part) for part in array)}]"


def show_case(case: Any, kind: Kind) -> str:
    """A case as a call, with the elements of its inputs that matter."""
    if isinstance(case, ModelCase):
        inner = [show_array(a, kind.index) for a in case.inputs]
        text = f"a model of {case.op} ({', '.join(inner)})"
    else:
        text = f"{case.op}({', '.join(_arguments(case, kind))}){_opset(case)}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4].rstrip()} ..."


def _opset(case: Case) -> str:
    return "" if case.opset is None else f", version {case.opset}"


def _arguments(case: Case, kind: Kind) -> Iterator[str]:
    for given in case.inputs:
        if isinstance(given, dict):
            yield from (f"{k}={_argument(v, kind)}" for k, v in given.items())
        else:
            yield _argument(given, kind)
    yield from (f"{k}={_argument(v, kind)}" for k, v in case.attrs.items())


def _argument(given: Any, kind: Kind) -> str:
    match given:
        case np.ndarray():
            return show_array(given, kind.index)
        case Const() | State():
            return show_array(given.array, kind.index)
        case Scaled():
            return f"{show_array(given.array, kind.index)} scaled by {given.scale}"
        case Body():
            return f"a graph of {given.op or 'nothing'}"
        case Precision():
            return given.dtype.name
        case list() | tuple():
            return f"[{', '.join(_argument(g, kind) for g in given)}]"
        case Mapping():
            return ", ".join(f"{k}={_argument(v, kind)}" for k, v in given.items())
    if is_dataclass(given) and not isinstance(given, type):
        inner = (f"{f.name}={_argument(getattr(given, f.name), kind)}" for f in fields(given))
        return f"{type(given).__name__}({', '.join(inner)})"
    return str(given)
