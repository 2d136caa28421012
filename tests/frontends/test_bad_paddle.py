"""Damaged and hostile PIR programs: the right error, one line, within seconds."""

from __future__ import annotations

import contextlib
import itertools
import json
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontends.paddle import load
from hal.runtime.program import Program
from nnir.errors import BadFile, BadModel, BadType, NNAdapterError, Unsupported, summary

from .paddle_legacy_bytes import parameter
from .test_fuzz import mutate

SECONDS = 5.0
Node = dict[str, Any]


def kind(*sizes: int, element: str = "f32") -> Node:
    """The type of a tensor."""
    return {"#": "0.t_dtensor", "D": [{"#": f"0.t_{element}"}, list(sizes), "NCHW", [], 0]}


def result(number: Any, *sizes: int, element: str = "f32") -> Node:
    return {"%": number, "TT": kind(*sizes, element=element)}


def attribute(name: str, type: str, value: Any) -> Node:
    return {"AT": {"#": type, "D": value}, "N": name}


def op(name: str, inputs: Sequence[Any], results: Sequence[Node], *attributes: Node) -> Node:
    """An operation; one of the dialect of operators unless the name says another."""
    label = name if "." in name else f"1.{name}"
    given = [{"%": n} for n in inputs]
    return {"#": label, "A": list(attributes), "I": given, "O": list(results)}


def data(number: int, name: str, *sizes: int) -> Node:
    named = attribute("name", "0.a_str", name)
    return op("data", [], [result(number, *sizes)], named)


def fetch(number: int, column: int = 0) -> Node:
    named = (attribute("name", "0.a_str", f"y{column}"), attribute("col", "0.a_i32", column))
    return op("fetch", [number], [result(900 + column, 2, 3)], *named)


def weight(number: int, name: str, *sizes: int, element: str = "f32") -> Node:
    return {"#": "p", "A": [0, 1, 1, name], "O": result(number, *sizes, element=element),
            "OA": [1, 0, 1]}  # fmt: skip


def region(*ops: Node, args: Sequence[int] = ()) -> Node:
    arguments = [{"#": n, "TT": kind(2, 3)} for n in args]
    return {"#": "region", "blocks": [{"#": "block", "args": arguments, "ops": list(ops)}]}


def document(*ops: Node, version: Any = 4) -> Node:
    head = {"magic": "pir", "trainable": True, "version": version}
    return {"base_code": head, "program": {"regions": [region(*ops)]}}


X = data(1, "x", 2, 3)
PLAIN = (X, op("relu", [1], [result(2, 2, 3)]), fetch(2))
SCALED = (
    weight(5, "w", 3),
    X,
    op("multiply", [1, 5], [result(2, 2, 3)]),
    fetch(2),
)
FLAG = op(
    "full",
    [],
    [result(3, element="bool")],
    attribute("shape", "1.a_intarray", []),
    attribute("value", "0.a_f64", 1.0),
    attribute("dtype", "1.a_dtype", "bool"),
)
ORDER = op("less_than", [1, 1], [result(4, 2, 3, element="bool")])
ANY = op("all", [4], [result(6, element="bool")], attribute("axis", "0.a_array", []),
         attribute("keepdim", "0.a_bool", False))  # fmt: skip


def conditional(number: int, *regions: Node) -> Node:
    return op("if", [6], [result(number, 2, 3)]) | {"regions": list(regions)}


def loop(number: int, body: Node) -> Node:
    return op("while", [6, 1], [result(number, 2, 3)]) | {"regions": [body]}


def side(number: int, *ops: Node) -> Node:
    return region(*ops, op("2.yield", [number], []))


LOOP = (
    *(X, ORDER, ANY),
    loop(
        7,
        region(
            op("relu", [-1], [result(8, 2, 3)]),
            op("less_than", [8, 1], [result(9, 2, 3, element="bool")]),
            op("all", [9], [result(10, element="bool")]),
            op("2.yield", [10, 8], []),
            args=[-1],
        ),
    ),
    fetch(7),
)
BRANCH = (
    *(X, ORDER, ANY),
    conditional(7, side(8, op("relu", [1], [result(8, 2, 3)])), side(1)),
    fetch(7),
)
GOOD = {"plain": PLAIN, "scaled": SCALED, "loop": LOOP, "branch": BRANCH}
WEIGHTS = parameter(np.array([1, 2, 3], np.float32).tobytes(), [3])


def written(folder: Path, program: Any, parameters: bytes | None = None) -> Path:
    path = folder / "model.json"
    path.write_bytes(program if isinstance(program, bytes) else json.dumps(program).encode())
    if parameters is not None:
        path.with_suffix(".pdiparams").write_bytes(parameters)
    return path


def refused(path: Path, kind: type[NNAdapterError], words: str) -> None:
    started = time.process_time()
    with pytest.raises(kind, match=words) as error:
        load(path)
    assert "\n" not in summary(error.value)
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("name", GOOD)
def test_good_programs(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, document(*GOOD[name]), WEIGHTS if name == "scaled" else None)
    x = np.ones((2, 3), np.float32)
    (found,) = Program(load(path), "builtin")(x)
    assert found.tolist() == ([[1, 2, 3]] * 2 if name == "scaled" else x.tolist())


@pytest.mark.parametrize("name", GOOD)
def test_truncated_programs(name: str, tmp_path: Path) -> None:
    content = json.dumps(document(*GOOD[name])).encode()
    for size in range(40, len(content), max(len(content) // 50, 1)):
        refused(written(tmp_path, content[:size], WEIGHTS), BadFile, "damaged program")


@pytest.mark.filterwarnings("ignore:a PIR program of version")
@pytest.mark.parametrize("name", GOOD)
def test_mutated_bytes(name: str, tmp_path: Path) -> None:
    """Whatever happens is an error of ours or a model, in little time."""
    content = json.dumps(document(*GOOD[name])).encode()
    generator = np.random.default_rng(len(name))
    for _ in range(150):
        path = written(tmp_path, content[:60] + mutate(content[60:], generator), WEIGHTS)
        survives(path)


def survives(path: Path) -> None:
    """An error of ours, or a model that may run."""
    started = time.process_time()
    with contextlib.suppress(NNAdapterError):
        load(path)
    assert time.process_time() - started < SECONDS


HOSTILE = (
    *(None, True, -1, 0, 1 << 40, 1 << 70, 1.5, float("nan"), float("inf"), "", "x", "0.t_f32"),
    *([], {}, [None], [[]], {"#": "0.t_dtensor"}, [1 << 62, 1 << 62], ["a"] * 3),
)


def places(part: Any) -> list[tuple[Any, Any]]:
    """Every container of a document and what it is asked for."""
    keys: Any = ()
    if isinstance(part, dict):
        keys = list(part)
    elif isinstance(part, list):
        keys = range(len(part))
    return [(part, k) for k in keys] + [p for k in keys for p in places(part[k])]


@pytest.mark.filterwarnings("ignore:a PIR program of version")
@pytest.mark.parametrize("name", GOOD)
def test_mutated_values(name: str, tmp_path: Path) -> None:
    """Every value of a program in turn becomes something else."""
    text = json.dumps(document(*GOOD[name]))
    generator = np.random.default_rng(len(name))
    count = len(places(json.loads(text)))
    for place in range(count):
        for choice in generator.choice(len(HOSTILE), 3, replace=False):
            program = json.loads(text)
            container, key = places(program)[place]
            container[key] = HOSTILE[int(choice)]
            survives(written(tmp_path, program, WEIGHTS))


def test_values_that_are_missing(tmp_path: Path) -> None:
    text = json.dumps(document(*LOOP))
    for place in range(len(places(json.loads(text)))):
        program = json.loads(text)
        container, key = places(program)[place]
        del container[key]
        survives(written(tmp_path, program))


def test_truncated_parameters(tmp_path: Path) -> None:
    for size in range(1, len(WEIGHTS)):
        path = written(tmp_path, document(*SCALED), WEIGHTS[:size])
        refused(path, BadFile, "parameters")


def test_missing_parameters(tmp_path: Path) -> None:
    refused(written(tmp_path, document(*SCALED)), BadFile, "model.pdiparams")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (b"", "holds 0 parameters, the program has 1"),
        (WEIGHTS * 2, "holds more parameters, the program has 1"),
        (parameter(bytes(16), [4]), "they do not belong together"),
        (parameter(bytes(12), [3, 1]), "they do not belong together"),
        (parameter(bytes(12), [3], kind=2), "they do not belong together"),
        (parameter(bytes(12), [3], kind=77), "type 77"),
        (parameter(bytes(12), [-3]), "damaged parameters"),
        (parameter(bytes(12), [1 << 40, 1 << 40]), "truncated parameters"),
        (parameter(b"", [0, 1 << 62]), "parameters|program"),
        (parameter(b"", [1] * 99), "damaged parameters"),
        (b"\1" + WEIGHTS[1:], "version 1"),
        (struct.pack("<IQQ", 0, 1 << 60, 8), "parameters"),
        (struct.pack("<IQIi", 0, 0, 0, -5), "damaged or truncated parameters"),
    ],
)
def test_parameters_of_another_program(parameters: bytes, words: str, tmp_path: Path) -> None:
    refused(written(tmp_path, document(*SCALED), parameters), NNAdapterError, words)


def test_parameters_in_another_order(tmp_path: Path) -> None:
    """They lie in order of their names, whatever the order of the program."""
    ops = (
        *(weight(5, "b", 3), weight(6, "a", 2, 3), X),
        op("multiply", [1, 5], [result(2, 2, 3)]),
        *(op("add", [2, 6], [result(3, 2, 3)]), fetch(3)),
    )
    first = parameter(np.zeros(6, np.float32).tobytes(), [2, 3])
    path = written(tmp_path, document(*ops), first + WEIGHTS)
    (found,) = Program(load(path), "builtin")(np.ones((2, 3), np.float32))
    assert found.tolist() == [[1, 2, 3]] * 2
    swapped = written(tmp_path, document(*ops), WEIGHTS + first)
    refused(swapped, BadFile, "the parameter 'a' is float32")


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("9.relu", "'9.relu' is of no known dialect"),
        ("relu", "of no known dialect"),
        ("", "of no known dialect"),
        ("1.", "of no known dialect"),
        ("3.mine", r"no converter for custom_op\.mine \(x1\)"),
        ("3.relu", r"no converter for custom_op\.relu \(x1\)"),
        ("4.shard_tensor", "dist.shard_tensor"),
        ("0.module", "builtin.module"),
        ("2.tuple_push", "cf.tuple_push"),
    ],
)
def test_dialects(label: str, words: str, tmp_path: Path) -> None:
    bad = op("relu", [1], [result(2, 2, 3)]) | {"#": label}
    refused(written(tmp_path, document(X, bad, fetch(2))), NNAdapterError, words)


def test_unknown_operators_are_listed_together(tmp_path: Path) -> None:
    ops = (
        op("magic", [1], [result(2, 2, 3)]),
        op("fused_moe", [2], [result(3, 2, 3)]),
        op("magic", [3], [result(4, 2, 3)]),
    )
    words = r"no converter for magic \(x2\), fused_moe \(x1\)"
    refused(written(tmp_path, document(X, *ops, fetch(4))), Unsupported, words)


def test_unknown_operators_in_regions(tmp_path: Path) -> None:
    inside = side(8, op("magic", [1], [result(8, 2, 3)]))
    program = document(X, ORDER, ANY, conditional(7, inside, side(1)), fetch(7))
    refused(written(tmp_path, program), Unsupported, r"magic \(x1\)")


@pytest.mark.parametrize("number", [77, -1, 1 << 70, 2])
def test_values_that_nothing_produces(number: int, tmp_path: Path) -> None:
    ops = (X, op("relu", [number], [result(2, 2, 3)]), fetch(2))
    refused(written(tmp_path, document(*ops)), BadModel, f"nothing produces the value {number}")


@pytest.mark.parametrize("number", [None, "1", 1.0, True, []])
def test_values_that_are_no_numbers(number: Any, tmp_path: Path) -> None:
    ops = (X, op("relu", [number], [result(2, 2, 3)]), fetch(2))
    refused(written(tmp_path, document(*ops)), BadFile, "is no number")


def test_a_value_that_is_made_twice(tmp_path: Path) -> None:
    ops = (*PLAIN[:2], op("tanh", [1], [result(2, 2, 3)]), fetch(2))
    refused(written(tmp_path, document(*ops)), BadModel, "defined twice")


def test_more_operands_than_there_are(tmp_path: Path) -> None:
    ops = (X, op("relu", [1, 1, 1], [result(2, 2, 3)]), fetch(2))
    refused(written(tmp_path, document(*ops)), BadModel, "relu has 3 operands, not 1")


def test_fewer_operands_than_there_are(tmp_path: Path) -> None:
    ops = (X, op("multiply", [1], [result(2, 2, 3)]), fetch(2))
    refused(written(tmp_path, document(*ops)), BadType, "multiply without y")


@pytest.mark.parametrize("sizes", [(3, 2), (2,), (2, 3, 1), (4, 4)])
def test_another_shape_than_declared(sizes: tuple[int, ...], tmp_path: Path) -> None:
    ops = (X, op("relu", [1], [result(2, *sizes)]), fetch(2))
    refused(written(tmp_path, document(*ops)), BadModel, "the program says")


def test_another_type_than_declared(tmp_path: Path) -> None:
    ops = (X, op("relu", [1], [result(2, 2, 3, element="i32")]), fetch(2))
    refused(written(tmp_path, document(*ops)), BadModel, "the program says int32")


@pytest.mark.parametrize("element", ["f99", "", "pstring"])
def test_unknown_element_types(element: str, tmp_path: Path) -> None:
    program = document(X, op("relu", [1], [result(2, 2, 3, element=element)]), fetch(2))
    refused(written(tmp_path, program), Unsupported, "a tensor of type")


@pytest.mark.parametrize("text", ["NaN", "INF", "-INF", "nan", "inf"])
def test_numbers_that_json_does_not_have(text: str, tmp_path: Path) -> None:
    """They are written as text beside the key for the data."""
    slope = {"AT": {"#": "0.a_f32", "VD": text}, "N": "negative_slope"}
    ops = (X, op("leaky_relu", [1], [result(2, 2, 3)], slope), fetch(2))
    (found,) = Program(load(written(tmp_path, document(*ops))), "builtin")(
        -np.ones((2, 3), np.float32)
    )
    np.testing.assert_array_equal(found, np.full((2, 3), -float(text), np.float32))


@pytest.mark.parametrize("value", ["abc", None, [], {}, "1e9999x"])
def test_numbers_that_are_none(value: Any, tmp_path: Path) -> None:
    slope = {"AT": {"#": "0.a_f32", "VD": value}, "N": "negative_slope"}
    ops = (X, op("leaky_relu", [1], [result(2, 2, 3)], slope), fetch(2))
    refused(written(tmp_path, document(*ops)), BadFile, "damaged program")


def nested(depth: int, wrap: Any) -> Node:
    """A region in a region in a region."""
    inner = side(1)
    for level in range(depth):
        inner = side(1000 + level, wrap(1000 + level, inner))
    return inner


@pytest.mark.parametrize("depth", [61, 150])
def test_conditionals_one_in_another(depth: int, tmp_path: Path) -> None:
    program = document(X, ORDER, ANY, conditional(7, nested(depth, _chosen), side(1)), fetch(7))
    refused(written(tmp_path, program), NNAdapterError, "deep|damaged program")


def _chosen(number: int, inner: Node) -> Node:
    return conditional(number, inner, side(1))


def test_text_that_is_nested_without_end(tmp_path: Path) -> None:
    head = b'{"base_code":{"magic":"pir","version":4},"program":'
    refused(written(tmp_path, head + b"[" * 200_000), BadFile, "damaged program")


def test_many_conditionals_one_in_another(tmp_path: Path) -> None:
    """Each region has two of the next: what is written out must not double each time."""
    numbers = itertools.count(1000)

    def twice(depth: int) -> Node:
        if not depth:
            return side(1)
        first, second = next(numbers), next(numbers)
        return side(
            second,
            conditional(first, twice(depth - 1), side(1)),
            conditional(second, side(first), side(1)),
        )

    survives(
        written(tmp_path, document(X, ORDER, ANY, conditional(7, twice(12), side(1)), fetch(7)))
    )


@pytest.mark.parametrize(
    ("regions", "words"),
    [
        ([side(1)], "if with 1 regions"),
        ([side(1)] * 3, "if with 3 regions"),
        ([side(1), region(op("2.yield", [1, 1], []))], "regions give 1 and 2 values"),
        ([side(1), region()], "regions give 1 and 0 values"),
        ([side(1), {"#": "region", "blocks": []}], "a region of 0 blocks"),
        ([side(1), side(55)], "nothing produces the value 55"),
    ],
)
def test_conditionals(regions: list[Node], words: str, tmp_path: Path) -> None:
    program = document(X, ORDER, ANY, conditional(7, *regions), fetch(7))
    refused(written(tmp_path, program), NNAdapterError, words)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (region(op("2.yield", [6, -1], []), args=[-1, -2]), "while of 1 values"),
        (region(op("2.yield", [6], []), args=[-1]), "while of 1 values"),
        (region(args=[-1]), "while of 1 values"),
        (region(op("2.yield", [6, 6], []), args=[-1]), "state"),
        (region(op("2.yield", [-1, -1], []), args=[-1]), "reshape"),
    ],
)
def test_loops(body: Node, words: str, tmp_path: Path) -> None:
    refused(
        written(tmp_path, document(X, ORDER, ANY, loop(7, body), fetch(7))), NNAdapterError, words
    )


def test_a_loop_that_never_ends(tmp_path: Path) -> None:
    """A condition that stays true: loading must not wait for it."""
    body = region(op("relu", [-1], [result(8, 2, 3)]), op("2.yield", [3, 8], []), args=[-1])
    endless = op("while", [3, 1], [result(7, 2, 3)]) | {"regions": [body]}
    survives(written(tmp_path, document(X, FLAG, endless, fetch(7))))


def test_a_value_that_only_a_region_has(tmp_path: Path) -> None:
    inside = side(8, op("relu", [1], [result(8, 2, 3)]))
    program = document(X, ORDER, ANY, conditional(7, inside, side(1)), fetch(8))
    refused(written(tmp_path, program), BadModel, "nothing produces")


def test_lists_that_are_too_long(tmp_path: Path) -> None:
    many = {"%": 2, "TT": {"#": "0.t_vec", "D": [kind(1)] * 100_001}}
    program = document(X, op("unbind", [1], [many]), fetch(1))
    refused(written(tmp_path, program), BadFile, "a list of 100001 tensors")


def test_a_split_of_no_list(tmp_path: Path) -> None:
    program = document(X, op("0.split", [1], [result(2, 3), result(3, 3)]), fetch(2))
    refused(written(tmp_path, program), BadModel, "builtin.split into 2")


@pytest.mark.parametrize("place", [2, -3, 1 << 40, "x", None])
def test_a_slice_of_a_list(place: Any, tmp_path: Path) -> None:
    joined = op("0.combine", [1, 1], [{"%": 2, "TT": {"#": "0.t_vec", "D": [kind(2, 3)] * 2}}])
    taken = op("0.slice", [2], [result(3, 2, 3)], attribute("index", "0.a_i32", place))
    refused(
        written(tmp_path, document(X, joined, taken, fetch(3))), NNAdapterError, "program|slice"
    )


@pytest.mark.parametrize("version", ["x", None, [], {}])
def test_versions(version: Any, tmp_path: Path) -> None:
    refused(written(tmp_path, document(*PLAIN, version=version)), BadFile, "damaged program")


def test_a_newer_version(tmp_path: Path) -> None:
    path = written(tmp_path, document(*PLAIN, version=99))
    with pytest.warns(UserWarning, match="version 99"):
        load(path)


def test_another_magic_word(tmp_path: Path) -> None:
    program = document(*PLAIN)
    program["base_code"]["magic"] = "rip"
    program["base_code"]["made_by"] = "pir"
    refused(written(tmp_path, program), BadFile, "magic word|no ")
