"""Control flow of TensorFlow 1: Switch, Merge and Enter become IF and WHILE; damage is refused."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontends import tensorflow as frontend
from frontends.tensorflow.reading import opdefs, saved_model
from frontends.tensorflow.reading.flatten import Library
from frontends.tensorflow.reading.messages import GRAPH, decode
from frontends.tensorflow.reading.nodes import Node, functions_of, nodes_of
from nnir.errors import BadModel, NNAdapterError, Unsupported, summary
from nnir.mapping import map_file
from nnir.model import Model
from nnir.types import Precision

from ..conftest import folder_of
from .test_tensorflow_models import DEVICES, agrees, operators

BRANCHES = (
    *("cond", "constants", "several", "nested", "chained", "same", "phase", "which"),
    *("variables", "several_saved", "variables_saved"),
)
LOOPS = (
    *("loop", "loop_saved", "fixed", "swapped", "loops", "cond_in_loop", "loop_in_cond"),
    *("mixed", "after", "growing"),
)
ARRAYS = (
    *("mapped", "scanned", "folded", "written", "joined", "rnn", "rnn_fixed", "chosen"),
    *("dynamic", "dynamic_fixed", "dynamic_saved", "lengths", "lengths_fixed", "lengths_saved"),
)
LOWERED = ("cond", "case", "loop", "lstm", "lstm_fixed", "bidirectional", "bidirectional_fixed")
FLOWS = (*(f"v1_{n}" for n in (*BRANCHES, *LOOPS, *ARRAYS)), *(f"v2_{n}" for n in LOWERED))


@pytest.fixture(scope="module")
def flows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `tensorflow_flows.py` writes in dataflow form."""
    return folder_of("tests.frontends.tensorflow_flows", tmp_path_factory, "dataflow")


def path_of(flows: Path, name: str) -> Path:
    return flows / name if name.endswith("_saved") else flows / f"{name}.pb"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", FLOWS)
def test_flow(flows: Path, name: str, device: str) -> None:
    path = path_of(flows, name)
    content = (path if path.is_file() else path / "saved_model.pb").read_bytes()
    assert b"Switch" in content
    agrees(frontend.load(path), flows, path.name, device)


def count(flows: Path, name: str, operator: str) -> int:
    return operators(frontend.load(path_of(flows, name))).count(operator)


def test_several_results_are_one_if(flows: Path) -> None:
    assert count(flows, "v1_several", "IF") == 1


def test_results_that_need_each_other_are_several_ifs(flows: Path) -> None:
    assert 2 <= count(flows, "v1_chained", "IF") <= 4


def test_sides_that_never_run_are_gone(flows: Path) -> None:
    """PyFunc has no converter, and nothing is left of the dropout."""
    assert set(operators(frontend.load(flows / "v1_phase.pb"))) <= {"ADD", "MUL"}


def test_short_loops_are_written_out(flows: Path) -> None:
    assert count(flows, "v1_fixed", "WHILE") == 0
    assert count(flows, "v2_lstm_fixed", "WHILE") == 0


FLOAT: dict[str, object] = {"T": Precision.FLOAT32}
Row = tuple[Any, ...]
GIVEN = {
    "x": Node("x", "Placeholder", (), (), {"dtype": Precision.FLOAT32, "shape": (2,)}),
    "p": Node("p", "Placeholder", (), (), {"dtype": Precision.BOOL8, "shape": ()}),
}
LOOP = {
    "enter": ("Enter", "x"),
    "merge": ("Merge", "enter next"),
    "fixed": ("Enter", "p", {"is_constant": True}),
    "go": ("LoopCond", "fixed"),
    "switch": ("Switch", "merge go"),
    "neg": ("Neg", "switch:1"),
    "next": ("NextIteration", "neg"),
    "exit": ("Exit", "switch"),
    "y": ("Neg", "exit"),
}
COND = {
    "switch": ("Switch", "x p"),
    "neg": ("Neg", "switch:1"),
    "merge": ("Merge", "switch neg"),
    "y": ("Neg", "merge"),
}


def graph(rows: dict[str, Row], **changes: Row | None) -> dict[str, Node]:
    """Nodes of rows: an operator, its inputs, its attributes; `None` takes a row away."""
    nodes = dict(GIVEN)
    for name, row in (rows | changes).items():
        if row is None:
            continue
        op, inputs, *rest = row
        definition = opdefs.find(op)
        known = FLOAT if definition is not None and "T" in definition.defaults else {}
        known = known | ({"frame_name": "frame"} if op == "Enter" else {})
        plain = tuple(i for i in inputs.split() if not i.startswith("^"))
        controls = tuple(i[1:] for i in inputs.split() if i.startswith("^"))
        if op == "Merge":
            known = known | {"N": len(plain)}
        nodes[name] = Node(name, op, plain, controls, {**known, **(rest[0] if rest else {})})
    return nodes


def load(nodes: dict[str, Node], *outputs: str) -> Model:
    return frontend.translate(saved_model.graph_model(Library(nodes), (), outputs or ("y",)))


def test_the_graphs_without_damage() -> None:
    assert operators(load(graph(LOOP))) == ["WHILE", "NEG"]
    assert operators(load(graph(COND))) == ["IF", "NEG"]


TWO = {"value": np.array(2, np.int32), "dtype": Precision.INT32}
HOSTILE: dict[str, tuple[dict[str, Node], type[NNAdapterError], str]] = {
    "a cycle without a frame": (
        graph({"a": ("Merge", "x b"), "b": ("NextIteration", "a"), "y": ("Neg", "b")}),
        BadModel, "NextIteration 'b' is read from outside",
    ),
    "a cycle of a Merge": (
        graph({"a": ("Merge", "x b"), "b": ("Neg", "a"), "y": ("Neg", "b")}),
        BadModel, "cycle through",
    ),
    "a Merge of itself": (
        graph({"a": ("Merge", "x a"), "y": ("Neg", "a")}), BadModel, "cycle through 'a'",
    ),
    "a Switch of itself": (
        graph(COND, switch=("Switch", "switch p")), BadModel, "cycle through 'switch'",
    ),
    "a Switch that its own side decides": (
        graph(COND, switch=("Switch", "x neg")), BadModel, "cycle through",
    ),
    "a Merge of three": (
        graph(COND, merge=("Merge", "switch neg neg")), BadModel, "'merge' of 3 does not join",
    ),
    "a Merge of one": (
        graph(COND, merge=("Merge", "neg")), BadModel, "only runs where 'p' is True",
    ),
    "a Merge of nothing": (graph(COND, merge=("Merge", "")), BadModel, "never runs"),
    "a Merge of one side twice": (
        graph(COND, merge=("Merge", "neg neg")), BadModel, "'merge' of 2 does not join",
    ),
    "a Merge of what always runs": (
        graph(COND, merge=("Merge", "x neg")), BadModel, "'merge' of 2 does not join",
    ),
    "a Merge of two conditions": (
        graph(COND, flag=("LogicalNot", "p"), other=("Switch", "x flag"),
              merge=("Merge", "switch:1 other")),
        BadModel, "'merge' of 2 does not join",
    ),
    "a Switch without Merge": (
        graph(COND, y=("Neg", "neg")), BadModel, "'y' only runs where 'p' is True",
    ),
    "both sides at once": (
        graph(COND, y=("Add", "switch switch:1")), BadModel, "'y' never runs",
    ),
    "a third side": (
        graph(COND, merge=("Merge", "switch switch:2")), BadModel, "Switch has 2 results",
    ),
    "a Switch without condition": (
        graph(COND, switch=("Switch", "x")), BadModel, "'switch' has 1 inputs, not 2",
    ),
    "which side of what is known": (
        graph(COND, on=("Const", "", {"value": np.ones((), bool)}),
              switch=("Switch", "x on"), y=("Neg", "merge:1")),
        BadModel, "known condition",
    ),
    "no such condition": (
        graph(COND, switch=("Switch", "x nobody")), BadModel, "no node 'nobody'",
    ),
    "an Enter without Exit": (
        graph(LOOP, y=("Neg", "neg")), BadModel, "read from outside of its loop, not by an Exit",
    ),
    "an Enter without a loop": (
        graph({"a": ("Enter", "x"), "y": ("Neg", "a")}), BadModel, "Enter 'a' is read from outside",
    ),
    "an Exit without a loop": (
        graph({"a": ("Exit", "x"), "y": ("Neg", "a")}), BadModel, "reads 'x', which is no Switch",
    ),
    "an Exit of an Enter": (
        graph({"a": ("Enter", "x"), "b": ("Exit", "a"), "y": ("Neg", "b")}),
        BadModel, "Enter 'a', which is no Switch",
    ),
    "an Exit of nothing": (graph(LOOP, exit=("Exit", "")), BadModel, "'exit' has 0 inputs"),
    "an Exit of nobody": (graph(LOOP, exit=("Exit", "nobody")), BadModel, "reads 'nobody', which"),
    "an Exit of the wrong side": (graph(LOOP, exit=("Exit", "switch:1")), BadModel, "that goes on"),
    "an Exit of a conditional": (
        graph(COND, exit=("Exit", "switch"), y=("Neg", "exit")), BadModel, "which is no LoopCond",
    ),
    "a LoopCond of nothing": (graph(LOOP, go=("LoopCond", "")), BadModel, "'go' has 0 inputs"),
    "a LoopCond of nobody": (graph(LOOP, go=("LoopCond", "a")), BadModel, "no node 'a'"),
    "a LoopCond of its body": (
        graph(LOOP, go=("LoopCond", "neg")), BadModel, "cycle through 'go'",
    ),
    "a LoopCond of itself": (
        graph(LOOP, go=("LoopCond", "go")), BadModel, "cycle through 'go'",
    ),
    "a loop without NextIteration": (
        graph(LOOP, merge=("Merge", "enter enter")), BadModel, "joins no Enter with a NextIter",
    ),
    "a loop without Enter": (
        graph(LOOP, merge=("Merge", "next next")), BadModel, "joins no Enter with a NextIter",
    ),
    "a loop of three": (
        graph(LOOP, merge=("Merge", "enter next next")), BadModel, "'merge' of 3 in a loop",
    ),
    "a loop without Merge": (
        graph(LOOP, switch=("Switch", "enter go")), BadModel, "Enter 'enter', which is no Merge",
    ),
    "a loop in two frames": (
        graph(LOOP, e=("Enter", "x", {"frame_name": "other"}), m=("Merge", "e n"),
              s=("Switch", "m go"), n=("NextIteration", "s:1")),
        BadModel, "in several frames: frame, other",
    ),
    "a loop that reads its result": (
        graph(LOOP, neg=("Add", "switch:1 exit")), BadModel, "a loop reads its result",
    ),
    "a loop that begins with its result": (
        graph(LOOP, enter=("Enter", "exit")), BadModel, "cycle through",
    ),
    "a loop that waits for its result": (
        graph(LOOP, enter=("Enter", "x ^exit")), BadModel, "cycle through",
    ),
    "the end inside": (graph(LOOP, neg=("Neg", "switch:0")), BadModel, "read inside of its loop"),
    "a NextIteration of nothing": (
        graph(LOOP, next=("NextIteration", "")), BadModel, "'next' has 0 inputs",
    ),
    "a NextIteration of nobody": (
        graph(LOOP, next=("NextIteration", "a")), BadModel, "no node 'a'",
    ),
    "another type": (
        graph(LOOP, neg=("Cast", "switch:1", {"DstT": Precision.INT32})), NNAdapterError, ".",
    ),
    "another rank": (
        graph(LOOP, neg=("Pack", "switch:1 switch:1", {"N": 2})), Unsupported, "rank that is only",
    ),
    "an array of another type": (
        graph({"n": ("Const", "", TWO),
               "a": ("TensorArrayV3", "n", {"dtype": Precision.INT32}),
               "w": ("TensorArrayWriteV3", "a n x a:1"), "y": ("TensorArraySizeV3", "a w")}),
        NNAdapterError, "elements of FLOAT32 in an array of INT32",
    ),
    "an array without flow": (
        graph({"n": ("Const", "", TWO),
               "a": ("TensorArrayV3", "n", {"dtype": Precision.FLOAT32}),
               "y": ("TensorArraySizeV3", "a x")}),
        NNAdapterError, "flow_in",
    ),
    "an array that nothing is in": (
        graph({"n": ("Const", "", TWO),
               "a": ("TensorArrayV3", "n", {"dtype": Precision.FLOAT32}),
               "y": ("TensorArrayReadV3", "a n a:1", {"dtype": Precision.FLOAT32})}),
        NNAdapterError, "element 2 of a list of 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str) -> None:
    nodes, error, text = HOSTILE[name]
    refused(nodes, error, text)


def refused(nodes: dict[str, Node], error: type[NNAdapterError], text: str) -> None:
    started = time.process_time()
    with pytest.raises(error, match=text) as caught:
        load(nodes)
    assert "\n" not in summary(caught.value)
    assert time.process_time() - started < 5


def test_deep_conditionals() -> None:
    def deep(depth: int) -> dict[str, Node]:
        rows: dict[str, Row] = {"s0": ("Switch", "x p")}
        for k in range(1, depth):
            rows |= {f"p{k}": ("LogicalAnd", "p p"), f"s{k}": ("Switch", f"s{k - 1}:1 p{k}")}
        rows |= {f"m{depth}": ("Neg", f"s{depth - 1}:1"), "y": ("Neg", "m0")}
        return graph(rows | {f"m{k}": ("Merge", f"s{k} m{k + 1}") for k in range(depth)})

    assert operators(load(deep(20)))[-2:] == ["IF", "NEG"]
    refused(deep(300), BadModel, "nested more than 60 deep")


def test_deep_loops() -> None:
    def deep(depth: int) -> dict[str, Node]:
        rows: dict[str, Row] = {"y": ("Neg", "x0"), f"x{depth}": ("Neg", f"s{depth - 1}:1")}
        for k in range(depth):
            frame = {"frame_name": f"frame{k}"}
            rows |= {
                f"f{k}": ("Enter", f"f{k - 1}" if k else "p", frame | {"is_constant": True}),
                f"e{k}": ("Enter", f"s{k - 1}:1" if k else "x", frame),
                f"m{k}": ("Merge", f"e{k} n{k}"),
                f"c{k}": ("LoopCond", f"f{k}"),
                f"s{k}": ("Switch", f"m{k} c{k}"),
                f"n{k}": ("NextIteration", f"x{k + 1}"),
                f"x{k}": ("Exit", f"s{k}"),
            }
        return graph(rows)

    assert operators(load(deep(8))) == ["WHILE", "NEG"]
    refused(deep(300), BadModel, "60 deep")


@pytest.mark.long
def test_sides_that_repeat() -> None:
    """Conditionals one after the other that all read the same long side are not copied forever."""
    rows: dict[str, Row] = {"s": ("Switch", "x p"), "n0": ("Neg", "s:1"), "t0": ("Neg", "x")}
    for k in range(1, 1000):
        rows[f"n{k}"] = ("Neg", f"n{k - 1}")
        rows[f"q{k}"] = ("Switch", f"t{k - 1} p")
        rows[f"r{k}"] = ("Add", f"q{k}:1 n999")
        rows[f"t{k}"] = ("Merge", f"q{k} r{k}")
    refused(graph(rows | {"y": ("Neg", "t999")}), BadModel, "has no end")


DAMAGED = ("v1_nested", "v1_mixed", "v1_written", "v1_lengths", "v2_lstm", "v2_case")


@pytest.mark.parametrize("name", DAMAGED)
def test_random_damage(flows: Path, name: str) -> None:
    """Nodes that are gone, that read something else or are another operator."""
    data = map_file(flows / f"{name}.pb")
    message = decode(data, (0, len(data)), GRAPH)
    nodes = nodes_of(data, message["node"])
    functions = functions_of(data, message.get("library", {}).get("function", ()))
    texts = []
    for seed in range(100):
        library = Library(damaged(nodes, random.Random(seed)), dict(functions))
        started = time.process_time()
        try:
            frontend.translate(saved_model.graph_model(library))
        except NNAdapterError as error:
            texts.append(summary(error))
        assert time.process_time() - started < 5, f"damage {seed} took too long"
    assert len(texts) > 30
    assert not any("\n" in t for t in texts)


def damaged(nodes: dict[str, Node], chance: random.Random) -> dict[str, Node]:
    found, names = dict(nodes), list(nodes)
    name = chance.choice(names)
    node, other = found[name], chance.choice(names)
    match chance.randrange(6):
        case 0:
            del found[name]
        case 1:
            found[name] = replace(node, op=nodes[other].op)
        case 2:
            found[name] = replace(node, inputs=node.inputs[1:])
        case 3:
            found[name] = replace(node, inputs=(*node.inputs, other))
        case 4:
            found[name] = replace(node, controls=(*node.controls, other))
        case _:
            given = [other if chance.random() < 0.5 else i for i in node.inputs]
            found[name] = replace(node, inputs=tuple(given))
    return found
