"""ATen sequences of different lengths, packed without what is behind their ends.

Packed data holds the first steps of all sequences, then the second ones, ...; sequences are in
order of their lengths, and `batch_sizes` says how many have each step. Layers run on what was
packed where that is known, so that nothing is packed and unpacked between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nnir import build
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import compare, generate, index, reduce, shape
from nnir.recipes.promotion import Number, to_value
from nnir.recipes.recurrent import GRU, LSTM, RELU, TANH, Kind
from nnir.records import dataclass

from ...table import Items, Table
from ...translate import Translator
from .recurrent import required_still, run_layers

table = Table()


@dataclass(frozen=True)
class Padded:
    """Sequences side by side: [T, N, ...], their lengths [N], and where packed data lies in it."""

    steps: Value
    lengths: Value
    places: Value

    def packed(self) -> Value:
        """The steps that sequences have, one after the other."""
        sizes = build.sizes_of(self.steps)
        rows = build.reshape(self.steps, [build.times(*sizes[:2]), *sizes[2:]])
        return index.gather(rows, self.places, axis=0)


def _count_along(model_of: Value, size: build.Size, axes: Sequence[int]) -> Value:
    """0, 1, ... below a size, as a row or a column."""
    return shape.unsqueeze(generate.range_([0], build.vector(model_of.model, [size]), [1]), axes)


def _places(is_there: Value) -> Value:
    """The positions of what is there among [T, N], in order."""
    return shape.squeeze(index.non_zero(build.flatten(is_there)), [0])


def _keep(translator: Translator, padded: Padded) -> Value:
    """Packed data, which is known to be made of what it was."""
    data = padded.packed()
    translator.notes[data] = padded
    return data


@table.convert("aten._pack_padded_sequence.default")
def pack(
    input: Value, lengths: Value, batch_first: bool, *, translator: Translator
) -> tuple[Value, Value]:
    """PyTorch demands that every sequence has a step, so that all have the first."""
    if input.rank < 2 or lengths.rank != 1:
        raise BadType(f"_pack_padded_sequence of {input.type} with lengths {lengths.type}")
    order = (1, 0, *range(2, input.rank))
    steps = shape.transpose(input, perm=order) if batch_first else input
    ends = build.int64(lengths)
    is_there = compare.less(
        _count_along(steps, build.size_of(steps, 0), [1]), shape.unsqueeze(ends, [0])
    )
    counts = reduce.reduce_sum(build.int64(is_there), [1], keepdim=False)
    longest = reduce.reduce_max(ends, [0], keepdim=True)
    padded = Padded(steps, ends, _places(is_there))
    return _keep(translator, padded), index.slice_(counts, [0], [0], longest)


def padded_of(translator: Translator, data: Value, batch_sizes: Value) -> Padded:
    """The sequences that data was packed of, or their like."""
    known = translator.notes.get(data)
    if isinstance(known, Padded):
        return known
    count, most = build.size_of(batch_sizes, 0), index.gather(batch_sizes, [0], axis=0)
    is_there = compare.less(_count_along(data, most, [0]), shape.unsqueeze(batch_sizes, [1]))
    places = _places(is_there)
    rows = build.vector(data.model, [build.times(count, most), *build.sizes_of(data)[1:]])
    empty = generate.fill(rows, data.scalar(0))
    whole = index.scatter_nd(empty, shape.unsqueeze(places, [1]), data)
    steps = build.reshape(whole, [count, most, *build.sizes_of(data)[1:]])
    lengths = reduce.reduce_sum(build.int64(is_there), [0], keepdim=False)
    return Padded(steps, lengths, places)


@table.convert("aten._pad_packed_sequence.default")
def pad_packed(
    data: Value,
    batch_sizes: Value,
    batch_first: bool,
    padding_value: Number,
    total_length: int | Value,
    *,
    translator: Translator,
) -> tuple[Value, Value]:
    padded = padded_of(translator, data, batch_sizes)
    longest = build.size_of(batch_sizes, 0)
    steps = index.slice_(padded.steps, [0], [0], build.vector(data.model, [longest]))
    if isinstance(total_length, Value) or total_length > 0:
        is_known = isinstance(total_length, int)
        whole = total_length if is_known else shape.reshape(total_length, [1])
        missing = build.minus(whole, longest)
        pads = build.vector(data.model, [0, missing, *[0, 0] * (steps.rank - 1)])
        steps, longest = shape.pad(steps, pads), whole
    ends = shape.unsqueeze(padded.lengths, [0])
    is_there = compare.less(_count_along(data, longest, [1]), ends)
    axes = list(range(2, steps.rank))
    filler = to_value(padding_value, steps.precision, data.model)
    made = compare.where(shape.unsqueeze(is_there, axes) if axes else is_there, steps, filler)
    order = (1, 0, *range(2, steps.rank))
    return shape.transpose(made, perm=order) if batch_first else made, padded.lengths


def _run(
    translator: Translator,
    kind: Kind,
    data: Value,
    batch_sizes: Value,
    states: Sequence[Value],
    params: Items,
    *,
    has_biases: bool,
    num_layers: int,
    bidirectional: bool,
) -> tuple[Value, ...]:
    padded = padded_of(translator, data, batch_sizes)
    steps, *last = run_layers(
        kind,
        padded.steps,
        states,
        params,
        has_biases=has_biases,
        num_layers=num_layers,
        bidirectional=bidirectional,
        batch_first=False,
        lengths=padded.lengths,
    )
    return _keep(translator, Padded(steps, padded.lengths, padded.places)), *last


@table.convert("aten.lstm.data")
def lstm(
    data: Value,
    batch_sizes: Value,
    hx: Items,
    params: Items,
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    *,
    translator: Translator,
) -> tuple[Value, ...]:
    required_still(dropout, train)
    return _run(
        translator,
        LSTM,
        data,
        batch_sizes,
        hx,
        params,
        has_biases=has_biases,
        num_layers=num_layers,
        bidirectional=bidirectional,
    )


def _one_state(kind: Kind) -> Callable[..., tuple[Value, ...]]:
    def convert(
        data: Value,
        batch_sizes: Value,
        hx: Value,
        params: Items,
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        *,
        translator: Translator,
    ) -> tuple[Value, ...]:
        required_still(dropout, train)
        return _run(
            translator,
            kind,
            data,
            batch_sizes,
            [hx],
            params,
            has_biases=has_biases,
            num_layers=num_layers,
            bidirectional=bidirectional,
        )

    return convert


for _name, _kind in (("gru", GRU), ("rnn_tanh", TANH), ("rnn_relu", RELU)):
    table.convert(f"aten.{_name}.data")(_one_state(_kind))
