"""Paddle's operators that select or place elements by position or by a mask."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, f, i, rand, scalar

nan = np.nan
CUBE = rand(2, 3, 4)
SQUARE = f(1, 2, 3, 4, 5, 6, 7, 8, 9).reshape(3, 3)
COLUMNS = i(0, 0, 1, 1).reshape(2, 2)
MASK = np.array([[True, False], [False, True]])
FROM, TO = i(0, 1, 2, 0), i(1, 1, 0, 0)
POOLS = ("SUM", "MEAN", "MIN", "MAX")
REDUCTIONS = ("add", "mul", "multiply", "amax", "amin", "mean")
WHERE = {"starts": [0], "ends": [2], "steps": [1], "axes": [0]}
PLAIN: dict[str, list[int]] = {"decrease_axes": [], "none_axes": []}
COLUMN = {"starts": [1], "ends": [2], "steps": [1], "axes": [1], "decrease_axes": [1]}
BACK = {"starts": [2], "ends": [-10], "steps": [-1], "axes": [0]}
EVERY = {"starts": [0], "ends": [3], "steps": [2], "axes": [1]}
BOTH = {"starts": [1, 0], "ends": [3, 2], "steps": [1, 1], "axes": [0, 1]}
NINE = {"shape": [1], "values": [9.0]}

CASES = [
    Case("gather", (CUBE, i(1, 0, 1))),
    Case("gather", (CUBE, i(1, -1, dtype=np.int32), 1), why="from the end"),
    Case("gather", (CUBE, scalar(1, np.int64), -1), why="a position without axes"),
    Case("gather", (CUBE, i(1, 0).reshape(2, 1)), why="a column"),
    Case("gather", (CUBE, i(1), Const(i(2, dtype=np.int32))), why="the axis of the program"),
    Case("gather", (CUBE, np.zeros(0, np.int64)), why="nothing"),
    Case("gather_nd", (CUBE, i(1, 2, 0, 0).reshape(2, 2))),
    Case("gather_nd", (CUBE, i(-1)), why="a slice"),
    Case("gather_nd", (CUBE, np.zeros((2, 0), np.int64)), why="all of it, twice"),
    Case("index_select", (CUBE, i(1, 1, -1))),
    Case("index_select", (CUBE, i(2, 0, dtype=np.int32)), {"axis": 1}),
    Case("index_select_strided", (CUBE, 1)),
    Case("index_select_strided", (CUBE, 2), {"axis": 1}),
    Case("index_select_strided", (CUBE, 0), {"axis": 5}, raises=BadType),
    Case("index_sample", (rand(2, 3), i(0, 2, 1, 1).reshape(2, 2))),
    Case("take_along_axis", (rand(2, 3), i(0, 2).reshape(2, 1), 1)),
    Case("take_along_axis", (rand(2, 3), i(-1, 1).reshape(2, 1), 1), why="from the end"),
    Case("take_along_axis", (rand(2, 3), i(1).reshape(1, 1), 0), why="fewer"),
    Case("masked_select", (rand(2, 2), MASK)),
    Case("masked_select", (rand(2, 2), np.array([True, False])), why="broadcasts"),
    Case("masked_select", (rand(2), MASK), why="the mask is larger"),
    Case("masked_select", (scalar(3), np.array(True)), why="no axes"),
    Case("nonzero", (f(0, 1, nan),)),
    Case("nonzero", (MASK,)),
    Case("nonzero", (i(0, 0),), why="nothing"),
    Case("one_hot", (i(1, 0, 2), 3)),
    Case("one_hot", (i(1, 0, dtype=np.int32), Const(i(3, dtype=np.int32))), why="of the program"),
    Case("one_hot", (i(1, 0).reshape(2, 1), i(3, dtype=np.int32)), why="known while running"),
    Case("one_hot", (scalar(1, np.int64), 3), why="no axes"),
    Case("embedding", (i(1, 0), rand(3, 4))),
    Case("embedding", (i(1, 0, 1, 2).reshape(2, 2), rand(3, 4)), {"padding_idx": 1}),
    Case("embedding", (i(1, 0), Const(f(0, 0, 1, 2).reshape(2, 2))), {"padding_idx": 0}),
    Case("embedding", (scalar(1, np.int64), rand(3, 4)), why="no axes"),
    Case("embedding_with_scaled_gradient", (i(1, 0), rand(3, 4))),
    Case("sparse_weight_embedding", (i(1, 0), rand(3, 4)), {"padding_idx": 1}),
    Case("masked_fill", (rand(2, 2), np.array([True, False]), scalar(9))),
    Case("masked_fill", (rand(2, 2), MASK, rand(2, 2, seed=1)), why="each"),
    Case("masked_fill", (rand(2), MASK, f(9)), why="the mask is larger"),
    Case("masked_fill_", (rand(2, 2), MASK, scalar(9)), why="in place"),
    Case("shard_index", (i(1, 5, 9).reshape(3, 1), 10, 2, 1)),
    Case(
        "shard_index", (i(1, 5, 9).reshape(3, 1), 10, 3, 0), {"ignore_value": -7}, why="the first"
    ),
    Case("shard_index", (i(1).reshape(1, 1), 10, 2, 2), why="no such shard", raises=BadType),
    Case("gather_tree", (i(*range(12)).reshape(3, 2, 2), i(*[0, 1, 1, 0] * 3).reshape(3, 2, 2))),
    Case("sequence_mask", (i(1, 3, 0), 4, Precision.INT64)),
    Case("sequence_mask", (i(1, 3, 0), -1, Precision.FLOAT32), why="the longest one"),
    Case("sequence_mask", (i(1, 3).reshape(2, 1), 3, Precision.BOOL8), why="two axes"),
    *(
        Case("segment_pool", (rand(4, 2), i(0, 0, 2, 2)), {"pooltype": how}, tol=ROUNDS)
        for how in POOLS
    ),
    *(Case("send_u_recv", (rand(3, 2), FROM, TO), {"reduce_op": how}, tol=ROUNDS) for how in POOLS),
    *(
        Case(
            "send_ue_recv",
            (rand(3, 2), rand(4, 2), FROM, TO),
            {"reduce_op": how},
            tol=ROUNDS,
        )
        for how in POOLS
    ),
    Case("send_u_recv", (rand(3, 2), FROM, TO), {"out_size": [5]}, tol=ROUNDS),
    Case(
        "send_u_recv",
        (rand(3, 2), FROM, TO),
        {"out_size": i(2)},
        tol=ROUNDS,
        why="while running",
    ),
    Case("send_u_recv", (rand(3), FROM, TO), tol=ROUNDS, why="a vector"),
    Case("send_u_recv", (rand(3), FROM, TO), {"reduce_op": "X"}, raises=Unsupported),
    Case(
        "send_ue_recv",
        (rand(3, 2), rand(4, 1), FROM, TO),
        {"message_op": "MUL"},
        tol=ROUNDS,
    ),
    *(
        Case("send_uv", (rand(3, 2), rand(3, 2), FROM, TO), {"message_op": how})
        for how in ("ADD", "MUL")
    ),
    Case("send_uv", (rand(3), rand(3), FROM, TO), {"message_op": "SUB"}, raises=Unsupported),
    *(
        Case(
            "put_along_axis",
            (rand(2, 3), COLUMNS, rand(2, 2, seed=1), 1),
            {"reduce": how},
            tol=ROUNDS,
        )
        for how in ("assign", *REDUCTIONS)
    ),
    *(
        Case(
            "put_along_axis",
            (rand(2, 3), COLUMNS, rand(2, 2, seed=1), 1),
            {"reduce": how, "include_self": False},
            tol=ROUNDS,
        )
        for how in REDUCTIONS
    ),
    Case("put_along_axis", (rand(2, 3), i(-1, 0).reshape(2, 1), rand(2, 1), 1), why="from the end"),
    Case("put_along_axis", (i(1, 2, -9), i(2, 2), i(5, 1), 0), {"reduce": "mean"}, why="whole"),
    Case("put_along_axis", (f(1), i(0), f(2), 0), {"reduce": "last"}, raises=Unsupported),
    Case("put_along_axis_", (rand(2, 3), COLUMNS, rand(2, 2), 1), why="in place"),
    Case("scatter", (rand(3, 2), i(2, 0), rand(2, 2, seed=1))),
    Case("scatter", (rand(3, 2), i(2, 2, 0), rand(3, 2, seed=1)), {"overwrite": False}, tol=ROUNDS),
    Case("scatter", (rand(3, 2), i(2, 2), rand(2, 2, seed=1)), why="the last one stays"),
    Case("scatter", (rand(3, 2), scalar(1, np.int64), rand(2)), why="no axes"),
    Case("scatter", (rand(3, 2), i(2, 0).reshape(2, 1), rand(2, 2)), why="a column"),
    Case("scatter", (rand(3), i(2, 0), rand(2)), why="a vector"),
    Case("scatter_", (rand(3, 2), i(2, 0), rand(2, 2, seed=1)), why="in place"),
    Case("scatter_nd_add", (rand(3, 2), i(1, 1).reshape(2, 1), rand(2, 2)), tol=ROUNDS),
    Case(
        "scatter_nd_add",
        (rand(3, 2), i(1, 1, -1, 0).reshape(2, 2), rand(2)),
        tol=ROUNDS,
        why="elements",
    ),
    Case("index_add", (rand(3, 2), i(0, 2, 0), rand(3, 2)), tol=ROUNDS),
    Case("index_add", (rand(2, 3), i(0, 2), rand(2, 2)), {"axis": 1}, tol=ROUNDS),
    Case("index_add_", (rand(3, 2), i(0), rand(1, 2)), tol=ROUNDS, why="in place"),
    Case("index_put", (rand(3, 2), [i(0, 2), i(1, 0)], f(7, 8))),
    Case("index_put", (rand(3, 2), [i(0, 0)], f(7)), {"accumulate": True}, tol=ROUNDS),
    Case("index_put", (rand(3), [np.array([True, False, True])], f(7)), why="a mask"),
    Case("index_put", (rand(2, 2), [MASK], f(7, 8)), why="a mask of everything"),
    Case("index_put", (rand(3, 2), [i(0, 1).reshape(2, 1), i(0, 1)], f(7)), why="broadcasts"),
    Case("index_put", (rand(3), [i(-1)], f(7)), why="from the end"),
    Case("index_put_", (rand(3, 2), [i(0, 2), i(1, 0)], f(7, 8)), why="in place"),
    Case("set_value", (SQUARE,), WHERE | PLAIN | NINE),
    Case("set_value", (SQUARE,), WHERE | PLAIN | {"shape": [3], "values": [7.0, 8.0, 9.0]}),
    Case("set_value", (SQUARE,), COLUMN | {"none_axes": []} | NINE, why="a column"),
    Case("set_value", (SQUARE,), EVERY | {"decrease_axes": [], "none_axes": [0]} | NINE),
    Case("set_value", (SQUARE,), BOTH | PLAIN | NINE, why="a block"),
    Case(
        "set_value",
        (SQUARE,),
        WHERE | {"decrease_axes": [], "none_axes": [0, 1]} | NINE,
        raises=Unsupported,
    ),
    Case("set_value_", (SQUARE,), WHERE | PLAIN | NINE, why="in place"),
    Case("set_value_with_tensor", (SQUARE, f(7, 8, 9)), WHERE | PLAIN),
    Case("set_value_with_tensor", (SQUARE, f(7, 8, 9)), COLUMN | {"none_axes": []}, why="a column"),
    Case("set_value_with_tensor", (SQUARE, SQUARE + 10), BACK | PLAIN, why="from behind"),
    *(
        Case(
            "set_value_with_tensor",
            (rand(3, 4), rand(*sizes, seed=1)),
            dict(zip(("axes", "starts", "ends", "steps"), rows, strict=True)) | PLAIN,
            why=f"{rows} from behind",
        )
        for sizes, rows in (
            ((2, 4), ([0], [2], [0], [-1])),
            ((2, 4), ([0], [2], [-4], [-2])),
            ((3, 2), ([1], [-1], [-4], [-2])),
            ((3, 4), ([1], [3], [-5], [-1])),
            ((2, 2), ([1, 0], [3, 1], [1, 3], [-1, 1])),
            ((1, 4), ([0], [-3], [-4], [-1])),
        )
    ),
    *(
        Case(
            "set_value_with_tensor",
            (rand(3, 4), rand(4)),
            {**BACK, key: i(value)} | PLAIN,
            why=f"{key} from behind, running",
            raises=NotConstant,
        )
        for key, value in (("starts", 2), ("ends", 0))
    ),
    Case("set_value_with_tensor", (SQUARE, rand(2, 2)), BOTH | PLAIN, why="a block"),
    Case("set_value_with_tensor", (SQUARE, rand(3, 2)), EVERY | PLAIN, why="every other"),
    Case("set_value_with_tensor", (SQUARE, f(7)), {**WHERE, "starts": i(1)} | PLAIN, why="running"),
    Case(
        "set_value_with_tensor",
        (SQUARE, f(7)),
        {**WHERE, "steps": i(1)} | PLAIN,
        why="steps",
        raises=NotConstant,
    ),
    Case(
        "set_value_with_tensor",
        (SQUARE, rand(2, 2, 3)),
        WHERE | PLAIN,
        why="too large",
        raises=BadType,
    ),
    Case("set_value_with_tensor_", (SQUARE, f(7, 8, 9)), WHERE | PLAIN, why="in place"),
    Case("send_ue_recv", (rand(3, 2), rand(4, 2), FROM, TO), {"out_size": [5]}, tol=ROUNDS),
    *(
        Case(
            "put_along_axis_",
            (rand(2, 3), COLUMNS, rand(2, 2, seed=1), 1),
            {"reduce": "add", "include_self": own},
            tol=ROUNDS,
        )
        for own in (True, False)
    ),
    Case(
        "scatter_", (rand(3, 2), i(2, 2, 0), rand(3, 2, seed=1)), {"overwrite": False}, tol=ROUNDS
    ),
    Case("index_add_", (rand(2, 3), i(0, 2), rand(2, 2)), {"axis": 1}, tol=ROUNDS),
    Case("index_put_", (rand(3, 2), [i(0, 0)], f(7)), {"accumulate": True}, tol=ROUNDS),
    *(
        Case(op, (i(1, 0), rand(3, 4)), {"sparse": True})
        for op in ("embedding", "sparse_weight_embedding")
    ),
    Case("embedding_with_scaled_gradient", (i(1, 0), rand(3, 4)), {"padding_idx": 1}),
]
