"""Chains of operators, of a form, and what is wrong with them on a device."""

from __future__ import annotations

import itertools
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

import nnadapter as nna
from nnir.dim import Dim, symbol
from nnir.errors import DeviceError, NNAdapterError, NoLowering
from nnir.model import Model, Value
from nnir.ops import quant
from nnir.records import dataclass
from nnir.types import Precision, TensorType

Sizes = tuple[int, ...]
SIZES: Mapping[int, tuple[Sizes, ...]] = {
    2: ((2, 3), (4, 1)),
    3: ((2, 3, 4), (1, 4, 3), (3, 1, 2)),
    4: ((2, 3, 4, 5), (1, 4, 3, 3), (1, 1, 4, 2)),
    5: ((2, 3, 2, 2, 3),),
}
RANKS = tuple(SIZES)

LARGEST = {Precision.FLOAT32: 1e4, Precision.FLOAT16: 1e3}
"""Chains whose numbers grow beyond this say little."""

TOLERANCES = {Precision.FLOAT32: (1e-3, 1e-4), Precision.FLOAT16: (2e-2, 1e-2)}
"""Differences that engines may have: of an element, and of the largest one. Integers: none."""

STEP, FEW = 0.06, 5
"""The scale of quantised values, and how many steps results may be off in the mean: one step of a
value is more behind a product or a norm."""

REFUSED = "refused"
"""What may be: of open sizes, and of INT64, of which engines mostly have 32 bits."""


SHARE = 5
"""One in so many may be refused, no more."""


class Numbers:
    """Random constants of a model, small integers or floats; matrices are quantised, too."""

    def __init__(self, model: Model, seed: int, form: Form) -> None:
        self.model, self.rng = model, np.random.default_rng(seed)
        self.precision, self.stored = form.precision, form.stored

    def __call__(self, *sizes: Dim) -> Value:
        made = draw(self.rng, known(sizes), self.precision, 9)
        if self.stored is None or made.ndim < 2:
            return self.model.constant(made)
        scale = np.float32(np.abs(made).max(initial=1) / 127)
        stored = np.rint(made / scale).astype(np.int8)
        return quant.dequantize_linear(*map(self.model.constant, (stored, scale, np.int8(0))))

    def through(self, value: Value) -> Value:
        """A value quantised and back, where the form says so."""
        if self.stored is None:
            return value
        if 0 in value.shape:
            raise Unfit
        zero = np.array(3, self.stored.dtype)
        given = [self.model.constant(a) for a in (np.float32(STEP), zero)]
        small = quant.quantize_linear(value, *given, dtype=self.stored)
        return quant.dequantize_linear(small, *given)

    def positive(self, *sizes: Dim) -> Value:
        made = self.rng.random(known(sizes)) + 0.5
        return self.those(np.ceil(made * 3) if self.precision.is_integer else made)

    def those(self, numbers: object) -> Value:
        """Given ones, in the precision of the chain."""
        return self.model.constant(np.asarray(numbers).astype(self.precision.dtype))

    def places(self, *numbers: object) -> Value:
        """Indices."""
        return self.model.constant(np.array(numbers, np.int64))

    def continuous(self, value: Value) -> Value:
        """A value for what jumps; Unfit where it may be a step off."""
        if self.stored is not None:
            raise Unfit
        return value


Make = Callable[[Value, Numbers], Value]


class Unfit(Exception):
    """An operator does not take a value."""


def need(value: Value, *ranks: int) -> None:
    if value.rank not in ranks:
        raise Unfit


def known(sizes: Sequence[Dim]) -> Sizes:
    """Sizes of a constant."""
    if not all(isinstance(n, int) for n in sizes):
        raise Unfit
    return tuple(sizes)  # type: ignore[arg-type]  # as just asked


def draw(
    rng: np.random.Generator, sizes: Sizes, precision: Precision, limit: int = 12
) -> np.ndarray:
    if precision.is_float:
        return rng.normal(size=sizes).astype(precision.dtype)
    low = -limit if np.dtype(precision.dtype).kind == "i" else 0
    return rng.integers(low, limit + 1, sizes).astype(precision.dtype)


@dataclass(frozen=True)
class Form:
    """A precision, what is open of sizes: none, the first or last, or all but the channels, and
    the integers that values are quantised to between operators."""

    precision: Precision = Precision.FLOAT32
    opened: str = ""
    stored: Precision | None = None

    def __str__(self) -> str:
        kind = f"quantised to {self.stored.name}" if self.stored else self.precision.name
        return f"{kind} {self.opened}".strip()

    def judge(self, error: Exception) -> str:
        """What is wrong by an error."""
        may_be = self.opened or self.precision == Precision.INT64
        if may_be and isinstance(error, NoLowering):
            return REFUSED
        return f"{type(error).__name__}: {str(error)[:200]}"

    def axes(self, rank: int) -> tuple[int, ...]:
        """Those that are open."""
        found = {"": (), "first": (0,), "last": (rank - 1,), "most": (0, *range(2, rank))}
        return found[self.opened]

    def runs(self, sizes: Sizes) -> Iterator[Sizes]:
        """Sizes to run with, one after the other: open ones grow, and that of the batch is 1."""
        yield sizes
        if self.opened:
            axes = self.axes(len(sizes))
            yield tuple(n + 2 if k in axes else n for k, n in enumerate(sizes))
            yield tuple((1 if k == 0 else n + 1) if k in axes else n for k, n in enumerate(sizes))
            yield sizes


@dataclass(frozen=True)
class Table:
    """Operators: what makes a value, of the ranks that it takes, and what follows, of any.

    Pairs are of one of the forms each.
    """

    makers: Mapping[str, tuple[Make, tuple[int, ...]]]
    followers: Mapping[str, Make]
    forms: tuple[Form, ...]

    def apply(self, name: str, value: Value, numbers: Numbers, *, first: bool) -> Value:
        """What an operator makes of a value; Unfit where it takes no such value."""
        if first or name not in self.followers:
            make, ranks = self.makers[name]
            need(value, *ranks)
        else:
            make = self.followers[name]
        try:
            made = make(value, numbers)
        except (NNAdapterError, IndexError, TypeError, ZeroDivisionError) as error:
            raise Unfit from error  # axes that it does not have, sizes that are open
        if made.precision != numbers.precision or made.rank > 6:
            raise Unfit
        return made

    def chain(self, names: Sequence[str], sizes: Sizes, seed: int, form: Form) -> Chain | None:
        """A model of operators one behind another; None where one does not take what is there."""
        model, opened = Model(" ".join(names)), form.axes(len(sizes))
        dims = tuple(symbol(f"d{k}") if k in opened else n for k, n in enumerate(sizes))
        numbers = Numbers(model, seed, form)
        try:
            made = numbers.through(model.input("x", TensorType(form.precision, dims)))
            for k, name in enumerate(names):
                made = numbers.through(self.apply(name, made, numbers, first=k == 0))
        except Unfit:
            return None
        model.outputs = [made]
        return model, sizes, form

    def pairs(self, seed: int = 0, one_in: int = 1) -> Iterator[Chain]:
        """Every follower behind every maker, of all sizes, or one in so many of these; the seed
        says of which form each is."""
        for name, follower, sizes in itertools.islice(self._places(), 0, None, one_in):
            place = zlib.crc32(f"{name} {follower} {sizes}".encode())
            form = self.forms[(place + seed) % len(self.forms)]
            made = self.chain((name, follower), sizes, place, form)
            if made is None and form.opened:  # constants of open sizes
                made = self.chain((name, follower), sizes, place, Form(form.precision))
            if made is not None:
                yield made

    def _places(self) -> Iterator[tuple[str, str, Sizes]]:
        for name, (_, ranks) in self.makers.items():
            all_sizes = [s for r in ranks for s in SIZES[r]]
            yield from ((name, f, s) for s, f in itertools.product(all_sizes, self.followers))

    def chains(self, seed: int, count: int) -> Iterator[Chain]:
        """So many random ones."""
        rng, names = random.Random(seed), [*self.makers, *self.followers]
        while count:
            first = rng.choice([*self.makers])
            sizes = rng.choice(SIZES[rng.choice(self.makers[first][1])])
            chosen = [first, *rng.choices(names, k=rng.choice([2, 3, 4]))]
            made = self.chain(chosen, sizes, rng.randrange(1 << 30), rng.choice(self.forms))
            if made is not None:
                count -= 1
                yield made


Chain = tuple[Model, Sizes, Form]
"""A model, what its sizes are to begin with, and its form."""


def problem_of(chain: Chain, device: str) -> str | None:
    """What is wrong on a device; None where it gives what the references give."""
    model, _, form = chain
    runs = list(expected(chain))
    if not runs:
        return None
    try:
        program = nna.compile(model, device)
        for x, wanted in runs:  # some devices compile open sizes only now
            (found,) = program(x)
            if problem := difference(found, wanted, form):
                return f"{x.shape}: {problem}"
    except Exception as error:  # noqa: BLE001  all of them are told
        return form.judge(error)
    return None


def expected(chain: Chain) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """What a model is run on, and what the references give; nothing where they refuse it, as
    positions outside and borders of nothing, or where open sizes turn out to be none."""
    model, sizes, form = chain
    reference = nna.compile(model)
    for given in form.runs(sizes):
        x = draw(np.random.default_rng(0), given, form.precision)
        try:
            with np.errstate(all="ignore"):
                (wanted,) = reference(x)
        except DeviceError:
            continue
        if wanted.size or not form.opened:
            yield x, wanted


def difference(found: np.ndarray, wanted: np.ndarray, form: Form) -> str | None:
    precision = form.precision
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return f"{found.dtype} {found.shape}, not {wanted.dtype} {wanted.shape}"
    if precision not in TOLERANCES:
        return None if np.array_equal(found, wanted) else f"{found}, not {wanted}"
    got, right = (a.astype(np.float64) for a in (found, wanted))
    if form.stored is not None:
        steps = np.abs(got - right).mean() / STEP if got.size else 0
        return None if steps <= FEW else f"off by {steps} steps of quantisation"
    largest = float(np.abs(right).max(initial=0))
    relative, absolute = TOLERANCES[precision]
    if not largest < LARGEST[precision]:
        return None
    if np.allclose(got, right, relative, absolute * max(1.0, largest)):
        return None
    return f"off by {float(np.abs(got - right).max())}"


def problems(chains: Iterator[Chain], devices: Sequence[str]) -> list[str]:
    """What is wrong on devices, a line each."""
    found, refused, count = [], Counter[str](), 0
    for model, sizes, form in chains:
        count += 1
        for device in devices:
            problem = problem_of((model, sizes, form), device)
            if problem == REFUSED:
                refused[device] += 1
            elif problem:
                found.append(f"{device}: {model.name} of {sizes}, {form}: {problem}")
    many = (f"{d}: {n} of {count} are refused" for d, n in refused.items() if n * SHARE > count)
    return [*found, *many]
