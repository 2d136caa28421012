"""A model as a TFLite file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nnir.errors import NoLowering
from nnir.model import Model, Operation, Value
from nnir.origin import describe_source
from nnir.pairs import as_pairs
from nnir.passes import CLEAN, FUSIONS, apply
from nnir.specialise import specialise
from nnir.types import Precision

from ...device import Shapes, open_shapes
from ...emission import WRITING_STEP, refusal_of_sizes
from ...lowering import LateLowerings
from ...orders import identity
from . import integers
from .content import Content
from .emitter import Emitter, Ref
from .integer_kernels import KERNELS
from .kernels import HALVES, STORED, carrier
from .packed import pack_halves, pack_weights, reads_halves
from .profile import Chain, Link
from .ready import room_of
from .states import hold_states
from .writer import NO_NOTES, Graph, Part, Tensor, Writer, join_parts

LOWERINGS = LateLowerings[Ref](__package__)


def compile_file(model: Model, shapes: Sequence[tuple[int, ...]]) -> tuple[Content, int | None]:
    """The file for inputs of these shapes, as this device takes it; and the most bytes of its
    weights as kernels read them, None where an interpreter is to run it."""
    graph, _ = _graph(prepare(specialise(model, shapes)), foreign=True)
    writer = Writer(graph, *numbered_names(graph.inputs, graph.outputs))
    room = room_of(graph)
    if room is None:
        return Content.of_parts(writer.parts()), None
    return Content.in_memory(writer), room


def export_file(model: Model) -> tuple[list[Part], Shapes, Shapes]:
    """The file of a model in pieces, and the shapes of its inputs and outputs; sizes that are not
    known stay open."""
    same: Any = [v.shape for v in model.inputs]
    known = prepare(specialise(model, same))
    graph, outputs = _graph(known, foreign=False, step=WRITING_STEP)
    hold_states(graph, known)
    outputs = outputs[: len(graph.outputs)]
    given, made = (open_shapes(t.shape for t in ends) for ends in (graph.inputs, graph.outputs))
    notes = describe_source(model) | model.provenance.properties
    return _parts(graph, outputs, notes), given, made


def prepare(model: Model) -> Model:
    """Ready for emission; the model is changed."""
    apply(model, (*CLEAN, *FUSIONS, *CLEAN))
    return as_pairs(model)


def _parts(graph: Graph, outputs: list[str], notes: Mapping[str, str] = NO_NOTES) -> list[Part]:
    return Writer(graph, [t.name for t in graph.inputs], outputs, notes=notes).parts()


def compile_steps(model: Model, shapes: Sequence[tuple[int, ...]]) -> Chain:
    """Every step as a file of its own, to take the time of each."""
    graph, _ = _graph(prepare(specialise(model, shapes)), foreign=True)
    links = []
    for step in graph.live():
        read = list(dict.fromkeys(t for t in step.inputs if t.data is None))
        whole = Graph("step", read, step.outputs, [step])
        names = numbered_names(read, step.outputs)
        content = join_parts(Writer(whole, *names).parts())
        links.append(Link(step.outputs[0].name, step.name, content, read, step.outputs))
    return Chain(links, graph.inputs, graph.outputs)


def numbered_names(
    inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> tuple[list[str], list[str]]:
    """Names of ends in a signature that nobody reads; those of a model need not differ."""
    return [f"x{k}" for k in range(len(inputs))], [f"y{k}" for k in range(len(outputs))]


def _graph(model: Model, *, foreign: bool, step: str = "") -> tuple[Graph, list[str]]:
    """The graph of a model and the names of its outputs; NoLowering lists everything that is
    missing, and the next `step`."""
    emitter = Emitter(LOWERINGS)
    has_halves = reads_halves(model)
    named = model.named_outputs()
    emitter.taken.update(name for name, _ in named)
    inputs = [_head(emitter, v, k, foreign=foreign) for k, v in enumerate(model.inputs)]
    graph = emitter.run(model, inputs, "main")
    tensors = []
    for _, value in named:
        try:
            tensors.append(_tail(emitter, value, foreign=foreign))
        except NoLowering as error:
            emitter.refuse(error, value)
    emitter.require_lowered(step)
    for tensor, (name, _) in zip(tensors, named, strict=True):
        tensor.name = name
    integers.rewrite(emitter, KERNELS)
    pack_weights(emitter)
    if has_halves:
        pack_halves(emitter)
    return graph, [name for name, _ in named]


def _head(emitter: Emitter, value: Value, number: int, *, foreign: bool) -> Ref:
    """A graph input of the value's own type; a bfloat16, which NumPy lacks, is handed over wide."""
    kind = value.precision
    if foreign and kind == Precision.BFLOAT16:
        kind = Precision.FLOAT32
    if value.precision.is_quantized:
        kind = Precision[value.dtype.name.upper()]
    if kind not in STORED:
        emitter.refuse(NoLowering(f"litert has no tensors of {kind.name}"), value)
    tensor = Tensor(kind, value.shape, None, value.name or f"input{number}")
    emitter.graph.inputs.append(tensor)
    ref = Ref(tensor, identity(value.rank), kind, emitter)
    if kind in HALVES:
        (wide,) = emitter.emit("CAST", [ref], [(carrier(kind), value.shape)])
        ref = Ref(wide, ref.order, kind, emitter)
    return ref.seen_as(value.precision)


def _tail(emitter: Emitter, value: Value, *, foreign: bool) -> Tensor:
    if foreign and value.precision == Precision.BFLOAT16:
        tensor = emitter.own(emitter.plain(value))
        emitter.graph.outputs.append(tensor)
        return tensor
    return emitter.end(value)


def explain_refusal(operation: Operation) -> str | None:
    """Why an operation cannot be emitted by itself."""
    return refusal_of_sizes(operation, lambda: Emitter(LOWERINGS))
