"""Read a TFLite file without TensorFlow or LiteRT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from nnir.collector import paused_collector
from nnir.errors import DAMAGE, BadFile, BadModel, Unsupported, describe
from nnir.formats.bits import BITS, stored_size, unpack
from nnir.formats.columns import Columns
from nnir.formats.flatbuffer import Bytes, Table
from nnir.formats.tflite import IDENTIFIER, schema
from nnir.formats.tflite.schema import (
    BlocksTable,
    BufferTable,
    ModelTable,
    OperatorCodeTable,
    QuantizationTable,
    SignatureTable,
    SubGraphTable,
    TensorMapTable,
    TensorTable,
)
from nnir.mapping import Buffer
from nnir.types import TensorType

from ...source import SourceGraph, SourceModel, SourceNode, SourceValue, dims
from .custom import options
from .graphs import BLOCKWISE, Blocks, Graph, Operator, Tensor, read_operators, read_tensors
from .quantized import Explicit, ranges_of_hidden
from .sparse import MOST, SPARE, places_of
from .state import Resources

SUB_GRAPHS = frozenset(
    {
        *("then_subgraph_index", "else_subgraph_index", "cond_subgraph_index"),
        *("body_subgraph_index", "decomposition_subgraph_index"),
        *("update_computation_subgraph_index", "comparator_subgraph_index"),
    }
)
IGNORED = frozenset(
    {
        *("asymmetric_quantize_inputs", "pot_scale_int16", "quantized_bias_type", "quant_spec"),
        *("num_splits", "values_count", "num", "in_data_type", "validate_indices"),
        *("precision_config", "indices_are_sorted", "unique_indices", "is_stable"),
        *("name", "composite_attributes", "composite_attributes_format", "version"),
    }
)
"""Options that say how to compute, or repeat what follows from the tensors."""

CASTS = frozenset({"CAST", "BITCAST", "MULTINOMIAL", "STABLEHLO_CONVERT", "STABLEHLO_IOTA"})
"""Operators to the type of the tensor that they write; options may say nothing."""

SHAPED = frozenset({"STABLEHLO_IOTA", "STABLEHLO_RESHAPE", "STABLEHLO_BROADCAST_IN_DIM"})
"""Operators to the sizes of the tensor that they write."""

COMPILERS = {
    "edgetpu-custom-op": "edgetpu_compiler",
    "ethos-u": "Vela, the compiler for Arm's Ethos-U",
    "DISPATCH_OP": "LiteRT's compiler for NPUs",
}
"""Custom operators that hold what a compiler made of others."""

LSTM = "UNIDIRECTIONAL_SEQUENCE_LSTM"
HIDDEN, STATE = 4, 18
"""Which of its intermediate tensors says how it rounds, and which operand is its state."""

DEEPEST = 60


def read(data: Buffer, signature: str | None = None) -> SourceModel:
    """The first graph of a file, or that of a signature; weights are views into `data`."""
    if bytes(data[4:8]) != IDENTIFIER:
        raise BadFile("no TFLite file: bytes 4 to 8 are not TFL3")
    try:
        with paused_collector():
            return Reader(data).read(signature)
    except DAMAGE as error:
        raise BadFile(f"damaged TFLite file: {describe(error)}") from None


class Reader:
    """Decodes the tables of a file."""

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self.bytes = Bytes(data)
        self.model = self.bytes.root()
        self.codes = [_code(c) for c in self.model.tables(ModelTable.OPERATOR_CODES)]
        self.graphs = self.model.tables(ModelTable.SUBGRAPHS)
        self.buffers = self.model.tables(ModelTable.BUFFERS)
        self.resources = Resources(self.assignments)
        self.decoded: dict[int, Graph] = {}

    def read(self, signature: str | None) -> SourceModel:
        """The graph that is asked for."""
        number, inputs, outputs = self._signature(signature)
        graph = self.graph(number)
        self.resources.expect(self._variables(graph))
        source = self.source(graph, 0, inputs, outputs)
        producer = self.model.text(ModelTable.DESCRIPTION) or "tflite"
        metadata = {"producer": producer} | ({"signature": signature} if signature else {})
        states = self.resources.states()
        return SourceModel("tflite", source, {"": 1}, metadata=metadata, states=states)

    def _signature(self, wanted: str | None) -> tuple[int, Mapping[int, str], Mapping[int, str]]:
        """The number of a graph, and what a signature calls its inputs and outputs."""
        signatures = self.model.tables(ModelTable.SIGNATURE_DEFS)
        found = {s.text(SignatureTable.SIGNATURE_KEY): s for s in signatures}
        chosen = next(iter(found.values()), None) if wanted is None else found.get(wanted)
        if chosen is None:
            if wanted is not None:
                known = ", ".join(found) or "none"
                raise BadFile(f"no signature {wanted!r}; the file has {known}")
            return 0, {}, {}
        number = int(chosen.number(SignatureTable.SUBGRAPH_INDEX, "I"))
        if wanted is None and number:
            return 0, {}, {}
        index, name = TensorMapTable.TENSOR_INDEX, TensorMapTable.NAME
        inputs, outputs = (
            {m.number(index, "I"): m.text(name) for m in chosen.tables(slot)}
            for slot in (SignatureTable.INPUTS, SignatureTable.OUTPUTS)
        )
        return number, inputs, outputs

    def graph(self, number: int) -> Graph:
        """One of the graphs."""
        if number not in self.decoded:
            if not 0 <= number < len(self.graphs):
                raise BadFile(f"the file has {len(self.graphs)} graphs, no {number}")
            table = self.graphs[number]
            columns = Columns(self.bytes, *table.span(SubGraphTable.TENSORS, 4))
            quantized = columns.tables(TensorTable.QUANTIZATION)
            tensors = read_tensors(columns, quantized)
            for tensor, described in zip(tensors, quantized, strict=True):
                self._set_blocks(tensor, described, tensors)
            self.decoded[number] = Graph(
                table.text(SubGraphTable.NAME),
                tensors,
                table.integers(SubGraphTable.INPUTS),
                table.integers(SubGraphTable.OUTPUTS),
                read_operators(Columns(self.bytes, *table.span(SubGraphTable.OPERATORS, 4))),
            )
        return self.decoded[number]

    def _set_blocks(self, tensor: Tensor, table: Table | None, tensors: Sequence[Tensor]) -> None:
        """Read the scales of blocks, which are tensors of the graph."""
        if table is None or table.number(QuantizationTable.DETAILS_TYPE, "B") != BLOCKWISE:
            return
        details = table.table(QuantizationTable.DETAILS)
        if details is None:
            raise BadFile(f"{tensor.name!r} has scales of blocks without blocks")
        numbers = [details.number(k, "i", 0) for k in (BlocksTable.SCALES, BlocksTable.ZERO_POINTS)]
        size = details.number(BlocksTable.BLOCK_SIZE, "i")
        held = [None if k < 0 else tensors[_index(k, len(tensors))] for k in numbers]
        scales, zeros = (None if t is None or t is tensor else self.constant(t) for t in held)
        if scales is None:
            raise Unsupported(f"{tensor.name!r} has scales of blocks that are not constant")
        if zeros is None or numbers[1] == numbers[0] or not numbers[1]:
            zeros = np.zeros(1, np.int64)
        axes = [
            k
            for k, n in enumerate(tensor.sizes)
            if size > 0
            and scales.shape == (*tensor.sizes[:k], n // size, *tensor.sizes[k + 1 :])
            and n % size == 0
        ]
        if not axes:
            text = f"{list(scales.shape)} scales of blocks of {size}"
            raise Unsupported(f"{tensor.name!r} of {list(tensor.sizes)} with {text}")
        zeros = np.broadcast_to(zeros.astype(np.int64), scales.shape)
        tensor.blocks = Blocks(scales.astype(np.float32), zeros, axes[-1], size)

    def source(
        self,
        graph: Graph,
        depth: int,
        inputs: Mapping[int, str] | None = None,
        outputs: Mapping[int, str] | None = None,
    ) -> SourceGraph:
        """A graph and the graphs in it as the translator takes them."""
        if depth > DEEPEST:
            raise BadModel(f"graphs in graphs, {DEEPEST} deep or without end")
        source = SourceGraph(graph.name)
        explicit = Explicit(source, graph.tensors)
        for position in graph.inputs:
            tensor = graph.tensors[_index(position, len(graph.tensors))]
            name = (inputs or {}).get(position)
            if name and all(t is tensor or t.name != name for t in graph.tensors):
                tensor.name = name
            kind = TensorType(tensor.precision, dims(tensor.name, tensor.sizes))
            source.inputs.append(SourceValue(tensor.name, kind if not depth else None))
        known = set(graph.inputs)
        for operator in graph.operators:
            operands, results = operator.inputs, operator.outputs
            for position in operands:
                if position == -1 or position in known:
                    continue
                tensor = graph.tensors[_index(position, len(graph.tensors))]
                if depth or not tensor.is_variable:  # else it is a state
                    self._bind_constant(source, graph, position)
                    known.add(position)
            given = self.node(operator, graph, depth)
            if (name := self.resources.name_of_state(given, depth)) is not None:
                graph.tensors[results[0]].name = name  # they are the same elements
                known.update(results)
                continue
            node = self.resources.read(given, depth)
            if node is not None and not depth:
                held = [graph.tensors[k] for k in operands if k != -1]
                self.resources.keep(node, [t for t in held if t.is_variable])
            known.update(p for p in results if p != -1)
            if node is not None:
                explicit.add(node, operands, results)
        for position in graph.outputs:
            if position not in known:
                self._bind_constant(source, graph, position)
                known.add(position)
            tensor = graph.tensors[_index(position, len(graph.tensors))]
            called = (outputs or {}).get(position) or tensor.called or None
            source.outputs.append(SourceValue(tensor.name, called=called))
        return source

    def node(self, operator: Operator, graph: Graph, depth: int) -> SourceNode:
        """An operator of a graph; its graphs are read with it."""
        name, custom = self.codes[_index(operator.code, len(self.codes))]
        inputs, outputs = operator.inputs, operator.outputs
        count = len(graph.tensors)
        names = ["" if k == -1 else graph.tensors[_index(k, count)].name for k in inputs]
        made = ["" if k == -1 else graph.tensors[_index(k, count)].name for k in outputs]
        if name == "CUSTOM":
            if custom in COMPILERS:
                raise Unsupported(
                    f"{custom!r} is a program for an accelerator in place of operators: take the "
                    f"file from before {COMPILERS[custom]}"
                )
            start, size = operator.custom
            payload = bytes(self.data[start : start + size])
            known = options(custom, payload)
            return SourceNode(custom, names, made, known, made[0] if made else "")
        attributes = schema.defaults_of(name)
        for union, number, table in operator.options:
            attributes |= schema.options(union, number, table)
        for key in attributes.keys() & SUB_GRAPHS:
            inner = self.graph(attributes.pop(key))
            attributes[key.removesuffix("_index")] = self.source(inner, depth + 1)
        if "branch_subgraph_indices" in attributes:
            numbers = attributes.pop("branch_subgraph_indices")
            inside = tuple(self.source(self.graph(n), depth + 1) for n in numbers)
            attributes["branch_subgraphs"] = inside
        kept = {k: v for k, v in attributes.items() if k not in IGNORED}
        if name in SHAPED and outputs:
            kept["out_sizes"] = graph.tensors[outputs[0]].sizes
        if name in CASTS and outputs:
            kept["out_data_type"] = graph.tensors[outputs[0]].precision
        held = operator.intermediates
        if name == LSTM and len(held) > HIDDEN and len(inputs) > STATE and outputs:
            said = held[HIDDEN], inputs[STATE], outputs[0]
            kept |= ranges_of_hidden([graph.tensors[_index(k, count)] for k in said])
        return SourceNode(name, names, made, kept, made[0] if made else "")

    def _variables(self, graph: Graph) -> Iterator[SourceNode]:
        """The operators of a graph that make handles of variables, or write these."""
        for operator in graph.operators:
            name, _ = self.codes[_index(operator.code, len(self.codes))]
            if name in ("VAR_HANDLE", "ASSIGN_VARIABLE"):
                yield self.node(operator, graph, 0)

    def assignments(self, number: int) -> Iterator[tuple[SourceNode, np.ndarray | None]]:
        """The operators of a graph that initialises variables, with what each assigns."""
        graph = self.graph(number)
        for operator in graph.operators:
            node = self.node(operator, graph, 0)
            value = None
            if node.op == "ASSIGN_VARIABLE":
                value = self.constant(graph.tensors[operator.inputs[1]])
            yield node, value

    def _bind_constant(self, source: SourceGraph, graph: Graph, position: int) -> None:
        """Give what no operator makes its data; a variable begins with zeros."""
        tensor = graph.tensors[_index(position, len(graph.tensors))]
        if tensor.name in source.weights:
            return
        data = self.constant(tensor)
        if data is not None:
            source.weights[tensor.name] = data

    def constant(self, tensor: Tensor) -> np.ndarray | None:
        """The data of a tensor as a view; None where it has none."""
        start, size = self._buffer(tensor.buffer)
        is_empty = tensor.is_variable or tensor.sparsity is not None or 0 in tensor.sizes
        if not size and not is_empty:
            return None
        if tensor.problem:
            raise Unsupported(f"{tensor.name!r} is {tensor.problem}")
        kind = tensor.precision
        count = int(np.prod(tensor.sizes, dtype=object))
        if count < 0:
            raise BadFile(f"{tensor.name!r} has the sizes {list(tensor.sizes)}")
        if not size:
            zero = np.zeros((), kind.dtype)
            return np.broadcast_to(zero, tensor.sizes)
        if tensor.sparsity is not None:
            return self._spread(tensor, tensor.sparsity, start, size)
        return self._elements(tensor, count, start, size).reshape(tensor.sizes)

    def _elements(self, tensor: Tensor, count: int, start: int, size: int) -> np.ndarray:
        kind = tensor.precision
        if stored_size(kind, count) > size:
            raise BadFile(f"{tensor.name!r} of {count} elements has {size} bytes")
        if kind in BITS:
            return unpack(np.frombuffer(self.data, np.uint8, size, start), kind, count)
        return np.frombuffer(self.data, kind.dtype, count, start)

    def _spread(self, tensor: Tensor, sparsity: Table, start: int, size: int) -> np.ndarray:
        """A sparse tensor with zeros where the file has nothing."""
        count = int(np.prod(tensor.sizes, dtype=object))
        if count > SPARE + MOST * len(self.data):
            raise BadFile(f"{tensor.name!r}: {count} elements of which few are there")
        places = places_of(sparsity, tensor.sizes, 2 * len(self.data))
        whole = np.zeros(count, tensor.precision.dtype)
        whole[places] = self._elements(tensor, len(places), start, size)
        return whole.reshape(tensor.sizes)

    def _buffer(self, number: int) -> tuple[int, int]:
        """(start, size) of a buffer; those of files over 2 GB lie behind the flatbuffer."""
        if number == 0 and not self.buffers:
            return 0, 0
        table = self.buffers[_index(number, len(self.buffers))]
        offset, size = table.number(BufferTable.OFFSET, "Q"), table.number(BufferTable.SIZE, "Q")
        if offset > 1:
            start, size = int(offset), int(size)
        else:
            start, size = table.span(BufferTable.DATA)
        if start + size > len(self.data):
            raise BadFile(f"buffer {number} ends behind the end of the file")
        return start, size


def _code(table: Table) -> tuple[str, str]:
    """The name of an operator, and that of a custom one."""
    code = max(
        table.number(OperatorCodeTable.BUILTIN_CODE, "i"),
        table.number(OperatorCodeTable.DEPRECATED_BUILTIN_CODE, "b"),
    )
    custom = table.text(OperatorCodeTable.CUSTOM_CODE)
    return schema.operator(code), custom or "a custom operator without a name"


def _index(position: int, count: int) -> int:
    if not 0 <= position < count:
        raise BadFile(f"the file refers to entry {position} of {count}")
    return position
