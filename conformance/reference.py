"""The pages of the operator reference, made of the definitions: what the site has for each family.

    python -m conformance.reference FOLDER

Nothing in them is written by hand. The definition says what an operator computes, takes and gives;
the ledgers say which operators of the frameworks become it, and what each device does with their
cases. `mkdocs build` makes them anew every time (`docs/hooks.py`).
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hal.lowering import Lowerings
from nnir.decompositions.impossible import explain_standard
from nnir.operator import Operator
from nnir.ops import OPERATORS
from nnir.ops.meanings import meaning_of, source_of
from nnir.ops.signatures import default_of, signature_of, type_of
from nnir.staging import replacing

from . import ledger
from .judging.result import PASS, REFUSED
from .running.choosing import sources_of
from .tables import DOCS, device_tables, support, table

FRONTENDS = {
    "onnx": "ONNX",
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "tflite": "TFLite",
    "paddle": "Paddle",
    "paddle-legacy": "Paddle 1 and 2",
    "nnapi": "Android NNAPI",
    "nnrt": "NNRt",
}
"""The names of the frameworks as people write them."""

OWN = "nnir"
"""The frontend whose cases are the operators themselves."""

HOW = {
    "lowered": "an operator of its own",
    "decomposed": "decomposed into others",
    "no": "not at all",
}
SECTION = re.compile(r"^(Types|Shapes|Edges): ", re.MULTILINE)
SHOWN = 12


def family_pages() -> dict[str, str]:
    """The pages by their paths in the site, an index first."""
    families: dict[str, list[Operator[Any]]] = {}
    for operator in sorted(OPERATORS.values(), key=lambda o: o.name):
        families.setdefault(operator.family, []).append(operator)
    devices = device_tables()
    pages = {"reference.md": index(families)}
    for family, operators in sorted(families.items()):
        parts = [f"# Operators: {family}", *(describe(o, devices) for o in operators)]
        pages[f"reference/{family}.md"] = "\n\n".join(parts) + "\n"
    return pages


def index(families: dict[str, list[Operator[Any]]]) -> str:
    """The page that lists every operator under its family."""
    rows = [
        (
            f"[{family}](reference/{family}.md)",
            ", ".join(f"[{o.name}](reference/{family}.md#{anchor(o)})" for o in operators),
        )
        for family, operators in sorted(families.items())
    ]
    count = sum(o.since != "ext" for o in OPERATORS.values())
    return (
        f"# Operator reference\n\nThe {count} operators of the standard and "
        f"{len(OPERATORS) - count} extensions (codes from 1000), with everything that the "
        "definitions and the recorded runs of the conformance cases say. `nnadapter ops NAME` "
        "prints the definition; [all operators](operators.md) stand in one table too.\n\n"
        + table(("family", "operators"), rows)
    )


def anchor(operator: Operator[Any]) -> str:
    """Where an operator stands in the page of its family."""
    return operator.name.lower()


def describe(operator: Operator[Any], devices: dict[str, Lowerings]) -> str:
    """The section of an operator."""
    parts = [f"## {operator.name} {{ #{anchor(operator)} }}", *_definition(operator)]
    origins = {frontend: sources_of(operator.name, frontend) for frontend in FRONTENDS}
    rows = [
        (FRONTENDS[frontend], ", ".join(f"`{name}`" for name in found))
        for frontend, found in origins.items()
        if found
    ]
    if rows:
        parts += ["**Converted from**", table(("framework", "operators"), rows)]
    origins[OWN] = sources_of(operator.name, OWN)
    counted = {name: tally(origins, name) for name in ledger.DEVICES}
    parts += ["**Devices**", _devices(operator, devices, counted)]
    parts += _refusals(counted)
    return "\n\n".join(part.strip("\n") for part in parts)


def _definition(operator: Operator[Any]) -> Iterator[str]:
    """What it computes, its signature and its attributes."""
    summary, *sections = split_docstring(inspect.cleandoc(operator.__doc__ or ""))
    yield escape(summary)
    since = "an extension" if operator.since == "ext" else f"the standard, {operator.since}"
    yield f"Code {operator.code}, {since}. Source: {escape(source_of(operator))}."
    yield f"```python\n{signature_of(operator)}\n```"
    yield "\n".join(f"- **{name}**: {escape(text)}" for name, text in sections)
    rows = [
        (
            f"`{name}`",
            f"`{type_of(parameter)}`",
            f"`{default}`" if (default := default_of(parameter)) else "",
            escape(meaning_of(operator, name)),
        )
        for name, parameter in operator.signature.parameters.items()
        if name in operator.attributes
    ]
    if rows:
        yield table(("attribute", "type", "default", "meaning"), rows)
    if ways := explain_standard(operator):
        no = "" if operator.decompositions else "not possible: "
        yield f"In the standard's operators alone: {no}{escape('; '.join(ways))}."


def split_docstring(doc: str) -> list[Any]:
    """What stands before the sections, then each section's name and text."""
    summary, *rest = SECTION.split(doc)
    texts = [" ".join(text.split()) for text in rest[1::2]]
    return [summary.strip(), *zip(rest[::2], texts, strict=True)]


def escape(text: str) -> str:
    """Text in which nothing but `code` is Markdown."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return re.sub(r"([\\`*_<\[\]])", r"\\\1", text)
    return "".join(
        f"`{part}`" if k % 2 else re.sub(r"([\\*_\[\]])", r"\\\1", part).replace("<", "&lt;")
        for k, part in enumerate(parts)
    )


@dataclass
class Tally:
    """What becomes of the cases of an operator on a device."""

    passed: int = 0
    decomposed: int = 0
    others: Counter[str] = field(default_factory=Counter)
    cases: list[tuple[str, str]] = field(default_factory=list)
    """What is refused or a known limit: how, and whose case it is."""


def tally(origins: dict[str, dict[str, ledger.Rows]], device: str) -> Tally:
    """Count the cases of all sources on a device, as their ledgers have them."""
    found = Tally()
    for frontend, ops in origins.items():
        for op, rows in ops.items():
            usual = rows.usual.get(device, PASS)
            _count(found, usual, rows.count - len(rows.others), f"{frontend} {op}")
            for case in rows.others:
                _count(found, rows.of(case, device), 1, f"{frontend} {case}")
    return found


def _count(found: Tally, outcome: str, count: int, case: str) -> None:
    verdict, *rest = outcome.split(" ")
    if count == 0:
        return
    if verdict == PASS:
        found.passed += count
        found.decomposed += count if rest else 0
        return
    how = f"{REFUSED} ({rest[0]})" if verdict == REFUSED and rest else f"known {verdict}"
    found.others[how] += count
    found.cases.append((how, case if count == 1 else f"{case}: {count} cases"))


def _devices(
    operator: Operator[Any], devices: dict[str, Lowerings], counted: dict[str, Tally]
) -> str:
    rows = [
        (
            f"`{name}`",
            HOW[support(operator, devices[name])] if name in devices else "its reference",
            count.passed,
            count.decomposed or "",
            ", ".join(f"{n} {how}" for how, n in sorted(count.others.items())),
        )
        for name, count in counted.items()
    ]
    return table(("device", "runs it by", "cases passed", "of them in parts", "others"), rows)


def _refusals(counted: dict[str, Tally]) -> Iterator[str]:
    """The cases that are refused, folded away."""
    rows = [
        (f"`{device}`", how, _list([f"`{case}`" for h, case in count.cases if h == how]))
        for device, count in counted.items()
        for how in sorted(count.others)
    ]
    if rows:
        body = table(("device", "what", "cases"), rows)
        indented = "".join(f"    {line}\n" for line in body.splitlines())
        yield f'??? note "Where it is refused or limited"\n\n{indented}'


def _list(names: Iterable[str]) -> str:
    every = list(names)
    more = f", and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(every[:SHOWN]) + more


def main() -> None:
    """Write the pages into a folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS.parent / "build"
    for name, text in family_pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(text.encode())


if __name__ == "__main__":
    main()
