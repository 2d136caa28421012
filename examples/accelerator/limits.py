"""What brook is known not to do, of the cases on quantised operands: each must be refused.

nnadapter conform --frontend nnir --device brook --case "on integers" --preload limits
"""

from __future__ import annotations

from conformance.case import Limit
from conformance.engines.outside import add_limits
from nnir.errors import NoLowering

COMMANDS = ("ADD", "CONV_2D", "FLATTEN", "FULLY_CONNECTED", "MAX_POOL_2D", "RESHAPE")
MISSING = ("MUL", "SUB", "SOFTMAX", "RELU", "TANH")


def limit(op: str, why: str, case: str) -> Limit:
    return Limit(op, why, device="brook", case=case, raises=NoLowering)


add_limits(
    [
        *(limit(op, "its compiler wants to know every size", "open sizes") for op in COMMANDS),
        *(limit(op, "no command of the chip", "on integers") for op in MISSING),
    ]
)
