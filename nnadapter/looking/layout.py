"""A layered drawing of a graph of nodes in modules: in which row things stand, in which order.

Every module is drawn by itself; what stands in its rows are nodes, modules, and places that only
a line goes through (lanes), so that a line that spans several rows goes round what lies between.
Coordinates follow in the page, as modules open and close there; they need one pass over the rows.
The time is linear in nodes and lines but for sorting rows; lanes are limited.

Rows are those of the longest path, orders follow the mean place of neighbours (Sugiyama, Tagawa
and Toda, "Methods for visual understanding of hierarchical system structures", 1981).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from nnir.records import dataclass

from .graph import ROOT, Graph

LANES = 4
"""Lanes for each thing of a module; lines that would take more go straight."""

SPARE = 256


@dataclass(slots=True)
class Inside:
    """What stands in one module, and what its lines are."""

    items: list[int] = field(default_factory=list)
    links: dict[tuple[int, int], None] = field(default_factory=dict)
    leaving: dict[int, None] = field(default_factory=dict)
    entering: dict[int, dict[int, None]] = field(default_factory=dict)
    rows: list[list[int]] = field(default_factory=list)


@dataclass(slots=True)
class Lane:
    """Places that lines go through: `first` in row `row`, then one in each row."""

    owner: int
    row: int
    first: int
    count: int


@dataclass(slots=True)
class Layout:
    """Numbers are nodes, behind them modules, behind them the places of lanes.

    `rows` of each module; `lanes` of what leaves a thing, by its number; `entries` of what comes
    into a module, by module and node; `above`: what a thing should stand under.
    """

    rows: list[list[list[int]]]
    lanes: list[Lane]
    entries: list[tuple[int, Lane]]
    above: dict[int, list[int]]


class Layered:
    """Lays one graph out."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.count = len(graph.nodes)
        self.size = self.count + len(graph.modules)
        self.modules = [Inside() for _ in graph.modules]
        self.parents = [node.module for node in graph.nodes]
        self.parents += [module.parent for module in graph.modules]
        self.first = self._first_places()
        self.row: dict[int, int] = {}
        self.above: dict[int, list[int]] = {}
        self.below: dict[int, list[int]] = {}
        self.lanes: list[Lane] = []
        self.entries: list[tuple[int, Lane]] = []
        self._routes: dict[tuple[int, int], tuple[list[int], list[int], int]] = {}

    def layout(self) -> Layout:
        """Rows, lanes and orders of every module."""
        self._sort_items()
        for source, target in self.graph.links():
            self._add_line(source, target)
        for module, inside in enumerate(self.modules):
            self._find_rows(inside)
            self._lay_lanes(module, inside)
            self._order(inside)
        rows = [inside.rows for inside in self.modules]
        return Layout(rows, self.lanes, self.entries, self._pick_above())

    def _first_places(self) -> list[int]:
        """The order of execution of what each thing begins with."""
        first = [*range(self.count), *[self.size] * len(self.graph.modules)]
        for place, node in enumerate(self.graph.nodes):
            module = node.module
            while first[self.count + module] > place:
                first[self.count + module] = place
                module = self.graph.modules[module].parent
        return first

    def _sort_items(self) -> None:
        for item in range(self.size):
            if item != self.count + ROOT:
                self.modules[self.parents[item]].items.append(item)
        for inside in self.modules:
            inside.items.sort(key=lambda item: self.first[item])

    def _around(self, module: int) -> list[int]:
        """A module and those around it, the outermost first."""
        found = [module]
        while module != ROOT:
            module = self.graph.modules[module].parent
            found.append(module)
        return found[::-1]

    def _route(self, source: int, target: int) -> tuple[list[int], list[int], int]:
        """The modules that a line leaves, from inside, and enters; the one that holds both."""
        key = (self.parents[source], self.parents[target])
        if key not in self._routes:
            left, right = map(self._around, key)
            same = sum(1 for a, b in zip(left, right, strict=False) if a == b)
            self._routes[key] = (left[same:][::-1], right[same:], left[same - 1])
        return self._routes[key]

    def _add_line(self, source: int, target: int) -> None:
        leaves, enters, common = self._route(source, target)
        item = source
        for module in leaves:
            self.modules[module].leaving[item] = None
            item = self.count + module
        begin = item
        path = [self.count + m for m in enters] + [target]
        if begin != path[0]:
            self.modules[common].links[begin, path[0]] = None
        for module, inner in zip(enters, path[1:], strict=True):
            self.modules[module].entering.setdefault(source, {})[inner] = None

    def _find_rows(self, inside: Inside) -> None:
        """The longest path; a thing that reads nothing stands above its first reader."""
        before: dict[int, list[int]] = {}
        behind: dict[int, list[int]] = {}
        for a, b in inside.links:
            if self.first[a] < self.first[b]:  # the others are lines that go up
                before.setdefault(b, []).append(a)
                behind.setdefault(a, []).append(b)
        for item in inside.items:
            self.row[item] = max((self.row[a] + 1 for a in before.get(item, ())), default=0)
        entered = {item for inner in inside.entering.values() for item in inner}
        for item in inside.items:
            if item not in before and item not in entered and item in behind:
                self.row[item] = min(self.row[b] for b in behind[item]) - 1
        depth = max((self.row[item] for item in inside.items), default=-1) + 1
        inside.rows = [[] for _ in range(depth)]
        for item in inside.items:
            inside.rows[self.row[item]].append(item)

    def _lay_lanes(self, module: int, inside: Inside) -> None:
        """Lanes for lines over several rows, the shortest first while there is room."""
        wanted: list[tuple[int, int, int]] = []  # length, thing or -1 - node, first row
        readers: dict[int, list[int]] = {}
        for a, b in inside.links:
            readers.setdefault(a, []).append(b)
        for a in dict.fromkeys((*readers, *inside.leaving)):
            last = max((self.row[b] for b in readers.get(a, ())), default=0)
            end = len(inside.rows) if a in inside.leaving else last
            wanted.append((end - self.row[a] - 1, a, self.row[a] + 1))
        for node, inner in inside.entering.items():
            wanted.append((max(self.row[b] for b in inner), -1 - node, 0))
        room = LANES * len(inside.items) + SPARE
        lanes: dict[int, Lane] = {}
        for length, key, row in sorted(wanted):
            if 0 < length <= room:
                room -= length
                lanes[key] = self._add_lane(module, inside, key, row, length)
        self._connect(inside, lanes)

    def _add_lane(self, module: int, inside: Inside, key: int, row: int, length: int) -> Lane:
        lane = Lane(key if key >= 0 else -1 - key, row, self.size, length)
        self.size += length
        if key >= 0:
            self.lanes.append(lane)
        else:
            self.entries.append((module, lane))
        for place in range(length):
            inside.rows[row + place].append(lane.first + place)
            if place:
                self._join(lane.first + place - 1, lane.first + place)
            elif key >= 0:
                self._join(key, lane.first)
        return lane

    def _connect(self, inside: Inside, lanes: dict[int, Lane]) -> None:
        """Who stands above whom: the last place of the lane where there is one."""
        lines = [(a, a, b) for a, b in inside.links]
        lines += [(-1 - node, -1, b) for node, inner in inside.entering.items() for b in inner]
        for key, thing, b in lines:
            place = self.row[b] - 1
            lane = lanes.get(key)
            if lane is not None and lane.row <= place:
                self._join(lane.first + min(place - lane.row, lane.count - 1), b)
            elif thing >= 0 and self.row[thing] < self.row[b]:
                self._join(thing, b)

    def _join(self, a: int, b: int) -> None:
        self.above.setdefault(b, []).append(a)
        self.below.setdefault(a, []).append(b)

    def _order(self, inside: Inside) -> None:
        """Down and up once: each row by the mean place of what it hangs on."""
        places: dict[int, float] = {}
        for row in inside.rows:
            _settle(row, self.above, places, _first_of(row, self.first))
        for row in reversed(inside.rows[:-1]):
            _settle(row, self.below, places, places)

    def _pick_above(self) -> dict[int, list[int]]:
        """Things before lanes, and what hangs on something before what only feeds in."""
        solid = self.count + len(self.graph.modules)
        found = {}
        for item, above in self.above.items():
            things = [a for a in above if a < solid]
            found[item] = [a for a in things if a in self.above] or things or above
        return found


def _first_of(row: Sequence[int], first: Sequence[int]) -> dict[int, float]:
    """A place for what hangs on nothing: things in order of execution, lanes at the end."""
    ranks = sorted(row, key=lambda item: first[item] if item < len(first) else len(first) + item)
    return {item: place - (len(row) - 1) / 2 for place, item in enumerate(ranks)}


def _settle(
    row: list[int],
    neighbours: dict[int, list[int]],
    places: dict[int, float],
    otherwise: dict[int, float],
) -> None:
    def mean(item: int) -> float:
        known = [places[n] for n in neighbours.get(item, ()) if n in places]
        return sum(known) / len(known) if known else otherwise[item]

    row.sort(key=mean)
    _number(row, places)


def _number(row: Iterable[int], places: dict[int, float]) -> None:
    """Places around the middle of the row."""
    items = list(row)
    places.update((item, place - (len(items) - 1) / 2) for place, item in enumerate(items))


def lay_out(graph: Graph) -> Layout:
    """The layout of a graph."""
    return Layered(graph).layout()
