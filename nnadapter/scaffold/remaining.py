"""What an operator has and what it still lacks: for `nnadapter ops NAME --todo`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from inspect import unwrap
from pathlib import Path
from typing import Any

from conformance.running.choosing import kept, sources_of
from frontends.families import LateTable
from hal.lowering import Bound
from hal.runtime import manager
from nnir.decompositions.impossible import explain_standard
from nnir.errors import NoDevice, describe
from nnir.operator import Operator
from nnir.ops.meanings import ATTRIBUTES
from nnir.plugins import REGISTRY
from nnir.records import dataclass

from .signature import NEWEST

FRONTENDS = ("onnx", "torch", "tensorflow", "tflite", "paddle")
STUB = "NotImplementedError"
HAS, LACKS, UNKNOWN = "yes", "no", "not known"
UNSAID = "say what it means, its unit and what is accepted"
"""What the table of meanings has of an attribute that nobody has described yet."""

NEW = "Say in one line what it computes."
"""What stands in the docstring of an operator that nobody has described yet."""

MOST = 6


@dataclass(frozen=True)
class Part:
    """A part of an operator: whether it is there ("yes", "no", "not known"), and what of it."""

    part: str
    state: str
    what: str = ""


def remaining(operator: Operator[Any]) -> list[Part]:
    """The parts of an operator in the order in which they are written."""
    return [
        *_definition(operator),
        *(_converters(operator, frontend) for frontend in FRONTENDS),
        *(_lowering(operator, device) for device in manager.names()),
        *_cases(operator),
    ]


def _definition(operator: Operator[Any]) -> Iterator[Part]:
    yield Part("type rule", *_state_of(operator.rule))
    yield Part("reference", *_state_of(operator.reference))
    first = (operator.__doc__ or "").strip().partition("\n")[0]
    yield Part("documentation", LACKS if first in ("", NEW) else HAS, first)
    unsaid = [a for a in operator.attributes if _is_unsaid(operator, a)]
    if operator.attributes:
        said = ", ".join(operator.attributes)
        text = f"not said yet: {', '.join(unsaid)}" if unsaid else said
        yield Part("meaning of attributes", LACKS if unsaid else HAS, text)
    ways = ", ".join(way.level for way in operator.decompositions)
    why = "" if operator.since != "ext" else "; ".join(explain_standard(operator))
    yield Part("decomposition", HAS if ways else LACKS, ways or why)


def _is_unsaid(operator: Operator[Any], attribute: str) -> bool:
    """Whether the table of meanings has a stub; a plug-in says it in the operator's docstring."""
    return ATTRIBUTES.get(f"{operator.name}.{attribute}") == UNSAID


def _state_of(function: Any) -> tuple[str, str]:
    """Whether a function is written, and where it stands."""
    code = getattr(unwrap(function), "__code__", None)
    if code is None:
        return HAS, ""
    place = f"{Path(code.co_filename).name}:{code.co_firstlineno}"
    return (LACKS if STUB in code.co_names else HAS), place


def _converters(operator: Operator[Any], frontend: str) -> Part:
    """The operators of a source that are converted to it, or mostly to it."""
    names = dict.fromkeys(_of_plugins(operator, frontend), HAS)
    stubs = [n for n, is_stub in _of_plugins(operator, frontend).items() if is_stub]
    names |= dict.fromkeys(sources_of(operator.name, frontend), HAS)
    names |= dict.fromkeys(_not_kept(operator, frontend), HAS)
    part = f"converters of {frontend}"
    if stubs:
        return Part(part, LACKS, f"not written yet: {', '.join(stubs)}")
    shown = [*names][:MOST]
    more = f", and {len(names) - MOST} more" if len(names) > MOST else ""
    return Part(part, HAS if names else LACKS, ", ".join(shown) + more)


def _not_kept(operator: Operator[Any], frontend: str) -> Iterator[str]:
    """The operators of our own tables that no run was kept of yet, and that are just this one."""
    table = LateTable(f"frontends.{frontend}")
    for name in table.families.get(operator.family, ()):
        if name not in kept(frontend):
            found = table.find(name, NEWEST)
            if found is not None and found.function is operator:
                yield name


def _of_plugins(operator: Operator[Any], frontend: str) -> Mapping[str, bool]:
    """The converters that its plug-in brings, and which of them are stubs."""
    owner, _ = REGISTRY.owners().get(operator.name, (None, None))
    found: dict[str, bool] = {}
    for plugin, table in REGISTRY.of("converters", frontend):
        for name, versions in table.entries.items():
            functions = [c.function for c in versions.values()]
            if plugin is owner and (len(plugin.operators) == 1 or operator in functions):
                found[name] = any(_state_of(f)[0] == LACKS for f in functions)
    return found


def _lowering(operator: Operator[Any], name: str) -> Part:
    """How a device runs it."""
    part = f"on {name}"
    try:
        table = manager.find(name)().lowerings()
    except NoDevice as error:
        return Part(part, UNKNOWN, describe(error))
    except ImportError as error:
        return Part(part, UNKNOWN, f"it needs the package {error.name}, which is not installed")
    if table is None:
        is_written = _state_of(operator.reference)[0] == HAS
        known = Part(part, HAS if is_written else LACKS, "by its reference")
        return known if name == "builtin" else Part(part, UNKNOWN)
    found = table.find(operator)
    if found is None:
        has_one = bool(operator.decompositions)
        return Part(part, HAS if has_one else LACKS, "by its decomposition" if has_one else "")
    return Part(part, *_state_of(found.function if isinstance(found, Bound) else found))


def _cases(operator: Operator[Any]) -> Iterator[Part]:
    """How many cases each frontend has of it; "nnir" are those of the operator itself."""
    is_there = find_spec("conformance.cases") is not None
    for frontend in ("nnir", *FRONTENDS):
        if not is_there:
            yield Part(f"cases of {frontend}", UNKNOWN, "pip install 'nnadapter[conform]'")
            continue
        count = sum(rows.count for rows in sources_of(operator.name, frontend).values())
        if not count and frontend == "nnir":
            from conformance.cases.nnir import CASES  # takes a while

            count = sum(case.operator is operator for case in CASES)
        names = {operator.name, *_of_plugins(operator, frontend)}
        count += sum(case.op in names for case in REGISTRY.cases_of(frontend))
        yield Part(f"cases of {frontend}", HAS if count else LACKS, f"{count}" if count else "")
