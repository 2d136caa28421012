"""Read a PIR program (`.json` of paddle.jit.save in Paddle 3) without Paddle.

Source: paddle/fluid/pir/serialize_deserialize, whose `schema.h` names the keys. Dialects are
numbers there: 0 builtin, 1 pd_op, 2 cf, 3 custom_op, 4 dist.
"""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.budget import beside, require_document
from nnir.collector import paused_collector
from nnir.dim import symbol
from nnir.errors import DAMAGE, BadFile, BadModel, Unsupported, describe
from nnir.mapping import map_file
from nnir.types import Precision, TensorType

from ...source import Ref, SourceGraph, SourceModel, SourceNode, SourceValue, dims, refs
from . import opdefs, params

DIALECTS = {"0": "builtin", "1": "pd_op", "2": "cf", "3": "custom_op", "4": "dist"}
NEWEST = 4
"""The version of the programs that this reader was tested on; Paddle 3.3 writes it."""

TYPES = {
    "t_bool": Precision.BOOL8,
    "t_i8": Precision.INT8,
    "t_ui8": Precision.UINT8,
    "t_i16": Precision.INT16,
    "t_ui16": Precision.UINT16,
    "t_i32": Precision.INT32,
    "t_ui32": Precision.UINT32,
    "t_i64": Precision.INT64,
    "t_ui64": Precision.UINT64,
    "t_f16": Precision.FLOAT16,
    "t_bf16": Precision.BFLOAT16,
    "t_f32": Precision.FLOAT32,
    "t_f64": Precision.FLOAT64,
    "t_c64": Precision.COMPLEX64,
    "t_c128": Precision.COMPLEX128,
    "t_f8e4m3fn": Precision.FLOAT8E4M3FN,
    "t_f8e5m2": Precision.FLOAT8E5M2,
}
NAMED = {"bool": Precision.BOOL8} | {p.name.lower(): p for p in Precision if not p.is_quantized}
"""Element types as attributes call them."""

DEEPEST = 60
LAYER = "struct_name"
TOLD = frozenset(
    {
        *("chunk_id", "comp_op_name", "is_persistable", "op_callstack", "op_device"),
        *("op_namescope", "op_role", "op_role_var", "persistable", "stop_gradient"),
        *(LAYER, "sym_shape_str", "with_quant_attr"),
    }
)
"""Attributes that say where an operator comes from or who runs it, not what it does."""

LONGEST = 100_000
"""A list has at most so many tensors."""

Entry = Ref | list[Ref | None] | None


def is_pir(head: bytes) -> bool:
    """Whether a file begins as a PIR program."""
    return head.lstrip().startswith(b"{") and b'"pir"' in head


def read(path: Path, parameters: Path | None = None) -> SourceModel:
    """The program in a file; its weights are views into the parameters beside it."""
    try:
        with paused_collector():
            data = map_file(path)
            require_document(len(data), f"the program {path.name!r}")
            beside_it = path.with_suffix(".pdiparams").name
            return Reader(json.loads(bytes(data))).read(
                parameters or beside(path.parent, beside_it)
            )
    except UnicodeDecodeError:
        raise BadFile(f"damaged program: {path.name!r} is no text") from None
    except json.JSONDecodeError as error:
        raise BadFile(f"damaged program: no JSON at byte {error.pos}: {error.msg}") from None
    except DAMAGE as error:
        raise BadFile(f"damaged program: {describe(error)}") from None


class Reader:
    """Decodes the operations of a program."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        head = document["base_code"]
        if head.get("magic") != "pir":
            raise BadFile("no PIR program: its magic word is missing")
        self.version = int(head["version"])
        if self.version > NEWEST:
            warnings.warn(
                f"a PIR program of version {self.version}; tested up to {NEWEST}", stacklevel=5
            )
        (self.region,) = document["program"]["regions"]
        self.entries: dict[int, Entry] = {}
        self.declared: dict[str, tuple[Precision | None, tuple[int, ...]]] = {}
        self.inputs: list[SourceValue] = []
        self.fetched: list[tuple[int, str, str]] = []

    def read(self, parameters: Path) -> SourceModel:
        """The whole program."""
        graph = self._graph(self.region, "program", 0)
        graph.inputs = self.inputs
        graph.outputs = [
            SourceValue(name, called=called)
            for _, called, name in sorted(self.fetched, key=lambda f: f[0])
        ]
        forget(graph, read_names(graph))
        graph.weights = params.read_combined(parameters, self.declared)
        producer = {"producer": f"paddle PIR {self.version}"}
        return SourceModel("paddle", graph, {"": 1}, metadata=producer)

    def _graph(self, region: Mapping[str, Any], name: str, depth: int) -> SourceGraph:
        """A region of one block."""
        if depth > DEEPEST:
            raise BadModel(f"regions in regions, more than {DEEPEST} deep")
        graph = SourceGraph(name)
        blocks = region["blocks"]
        if len(blocks) != 1:
            raise Unsupported(f"a region of {len(blocks)} blocks")
        for argument in blocks[0].get("args", ()):
            number, called = int(argument["#"]), f"{name}/arg{abs(int(argument['#']))}"
            self.entries[number] = Ref(called)
            graph.inputs.append(SourceValue(called))
        for operation in blocks[0]["ops"]:
            self._operation(operation, graph, depth)
        return graph

    def _operation(self, operation: Mapping[str, Any], graph: SourceGraph, depth: int) -> None:
        label = operation["#"]
        if label == "p":
            self._parameter(operation)
            return
        dialect, _, name = label.partition(".")
        if dialect not in DIALECTS or not name:
            raise BadFile(f"the operation {str(label)[:60]!r} is of no known dialect")
        given = [self._entry(v) for v in operation.get("I", ())]
        told = [(a["N"], a["AT"]) for a in operation.get("A", ())]
        attributes = {n: attribute(a) for n, a in told if n not in TOLD}
        results = list(operation.get("O", ()))
        match DIALECTS[dialect], name:
            case "pd_op", "data":
                self._input(attributes, results[0])
            case "pd_op", "fetch":
                entry = given[0]
                if not isinstance(entry, Ref):
                    raise Unsupported("a program that returns a list of tensors")
                if not isinstance(attributes["name"], str):
                    raise BadFile(f"an output is called {str(attributes['name'])[:60]!r}")
                self.fetched.append((int(attributes["col"]), attributes["name"], str(entry)))
            case "builtin", "combine":
                self.entries[_number(results[0])] = [_one(e) for e in given]
            case "builtin", "split":
                self._split(given[0], results)
            case "builtin", "slice":
                entry = given[0]
                if not isinstance(entry, list):
                    raise BadModel("builtin.slice of what is no list")
                self.entries[_number(results[0])] = entry[int(attributes["index"])]
            case "builtin", "shadow_output" | "set_parameter":
                return
            case "cf", "yield":
                graph.outputs = [SourceValue(_name_of(e)) for e in given]
            case "cf" | "builtin" | "dist", _:
                raise Unsupported(f"the operation {DIALECTS[dialect]}.{name}")
            case "custom_op", _:
                self._node(f"custom_op.{name}", given, attributes, operation, graph, depth)
            case _:
                self._node(name, given, attributes, operation, graph, depth)

    def _node(
        self,
        name: str,
        given: list[Entry],
        attributes: Mapping[str, Any],
        operation: Mapping[str, Any],
        graph: SourceGraph,
        depth: int,
    ) -> None:
        outputs, types = self._results(operation.get("O", ()))
        label = f"{name}_{outputs[0][1:]}" if outputs else name
        layer = layer_of(operation)
        label = f"{layer}/{label}" if layer else label
        arguments: dict[str, Any] = {}
        regions = operation.get("regions", ())
        definition = opdefs.find(name)
        if regions:
            arguments = self._control(name, label, given, regions, depth)
        elif definition is None:
            arguments = {"given": given}  # no converter is for it: all such are told together
        else:
            if len(given) > len(definition.operands):
                raise BadModel(f"{name} has {len(given)} operands, not {len(definition.operands)}")
            arguments.update(zip(definition.operands, given, strict=False))
            known = {k: v for k, v in attributes.items() if v is not DROP}
            arguments.update(known)  # what no converter takes is an error there
        graph.nodes.append(SourceNode(name, refs(arguments), outputs, arguments, label, types))

    def _control(
        self,
        name: str,
        label: str,
        given: list[Entry],
        regions: Iterable[Mapping[str, Any]],
        depth: int,
    ) -> dict[str, Any]:
        """The arguments of `if` and `while`, whose regions see the values around them."""
        graphs = [self._graph(r, f"{label}/{k}", depth + 1) for k, r in enumerate(regions)]
        match name, len(graphs):
            case "if", 2:
                return {"cond": given[0], "then": graphs[0], "otherwise": graphs[1]}
            case "while", 1:
                return {"cond": given[0], "inputs": given[1:], "body": graphs[0]}
        raise Unsupported(f"{name} with {len(graphs)} regions")

    def _parameter(self, operation: Mapping[str, Any]) -> None:
        name = operation["A"][3]
        result = operation["O"]
        if isinstance(result, list):
            (result,) = result
        kind = type_of(result["TT"])
        if not isinstance(name, str) or not isinstance(kind, tuple) or name in self.declared:
            raise BadFile(f"the parameter {str(name)[:60]!r} is declared twice or is no tensor")
        is_stored, *_ = operation["OA"]
        if is_stored:
            self.declared[name] = kind
        self.entries[_number(result)] = Ref(name) if is_stored else None

    def _input(self, attributes: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        name = attributes["name"]
        kind = type_of(result["TT"])
        if not isinstance(name, str) or not isinstance(kind, tuple):
            raise Unsupported(f"the input {str(name)[:60]!r}, which is no tensor")
        self.entries[_number(result)] = Ref(name)
        self.inputs.append(SourceValue(name, TensorType(kind[0], dims(name, kind[1]))))

    def _results(
        self, results: Iterable[Mapping[str, Any]]
    ) -> tuple[list[str], list[TensorType | None]]:
        """Names for all results; a list of tensors has one for each."""
        outputs: list[str] = []
        types: list[TensorType | None] = []
        for result in results:
            number = _number(result)
            kind = type_of(result.get("TT"))
            if isinstance(kind, list):
                if len(kind) > LONGEST:
                    raise BadFile(f"a list of {len(kind)} tensors")
                names = [f"%{number}:{k}" for k in range(len(kind))]
                self.entries[number] = [Ref(n) for n in names]
                outputs += names
                types += [_declared_type(k) for k in kind]
            else:
                self.entries[number] = Ref(f"%{number}")
                outputs.append(f"%{number}")
                types.append(_declared_type(kind))
        return outputs, types

    def _split(self, entry: Entry, results: Iterable[Mapping[str, Any]]) -> None:
        """The tensors of a list one by one."""
        numbers = [_number(r) for r in results]
        if not isinstance(entry, list) or len(entry) != len(numbers):
            raise BadModel(f"builtin.split into {len(numbers)} of what is no such list")
        self.entries.update(zip(numbers, entry, strict=True))

    def _entry(self, operand: Mapping[str, Any]) -> Entry:
        number = _number(operand)
        if not number:
            return None
        if number not in self.entries:
            raise BadModel(f"nothing produces the value {number}")
        return self.entries[number]


def read_names(graph: SourceGraph) -> set[str]:
    """Everything that a graph and the graphs in it read."""
    found = {o.name for o in graph.outputs}
    for node in graph.nodes:
        found.update(node.inputs)
        for inner in node.attributes.values():
            if isinstance(inner, SourceGraph):
                found |= read_names(inner)
    return found


def forget(graph: SourceGraph, read: set[str]) -> None:
    """Results that nobody reads lose their name: operators give masks and the like besides."""
    for node in graph.nodes:
        node.outputs = [n if n in read else "" for n in node.outputs]
        for inner in node.attributes.values():
            if isinstance(inner, SourceGraph):
                forget(inner, read)


DROP = object()
"""An attribute that says where to compute, not what."""


def layer_of(operation: Mapping[str, Any]) -> str:
    """The layer that an operation was written in, as the program tells it; "" for none."""
    told = [a["AT"] for a in operation.get("A", ()) if a["N"] == LAYER]
    return str(attribute(told[-1]) or "").strip("/") if told else ""


def _number(value: Mapping[str, Any]) -> int:
    number = value["%"]
    if not isinstance(number, int) or isinstance(number, bool):
        raise BadFile(f"the value {str(number)[:60]!r} is no number")
    return number


def _one(entry: Entry) -> Ref | None:
    if isinstance(entry, list):
        raise Unsupported("a list of lists of tensors")
    return entry


def _name_of(entry: Entry) -> str:
    if not isinstance(entry, Ref):
        raise Unsupported("a region that gives a list of tensors")
    return str(entry)


def type_of(source: Mapping[str, Any] | None) -> Any:
    """(precision, sizes) of a tensor, a list of these, or None for what is no tensor."""
    if source is None or source["#"] == "NULL":
        return None
    _, _, kind = str(source["#"]).partition(".")
    if kind == "t_vec":
        return [type_of(t) for t in source["D"]]
    if kind != "t_dtensor":
        return None
    element, sizes = source["D"][0], source["D"][1]
    _, _, name = str(element["#"]).partition(".")
    if name not in TYPES:
        raise Unsupported(f"a tensor of type {name[:60]!r}")
    if not all(isinstance(s, int) for s in sizes):
        raise BadFile(f"a tensor of shape {str(sizes)[:60]}")
    # Paddle multiplies the -1 of open sizes as if they were one
    return TYPES[name], tuple(max(s, -1) for s in sizes)


OPEN = symbol("open")


def _declared_type(kind: Any) -> TensorType | None:
    """A type for the check of what a converter gives: open sizes are named by nothing."""
    if not isinstance(kind, tuple):
        return None
    return _type_of_tensor(*kind)


@functools.lru_cache(maxsize=1024)
def _type_of_tensor(precision: Precision, sizes: tuple[int, ...]) -> TensorType:
    return TensorType(precision, tuple([OPEN if s < 0 else s for s in sizes]))


def attribute(source: Mapping[str, Any]) -> Any:
    """An attribute as a Python value, a Precision, or DROP."""
    kind = str(source["#"]).partition(".")[2]
    if "VD" in source:
        return float(source["VD"])  # NaN and the infinities, which JSON does not have
    data = source.get("D")
    match kind:
        case "a_array":
            return [attribute(a) for a in data or ()]
        case "a_type":
            found = type_of(data)
            return TYPES.get(str(data["#"]).partition(".")[2]) if found is None and data else found
        case "a_c64" | "a_c128":
            return complex(*data) if data else 0j
        case "a_scalar" if data is not None:
            return _scalar(data)
        case "a_dtype":
            return NAMED.get(str(data).lower())
        case "a_place" | "a_layout":
            return DROP
    return data


def _scalar(data: list[Any]) -> Any:
    """[type, value]; a complex number has two."""
    values = [float(v) if isinstance(v, str) else v for v in data[1:]]
    return values[0] if len(values) == 1 else complex(*values)
