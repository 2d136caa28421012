"""Commands that look at operators and the installation: ops, devices, doctor."""

from __future__ import annotations

import inspect as python_inspect
import platform
import sys
from collections import Counter
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import click

from nnir import sandbox
from nnir.check import check as check_model
from nnir.errors import NNAdapterError, NoDevice, Unsupported, summary
from nnir.model import Model

from .. import api, sources
from ..startup import require_own_packages
from ..terminal import JSON, print_json, show

if TYPE_CHECKING:
    from nnir.operator import Operator

PACKAGES = (
    *("numpy", "ml_dtypes", "onnx", "onnxruntime", "torch", "tensorflow-cpu", "paddlepaddle"),
    *("openvino", "ai-edge-litert"),
)


@click.command()
@click.argument("name", required=False)
@click.option("--frontend", help="List the operators of a framework that are converted.")
@click.option("--standard", help="Run the operations of another standard: nnapi or nnrt.")
@click.option("--todo", is_flag=True, help="Show what the operator has and what it still lacks.")
@click.option("--codes", is_flag=True, help="Show the codes of each family, and the free ones.")
@JSON
def ops(
    name: str | None,
    frontend: str | None,
    standard: str | None,
    todo: bool,
    codes: bool,
    as_json: bool,
) -> None:
    """List the operators, or explain one."""
    if codes:
        _show_codes(as_json)
        return
    if todo and not name:
        raise click.UsageError("--todo is about one operator: nnadapter ops NAME --todo")
    if frontend:
        _frontend_ops(frontend, as_json)
        return
    if standard:
        _standard_ops(standard, as_json)
        return
    table = api.ops()
    if name:
        operator = table.get(name.upper())
        if operator is None:
            raise Unsupported(f"no operator {name!r}; `nnadapter ops` lists them")
        if todo:
            _show_remaining(operator, as_json)
        else:
            _explain(operator)
        return
    rows = [
        (o.name, o.code, o.since, o.family, (o.__doc__ or "").strip().splitlines()[0])
        for o in table.values()
    ]
    columns = ("operator", "code", "since", "family", "meaning")
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        show(columns, rows, f"{len(rows)} operators")


def _show_codes(as_json: bool) -> None:
    """Where a new operator's code is from."""
    from ..scaffold.house import free_codes

    rows = free_codes()
    columns = ("family", "codes", "taken", "next free one")
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        show(columns, rows, "extensions; codes below 1000 are the standard's")


def _show_remaining(operator: Operator[Any], as_json: bool) -> None:
    """Print what there is of an operator, and what is missing."""
    from ..scaffold.remaining import HAS, LACKS, UNKNOWN, remaining

    parts = remaining(operator)
    if as_json:
        print_json([asdict(part) for part in parts])
        return
    counts = Counter(part.state for part in parts)
    words = {HAS: "are there", LACKS: "are missing", UNKNOWN: "are not known"}
    told = ", ".join(f"{counts[state]} {text}" for state, text in words.items() if counts[state])
    title = f"{operator.name}: of {len(parts)} parts {told}"
    show(("part", "there", "what"), [(p.part, p.state, p.what) for p in parts], title)


def _explain(operator: Operator[Any]) -> None:
    """Print what an operator computes, takes and is from."""
    from nnir.decompositions.impossible import explain_standard
    from nnir.ops.meanings import meaning_of, source_of
    from nnir.ops.signatures import signature_of, type_of
    from nnir.plugins import REGISTRY

    owner, _ = REGISTRY.owners().get(operator.name, (None, None))
    click.echo(f"{operator.name} (code {operator.code}, {operator.since})")
    click.echo(f"operands: {', '.join(operator.operands)}")
    click.echo(f"source: {f'the plug-in {owner}' if owner else source_of(operator)}")
    click.echo(f"{signature_of(operator)}\n")
    click.echo(python_inspect.cleandoc(operator.__doc__ or ""))
    for attribute in operator.attributes:
        kind = type_of(operator.signature.parameters[attribute])
        meaning = "" if owner else f": {meaning_of(operator, attribute)}"
        click.echo(f"  {attribute} ({kind}){meaning}")
    for line in explain_standard(operator):
        click.echo(f"in the standard's operators: {line}")


def _frontend_ops(frontend: str, as_json: bool) -> None:
    found = sources.frontends()
    if frontend not in found:
        raise Unsupported(f"no frontend {frontend!r}; installed are {', '.join(found)}")
    entries = found[frontend].supported_operators()
    rows = [(name, ", ".join(map(str, sorted(entries[name])))) for name in sorted(entries)]
    if as_json:
        print_json({name: sorted(entries[name]) for name in sorted(entries)})
    else:
        show(("operator", "converters since version"), rows, f"{len(rows)} operators of {frontend}")


def _standard_ops(name: str, as_json: bool) -> None:
    """The operations of a standard, each against its origin; status 1 where one is wrong."""
    from conformance.standards import find_standard, run_standard

    standard, rows = find_standard(name), run_standard(name)
    good = sum(row.is_conformant for row in rows)
    if as_json:
        print_json([{**asdict(row), "is_conformant": row.is_conformant} for row in rows])
    else:
        cells = [
            (r.operation, "yes" if r.is_conformant else "no", r.cases, r.refused, r.origin, r.worst)
            for r in rows
        ]
        columns = ("operation", "conformant", "cases", "not lowered", "oracle", "worst error")
        show(columns, cells, f"{standard.title}: {good} of {len(rows)} operations")
        for problem in (p for row in rows for p in row.wrong):
            click.echo(problem)
    sys.exit(0 if good == len(rows) else 1)


@click.command()
@JSON
def devices(as_json: bool) -> None:
    """List the installed devices."""
    from hal.runtime import manager
    from hal.runtime.manager import ALIASES

    rows = []
    found_ones = api.devices()
    for name in manager.names():
        found = found_ones.get(name)
        if found is None:
            rows.append((name, "", "", "", "", _state(name)))
            continue
        also = " ".join(alias for alias, device in ALIASES.items() if device == name)
        kind, writes = found.type.name, " ".join(found.formats)
        rows.append((name, also, found.vendor, kind, writes, _state(name)))
    columns = ("device", "also called", "vendor", "type", "writes", "state")
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        show(columns, rows)


def _state(name: str) -> str:
    from hal.runtime import manager

    try:
        manager.acquire(name)
    except NoDevice as error:
        return summary(error)
    return "ready"


@click.command()
@JSON
def doctor(as_json: bool) -> None:
    """Say what is installed and whether the parts work together."""
    from hal.runtime import manager

    try:
        require_own_packages()
    except ImportError as error:
        raise NoDevice(str(error)) from None
    facts: list[tuple[str, str]] = [
        ("python", platform.python_version()),
        ("system", platform.platform()),
    ]
    for package in ("nnadapter", *PACKAGES):
        try:
            facts.append((package, version(package)))
        except PackageNotFoundError:
            facts.append((package, "not installed"))
    facts += [(f"plug-in {p.name}", p.version) for p in api.plugins().values()]
    facts += [(f"device {name}", _state(name)) for name in manager.names()]
    facts += [("sandbox", sandbox.state()), ("self test", _self_test())]
    if as_json:
        print_json(dict(facts))
    else:
        show(("part", "state"), facts)
    sys.exit(0 if facts[-1][1] == "passed" else 1)


def _self_test() -> str:
    """Build, save, load and run one small model in memory."""
    import numpy as np

    from nnir.ops import binary
    from nnir.types import Precision, TensorType

    model = Model("self test")
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [binary.add(x, x)]
    try:
        check_model(model)
        (y,) = api.compile(model)(np.ones(3, np.float32))
    except NNAdapterError as error:
        return f"failed: {summary(error)}"
    return "passed" if np.array_equal(y, np.full(3, 2, np.float32)) else "failed: 1 + 1 is not 2"
