"""Operators behind operators, as engines fuse and move them: on every device and by the references.

    python -m tests.hal.pairs DEVICES pairs        # each operator behind each, for all sizes
    python -m tests.hal.pairs DEVICES SEED COUNT   # random chains of three to five operators

Engines look for pairs, whatever an operator does by itself. Sizes are small, and such that an axis
of one stands for another: as many rows as columns, as many channels as taps, and ones.
"""

from __future__ import annotations

import itertools
import random
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

import nnadapter as nna
from nnir.errors import NNAdapterError
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, index, linear, norm, pool, reduce, shape, unary
from nnir.types import Precision, TensorType

SIZES = {
    2: ((2, 3), (4, 1)),
    3: ((2, 3, 4), (1, 4, 3), (3, 1, 2)),
    4: ((2, 3, 4, 5), (1, 4, 3, 3), (1, 1, 4, 2)),
    5: ((2, 3, 2, 2, 3),),
}
RELATIVE, ABSOLUTE = 1e-3, 1e-4
"""Differences that engines may have: of an element, and of the largest one."""

LARGEST = 1e4
"""Chains whose numbers grow beyond this say little."""


class Numbers:
    """Random constants of a model."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model, self.rng = model, np.random.default_rng(seed)

    def __call__(self, *sizes: object) -> Value:
        return self.model.constant(self.rng.normal(size=sizes).astype(np.float32))  # type: ignore[arg-type]

    def positive(self, *sizes: object) -> Value:
        return self.model.constant((self.rng.random(sizes) + 0.5).astype(np.float32))  # type: ignore[arg-type]


Make = Callable[[Value, Numbers], Value]
NO_STEPS: dict[str, tuple[int, int]] = {"strides": (1, 1), "dilations": (1, 1)}


def convolve(x: Value, n: Numbers, filters: int, taps: int, *, apart: bool = False) -> Value:
    channels = x.shape[1]
    count, group = (channels, channels) if apart else (filters, 1)
    kernel = n(count, 1 if apart else channels, taps, taps)
    border = (taps // 2,) * 4
    return conv.conv_2d(x, kernel, n(count), pads=border, group=group, **NO_STEPS)  # type: ignore[arg-type]


def deconvolve(x: Value, n: Numbers) -> Value:
    kernel = n(x.shape[1], 4, 2, 2)
    return conv.conv_2d_transpose(x, kernel, n(4), strides=(2, 2), dilations=(1, 1))


def normalize(x: Value, n: Numbers) -> Value:
    count = x.shape[1]
    return norm.batch_normalization(x, n(count), n(count), n(count), n.positive(count))


def norm_last(x: Value, n: Numbers) -> Value:
    last = x.shape[-1]
    return norm.layer_normalization(x, n(last), n(last), begin_norm_axis=x.rank - 1)


def reduced(x: Value, n: Numbers, name: str, ends: tuple[int, ...], *, keepdim: bool) -> Value:
    axes = sorted({k % x.rank for k in ends})
    return getattr(reduce, name)(x, axes, keepdim=keepdim)  # type: ignore[no-any-return]


def turned(x: Value) -> Value:
    return shape.transpose(x, perm=tuple(range(x.rank))[::-1])


def channels(x: Value, n: Numbers) -> Value:
    return n(1, x.shape[1], *(1,) * (x.rank - 2))


def row(x: Value, n: Numbers) -> Value:
    return n(x.shape[-1])


MAKERS: dict[str, tuple[Make, tuple[int, ...]]] = {
    "matmul": (lambda x, n: linear.mat_mul(x, n(x.shape[-1], 6)), (2, 3, 4, 5)),
    "matmul_turned": (
        lambda x, n: linear.mat_mul(x, n(6, x.shape[-1]), transpose_y=True), (2, 3, 4),
    ),
    "matmul_left": (lambda x, n: linear.mat_mul(n(3, x.shape[-2]), x), (2, 3, 4)),
    "matmul_own": (lambda x, n: linear.mat_mul(x, x, transpose_y=True), (2, 3, 4)),
    "dense": (lambda x, n: linear.fully_connected(x, n(6, x.shape[-1]), n(6)), (2, 3, 4)),
    "conv": (lambda x, n: convolve(x, n, 5, 3), (4,)),
    "point": (lambda x, n: convolve(x, n, 6, 1), (4,)),
    "depthwise": (lambda x, n: convolve(x, n, 0, 3, apart=True), (4,)),
    "deconv": (deconvolve, (4,)),
    "means": (lambda x, n: pool.average_pool_2d(x, kernel_shape=(2, 2), strides=(1, 1)), (4,)),
    "maxima": (lambda x, n: pool.max_pool_2d(x, kernel_shape=(2, 2), strides=(1, 1)), (4,)),
    "softmax": (lambda x, n: activation.softmax(x, axis=-1), (2, 3, 4)),
    "softmax_1": (lambda x, n: activation.softmax(x, axis=1), (2, 3, 4)),
    "layer_norm": (norm_last, (2, 3, 4)),
    "batch_norm": (normalize, (2, 3, 4)),
    "gather": (
        lambda x, n: index.gather(x, n.model.constant(np.array([1, 0, 1])), axis=x.rank - 1),
        (2, 3, 4, 5),
    ),
    "concat": (lambda x, n: shape.concat(x, unary.neg(x), axis=x.rank - 1), (2, 3, 4, 5)),
    "concat_1": (lambda x, n: shape.concat(x, activation.relu(x), axis=1), (2, 3, 4, 5)),
    "turned": (lambda x, n: turned(activation.tanh(x)), (2, 3, 4, 5)),
    "flat": (lambda x, n: shape.reshape(activation.sigmoid(x), [x.shape[0], -1]), (2, 3, 4, 5)),
    "sum_full": (lambda x, n: binary.add(x, n(*x.shape)), (2, 3, 4, 5)),
    "outer": (lambda x, n: binary.add(x, n(2, *x.shape)), (2, 3, 4)),
    "cut": (lambda x, n: shape.split(x, [1, x.shape[1] - 1], axis=1)[1], (3, 4)),
    **{
        f"{name}{ends}{'_kept' if keepdim else ''}": (
            partial(reduced, name=name, ends=ends, keepdim=keepdim), (2, 3, 4, 5),
        )
        for name in ("reduce_mean", "reduce_max")
        for ends in ((0,), (1,), (-1,), (-2, -1), (0, -1))
        for keepdim in (True, False)
    },
}  # fmt: skip
"""What makes a value, and the ranks of what it takes."""

FOLLOWERS: dict[str, Make] = {
    "slopes": lambda y, n: activation.prelu(y, n(y.shape[1])),
    "times_row": lambda y, n: binary.mul(y, row(y, n)),
    "plus_row": lambda y, n: binary.add(y, row(y, n)),
    "less_row": lambda y, n: binary.sub(row(y, n), y),
    "row_affine": lambda y, n: binary.add(binary.mul(y, row(y, n)), row(y, n)),
    "channel_affine": lambda y, n: binary.add(binary.mul(y, channels(y, n)), channels(y, n)),
    "first": lambda y, n: binary.mul(y, n(y.shape[0], *(1,) * (y.rank - 1))),
    "share": lambda y, n: binary.div(n(*y.shape), binary.add(unary.abs_(y), n.positive(1))),
    "plus_one": lambda y, n: binary.add(y, n(1)),
    "rectified": lambda y, n: activation.relu(binary.add(y, row(y, n))),
    "larger": lambda y, n: binary.max_(y, row(y, n)),
    "stacked": lambda y, n: shape.stack(y, y, axis=y.rank),
    "behind": lambda y, n: binary.mul(shape.unsqueeze(y, [y.rank]), n(*y.shape, 2)),
    "before": lambda y, n: binary.mul(shape.unsqueeze(y, [0]), n(2, *y.shape)),
    "line": lambda y, n: binary.mul(shape.reshape(y, [-1]), n(int(np.prod(y.shape)))),
    "turned_row": lambda y, n: binary.mul(turned(y), n(y.shape[0])),
    "swish": lambda y, n: binary.mul(y, activation.sigmoid(y)),
    "gelu": lambda y, n: activation.gelu(y),
    "residual": lambda y, n: binary.add(activation.relu(y), y),
    "mean_last": lambda y, n: reduce.reduce_mean(y, [y.rank - 1], keepdim=False),
    "sum_first": lambda y, n: reduce.reduce_sum(y, [0], keepdim=True),
    "matmul_row": lambda y, n: linear.mat_mul(y, n(y.shape[-1], 3)),
    "softmax_last": lambda y, n: activation.softmax(y, axis=-1),
    "softmax_first": lambda y, n: activation.softmax(y, axis=0),
    "square": lambda y, n: binary.mul(y, y),
}
"""What follows, of any rank that it can be of."""


def apply(name: str, value: Value, numbers: Numbers) -> Value | None:
    """What an operator makes of a value; None where it takes no such value."""
    make, ranks = MAKERS.get(name) or (FOLLOWERS[name], (1, 2, 3, 4, 5))
    if value.rank not in ranks:
        return None
    try:
        return make(value, numbers)
    except (NNAdapterError, IndexError):  # axes that it does not have
        return None


def chain(names: Sequence[str], sizes: tuple[int, ...], seed: int) -> Model | None:
    """The model of operators one behind another; None where one does not take what is there."""
    model = Model(" ".join(names))
    made: Value | None = model.input("x", TensorType(Precision.FLOAT32, sizes))
    numbers = Numbers(model, seed)
    for name in names:
        made = apply(name, made, numbers)
        if made is None:
            return None
    model.outputs = [made] if made is not None else []
    return model


def pairs() -> Iterator[tuple[Model, tuple[int, ...]]]:
    """Every follower behind every maker, of all sizes."""
    for name, (_, ranks) in MAKERS.items():
        for sizes, follower in itertools.product((s for r in ranks for s in SIZES[r]), FOLLOWERS):
            seed = zlib.crc32(f"{name} {follower} {sizes}".encode())
            model = chain((name, follower), sizes, seed)
            if model is not None:
                yield model, sizes


def chains(seed: int, count: int) -> Iterator[tuple[Model, tuple[int, ...]]]:
    """So many random ones."""
    rng = random.Random(seed)
    while count:
        first = rng.choice([*MAKERS])
        sizes = rng.choice(SIZES[rng.choice(MAKERS[first][1])])
        names = [first, *rng.choices([*MAKERS, *FOLLOWERS], k=rng.choice([2, 3, 4]))]
        model = chain(names, sizes, rng.randrange(1 << 30))
        if model is not None and model.outputs[0].rank < 6:
            count -= 1
            yield model, sizes


def problem_of(model: Model, sizes: tuple[int, ...], device: str) -> str | None:
    """What is wrong on a device; None where it gives what the references give."""
    x = np.random.default_rng(0).normal(size=sizes).astype(np.float32)
    with np.errstate(all="ignore"):
        (wanted,) = nna.compile(model)(x)
    largest = float(np.abs(wanted).max(initial=0))
    if not largest < LARGEST:
        return None
    try:
        (found,) = nna.compile(model, device)(x)
    except Exception as error:  # noqa: BLE001  all of them are told
        return f"{type(error).__name__}: {str(error)[:200]}"
    if found.shape != wanted.shape:
        return f"{found.shape}, not {wanted.shape}"
    if not np.allclose(found, wanted, RELATIVE, ABSOLUTE * max(1.0, largest)):
        return f"off by {float(np.abs(found - wanted).max())}"
    return None


def problems(
    models: Iterator[tuple[Model, tuple[int, ...]]], devices: Sequence[str], one_in: int = 1
) -> list[str]:
    """What is wrong with one in so many."""
    found = []
    for model, sizes in itertools.islice(models, 0, None, one_in):
        for device in devices:
            problem = problem_of(model, sizes, device)
            if problem is not None:
                found.append(f"{device}: {model.name} of {sizes}: {problem}")
    return found


def main() -> None:
    devices, *rest = sys.argv[1:]
    models = pairs() if rest == ["pairs"] else chains(*map(int, rest))
    found = problems(models, devices.split(","))
    sys.stdout.write("\n".join([*found, f"{len(found)} problems\n"]))


if __name__ == "__main__":
    main()
