"""ATen shapes."""

from __future__ import annotations

from nnir.errors import BadType

from ...case import Case, rand

CASES = [
    *(Case(f"aten.{op}.default", (rand(2, 3),)) for op in ("alias", "detach", "lift_fresh_copy")),
    Case("aten.view.default", (rand(2, 3), [3, -1])),
    Case("aten.view.default", (rand(2, 0), [0, 4]), why="a size of 0 is 0"),
    Case("aten.view.default", (rand(2, 3), [4, 2]), why="other elements", raises=BadType),
    Case("aten._unsafe_view.default", (rand(2, 3), [6])),
    Case("aten.view_as.default", (rand(2, 3), rand(6))),
    Case("aten.sym_size.int", (rand(2, 3), 1)),
]
