"""One question on which frameworks differ, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from nnir.types import Precision

from ..case import Case, Const
from ..tables import table
from .ask import DEVICES, RUNTIME, STANDARD, Group, Heard
from .question import Question
from .words import round_floats, spoken, write_array

NAMES = {
    "onnx": "ONNX",
    RUNTIME: "ONNX Runtime",
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "tflite": "TFLite",
    "paddle": "Paddle",
    STANDARD: "the standard",
}


def finding(heard: Heard) -> str:
    """One question on which frameworks differ."""
    question = heard.question
    rows = [(_answer(g, question), who(g.voices)) for g in heard.groups]
    given = ", ".join(f"`{show_input(a)}`" for a in question.inputs)
    return (
        f"### {question.title}\n\n`{question.operator}` of {given}\n\n"
        + table(("answer", "who"), rows)
        + f"\n{question.note}\n\n{devices(heard)}\n{question_details(question)}"
    )


def _answer(group: Group, question: Question) -> str:
    text = spoken(group.reply, signs=question.tol.signed_zeros)
    return f"*{text}*" if group.reply.refusal else f"`{text}`"


def who(voices: Iterable[str]) -> str:
    """The names of voices."""
    return ", ".join(NAMES[v] for v in voices)


def devices(heard: Heard) -> str:
    """How our devices stand to every origin."""
    lines = [*_strays(heard), *_devices_on_refusal(heard)]
    if not lines:
        return "Our devices follow.\n"
    first = "Our devices follow, but:" if heard.stray else "Our devices follow."
    return "\n".join([first, "", *lines, ""])


def _strays(heard: Heard) -> list[str]:
    """What does not follow: an origin and a reason a line."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for where, text in heard.stray.items():
        framework, device = where.split()
        reason = heard.question.strays.get(where, "a bug")
        found.setdefault((framework, reason), {})[device] = round_floats(text)
    return [
        f"- **does not follow {NAMES[framework]}** on {_codes(said)}: {reason} "
        f"({'; '.join(dict.fromkeys(said.values()))})"
        for (framework, reason), said in found.items()
    ]


def _devices_on_refusal(heard: Heard) -> list[str]:
    """What our devices do where an origin refuses: frameworks for which it is the same a line."""
    found: dict[str, list[str]] = {}
    for framework in heard.question.cases:
        if heard.replies[framework].refusal:
            said = {d: heard.devices[f"{framework} {d}"] for d in DEVICES}
            each = [f"{_codes([d])} {round_floats(t)}" for d, t in said.items()]
            both = re.sub(r"^(give|refuse)s", r"our devices \1", round_floats(said[DEVICES[0]]))
            text = both if len(set(said.values())) == 1 else ", ".join(each)
            text = re.sub(r" in \w+ node .*", "", text)
            found.setdefault(text, []).append(NAMES[framework])
    return [
        f"- where {', '.join(names)} {'refuse' if len(names) > 1 else 'refuses'}, {text}"
        for text, names in found.items()
    ]


def _codes(names: Iterable[str]) -> str:
    return " and ".join(f"`{n}`" for n in names)


def question_details(question: Question) -> str:
    """The operator of each framework with its arguments, to unfold."""
    rows = [(NAMES[fw], f"`{call(c)}`") for fw, c in question.cases.items()]
    return (
        "<details><summary>How each was asked</summary>\n\n"
        + table(("framework", "operator"), rows)
        + "\n</details>\n"
    )


def call(case: Case) -> str:
    """A case as a call; run-time inputs are `x`, `y` and so on."""
    letters = iter("xyzuvwabcd")
    parts = [_argument(given, letters) for given in case.inputs]
    parts += [f"{k}={_argument(v, letters)}" for k, v in case.attrs.items()]
    opset = "" if case.opset is None else f", opset {case.opset}"
    return f"{case.op}({', '.join(parts)}){opset}"


def _argument(given: Any, letters: Any) -> str:
    if isinstance(given, Precision):
        return given.dtype.name
    if isinstance(given, (list, tuple)):
        return f"[{', '.join(_argument(g, letters) for g in given)}]"
    if isinstance(given, Const):
        return str(given.array.tolist())
    if isinstance(given, float):
        return f"{given:.6g}"
    is_array = isinstance(given, np.ndarray) or hasattr(given, "array")
    return next(letters) if is_array else str(given)


def show_input(given: Any) -> str:
    """An input in words."""
    array = getattr(given, "array", given)
    return f"{array.dtype} {write_array(array, signs=True)}"
