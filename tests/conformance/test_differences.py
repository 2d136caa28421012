"""The questions to all frameworks, and the page that is made of the answers."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest

from conformance.case import EXACT, Case
from conformance.differences import ask, finding, mapping, page, site, words
from conformance.differences.__main__ import PAGE, SITE
from conformance.differences.ask import DEVICES, Group, Heard
from conformance.differences.mapping import Row
from conformance.differences.question import FRAMEWORKS, SIGNS, because, same
from conformance.differences.questions import FAMILIES, QUESTIONS
from conformance.differences.words import Reply
from nnir.ops import OPERATORS

KNOWN = {
    "Which elements does nearest resize take by default?": (
        {"onnx", "onnxruntime"},
        {"torch", "tensorflow", "tflite", "paddle"},
    ),
    "Where does linear resize take its samples by default?": (
        {"onnx", "onnxruntime", "torch"},
        {"tensorflow", "tflite"},
        {"paddle"},
    ),
    "What is the coefficient of cubic resize?": (
        {"onnx", "onnxruntime", "torch", "paddle"},
        {"tensorflow"},
    ),
    "Are the corners of grid_sample aligned by default?": (
        {"onnx", "onnxruntime", "torch"},
        {"paddle"},
    ),
    "Does average pooling count the padding?": (
        {"onnx", "onnxruntime", "tensorflow", "tflite", "paddle"},
        {"torch"},
    ),
    "On which side does SAME pad a strided convolution?": (
        {"onnx", "onnxruntime", "tensorflow", "tflite", "paddle"},
        {"torch"},
    ),
    "What is the default epsilon of batch normalisation?": (
        {"onnx", "onnxruntime", "torch", "paddle"},
        {"tensorflow"},
    ),
    "Does a batch in training have the biased variance?": ({"onnx", "onnxruntime"}, {"torch"}),
    "Is alpha of local response normalisation divided by the window's size?": (
        {"onnx"},
        {"onnxruntime"},
        {"tensorflow", "tflite"},
    ),
    "What is the default slope of hard_sigmoid?": ({"onnx", "onnxruntime", "paddle"}, {"torch"}),
    "What is the default slope of leaky_relu?": (
        {"onnx", "onnxruntime", "torch"},
        {"tensorflow"},
        {"tflite"},
        {"paddle"},
    ),
    "How does division of integers round?": (
        {"onnx", "onnxruntime", "tensorflow", "tflite", "standard"},
        {"torch", "paddle"},
    ),
    "Is NaN the largest element for argmax?": (
        {"onnx", "onnxruntime", "torch", "standard"},
        {"tensorflow", "tflite", "paddle"},
    ),
    "How does quantising round halves?": (
        {"onnx", "onnxruntime", "torch", "paddle"},
        {"tflite"},
    ),
    "What is the one-hot row of an index out of range?": (
        {"onnx", "onnxruntime"},
        {"torch"},
        {"tensorflow", "tflite"},
        {"paddle"},
    ),
    "In which order come unique elements?": (
        {"onnx", "onnxruntime", "torch", "paddle"},
        {"tensorflow", "tflite"},
    ),
    "Is a box suppressed whose overlap is the threshold exactly?": (
        {"onnx", "onnxruntime", "torch", "tensorflow", "paddle"},
        {"tflite"},
    ),
    "In which order does depth-to-space take the channels?": (
        {"onnx", "onnxruntime", "tensorflow", "tflite"},
        {"torch", "paddle"},
    ),
    "How are halves rounded?": (
        {"onnx", "onnxruntime", "torch", "tensorflow", "tflite", "paddle", "standard"},
    ),
}
"""What is well known, as found by asking: who stands with whom."""


@pytest.fixture(scope="module")
def heard() -> dict[str, Heard]:
    """Every question asked."""
    return {h.question.title: h for h in ask.listen(QUESTIONS)}


@pytest.mark.long
def test_there_are_enough_questions_and_findings(heard: dict[str, Heard]) -> None:
    assert len(QUESTIONS) >= 70
    assert sum(h.differs for h in heard.values()) >= 50


def test_titles_differ() -> None:
    assert [t for t, n in Counter(q.title for q in QUESTIONS).items() if n > 1] == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda m: m.__name__.rpartition(".")[2])
def test_questions_are_whole(family: object) -> None:
    for question in family.QUESTIONS:  # type: ignore[attr-defined]
        assert question.operator in OPERATORS, question.title
        assert len(question.cases) >= 2, question.title
        assert set(question.cases) <= set(FRAMEWORKS), question.title
        assert question.title.endswith("?")
        assert question.note


@pytest.mark.parametrize("title", [q.title for q in QUESTIONS])
def test_devices_follow_every_origin_or_a_reason_says_why_not(
    title: str, heard: dict[str, Heard]
) -> None:
    one = heard[title]
    strays = one.question.strays
    untold = {w: text for w, text in one.stray.items() if w not in strays}
    assert untold == {}
    assert strays.keys() - one.stray.keys() == set(), "told, but it follows"


@pytest.mark.parametrize("title", KNOWN)
def test_what_is_well_known_is_found(title: str, heard: dict[str, Heard]) -> None:
    assert [set(g.voices) for g in heard[title].groups] == list(KNOWN[title])


def test_the_page_with_filters_is_what_would_be_written(heard: dict[str, Heard]) -> None:
    assert SITE.read_text() == site.site(list(heard.values()), FAMILIES), (
        "python -m conformance.differences"
    )


def test_the_findings_on_the_page_are_what_frameworks_say(heard: dict[str, Heard]) -> None:
    known = PAGE.read_text().partition(page.MAPPING)[0].rstrip()
    again = "run `python -m conformance.differences`"
    assert known == page.findings(list(heard.values()), FAMILIES).rstrip(), again


def test_the_table_of_operators_has_every_operator_once() -> None:
    table = PAGE.read_text().partition(page.MAPPING)[2]
    named = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    absent = set(table.rpartition("needs:")[2].replace(".", "").replace("`", "").split(", "))
    assert named | {a.strip() for a in absent} == set(OPERATORS)


def question(**more: object) -> Heard:
    """A question about nothing in particular."""
    return Heard(dataclasses.replace(QUESTIONS[0], **{"tol": EXACT, "strays": {}, **more}))


def test_equal_answers_are_a_group_and_refusals_never() -> None:
    one = question()
    ones, twos = (Reply((np.full(2, value),)) for value in (1.0, 2.0))
    one.replies = {"onnx": ones, "torch": twos, "tflite": ones}
    one.replies |= {"tensorflow": Reply(refusal="no"), "paddle": Reply(refusal="no")}
    assert [g.voices for g in one.groups] == [
        ("onnx", "tflite"), ("torch",), ("tensorflow",), ("paddle",),
    ]  # fmt: skip
    assert one.differs


def test_the_standard_alone_and_refusals_alone_are_no_finding() -> None:
    one = question()
    one.replies = {"onnx": Reply((np.ones(2),)), "standard": Reply((np.zeros(2),))}
    assert not one.differs
    one.replies = {"onnx": Reply(refusal="no"), "torch": Reply(refusal="never")}
    assert not one.differs


def test_layouts_and_widths_make_no_difference_but_kinds_do() -> None:
    first = ask.to_shared_form(np.ones((1, 1, 1, 3), np.float32))
    last = ask.to_shared_form(np.ones((1, 1, 3, 1), np.float64))
    whole = ask.to_shared_form(np.ones(3, np.int32))
    assert ask.agree(Reply((first,)), Reply((last,)), EXACT)
    assert not ask.agree(Reply((first,)), Reply((whole,)), EXACT)


def test_zeros_have_signs_only_where_they_are_asked_for() -> None:
    zeros = Reply((np.array([-0.0, 0.0, np.nan]),))
    assert words.spoken(zeros) == "[0.0, 0.0, nan]"
    assert words.spoken(zeros, signs=True) == "[-0.0, 0.0, nan]"
    assert not ask.agree(zeros, Reply((np.array([0.0, 0.0, np.nan]),)), SIGNS)


def test_a_stray_is_told_only_where_the_origin_answers() -> None:
    two = {fw: QUESTIONS[0].cases[fw] for fw in ("onnx", "torch")}
    one = question(cases=two)
    one.replies = {"onnx": Reply((np.ones(1),)), "torch": Reply(refusal="no")}
    one.devices = {"onnx builtin": "0 instead of 1", "torch builtin": "gives 1"}
    assert one.stray == {"onnx builtin": "0 instead of 1"}
    one.devices |= {"onnx onnxruntime": "follows", "torch onnxruntime": "gives 1"}
    assert finding.devices(one).splitlines()[2:] == [
        "- **does not follow ONNX** on `builtin`: a bug (0 instead of 1)",
        "- where PyTorch refuses, our devices give 1",
    ]


def test_messages_lose_what_is_of_this_machine() -> None:
    text = "the origin framework refuses: at 0xdeadbeef in /usr/lib/x/y.cc:12 [Hint: no] (at /a/b)"
    assert words.clean(text) == "at 0x... in"
    assert len(words.clean("long " * 99)) <= words.LONGEST


def test_reasons_name_both_devices_or_one() -> None:
    assert because("so", "torch", "onnx builtin") == {
        "torch builtin": "so", "torch onnxruntime": "so", "onnx builtin": "so",
    }  # fmt: skip


def test_names_of_atens_operators_are_spelt_out() -> None:
    cases = same(np.ones(1), onnx="Relu", torch="add.Tensor", tflite="RELU")
    assert [c.op for c in cases.values()] == ["Relu", "aten.add.Tensor", "RELU"]


def test_a_source_operator_maps_where_it_is_alone() -> None:
    found = mapping.entries(
        [
            Row("onnx", "Relu", ("RELU",), True, ("builtin", "onnxruntime")),
            Row("onnx", "Relu", ("RELU",), True, ("builtin",)),
            Row("torch", "aten.glu", ("MUL", "RELU"), False, ()),
        ]
    )
    relu = found["RELU"]
    assert relu.maps == {"onnx": {"Relu": 2}}
    assert relu.uses == {"torch": {"aten.glu": 1}}
    assert (relu.cases, relu.agreeing) == (3, {"builtin": 2, "onnxruntime": 1})
    text = page.mapping(found)
    assert "| `RELU` | `Relu` | *1 uses it* |  |  |  | 2 of 3 | 1 of 3 |" in text


def test_calls_are_written_with_letters_for_inputs() -> None:
    case = Case("Clip", (np.ones(1), None, np.ones(1)), {"axis": 1, "eps": 0.1}, opset=9)
    assert finding.call(case) == "Clip(x, None, y, axis=1, eps=0.1), opset 9"


def test_anchors_are_those_of_headings() -> None:
    assert page.anchor("What is 0, or -0?") == "what-is-0-or--0"


def test_an_answer_says_who_gives_it() -> None:
    two = {fw: QUESTIONS[0].cases[fw] for fw in ("onnx", "torch")}
    one = question(cases=two)
    one.replies = {"onnx": Reply((np.ones(2),)), "torch": Reply(refusal="no | way")}
    one.devices = {f"{f} {d}": ask.FOLLOWS for f in one.replies for d in DEVICES}
    text = finding.finding(one)
    assert "| `[1.0, 1.0]` | ONNX |" in text
    assert "| *refuses: no \\| way* | PyTorch |" in text
    assert Group(one.replies["onnx"], ("onnx",)) == one.groups[0]
