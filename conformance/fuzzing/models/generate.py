"""A random valid model and arrays for it, by a seed and a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nnir.dim import symbol
from nnir.model import Model, Value
from nnir.passes.rewrite import sweep

from .families import activations, elementwise, movement, products, quantised, statistics, windows
from .growth import Growth

Family = Callable[[Growth], Iterator[Value]]

FAMILIES: tuple[tuple[Family, float], ...] = (
    (elementwise.unary_function, 4),
    (elementwise.arithmetic, 6),
    (elementwise.reversed_arithmetic, 1),
    (elementwise.power, 1),
    (elementwise.total, 0.5),
    (elementwise.choice, 2),
    (elementwise.integers, 1),
    (elementwise.integers_as_floats, 1),
    (activations.plain_activation, 3),
    (activations.activation_with_options, 3),
    (activations.soft_maximum, 1.5),
    (activations.by_formula, 2),
    (windows.convolution, 5),
    (windows.transposed_convolution, 1),
    (windows.pooling, 3),
    (windows.pooling_of_everything, 1),
    (windows.border, 1.5),
    (windows.resizing, 1),
    (products.product_with_constant, 3),
    (products.product_from_the_left, 1),
    (products.product_of_values, 1.5),
    (products.product_with_vector, 0.5),
    (products.dense, 2),
    (products.einstein_sum, 0.5),
    (products.attention, 2),
    (statistics.normalization_of_channels, 1.5),
    (statistics.normalization_of_rows, 1.5),
    (statistics.normalization_by_hand, 1),
    (statistics.reduction, 2.5),
    (statistics.position_of_extreme, 0.7),
    (statistics.largest_elements, 0.7),
    (statistics.running, 1),
    (statistics.recurrent_layer, 0.5),
    (movement.transposition, 3),
    (movement.reshaping, 2.5),
    (movement.axes_of_one, 1.5),
    (movement.joining, 2),
    (movement.cutting, 1.5),
    (movement.slicing, 1.5),
    (movement.repeating, 1),
    (movement.picking, 1),
    (movement.rolling, 0.5),
    (movement.reading_by_values, 0.5),
    (quantised.quantised_value, 1.5),
    (quantised.quantised_convolution, 1.5),
    (quantised.quantised_product, 1),
    (quantised.quantised_step, 1.5),
)
"""What a model grows by, and how often in comparison."""

FEWEST, MOST = 5, 40
TRIES = 6
"""So many times the wanted operations may be tried."""

OPEN_RATE = 1 / 3
FAVOURED = 0.3
"""A model has so much of the families: models of a few that meet often find more than mixtures."""

KINDS = ("image", "image", "sequence", "sequence", "vector")
OUTPUTS = 6


def generate(seed: int, number: int = 0) -> tuple[Model, list[np.ndarray]]:
    """A model of 5 to 40 operations and an array for each of its inputs; the same for a seed and a
    number everywhere."""
    generator = np.random.default_rng((seed, number))
    g = Growth(generator)
    _add_inputs(g)
    weights = np.array([w for _, w in FAMILIES])
    weights *= np.where(generator.random(len(weights)) < FAVOURED, 3.0, 0.3)
    wanted = g.between(FEWEST, MOST)
    for _ in range(TRIES * wanted):
        if len(g.model.operations) >= wanted:
            break
        family, _ = FAMILIES[generator.choice(len(FAMILIES), p=weights / weights.sum())]
        g.attempt(family)
    return _end(g)


def _add_inputs(g: Growth) -> None:
    """One to three inputs: images, sequences and vectors, in a third of the models of open sizes.

    Those of an open size share it.
    """
    is_open = g.chance(OPEN_RATE)
    batch, length = g.choose((1, 1, 2, 3)), g.between(1, 6)
    n: Any = symbol("n") if is_open else batch
    t: Any = symbol("t") if is_open and g.chance(0.5) else length
    if is_open:
        g.model.symbols["n"] = (1, None)
    if is_open and not isinstance(t, int):
        g.model.symbols["t"] = (1, None)
    kinds = [g.choose(KINDS) for _ in range(g.between(1, 3))]
    used = set()
    for kind in kinds:
        match kind:
            case "image":
                rest = [g.choose((1, 2, 3, 4, 6)), g.between(3, 8), g.between(3, 8)]
                g.input((n, *rest), _numbers(g, batch, *rest))
            case "sequence":
                used.add("t")
                size = g.choose((2, 3, 4, 8))
                g.input((n, t, size), _numbers(g, batch, length, size))
            case _:
                size = g.between(1, 8)
                g.input((n, size), _numbers(g, batch, size))
    if "t" not in used:
        g.model.symbols.pop("t", None)


def _numbers(g: Growth, *sizes: int) -> np.ndarray:
    return g.generator.uniform(-2, 2, sizes).astype(np.float32)


def _end(g: Growth) -> tuple[Model, list[np.ndarray]]:
    """The model with its outputs, without what nobody reads."""
    model = g.model
    ends = [v for v in g.readable if not v.uses and v.producer is not None]
    chosen = ends[-OUTPUTS:]
    inner = [v for v in g.readable if v.uses and v.producer is not None]
    if inner and g.chance(0.3):
        chosen.append(g.choose(inner))
    model.outputs = chosen
    sweep(model)
    pairs = [(v, a) for v, a in zip(model.inputs, g.arrays, strict=True) if v.uses]
    model.inputs = [v for v, _ in pairs]
    return model, [a for _, a in pairs]
