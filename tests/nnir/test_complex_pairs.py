"""Models without complex numbers give what models with them give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hal.runtime.program import Program
from nnir.check import check
from nnir.errors import NoLowering
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import (
    activation,
    binary,
    compare,
    complex,
    generate,
    index,
    linear,
    reduce,
    shape,
    unary,
)
from nnir.pairs import as_pairs
from nnir.passes.complex_functions import RULES
from nnir.passes.complex_pairs import longer
from nnir.types import PadMode, Precision, TensorType

RNG = np.random.default_rng(0)
SIZES = (2, 3, 3)
Build = Callable[[Value, Value], Value]
F64, C128 = Precision.FLOAT64, Precision.COMPLEX128


def number(x: Value) -> Value:
    return x.model.constant(1 - 2j, np.complex64)


def at(x: Value) -> Value:
    return x.model.constant([[0, 2], [1, -1]], np.int64)


def of_more(name: str) -> Build:
    """A function of numbers that lie farther away."""
    return lambda z, w: getattr(unary, name)(binary.mul(z, number(z)))


STEPS: dict[str, Build] = {
    "add": lambda z, w: binary.add(z, w),
    "sub": lambda z, w: binary.sub(z, number(w)),
    "mul": lambda z, w: binary.mul(z, w),
    "mul by a number": lambda z, w: binary.mul(number(z), w),
    "broadcast": lambda z, w: binary.mul(z, index.gather(w, [1], axis=0)),
    "div": lambda z, w: binary.div(z, w),
    "neg": lambda z, w: unary.neg(z),
    "square": lambda z, w: unary.square(z),
    "reciprocal": lambda z, w: unary.reciprocal(w),
    "exp": lambda z, w: unary.exp(z),
    "abs": lambda z, w: unary.abs_(z),
    "angle": lambda z, w: complex.angle(z),
    "equal": lambda z, w: compare.equal(z, compare.where(complex.real(z) < 0, z, w)),
    "not_equal": lambda z, w: compare.not_equal(z, compare.where(complex.real(z) < 0, z, w)),
    "non_zero": lambda z, w: index.gather(
        index.non_zero(compare.where(complex.real(z) < 0, z, z - z)), [0, 1], axis=1
    ),
    "of what is not 0": lambda z, w: unary.cast(
        compare.where(complex.real(z) < 0, z, z - z), dtype=Precision.BOOL8
    ),
    "pow": lambda z, w: binary.pow_(z, w),
    "pow of 0": lambda z, w: binary.pow_(z - z, compare.where(complex.real(w) < 0, w, w - w)),
    "third power": lambda z, w: binary.pow_(z, z.model.constant(3, np.complex64)),
    "pow by a number": lambda z, w: binary.pow_(z, number(z)),
    **{
        name: of_more(name)
        for name in (
            *("log", "log2", "log10", "log1p", "expm1", "sqrt", "rsqrt"),
            *("sin", "cos", "tan", "sinh", "cosh"),
        )
    },
    "tanh": lambda z, w: activation.tanh(binary.mul(z, number(z))),
    "sigmoid": lambda z, w: activation.sigmoid(binary.mul(z, number(z))),
    "swish": lambda z, w: activation.swish(binary.mul(z, number(z))),
    "meshgrid": lambda z, w: generate.meshgrid(
        index.gather_nd(z, z.model.constant([[0, 1, 0], [1, 1, 2]], np.int64)),
        w.model.constant([1j, 2], np.complex64),
    )[1],
    "channel_shuffle": lambda z, w: index.channel_shuffle(z, group=3),
    "gather_elements": lambda z, w: index.gather_elements(
        z, z.model.constant(np.ones((2, 1, 3)), np.int64), axis=-2
    ),
    "scatter_elements": lambda z, w: index.scatter_elements(
        z, z.model.constant(np.ones((2, 1, 3)), np.int64), index.slice_(w, [1], [0], [1]), axis=1
    ),
    "cum_sum": lambda z, w: reduce.cum_sum(z, -2),
    "fully_connected": lambda z, w: linear.fully_connected(
        shape.reshape(z, [6, 3]),
        shape.reshape(w, [6, 3]),
        z.model.constant(np.arange(6) * 1j, np.complex64),
    ),
    "conj": lambda z, w: complex.conj(z),
    "assign": lambda z, w: unary.assign(z),
    "polar": lambda z, w: complex.polar(unary.abs_(z), complex.real(w)),
    "complex": lambda z, w: complex.complex_(complex.real(z), complex.imag(w)),
    "complex of a number": lambda z, w: complex.complex_(
        complex.real(z), z.model.constant([1.5], np.float32)
    ),
    "wider": lambda z, w: unary.cast(unary.cast(z, dtype=C128), dtype=Precision.COMPLEX64),
    "of real": lambda z, w: unary.cast(complex.imag(z), dtype=Precision.COMPLEX64),
    "of its real part": lambda z, w: unary.cast(
        unary.cast(z, dtype=F64), dtype=Precision.COMPLEX64
    ),
    "mat_mul": lambda z, w: linear.mat_mul(z, w, transpose_y=True),
    "einsum": lambda z, w: linear.einsum(z, w, z, equation="bij,bjk,bkl->bil"),
    "einsum of four": lambda z, w: linear.einsum(z, w, z, w, equation="bij,bjk,bkl,blm->bim"),
    "einsum of one": lambda z, w: linear.einsum(z, equation="bii->i"),
    "reshape": lambda z, w: shape.reshape(z, [0, -1]),
    "reshape_exact": lambda z, w: shape.reshape_exact(z, [3, 6]),
    "expand": lambda z, w: shape.expand(z, [4, -1, 3, 3]),
    "tile": lambda z, w: shape.tile(z, [2, 1]),
    "transpose": lambda z, w: shape.transpose(z, perm=(1, 2, 0)),
    "reverse": lambda z, w: shape.transpose(z),
    "concat": lambda z, w: shape.concat(z, w, axis=-1),
    "stack": lambda z, w: shape.stack(z, w, axis=-1),
    "split": lambda z, w: shape.split(z, [1, 2], axis=-1)[1],
    "unstack": lambda z, w: shape.unstack(z, axis=-1, num=3)[2],
    "unsqueeze": lambda z, w: shape.unsqueeze(z, [-1, 0]),
    "squeeze": lambda z, w: shape.squeeze(shape.unsqueeze(z, [-1, 0])),
    "squeeze one": lambda z, w: shape.squeeze(shape.unsqueeze(z, [-1, 0]), [-1]),
    "flatten": lambda z, w: shape.flatten(z, start_axis=-2, end_axis=-1),
    "flatten a number": lambda z, w: shape.flatten(
        reduce.reduce_sum(z, [], keepdim=False), start_axis=0, end_axis=-1
    ),
    "pad": lambda z, w: shape.pad(z, [0, 0, 1, 0, 0, 2]),
    "mirror": lambda z, w: shape.pad(z, [0, 0, 1, 0, 0, 2], mode=PadMode.REFLECT),
    "pad with 0": lambda z, w: shape.pad(z, [0, 0, 1, 0, 0, 2], np.complex64(0)),
    "pad with a number": lambda z, w: shape.pad(z, [0, 0, 1, 0, 0, 2], number(z)),
    "gather": lambda z, w: index.gather(z, [2, 0], axis=-1),
    "gather_nd": lambda z, w: index.gather_nd(z, at(z)),
    "scatter_nd": lambda z, w: index.scatter_nd(z, at(z), index.gather_nd(w, at(w))),
    "slice": lambda z, w: index.slice_(z, [-1], [0], [2]),
    "slice of the first axes": lambda z, w: index.slice_(z, None, [0, 1], [1, 3]),
    "slice backwards": lambda z, w: index.slice_(z, [1], [-1], [-9], [-2]),
    "roll": lambda z, w: index.roll(z, [1], [-1]),
    "where": lambda z, w: compare.where(compare.less(complex.real(z), complex.real(w)), z, w),
    "fill": lambda z, w: generate.fill(z.model.constant([2, 3], np.int64), number(z)),
    "fill_like": lambda z, w: generate.fill_like(complex.real(z), number(z)),
    "sum": lambda z, w: reduce.reduce_sum(z, [-1], keepdim=False),
    "sum of all": lambda z, w: reduce.reduce_sum(z, [], keepdim=True),
    "mean": lambda z, w: reduce.reduce_mean(z, [0, -1], keepdim=True),
}


def built(step: Build) -> Model:
    """Pairs in, pairs out; complex numbers between."""
    model = Model()
    pairs = [model.input(n, TensorType(Precision.FLOAT32, (*SIZES, 2))) for n in "xy"]
    made = step(*(complex.pairs_to_complex(v) for v in pairs))
    if made.precision in (Precision.COMPLEX64, Precision.COMPLEX128):
        made = complex.complex_to_pairs(made)
    model.outputs = [made]
    return model


def arrays() -> list[np.ndarray]:
    return [RNG.uniform(-1, 1, (*SIZES, 2)).astype(np.float32) for _ in range(2)]


@pytest.mark.parametrize("name", STEPS)
def test_pairs_do_the_same(name: str) -> None:
    model = built(STEPS[name])
    given = arrays()
    want = evaluate(model, given)
    rewritten = as_pairs(model)
    check(rewritten)
    assert not any(v.dtype.kind == "c" for v in rewritten.values())
    assert [v.type for v in rewritten.outputs] == [v.type for v in model.outputs]
    np.testing.assert_allclose(evaluate(rewritten, given)[0], want[0], rtol=1e-5, atol=1e-6)
    with Program(model, "onnxruntime") as program:
        np.testing.assert_allclose(program(*given)[0], want[0], rtol=1e-5, atol=1e-6)


FAR = np.array([[1e30, 1e30], [-1e-30, 1e-30], [3e38, 0], [100, 2], [-100, -2], [0, -1e25]])


@pytest.mark.parametrize("function", [unary.abs_, unary.reciprocal, activation.tanh, unary.log])
@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
def test_large_and_small_numbers(function: Callable[[Value], Value], device: str) -> None:
    model = Model()
    x = complex.pairs_to_complex(model.input("x", TensorType(Precision.FLOAT32, (6, 2))))
    made = function(x)
    model.outputs = [complex.complex_to_pairs(made) if made.precision.is_complex else made]
    given = FAR.astype(np.float32)
    want = evaluate(model, [given])[0]
    with Program(as_pairs(model), device) as program:
        np.testing.assert_allclose(program(given)[0], want, rtol=1e-6, atol=1e-43)


def test_every_rule_has_a_step() -> None:
    used = {o.operator for step in STEPS.values() for o in built(step).operations}
    assert set(RULES) <= used


def test_a_model_of_real_numbers_stays_itself() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2,)))
    model.outputs = [unary.neg(x)]
    assert as_pairs(model) is model


@pytest.mark.parametrize("kind", [Precision.COMPLEX64, Precision.COMPLEX128])
@pytest.mark.parametrize("shape", [(), (2, 3), (0, 2)])
def test_complex_ends_are_pairs(kind: Precision, shape: tuple[int, ...]) -> None:
    model = Model()
    x = model.input("spectrum", TensorType(kind, shape))
    model.outputs = [complex.conj(x), complex.real(x)]
    given = np.full(shape, 1 - 2j * np.inf, kind.dtype)
    with Program(model, "onnxruntime") as program:
        found = program(given)
    for mine, theirs in zip(found, (np.conj(given), given.real), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


REFUSED: dict[str, tuple[Build, str]] = {
    "5 operands": (
        lambda z, w: linear.einsum(z, w, z, w, z, equation="bij,bjk,bkl,blm,bmn->bin"),
        "EINSUM",
    ),
    "without axes": (lambda z, w: index.roll(z, [1]), "ROLL"),
    "with reduction 'mul'": (
        lambda z, w: index.scatter_nd(z, at(z), index.gather_nd(w, at(w)), reduction="mul"),
        "SCATTER_ND",
    ),
    "with axes that are only known while running": (
        lambda z, w: reduce.reduce_sum(
            z,
            shape.reshape(unary.cast(complex.real(z), dtype=Precision.INT64), [-1]),
            keepdim=False,
        ),
        "REDUCE_SUM",
    ),
}
"""What pairs cannot say: the reason, and the operator that it stands beside."""


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_refused(why: str) -> None:
    step, name = REFUSED[why]
    with pytest.raises(NoLowering, match=rf"{name} of .*\({why}\)"):
        as_pairs(built(step))


def test_what_has_no_rule_is_listed() -> None:
    model = built(lambda z, w: binary.add(unary.asin(unary.acos(z)), unary.acos(w)))
    with pytest.raises(NoLowering, match=r"ACOS of complex64\[2, 3, 3\].* \(x2\); ASIN"):
        as_pairs(model)


def test_sizes_that_only_a_run_says_get_the_parts() -> None:
    model = Model()
    ends = TensorType(Precision.INT32, (3,)), TensorType(Precision.INT64, ())
    vector, number = (model.input(n, t) for n, t in zip("vn", ends, strict=True))
    model.outputs = [longer(vector, 2), longer(number, 2, 5)]
    assert [o.operator.name for o in model.sorted()] == ["CAST", "CONCAT", "RESHAPE", "CONCAT"]
    found = evaluate(model, [np.array([4, 0, 1], np.int32), np.array(7)])
    assert [a.tolist() for a in found] == [[4, 0, 1, 2], [7, 2, 5]]
