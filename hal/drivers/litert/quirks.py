"""What LiteRT gets wrong; see `hal.quirks`."""

from __future__ import annotations

from ...quirks import Means, Quirk

CONSTANT_BRANCH = Quirk(
    "litert",
    "constant_branch_in_a_loop",
    "an IF in the body of a WHILE whose branch gives a constant damages the heap: the process dies "
    "when the interpreter is deleted. A RESHAPE of a constant is one too",
    "2.3.0",
    Means.REWRITTEN,
)
INFINITE_BOUND = Quirk(
    "litert",
    "infinite_bound",
    "a MINIMUM with infinity, or a MAXIMUM with minus infinity, that XNNPACK joins with another "
    "bound in front gives what lies in memory",
    "2.3.0",
    Means.REWRITTEN,
)
QUIRKS = (CONSTANT_BRANCH, INFINITE_BOUND)
