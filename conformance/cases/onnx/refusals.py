"""ONNX nodes that are refused: what only a damaged model says, or what is not taken yet."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel, BadType, Unsupported

from ...case import Case, f, i, rand, scalar
from .features import ml
from .trees import POINTS, TREE, tree

WAVE, WIDTH = rand(2, 20, 2), scalar(4, np.int64)
CASES: list[Case] = [
    ml("ArrayFeatureExtractor", scalar(1), i(0))("a number", raises=BadType),
    ml("LabelEncoder", i(1), keys_int64s=[1], keys_floats=[1.0], values_floats=[1.0])(
        "two kinds of keys", raises=BadType
    ),
    ml("LabelEncoder", i(1), keys_int64s=[1], values_tensor=f(1), default_tensor=i(1))(
        "a default of another type", raises=BadType
    ),
    ml("LabelEncoder", i(1), keys_int64s=[1], values_tensor=f(1), default_tensor=f(1, 2))(
        "two defaults", raises=BadType
    ),
    ml("LinearRegressor", f(1, 2), coefficients=[1.0, 2.0])("a vector", raises=BadType),
    ml("LinearRegressor", POINTS, coefficients=[1.0, 2.0], intercepts=[1.0, 2.0, 3.0])(
        "three intercepts", raises=BadType
    ),
    ml("TreeEnsemble", POINTS.astype(np.float64), **TREE)(
        "numbers of another type", raises=BadType
    ),
    tree(POINTS, "before it came", opset=4, raises=Unsupported),
    ml("LabelEncoder", i(1), keys_int64s=[1], values_int64s=[2])(
        "before it had numbers", opset=1, raises=Unsupported
    ),
    tree(POINTS, "too few children", nodes_truenodeids=[1, 0], raises=BadModel),
    tree(POINTS, "too few kinds of children", nodes_falseleafs=[1, 0], raises=BadModel),
    tree(POINTS, "a root outside", tree_roots=[0, 7], raises=BadModel),
    tree(POINTS, "a root below 0", tree_roots=[-1, 0], raises=BadModel),
    tree(POINTS, "no roots", tree_roots=[], raises=BadModel),
    tree(POINTS, "an unknown mode", nodes_modes=i(0, 3, 9, dtype=np.uint8), raises=BadModel),
    tree(POINTS, "a feature below 0", nodes_featureids=[0, -1, 1], raises=BadModel),
    tree(POINTS, "too few features", nodes_featureids=[0, 1], raises=BadModel),
    tree(POINTS, "a target outside", leaf_targetids=[0, 1, 0, 2], raises=BadModel),
    tree(POINTS, "a target below 0", leaf_targetids=[0, -2, 0, 1], raises=BadModel),
    Case("Add", (rand(2, 3), rand(3)), {"axis": 2, "broadcast": 1}, opset=6, raises=BadType,
         why="an axis too far behind"),
    Case("MaxPool", (rand(1, 2, 4, 5),), {"kernel_shape": [2, 2], "pads": [1, 1]}, raises=BadType,
         why="two pads of four"),
    Case("Conv", (rand(1, 2, 4, 5), rand(3, 2, 2, 2)), {"pads": [1, 1, 1]}, raises=BadType,
         why="three pads of four"),
    Case("ConstantOfShape", (i(2),), {"value": f(1, 2)}, raises=Unsupported, why="two values"),
    Case("Split", (f(1, 2, 3),), {"num_outputs": 1}, outputs=2, raises=BadType, why="too few"),
    Case("STFT", (WAVE[0, :, 0], WIDTH, rand(8)), raises=BadType, why="one axis"),
    Case("STFT", (WAVE, WIDTH, rand(8)), raises=BadType, why="half of a complex one"),
    Case("CausalConvWithState", (rand(2, 3), rand(3, 1, 4)), opset=27, outputs=2, raises=BadType,
         why="two axes"),
    Case("CausalConvWithState", (rand(2, 3, 4), rand(3, 4)), opset=27, outputs=2, raises=BadType,
         why="a filter of two axes"),
    Case("CausalConvWithState", (rand(2, 3, 6), rand(3, 1, 0)), opset=27, outputs=2,
         raises=Unsupported, why="no taps"),
    Case("BatchNormalization", (rand(2, 3), *(rand(3, low=1) for _ in range(4))), {"spatial": 0},
         opset=6, raises=Unsupported, why="training with statistics of each element"),
]  # fmt: skip
