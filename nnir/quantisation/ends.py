"""Inputs and outputs of integers, for processors that have nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..model import Model, Operation, Value
from ..ops import quant
from ..passes.rewrite import sweep
from ..records import dataclass
from .grid import Grid
from .weights import round_to

Grids = Sequence[Grid | None]


@dataclass(frozen=True)
class Ends:
    """The grids of the inputs and outputs of a model; None where one stays real."""

    inputs: Grids
    outputs: Grids

    def round_inputs(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Real arrays as the inputs take them."""
        pairs = zip(arrays, self.inputs, strict=True)
        return [a if g is None else round_to(a, g).data for a, g in pairs]

    def read_outputs(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """What the outputs are as real arrays."""
        pairs = zip(arrays, self.outputs, strict=True)
        return [a if g is None else _read(a, g) for a, g in pairs]


def _read(array: np.ndarray, grid: Grid) -> np.ndarray:
    steps = array.astype(np.float32) - np.float32(grid.zero_point)
    return np.asarray(steps * np.float32(grid.scale))


def make_ends_integer(model: Model) -> Ends:
    """Let a quantised model take and give integers, in place, where it computes with them."""
    names = [name for name, _ in model.named_outputs()]
    ends = Ends(
        [_make_input_integer(model, v) for v in list(model.inputs)],
        [_make_output_integer(model, place) for place in range(len(model.outputs))],
    )
    model.output_names = names
    sweep(model)
    return ends


def _make_input_integer(model: Model, value: Value) -> Grid | None:
    readers = list(value.uses)
    if len(readers) != 1 or readers[0].operator is not quant.quantize_linear:
        return None
    whole = readers[0].outputs[0]
    grid = _grid_of(readers[0])
    if value in model.outputs or grid is None:
        return None
    given = Value(model, replace(value.type, precision=grid.precision), value.name)
    model.inputs[model.inputs.index(value)] = given
    model.remove(readers)
    model.replace(whole, given)
    return grid


def _make_output_integer(model: Model, place: int) -> Grid | None:
    made = model.outputs[place].producer
    if made is None or made.operator is not quant.dequantize_linear or made.inputs[0] is None:
        return None
    grid = _grid_of(made)
    if grid is None or made.inputs[0].constant is not None:
        return None
    model.outputs[place] = made.inputs[0]
    return grid


def _grid_of(operation: Operation) -> Grid | None:
    """The grid that an operation quantises or reads by; None for several scales."""
    whole = operation.inputs[0]
    if operation.operator is quant.quantize_linear:
        whole = operation.outputs[0]
    scale, zero = (None if v is None else v.constant for v in operation.inputs[1:3])
    if whole is None or scale is None or scale.size != 1 or (zero is not None and zero.size != 1):
        return None
    return Grid(float(scale.item()), 0 if zero is None else int(zero.item()), whole.precision)
