"""Legacy operators that choose elements, sort and fill."""

from __future__ import annotations

import numpy as np

from ...case import ROUNDS, Case, Const, Limit, f, i, rand

X = rand(4, 3)
INT32 = np.int32
PLACES = i(2, 0)
SORTED = ("Out", "Indices")

CASES = [
    Case("arg_max", ({"X": X},), {"axis": 1}),
    Case("arg_max", ({"X": X},), {"axis": 0, "keepdims": True, "dtype": 2}),
    Case("arg_max", ({"X": X},), {"axis": 0, "flatten": True}),
    Case("arg_min", ({"X": X},), {"axis": -1}),
    Case("argsort", ({"X": X},), {"axis": 0}, results=SORTED),
    Case("argsort", ({"X": X},), {"axis": 1, "descending": True}, results=SORTED),
    Case("kthvalue", ({"X": X},), {"k": 2, "axis": 1}, results=SORTED),
    Case("mode", ({"X": f(1, 2, 2, 3)},), {"axis": 0}, results=SORTED),
    Case("top_k", ({"X": X},), {"k": 2}, results=SORTED),
    Case(
        "top_k",
        ({"X": X, "K": Const(i(2, dtype=INT32))},),
        {"k": 1},
        results=SORTED,
        why="a tensor",
    ),
    Case("top_k_v2", ({"X": X},), {"k": 2, "axis": 0, "largest": False}, results=SORTED),
    Case("cummax", ({"x": X},), {"axis": 0, "dtype": 3}, results=("out", "indices")),
    Case("cummin", ({"x": X},), {"axis": 1, "dtype": 2}, results=("out", "indices")),
    Case("bincount", ({"X": i(1, 1, 3)},), {"minlength": 5}),
    Case("histogram", ({"X": f(1, 1, 3, 2)},), {"bins": 4, "min": 0.0, "max": 4.0}),
    Case("searchsorted", ({"SortedSequence": f(1, 3, 5), "Values": f(2, 5)},), {"right": True}),
    Case(
        "unique",
        ({"X": i(3, 1, 3, 2)},),
        {"return_index": True, "return_inverse": True, "return_counts": True, "is_sorted": True},
        results=("Out", "Indices", "Index", "Counts"),
    ),
    Case(
        "unique_consecutive",
        ({"X": i(3, 3, 1, 3)},),
        {"return_inverse": True, "return_counts": True, "dtype": 3, "axis": []},
        results=("Out", "Index", "Counts"),
    ),
    Case("where", ({"Condition": rand(3, dtype=bool), "X": f(1, 2, 3), "Y": f(4, 5, 6)},)),
    Case("where_index", ({"Condition": rand(2, 3, dtype=bool)},)),
    Case("masked_select", ({"X": X, "Mask": rand(4, 3, dtype=bool)},), results=("Y",)),
    Case(
        "nanmedian",
        ({"X": f(1, np.nan, 3)},),
        {"axis": [0], "keepdim": False},
        results=("Out", "MedianIndex"),
        read=1,
    ),
    Case("gather", ({"X": X, "Index": PLACES},)),
    Case("gather", ({"X": X, "Index": PLACES},), {"axis": 1}),
    Case("gather", ({"X": X, "Index": PLACES, "Axis": Const(i(1, dtype=INT32))},), why="a tensor"),
    Case("gather_nd", ({"X": X, "Index": np.array([[0, 1], [3, 2]])},)),
    Case(
        "gather_tree",
        ({"Ids": i(1, 2, 3, 4).reshape(2, 1, 2), "Parents": i(0, 0, 1, 0).reshape(2, 1, 2)},),
    ),
    Case("index_select", ({"X": X, "Index": PLACES},), {"dim": 1}),
    Case("index_sample", ({"X": X, "Index": i(0, 1, 2, 0).reshape(4, 1)},)),
    Case(
        "index_add", ({"X": X, "Index": PLACES, "AddValue": rand(2, 3)},), {"axis": 0}, tol=ROUNDS
    ),
    Case("index_put", ({"x": X, "indices": [i(0, 2)], "value": rand(2, 3)},), results=("out",)),
    Case("scatter", ({"X": X, "Ids": PLACES, "Updates": rand(2, 3, seed=1)},)),
    Case(
        "scatter",
        ({"X": X, "Ids": i(1, 1), "Updates": rand(2, 3, seed=1)},),
        {"overwrite": False},
        tol=ROUNDS,
    ),
    Case(
        "scatter_nd_add",
        ({"X": X, "Index": i(1, 1).reshape(2, 1), "Updates": rand(2, 3, seed=1)},),
        tol=ROUNDS,
    ),
    Case(
        "take_along_axis",
        ({"Input": X, "Index": i(0, 2, 1).reshape(1, 3)},),
        {"Axis": 0},
        results=("Result",),
    ),
    Case(
        "put_along_axis",
        ({"Input": X, "Index": i(0, 2, 1).reshape(1, 3), "Value": rand(1, 3, seed=1)},),
        {"Axis": 0, "Reduce": "add"},
        results=("Result",),
        tol=ROUNDS,
    ),
    Case("multiplex", ({"X": [X, X + 1], "Ids": i(0, 1, 1, 0, dtype=INT32).reshape(4, 1)},)),
    Case("repeat_interleave", ({"X": X},), {"Repeats": 2, "dim": 1}),
    Case("lookup_table", ({"W": Const(X), "Ids": i(3, 0).reshape(2, 1)},)),
    Case("lookup_table", ({"W": Const(X), "Ids": i(3, 0).reshape(2, 1)},), {"padding_idx": 3}),
    Case("lookup_table_v2", ({"W": Const(X), "Ids": i(3, 0).reshape(2, 1)},)),
    Case("lookup_table_v2", ({"W": Const(X), "Ids": i(3, 0)},), {"padding_idx": 0}),
    Case("one_hot_v2", ({"X": i(1, 0)},), {"depth": 3}),
    Case(
        "one_hot_v2",
        ({"X": i(1, 0), "depth_tensor": Const(i(3, dtype=INT32))},),
        {"depth": 1},
        why="a tensor",
    ),
    Case("sequence_mask", ({"X": i(1, 3)},), {"maxlen": 4, "out_dtype": 5}, results=("Y",)),
    Case(
        "sequence_mask",
        ({"X": i(1, 3), "MaxLenTensor": Const(i(4, dtype=INT32))},),
        {"out_dtype": 3},
        results=("Y",),
        why="a tensor",
    ),
    Case("range", ({"Start": Const(f(0)), "End": Const(f(5)), "Step": Const(f(2))},)),
    Case("range", ({"Start": i(1), "End": i(7), "Step": i(2)},), why="known at run time"),
    Case(
        "linspace",
        ({"Start": Const(f(0)), "Stop": Const(f(1)), "Num": Const(i(5, dtype=INT32))},),
        {"dtype": 5},
        tol=ROUNDS,
    ),
    Case("eye", ({},), {"num_rows": 2, "num_columns": 3, "dtype": 5}),
    Case("tril_indices", ({},), {"rows": 3, "cols": 3, "offset": 0, "dtype": 3}, results=("out",)),
    Case("triu_indices", ({},), {"row": 3, "col": 3, "offset": 1, "dtype": 3}, results=("out",)),
    Case("fill_constant", ({},), {"shape": [2, 3], "value": 1.5, "dtype": 5}),
    Case(
        "fill_constant",
        ({},),
        {"shape": [2], "str_value": "9007199254740992", "dtype": 3},
        why="a text",
    ),
    Case("fill_constant", ({},), {"shape": [2], "str_value": "-inf", "dtype": 5}),
    Case("fill_constant", ({},), {"shape": [2], "value": 1.0, "dtype": 0}, why="bool"),
    Case(
        "fill_constant",
        ({"ShapeTensor": i(2, 3)},),
        {"shape": [-1, -1], "value": 2.0, "dtype": 3},
        why="a shape at run time",
    ),
    Case(
        "fill_constant",
        ({"ShapeTensorList": [i(2, dtype=INT32), Const(i(3, dtype=INT32))]},),
        {"shape": [-1, 3], "value": 2.0, "dtype": 5},
        why="a list of tensors",
    ),
    Case(
        "fill_constant",
        ({"ValueTensor": f(7)},),
        {"shape": [2], "value": 2.0, "dtype": 5},
        why="a value at run time",
    ),
    Case("fill_any_like", ({"X": X},), {"value": 2.0}),
    Case("fill_any_like", ({"X": X},), {"value": 2.0, "dtype": 3}),
    Case("fill_zeros_like", ({"X": X},), domain="fill_any_like"),
    Case("fill_zeros_like2", ({"X": X},), {"dtype": 5}, domain="fill_any_like"),
    Case(
        "fill_constant_batch_size_like",
        ({"Input": X},),
        {"shape": [-1, 2], "value": 3.0, "dtype": 5, "input_dim_idx": 0, "output_dim_idx": 0},
    ),
    Case(
        "fill_constant_batch_size_like",
        ({"Input": X},),
        {"shape": [5, 1], "str_value": "2", "dtype": 3, "input_dim_idx": 1, "output_dim_idx": 1},
    ),
    Case("assign_value", ({},), {"shape": [2, 2], "dtype": 5, "values": [1.0, 2.0, 3.0, 4.0]}),
    Case("assign_value", ({},), {"shape": [2], "dtype": 3, "values": [1, -2]}),
    Case(
        "set_value",
        ({"Input": X},),
        {
            "axes": [0],
            "starts": [1],
            "ends": [3],
            "steps": [1],
            "shape": [1],
            "values": [5.0],
            "dtype": 5,
        },
    ),
    Case(
        "set_value",
        ({"Input": X, "ValueTensor": f(1, 2, 3)},),
        {"axes": [0], "starts": [1], "ends": [3], "steps": [1], "dtype": 5},
        why="a tensor",
    ),
    Case("gaussian_random", ({},), {"shape": [2, 3], "dtype": 5}, random=True),
    Case("uniform_random", ({},), {"shape": [2, 3], "dtype": 5}, random=True),
    Case("randint", ({},), {"shape": [2, 3], "low": 0, "high": 5, "dtype": 3}, random=True),
    Case("bernoulli", ({"X": f(0, 1)},)),
]
LIMITS = [
    Limit(
        "nanmedian",
        device="onnxruntime",
        case="-axis",
        why="NaN is not the largest in its sort",
    ),
]
