"""Write `operations.json`: NNRt's operations and tensor types, from a table of its header.

    python -m nnir.formats.nnrt.make_operations TABLE.yaml

The table has the enumerations and, for each operation, what `neural_network_runtime_type.h` says
of it. Words there, such as "[h,w]", become counts and ranks here, so that rules are data.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from nnir.staging import replacing

from ...types import MOST_AXES

ALIASES = {
    "AVG_POOL.strides": "STRIDE",
    "BATCH_TO_SPACE_ND.blockSize": "BLOCKSIZE",
    "CONV2D.stride": "STRIDES",
    "CONV2D_TRANSPOSE.stride": "STRIDES",
    "CONV2D_TRANSPOSE.outputPads": "OUTPUT_PADDINGS",
    "DEPTHWISE_CONV2D_NATIVE.stride": "STRIDES",
    "LAYER_NORM.beginAxis": "BEGIN_NORM_AXIS",
    "LAYER_NORM.beginParamsAxis": "BEGIN_PARAM_AXIS",
    "MATMUL.transposeX": "TRANSPOSE_A",
    "MATMUL.transposeY": "TRANSPOSE_B",
    "MAX_POOL.strides": "STRIDE",
    "PAD.constantValues": "CONSTANT_VALUE",
}
"""Parameters whose tensor types have other names."""

FILE = Path(__file__).with_name("operations.json")

LATER = 105
"""Tensor types from here on are younger than the operations of API 9, whose models lack them."""

DEFAULTED = frozenset(
    {
        *("EXP.base", "EXP.scale", "EXP.shift", "L2_NORMALIZE.epsilon", "LRN.bias", "LRN.alpha"),
        *("LRN.beta", "LRN.normRegion", "LSTM.zoneoutCell", "LSTM.zoneoutHidden", "LSTM.projSize"),
    }
)
"""Parameters whose default the header names; others are marked "default" there."""

POSITIONS = frozenset(
    {
        *("axis", "shape", "begin", "end", "strides", "size", "permutation", "paddings", "k"),
        *("multiples", "indices", "inputIndices", "depth", "inputShape", "sparseShape", "type"),
    }
)
"""Inputs that say places or sizes: integers, where the header names no type."""

KINDS = {
    "NUMBER": "number",
    "INT": "int",
    "FLOAT": "float",
    "BOOL": "bool",
    **{f"INT{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"FLOAT{bits}": f"float{bits}" for bits in (16, 32, 64)},
}
RANKS = {
    "C": (1, 1),
    "[outC]": (1, 1),
    "scalar": (0, 1),
    "1-D": (1, 1),
    "constant 1-D": (1, 1),
    "2-D": (2, 2),
    "4-D": (4, 4),
    "2..5 dims": (2, 5),
    "rank < 8": (0, 7),
    "NHWC": (4, 4),
    "length 1": (0, 1),
    "length 1 or C": (0, 1),
    "[n,2] begin,end": (2, 2),
    "[seq,batch,in]": (3, 3),
    "per channel (last dim)": (1, 1),
    "shape": (1, 1),
}
SHAPED = {
    "CONV2D.weight": 4,
    "CONV2D_TRANSPOSE.weight": 4,
    "DEPTHWISE_CONV2D_NATIVE.weight": 4,
    "LSTM.wIh": 3,
    "LSTM.wHh": 3,
    "LSTM.bias": 2,
    "LSTM.hx": 3,
    "LSTM.cx": 3,
    "CONV2D.bias": 1,
    "CONV2D_TRANSPOSE.bias": 1,
    "FULL_CONNECTION.bias": 1,
    "DETECTION_POST_PROCESS.bbox": 3,
    "DETECTION_POST_PROCESS.scores": 3,
    "DETECTION_POST_PROCESS.anchors": 2,
    "SPARSE_TO_DENSE.indices": 2,
    "SPARSE_TO_DENSE.values": 1,
    "SPARSE_TO_DENSE.sparseShape": 1,
    "SCATTER_ND.shape": 1,
}
"""Ranks of inputs whose words say them otherwise."""

COUNTS = {
    "[h,w]": 2,
    "[bh,bw]": 2,
    "[[t,b],[l,r]]": 4,
    "[top,bottom,left,right]": 4,
    "empty = equal": 0,
    "int or list": 0,
    "int or list, [-n,n)": 0,
    "axis index list": 0,
}
LISTS = {
    "BROADCAST_TO.shape": 0,
    "CROP.offset": 0,
    "DETECTION_POST_PROCESS.scale": 4,
    "SLICE.axes": 0,
}
DETECTION = {
    "inputSize": "int",
    "scale": "float",
    "nmsIoUThreshold": "float",
    "nmsScoreThreshold": "float",
    "maxDetections": "int",
    "detectionsPerClass": "int",
    "maxClassesPerDetection": "int",
    "numClasses": "int",
}
WORDS = {"PAD.constantValues": "any", "LAYER_NORM.beginParamsAxis": "int"}
"""Kinds of parameters that the header does not restrict, where they are no integers."""


IMAGES = frozenset({"INSTANCE_NORM", "LRN", "SPACE_TO_BATCH_ND"})
"""Operations whose images have channels last, although the header does not say so."""


def kinds_of(op: str, operand: dict[str, Any], *, is_input: bool) -> str:
    """The kinds of elements that an operand may have, "any" where all."""
    known = [KINDS[d] for d in operand["dtypes"] if d in KINDS]
    if known:
        return "|".join(known)
    name = operand["name"]
    if is_input:
        return "integer" if name in POSITIONS else "any"
    if op == "DETECTION_POST_PROCESS":
        return DETECTION[name]
    return WORDS.get(f"{op}.{name}", "int")


def ranks_of(op: str, operand: dict[str, Any]) -> tuple[int, int]:
    """The least and the most axes that an operand has."""
    rank = SHAPED.get(f"{op}.{operand['name']}")
    if rank is not None:
        return rank, rank
    if operand["dtypes"] == ["C"]:
        return 1, 1
    words = operand.get("meaning", "").split(", ")
    return RANKS.get(operand.get("meaning", ""), RANKS.get(words[0], (0, MOST_AXES)))


def tensor_type(op: str, name: str, types: list[dict[str, Any]]) -> int:
    """The code of the tensor type that marks a parameter."""
    wanted = ALIASES.get(f"{op}.{name}", "PAD" if name == "padList" else name)
    plain = re.sub("_", "", wanted).upper()
    for row in types:
        if re.sub("_", "", row["type"].removeprefix(f"OH_NN_{op}_")) == plain:
            return int(row["code"])
    raise LookupError(f"no tensor type for {op}.{name}")


def describe_operands(op: str, operands: list[dict[str, Any]]) -> Iterator[list[Any]]:
    """[name, kinds, least rank, most rank, mark] of each input or output."""
    for operand in operands:
        mark = next((m for m in ("variadic", "optional") if operand.get(m)), "")
        kinds = kinds_of(op, operand, is_input=True)
        yield [operand["name"], kinds, *ranks_of(op, operand), mark]


def describe_parameters(op: str, row: dict[str, Any]) -> Iterator[list[Any]]:
    """[name, tensor type, kinds, count, mark, form] of each parameter."""
    forms = row.get("input_forms") or {"": row}
    every: dict[str, tuple[dict[str, Any], str]] = {}
    names = [{p["name"] for p in body["parameters"]} for body in forms.values()]
    shared = set.intersection(*names)
    for form, body in forms.items():
        for operand in body["parameters"]:
            own = "" if operand["name"] in shared else form
            every.setdefault(operand["name"], (operand, own))
    for name, (operand, form) in every.items():
        code = tensor_type(op, name, row["parameter_tensor_types"])
        is_later = row["since"] == 9 and code >= LATER
        words = operand.get("meaning", "")
        is_named = f"{op}.{name}" in DEFAULTED or "default" in words
        mark = "optional" if operand.get("optional") or is_later or is_named else ""
        count = LISTS.get(f"{op}.{name}", COUNTS.get(words, 1))
        kinds = kinds_of(op, operand, is_input=False)
        yield [name, code, kinds, count, mark, form]


def describe(row: dict[str, Any]) -> dict[str, Any]:
    """One operation as the table has it."""
    op = row["name"].removeprefix("OH_NN_OPS_")
    inputs = row.get("inputs") or next(iter(row["input_forms"].values()))["inputs"]
    return {
        "code": row["code"],
        "since": row["since"],
        "layout": "NHWC" if row["layout"] == "NHWC" or op in IMAGES else "",
        "summary": row["summary"],
        "inputs": list(describe_operands(op, inputs)),
        "parameters": list(describe_parameters(op, row)),
        "outputs": list(describe_operands(op, row["outputs"])),
    }


def main(path: Path) -> None:
    """Read the table and write the file, a line for each operation and enumeration."""
    table = yaml.safe_load(path.read_text("utf-8"))
    types = {n.removeprefix("OH_NN_"): c for n, c in table["enums"]["OH_NN_TensorType"].items()}
    rows = {row["name"].removeprefix("OH_NN_OPS_"): describe(row) for row in table["ops"]}
    lines = [f"  {json.dumps(n)}: {json.dumps(r, separators=(',', ':'))}" for n, r in rows.items()]
    text = '{"tensor_types": ' + json.dumps(types) + ',\n"operations": {\n' + ",\n".join(lines)
    with replacing(FILE) as file:
        file.write((text + "\n}}\n").encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
