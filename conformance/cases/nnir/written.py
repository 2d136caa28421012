"""Models that are written too: each device that writes files must give the same model again.

On the others they are models like any other. What is checked of a file says
`conformance.engines.written`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from nnir.model import Model
from nnir.ops import (
    activation,
    attention,
    binary,
    compare,
    control,
    index,
    linear,
    logic,
    norm,
    pool,
    quant,
    reduce,
    resize,
    shape,
    signal,
    sort,
    unary,
)
from nnir.provenance import Place
from nnir.types import InterpolateMode, PadMode, Precision

from ...case import Const, Tolerance, f, i, rand, scalar
from .chains import BYTES, COARSE, INSIDE, Chain, between, in_blocks
from .chains import blind as seen_by_few
from .control import LOOP, RELU, SUM
from .graph import Open, Step


@dataclass(frozen=True)
class Written(Chain):
    """A model that is written, with names for its inputs and then its outputs.

    `opset`: the operator set of ONNX that its file has where none is asked for, and `lowest` the
    lowest one that it can be written for. It is written for all from there on; None where it is
    about none. `noted`: the format of which `written.json` says the nodes; `make_written` writes
    it, and its difference is what a change of a lowering did.
    """

    names: tuple[str, ...] = ()
    opset: int | None = None
    lowest: int = 13
    noted: str = ""

    def __str__(self) -> str:
        return f"{self.op}-written-{self.why}"

    def model(self) -> Model:
        """The model, with its names, and a line of code for each operation."""
        model = super().model()
        count = len(model.inputs)
        for value, name in zip(model.inputs, self.names[:count], strict=bool(self.names)):
            value.name = name
        model.output_names = [*self.names[count:]]
        for k, operation in enumerate(model.operations):
            operation.origin = f"step {k}"
            model.provenance.places[operation.origin] = Place(f"net.{k}", f"net.py:{k}")
        return model


FILE = Path(__file__).with_name("written.json")
HALF = Tolerance(relative=2e-3, absolute=2e-3)
LOOSE = Tolerance(absolute=0.3)
"""ONNX Runtime by itself rounds what it multiplies with a few bits to 8."""

IMAGE = rand(1, 2, 4, 4)
LINE = f(3, -1, 0.5, 2)
WEIGHT = Const(rand(4, 300))
SMALL = Const(f(1, 2, 3, 4))
ADDED = Step(binary.add, (0, SMALL))


def _names() -> Iterator[Written]:
    """Ends that are called as something else may be, and what no node can give a name."""

    def named(why: str, steps: tuple[Step, ...], names: str, *outputs: int) -> Written:
        return Written((LINE,), steps, why, outputs, names=tuple(names.split()))

    rectified = Step(activation.relu, (1,))
    yield named("names of nodes", (ADDED, rectified), "Add Relu", 2)
    yield named("names of constants", (ADDED, rectified), "const weight", 2)
    yield named("names that are crossed", (ADDED, rectified), "Relu Add const", 1, 2)
    yield named("one that others read", (ADDED, rectified), "x sum most", 1, 2)
    yield named("an input", (ADDED,), "x same sum", 0, 1)
    yield named("one twice", (ADDED,), "x one other", 1, 1)
    yield named(
        "large and small weights", (Step(linear.mat_mul, (0, WEIGHT)), ADDED), "x y z", 1, 2
    )
    pieces = Step(shape.split, (0, Const(i(1, 3))), {"axis": 0})
    yield named("pieces", (pieces,), "x short long", 1, 2)
    yield named("the second piece", (pieces,), "x long", 2)
    turns = Step(shape.transpose, (1,), {"perm": (1, 0)}), Step(activation.tanh, (2,))
    flat = Step(shape.reshape, (0, Const(i(2, 2))))
    yield named("what is moved", (flat, *turns), "x flat turned", 1, 3)
    count = Step(shape.shape, (0,), {"dtype": Precision.INT32})
    yield named("a size", (count, ADDED), "x count sum", 1, 2)


NARROW = (ml_dtypes.int2, ml_dtypes.uint2, ml_dtypes.int4, ml_dtypes.uint4)


def _narrow_ends() -> Iterator[Written]:
    """Ends of few bits, which no kernel copies: they have their names all the same."""
    square = Step(shape.reshape, (0, Const(i(2, 2))))
    for kind in (*NARROW, ml_dtypes.float8_e8m0fnu):
        given = np.array([1, 0.5, 1, 1]).astype(kind)
        for outputs, names in (((1,), "x y"), ((0, 1), "x same y"), ((1, 1), "x one other")):
            why = f"{np.dtype(kind).name}, {names}"
            yield Written((given,), (square,), why, outputs, names=tuple(names.split()))
    whole = {"dtype": Precision.INT4}
    small = Step(quant.quantize_linear, (0, Const(scalar(0.5)), None), whole)
    yield Written((LINE,), (small,), "int4 that is made", (1,), names=("x", "y"))


def _open() -> Iterator[Written]:
    """Sizes that have names, and what is computed of them."""
    data = Open(rand(2, 3, 4), ("batch", 3, "time"))
    joined = Step(shape.concat, (0, 0), {"axis": 2})
    spread = Step(shape.reshape, (1, Const(i(0, -1))))
    yield Written((data,), (joined,), "twice an open size", names=("x", "y"))
    yield Written((data,), (joined, spread), "a product of open sizes", names=("x", "y"))
    mean = Step(reduce.reduce_mean, (0, Const(i(1))), {"keepdim": False})
    yield Written((data,), (mean, joined), "open sizes", (1, 2), names=("x", "mean", "both"))


def _blocks() -> Iterator[Written]:
    """Branches and loops: what is inside them reads what is around them."""
    pair, yes = (rand(2, 3), rand(2, 3, seed=1)), np.array(True)
    for then, other in ((SUM, RELU), (RELU, SUM)):
        given: dict[str, Any] = {"then_model": then, "else_model": other}
        both = Step(activation.tanh, (1,)), Step(control.if_, (0, 3, 2), given)
        for outputs, names in (((4, 5), "c a b x y"), ((3, 4, 5), "c a b t x y")):
            why = f"{then.name} or else {other.name}, {len(outputs)} results"
            yield Written((yes, *pair), both, why, outputs, names=tuple(names.split()))
    state = np.array([True]), i(0), f(1, 3, -8), f(0.5, 2, -0.25)
    ends = ("go", "count", "x", "step", "end", "last", "all")
    loop = Step(control.while_, (0, 1, 2, 3), LOOP)
    yield Written(state, (loop,), "a loop", (4, 5, 6), names=ends)


KINDS = (
    *(np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64),
    *(np.float16, ml_dtypes.bfloat16, np.float32, np.float64),
)


def _types() -> Iterator[Written]:
    """A constant of each element type, which is chosen or not."""
    for kind in KINDS:
        numbers = np.array([0, 1, 1, 0]).astype(kind)
        choice = Step(compare.where, (0, 1, Const(numbers[::-1].copy())))
        name = np.dtype(kind).name
        mask = np.array([True, False, True, False])
        yield Written((mask, numbers), (choice,), name, names=("mask", "x", "y"))


FOLDS = (
    *(reduce.reduce_mean, reduce.reduce_max, reduce.reduce_min, reduce.reduce_prod),
    *(reduce.reduce_sum, reduce.reduce_log_sum_exp),
)


def row(why: str, opset: int, step: Step, *data: np.ndarray, lowest: int = 13) -> Written:
    """What is written for every operator set from the lowest one on."""
    why = f"for every opset, {why}"
    return Written(data or (IMAGE,), (step,), why, opset=opset, lowest=lowest)


def _sets() -> Iterator[Written]:
    """What ONNX writes otherwise in older operator sets, or has not in them."""

    for operator in FOLDS:
        several = operator is reduce.reduce_mean
        for axes in ((1, 3), (0, 1, 2, 3), (-1,)) if several else ((1, 3),):
            step = Step(operator, (0, Const(i(*axes))), {"keepdim": several})
            yield row(f"axes {axes}", 13, step)
    yield row("GELU", 20, Step(activation.gelu, (0,)))
    yield row("GELU by tanh", 20, Step(activation.gelu, (0,), {"approximate": True}))
    swish = {"alpha": 1 / 6, "beta": 0.5}
    yield row("HARD_SWISH", 13, Step(activation.hard_swish, (0,), swish))
    parts = Const(f(1, 2, 3, 4)), Const(f(0, 1, 0, 1))
    given = {"begin_norm_axis": 3, "epsilon": 1e-5}
    yield row("LAYER_NORMALIZATION", 17, Step(norm.layer_normalization, (0, *parts), given))
    for mode in (PadMode.CONSTANT, PadMode.REFLECT, PadMode.EDGE, PadMode.WRAP):
        for pads in ((0, 0, 0, 0, 1, 2, 3, 0), (0, 0, 0, 0, -1, 2, 0, -1)):
            step = Step(shape.pad, (0, Const(i(*pads)), None), {"mode": mode})
            opset = 19 if mode == PadMode.WRAP else 13
            yield row(f"{mode.name} by {pads}", opset, step)
    for sizes in ((1, 3), (2, 2)):
        step = Step(shape.split, (0, Const(i(*sizes))), {"axis": 2})
        yield row(f"pieces of {sizes}", 13, step)
    yield row("UNSTACK", 13, Step(shape.unstack, (0,), {"axis": 1, "num": 2}))
    for shape_to in ((2, -1), (0, 0, -1), (4, 8)):
        step = Step(shape.reshape, (0, Const(i(*shape_to))))
        yield row(f"RESHAPE to {shape_to}", 13, step)


def _later() -> Iterator[Written]:
    """Windows, positions and narrow types, of which newer operator sets have more."""
    window: dict[str, Any] = {"kernel_shape": (2, 2), "strides": (1, 2), "pads": (0, 1, 0, 1)}
    for counts in (True, False):
        step = Step(pool.average_pool_2d, (0,), window | {"count_include_pad": counts})
        yield row(f"averages, padding counts {counts}", 13, step)
    for indices in (True, False):
        step = Step(pool.max_pool_2d, (0,), window | {"return_indices": indices})
        yield row(f"maxima, positions {indices}", 15 if indices else 13, step)
    for how, opset in {"none": 13, "add": 16, "mul": 16, "max": 18}.items():
        step = Step(
            index.scatter_nd, (0, Const(i([0, 1])), Const(rand(1, 4, 4))), {"reduction": how}
        )
        yield row(f"SCATTER_ND by {how}", opset, step)
    yield row("bits", 18, Step(logic.bitwise_and, (0, Const(i(5)))), i(12, 7, 6))
    yield row("DFT", 13, Step(signal.dft, (0, None, Const(i(1)))), rand(2, 4, 1))
    yield row("dropped axes", 13, Step(shape.squeeze, (0, Const(i(0)))))
    yield row("the largest two", 13, Step(sort.top_k, (0, Const(i(2))), {"axis": 3}))
    to = {"dtype": Precision.FLOAT8E4M3FN}
    yield row("8-bit floats", 19, Step(unary.cast, (0,), to), lowest=19)
    scale, zero = Const(scalar(0.1)), Const(scalar(3, np.int8))
    yield row("INT8", 13, Step(quant.quantize_linear, (0, scale, zero), {"dtype": Precision.INT8}))
    narrow = Step(quant.quantize_linear, (0, scale, None), {"dtype": Precision.INT16})
    yield row("INT16", 21, narrow)
    yield row(
        "DEQUANTIZE", 13, Step(quant.dequantize_linear, (0, scale, zero)), i(1, -7, dtype=np.int8)
    )
    grid = rand(1, 3, 2, 2, low=-1.2, high=1.2)
    for mode in (InterpolateMode.BILINEAR, InterpolateMode.NEAREST):
        given = {"align_corners": False, "mode": mode, "pad_mode": PadMode.CONSTANT}
        step = Step(resize.grid_sample, (0, 1), given)
        yield row(f"GRID_SAMPLE, {mode.name}", 16, step, IMAGE, grid)


def _integers() -> Iterator[Written]:
    """What is computed in integers alone in a `.tflite` file, also where sizes are open."""
    for why, steps in INSIDE.items():
        chain = between(why, steps, np.int8, COARSE)
        for opened in (False, True):
            data: np.ndarray | Open = chain.inputs[0]
            if opened:
                data = Open(BYTES, ("n", *BYTES.shape[1:]))
            name = f"integers, {why}{', open' if opened else ''}"
            yield Written((data,), chain.steps, name, noted=".tflite", tol=chain.tol)


def _halves() -> Iterator[Written]:
    """Halves of an `.onnx` file stay halves: what computes wider does so by itself."""
    data = rand(1, 2, 4, 4, dtype=np.float16)
    given: dict[str, Any] = {"kernel_shape": (2, 2), "strides": (2, 2)}
    steps = {
        "maxima": Step(pool.max_pool_2d, (0,), given),
        "averages": Step(pool.average_pool_2d, (0,), given),
        "sums": Step(reduce.reduce_sum, (0, Const(i(3))), {"keepdim": False}),
        "means": Step(reduce.reduce_mean, (0, Const(i(1, 2))), {"keepdim": True}),
        "running sums": Step(reduce.cum_sum, (0, Const(np.array(3)))),
        "products": Step(linear.mat_mul, (0, 0), {"transpose_y": True}),
        "odds": Step(activation.softmax, (0,), {"axis": -1}),
    }
    for why, step in steps.items():
        yield Written((data,), (step,), f"halves, {why}", noted=".onnx", tol=HALF)


def _blocks_of_few() -> Iterator[Written]:
    """Products with integers in blocks, whose form engines know and make one kernel of."""
    for chain in in_blocks():
        yield Written(chain.inputs, chain.steps, chain.why, tol=LOOSE, noted=".onnx")


def _pools() -> Iterator[Written]:
    """Borders in front of pools, which engines move into them, and types that have no pool."""
    border = Step(shape.pad, (1, Const(i(0, 0, 0, 0, 1, 1, 1, 1)), None))
    below = Step(binary.sub, (0, Const(scalar(5))))
    for operator, size in ((pool.max_pool_2d, 2), (pool.average_pool_2d, 1)):
        given = {"kernel_shape": (size, size), "strides": (size, size)}
        steps = (below, border, Step(operator, (2,), given))
        why = f"for every opset, a border in front of {operator.name}"
        yield Written((IMAGE,), steps, why, opset=18)
    plain: dict[str, Any] = {"kernel_shape": (2, 3), "strides": (1, 2)}
    for dilations, opset in (((1, 1), 13), ((2, 1), 19)):
        mean = Step(pool.average_pool, (0,), {**plain, "dilations": dilations})
        yield row(f"means, dilations {dilations}", opset, mean)
    window = Step(pool.max_pool_2d, (0,), plain)
    for kind in (np.int8, np.int16, np.int32, np.int64, ml_dtypes.bfloat16):
        data = rand(1, 2, 4, 4, dtype=np.int64, low=-9, high=9).astype(kind)
        why = f"maxima of {np.dtype(kind).name}"
        yield Written((data,), (window,), why, noted=".onnx")


def _own_kernels() -> Iterator[Written]:
    """What ONNX Runtime has a kernel of its own for, which no file names."""
    given: dict[str, Any] = {"begin_norm_axis": -1, "epsilon": 1e-5}
    rms = Step(norm.rms_normalization, (0, SMALL), given)
    yield Written((IMAGE,), (rms,), "a norm of its own", noted=".onnx")
    query, key = rand(1, 2, 16), rand(1, 2, 8, seed=1)
    given = {"q_num_heads": 2, "kv_num_heads": 1}
    ends = Const(i(1)), Const(np.array(2, np.int32))
    heads = Step(attention.group_query_attention, (0, 1, 1, *ends), given)
    yield Written((query, key), (heads,), "heads of its own", (2,), noted=".onnx")
    blind = next(c for c in seen_by_few() if "some see nothing" in c.why)
    yield Written(blind.inputs, blind.steps, "some see nothing", noted=".onnx")


CHAINS = [
    *_names(),
    *_narrow_ends(),
    *_open(),
    *_blocks(),
    *_types(),
    *_sets(),
    *_later(),
    *_integers(),
    *_halves(),
    *_blocks_of_few(),
    *_pools(),
    *_own_kernels(),
]
