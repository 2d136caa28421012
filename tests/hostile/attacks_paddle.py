"""Attacks in Paddle's programs: operators that act, and pickles beside and among them."""

from __future__ import annotations

import json
import pickle  # noqa: TID251  what the attacks are made of
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..frontends.paddle_legacy_bytes import Op, X, around, parameter, program, variable
from .harness import HARMLESS, REFUSED, Attack

DATA = Path(__file__).parents[1] / "data/paddle"
ASKING = ("load", "onnx", "verify")
WEIGHTS = parameter(np.ones(3, np.float32).tobytes(), [3])
RELU = Op("relu", {"X": ["x"]}, {"Out": ["y"]})
SCALED = Op("elementwise_mul", {"X": ["x"], "Y": ["w"]}, {"Out": ["y"]}, {"axis": -1})
WEIGHT = variable("w", [3], stored=True)
LEGACY = (
    *("py_func", "save", "save_combine", "load", "load_combine", "run_program", "read_file"),
    *("vendor_write", "listen_and_serv", "send", "recv", "tensorrt_engine", "lite_engine"),
    *("delete_var", "go", "create_py_reader", "c_comm_init", "py_layer"),
)
PIR = (
    *(
        "1.py_func_",
        "1.save_combine",
        "1.load_combine",
        "1.read_file",
        "1.run_program",
        "1.py_layer",
    ),
    *("3.vendor_write", "4.shard_tensor", "0.module", "0.tensorrt", "2.cond_br", "9.anything"),
    *("1.tensorrt_engine", "1.recv_v2"),
)


class Runs:
    """Creates the marker when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return exec, (f"open({str(self.marker)!r}, 'w')",)


def evil(marker: Path) -> bytes:
    return pickle.dumps({"w": Runs(marker)}, 2)


def legacy(folder: Path, *blocks: list[Op], variables: tuple[bytes, ...] = (X,)) -> Path:
    path = folder / "m.pdmodel"
    path.write_bytes(program(*blocks, variables=variables))
    return path


def acting(kind: str, marker: Path) -> Op:
    said = {"file_path": str(marker), "filename": str(marker), "forward_callable_id": 0}
    return Op(kind, {"X": ["x"]}, {"Out": ["z"]}, said)


def in_block(kind: str, where: str) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        op = acting(kind, marker)
        match where:
            case "before the result":
                return legacy(folder, around(op, RELU))
            case "after the result":
                return legacy(folder, [*around(RELU), op])
            case _:
                return legacy(folder, around(RELU), [op])

    why = "Paddle runs every operator of a block"
    return Attack(f"{kind} {where}", build, why, ".pdmodel", REFUSED, ASKING)


def kind_of(*sizes: int, element: str = "f32") -> dict[str, Any]:
    return {"#": "0.t_dtensor", "D": [{"#": f"0.t_{element}"}, list(sizes), "NCHW", [], 0]}


def operation(label: str, inputs: list[int], results: list[int], **said: Any) -> dict[str, Any]:
    kinds = {str: "0.a_str", int: "0.a_i32"}
    attributes = [{"AT": {"#": kinds[type(v)], "D": v}, "N": k} for k, v in said.items()]
    made = [{"%": n, "TT": kind_of(2, 3)} for n in results]
    return {"#": label, "A": attributes, "I": [{"%": n} for n in inputs], "O": made}


def region(*ops: dict[str, Any]) -> dict[str, Any]:
    return {"#": "region", "blocks": [{"#": "block", "args": [], "ops": list(ops)}]}


FED = operation("1.data", [], [1], name="x")
FED["A"] += [
    {"AT": {"#": "1.a_intarray", "D": [2, 3]}, "N": "shape"},
    {"AT": {"#": "1.a_dtype", "D": "float32"}, "N": "dtype"},
    {"AT": {"#": "1.a_place", "D": [0, 0, ""]}, "N": "place"},
]
STORED = {"#": "p", "A": [0, 1, 1, "w"], "DA": [], "OA": [1, 0, 1], "QA": []}
STORED["O"] = {"%": 5, "TT": kind_of(3)}
WEIGHED = operation("1.multiply", [1, 5], [2])
MADE = operation("1.relu", [1], [2])
FETCHED = operation("1.fetch", [2], [900], name="y0", col=0)


def document(*ops: dict[str, Any]) -> bytes:
    head = {"magic": "pir", "trainable": True, "version": 4}
    return json.dumps({"base_code": head, "program": {"regions": [region(*ops)]}}).encode()


def in_program(label: str, where: str) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        op = operation(label, [1], [7], file_path=str(marker))
        if where == "in a branch":
            branch = region(op, operation("2.yield", [1], []))
            op = {**operation("1.if", [1], [8]), "regions": [branch, branch]}
        path = folder / "m.json"
        path.write_bytes(document(FED, MADE, op, FETCHED))
        return path

    why = "Paddle runs every operation, and custom ones are libraries"
    return Attack(f"{label} {where}", build, why, ".json", REFUSED, ASKING)


def beside(name: str, *, is_legacy: bool) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        if is_legacy:
            path = folder / "m.pdmodel"
            for suffix in (".pdmodel", ".pdiparams"):
                shutil.copyfile((DATA / "net").with_suffix(suffix), path.with_suffix(suffix))
        else:
            path = folder / "m.json"
            path.write_bytes(document(STORED, FED, WEIGHED, FETCHED))
            path.with_suffix(".pdiparams").write_bytes(WEIGHTS)
        (folder / name).write_bytes(evil(marker))
        return path

    form = ".pdmodel" if is_legacy else ".json"
    why = "Paddle looks for it beside the program and unpickles it"
    return Attack(f"a pickle {name} beside", build, why, form, HARMLESS, ("load", "verify"))


def parameters(form: Callable[[Path], bytes]) -> Callable[[Path, Path], Path]:
    def build(folder: Path, marker: Path) -> Path:
        path = legacy(folder, around(SCALED), variables=(X, WEIGHT))
        path.with_suffix(".pdiparams").write_bytes(form(marker))
        return path

    return build


def weight_elsewhere(folder: Path, marker: Path) -> Path:
    stored = variable("../../../../etc/passwd", [3], stored=True)
    op = Op("elementwise_mul", {"X": ["x"], "Y": ["../../../../etc/passwd"]}, {"Out": ["y"]})
    path = folder / "__model__"
    path.write_bytes(program(around(op), variables=(X, stored)))
    return path


PLACES = ("before the result", "after the result", "in a block that nobody runs")
ATTACKS = [
    *(in_block(kind, where) for kind in LEGACY for where in PLACES),
    *(in_program(label, where) for label in PIR for where in ("in the program", "in a branch")),
    *(beside(f"m{s}", is_legacy=True) for s in (".pdiparams.info", ".pdmodel.info", ".pdparams")),
    *(beside(f"m{s}", is_legacy=False) for s in (".pdiparams.info", ".pdparams", ".pdopt")),
    Attack("parameters that are a pickle", parameters(evil), "a pickle", ".pdmodel", REFUSED),
    Attack(
        "a pickle behind the parameters",
        parameters(lambda m: WEIGHTS + evil(m)),
        "a pickle",
        ".pdmodel",
        REFUSED,
    ),
    Attack("a weight elsewhere", weight_elsewhere, "a path", "__model__", REFUSED, ASKING),
]
