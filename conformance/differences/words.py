"""Answers and messages in words that are the same on every run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

LONGEST = 110
NOISE = (
    (re.compile(r"\{\{function_node .*?\}\} ?"), ""),
    (re.compile(r"\[Op:\w+\].*"), ""),
    (re.compile(r"\(at [^)]*\).*"), ""),
    (re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : "), ""),
    (re.compile(r"Non-zero status code returned while running.*?Status Message: "), ""),
    (re.compile(r"This is an invalid model\. "), ""),
    (re.compile(r"Node number \d+ .*"), ""),
    (re.compile(r"\[Hint: .*"), ""),
    (re.compile(r"0x[0-9a-f]+"), "0x..."),
    (re.compile(r"[\w.+-]*(/[\w.+-]+){2,}:?\d*:?"), ""),
    (re.compile(r"\w+\.cc:\d+ (?:Compute )?"), ""),
    (re.compile(r"^the origin framework refuses: "), ""),
    (re.compile(r" +"), " "),
)
"""What messages of frameworks say about themselves, by which no two runs need agree."""


@dataclass(frozen=True)
class Reply:
    """What one voice says: numbers, or in words why there are none."""

    arrays: tuple[np.ndarray, ...] = ()
    refusal: str = ""


def clean(text: str) -> str:
    """A message without what is of this machine or run, and not too long."""
    for pattern, instead in NOISE:
        text = pattern.sub(instead, text)
    text = text.strip(" -;,")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3].rstrip()}..."


def spoken(reply: Reply, *, signs: bool = False) -> str:
    """A reply in words; floats to six digits."""
    if reply.refusal:
        return f"refuses: {reply.refusal}"
    return ", ".join(write_array(a, signs=signs) for a in reply.arrays)


def write_array(array: np.ndarray, *, signs: bool) -> str:
    """The elements of an array, rows in brackets; `signs`: whether -0 is told from 0."""
    if not array.size:
        return f"nothing (shape {list(array.shape)})"
    if array.ndim == 0:
        return _number(array[()], signs=signs)
    parts: Iterable[str] = (
        (_number(x, signs=signs) for x in array)
        if array.ndim == 1
        else (write_array(row, signs=signs) for row in array)
    )
    return f"[{', '.join(parts)}]"


def _number(value: Any, *, signs: bool) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{value.real:.6g}{value.imag:+.6g}j"
    text = f"{0.0 if value == 0 and not signs else value:.6g}"
    return text if any(c in text for c in ".en") else f"{text}.0"


def round_floats(text: str) -> str:
    """Floats in a message to six digits; results are not numbered where the first is meant."""
    short = re.sub(r"-?\d+\.\d{6,}(e[+-]?\d+)?", lambda m: f"{float(m.group()):.6g}", text)
    return short.removeprefix("output 0: ").removesuffix(".")
