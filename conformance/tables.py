"""Make the tables of the documentation of what the code says: `python -m conformance.tables`.

Nothing in them is written by hand: operators and converters come from their tables, reasons from
the limits and gaps.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

from frontends import nnrt as runtime
from frontends import paddle as pd
from frontends import tensorflow as tf
from frontends import tflite as lite
from frontends import torch
from frontends.onnx import FAMILIES, TABLE
from frontends.paddle.reading.legacy import rules as legacy_ops
from frontends.torch.reading.aliases import ALIASES
from hal.lowering import Lowerings
from nnir.decompositions.impossible import explain_standard
from nnir.formats.nnrt.operations import OPERATIONS
from nnir.operator import Operator
from nnir.ops import OPERATORS
from nnir.staging import replacing

from .case import Limit
from .cases import nnrt as nnrt_cases
from .cases import paddle as paddle_cases
from .cases import paddle_legacy as legacy_cases
from .cases import tensorflow as tensorflow_cases
from .cases import tflite as tflite_cases
from .cases import torch as torch_cases
from .cases.onnx import CASES, LIMITS, MODELS
from .oracles.nnrt_origins import origin_of
from .suites import opinfo_gaps
from .suites.onnx_gaps import GAPS

DOCS = Path(__file__).parents[1] / "docs"
STANDARD = "in the standard's operators"
MICROSOFT, COMPILED = "com.microsoft::", "microsoft_compiled"
NOTE = "<!-- made by `python -m conformance.tables`; do not edit -->\n"


def table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    head = list(columns)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(c) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def support(operator: Operator, lowerings: Lowerings) -> str:
    """How a device runs an operator: "lowered", "decomposed" into others, or "no"."""
    if lowerings.find(operator) is not None:
        return "lowered"
    return "decomposed" if operator.decomposition is not None else "no"


def device_tables() -> dict[str, Lowerings]:
    """The lowerings of every device that has such; torch and OpenVINO are imported for it."""
    names = ("onnxruntime.driver", "openvino.families", "litert.compiler", "torch.families")
    modules = {n.partition(".")[0]: import_module(f"hal.drivers.{n}") for n in names}
    return {name: module.LOWERINGS for name, module in modules.items()}


def operators() -> str:
    """docs/operators.md: the operator set."""
    devices = device_tables()
    rows = [
        (
            f"`{o.name}`",
            o.code,
            o.since,
            o.family,
            f"`{', '.join(o.operands)}`",
            inspect.cleandoc(o.__doc__ or "").splitlines()[0],
            "; ".join(explain_standard(o)),
            *(support(o, lowerings) for lowerings in devices.values()),
        )
        for o in sorted(OPERATORS.values(), key=lambda o: o.code)
    ]
    standard = sum(o.since != "ext" for o in OPERATORS.values())
    text = (
        f"# Operators\n\n{NOTE}\n{standard} operators of the standard (v1: the published "
        f"documents, v1.1: the newest public header) and {len(OPERATORS) - standard} extensions "
        "(codes from 1000). Every operator runs on `builtin`, which is its definition. The column "
        f"'{STANDARD}' says at which level of `to_standard` an extension is written in the others, "
        "with the largest error in units in the last place of FLOAT32 where it is stated (measured "
        "with NumPy's functions), or why it cannot be; the last "
        "columns say how the other devices run it: by an operator of theirs, decomposed into "
        "others, or not at all. `nnadapter ops NAME` prints types, shapes and edges, and "
        "`nnadapter check FILE --device NAME` what a device says of the operations of a model."
        "\n\n"
    )
    columns = ("operator", "code", "since", "family", "operands", "meaning", STANDARD, *devices)
    return text + table(columns, rows)


def onnx() -> str:
    """docs/onnx.md: which ONNX operators are converted, and what is not."""
    counts: Counter[str] = Counter(f"{c.domain}::{c.op}" if c.domain else c.op for c in CASES)
    counts.update(name for model in MODELS for name in model.ops)
    family_of = families(FAMILIES)
    entries = sorted(TABLE.entries.items())
    rows = [
        (f"`{name}`", family_of[name], ", ".join(map(str, sorted(versions))), counts[name])
        for name, versions in entries
        if not name.startswith(MICROSOFT)
    ]
    others = [
        (f"`{name.removeprefix(MICROSOFT)}`", family_of[name], counts[name])
        for name, _ in entries
        if name.startswith(MICROSOFT) and family_of[name] != COMPILED
    ]
    gaps = [(f"`{g.cases}`", g.device or "all", g.why) for g in GAPS]
    return (
        f"# ONNX\n\n{NOTE}\n{len(rows)} operators are converted, for every opset from the one "
        "named. `cases` counts the rows of `conformance/cases/onnx`, each compared with ONNX's own "
        "output on every device. Sequences and optionals may be of any length, as inputs and "
        "outputs too: [ONNX sequences and optionals](sequences.md).\n\n"
        + table(("operator", "family", "converters since opset", "cases"), rows)
        + "\n## Operators of the domain com.microsoft\n\nONNX Runtime's optimiser and its tools "
        f"write them. {len(others)} are converted, compared with what ONNX Runtime gives on a CPU; "
        "buffers that inputs and outputs of Attention share, caches of integers, and parts that "
        "were compiled for one processor (EPContext, Snpe) are refused."
        "\n\n"
        + table(("operator", "family", "cases"), others)
        + limits(LIMITS)
        + "\n## What of the official ONNX backend suite is not passed\n\n"
        + table(("cases (regular expression)", "device", "why"), gaps)
    )


def pytorch() -> str:
    """docs/pytorch_operators.md: which ATen operators are converted, and what is not."""
    counts = Counter(case.op for case in torch_cases.CASES)
    family_of = families(torch.FAMILIES)
    packets: dict[str, list[str]] = {}
    for name in torch.TABLE.entries:
        packet, _, overload = name.rpartition(".")
        packets.setdefault(packet, []).append(overload)
    rows = [
        (
            f"`{packet}`",
            family_of[f"{packet}.{overloads[0]}"],
            ", ".join(sorted(overloads)),
            sum(counts[f"{packet}.{o}"] for o in overloads),
        )
        for packet, overloads in sorted(packets.items())
    ]
    gaps = [
        (
            f"`{g.ops}`",
            g.campaign or "samples",
            ", ".join(g.dtypes) if g.dtypes != opinfo_gaps.EVERY else "all",
            g.why,
        )
        for g in opinfo_gaps.GAPS
    ]
    others = ", ".join(f"`{a}` ({b})" for a, b in sorted(ALIASES.items()))
    return (
        f"# PyTorch operators\n\n{NOTE}\n{len(torch.TABLE.entries)} operators and overloads are "
        "converted, in their own and, where they have one, in their in-place form. `cases` counts "
        "the rows of `conformance/cases/torch`, each compared with PyTorch's own output on every "
        "device.\n\n"
        + table(("operator", "family", "overloads", "cases"), rows)
        + f"\nThe same operators under a second name: {others}.\n"
        + limits(torch_cases.LIMITS)
        + "\n## What of PyTorch's operator samples (OpInfo) is not passed\n\n"
        "`python -m conformance.suites.opinfo` runs them.\n\n"
        + table(("operators (regular expression)", "inputs", "type", "why"), gaps)
    )


def tensorflow() -> str:
    """docs/tensorflow_operators.md: which TensorFlow operators are converted, and what is not."""
    return plain("TensorFlow", tf, tensorflow_cases, "TensorFlow's own output")


def tflite() -> str:
    """docs/tflite_operators.md: which TFLite operators are converted, and what is not."""
    return plain("TFLite", lite, tflite_cases, "LiteRT's own output")


def paddle() -> str:
    """docs/paddle_operators.md: which Paddle operators are converted, and what is not."""
    page = plain("Paddle", pd, paddle_cases, "Paddle's own output")
    counts = Counter(case.op for case in legacy_cases.CASES)
    rows = [(f"`{name}`", counts[name]) for name in sorted(legacy_ops.RULES)]
    return (
        f"{page}\n## Legacy operators\n\nThe {len(rows)} operators of programs from before PIR "
        "share the converters above; `cases` counts the rows of `conformance/cases/paddle_legacy`."
        "\n\n"
        + table(("operator", "cases"), rows)
        + limits(legacy_cases.LIMITS).replace(
            "## Known limits", "## Known limits of legacy operators"
        )
    )


def nnrt() -> str:
    """docs/nnrt_operators.md: NNRt's operations, and whom each is compared with."""
    counts = Counter(case.op for case in nnrt_cases.CASES)
    family_of = families(runtime.FAMILIES)
    rows = [
        (f"`{d.name}`", str(d.code), family_of[d.name], counts[d.name], origin_of(d.name))
        for d in OPERATIONS.values()
    ]
    return (
        f"# NNRt operations\n\n{NOTE}\nAll {len(rows)} operations of NNRt are read, run and "
        "compared with functions of a framework that stands beside them; `cases` counts the rows "
        "of `conformance/cases/nnrt`.\n\n"
        + table(("operation", "code", "family", "cases", "compared with"), rows)
        + limits(nnrt_cases.LIMITS)
    )


def plain(title: str, frontend: ModuleType, known: ModuleType, origin: str) -> str:
    """The page of a frontend whose operators have one version and one name."""
    counts = Counter(case.op for case in known.CASES)
    family_of = families(frontend.FAMILIES)
    own = sorted(n for n in family_of if not n.startswith("legacy."))
    rows = [(f"`{n}`", family_of[n], counts[n] or "models") for n in own]
    return (
        f"# {title} operators\n\n{NOTE}\n{len(rows)} operators are converted. `cases` counts "
        f"the rows of `conformance/cases/{frontend.name}`, each compared with {origin} on "
        "every device; `models` are shown by whole models in the tests.\n\n"
        + table(("operator", "family", "cases"), rows)
        + limits(known.LIMITS)
    )


def families(modules: Iterable[ModuleType]) -> dict[str, str]:
    """The family of every converter."""
    return {n: m.__name__.rpartition(".")[2] for m in modules for n in m.table.entries}


def limits(known: Iterable[Limit]) -> str:
    """The section on limits."""
    rows = [
        (f"`{x.op}`", x.device or "all", x.case or x.dtype or "all cases", x.why) for x in known
    ]
    return (
        "\n## Known limits\n\nEach row must fail exactly as it says, or the tests fail.\n\n"
        + table(("operator", "device", "where", "why"), rows)
    )


PAGES = {
    "operators.md": operators,
    "onnx.md": onnx,
    "pytorch_operators.md": pytorch,
    "paddle_operators.md": paddle,
    "tensorflow_operators.md": tensorflow,
    "tflite_operators.md": tflite,
    "nnrt_operators.md": nnrt,
}


def main() -> None:
    """Write every page."""
    DOCS.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        with replacing(DOCS / name) as file:
            file.write(make().encode())


if __name__ == "__main__":
    main()
