"""Write `opdefs.json`: the signatures of Paddle's operators, from an installed Paddle.

    python -m frontends.paddle.reading.make_opdefs

A program lists operands without their names. Paddle's own headers say them: `Build` has the
arguments in order with their defaults, the accessors the operands and the results.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .opdefs import FILE

HEADERS = Path("include/paddle/fluid/pir/dialect/operator/ir")
CLASS = re.compile(r"^class .*?: public pir::Op<.*?^};", re.M | re.S)
NAME = re.compile(r'name\(\) { return "pd_op\.(\w+)"')
BUILD = re.compile(
    r"static void Build\(\s*pir::Builder\s*&\w+,[^,]*?pir::OperationArgument\s*&\w+,\s*(.*?)\);",
    re.S,
)
OPERAND = re.compile(r"pir::Value (\w+)\(\) ?{ return operand_source\((\d+)\)")
RESULT = re.compile(r"pir::Value (\w+)\(\) ?{ return result\((\d+)\)")
SKIPPED = re.compile(r"_(grad|xpu|double_grad|triple_grad)_?$|^(fused_.*_grad|c_|dist_|onednn)")
ARGUMENT = re.compile(r"^(?P<kind>.*?)\s*&?\s*(?P<name>\w+)\s*(?:=\s*(?P<default>.*))?$", re.S)


HIDDEN = {
    "fused_gemm_epilogue": [["trans_x", False], ["trans_y", False], ["activation", "none"]],
}
"""Attributes that `Build` takes from a map."""


def split(arguments: str) -> list[str]:
    """The arguments of a C++ declaration."""
    arguments = arguments.replace("<<", "^")  # an operator, no bracket
    found, depth, start = [], 0, 0
    for place, letter in enumerate(arguments):
        depth += (letter in "{(<") - (letter in "})>")
        if letter == "," and not depth:
            found.append(arguments[start:place])
            start = place + 1
    return [a.strip() for a in [*found, arguments[start:]]]


def value(text: str, hint: str) -> Any:
    """A default as JSON."""
    text = text.strip()
    if text.startswith("{") or "vector" in hint:
        inner = text.strip("{}").strip()
        return [value(t, "") for t in split(inner)] if inner else []
    if text.startswith('"'):
        return text.strip('"')
    if text in ("true", "false"):
        return text == "true"
    if (found := re.match(r"(?:phi::)?DataType::(\w+)", text)) is not None:
        return {"dtype": found[1].lower()}
    if text.startswith(("phi::", "std::")):
        return None
    number = text.rstrip("fFlL")
    for kind in (int, float):
        with suppress(ValueError):
            return kind(number)
    return None


def describe_definition(definition: str) -> dict[str, Any]:
    """Arguments in order, [name] or [name, default]; operands and results by name."""
    arguments: list[list[Any]] = []
    values: list[str] = []
    first = BUILD.search(definition)
    for argument in split(first[1]) if first else ():
        found = ARGUMENT.match(argument)
        if found is None or "AttributeMap" in found["kind"]:
            continue
        name = found["name"].removesuffix("_") if "pir::Value" in found["kind"] else found["name"]
        default = found["default"]
        if "pir::Value" in found["kind"]:
            values.append(name)
        arguments.append([name] if default is None else [name, value(default, found["kind"])])
    operands = [n for n, _ in sorted(OPERAND.findall(definition), key=lambda m: int(m[1]))]
    operands += [v for v in values if v not in operands]  # not all of them have an accessor
    known = {a[0] for a in arguments}
    return {
        "args": [*arguments, *([o] for o in operands if o not in known)],
        "in": operands,
        "out": [n for n, _ in sorted(RESULT.findall(definition), key=lambda m: int(m[1]))],
    }


def everything() -> dict[str, Any]:
    """Every operator that inference may meet."""
    spec = find_spec("paddle")
    if spec is None or spec.origin is None:
        raise SystemExit("paddlepaddle is not installed")
    folder = Path(spec.origin).parent / HEADERS
    found = {}
    for file in ("pd_op.h", "manual_op.h", "control_flow_op.h"):
        for definition in CLASS.findall((folder / file).read_text()):
            name = NAME.search(definition)
            if name is not None and not SKIPPED.search(name[1]):
                found[name[1]] = describe_definition(definition)
    for operator, arguments in HIDDEN.items():
        found[operator]["args"] += arguments
    return found


if __name__ == "__main__":
    lines = [f"{json.dumps(n)}: {json.dumps(d)}" for n, d in sorted(everything().items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
