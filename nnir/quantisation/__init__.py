"""Quantisation after training: which numbers become integers, by which grids, and the rewriting.

`place` decides, `choose_grid` turns what data has shown into grids, `quantize_model` rewrites.
Running a model on data is for the callers, above devices.
"""

from .correction import inputs_to_average
from .ends import Ends, make_ends_integer
from .equalisation import equalise
from .grid import Grid, grid_between
from .placement import Group, Placement, place
from .preparation import prepare
from .ranges import METHODS, Extremes, Histogram, Method, choose_grid, matter_for_softmax
from .rewriting import Recipe, Twin, append_twins, quantize_model
from .scheme import Scheme, Target, target_of
from .weights import Integers, round_blocks, round_weights

__all__ = [
    "METHODS",
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
    "append_twins",
    "choose_grid",
    "equalise",
    "grid_between",
    "inputs_to_average",
    "make_ends_integer",
    "matter_for_softmax",
    "place",
    "prepare",
    "quantize_model",
    "round_blocks",
    "round_weights",
    "target_of",
]
