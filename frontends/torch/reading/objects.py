"""Read PyTorch's objects: exported programs, and modules, which are exported first."""

from __future__ import annotations

import io
import operator
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sympy  # type: ignore[import-untyped]
import torch
from torch.export.graph_signature import ConstantArgument
from torch.utils import _pytree as pytree

from nnir.dim import Dim
from nnir.errors import BadInput, BadModel, Unsupported, describe
from nnir.provenance import Place, place_of
from nnir.types import PRECISIONS, Precision, TensorType

from ...source import NUMBER, Ref, SourceGraph, SourceModel, SourceNode, SourceValue
from . import structure
from .dtypes import STRIDED, dimension
from .functional import functional
from .naming import named_dimensions
from .reader import MEMORY, node_of
from .schema import VMAPS
from .signature import End, Signature, finish_model
from .vmaps import without_vmaps

TORCH_TYPES: dict[torch.dtype, Precision] = {
    found: precision
    for dtype, precision in PRECISIONS.items()
    if isinstance(found := getattr(torch, dtype.name, None), torch.dtype)
}
SHARED = {
    torch.bfloat16: torch.int16,
    torch.float8_e4m3fn: torch.uint8,
    torch.float8_e5m2: torch.uint8,
    torch.float8_e4m3fnuz: torch.uint8,
    torch.float8_e5m2fnuz: torch.uint8,
    torch.float8_e8m0fnu: torch.uint8,
}
"""Types that NumPy does not know, and one of the same size that it does."""


def read(
    source: Any,
    inputs: Sequence[Any] | None = None,
    keywords: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> SourceModel:
    """The source model of an ExportedProgram or of a module; weights share the tensors' memory."""
    program = export(source, inputs, keywords, dynamic_shapes)
    names: dict[str, str] = {}
    if dynamic_shapes is not None:
        names = named_dimensions(program, source, inputs or (), keywords or {}, dynamic_shapes)
    graphs = Graphs(names)
    graph, mutated = graphs.program(program.graph_module)
    spec = program.call_spec.out_spec
    called = [] if spec is None else structure.names_in(pytree.treespec_dumps(spec))
    ends = program.graph_signature
    inputs, outputs = ([_end(s) for s in specs] for specs in (ends.input_specs, ends.output_specs))
    signature = Signature(inputs, outputs, called, mutated)
    ranges = {
        names.get(str(k), str(k)): _range(v)
        for k, v in program.range_constraints.items()
        if isinstance(k, sympy.Symbol)
    }
    producer = f"torch {torch.__version__}"
    return finish_model(graph, signature, Weights(program), ranges, producer, graphs.places)


def export(
    source: Any,
    inputs: Sequence[Any] | None = None,
    keywords: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> torch.export.ExportedProgram:
    """An exported program as it is, and a module exported on example inputs."""
    if isinstance(source, torch.export.ExportedProgram):
        if inputs is not None or keywords or dynamic_shapes is not None:
            raise BadInput("an ExportedProgram has its inputs: inputs are for modules")
        return source
    module = getattr(source, "_orig_mod", source)  # of torch.compile
    if not isinstance(module, torch.nn.Module):
        raise Unsupported(f"{type(source).__name__}: give a torch.nn.Module or an ExportedProgram")
    if inputs is None and not keywords:
        raise BadInput(
            f"{type(module).__name__} is exported on example inputs: load(module, inputs=(x, ...))"
        )
    args = tuple(_tensor(a) for a in inputs or ())
    kwargs = {k: _tensor(a) for k, a in (keywords or {}).items()}
    try:
        return torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes)
    except Exception as error:
        text = str(error).strip().split("\n")[0]
        raise Unsupported(f"torch.export.export fails: {type(error).__name__}: {text}") from error


def save(source: Any, path: Path, inputs: Sequence[Any]) -> None:
    """Write the program of an object; a module is exported on `inputs`."""
    if isinstance(source, torch.jit.ScriptModule):
        path.write_bytes(archive_of(source))
        return
    is_program = isinstance(source, torch.export.ExportedProgram)
    torch.export.save(export(source, None if is_program else inputs), path)


def archive_of(module: torch.jit.ScriptModule) -> bytes:
    """The bytes of a TorchScript module as torch.jit.save writes them."""
    buffer = io.BytesIO()
    torch.jit.save(module, buffer)
    return buffer.getvalue()


def _tensor(given: Any) -> Any:
    return torch.from_numpy(given) if isinstance(given, np.ndarray) else given


class Weights:
    """The weights of a program as arrays that share their memory."""

    def __init__(self, program: torch.export.ExportedProgram) -> None:
        self.program = program

    def __getitem__(self, name: str) -> np.ndarray:
        for source in (self.program.state_dict, self.program.constants):
            found = source.get(name)
            if isinstance(found, torch.Tensor):
                return array_of(found, name)
        raise BadModel(f"the program has no tensor {name!r}")


def array_of(tensor: torch.Tensor, name: str) -> np.ndarray:
    """A tensor as a read-only array over the same memory."""
    plain = tensor.detach()
    if type(plain) not in (torch.Tensor, torch.nn.Parameter) or plain.layout != torch.strided:
        raise Unsupported(f"{name!r} is a {type(tensor).__name__} of layout {tensor.layout}")
    if plain.device.type != "cpu":
        raise Unsupported(f"{name!r} is on {plain.device}: move the model to the CPU first")
    plain = plain.resolve_conj().resolve_neg()
    if plain.dtype in SHARED:
        dtype = TORCH_TYPES[plain.dtype].dtype
        array = plain.view(SHARED[plain.dtype]).numpy().view(dtype)
    else:
        array = plain.numpy()
    array.flags.writeable = False
    return array


def _end(spec: Any) -> End:
    kind = spec.kind.name.lower()
    name = getattr(spec.arg, "name", "") or ""
    if kind == "user_input" and isinstance(spec.arg, ConstantArgument):
        kind = "constant_input"
    return End(kind, name, spec.target)


def _range(limits: Any) -> tuple[int, int | None]:
    low, high = limits.lower, limits.upper
    top = int(high) if isinstance(high, (int, sympy.Integer)) else None
    return max(int(low), 0) if isinstance(low, (int, sympy.Integer)) else 0, top


class Graphs:
    """Reads `fx` graphs; `names` are what users call some symbols."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.places: dict[str, Place] = {}

    def program(
        self, module: torch.fx.GraphModule, name: str = ""
    ) -> tuple[SourceGraph, dict[str, SourceValue]]:
        """A graph in functional form, and the new contents of the inputs that it overwrites."""
        graph = SourceGraph(name)
        strides: dict[str, list[Dim]] = {}
        for node in module.graph.nodes:
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor):
                strides[node.name] = [self.size(s) for s in value.stride()]
            if node.op == "placeholder":
                graph.inputs.append(SourceValue(*self.end(node)))
            elif node.op == "output":
                outputs = pytree.tree_leaves(node.args[0], is_leaf=lambda x: x is None)
                graph.outputs = [
                    SourceValue(*self.end(o)) if isinstance(o, torch.fx.Node) else SourceValue("")
                    for o in outputs
                ]
            elif node.op == "call_function" and node.target is not operator.getitem:
                graph.nodes.append(self.node(node, module))
            elif node.op == "get_attr":
                found = _attribute(module, str(node.target))
                if isinstance(found, torch.Tensor):
                    graph.weights[node.name] = array_of(found, str(node.target))
            elif node.op in ("call_module", "call_method"):
                raise Unsupported(f"a graph that calls {node.target}: give its module and inputs")
        without_vmaps(graph)
        return graph, functional(graph, strides)

    def graph(self, module: torch.fx.GraphModule, name: str) -> SourceGraph:
        """A graph among the arguments of a node."""
        graph, mutated = self.program(module, name)
        if mutated:
            raise Unsupported(f"the graph {name!r} changes {', '.join(mutated)} in place")
        return graph

    def node(self, node: torch.fx.Node, module: torch.fx.GraphModule) -> SourceNode:
        op = target_name(node.target)
        given = [*zip(_parameters(node.target, node.args), node.args, strict=False)]
        arguments = [(k, self.argument(a, module)) for k, a in [*given, *node.kwargs.items()]]
        outputs, types = self.outputs(node)
        made = node_of(op, arguments, outputs, types, node.name)
        if trace := node.meta.get("stack_trace"):
            stack = [*node.meta.get("nn_module_stack", {"": ("", "")}).values()]
            self.places[made.label] = place_of(trace, stack[-1][0] if stack else "")
        if op in MEMORY:
            made.memory = self.memory(node.all_input_nodes[0].meta["val"])
        return made

    def memory(self, tensor: torch.Tensor) -> tuple[int, ...] | None:
        """Where a tensor begins in its memory, and its strides; None where they may vary."""
        found = [self.size(s) for s in (tensor.storage_offset(), *tensor.stride())]
        known = tuple(d for d in found if isinstance(d, int))
        return known if len(known) == len(found) else None

    def argument(self, given: Any, module: torch.fx.GraphModule) -> Any:
        match given:
            case torch.fx.Node():
                if given.op == "get_attr":
                    found = _attribute(module, str(given.target))
                    if isinstance(found, torch.fx.GraphModule):
                        return self.graph(found, str(given.target))
                return Ref(given.name)
            case list() | tuple():
                return [self.argument(a, module) for a in given]
            case torch.dtype():
                if given not in TORCH_TYPES:
                    raise Unsupported(f"elements of type {given}")
                return TORCH_TYPES[given]
            case torch.layout():
                return STRIDED if given == torch.strided else str(given)
            case torch.device() | torch.memory_format() | torch._ops.OpOverload():
                return str(given)
        return given

    def outputs(self, node: torch.fx.Node) -> tuple[list[str], list[TensorType | None]]:
        """The names of the results; one of several is called as the node that takes it out."""
        value = node.meta.get("val")
        schema = getattr(node.target, "_schema", None)
        if (value is None and "val" in node.meta) or (schema and not schema.returns):
            return [], []
        if not isinstance(value, (list, tuple)):
            return [node.name], [self.type(value)]
        names = [f"{node.name}.{k}" for k in range(len(value))]
        for user in node.users:
            if user.target is operator.getitem and isinstance(position := user.args[1], int):
                names[position] = user.name
        return names, [self.type(v) for v in value]

    def end(self, node: torch.fx.Node) -> tuple[str, TensorType | None, str]:
        value = node.meta.get("val")
        kind = "tensor" if isinstance(value, torch.Tensor) else NUMBER
        return node.name, self.type(value), kind

    def type(self, value: Any) -> TensorType | None:
        match value:
            case torch.Tensor():
                if value.dtype not in TORCH_TYPES:
                    raise Unsupported(f"a tensor of {value.dtype}")
                return TensorType(TORCH_TYPES[value.dtype], tuple(map(self.size, value.shape)))
            case torch.SymInt():
                return TensorType(Precision.INT64, ())
            case torch.SymBool():
                return TensorType(Precision.BOOL8, ())
            case torch.SymFloat():
                return TensorType(Precision.FLOAT64, ())
        return None

    def size(self, given: Any) -> Dim:
        """A size: an int or an expression, with the names that users gave."""
        if isinstance(given, int):
            return given
        expression = given.node.expr
        renamed = {s: sympy.Symbol(self.names[str(s)]) for s in expression.free_symbols
                   if str(s) in self.names}  # fmt: skip
        return dimension(sympy.srepr(expression.subs(renamed) if renamed else expression))


def target_name(target: Any) -> str:
    """What a `.pt2` file calls the function of a node."""
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.__name__}"
    module, name = (
        getattr(target, "__module__", None) or "builtins",
        getattr(target, "__name__", target),
    )
    whole = f"{module}.{name}"
    return whole if whole in VMAPS else f"{module.partition('.')[0]}.{whole.rpartition('.')[2]}"


def _parameters(target: Any, args: Sequence[Any]) -> list[str]:
    """The names of positional arguments."""
    if isinstance(target, torch._ops.OpOverload):
        return [a.name for a in target._schema.arguments]
    if isinstance(target, torch._ops.HigherOrderOperator):
        return [""] * len(args)
    return list("abcdefgh"[: len(args)])


def _attribute(module: torch.nn.Module, path: str) -> Any:
    try:
        return operator.attrgetter(path)(module)
    except AttributeError as error:
        raise BadModel(f"the graph reads {path!r}: {describe(error)}") from None
