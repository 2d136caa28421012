"""What an output of a graph in the making is made of.

OpenVINO's passes join nodes that are far apart here once others between them are gone. So what
asks whether one is behind another goes through all that does not surely keep them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import openvino

BODIES = frozenset({"If", "Loop", "TensorIterator"})
"""What OpenVINO may put its insides in the place of."""


def nodes_above(
    output: openvino.Output, stops: Callable[[openvino.Node], bool]
) -> Iterator[openvino.Node]:
    """Each node that an output is computed from, up to and with those that stop the walk."""
    reached = [output.get_node()]
    seen = {reached[0].get_name()}
    while reached:
        node = reached.pop()
        yield node
        if stops(node):
            continue
        above = {n.get_name(): n for n in (v.get_node() for v in node.input_values())}
        reached += [n for name, n in above.items() if name not in seen]
        seen |= above.keys()
