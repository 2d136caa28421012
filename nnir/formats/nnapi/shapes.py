"""The dimensions of results, deduced from an operation; 0 is what is not known."""

from __future__ import annotations

import math
from collections.abc import Callable

from .binding import Bound, Dims
from .rules import require
from .structures import OperationType, PaddingScheme

Pair = tuple[int, int]
Deduce = Callable[[Bound], list[Dims]]

PADDINGS = (("padding_top", "padding_bottom"), ("padding_left", "padding_right"))
SPARSE = 1


def deduce(bound: Bound) -> list[Dims]:
    """The dimensions of all results; BadModel where the operands do not go together."""
    return DEDUCTIONS[bound.type](bound)


def merge(bound: Bound, number: int, deduced: Dims) -> Dims:
    """What is known of a result by its own dimensions and by those that are deduced."""
    stated = bound.dims[bound.operation.outputs[number]]
    fits = len(stated) == len(deduced) and all(
        a == b or not a or not b for a, b in zip(stated, deduced, strict=True)
    )
    found = f"{bound.type.name} gives {list(deduced)}, stated is {list(stated)}"
    require(fits, "output-dimensions", found)
    return tuple(a or b for a, b in zip(stated, deduced, strict=True))


def agree(bound: Bound, what: str, *sizes: int) -> int:
    """The one size that all of these are, where they are known."""
    known = {s for s in sizes if s}
    found = f"{bound.type.name} with {what} of {' and '.join(map(str, sorted(known)))}"
    require(len(known) < 2, "shape", found)
    return known.pop() if known else 0


def same(bound: Bound) -> list[Dims]:
    """As the input."""
    return [bound.shape("input")]


def broadcast(bound: Bound) -> list[Dims]:
    """The larger size of each axis, from the last one on."""
    a, b = bound.shape("input0"), bound.shape("input1")
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)
    return [tuple(_larger(bound, *pair) for pair in pairs)]


def _larger(bound: Bound, a: int, b: int) -> int:
    if not a or not b:  # an open size may be 1
        return max(a, b) if max(a, b) > 1 else 0
    require(a == b or 1 in (a, b), "broadcast", f"{bound.type.name} of {a} and {b} elements")
    return max(a, b)


def concatenate(bound: Bound) -> list[Dims]:
    """The sum along the axis, all else alike."""
    shapes = bound.shapes("input")
    rank = len(shapes[0])
    require(all(len(s) == rank for s in shapes), "rank", f"CONCATENATION of {shapes}")
    axis = bound.number("axis")
    if axis is None:
        return [(0,) * rank]
    require(0 <= axis < rank, "axis", f"CONCATENATION along axis {axis} of {rank}")
    sizes = [agree(bound, f"axis {k}", *(s[k] for s in shapes)) for k in range(rank) if k != axis]
    along = [s[axis] for s in shapes]
    sizes.insert(axis, sum(along) if all(along) else 0)
    return [tuple(sizes)]


# Windows


def resolve_padding(bound: Bound, sizes: Pair, extent: Pair, steps: Pair) -> list[Pair] | None:
    """(before, after) of height and width; None where it is not known."""
    if bound.form.name == "explicit":
        numbers = [(bound.number(a), bound.number(b)) for a, b in PADDINGS]
        return None if any(n is None for pair in numbers for n in pair) else numbers
    scheme = bound.number("padding_scheme")
    if scheme is None:
        return None
    if scheme != PaddingScheme.SAME:
        return [(0, 0), (0, 0)]
    if not all((*sizes, *extent)):
        return None
    return [same_padding(n, e, s) for n, e, s in zip(sizes, extent, steps, strict=True)]


def same_padding(size: int, extent: int, step: int) -> Pair:
    """As much as gives ceil(size / step) windows, the smaller half in front."""
    whole = max((-(-size // step) - 1) * step + extent - size, 0)
    return whole // 2, whole - whole // 2


def steps_of(bound: Bound) -> Pair | None:
    """Strides of height and width."""
    steps = bound.number("stride_height"), bound.number("stride_width")
    return None if None in steps else steps


def slide(bound: Bound, extent: Pair) -> Pair:
    """How many windows there are in height and width."""
    sizes, steps = bound.shape("input")[1:3], steps_of(bound)
    if steps is None:
        return 0, 0
    pairs = resolve_padding(bound, (sizes[0], sizes[1]), extent, steps)
    if pairs is None:
        return _same_counts(bound, (sizes[0], sizes[1]), steps)
    rows, columns = (_count(bound, *axis) for axis in zip(sizes, extent, steps, pairs, strict=True))
    return rows, columns


def _same_counts(bound: Bound, sizes: Pair, steps: Pair) -> Pair:
    """Under SAME the filter does not matter."""
    if bound.number("padding_scheme") != PaddingScheme.SAME:
        return 0, 0
    return -(-sizes[0] // steps[0]), -(-sizes[1] // steps[1])


def _count(bound: Bound, size: int, extent: int, step: int, pair: Pair) -> int:
    if not size or not extent:
        return 0
    room = size + sum(pair) - extent
    found = f"{bound.type.name} with a window of {extent} over {size} with a padding of {pair}"
    require(room >= 0, "window", found)
    return room // step + 1


def pool(bound: Bound) -> list[Dims]:
    """As many windows as fit."""
    batch, _, _, depth = bound.shape("input")
    extent = bound.number("filter_height", 0), bound.number("filter_width", 0)
    return [(batch, *slide(bound, extent), depth)]


def convolve(bound: Bound) -> list[Dims]:
    """As many windows as fit, one channel for each filter."""
    batch, _, _, depth = bound.shape("input")
    filters, height, width, taps = bound.shape("filter")
    agree(bound, "depths", depth, taps)
    filters = agree(bound, "filters", filters, bound.shape("bias")[0])
    return [(batch, *slide(bound, (height, width)), filters)]


def convolve_depthwise(bound: Bound) -> list[Dims]:
    """As many windows as fit, `depth_multiplier` channels for each."""
    batch, _, _, depth = bound.shape("input")
    one, height, width, filters = bound.shape("filter")
    filters = agree(bound, "filters", filters, bound.shape("bias")[0])
    times = bound.number("depth_multiplier")
    if times is not None:
        found = f"{depth} channels, multiplier {times}, filter {list(bound.shape('filter'))}"
        fits = (
            times >= 1 and one in (0, 1) and (not depth or not filters or depth * times == filters)
        )
        require(fits, "depth-multiplier", found)
        filters = filters or depth * times
    return [(batch, *slide(bound, (height, width)), filters)]


# Moving elements


def to_space(bound: Bound) -> list[Dims]:
    """Channels become pixels."""
    batch, height, width, depth = bound.shape("input")
    block = bound.number("block_size")
    if block is None:
        return [(batch, 0, 0, 0)]
    fits = block >= 1 and depth % (block * block) == 0
    require(fits, "block-size", f"DEPTH_TO_SPACE of {depth} channels in blocks of {block}")
    return [(batch, height * block, width * block, depth // (block * block))]


def to_depth(bound: Bound) -> list[Dims]:
    """Pixels become channels."""
    batch, height, width, depth = bound.shape("input")
    block = bound.number("block_size")
    if block is None:
        return [(batch, 0, 0, 0)]
    fits = block >= 1 and height % block == 0 and width % block == 0
    require(fits, "block-size", f"SPACE_TO_DEPTH of {height} x {width} in blocks of {block}")
    return [(batch, height // block, width // block, depth * block * block)]


def reshape(bound: Bound) -> list[Dims]:
    """What `shape` says."""
    given, wanted = bound.shape("input"), bound.value("shape")
    if wanted is None:
        rank = bound.shape("shape")[0] or len(bound.output().dimensions)
        return [(0,) * rank]
    sizes = tuple(int(n) for n in wanted)
    found = f"RESHAPE of {list(given)} to {list(sizes)}"
    fits = all(n >= 1 for n in sizes) and (0 in given or math.prod(given) == math.prod(sizes))
    require(fits, "elements", found)
    return [sizes]


def resize(bound: Bound) -> list[Dims]:
    """What `new_height` and `new_width` say."""
    batch, _, _, depth = bound.shape("input")
    return [(batch, bound.number("new_height", 0), bound.number("new_width", 0), depth)]


# Tables


def look_up(bound: Bound) -> list[Dims]:
    """A row for each number."""
    return [bound.shape("lookups") + bound.shape("values")[1:]]


def look_up_keys(bound: Bound) -> list[Dims]:
    """A row and a hit for each key."""
    lookups, values = bound.shape("lookups"), bound.shape("values")
    agree(bound, "keys and rows", bound.shape("keys")[0], values[0])
    return [lookups + values[1:], lookups]


def project(bound: Bound) -> list[Dims]:
    """A signature for each function, or a bit for each seed."""
    functions, bits = bound.shape("hash")
    kind = bound.number("type")
    if "weight" in bound:
        agree(bound, "weights and inputs", bound.shape("weight")[0], bound.shape("input")[0])
    if kind is None:
        return [(0,)]
    if kind == SPARSE:
        require(bits <= 32, "lsh-bits", f"LSH_PROJECTION with {bits} seeds")
        return [(functions,)]
    return [(functions * bits,)]


# Layers


def dense(bound: Bound) -> list[Dims]:
    """A row for each row of inputs."""
    given, (units, width) = bound.shape("input"), bound.shape("weights")
    units = agree(bound, "units", units, bound.shape("bias")[0])
    if 0 in given or not width:
        return [(0, units)]
    count = math.prod(given)
    found = f"FULLY_CONNECTED of {list(given)} with rows of {width}"
    require(count % width == 0, "shape", found)
    return [(count // width, units)]


def recur(bound: Bound) -> list[Dims]:
    """The state, twice."""
    batch, width = bound.shape("input")
    weights, recurrent, state = (
        bound.shape(n) for n in ("weights", "recurrent_weights", "hidden_state_in")
    )
    agree(bound, "input sizes", width, weights[1])
    sizes = weights[0], *recurrent, bound.shape("bias")[0], state[1]
    result = agree(bound, "batches", batch, state[0]), agree(bound, "units", *sizes)
    return [result, result]


def filter_in_time(bound: Bound) -> list[Dims]:
    """The memory, and a number for each unit."""
    batch, width = bound.shape("input")
    feature, time, state = (bound.shape(n) for n in ("weights_feature", "weights_time", "state_in"))
    agree(bound, "input sizes", width, feature[1])
    batch, filters = (
        agree(bound, "batches", batch, state[0]),
        agree(bound, "filters", feature[0], time[0]),
    )
    memory, rank = time[1], bound.number("rank")
    if rank is None:
        return [(batch, state[1]), (batch, 0)]
    require(
        rank >= 1 and filters % rank == 0, "svdf-rank", f"SVDF of {filters} filters, rank {rank}"
    )
    units = filters // rank
    if "bias" in bound:
        units = agree(bound, "units", units, bound.shape("bias")[0])
    stored = agree(bound, "states", state[1], (memory - 1) * filters if memory and filters else 0)
    return [(batch, stored), (batch, units)]


GATES = ("input", "forget", "cell", "output")


def remember(bound: Bound) -> list[Dims]:
    """One step of an LSTM; the scratch buffer may have 3 or 4 numbers for each unit."""
    batch, width = bound.shape("input")
    outputs, cells = bound.shape("output_state_in"), bound.shape("cell_state_in")
    units = [cells[1]]
    rows = [
        n
        for n in (f"{a}_to_{g}_weights" for a in ("input", "recurrent") for g in GATES)
        if n in bound
    ]
    columns = {"input": [width], "recurrent": [outputs[1]]}
    for name in rows:
        shape = bound.shape(name)
        units.append(shape[0])
        columns[name.partition("_")[0]].append(shape[1])
    vectors = (*(f"cell_to_{g}_weights" for g in GATES if g != "cell"), "input_gate_bias")
    vectors += ("forget_gate_bias", "cell_bias", "output_gate_bias")
    units += [bound.shape(name)[0] for name in vectors if name in bound]
    agree(bound, "input sizes", *columns["input"])
    if "projection_weights" in bound:
        out, inner = bound.shape("projection_weights")
        units.append(inner)
        columns["recurrent"].append(out)
    else:
        columns["recurrent"].append(cells[1])
    if "projection_bias" in bound:
        columns["recurrent"].append(bound.shape("projection_bias")[0])
    batch = agree(bound, "batches", batch, outputs[0], cells[0])
    count, size = agree(bound, "units", *units), agree(bound, "output sizes", *columns["recurrent"])
    return [(batch, _scratch(bound, count)), (batch, size), (batch, count), (batch, size)]


def _scratch(bound: Bound, units: int) -> int:
    """The text says 4 with and 3 without coupled gates, TensorFlow Lite the reverse: both are
    taken; by default what TensorFlow Lite needs."""
    stated = bound.dims[bound.operation.outputs[0]][1]
    if stated in (3 * units, 4 * units):
        return stated
    return (4 if "input_to_input_weights" in bound else 3) * units


DEDUCTIONS: dict[OperationType, Deduce] = {
    OperationType.ADD: broadcast,
    OperationType.AVERAGE_POOL_2D: pool,
    OperationType.CONCATENATION: concatenate,
    OperationType.CONV_2D: convolve,
    OperationType.DEPTHWISE_CONV_2D: convolve_depthwise,
    OperationType.DEPTH_TO_SPACE: to_space,
    OperationType.DEQUANTIZE: same,
    OperationType.EMBEDDING_LOOKUP: look_up,
    OperationType.FLOOR: same,
    OperationType.FULLY_CONNECTED: dense,
    OperationType.HASHTABLE_LOOKUP: look_up_keys,
    OperationType.L2_NORMALIZATION: same,
    OperationType.L2_POOL_2D: pool,
    OperationType.LOCAL_RESPONSE_NORMALIZATION: same,
    OperationType.LOGISTIC: same,
    OperationType.LSH_PROJECTION: project,
    OperationType.LSTM: remember,
    OperationType.MAX_POOL_2D: pool,
    OperationType.MUL: broadcast,
    OperationType.RELU: same,
    OperationType.RELU1: same,
    OperationType.RELU6: same,
    OperationType.RESHAPE: reshape,
    OperationType.RESIZE_BILINEAR: resize,
    OperationType.RNN: recur,
    OperationType.SOFTMAX: same,
    OperationType.SPACE_TO_DEPTH: to_depth,
    OperationType.SVDF: filter_in_time,
    OperationType.TANH: same,
}
