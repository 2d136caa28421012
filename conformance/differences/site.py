"""The differences as one HTML page with filters; it needs no network, only a browser."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..reports import page as report
from .ask import DEVICES, STANDARD, Heard
from .finding import NAMES, call, devices, show_input
from .kinds import KINDS, differing_pairs, kinds_of
from .page import PACKAGES, anchor, heading_of, version_of
from .words import spoken

HERE = Path(__file__).parent
STYLES = (Path(report.__file__).parent / "page.css", HERE / "site.css")


def site(heard: Sequence[Heard], families: Iterable[ModuleType]) -> str:
    """The text of the page."""
    script = (HERE / "site.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    by_title = {h.question.title: h for h in heard}
    sections = [
        (heading_of(m), [describe(by_title[q.title]) for q in m.QUESTIONS if q.title in by_title])
        for m in families
    ]
    return (
        report.environment_of(HERE)
        .get_template("site.html")
        .render(
            sections=sections,
            total=len(heard),
            differing=sum(h.differs for h in heard),
            operators=sorted({h.question.operator for h in heard}),
            kinds=KINDS,
            names=NAMES,
            versions={name: version_of(found) for name, found in PACKAGES.items()},
            devices=DEVICES,
            style="\n".join(p.read_text(encoding="utf-8") for p in STYLES),
            script=script,
            script_hash=digest,
        )
    )


def describe(heard: Heard) -> dict[str, Any]:
    """A question as the page has it."""
    question = heard.question
    voices = [v for v in heard.replies if v != STANDARD]
    return {
        "slug": anchor(question.title),
        "title": question.title,
        "operator": question.operator,
        "inputs": [show_input(a) for a in question.inputs],
        "answers": [
            {
                "text": spoken(group.reply, signs=question.tol.signed_zeros),
                "is_refusal": bool(group.reply.refusal),
                "who": [NAMES[v] for v in group.voices],
            }
            for group in heard.groups
        ],
        "note": question.note,
        "devices": devices(heard).replace("**", "").replace("`", "").strip().splitlines(),
        "follows": not heard.stray,
        "calls": {NAMES[fw]: call(c) for fw, c in question.cases.items()},
        "kinds": kinds_of(heard),
        "voices": voices,
        "pairs": differing_pairs(heard),
        "differs": heard.differs,
    }
