"""Find out which element types LiteRT's kernels compute with.

    python -m hal.drivers.litert.probe

runs one operator after the other on every element type and writes `kernels.json`: the types whose
results are NumPy's. Each trial runs in a process of its own: some kernels end it.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

import ai_edge_litert
import numpy as np
from ai_edge_litert.interpreter import Interpreter

from nnir.records import dataclass
from nnir.staging import replacing
from nnir.types import Precision

from .kernels import STORED
from .writer import Graph, Step, Tensor, Writer, join_parts

FLOAT = ("FLOAT32",)
PLAIN = tuple(p for p in STORED if p.name not in ("INT4", "COMPLEX64", "COMPLEX128"))


@dataclass(frozen=True)
class Trial:
    """An operator on `arrays`, which `expected` computes with NumPy; `fixed` operands follow."""

    name: str
    expected: Callable[..., Any]
    arrays: tuple[Any, ...]
    fixed: tuple[Any, ...] = ()
    options: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    lead: tuple[Any, ...] = ()
    makes: Any = None
    first: bool = True


A = np.array([[1, 2, 3], [4, 5, 6]])
B = np.array([[3, 2, 1], [1, 7, 2]])
BIG = np.array([[1, 2, 3], [4, 5, 125]])
AXIS = np.array([1], np.int32)


def trials() -> Iterator[Trial]:
    """Every operator that more than one element type makes sense for."""
    pairs: dict[str, Callable[..., Any]] = {
        "ADD": np.add,
        "SUB": np.subtract,
        "MUL": np.multiply,
        "DIV": lambda a, b: a // b if a.dtype.kind in "iu" else a / b,
        "FLOOR_DIV": np.floor_divide,
        "FLOOR_MOD": np.mod,
        "MAXIMUM": np.maximum,
        "MINIMUM": np.minimum,
        "POW": np.power,
        "SQUARED_DIFFERENCE": lambda a, b: (a - b) ** 2,
        "BITWISE_XOR": np.bitwise_xor,
        "RIGHT_SHIFT": lambda a, b: a >> b,
        "ATAN2": np.arctan2,
    }
    for name, function in pairs.items():
        yield Trial(name, function, (A, B))
    yield from _comparisons()
    yield from _singles()
    yield from _moves()
    yield from _reductions()


def _comparisons() -> Iterator[Trial]:
    for name, ufunc in {
        "EQUAL": np.equal,
        "NOT_EQUAL": np.not_equal,
        "LESS": np.less,
        "LESS_EQUAL": np.less_equal,
        "GREATER": np.greater,
        "GREATER_EQUAL": np.greater_equal,
        "LOGICAL_AND": np.logical_and,
        "LOGICAL_OR": np.logical_or,
    }.items():
        yield Trial(name, ufunc, (BIG, B), makes=np.bool_)


def _singles() -> Iterator[Trial]:
    singles: dict[str, Callable[..., Any]] = {
        "ABS": np.abs,
        "NEG": np.negative,
        "SQUARE": np.square,
        "SIGN": np.sign,
        "RELU": lambda a: np.maximum(a, 0),
        "RELU6": lambda a: np.clip(a, 0, 6),
        "RELU_0_TO_1": lambda a: np.clip(a, 0, 1),
        "FLOOR": np.floor,
        "CEIL": np.ceil,
        "ROUND": np.rint,
        "EXP": np.exp,
        "LOG": np.log,
        "SQRT": np.sqrt,
        "RSQRT": lambda a: 1 / np.sqrt(a),
        "SIN": np.sin,
        "COS": np.cos,
        "TANH": np.tanh,
        "LOGISTIC": lambda a: 1 / (1 + np.exp(-a)),
        "LOGICAL_NOT": np.logical_not,
        "ZEROS_LIKE": np.zeros_like,
    }
    for name, function in singles.items():
        yield Trial(name, function, (A,))


def _moves() -> Iterator[Trial]:
    i32 = np.int32
    yield Trial(
        "RESHAPE", lambda a: a.reshape(3, 2), (A,), (np.array([3, 2], i32),), "ReshapeOptions"
    )
    yield Trial("TRANSPOSE", lambda a: a.T, (A,), (np.array([1, 0], i32),))
    yield Trial(
        "CONCATENATION",
        lambda a, b: np.concatenate([a, b], 1),
        (A, B),
        (),
        "ConcatenationOptions",
        {"axis": 1},
    )
    yield Trial(
        "PACK", lambda a, b: np.stack([a, b]), (A, B), (), "PackOptions", {"values_count": 2}
    )
    yield Trial("PAD", lambda a: np.pad(a, 1), (A,), (np.ones((2, 2), i32),))
    yield Trial(
        "MIRROR_PAD",
        lambda a: np.pad(a, 1, "reflect"),
        (A,),
        (np.ones((2, 2), i32),),
        "MirrorPadOptions",
    )
    yield Trial("TILE", lambda a: np.tile(a, (1, 2)), (A,), (np.array([1, 2], i32),))
    yield Trial(
        "GATHER", lambda a: a[[1, 0, 1]], (A,), (np.array([1, 0, 1], i32),), "GatherOptions"
    )
    yield Trial("GATHER_ND", lambda a: a[[1, 0], [2, 1]], (A,), (np.array([[1, 2], [0, 1]], i32),))
    yield Trial(
        "SLICE", lambda a: a[1:2, 0:2], (A,), (np.array([1, 0], i32), np.array([1, 2], i32))
    )
    yield Trial(
        "STRIDED_SLICE",
        lambda a: a[0:2, 2:0:-1],
        (A,),
        (np.array([0, 2], i32), np.array([2, 0], i32), np.array([1, -1], i32)),
        "StridedSliceOptions",
    )
    yield from _placements()


def _placements() -> Iterator[Trial]:
    i32 = np.int32
    yield Trial("REVERSE_V2", lambda a: a[:, ::-1], (A,), (AXIS,))
    yield Trial("PADV2", lambda a: np.pad(a, 1), (A,), (np.ones((2, 2), i32),))
    yield Trial(
        "BROADCAST_TO", lambda a: np.broadcast_to(a, (2, 2, 3)), (A,), (np.array([2, 2, 3], i32),)
    )
    yield Trial("EXPAND_DIMS", lambda a: a[:, None], (A,), (AXIS,))
    yield Trial(
        "SELECT_V2",
        lambda a, b: np.where(MASK, a, b),
        (A, B),
        lead=(MASK,),
        options="SelectV2Options",
    )
    yield Trial(
        "SCATTER_ND",
        lambda a: a[[1, 0]],
        (A,),
        (np.array([2, 3], i32),),
        lead=(ROWS,),
        options="ScatterNdOptions",
    )
    yield Trial(
        "SPLIT_V",
        lambda a: a[:, :1],
        (A,),
        (np.array([1, 2], i32), np.array(1, i32)),
        "SplitVOptions",
        {"num_splits": 2},
    )
    yield Trial(
        "SPLIT",
        lambda a: a[:1],
        (A,),
        lead=(np.array(0, i32),),
        options="SplitOptions",
        fields={"num_splits": 2},
    )
    yield Trial("UNPACK", lambda a: a[0], (A,), (), "UnpackOptions", {"num": 2})
    yield Trial(
        "FILL",
        lambda a: np.full((2, 2), a),
        (np.array(5),),
        lead=(np.array([2, 2], i32),),
        options="FillOptions",
    )
    yield Trial("RANGE", np.arange, tuple(map(np.array, (1, 6, 2))), (), "RangeOptions")
    yield Trial("WHERE", lambda a: np.argwhere(a), (A,), makes=np.int64)
    yield Trial("DYNAMIC_UPDATE_SLICE", lambda a, b: b, (A, B), (np.zeros(2, i32),))
    yield Trial(
        "REVERSE_SEQUENCE",
        lambda a: a[:, [1, 0, 2]],
        (A,),
        (np.array([2, 2], i32),),
        "ReverseSequenceOptions",
        {"seq_dim": 1},
    )


MASK = np.array([[True, False, True], [False, True, True]])
ROWS = np.array([[1], [0]], np.int32)


def _reductions() -> Iterator[Trial]:
    for name, function in {
        "SUM": np.sum,
        "MEAN": lambda a, axis: (
            np.mean(a, axis).astype(a.dtype) if a.dtype.kind == "f" else a.sum(axis) // 3
        ),
        "REDUCE_MAX": np.max,
        "REDUCE_MIN": np.min,
        "REDUCE_PROD": np.prod,
        "REDUCE_ANY": np.any,
        "REDUCE_ALL": np.all,
    }.items():
        yield Trial(name, lambda a, f=function: f(a, axis=1), (A,), (AXIS,), "ReducerOptions")
    yield Trial(
        "ARG_MAX",
        lambda a: np.argmax(a, 1),
        (B,),
        (AXIS,),
        "ArgMaxOptions",
        {"output_type": 2},
        makes=np.int32,
    )
    yield Trial(
        "ARG_MIN",
        lambda a: np.argmin(a, 1),
        (B,),
        (AXIS,),
        "ArgMinOptions",
        {"output_type": 2},
        makes=np.int32,
    )
    yield Trial("CUMSUM", lambda a: np.cumsum(a, 1), (A,), (AXIS,), "CumsumOptions")
    yield Trial(
        "TOPK_V2",
        lambda a: np.sort(a, 1)[:, ::-1][:, :2],
        (B,),
        (np.array(2, np.int32),),
        "TopKV2Options",
    )
    yield Trial(
        "BATCH_MATMUL", lambda a, b: a @ b.T, (A, B), (), "BatchMatMulOptions", {"adj_y": True}
    )
    yield Trial("FULLY_CONNECTED", lambda a, b: a @ b.T, (A, B), (), "FullyConnectedOptions")
    yield Trial(
        "MAX_POOL_2D",
        lambda a: a.max((1, 2), keepdims=True),
        (A.reshape(1, 2, 3, 1),),
        (),
        "Pool2DOptions",
        {"padding": 1, "stride_w": 1, "stride_h": 1, "filter_width": 3, "filter_height": 2},
    )


def content(
    trial: Trial, kind: np.dtype, precision: Precision
) -> tuple[bytes, list[np.ndarray], np.ndarray]:
    """A file of one operator, its inputs and the result that NumPy gives."""
    arrays = [np.asarray(a).astype(kind) for a in trial.arrays]
    expected = np.asarray(trial.expected(*arrays))
    expected = expected.astype(trial.makes or kind)
    tensors = [Tensor(precision, a.shape) for a in arrays]
    fixed = [Tensor(_of(a), a.shape, a) for a in trial.fixed]
    lead = [Tensor(_of(a), a.shape, a) for a in trial.lead]
    results = [Tensor(precision if trial.makes is None else _of(expected), expected.shape)]
    if trial.name == "SPLIT_V":
        results.append(Tensor(precision, (2, 2)))
    if trial.name == "SPLIT":
        results.append(Tensor(precision, (1, 3)))
    if trial.name == "UNPACK":
        results.append(Tensor(precision, (3,)))
    if trial.name == "TOPK_V2":
        results.append(Tensor(Precision.INT32, expected.shape))
    step = Step(trial.name, [*lead, *tensors, *fixed], results, trial.options, trial.fields)
    graph = Graph("main", tensors, [results[0]], [step])
    parts = Writer(graph, [f"x{k}" for k in range(len(tensors))], ["y"]).parts()
    return join_parts(parts), arrays, expected


def _of(array: np.ndarray) -> Precision:
    return Precision["BOOL8" if array.dtype == np.bool_ else array.dtype.name.upper()]


def _run(file: bytes, arrays: list[np.ndarray], expected: np.ndarray) -> bool:
    interpreter = Interpreter(model_content=file)
    interpreter.allocate_tensors()
    details = sorted(interpreter.get_input_details(), key=lambda d: d["name"])
    for where, array in zip(details, arrays, strict=True):
        interpreter.set_tensor(where["index"], array)
    interpreter.invoke()
    found = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    close = np.allclose(found.astype(np.float64), expected.astype(np.float64), rtol=1e-3)
    return found.shape == expected.shape and close


def _answer(send: Any, file: bytes, arrays: list[np.ndarray], expected: np.ndarray) -> None:
    try:
        send.send(_run(file, arrays, expected))
    except Exception:  # noqa: BLE001  # whatever the kernel says, it does not run
        send.send(False)


def works(trial: Trial, precision: Precision) -> bool:
    """Whether a trial gives NumPy's result, in a process of its own."""
    try:
        file, arrays, expected = content(trial, precision.dtype, precision)
    except (TypeError, ValueError):
        return False
    receive, send = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=_answer, args=(send, file, arrays, expected)
    )
    process.start()
    process.join(30)
    if process.is_alive():
        process.kill()
    return receive.poll() and bool(receive.recv())


def main() -> None:
    """Write the table beside this file."""
    table: dict[str, list[str]] = {}
    for trial in trials():
        table[trial.name] = sorted(p.name for p in PLAIN if works(trial, p))
    data = {"litert": ai_edge_litert.__version__, "kernels": table}
    with replacing(Path(__file__).with_name("kernels.json")) as file:
        file.write((json.dumps(data, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
