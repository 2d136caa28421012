"""The Paddle oracle: one operator, or a saved program. Runs as a worker process."""

from __future__ import annotations

import functools
import json
import os
from typing import Any

import numpy as np

os.environ["GLOG_minloglevel"] = "3"  # noqa: SIM112  the name is Paddle's
import paddle

from frontends.paddle.reading import opdefs

from ..processes.array_store import Writer
from ..processes.worker_loop import serve
from .oracle import argument
from .paddle_formulas import FORMULAS, PROGRAMS

paddle.set_device("cpu")
CUSTOM = "custom_op."
"""How operators of libraries are called, apart from Paddle's own."""

KNOWN = ("builtin.parameter", "pd_op.data", "pd_op.feed")
"""Operations that only name what goes in."""


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Any:
    """Run `op` of the head on its arguments, or the program whose files begin with `path`."""
    paddle.seed(0)
    tensors = [paddle.to_tensor(a) for a in arrays]
    if "save" in head:
        return save_values(head, arrays)
    if "path" in head:
        return results(layer(head["path"])(*tensors))
    given = dict(zip(head["names"], head["args"], strict=False)) | head["kwargs"]
    return results(
        call_operator(head["op"], {k: argument(a, tensors, dtype) for k, a in given.items()})
    )


@functools.lru_cache(maxsize=1)
def layer(path: str) -> Any:
    """A saved program, to be called."""
    return paddle.jit.load(path)


def save_values(head: dict[str, Any], arrays: list[np.ndarray]) -> dict[str, Any]:
    """Write the values `names` that a program makes into the folder `save`.

    The file numbers values (`%7`), the program in memory does not: operations of both are in one
    order.
    """
    with open(f"{head['path']}.json", encoding="utf-8") as file:
        block = json.load(file)["program"]["regions"][0]["blocks"][0]
    wanted, writer = set(head["names"]), Writer(head["save"])
    paddle.enable_static()
    try:
        executor = paddle.static.Executor(paddle.CPUPlace())
        program, feeds, _ = paddle.static.load_inference_model(head["path"], executor)
        made: dict[str, Any] = {}
        for described, op in zip(block["ops"], program.global_block().ops, strict=True):
            places = described.get("O", [])
            places = places if isinstance(places, list) else [places]
            for place, value in zip(places, op.results(), strict=True):
                name = f"%{place['%']}"
                is_made = value.is_dense_tensor_type() and not value.use_empty()
                if name in wanted and op.name() not in KNOWN and is_made:
                    made[name] = value
        for op in [o for o in program.global_block().ops if o.name() == "pd_op.fetch"]:
            program.global_block().remove_op(op)  # its column is that of the first we fetch
        fed = dict(zip(feeds, arrays, strict=True))
        found = executor.run(program, feed=fed, fetch_list=list(made.values()))
    finally:
        paddle.disable_static()
    for name, array in zip(made, found, strict=True):
        writer.add(name, np.asarray(array))
    return writer.saved


def call_operator(op: str, given: dict[str, Any]) -> Any:
    """Call Paddle's own function of the operator, all arguments in order."""
    definition = opdefs.find(op)
    if definition is None:
        raise ValueError(f"{op} has no signature")
    arguments = []
    for name in definition.arguments:
        if name in given:
            arguments.append(given[name])
        elif name == "place":
            arguments.append(paddle.CPUPlace())
        elif name in definition.defaults:
            arguments.append(default(definition.defaults[name]))
        else:
            arguments.append(None)
    if op.startswith(CUSTOM):
        return paddle._C_ops._run_custom_op(op.removeprefix(CUSTOM), *arguments)
    if op in FORMULAS:
        return FORMULAS[op](*arguments)
    if op in PROGRAMS:
        return in_program(op, arguments, whole=True)
    try:
        found = getattr(paddle._C_ops, op)(*arguments)
    except (SystemError, TypeError):  # what only programs have
        return in_program(op, arguments)
    return in_program(op, arguments) if isinstance(found, paddle.pir.Value) else found


def in_program(op: str, arguments: list[Any], *, whole: bool = False) -> Any:
    """The operator as the one of a program, which takes more arguments as tensors.

    `whole`: also the results that its function keeps to itself.
    """
    feeds: dict[str, np.ndarray] = {}
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            given = [place_argument(a, feeds) for a in arguments]
            found = getattr(paddle._C_ops, op)(*given)
        fetched = list(found) if isinstance(found, (list, tuple)) else [found]
        fetched = fetched[0].get_defining_op().results() if whole else fetched
        fetched = [f for f in fetched if isinstance(f, paddle.pir.Value)]  # False: not made
        executor = paddle.static.Executor(paddle.CPUPlace())
        made = executor.run(program, feed=feeds, fetch_list=fetched)
    finally:
        paddle.disable_static()
    return [paddle.to_tensor(a) for a in made if a is not None]


def place_argument(argument: Any, feeds: dict[str, np.ndarray]) -> Any:
    """An argument with inputs of the program for tensors."""
    if isinstance(argument, list):
        return [place_argument(a, feeds) for a in argument]
    if not isinstance(argument, paddle.Tensor):
        return argument
    name = f"x{len(feeds)}"
    feeds[name] = argument.numpy()
    return paddle.static.data(name, argument.shape, argument.dtype)


def default(value: Any) -> Any:
    """A default of the table as the function takes it."""
    if isinstance(value, dict):
        return dtype(value["dtype"])
    return value


def dtype(name: str) -> Any:
    """An element type by its name."""
    if name == "undefined":
        return paddle.base.core.DataType.UNDEFINED
    return paddle.base.framework.convert_np_dtype_to_dtype_(name)


def results(found: Any) -> list[np.ndarray]:
    """The tensors of a result in order; among several those that are not made are left out."""
    if isinstance(found, (list, tuple)):
        made = [p for p in found if isinstance(p, (list, tuple)) or is_made(p)]
        return [r for part in made for r in results(part)]
    if found is None:
        return []
    if not found._is_initialized():  # so are tensors without elements
        return [np.zeros(found.shape, paddle.zeros([1], found.dtype).numpy().dtype)]
    return [found.astype("float32").numpy() if found.dtype == paddle.bfloat16 else found.numpy()]


def is_made(found: Any) -> bool:
    """Whether an operator gave a tensor; what it left out looks like an empty vector."""
    return found is not None and (found._is_initialized() or list(found.shape) != [0])


if __name__ == "__main__":
    serve(answer)
