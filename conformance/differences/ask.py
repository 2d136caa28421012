"""Asks every framework a question, and our devices whether they follow each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.errors import FAILURES, summary
from nnir.ops import OPERATORS

from ..case import EXACT, Case, Tolerance
from ..cases.nnir.direct import DirectCase
from ..engines.engine import Engine
from ..judging.compare import compare
from ..oracles.oracle import Oracle
from ..processes.worker import Lost
from .question import FRAMEWORKS, Question
from .words import Reply, clean, spoken

DEVICES = ("builtin", "onnxruntime")
RUNTIME, STANDARD = "onnxruntime", "standard"
"""Two more voices: ONNX Runtime on ONNX's case, and the reference of the standard's operator."""

FOLLOWS = "follows"


@dataclass(frozen=True)
class Group:
    """Voices with one answer."""

    reply: Reply
    voices: tuple[str, ...]


@dataclass
class Heard:
    """A question with every reply, and how each device stands to each framework's."""

    question: Question
    replies: dict[str, Reply] = field(default_factory=dict)
    devices: dict[str, str] = field(default_factory=dict)

    @property
    def groups(self) -> list[Group]:
        """Voices by equal answers, in the order in which they were first given."""
        found: list[tuple[Reply, list[str]]] = []
        for voice, reply in self.replies.items():
            for first, voices in found:
                if agree(first, reply, self.question.tol):
                    voices.append(voice)
                    break
            else:
                found.append((reply, [voice]))
        return [Group(reply, tuple(voices)) for reply, voices in found]

    @property
    def differs(self) -> bool:
        """Whether at least two frameworks do, unless all refuse; the standard alone does not."""
        if all(reply.refusal for voice, reply in self.replies.items() if voice != STANDARD):
            return False
        return sum(set(g.voices) != {STANDARD} for g in self.groups) > 1

    @property
    def stray(self) -> dict[str, str]:
        """What a device does instead of following, by "framework device"."""
        refused = {fw for fw, reply in self.replies.items() if reply.refusal}
        return {
            where: text
            for where, text in self.devices.items()
            if text != FOLLOWS and where.split()[0] not in refused
        }


def agree(a: Reply, b: Reply, tolerance: Tolerance) -> bool:
    """Whether two voices say the same; two that refuse are two answers."""
    if a.refusal or b.refusal or len(a.arrays) != len(b.arrays):
        return False
    with np.errstate(all="ignore"):
        return all(
            compare(mine, theirs, tolerance if mine.dtype.kind in "fc" else EXACT).problem is None
            for mine, theirs in zip(a.arrays, b.arrays, strict=True)
        )


def to_shared_form(array: np.ndarray) -> np.ndarray:
    """An array as frameworks share it: without axes of size 1, in the widest type of its kind.

    Thus images of one channel are the same in all layouts.
    """
    kind = array.dtype.kind
    wide = {"b": np.bool_, "i": np.int64, "u": np.int64, "c": np.complex128}.get(kind, np.float64)
    array = array.astype(wide)
    return array.squeeze() if array.size else array


def listen(questions: Sequence[Question]) -> list[Heard]:
    """Every question to every framework, one framework after the other."""
    heard = [Heard(q) for q in questions]
    for framework in FRAMEWORKS:
        engine: Engine[Any] = import_module(f"conformance.engines.{framework}").ENGINE
        with Oracle(engine.worker, timeout=120) as oracle:
            for one in heard:
                if framework in one.question.cases:
                    _ask(one, framework, engine, oracle)
    for one in heard:
        if one.question.standard is not None:
            one.replies[STANDARD] = standard(one.question)
    return heard


def _ask(heard: Heard, framework: str, engine: Engine[Any], oracle: Oracle) -> None:
    """One framework, and ONNX Runtime beside ONNX."""
    case = heard.question.case(framework)
    view = heard.question.views.get(framework, list)
    reply = ask(engine, case, oracle)
    heard.replies[framework] = view_of(reply, view)
    heard.devices |= {f"{framework} {d}": stance(engine, case, d, oracle, reply) for d in DEVICES}
    if framework == "onnx" and case.oracle == "reference":
        heard.replies[RUNTIME] = view_of(ask(engine, replace(case, oracle=RUNTIME), oracle), view)


def view_of(reply: Reply, view: Callable[[list[np.ndarray]], list[np.ndarray]]) -> Reply:
    """What of a reply is the answer."""
    return reply if reply.refusal else Reply(tuple(map(to_shared_form, view(list(reply.arrays)))))


def ask(engine: Engine[Any], case: Case, oracle: Oracle) -> Reply:
    """A framework's reply."""
    try:
        results = engine.ask(case, oracle).results[: case.read]
    except Lost as lost:
        signal = re.search(r"SIG[A-Z]+", str(lost))
        return Reply(refusal=f"the process dies ({signal.group() if signal else lost.kind})")
    except FAILURES as error:
        return Reply(refusal=clean(summary(error)))
    return Reply(tuple(results))


def stance(engine: Engine[Any], case: Case, device: str, oracle: Oracle, reply: Reply) -> str:
    """Whether our conversion on a device follows the framework, or what it does instead."""
    try:
        if reply.refusal:
            got = engine.refused(case, device, oracle)
            return f"gives {spoken(Reply(tuple(map(to_shared_form, got))))}"
        answer = engine.ask(case, oracle)
        with np.errstate(all="ignore"):
            problem = engine.outcome(case, device, answer).problem
    except FAILURES as error:
        return f"refuses: {type(error).__name__}: {clean(summary(error))}"
    return FOLLOWS if problem is None else problem


def standard(question: Question) -> Reply:
    """What the standard's own operator gives."""
    case = DirectCase(OPERATORS[question.operator], question.inputs, dict(question.standard or {}))
    try:
        with Program(case.model(), "builtin") as program:
            return Reply(tuple(map(to_shared_form, program(*case.arrays()))))
    except FAILURES as error:
        return Reply(refusal=clean(summary(error)))


def strays_of(heard: Iterable[Heard]) -> Mapping[str, dict[str, str]]:
    """What does not follow, by question."""
    return {h.question.title: h.stray for h in heard if h.stray}
