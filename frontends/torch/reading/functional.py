"""In-place operations as functions: every name of the graph then has one value.

PyTorch's undecomposed export keeps `add_` and the like, on views too. An operation that overwrites
its argument becomes the one that returns a new tensor, later readers read that, and where the
argument was a view the change is carried into what it is a view of. A view that was made before a
change is made again when it is read after it. What changes the shape of its argument makes a view
of it, which stands for the argument from there on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nnir.dim import Dim
from nnir.errors import Unsupported
from nnir.records import dataclass
from nnir.types import TensorType

from ...source import Ref, SourceGraph, SourceNode, SourceValue, refs
from . import schema
from .strides import is_contiguous, is_view

IDENTITIES = {
    "aten.dropout.default": "input",
    "aten.feature_dropout.default": "input",
    "aten.alpha_dropout.default": "input",
    "aten.feature_alpha_dropout.default": "input",
}
"""Without training these return their argument itself, which their signatures do not say."""

CASTS = ("aten.to.", "aten.type_as.")
"""The argument itself where that has the precision asked for, else a copy."""

UNSAID = {
    "aten.type_as.default": "self",
    "aten._unsafe_view.default": "self",
    "aten.unsafe_chunk.default": "self",
    "aten.unsafe_split.Tensor": "self",
    "aten.unsafe_split_with_sizes.default": "self",
}
"""What signatures do not say: operators whose results share memory with an argument."""

MAYBE = frozenset(
    {
        "aten.contiguous.default",
        "aten.flatten.using_ints",
        "aten.reshape.default",
        "aten.reshape_as.default",
        "aten.ravel.default",
        "aten._reshape_alias.default",
    }
)
"""Views where the memory allows it, else copies: only the strides of the export know."""

SEVERAL = {
    "aten._batch_norm_with_update.default": "aten._batch_norm_with_update_functional.default",
    "aten._native_batch_norm_legit.default": "aten._native_batch_norm_legit_functional.default",
}
"""Operators that overwrite several arguments, whose functions return these after the results."""

FUNCTIONS = {
    **{f"aten.__i{name}__": f"aten.__{name}__" for name in ("and", "or", "xor")},
    "aten.__ilshift__": "aten.__lshift__",
    "aten.__irshift__": "aten.__rshift__",
    "aten.normal_": "aten.normal_functional",
}
"""The functions of operators in place whose names do not tell them."""

STRUCTURE = frozenset({"aten.resize_", "aten.set_", "aten.swap_"})

VIEWED_IN_PLACE = frozenset(
    f"aten.{name}_"
    for name in ("as_strided", "squeeze", "swapaxes", "swapdims", "t", "transpose", "unsqueeze")
)
"""Operators that change the shape of their argument and no element of it."""


@dataclass
class View:
    """A name that shares memory: the node that made it, of what, and which of its results it is."""

    node: SourceNode
    source: str
    position: int
    age: int


class Functional:
    """Rewrites the nodes of one graph; `advice` is what helps where memory is not known."""

    advice = "export after run_decompositions({})"

    def __init__(self, graph: SourceGraph, strides: Mapping[str, Sequence[Dim]]) -> None:
        self.graph = graph
        self.strides = strides
        self.nodes: list[SourceNode] = []
        self.current: dict[str, str] = {}
        self.views: dict[str, View] = {}
        self.ages: dict[str, int] = {}
        self.called: dict[str, str] = {}
        """What stands for a name whose shape was changed in place."""

        self.types: dict[str, TensorType | None] = {v.name: v.type for v in graph.inputs}
        self.count = 0
        self.statistics: set[str] = set()

    def run(self) -> None:
        for node in self.graph.nodes:
            self.step(node)
        for output in self.graph.outputs:
            output.called = output.name
            output.name = self.read(output.name)
        self.graph.nodes = self.nodes

    def step(self, node: SourceNode) -> None:
        """One node, with what it overwrites."""
        if self.called:
            arguments = _rename_all(node.attributes, self.newest)
            node = replace(node, inputs=refs(arguments), attributes=arguments)
        found = schema.find(node.op)
        written = found.written if found else ()
        for name, type in zip(node.outputs, node.types, strict=False):
            self.types[name] = type
        if written:
            self.overwrite(node, written)
            return
        self.emit(self.renamed(node))
        if source := self.viewed(node, found):
            self.view(node, source)

    def view(self, node: SourceNode, source: str) -> None:
        """Note that the results of a node, which was emitted, share the memory of `source`."""
        age = self.ages.get(self.root(source), 0)
        for position, name in enumerate(node.outputs):
            self.views[name] = View(node, source, position, age)

    def newest(self, name: str) -> str:
        """The name that stands for `name` since its shape was changed in place."""
        while name in self.called:
            name = self.called[name]
        return name

    def root(self, name: str) -> str:
        """The tensor whose memory `name` lies in."""
        while name in self.views:
            name = self.views[name].source
        return name

    def read(self, name: str) -> str:
        """The name that now holds what a program calls `name`."""
        return self.content(self.newest(name))

    def content(self, name: str) -> str:
        """The name that now holds the contents of `name`; made again where it is a stale view."""
        view = self.views.get(name)
        if view is None:
            return self.current.get(name, name)
        age = self.ages.get(self.root(name), 0)
        if view.age < age:
            if view.node.op in MAYBE and not self.shares(view.node, view.source):
                raise Unsupported(
                    f"the result of {view.node.op} is read after {self.root(name)!r} was changed "
                    f"in place: whether it is a view of it is not known; {self.advice}"
                )
            view.age = age
            self.again(name, view)
        return self.current.get(name, name)

    def again(self, name: str, view: View) -> None:
        node = view.node
        outputs = [self.fresh(o) for o in node.outputs]
        arguments = self.substituted(node.attributes)
        self.emit(replace(node, inputs=[], outputs=outputs, attributes=arguments))
        self.current[name] = outputs[view.position]

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}/{self.count}"

    def substituted(self, argument: Any) -> Any:
        """Arguments with what holds the contents of each name."""
        return _rename_all(argument, self.content)

    def renamed(self, node: SourceNode) -> SourceNode:
        """The node as it reads now; views keep the node as it was."""
        if all(self.content(name) == name for name in node.inputs):  # as most
            return node
        arguments = self.substituted(node.attributes)
        return replace(node, inputs=[], attributes=arguments)

    def viewed(self, node: SourceNode, found: schema.Schema | None) -> str | None:
        """The value that the results of a node share memory with."""
        if node.op in IDENTITIES:
            is_copy = node.attributes.get("train")
            source = None if is_copy else node.attributes.get(IDENTITIES[node.op])
        else:
            viewed = UNSAID.get(node.op, found.viewed if found else None)
            source = node.attributes.get(viewed) if viewed else None
        if not isinstance(source, Ref):
            return None
        if node.op in MAYBE and self.shares(node, source) is False:
            return None
        if node.op.startswith(CASTS):
            before, after = self.types.get(source), self.types.get(node.outputs[0])
            same = before is not None and after is not None and before.precision == after.precision
            return str(source) if same and not node.attributes.get("copy") else None
        return str(source)

    def shares(self, node: SourceNode, source: str) -> bool | None:
        """Whether the result of a reshape is a view; None where that is not known."""
        before, after = self.types.get(source), self.types.get(node.outputs[0])
        steps = self.strides.get(source)
        if before is None or after is None or steps is None:
            return None
        if node.op == "aten.contiguous.default":
            return is_contiguous(before.shape, steps)
        return is_view(before.shape, steps, after.shape)

    def emit(self, node: SourceNode) -> None:
        node.inputs = node.inputs or refs(node.attributes)
        self.nodes.append(node)

    def overwrite(self, node: SourceNode, written: tuple[str, ...]) -> None:
        """An in-place operation: its function, then the result as the new contents."""
        if node.op in SEVERAL:
            self.overwrite_several(node, written)
            return
        if function := schema.function_of(node.op):
            self.fill(node, function, written)
            return
        target = node.attributes.get(written[0])
        packet = node.op.rpartition(".")[0]
        if packet == "aten.fill_diagonal_" and isinstance(target, Ref):
            self.fill_diagonal(node, target)
            return
        if packet in VIEWED_IN_PLACE and isinstance(target, Ref):
            self.view_in_place(node, target)
            return
        if len(written) > 1 or not isinstance(target, Ref) or packet in STRUCTURE:
            raise Unsupported(f"{node.op} changes its arguments in place, which is not known here")
        if packet.removesuffix("_") + ".default" in IDENTITIES and not node.attributes.get("train"):
            for name in node.outputs:
                self.alias(name, target)
            return
        op = _function_of(node.op)
        result = self.fresh(node.outputs[0] or str(target))
        type = self.types.get(target)
        arguments = self.substituted(node.attributes)
        self.emit(SourceNode(op, [], [result], arguments, node.name))
        self.keep(node, target, result, type)
        for name in node.outputs:
            self.alias(name, target)

    def keep(self, node: SourceNode, target: str, result: str, type: TensorType | None) -> None:
        """Let `result` in the precision of `target` be what that holds."""
        kept = self.fresh(node.outputs[0] or target)
        like = {"self": Ref(result), "other": Ref(self.content(target))}
        self.emit(SourceNode("aten.type_as.default", [], [kept], like, node.name, [type]))
        self.write(target, kept)

    def fill(self, node: SourceNode, function: str, written: tuple[str, ...]) -> None:
        """An operation that puts its results into tensors it is given, which take their shapes."""
        targets = [str(node.attributes[name]) for name in written]
        given = {k: a for k, a in node.attributes.items() if k not in written}
        results = [self.fresh(t) for t in targets]
        self.emit(SourceNode(function, [], results, self.substituted(given), node.name))
        types = [*node.types, *[None] * len(targets)]
        for target, result, type in zip(targets, results, types, strict=False):
            before = self.types.get(target)
            if type is not None and before is not None and type.shape != before.shape:
                self.resize(node, target, type)
            self.keep(node, target, result, type)
        for name, target in zip(node.outputs, targets, strict=False):
            self.alias(name, target)

    def fill_diagonal(self, node: SourceNode, target: str) -> None:
        """A fill of the view that is the diagonal of a matrix."""
        type, given = self.types.get(target), node.attributes
        if type is None or type.rank != 2 or given.get("wrap"):
            raise Unsupported(
                f"{node.op} of {type or target!r} with wrap={given.get('wrap', False)}"
            )
        view = self.fresh(target)
        self.step(SourceNode("aten.diagonal.default", [], [view], {"self": Ref(target)}, node.name))
        filler = {"self": Ref(view), "value": given["fill_value"]}
        self.step(SourceNode("aten.fill_.Scalar", [], [self.fresh(view)], filler, node.name))
        for name in node.outputs:
            self.alias(name, target)

    def resize(self, node: SourceNode, target: str, type: TensorType) -> None:
        """Note the new shape of a tensor, which must be the only one in its memory."""
        if any(target in (n, self.root(n)) for n in self.views):
            raise Unsupported(f"{node.op} gives {target!r} another shape, which shares its memory")
        self.types[target] = type

    def view_in_place(self, node: SourceNode, target: str) -> None:
        """An operation that changes a shape: the view of it that stands for the tensor then."""
        outputs = [node.outputs[0] or self.fresh(target)]
        made = replace(node, op=_function_of(node.op), outputs=outputs)
        self.emit(self.renamed(made))
        self.view(made, target)
        self.called[target] = outputs[0]

    def overwrite_several(self, node: SourceNode, written: tuple[str, ...]) -> None:
        """An operation with a function that also returns the new contents of what it changes."""
        targets = [str(node.attributes[name]) for name in written]
        fresh = [self.fresh(t) for t in targets]
        types = [*node.types, *(self.types.get(t) for t in targets)]
        arguments = self.substituted(node.attributes)
        outputs = [*node.outputs, *fresh]
        self.emit(SourceNode(SEVERAL[node.op], [], outputs, arguments, node.name, types))
        for target, new in zip(targets, fresh, strict=True):
            self.write(target, new)
        self.statistics.update(targets)  # which PyTorch's programs do not return

    def alias(self, name: str, target: str) -> None:
        """`name` is another name of `target`."""
        if name:
            node = SourceNode("aten.alias.default", [target], [name], {"self": Ref(target)})
            self.views[name] = View(node, target, 0, -1)

    def write(self, name: str, new: str) -> None:
        """Let `new` be the contents of `name` and of what it is a view of."""
        view = self.views.get(name)
        if view is None:
            self.current[name] = new
            self.ages[name] = self.ages.get(name, 0) + 1
            return
        is_shared = view.node.op not in MAYBE or self.shares(view.node, view.source)
        carry = CARRY.get(view.node.op, _undo_reshape if view.node.op in MAYBE else None)
        if carry is None or not is_shared:
            raise Unsupported(
                f"a change in place of the result of {view.node.op}, which may share its memory "
                f"with {view.source!r}; {self.advice}"
            )
        base = self.content(view.source)
        op, arguments = carry(self, view, base, new)
        merged = self.fresh(view.source)
        type = self.types.get(view.source)
        self.emit(SourceNode(op, [], [merged], arguments, view.node.name, [type]))
        self.write(view.source, merged)
        self.current[name] = new
        view.age = self.ages[self.root(name)]

    def mutated(self) -> dict[str, SourceValue]:
        """The inputs that were overwritten, with their last contents."""
        given = {v.name for v in self.graph.inputs}
        return {
            name: SourceValue(new, self.types.get(name))
            for name, new in self.current.items()
            if name in given and name not in self.statistics
        }


def functional(
    graph: SourceGraph, strides: Mapping[str, Sequence[Dim]] | None = None
) -> dict[str, SourceValue]:
    """Rewrite a graph whose weights are still among its inputs; the new contents of the inputs
    that it overwrites.

    `strides`: those of its values, in elements, where the export recorded them.
    """
    if not any(found.written for n in graph.nodes if (found := schema.find(n.op))):
        return {}
    rewriter = Functional(graph, strides or {})
    rewriter.run()
    return rewriter.mutated()


def _rename_all(argument: Any, rename: Callable[[str], str]) -> Any:
    """Arguments with every name by another."""
    if isinstance(argument, Ref):
        return Ref(rename(argument))
    if isinstance(argument, dict):
        return {k: _rename_all(a, rename) for k, a in argument.items()}
    if isinstance(argument, (list, tuple)):
        return [_rename_all(a, rename) for a in argument]
    return argument


def _function_of(op: str) -> str:
    """The operator that returns what an in-place operator writes."""
    packet, _, overload = op.rpartition(".")
    function = FUNCTIONS.get(packet, packet.removesuffix("_"))
    if function != packet:
        for name in (overload, "default", "Tensor", "int"):
            if schema.find(f"{function}.{name}") is not None:
                return f"{function}.{name}"
    raise Unsupported(f"{op} changes its arguments in place, and has no function")


Carried = tuple[str, dict[str, Any]]
Carry = Callable[[Functional, View, str, str], Carried]


def _scatter(op: str) -> Carry:
    """The operator that puts a slice back where it was taken."""

    def carry(rewriter: Functional, view: View, base: str, new: str) -> Carried:
        places = {k: v for k, v in view.node.attributes.items() if k != "self"}
        return op, {"self": Ref(base), "src": Ref(new), **rewriter.substituted(places)}

    return carry


def _undo_reshape(rewriter: Functional, view: View, base: str, new: str) -> Carried:
    return "aten.view_as.default", {"self": Ref(new), "other": Ref(base)}


def _same(rewriter: Functional, view: View, base: str, new: str) -> Carried:
    return "aten.alias.default", {"self": Ref(new)}


def _undo_transpose(rewriter: Functional, view: View, base: str, new: str) -> Carried:
    """An exchange of axes is undone by itself."""
    rest = {k: v for k, v in view.node.attributes.items() if k != "self"}
    return view.node.op, {"self": Ref(new), **rest}


def _undo_permute(rewriter: Functional, view: View, base: str, new: str) -> Carried:
    dims = [d % len(view.node.attributes["dims"]) for d in view.node.attributes["dims"]]
    back = [dims.index(k) for k in range(len(dims))]
    return "aten.permute.default", {"self": Ref(new), "dims": back}


def _undo_reverse(rewriter: Functional, view: View, base: str, new: str) -> Carried:
    """The axes in reverse order, or the last two, once more."""
    return view.node.op, {"self": Ref(new)}


def _undo_slice(rewriter: Functional, view: View, base: str, new: str) -> Carried:
    given = view.node.attributes
    start, length = rewriter.substituted((given["start"], given["length"]))
    place = {"self": Ref(base), "src": Ref(new), "dim": given["dim"], "start": start}
    if not isinstance(start, Ref) and not isinstance(length, Ref):
        return "aten.slice_scatter.default", {**place, "end": start + length or None}
    if not isinstance(start, Ref) and start < 0:
        raise Unsupported("a change in place of a part that is counted from an unknown end")
    end = rewriter.fresh(base)
    both = {"a": start, "b": length}
    rewriter.emit(SourceNode("_operator.add", [], [end], both, view.node.name))
    return "aten.slice_scatter.default", {**place, "end": Ref(end)}


def _unbound(rewriter: Functional, view: View, base: str, new: str) -> Carried:
    dim = view.node.attributes.get("dim", 0)
    place = {"dim": dim, "index": view.position}
    return "aten.select_scatter.default", {"self": Ref(base), "src": Ref(new), **place}


def _part(rewriter: Functional, view: View, base: str, new: str) -> Carried:
    """One of the results of a split: where it begins follows from the sizes of those before."""
    dim = view.node.attributes.get("dim", 0)
    sizes = []
    for name in view.node.outputs[: view.position + 1]:
        type = rewriter.types.get(name)
        size = None if type is None else type.shape[dim]
        if not isinstance(size, int):
            raise Unsupported("a change in place of a part whose place is only known while running")
        sizes.append(size)
    start = sum(sizes[:-1])
    place = {"dim": dim, "start": start, "end": start + sizes[-1]}
    return "aten.slice_scatter.default", {"self": Ref(base), "src": Ref(new), **place}


CARRY: dict[str, Carry] = {
    "aten.alias.default": _same,
    "aten.chunk.default": _part,
    "aten.detach.default": _same,
    "aten.diagonal.default": _scatter("aten.diagonal_scatter.default"),
    "aten.as_strided.default": _scatter("aten.as_strided_scatter.default"),
    "aten.mT.default": _undo_reverse,
    "aten.narrow.default": _undo_slice,
    "aten.numpy_T.default": _undo_reverse,
    "aten.permute.default": _undo_permute,
    "aten.select.int": _scatter("aten.select_scatter.default"),
    "aten.slice.Tensor": _scatter("aten.slice_scatter.default"),
    "aten.split.Tensor": _part,
    "aten.split_with_sizes.default": _part,
    "aten.squeeze.default": _undo_reshape,
    "aten.squeeze.dim": _undo_reshape,
    "aten.squeeze.dims": _undo_reshape,
    "aten.swapaxes.default": _undo_transpose,
    "aten.swapdims.default": _undo_transpose,
    "aten.t.default": _undo_transpose,
    "aten.transpose.int": _undo_transpose,
    "aten.unbind.int": _unbound,
    "aten.unflatten.int": _undo_reshape,
    "aten.unsafe_chunk.default": _part,
    "aten.unsafe_split.Tensor": _part,
    "aten.unsafe_split_with_sizes.default": _part,
    "aten.unsqueeze.default": _undo_reshape,
    "aten._unsafe_view.default": _undo_reshape,
    "aten.view.default": _undo_reshape,
    "aten.view_as.default": _undo_reshape,
    **dict.fromkeys(IDENTITIES, _same),
    **{f"aten.to.{kind}": _same for kind in ("device", "dtype", "dtype_layout", "other")},
    "aten.type_as.default": _same,
}
