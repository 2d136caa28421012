"""Cases by standard operator: what a case is about, and what `--op` and `--using` choose."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import pytest
from click.testing import CliRunner

from conformance import ledger
from conformance.engines.engine import Answer
from conformance.running.choosing import choose, draw, find_unknown, standard_of
from conformance.running.subject import NOTHING, operators_of, simplify, spellings, standard_names
from conformance.running.suite import Item
from conformance.suites.operators import book
from nnadapter.cli import main
from nnir.errors import BadType


def items(*frontends: str) -> list[Item]:
    """The cases of frontends, as a plan has them."""
    found = []
    for frontend in frontends or ledger.FRONTENDS:
        for op, name in ((case.op, name) for name, (_, case) in book(frontend).cases.items()):
            found.append(Item("cases", frontend, op, name))
    return found


ALL = items()


def frontends(found: Iterable[Item]) -> set[str]:
    return {i.frontend for i in found}


def converted(frontend: str, op: str) -> list[tuple[str, ...]]:
    """What the cases of an operator are converted to, those that must fail left out."""
    engine_of = book(frontend).cases.values()
    cases = [(e, c) for e, c in engine_of if c.op == op and not c.raises]
    found = []
    for engine, case in cases:
        with contextlib.suppress(BadType):  # with open sizes some say no
            found.append(operators_of(op, engine.model(case, Answer([], made=case.outputs))))
    return found


@pytest.mark.parametrize(
    ("frontend", "op", "about"),
    [
        ("onnx", "Softmax", {"SOFTMAX"}),
        ("torch", "aten.softmax.int", {"SOFTMAX"}),
        ("tensorflow", "Softmax", {"SOFTMAX"}),
        ("paddle", "softmax", {"SOFTMAX"}),
        ("onnx", "Conv", {"CONV_2D", "CONV_3D"}),
        ("torch", "aten.gelu.default", {"GELU"}),
        ("onnx", "ReduceSumSquare", {"REDUCE_SUM", "SQUARE"}),  # of no axes nothing is summed
        ("onnx", "Attention", {"MAT_MUL", "SOFTMAX"}),
        ("torch", "aten.dropout.default", {NOTHING, "BERNOULLI", "DROPOUT", "RANDOM_UNIFORM"}),
    ],
)
def test_what_cases_are_about(frontend: str, op: str, about: set[str]) -> None:
    found = converted(frontend, op)
    assert found
    assert {names[0] for names in found} <= about
    for names in found:
        assert len(set(names)) == len(names)


def test_a_standard_operator_is_run_from_all_frontends() -> None:
    for op in ("SOFTMAX", "CONV_2D", "MAT_MUL", "RELU"):
        assert frontends(choose(ALL, op)) >= set(ledger.FRONTENDS) - {"nnir"}, op
    softmax = {i.op for i in choose(ALL, "SOFTMAX")}
    assert {"Softmax", "aten.softmax.int", "SOFTMAX", "softmax"} <= softmax


@pytest.mark.parametrize("op", ["softmax", "SoftMax", "SOFT_MAX", "soft.max", " softmax "])
def test_case_dots_and_underscores_do_not_matter(op: str) -> None:
    assert choose(ALL, op) == choose(ALL, "SOFTMAX")


def test_the_name_in_a_source_works() -> None:
    found = choose(ALL, "aten.softmax.int")
    assert {i.op for i in found} == {"aten.softmax.int"}
    assert choose(ALL, "ATEN_softmax_int") == found
    assert {i.op for i in choose(ALL, "aten.conv*")} >= {
        "aten.conv1d.default",
        "aten.conv2d.default",
    }
    both = choose(ALL, "aten.softmax.int,LeakyRelu")
    assert set(found) | set(choose(ALL, "LeakyRelu")) == set(both)


def test_using_finds_what_is_made_of_an_operator() -> None:
    using = choose(ALL, "", "SOFTMAX")
    assert set(choose(ALL, "SOFTMAX")) - set(using) == {
        i for i in choose(ALL, "SOFTMAX") if "SOFTMAX" not in standard_of(i)
    }
    assert "Attention" in {i.op for i in using}
    assert all("SOFTMAX" in standard_of(i) for i in using)


@pytest.mark.parametrize(
    ("op", "near"),
    [("softmx", "SOFTMAX"), ("conv2", "CONV_2D"), ("aten.sofmax", "aten.softmax.int")],
)
def test_did_you_mean(op: str, near: str) -> None:
    said = find_unknown(ALL, f"RELU,{op}")
    assert said is not None
    assert said.startswith(f"no case is about an operator {op!r}: did you mean ")
    assert near in said


def test_what_is_known_is_no_problem() -> None:
    assert find_unknown(ALL, "") is None
    assert find_unknown(ALL, "SOFTMAX, aten.softmax.int,conv*") is None
    assert find_unknown(ALL, "qqqqqqqq") == "no case is about an operator 'qqqqqqqq'"


def test_the_command_says_so() -> None:
    done = CliRunner().invoke(main, ["conform", "--op", "softmx", "--frontend", "onnx"])
    assert done.exit_code == 1
    assert done.stderr.startswith(
        "error: no case is about an operator 'softmx': did you mean SOFTMAX"
    )


def test_every_case_has_its_operators_in_the_ledger() -> None:
    """But for those that must fail, which have those of the others of their operator."""
    names = {*standard_names().values(), NOTHING}
    for item in ALL:
        found = standard_of(item)
        assert set(found) <= names, item
        assert found or book(item.frontend).cases[item.name][1].raises, item


def test_cases_of_other_suites_are_known_by_name() -> None:
    assert standard_of(Item("opinfo", "torch", "nn.functional.softmax", "x"))[:1] == ("SOFTMAX",)
    assert standard_of(Item("onnx-backend", "onnx", "Softmax", "test_softmax"))[0] == "SOFTMAX"


def test_spellings() -> None:
    assert set(spellings("aten.softmax.int")) == {
        *("atensoftmaxint", "atensoftmax", "softmaxint", "softmax")
    }
    assert set(spellings("ai.onnx.ml::LabelEncoder")) == {"aionnxmllabelencoder", "labelencoder"}
    assert simplify("Aten.Conv_2d*") == "atenconv2d*"


def test_what_is_drawn_is_a_part_that_the_seed_says() -> None:
    drawn = draw(ALL, 8, 3)
    chosen = {*drawn}
    assert 0.8 < 8 * len(drawn) / len(ALL) < 1.2
    assert drawn == draw(ALL, 8, 3) != draw(ALL, 8, 4)
    assert draw(ALL[::2], 8, 3) == [i for i in ALL[::2] if i in chosen]
    assert draw(ALL, 1, 3) == ALL
