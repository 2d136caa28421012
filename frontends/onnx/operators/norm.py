"""ONNX normalisations."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import generate, norm, reduce, shape, unary
from nnir.types import Precision

from ...table import Table, Wanted

table = Table()
Results = Value | tuple[Value, ...]


def _statistics(x: Value, axes: list[int], *, keepdim: bool = True) -> tuple[Value, Value]:
    """Mean and population variance, in float32 where the input has 16 bits."""
    wide = norm.computing(x)
    mean = reduce.reduce_mean(wide, axes, keepdim=True)
    power = unary.square(wide - mean)
    variance = reduce.reduce_mean(power, axes, keepdim=keepdim)
    return (mean if keepdim else shape.squeeze(mean, axes)), variance


@table.convert("BatchNormalization", since=14)
def batch_normalization(
    x: Value,
    scale: Value,
    b: Value,
    input_mean: Value,
    input_var: Value,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
    wanted: Wanted,
) -> Results:
    if not training_mode:
        if wanted > 1:
            raise Unsupported(f"BatchNormalization with {wanted} outputs and training_mode=0")
        return _channels(x, scale, b, input_mean, input_var, epsilon)
    axes = [a for a in range(x.rank) if a != 1]
    mean, variance = _statistics(x, axes, keepdim=False)
    result = _channels(x, scale, b, mean, variance, epsilon)
    running = (_running(o, n, momentum) for o, n in ((input_mean, mean), (input_var, variance)))
    return (result, *running)


def _channels(
    x: Value, scale: Value, b: Value, mean: Value, variance: Value, epsilon: float
) -> Value:
    if x.rank == 1:
        lifted = shape.unsqueeze(x, [1])
        return shape.squeeze(_channels(lifted, scale, b, mean, variance, epsilon), [1])
    return norm.batch_normalization(x, scale, b, mean, variance, epsilon=epsilon)


def _running(old: Value, new: Value, momentum: float) -> Value:
    wide = norm.same_precision(new, old)
    return old * momentum + wide * (1 - momentum)


@table.convert("BatchNormalization", since=7)
def batch_normalization_7(
    x: Value,
    scale: Value,
    b: Value,
    mean: Value,
    var: Value,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    spatial: int = 1,
    wanted: Wanted,
) -> Results:
    if wanted == 1 and not spatial:
        return _each(x, scale, b, mean, var, epsilon)
    if not spatial:
        raise Unsupported("BatchNormalization that trains with spatial=0")
    training = int(wanted > 1)
    given = {"epsilon": epsilon, "momentum": momentum, "training_mode": training}
    results = batch_normalization(x, scale, b, mean, var, wanted=Wanted(min(wanted, 3)), **given)
    if not isinstance(results, tuple):
        return results
    saved = _statistics(x, [a for a in range(x.rank) if a != 1], keepdim=False)
    return (*results, *(norm.same_precision(v, mean) for v in saved))


def _each(x: Value, scale: Value, b: Value, mean: Value, var: Value, epsilon: float) -> Value:
    """Every element has statistics of its own."""
    spread = unary.sqrt(var + epsilon)
    return (x - mean) / spread * scale + b


@table.convert("BatchNormalization", since=1)
def batch_normalization_1(
    x: Value,
    scale: Value,
    b: Value,
    mean: Value,
    var: Value,
    *,
    consumed_inputs: tuple[int, ...] | None = None,
    epsilon: float = 1e-5,
    is_test: int = 0,
    momentum: float = 0.9,
    spatial: int = 1,
    wanted: Wanted,
) -> Results:
    if is_test and wanted > 1:
        raise Unsupported(f"BatchNormalization with {wanted} outputs and is_test=1")
    if is_test or wanted > 1:
        given = {"epsilon": epsilon, "momentum": momentum, "spatial": spatial}
        return batch_normalization_7(x, scale, b, mean, var, wanted=wanted, **given)
    if not spatial:
        raise Unsupported("BatchNormalization that trains with spatial=0")
    trained = {"epsilon": epsilon, "momentum": momentum, "training_mode": 1}
    results = batch_normalization(x, scale, b, mean, var, wanted=Wanted(3), **trained)
    return results[0] if isinstance(results, tuple) else results


@table.convert("InstanceNormalization")
def instance_normalization(
    input: Value,
    scale: Value,
    b: Value,
    *,
    consumed_inputs: tuple[int, ...] | None = None,
    epsilon: float = 1e-5,
) -> Value:
    return norm.instance_normalization(input, scale, b, epsilon=epsilon)


def _to_stash_type(x: Value, stash_type: int, op: str) -> Value:
    """`x` in the precision of the statistics; float64 is not narrowed."""
    match stash_type:
        case 1:
            return norm.computing(x)
        case 11:
            return unary.cast(x, dtype=Precision.FLOAT64)
    raise Unsupported(f"{op} with stash_type={stash_type}")


@table.convert("LayerNormalization", since=17)
def layer_normalization(
    x: Value,
    scale: Value,
    b: Value | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    wanted: Wanted,
) -> Results:
    begin = axis_of(axis, x.rank)
    wide = _to_stash_type(x, stash_type, "LayerNormalization")
    trailing = x.shape[begin:]
    if scale.shape == trailing and (b is None or b.shape == trailing) and wide.rank == x.rank:
        bias = (
            generate.fill_like(scale, scale.model.constant(np.zeros(1, scale.dtype)))
            if b is None
            else b
        )
        given = {"begin_norm_axis": begin, "epsilon": epsilon}
        result = norm.layer_normalization(x, scale, bias, **given)
    else:
        mean, variance = _statistics(x, list(range(begin, x.rank)))
        spread = unary.sqrt(variance + epsilon)
        even = norm.same_precision((wide - mean) / spread, x)
        result = even * scale
        result = result if b is None else result + b
    if wanted == 1:
        return result
    mean, variance = _statistics(wide, list(range(begin, x.rank)))
    return result, mean, unary.reciprocal(unary.sqrt(variance + epsilon))


@table.convert("GroupNormalization", since=21)
def group_normalization(
    x: Value,
    scale: Value,
    bias: Value,
    *,
    epsilon: float = 1e-5,
    num_groups: int,
    stash_type: int = 1,
) -> Value:
    if stash_type not in (1, 11):
        raise Unsupported(f"GroupNormalization with stash_type={stash_type}")
    return norm.group_normalization(x, scale, bias, epsilon=epsilon, groups=num_groups)


@table.convert("GroupNormalization", since=18)
def group_normalization_18(
    x: Value, scale: Value, bias: Value, *, epsilon: float = 1e-5, num_groups: int
) -> Value:
    """Opset 18 has one scale and bias per group instead of per channel."""
    each = build.over(build.size_of(x, 1), num_groups)

    def spread(value: Value) -> Value:
        column = shape.reshape(value, [num_groups, 1])
        wide = shape.expand(column, build.vector(x.model, [num_groups, each]))
        return shape.reshape(wide, [-1])

    return group_normalization(
        x, spread(scale), spread(bias), epsilon=epsilon, num_groups=num_groups
    )


@table.convert("RMSNormalization", since=23)
def rms_normalization(
    x: Value, scale: Value, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Value:
    if stash_type not in (1, 11):
        raise Unsupported(f"RMSNormalization with stash_type={stash_type}")
    result = norm.rms_normalization(x, scale, begin_norm_axis=axis, epsilon=epsilon)
    return norm.same_precision(result, scale)


@table.convert("LRN")
def lrn(
    x: Value, *, alpha: float = 0.0001, beta: float = 0.75, bias: float = 1.0, size: int
) -> Value:
    return norm.lrn(x, size=size, bias=bias, alpha=alpha, beta=beta)


@table.convert("LpNormalization")
def lp_normalization(input: Value, *, axis: int = -1, p: int = 2) -> Value:
    if p not in (1, 2):
        raise BadType(f"LpNormalization with p={p}: 1 or 2 is needed")
    # The smallest number changes no norm but 0, which then gives 0 as ONNX wants.
    kind = np.float64 if input.dtype == np.float64 else np.float32
    smallest = float(np.finfo(kind).smallest_subnormal)
    return norm.lp_normalization(input, axis=axis, p=p, epsilon=smallest)


@table.convert("MeanVarianceNormalization", since=9)
def mean_variance_normalization(x: Value, *, axes: tuple[int, ...] = (0, 2, 3)) -> Value:
    """The body of ONNX's function: the variance is E[x^2] - E[x]^2."""
    mean = reduce.reduce_mean(x, list(axes), keepdim=True)
    power = reduce.reduce_mean(unary.square(x), list(axes), keepdim=True)
    deviation = unary.sqrt(power - unary.square(mean))
    return (x - mean) / (deviation + 1e-9)
