"""Write `legacy.json`: slots, attributes and defaults of legacy operators, from Paddle.

    python -m frontends.paddle.reading.legacy.make_defs [OTHER_PYTHON ...]

Programs may leave attributes out that were added later. Operators that the installed Paddle no
longer has come from the interpreters of older ones, newest first: 2.6.2 has all of the others.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

NOISE = re.compile(
    r"op_|with_quant_attr$|use_(mkldnn|cudnn|onednn|quantizer)$|mkldnn_data_type$|is_test$|name$"
)
"""Attributes that say who made an operator and how it should run, not what it does."""


def describe_operators(names: list[str]) -> dict[str, Any]:
    """What the Paddle of this process says of those operators that it knows."""
    import paddle
    from paddle.base.framework import OpProtoHolder, Program

    paddle.enable_static()

    known = OpProtoHolder.instance().op_proto_map
    found = {}
    for name in names:
        if name not in known:
            continue
        proto = known[name]
        empty = {0: 1, 1: 1.0, 2: "", 3: [1], 4: [1.0], 5: [""], 6: False, 9: 1, 11: [1]}
        kinds = {a.name: empty.get(a.type, 0.0) for a in proto.attrs}
        attributes = {k: v for k, v in defaults(Program, name, kinds).items() if not NOISE.match(k)}
        found[name] = {
            "in": [i.name + "*" * i.duplicable for i in proto.inputs],
            "out": [o.name for o in proto.outputs],
            "attrs": attributes,
        }
    return found


def defaults(program: Any, name: str, kinds: dict[str, Any]) -> dict[str, Any]:
    """Attributes and their defaults; None where there is none."""
    needed: dict[str, Any] = {}
    while True:
        whole = program()  # an operator lives as long as its program
        op = whole.desc.block(0).append_op()
        op.set_type(name)
        for attribute, value in needed.items():
            op._set_attr(attribute, value)
        try:
            op.check_attrs()
        except (ValueError, RuntimeError, LookupError) as error:
            missing = re.search(r"Attribute \((\w+)\) is not set", str(error))
            if missing is None or missing[1] in needed:
                break
            needed[missing[1]] = kinds[missing[1]]
            continue
        break
    given = {k: op.attr(k) for k in op.attr_names() if op.has_attr(k) and not NOISE.match(k)}
    return {k: None if k in needed else given.get(k) for k in {**kinds, **given}}


def ask_interpreter(python: str, names: list[str]) -> dict[str, Any]:
    """What another interpreter answers."""
    environment = {**os.environ, "FLAGS_enable_pir_api": "0", "GLOG_minloglevel": "3"}
    done = subprocess.run(
        [python, "-I", "-W", "ignore", __file__, "--answer"],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(others: list[str]) -> None:
    """Write the file."""
    from .defs import FILE, OLDER
    from .rules import RULES

    names = sorted({OLDER.get(n, n) for n in RULES})
    found: dict[str, Any] = {}
    for python in (sys.executable, *others):
        found = ask_interpreter(python, names) | found
    lines = [f"{json.dumps(n)}: {json.dumps(d)}" for n, d in sorted(found.items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        sys.stdout.write(json.dumps(describe_operators(json.load(sys.stdin)), default=str))
    else:
        main(sys.argv[1:])
