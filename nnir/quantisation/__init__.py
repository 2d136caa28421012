"""Quantisation after training: which numbers become integers, by which grids, and the rewriting.

`place` decides, `choose_grid` turns what data has shown into grids, `quantize_model` rewrites.
Running a model on data is for the callers, above devices.
"""

from .correction import inputs_to_average
from .ends import Ends, make_ends_integer
from .equalisation import equalise
from .gptq import input_to_sum, round_second_order
from .grid import Grid, grid_between
from .placement import Group, Placement, place
from .preparation import prepare
from .ranges import METHODS, Extremes, Histogram, Method, choose_grid, matter_for_softmax
from .rewriting import Recipe, Twin, append_twins, quantize_model, read_instead, round_nearest
from .scheme import WEIGHT_METHODS, Scheme, Target, WeightMethod, require_fit, target_of
from .weights import Integers, range_of, round_blocks, round_weights

__all__ = [
    "METHODS",
    "WEIGHT_METHODS",
    "Ends",
    "Extremes",
    "Grid",
    "Group",
    "Histogram",
    "Integers",
    "Method",
    "Placement",
    "Recipe",
    "Scheme",
    "Target",
    "Twin",
    "WeightMethod",
    "append_twins",
    "choose_grid",
    "equalise",
    "grid_between",
    "input_to_sum",
    "inputs_to_average",
    "make_ends_integer",
    "matter_for_softmax",
    "place",
    "prepare",
    "quantize_model",
    "range_of",
    "read_instead",
    "require_fit",
    "round_blocks",
    "round_nearest",
    "round_second_order",
    "round_weights",
    "target_of",
]
