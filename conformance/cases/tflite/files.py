"""Whole files: names, signatures, variables, graphs that several operators share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnir.errors import BadFile, Unsupported

from ...case import ROUNDS, Const, Tolerance, i, rand
from ...engines.tflite_files import Entry, FileCase, Graph, Node, Signature

STEPS = Tolerance(absolute=2)
"""A step of a sum is several of what is made of it."""

X = rand(2, 3)
Y = rand(2, 3, seed=1)
TRUE = np.array(True)
ADD = Node("ADD", (0, 1), (2,))
PAIR = Entry(X, "x"), Entry(X, "y"), Entry(X, "sum")


def _file(why: str, *graphs: Graph, op: str = "ADD", **given: object) -> FileCase:
    return FileCase(op, graphs, (X, Y), why, tol=ROUNDS, **given)  # type: ignore[arg-type]


def _names() -> Iterator[FileCase]:
    """Names of ends, which tensors may share or lack, and which signatures may say otherwise."""
    plain = Graph(PAIR, (ADD,), (0, 1), (2,))
    yield _file("names of tensors", plain, description="A converter")
    same = Entry(X, "x"), Entry(X, "x"), Entry(X, "x")
    yield _file("one name for all", Graph(same, (ADD,), (0, 1), (2,)))
    twice = Node("MUL", (2, 2), (3,))
    both = Graph((*PAIR, Entry(X, "square")), (ADD, twice), (1, 0), (3, 2))
    yield _file("inputs and outputs in another order", both)
    yield _file("an output twice", Graph(PAIR, (ADD,), (0, 1), (2, 2)))
    yield _file("an input as an output", Graph(PAIR, (ADD,), (0, 1), (2, 0)))
    constant = Entry(Const(Y), "weight")
    held = Graph((*PAIR, constant), (ADD,), (0, 1), (2, 3))
    yield _file("a constant as an output", held)
    named = Signature("serve", {"left": 0, "right": 1}, {"total": 2})
    yield _file("names of a signature", plain, signatures=(named,))
    crossed = Signature("serve", {"y": 0, "x": 1}, {"x": 2})
    yield _file("a signature with names of other tensors", plain, signatures=(crossed,))
    yield _file("a signature that is asked for", plain, signatures=(named,), asked="serve")
    other = Graph(PAIR, (Node("SUB", (0, 1), (2,)),), (0, 1), (2,), "other")
    signatures = named, Signature("less", {"from": 0, "take": 1}, {"rest": 2}, 1)
    for key in ("serve", "less"):
        graphs = plain, other
        yield _file(f"two signatures, {key}", *graphs, signatures=signatures, asked=key)
    wrong = _file("a signature that is not there", plain, signatures=(named,), asked="away")
    yield FileCase(
        wrong.op, wrong.graphs, wrong.inputs, wrong.why, (named,), "away", raises=BadFile
    )


def _sizes() -> Iterator[FileCase]:
    """Sizes that are open, of one input or of both."""
    for axes in ((0,), (1,), (0, 1)):
        entries = tuple(Entry(X, n, axes) for n in ("x", "y", "sum"))
        graph = Graph(entries, (ADD,), (0, 1), (2,))
        yield _file(f"open axes {axes}", graph)
    flat = Node("RESHAPE", (0, 1), (2,))
    parts = (
        Entry(X, "x", (0,)),
        Entry(Const(i(-1, 1, dtype=np.int32))),
        Entry(rand(6, 1), "y", (0,)),
    )
    yield FileCase("RESHAPE", (Graph(parts, (flat,), (0,), (2,)),), (X,), "to open rows")


def _quantised() -> Iterator[FileCase]:
    """Integers between operators, read several times, by what computes and by what moves."""
    whole = rand(2, 3, dtype=np.int8, low=-100, high=100)

    def entry(name: str, scale: float, zero: int = 0, sizes: np.ndarray = whole) -> Entry:
        return Entry(sizes, name, scale=scale, zero_point=zero)

    ends = entry("x", 0.1, 3), entry("y", 0.05, -2), entry("sum", 0.2, 1)
    turned = np.zeros((3, 2), np.int8)
    perm = Entry(Const(i(1, 0, dtype=np.int32)))
    nodes = (
        Node("ADD", (0, 1), (2,), version=2),
        Node("MUL", (2, 0), (3,), version=2),
        Node("TRANSPOSE", (3, 5), (4,), version=2),
    )
    tensors = *ends, entry("product", 0.5, -7), entry("turned", 0.5, -7, turned), perm
    arrays = whole, whole[::-1].copy()
    graph = Graph(tensors, nodes, (0, 1), (4, 2))
    yield FileCase("ADD", (graph,), arrays, "integers that are moved", tol=STEPS)
    joined = np.zeros((4, 3), np.int8)
    parts = entry("x", 0.1, 3), entry("y", 0.1, 3), entry("both", 0.1, 3, joined)
    node = Node("CONCATENATION", (0, 1), (2,), {"axis": 0}, 2)
    graph = Graph(parts, (node,), (0, 1), (2,))
    yield FileCase("CONCATENATION", (graph,), arrays, "integers side by side")
    real = Entry(X, "real")
    steps = Node("DEQUANTIZE", (0,), (1,), version=2), Node("QUANTIZE", (1,), (2,))
    graph = Graph((entry("x", 0.1, 3), real, entry("y", 0.17, -1)), steps, (0,), (2, 1))
    yield FileCase("DEQUANTIZE", (graph,), (whole,), "to real numbers and back", tol=ROUNDS)


HANDLE = Node("VAR_HANDLE", (), (0,), {"container": "", "shared_name": "kept"})


def _variables() -> Iterator[FileCase]:
    """Variables that a graph fills once, which calls read, or leave otherwise."""
    entries = (
        *(Entry("resource", "handle"), Entry(X, "x"), Entry(X, "old"), Entry(X, "new")),
        *(Entry(X, "last"), Entry(X, "twice")),
    )
    once = Node("CALL_ONCE", (), (), {"init_subgraph_index": 1})
    read = Node("READ_VARIABLE", (0,), (2,))
    total = Node("ADD", (1, 2), (3,))
    write = Node("ASSIGN_VARIABLE", (0, 3), ())
    again = Node("READ_VARIABLE", (0,), (4,))
    twice = Node("ADD", (4, 4), (5,))
    fill = Graph(
        (Entry("resource", "handle"), Entry(Const(Y), "first")),
        (HANDLE, Node("ASSIGN_VARIABLE", (0, 1), ())),
        (),
        (),
        "fill",
    )
    ways = {
        "is read": ((once, HANDLE, read, total), (3,)),
        "is written": ((once, HANDLE, read, total, write), (3,)),
        "is given": ((once, HANDLE, read, total, write), (3, 2)),
        "is read again": ((once, HANDLE, read, total, write, again, twice), (5, 3)),
    }
    for why, (nodes, outputs) in ways.items():
        graph = Graph(entries, nodes, (1,), outputs)
        why = f"a variable that {why}"
        yield FileCase("ADD", (graph, fill), (X,), why, calls=3, tol=ROUNDS)
    for why, nodes in {
        "that nothing fills": (HANDLE, read, total),
        "that another graph fills": (HANDLE, once, read, total),
    }.items():
        graph = Graph(entries, nodes, (1,), (3,))
        other = Graph(
            (Entry("resource", "handle"), Entry(X, "x"), Entry(X, "y")),
            (HANDLE, Node("ABS", (1,), (2,)), Node("ASSIGN_VARIABLE", (0, 2), ())),
            (),
            (),
        )
        why = f"a variable {why} with no constant"
        yield FileCase("ADD", (graph, other), (X,), why, raises=Unsupported)
    inside = Entry("resource", "handle"), Entry(X, "x"), Entry(X, "size")
    keeps = (HANDLE, Node("ASSIGN_VARIABLE", (0, 1), ()), Node("ABS", (1,), (2,)))
    then = Graph(inside, keeps, (1,), (2,), "then")
    other = Graph(inside, (Node("ABS", (1,), (2,)),), (1,), (2,), "else")
    tensors = (
        *(Entry("resource", "handle"), Entry(TRUE, "flag"), Entry(X, "x"), Entry(X, "y")),
        *(Entry(X, "old"), Entry(X, "sum")),
    )
    choose = {"then_subgraph_index": 2, "else_subgraph_index": 3}
    nodes = (
        *(once, HANDLE, Node("IF", (1, 2), (3,), choose)),
        *(Node("READ_VARIABLE", (0,), (4,)), Node("ADD", (3, 4), (5,))),
    )
    graphs = Graph(tensors, nodes, (1, 2), (5,)), fill, then, other
    why = "a variable that a branch writes"
    yield FileCase("IF", graphs, (TRUE, X), why, raises=Unsupported)


def _graphs() -> Iterator[FileCase]:
    """Graphs of several operators, in branches and in loops."""
    flag = Entry(TRUE, "flag")
    then = Graph((*PAIR, Entry(X, "t")), (ADD, Node("TANH", (2,), (3,))), (0, 1), (3,), "then")
    weight = Entry(Const(rand(2, 3, seed=4)), "weight")
    steps = Node("MUL", (0, 3), (2,)), Node("SUB", (2, 1), (4,))
    other = Graph((*PAIR, weight, Entry(X, "d")), steps, (0, 1), (4,), "else")
    choose = {"then_subgraph_index": 1, "else_subgraph_index": 2}
    nodes = Node("IF", (0, 1, 2), (3,), choose), Node("ABS", (3,), (4,))
    tensors = flag, Entry(X, "x"), Entry(X, "y"), Entry(X, "made"), Entry(X, "size")
    main = Graph(tensors, nodes, (0, 1, 2), (4,))
    for value in (True, False):
        arrays = np.array(value), X, Y
        why = f"branches of two operators, {value}"
        yield FileCase("IF", (main, then, other), arrays, why, tol=ROUNDS)
    count = np.array(0, np.int32)
    most = Entry(Const(np.array(3, np.int32)), "most")
    one = Entry(Const(np.array(1, np.int32)), "one")
    state = Entry(count, "count"), Entry(X, "x")
    going = Graph((*state, most, Entry(TRUE, "less")), (Node("LESS", (0, 2), (3,)),), (0, 1), (3,))
    inside = Node("ADD", (0, 2), (3,)), Node("MUL", (1, 1), (4,))
    results = Entry(count, "next"), Entry(X, "square")
    body = Graph((*state, one, *results), inside, (0, 1), (3, 4), "body")
    loop = Node("WHILE", (0, 1), (2, 3), {"cond_subgraph_index": 1, "body_subgraph_index": 2})
    main = Graph((*state, Entry(count, "end"), Entry(X, "last")), (loop,), (0, 1), (3, 2))
    yield FileCase("WHILE", (main, going, body), (np.array(0, np.int32), X), "turns", tol=ROUNDS)


CASES = [*_names(), *_sizes(), *_quantised(), *_variables(), *_graphs()]
