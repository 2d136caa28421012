"""Read a `.pt2` file of torch.export.save without PyTorch: container, program JSON, weights."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nnir.collector import paused_collector
from nnir.dim import Dim
from nnir.errors import BadFile, Unsupported
from nnir.mapping import Buffer
from nnir.provenance import Place, place_of
from nnir.types import Precision, TensorType

from ...source import NUMBER, Ref, SourceGraph, SourceModel, SourceNode, SourceValue, refs
from . import schema, structure
from .container import OLD, REEXPORT, Container, refuse
from .dtypes import STRIDED, dimension, precision
from .functional import functional
from .screening import Seen, screen
from .signature import End, Signature, finish_model
from .vmaps import without_vmaps

MAJOR = 8
"""The major version of torch/_export/serde/schema.py; minor ones only add fields."""

EFFECTS = "higher_order.with_effects"
DEEPEST = 40
MEMORY = frozenset(
    f"aten.{name}"
    for name in (
        *("as_strided.default", "as_strided_copy.default", "as_strided_scatter.default"),
        *("sym_storage_offset.default", "sym_stride.default", "sym_stride.int"),
    )
)
"""Operators whose results depend on how their first argument lies in memory."""


def read(data: Buffer) -> SourceModel:
    """The program in `data`; weights are strided views into it."""
    try:
        with paused_collector():
            return _read(Container(data))
    except (KeyError, TypeError, AttributeError, IndexError, StopIteration) as error:
        raise BadFile(f"damaged .pt2 file: {type(error).__name__}: {error}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise BadFile(f"damaged .pt2 file: {error}") from None


def _read(container: Container) -> SourceModel:
    refuse(container)
    programs = [OLD] if OLD in container else container.names("models/", ".json")
    if len(programs) != 1:
        raise Unsupported(f"a .pt2 file with {len(programs)} programs, one is expected")
    name = programs[0].removeprefix("models/").removesuffix(".json")
    seen = Seen()
    program = container.json(programs[0], seen.look_at)
    version = program["schema_version"]["major"]
    if version != MAJOR:
        raise Unsupported(f"a .pt2 file of schema {version!r}, {MAJOR} is known: {REEXPORT}")
    screen(seen)
    weights = Weights(container, name)
    module = program["graph_module"]
    graphs = Graphs()
    graph, mutated = graphs.program(module["graph"])
    inputs, outputs = (_ends(module["signature"][f"{end}_specs"]) for end in ("input", "output"))
    names = structure.output_names(module["module_call_graph"])
    signature = Signature(inputs, outputs, names, mutated)
    ranges = _ranges(program["range_constraints"])
    producer = f"torch {program.get('torch_version', '')}".strip()
    return finish_model(graph, signature, weights, ranges, producer, graphs.places)


class Weights:
    """Parameters, buffers and constants of a program by their full names."""

    def __init__(self, container: Container, program: str) -> None:
        self.container = container
        self.entries: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for folder, kind in (("data/weights/", "weights"), ("data/constants/", "constants")):
            member = f"{folder}{program}_{kind}_config.json"
            if member in container:
                entries = container.json(member)["config"]
                self.entries.update((n, (folder, e)) for n, e in entries.items())

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.entries:
            places = ("data/weights/", "data/constants/", "serialized_")
            if pickles := [p for place in places for p in self.container.names(place, ".pt")]:
                raise Unsupported(f"{name!r} is in {pickles[0]!r}, which is a pickle: {REEXPORT}")
            raise BadFile(f"the .pt2 file has no data for {name!r}")
        folder, entry = self.entries[name]
        if entry["use_pickle"] or not entry.get("tensor_meta"):
            raise Unsupported(
                f"{name!r} is a pickled object (a tensor subclass or a custom class), which could "
                "run code; export the model with plain tensors"
            )
        meta = entry["tensor_meta"]
        if meta["layout"] != STRIDED:
            raise Unsupported(f"{name!r} is a sparse tensor")
        return self.container.tensor(
            folder + entry["path_name"],
            precision(meta["dtype"]).dtype,
            [s["as_int"] for s in meta["sizes"]],
            [s["as_int"] for s in meta["strides"]],
            meta["storage_offset"]["as_int"],
        )


def _ends(specs: list[dict[str, Any]]) -> list[End]:
    """The kind, the name and the target of every input or output of the signature."""
    ends = []
    for spec in specs:
        ((kind, body),) = spec.items()
        argument = body.get("arg", body)
        name: Any = argument.get("name") or next(iter(argument.values()), {})
        if isinstance(name, dict):
            name = name.get("name") or name.get("as_name") or ""
        target = next((v for k, v in body.items() if k.endswith("_name")), None)
        ends.append(End(kind, str(name), target))
    return ends


def _ranges(constraints: Mapping[str, Any]) -> dict[str, tuple[int, int | None]]:
    found = {}
    for name, limits in constraints.items():
        low, high = limits["min_val"], limits["max_val"]
        plain = all(x is None or type(x) is int for x in (low, high))  # True is an int of Python
        if not plain or (low is not None and high is not None and high < low):
            raise BadFile(f"the range of {name!r} is {low!r} to {high!r}")
        if name.isidentifier():  # else an expression, which follows from its symbols
            found[name] = (max(low or 0, 0), high)
    return found


class Strides(Mapping[str, Sequence[Dim]]):
    """The strides of the values of a graph, read when asked for."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values_ = values

    def __getitem__(self, name: str) -> list[Dim]:
        return [size_of(s) for s in self.values_[name]["strides"]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)


class Graphs:
    """Reads graphs; `depth` keeps hostile nesting short."""

    def __init__(self) -> None:
        self.depth = 0
        self.places: dict[str, Place] = {}

    def graph(self, source: Mapping[str, Any], name: str) -> SourceGraph:
        """A graph among the arguments of a node."""
        graph, mutated = self.program(source, name)
        if mutated:
            raise Unsupported(f"the graph {name!r} changes {', '.join(mutated)} in place")
        return graph

    def program(
        self, source: Mapping[str, Any], name: str = ""
    ) -> tuple[SourceGraph, dict[str, SourceValue]]:
        """A graph in functional form, and the new contents of the inputs that it overwrites."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadFile(f"graphs in graphs, more than {DEEPEST} deep")
        types = {n: tensor_type(t) for n, t in source["tensor_values"].items()}
        nodes = [self.node(n, types) for n in source["nodes"]]
        for node in nodes:
            if node.op in MEMORY and node.inputs:
                node.memory = memory_of(source["tensor_values"].get(node.inputs[0]))
        graph = SourceGraph(name, nodes)
        graph.inputs = [_end(a, types, "input") for a in source["inputs"]]
        graph.outputs = [_end(a, types, "output") for a in source["outputs"]]
        self.depth -= 1
        without_vmaps(graph)
        return graph, functional(graph, Strides(source["tensor_values"]))

    def node(self, source: Mapping[str, Any], types: Mapping[str, TensorType]) -> SourceNode:
        op = source["target"].removeprefix("torch.ops.")
        given = [(a["name"], self.argument(a["arg"])) for a in source["inputs"]]
        outputs = [n for o in source["outputs"] for n in _outputs(o)]
        kinds = [types.get(n) for n in outputs]
        made = node_of(op, given, outputs, kinds, _text(source.get("name") or ""))
        self._know_place(made, source.get("metadata"))
        return made

    def _know_place(self, node: SourceNode, told: Any) -> None:
        """Keep where a node was written, of what the file tells of it."""
        if not isinstance(told, Mapping):
            return
        trace, stack = (told.get(key) for key in ("stack_trace", "nn_module_stack"))
        if isinstance(trace, str):
            # entries are key,path,type with semicolons between
            innermost = stack.split(";")[-1].split(",") if isinstance(stack, str) else []
            self.places[node.label] = place_of(trace, innermost[1] if len(innermost) > 1 else "")

    def argument(self, source: Mapping[str, Any]) -> Any:
        """One argument: values as Ref, graphs as SourceGraph, the rest as Python values."""
        ((kind, value),) = source.items()
        if kind == "as_graph":
            return self.graph(value["graph"], value["name"])
        reader = ARGUMENTS.get(kind)
        if reader is None:
            raise Unsupported(f"an argument of kind {kind!r}")
        return reader(value)


def node_of(
    op: str,
    given: list[tuple[str, Any]],
    outputs: list[str],
    types: list[TensorType | None],
    name: str,
) -> SourceNode:
    """A node with its arguments by name, in the order and with the lists that its signature has."""
    if op == EFFECTS:
        op, given, outputs, types = _without_token(given, outputs, types)
    known = schema.find(op)
    if op in schema.HIGHER_ORDER:
        given = _positional(schema.HIGHER_ORDER[op], [a for _, a in given])
    elif op in schema.VMAPS:
        given = [*zip(schema.VMAPS[op], [a for _, a in given], strict=True)]
    arguments = {}
    lengths = {} if known is None else known.lengths
    for key, value in given:
        if key in schema.PLACEMENT:
            if key == "layout" and value not in (None, STRIDED):
                raise Unsupported(f"{op} makes a sparse tensor")
            continue
        if key in lengths and isinstance(value, (int, float)):
            value = [value] * lengths[key]
        arguments[key] = value
    return SourceNode(op, refs(arguments), outputs, arguments, name, types)


def _without_token(
    given: list[tuple[str, Any]], outputs: list[str], types: list[TensorType | None]
) -> tuple[str, list[tuple[str, Any]], list[str], list[TensorType | None]]:
    """The operator that is called in order of its effects; the token orders it in PyTorch."""
    _, (_, op), *rest = given
    known = schema.find(str(op))
    if known is None:
        raise Unsupported(f"an effect of {op}")
    names = [a.name for a in known.arguments]
    named = [(key or name, a) for (key, a), name in zip(rest, [*names, *names], strict=False)]
    return str(op), named, [n for n in outputs[1:] if n], types[1:]


def _positional(names: tuple[str, ...], values: list[Any]) -> list[tuple[str, Any]]:
    if names[-1].startswith("*"):
        fixed = len(names) - 1
        return [*zip(names, values[:fixed], strict=False), (names[-1][1:], values[fixed:])]
    return list(zip(names, values, strict=False))


def tensor_type(source: Mapping[str, Any]) -> TensorType:
    """The type of a value of the graph."""
    return _type_of(precision(source["dtype"]), tuple([size_of(d) for d in source["sizes"]]))


@functools.lru_cache(maxsize=4096)
def _type_of(precision: Precision, sizes: tuple[Dim, ...]) -> TensorType:
    """One for all values of a type, of which programs have few."""
    return TensorType(precision, sizes)


def memory_of(source: Mapping[str, Any] | None) -> tuple[int, ...] | None:
    """Where a tensor begins in its memory, and its strides; None where they may vary."""
    if source is None:
        return None
    found = [size_of(s) for s in (source["storage_offset"], *source["strides"])]
    known = tuple(d for d in found if isinstance(d, int))
    return known if len(known) == len(found) else None


def size_of(source: Mapping[str, Any]) -> Dim:
    """A size: an int or an expression over symbols."""
    if "as_int" in source:
        size = source["as_int"]
        if not isinstance(size, int) or isinstance(size, bool):
            raise BadFile(f"a size of {size!r}")
        return size
    return dimension(source["as_expr"]["expr_str"])


def _end(source: Mapping[str, Any], types: Mapping[str, TensorType], what: str) -> SourceValue:
    """An input or output of a graph; one that is a constant has no name."""
    ((kind, value),) = source.items()
    match kind:
        case "as_tensor":
            return SourceValue(_text(value["name"]), types[value["name"]])
        case "as_sym_int" | "as_sym_bool" | "as_sym_float" if "as_name" in value:
            return SourceValue(_text(value["as_name"]), SYMBOLIC[kind], NUMBER)
        case _ if what == "input" or kind == "as_none":
            return SourceValue("")
    raise Unsupported(f"an {what} of kind {kind!r}")


SYMBOLIC = {
    "as_sym_int": TensorType(Precision.INT64, ()),
    "as_sym_bool": TensorType(Precision.BOOL8, ()),
    "as_sym_float": TensorType(Precision.FLOAT64, ()),
}


def _outputs(source: Mapping[str, Any]) -> list[str]:
    ((kind, value),) = source.items()
    match kind:
        case "as_tensor" | "as_optional_tensor" if "name" in value:
            return [_text(value["name"])]
        case "as_tensors":
            return [_text(v["name"]) for v in value]
        case "as_sym_int" | "as_sym_bool" | "as_sym_float" if "as_name" in value:
            return [_text(value["as_name"])]
        case "as_sym_ints" | "as_sym_bools" | "as_sym_floats":
            return [_text(v.get("as_name", "")) for v in value]
    return [""]


def _text(name: Any) -> str:
    if not isinstance(name, str):
        raise BadFile(f"{str(name)[:80]!r} where a name belongs")
    return name


def _symbolic(value: Mapping[str, Any]) -> Any:
    if "as_name" in value:
        return Ref(value["as_name"])
    return next(iter(value.values()))


def _optional(value: Mapping[str, Any]) -> Any:
    ((kind, inner),) = value.items()
    return None if kind == "as_none" else Ref(inner["name"])


def _many(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda values: [read(v) for v in values]


def _tensor(value: Mapping[str, Any]) -> Ref:
    return Ref(value["name"])


def _plain(value: Any) -> Any:
    return value


ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "as_none": lambda value: None,
    "as_tensor": _tensor,
    "as_tensors": _many(_tensor),
    "as_optional_tensor": _optional,
    "as_optional_tensors": _many(_optional),
    "as_sym_int": _symbolic,
    "as_sym_ints": _many(_symbolic),
    "as_sym_bool": _symbolic,
    "as_sym_bools": _many(_symbolic),
    "as_sym_float": _symbolic,
    "as_sym_floats": _many(_symbolic),
    "as_int": _plain,
    "as_ints": _plain,
    "as_float": float,
    "as_floats": _many(float),
    "as_bool": _plain,
    "as_bools": _plain,
    "as_string": _plain,
    "as_strings": _plain,
    "as_complex": lambda value: complex(value["real"], value["imag"]),
    "as_scalar_type": precision,
    "as_memory_format": _plain,
    "as_layout": _plain,
    "as_operator": lambda value: value.removeprefix("torch.ops."),
    "as_device": lambda value: value["type"],
}
