"""The oracle of legacy operators: Paddle writes a program of one operator and runs it.

Runs with Paddle 3 and with Paddle 2.6, which has kernels of its own and no newer operators.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any

import numpy as np

os.environ["GLOG_minloglevel"] = "3"  # noqa: SIM112  the name is Paddle's
os.environ["FLAGS_enable_pir_api"] = "0"  # noqa: SIM112  the name is Paddle's
import paddle
from paddle.base import core
from paddle.static import io

from ..processes.array_store import Writer
from ..processes.worker_loop import serve

paddle.enable_static()
OldIr = getattr(getattr(paddle, "pir_utils", None), "OldIrGuard", nullcontext)
"""Programs in the form that Paddle 2 knows, which has no other."""


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Any:
    """The program's bytes, then its results; `inputs` and `outputs` of the head are slots.

    A head with the `path` of a program: its results.
    """
    if "save" in head:
        return save_variables(head, arrays)
    if "path" in head:
        return run_file(head["path"], arrays)
    place = paddle.CPUPlace()
    program, startup = paddle.static.Program(), paddle.static.Program()
    with OldIr(), paddle.static.program_guard(program, startup):
        block = program.global_block()
        feeds: dict[str, Any] = {}
        slots: dict[str, Any] = {}
        for slot, places in head["inputs"].items():
            slots[slot] = [declare(block, head, arrays, k, feeds) for k in places]
        results = {
            slot: slots[count]
            if isinstance(count, str)
            else [block.create_var(name=f"{slot}_{k}") for k in range(count)]
            for slot, count in head["outputs"].items()
        }
        attributes = {k: value(v) for k, v in head["attrs"].items()}
        op = head["as"] or head["op"]
        made = block.append_op(type=op, inputs=slots, outputs=results, attrs=attributes)
        fetched = [v for slot in head["read"] for v in results[slot]]
        executor = paddle.static.Executor(place)
        with paddle.static.scope_guard(core.Scope()):
            for k, array in enumerate(arrays):
                if f"w{k}" in block.vars:
                    paddle.static.global_scope().var(f"w{k}").get_tensor().set(array, place)
            found = executor.run(program, feed=feeds, fetch_list=fetched, return_numpy=False)
            params = io._serialize_persistables(program, executor)
            made.desc.set_type(head["op"])
            io.prepend_feed_ops(program, list(feeds))
            io.append_fetch_ops(program, [v.name for v in fetched])
            content = program.desc.serialize_to_string()
    blobs = [np.frombuffer(b or b"", np.uint8) for b in (content, params)]
    return [*blobs, *(np.array(f) for f in found)]


def run_file(path: str, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """What Paddle makes of a program in a file; `path` goes without its suffix."""
    executor = paddle.static.Executor(paddle.CPUPlace())
    with OldIr(), paddle.static.scope_guard(core.Scope()):
        program, feeds, fetched = paddle.static.load_inference_model(path, executor)
        given = dict(zip(feeds, arrays, strict=True))
        found = executor.run(program, feed=given, fetch_list=fetched, return_numpy=False)
    return [np.array(f) for f in found]


def save_variables(head: dict[str, Any], arrays: list[np.ndarray]) -> dict[str, Any]:
    """Write the variables `names` that a program makes into the folder `save`.

    A name ends with the number of the operator that writes the variable (`name@number`). What is
    written more than once is left out: only its last value can be fetched.
    """
    executor = paddle.static.Executor(paddle.CPUPlace())
    writer = Writer(head["save"])
    wanted = {n.rpartition("@")[0]: n for n in head["names"]}
    with OldIr(), paddle.static.scope_guard(core.Scope()):
        program, feeds, _ = paddle.static.load_inference_model(head["path"], executor)
        made = [n for op in program.global_block().ops for n in op.output_arg_names]
        once = [n for n in dict.fromkeys(made) if n in wanted and made.count(n) == 1]
        given = dict(zip(feeds, arrays, strict=True))
        found = executor.run(program, feed=given, fetch_list=once, return_numpy=False)
    for name, tensor in zip(once, found, strict=True):
        writer.add(wanted[name], np.array(tensor))
    return writer.saved


def declare(block: Any, head: dict[str, Any], arrays: Any, k: int, feeds: Any) -> Any:
    """A variable for an array: a parameter, or an input that is fed."""
    array = arrays[k]
    if k in head["constants"]:
        return block.create_var(
            name=f"w{k}", shape=array.shape, dtype=array.dtype.name, persistable=True
        )
    feeds[f"x{k}"] = array
    return block.create_var(
        name=f"x{k}", shape=array.shape, dtype=array.dtype.name, need_check_feed=True, is_data=True
    )


def value(source: Any) -> Any:
    """An attribute; element types by name."""
    if isinstance(source, dict):
        return paddle.base.framework.convert_np_dtype_to_dtype_(source["dtype"])
    return source


if __name__ == "__main__":
    serve(answer)
