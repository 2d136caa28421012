"""The signatures of PyTorch's operators, as data: see `make_schemas.py`."""

from __future__ import annotations

import functools
import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from nnir.records import dataclass

FILE = Path(__file__).with_name("schemas.json")
OUTS = Path(__file__).with_name("outs.json")
"""Operators that put their results into tensors they are given, and those that return them."""

HIGHER_ORDER: dict[str, tuple[str, ...]] = {
    "higher_order.cond": ("pred", "true_fn", "false_fn", "operands"),
    "higher_order.while_loop": ("cond_fn", "body_fn", "carried_inputs", "additional_inputs"),
    "higher_order.scan": ("combine_fn", "init", "xs", "additional_inputs"),
    "higher_order.associative_scan": ("combine_fn", "xs", "additional_inputs"),
    "higher_order.map_impl": ("f", "xs", "pos_args"),
    "higher_order.wrap_with_set_grad_enabled": ("enable_grad", "wrapped_func", "*args"),
    "higher_order.wrap_with_autocast": (
        *("device_type", "dtype", "enabled", "cache_enabled", "wrapped_func", "*args"),
    ),
    "higher_order.invoke_subgraph": ("subgraph", "identifier", "*operands"),
}
"""Operators over graphs have no signature; the names of their arguments in order."""

_FUNCTORCH = "torch._functorch.predispatch."
VMAPS: dict[str, tuple[str, ...]] = {
    _FUNCTORCH + "_vmap_increment_nesting": ("size", "randomness"),
    _FUNCTORCH + "_vmap_decrement_nesting": (),
    _FUNCTORCH + "_add_batch_dim": ("input", "axis", "level"),
    _FUNCTORCH + "_remove_batch_dim": ("input", "level", "size", "axis"),
    _FUNCTORCH + "lazy_load_decompositions": (),
}
"""Functions of Python that exports keep of `torch.vmap`, and their arguments in order."""

PLACEMENT = frozenset({"layout", "device", "pin_memory", "memory_format", "non_blocking"})
"""Arguments that say where a tensor lies, and change no element."""

_ARGUMENT = re.compile(
    r"(?P<type>\w+)(?P<alias>\([^)]*\))?(?P<rest>[\[\]\d?]*(?:\([^)]*\))?[\[\]\d?]*)"
    r" (?P<name>\w+)(?:=(?P<default>.*))?"
)
NO_DEFAULT = object()


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter of an operator; `length` is the size of a list that one number stands for."""

    name: str
    type: str
    alias: str
    length: int | None
    default: Any
    is_keyword: bool

    @property
    def is_written(self) -> bool:
        """Whether the operator overwrites it."""
        return "!" in self.alias


@dataclass(frozen=True)
class Schema:
    """A signature: the parameters in order, and for each result the alias set it belongs to."""

    arguments: tuple[Argument, ...]
    results: tuple[str, ...]
    types: tuple[str, ...] = ()
    """Of the results."""

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """The names of the arguments that may be given by their places."""
        return tuple(a.name for a in self.arguments if not a.is_keyword)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The names of the arguments that have no default."""
        return frozenset(a.name for a in self.arguments if a.default is NO_DEFAULT)

    @cached_property
    def lengths(self) -> dict[str, int]:
        """The sizes of the lists that one number stands for, by the names of the arguments."""
        return {a.name: a.length for a in self.arguments if a.length}

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The names of the arguments that the operator overwrites."""
        return tuple(a.name for a in self.arguments if a.is_written)

    @cached_property
    def viewed(self) -> str | None:
        """The argument that the results are views of, where there is one."""
        for argument in self.arguments:
            if argument.alias and not argument.is_written and any(self.results):
                return argument.name
        return None


@functools.cache
def _texts() -> dict[str, str]:
    texts: dict[str, str] = json.loads(FILE.read_text())
    return texts


@functools.cache
def _functions() -> dict[str, list[str]]:
    """The function of each operator that is given tensors for its results, and their names."""
    functions: dict[str, list[str]] = json.loads(OUTS.read_text())
    return functions


def function_of(op: str) -> str | None:
    """The operator that returns what `op` puts into tensors it is given; None for any other."""
    found = _functions().get(op)
    return found[0] if found else None


def names() -> list[str]:
    """All operators that have a signature."""
    return [*_texts(), *_functions()]


@functools.cache
def find(op: str) -> Schema | None:
    """The signature of `aten.conv2d.default` and the like; None for what is not known."""
    text = _texts().get(op)
    if text is not None:
        return parse(text)
    if op not in _functions():
        return None
    function, *names = _functions()[op]
    known = parse(_texts()[function])
    outs = (Argument(n, "Tensor", "(!)", None, NO_DEFAULT, is_keyword=True) for n in names)
    return Schema((*known.arguments, *outs), known.results, known.types)


def parse(text: str) -> Schema:
    """Read a signature such as `(Tensor(a!) self, int[2] stride=1, *, int? dim=None) -> Tensor`."""
    inside, _, results = text.rpartition(" -> ")
    arguments = []
    is_keyword = False
    for part in _split(inside.strip()[1:-1]):
        if part == "*":
            is_keyword = True
        elif part != "...":
            arguments.append(_argument(part, is_keyword=is_keyword))
    outputs = results[1:-1] if results.startswith("(") else results
    parts = _split(outputs)
    aliases = [re.search(r"\(([^)]*)\)", r) for r in parts]
    types = [re.sub(r"\([^)]*\)", "", r).partition(" ")[0] for r in parts]
    return Schema(tuple(arguments), tuple(a[1] if a else "" for a in aliases), tuple(types))


def _argument(part: str, *, is_keyword: bool) -> Argument:
    found = _ARGUMENT.fullmatch(part)
    if found is None:
        raise ValueError(f"cannot read the parameter {part!r}")
    rest = found["rest"]
    alias = found["alias"] or "".join(re.findall(r"\([^)]*\)", rest))
    kind = found["type"] + re.sub(r"\([^)]*\)", "", rest)
    size = re.search(r"\[(\d+)\]", rest)
    return Argument(
        name=found["name"],
        type=kind,
        alias=alias,
        length=int(size[1]) if size else None,
        default=_default(found["default"], kind, int(size[1]) if size else None),
        is_keyword=is_keyword,
    )


def _default(text: str | None, kind: str, length: int | None) -> Any:
    if text is None:
        return NO_DEFAULT
    value: Any
    match text:
        case "None":
            return None
        case "True" | "False":
            return text == "True"
        case _ if text.startswith("["):
            items = [_default(t.strip(), kind, None) for t in text[1:-1].split(",") if t.strip()]
            return tuple(items)
        case _ if text[0] in "\"'":
            return text[1:-1]
    try:
        value = int(text)
    except ValueError:
        try:
            value = float(text)
        except ValueError:
            return text
    if kind.startswith("float"):
        value = float(value)
    return (value,) * length if length else value


def _split(text: str) -> list[str]:
    """The parts between commas that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "," and not depth:
            parts.append(text[start:position].strip())
            start = position + 1
    tail = text[start:].strip()
    return [*parts, tail] if tail else parts
