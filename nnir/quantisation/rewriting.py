"""Write the integers into a model: QUANTIZE_LINEAR and DEQUANTIZE_LINEAR around what computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

import numpy as np

from ..errors import BadModel
from ..model import Model, Operation, Value
from ..ops import activation, quant, reduce, unary
from ..records import dataclass
from .correction import correct_bias
from .grid import Grid, grid_between
from .placement import Group, Placement
from .roles import bias_of, data_of, filter_axis, summed_axis, weights_of
from .scheme import Scheme
from .weights import (
    Integers,
    least_weight_scales,
    round_bias,
    round_blocks,
    round_to,
    round_weights,
)

Rounding = Callable[[Operation, np.ndarray, int], Integers | None]
"""Another way to round the weights of an operation, which are summed along an axis, or None."""


@dataclass(frozen=True)
class Recipe:
    """What was chosen for a model: the scheme and the grid of each group.

    `means` is what each channel of the input of a product is on average, to correct its bias by;
    `rounding` rounds weights in place of the scheme, where it knows a better way.
    """

    scheme: Scheme
    grids: Mapping[Group, Grid] = field(default_factory=dict)
    means: Mapping[Value, np.ndarray] = field(default_factory=dict)
    rounding: Rounding | None = None


def quantize_model(model: Model, placement: Placement, recipe: Recipe) -> None:
    """Rewrite a model in place as it was decided."""
    model.output_names = [name for name, _ in model.named_outputs()]
    writer = _Writer(model, placement, recipe)
    for operation in (*placement.integer, *placement.movements):
        for old, new in writer.constants(operation).items():
            read_instead(operation, old, new)
    for value in placement.rounded:
        readers = [o for o in value.uses if placement.reads_rounded(o, value)]
        real = writer.rounded(value)
        for reader in readers:
            read_instead(reader, value, real)
        if value in placement.results:
            model.outputs = [real if v is value else v for v in model.outputs]
    model.origin = None
    model.operations = model.sorted()


@dataclass(frozen=True)
class Twin:
    """An operation, and what its twin that computes with integers makes of the same real numbers:
    the sum of squares of its result, and of how far the twin is from it."""

    operation: Operation
    signal: Value
    noise: Value


def append_twins(model: Model, placement: Placement, recipe: Recipe) -> list[Twin]:
    """Put a twin with integers beside each operation that is to have them, in place.

    The operations themselves stay as they are, so that each twin reads exact values, and shows its
    own error alone.
    """
    writer = _Writer(model, placement, recipe)
    softmax = {v: g.softmax_axis for v, g in placement.rounded.items()}  # before twins read them
    twins = []
    for operation in placement.integer:
        new = writer.constants(operation)
        new |= {v: writer.rounded(v) for v in data_of(operation) if v in placement.rounded}
        inputs = tuple(v if v is None else new.get(v, v) for v in operation.inputs)
        made = model.append(operation.operator, inputs, dict(operation.attributes))[0]
        exact = operation.outputs[0]
        if exact in placement.results:
            axis = softmax[exact]
            made = writer.round_by(made, exact)
            if axis is not None:
                exact, made = (activation.softmax(v, axis=axis) for v in (exact, made))
        twins.append(compare_twins(operation, exact, made))
    model.origin = None
    return twins


def compare_twins(operation: Operation, exact: Value, made: Value) -> Twin:
    """An operation and its twin, with the sums of squares of the result and of its error."""
    axes = list(range(exact.rank))
    signal, noise = (
        reduce.reduce_sum(unary.square(v), axes, keepdim=False) for v in (exact, made - exact)
    )
    return Twin(operation, signal, noise)


class _Writer:
    """Writes each constant once, however many operations read it."""

    def __init__(self, model: Model, placement: Placement, recipe: Recipe) -> None:
        self.model, self.placement, self.recipe = model, placement, recipe
        self._weights: dict[tuple[Value, int | None, bytes], tuple[Value, Integers]] = {}
        self._others: dict[tuple[Value, Grid], Value] = {}

    def _grid_of(self, value: Value) -> Grid | None:
        """The grid of a value that is rounded."""
        group = self.placement.rounded.get(value)
        return None if group is None else self.recipe.grids[group]

    def constants(self, operation: Operation) -> dict[Value, Value]:
        """What an operation reads in place of its constants."""
        self.model.origin = operation.origin
        weights = weights_of(operation)
        if weights is not None and weights.constant is not None:
            return self._write_weights(operation, weights, weights.constant)
        found: dict[Value, Value] = {}
        for value in data_of(operation):
            array = value.constant
            if array is not None and array.size:
                grid = self._grid_of_constant(operation, array)
                found |= {} if grid is None else {value: self._write_constant(value, array, grid)}
        return found

    def _grid_of_constant(self, operation: Operation, array: np.ndarray) -> Grid | None:
        """That of the result where constants are put beside integers, else their own."""
        if operation in self.placement.movements:
            return self._grid_of(operation.outputs[0])
        activations = self.recipe.scheme.activations
        if activations is None:
            return None
        return grid_between(float(array.min()), float(array.max()), activations)

    def _write_constant(self, value: Value, array: np.ndarray, grid: Grid) -> Value:
        key = value, grid
        if key not in self._others:
            self._others[key] = round_to(array, grid).append_to(self.model, value.name)
        return self._others[key]

    def _write_weights(
        self, operation: Operation, weights: Value, array: np.ndarray
    ) -> dict[Value, Value]:
        source = next(v for v in data_of(operation) if v is not weights)
        grid, bias = self._grid_of(source), bias_of(operation)
        exact = None if bias is None else bias.constant
        if grid is None or bias is None or exact is None:
            return {weights: self._integers(operation, weights, array, 0.0)[0]}
        least = least_weight_scales(exact, grid.scale)
        value, whole = self._integers(operation, weights, array, least)
        if source in self.recipe.means:
            lost = array - whole.real()
            exact = correct_bias(operation, exact, lost, self.recipe.means[source])
        made = round_bias(exact, whole.scales.astype(np.float64) * grid.scale)
        return {weights: value, bias: made.append_to(self.model, bias.name)}

    def _integers(
        self, operation: Operation, weights: Value, array: np.ndarray, least: np.ndarray | float
    ) -> tuple[Value, Integers]:
        key = weights, filter_axis(operation, weights), np.asarray(least).tobytes()
        if key not in self._weights:
            made = self._round(operation, weights, array, least)
            self._weights[key] = made.append_to(self.model, weights.name), made
        return self._weights[key]

    def _round(
        self, operation: Operation, weights: Value, array: np.ndarray, least: np.ndarray | float
    ) -> Integers:
        summed = summed_axis(operation, weights)
        if self.recipe.rounding is not None and summed is not None:
            better = self.recipe.rounding(operation, array, summed)
            if better is not None and (better.scales >= np.reshape(least, -1)).all():
                return better
        return round_nearest(operation, array, self.recipe.scheme, least)

    def rounded(self, value: Value) -> Value:
        """The rounded form of a value."""
        self.model.origin = None if value.producer is None else value.producer.origin
        return self.round_by(value, value)

    def round_by(self, value: Value, like: Value) -> Value:
        """A value by the grid of another one."""
        grid = self.recipe.grids[self.placement.rounded[like]]
        scale = self.model.constant(np.asarray(grid.scale, np.float32))
        zero = self.model.constant(np.asarray(grid.zero_point).astype(grid.precision.dtype))
        whole = quant.quantize_linear(value, scale, zero, dtype=grid.precision)
        real = quant.dequantize_linear(whole, scale, zero)
        stem = like.name or "value"
        whole.name, real.name = f"{stem}_quantized", f"{stem}_dequantized"
        return real


def round_nearest(
    operation: Operation,
    array: np.ndarray,
    scheme: Scheme,
    least_scales: np.ndarray | float = 0.0,
) -> Integers:
    """The nearest integers to the weights of an operation, in blocks where products are added along
    one axis of them."""
    weights = weights_of(operation)
    if weights is None:
        raise BadModel(f"{operation.operator.name} without weights")
    summed = summed_axis(operation, weights)
    if scheme.block and summed is not None:
        return round_blocks(array, summed, scheme)
    return round_weights(array, filter_axis(operation, weights), scheme, least_scales)


def read_instead(operation: Operation, old: Value, new: Value) -> None:
    """Let one operation read another value."""
    operation.inputs = tuple(new if v is old else v for v in operation.inputs)
    old.uses.pop(operation, None)
    new.uses[operation] = None
