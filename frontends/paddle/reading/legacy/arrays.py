"""Legacy operators of arrays of tensors; the reader makes the arrays, see `Reader.run`."""

from __future__ import annotations

from .call import Call
from .rule import Rules

RULES = Rules()


@RULES.add("write_to_array")
def write_to_array(call: Call) -> None:
    """The array is what the operator writes, not what it reads."""
    (name,) = call.op.outputs["Out"]
    arguments = {"array": call.env.get(name), "x": call.one("X"), "i": call.one("I")}
    call.node("legacy.array_write", arguments, ["Out"])


@RULES.add("read_from_array")
def read_from_array(call: Call) -> None:
    call.node("array_read", {"array": call.one("X"), "i": call.one("I")}, ["Out"])


@RULES.add("lod_array_length")
def lod_array_length(call: Call) -> None:
    call.node("array_length", {"x": call.one("X")}, ["Out"])


@RULES.add("tensor_array_to_tensor")
def tensor_array_to_tensor(call: Call) -> None:
    names = ("axis", "use_stack")
    arguments = {"x": call.one("X")} | {n: call.attribute(n) for n in names}
    call.node("array_to_tensor", arguments, ["Out", "OutIndex"])
