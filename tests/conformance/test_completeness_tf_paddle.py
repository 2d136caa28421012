"""TensorFlow and Paddle: every parameter with a default has a case with another value.

Of Paddle's legacy operators: every attribute that a rule reads where the operator has its defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from conformance.case import Case
from conformance.cases.paddle import CASES as PADDLE_CASES
from conformance.cases.paddle.linalg import LU, NEAR, SWAPS
from conformance.cases.paddle_legacy import CASES as LEGACY_CASES
from conformance.cases.tensorflow import CASES as TENSORFLOW_CASES
from conformance.cases.tensorflow.compiled import CASES as COMPILED
from conformance.engines import paddle as paddle_engine
from conformance.engines import tensorflow as tensorflow_engine
from conformance.engines.named import NamedEngine
from conformance.judging.completeness import (
    defaults,
    differs,
    needless,
    untried_parameters,
    without_excuse,
)
from conformance.oracles.oracle import Oracle
from frontends.paddle import TABLE as PADDLE
from frontends.paddle.reading import opdefs as paddle_opdefs
from frontends.paddle.reading.desc import Op
from frontends.paddle.reading.legacy import defs as legacy_defs
from frontends.paddle.reading.legacy.call import Call
from frontends.paddle.reading.legacy.rules import RULES
from frontends.source import Ref, SourceGraph
from frontends.table import Converter, Table
from frontends.tensorflow import TABLE as TENSORFLOW
from frontends.tensorflow.reading import opdefs as tensorflow_opdefs
from hal.runtime.program import Program
from nnir.errors import Unsupported

from .judging import judge, require_distinct, worker_of

Excuses = dict[str | tuple[str, str], str]
OURS = "the standard's operator takes it, no operator of the framework does"
ARRAYS = "one operator shows no array: test_tensorflow_dataflow.py and test_tensorflow_loops.py"
LISTS = "an array is needed, which one operator does not make: test_paddle_models.py"
OLDER = "Paddle 3 has nothing to compare it with: test_paddle_older.py"

TENSORFLOW_EXCUSED: Excuses = {
    "fuse_code": OURS,
    ("DebugIdentity", "debug_urls"): "where TensorFlow would write while it runs",
    ("TensorListSetItem", "resize_if_index_out_of_bounds"): ARRAYS,
    ("TensorListStack", "num_elements"): ARRAYS,
    ("TensorArrayV3", "clear_after_read"): ARRAYS,
    ("TensorArrayV3", "dynamic_size"): ARRAYS,
    ("TensorArrayV3", "element_shape"): ARRAYS,
    ("TensorArrayV3", "identical_element_shapes"): ARRAYS,
    ("TensorArrayV3", "tensor_array_name"): ARRAYS,
    ("TensorArrayGatherV3", "element_shape"): ARRAYS,
    ("TensorArrayConcatV3", "element_shape_except0"): ARRAYS,
}
PADDLE_EXCUSED: Excuses = {
    ("create_array", "dtype"): "an array has no elements before some are written to it",
    ("fused_conv2d_add_act", "data_format"): "no kernel for processors; the oracle's formula for "
    "it knows one layout",
    ("lu", "pivot"): "Paddle's kernel for processors refuses to do without pivots",
    ("lu_", "pivot"): "Paddle's kernel for processors refuses to do without pivots",
    ("lu_unpack", "unpack_pivots"): "Paddle gives fewer results then: test_without_pivots below",
    **{
        ("print", name): "how something is printed, which we do not do"
        for name in (
            *("is_forward", "print_phase", "print_tensor_layout", "print_tensor_lod"),
            *("print_tensor_name", "print_tensor_shape", "print_tensor_type"),
        )
    },
}
LEGACY_EXCUSED: Excuses = {
    ("one_hot", "depth"): OLDER,
    ("one_hot", "dtype"): "the rule is that of one_hot_v2, whose cases show it",
    **{("pad2d", name): OLDER for name in ("data_format", "mode", "pad_value", "paddings")},
    ("tensor_array_to_tensor", "axis"): LISTS,
    ("tensor_array_to_tensor", "use_stack"): LISTS,
}


class Recorder(Call):
    """Notes the attributes that a rule asks for."""

    def attribute(self, name: str, default: Any = None) -> Any:
        self.asked: set[str] = getattr(self, "asked", set()) | {name}
        return super().attribute(name, default)


class Names:
    """Of the reader what rules need: names that are not taken."""

    def fresh(self, name: str) -> str:
        self.count = getattr(self, "count", 0) + 1
        return f"{name}.{self.count}"


def asked_by(op: str) -> dict[str, Any]:
    """The attributes that the rule of a legacy operator reads, and their defaults.

    With all inputs, without each of them and with the first one: some stand in for attributes.
    """
    known = legacy_defs.find(op)
    asked: set[str] = set()
    every = list(known.inputs)
    for absent in ([], every[1:], *([slot] for slot in every[1:])):
        slots = {slot: [f"{slot}_0"] for slot in every if slot not in absent}
        results = {slot: [f"{slot}_out"] for slot in known.outputs}
        values = {name: Ref(name) for names in slots.values() for name in names}
        call = Recorder(Names().fresh, Op(op, slots, results, {}), values, SourceGraph("rule"))
        RULES[op](call)
        asked |= getattr(call, "asked", set())
    return {name: known.attributes[name] for name in asked if name in known.attributes}


def untried_of_rules(cases: list[Case]) -> dict[str, list[str]]:
    """What no case of a legacy operator gives a value other than Paddle's default."""
    rows = [c for c in cases if c.raises in (None, Unsupported)]
    found: dict[str, list[str]] = {}
    for op in RULES:
        given = [c.attrs for c in rows if c.op == op]
        for name, default in sorted(asked_by(op).items()):
            if not any(name in attrs and differs(attrs[name], default) for attrs in given):
                found.setdefault(op, []).append(name)
    return found


def arguments_of(engine: NamedEngine, case: Case) -> Mapping[str, Any]:
    """The arguments of a case by name."""
    return dict(zip(engine.names(case), case.inputs, strict=False)) | case.attrs


def paddle_defaults(converter: Converter) -> dict[str, Any]:
    """The defaults of arguments, which Paddle's definitions have instead of our signatures."""
    names = {n.removesuffix("_"): n for n in converter.parameters}
    found = paddle_opdefs.defaults_of(converter.name).items()
    return {names[n]: v for n, v in found if n in names}


@pytest.fixture(scope="module")
def missing() -> dict[str, dict[str, list[str]]]:
    """By framework what no case shows."""

    def of(
        table: Table,
        engine: NamedEngine,
        cases: list[Case],
        defaults_of: Callable[[Converter], Mapping[str, Any]] = defaults,
    ) -> dict[str, list[str]]:
        return untried_parameters(table, cases, lambda c: arguments_of(engine, c), defaults_of)

    rows = [*TENSORFLOW_CASES, *COMPILED]
    return {
        "tensorflow": of(TENSORFLOW, tensorflow_engine.ENGINE, rows),
        "paddle": of(PADDLE, paddle_engine.ENGINE, PADDLE_CASES, paddle_defaults),
        "paddle_legacy": untried_of_rules(LEGACY_CASES),
    }


EXCUSED = {
    "tensorflow": TENSORFLOW_EXCUSED,
    "paddle": PADDLE_EXCUSED,
    "paddle_legacy": LEGACY_EXCUSED,
}


@pytest.mark.parametrize("framework", EXCUSED)
def test_every_parameter_is_tried(framework: str, missing: dict[str, dict[str, list[str]]]) -> None:
    assert without_excuse(missing[framework], EXCUSED[framework]) == {}


@pytest.mark.parametrize("framework", EXCUSED)
def test_every_excuse_is_needed(framework: str, missing: dict[str, dict[str, list[str]]]) -> None:
    assert needless(missing[framework], EXCUSED[framework]) == []


def test_an_excuse_for_what_a_case_shows() -> None:
    given = Case("leaky_relu", (np.zeros(1, np.float32),), {"alpha": 0.3})
    left = untried_of_rules([given])
    assert "leaky_relu" not in left
    assert needless(left, [("leaky_relu", "alpha")]) == [("leaky_relu", "alpha")]


def test_rules_that_read_nothing_else() -> None:
    assert asked_by("elu") == {"alpha": 1.0}
    assert set(asked_by("split")) == {"axis", "num", "sections"}
    assert asked_by("relu") == {}


def test_no_framework_has_fuse_codes() -> None:
    """What `fuse_code` is excused by."""
    for op in TENSORFLOW.entries:
        known = tensorflow_opdefs.find(op)
        assert known is None or "fuse_code" not in known.defaults
    for op in PADDLE.entries:
        signature = paddle_opdefs.find(op)
        assert signature is None or "fuse_code" not in signature.arguments


@pytest.fixture(scope="module")
def compiler() -> Iterator[Oracle]:
    with Oracle("tests.conformance.xla_oracle", timeout=120) as worker:
        yield worker


@pytest.mark.parametrize("case", COMPILED, ids=str)
def test_compiled(case: Case, compiler: Oracle) -> None:
    judge(tensorflow_engine.ENGINE, case, [], compiler)


def test_names_of_compiled_cases_differ() -> None:
    require_distinct(COMPILED)


@pytest.fixture(scope="module")
def paddle() -> Iterator[Oracle]:
    yield from worker_of("paddle")


def test_without_pivots(paddle: Oracle) -> None:
    """Paddle leaves the first of three results out."""
    case = Case("lu_unpack", (LU, SWAPS), {"unpack_pivots": False}, tol=NEAR)
    engine = paddle_engine.ENGINE
    lower, upper = engine.ask(case, paddle).results
    _, *made = Program(engine.convert(case, [None] * 3), "builtin")(LU, SWAPS)
    np.testing.assert_allclose(made, [lower, upper], rtol=1e-5, atol=1e-6)
