"""The differences as a page with filters, in a real browser without a window."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from conformance.case import Case, f
from conformance.differences.__main__ import PAGE, SITE
from conformance.differences.ask import Heard
from conformance.differences.kinds import KINDS, differing_pairs, kinds_of
from conformance.differences.question import Question
from conformance.differences.questions import QUESTIONS
from conformance.differences.words import Reply


@pytest.fixture
def opened(tab: Page) -> Iterator[Page]:
    heard: list[str] = []
    for event in ("console", "pageerror"):
        tab.on(event, lambda said: heard.append(str(said)))  # type: ignore[call-overload]
    tab.goto(SITE.as_uri())
    yield tab
    assert heard == []


def shown(page: Page) -> list[str]:
    return page.locator(".question:visible").evaluate_all("all => all.map(q => q.id)")


def pair_of(page: Page, one: str, two: str) -> tuple[int, int]:
    page.select_option("#one", one)
    page.select_option("#two", two)
    said = re.search(r"differ on (\d+) of (\d+) questions", page.inner_text("#pair"))
    assert said is not None
    return int(said[1]), int(said[2])


def test_it_has_every_question_of_the_markdown_page(opened: Page) -> None:
    text = PAGE.read_text()
    titles = opened.locator(".question h4").all_text_contents()
    assert titles == [q.title for q in QUESTIONS]
    differing = text.count("\n### ")
    assert len(shown(opened)) == differing
    opened.check("#agreeing")
    assert len(shown(opened)) == len(QUESTIONS)
    assert SITE.stat().st_size < 1_000_000


def test_a_pair_of_frameworks(opened: Page) -> None:
    differing, both = pair_of(opened, "torch", "tensorflow")
    assert len(shown(opened)) == differing
    assert 0 < differing < both
    assert (differing, both) == pair_of(opened, "tensorflow", "torch")
    for slug in shown(opened):
        answers = opened.locator(f"[id='{slug}'] .voices").all_text_contents()
        assert not any("PyTorch" in who and "TensorFlow" in who for who in answers)
    opened.check("#agreeing")
    assert len(shown(opened)) == both


def test_operator_kind_and_search_join(opened: Page) -> None:
    opened.select_option("#operator", "RESIZE")
    resizes = shown(opened)
    assert resizes
    opened.select_option("#kind", "default")
    defaults = shown(opened)
    assert set(defaults) < set(resizes)
    opened.fill("#q", "CUBIC")
    assert set(shown(opened)) <= set(defaults)
    assert all("cubic" in opened.inner_text(f"[id='{s}']").lower() for s in shown(opened))
    link = opened.url
    opened.fill("#q", "no such words")
    expect(opened.locator("#none")).to_be_visible()
    opened.goto("about:blank")
    opened.goto(link)
    assert opened.input_value("#kind") == "default"
    assert opened.input_value("#q") == "CUBIC"
    opened.click("text=Clear")
    expect(opened.locator("#count")).to_contain_text(f"{len(shown(opened))} questions")


def test_a_link_shows_its_question(opened: Page) -> None:
    hidden = opened.locator(".question[data-differs='']").first.get_attribute("id")
    opened.goto("about:blank")
    opened.goto(f"{SITE.as_uri()}#{hidden}")
    expect(opened.locator(f"[id='{hidden}']")).to_be_in_viewport()
    ids = opened.locator(".question").evaluate_all("all => all.map(q => q.id)")
    assert len(set(ids)) == len(ids)


def test_nothing_is_wider_than_a_phone(opened: Page) -> None:
    opened.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    opened.check("#agreeing")
    for width in (360, 768, 1280):
        opened.set_viewport_size({"width": width, "height": 800})
        assert opened.evaluate("document.documentElement.scrollWidth") == width
    opened.set_viewport_size({"width": 1280, "height": 900})


def heard_of(title: str, inputs: tuple[np.ndarray, ...], *replies: Reply) -> Heard:
    names = ("torch", "paddle", "tensorflow")
    cases = {name: Case("op", inputs) for name in names[: len(replies)]}
    question = Question("RELU", title, inputs, cases, "note")
    return Heard(question, dict(zip(names, replies, strict=False)))


@pytest.mark.parametrize(
    ("title", "given", "kinds"),
    [
        ("What is it?", f(1), ("meaning",)),
        ("What is it?", f(np.nan), ("NaN",)),
        ("What is it?", f(np.inf), ("infinity",)),
        ("What is it?", f(), ("empty",)),
        ("What is it?", np.array([2**31 - 1], np.int32), ("overflow",)),
        ("How are halves rounded?", f(0.5), ("ties", "rounding")),
        ("What is the default axis?", f(1), ("default",)),
    ],
)
def test_kinds(title: str, given: np.ndarray, kinds: tuple[str, ...]) -> None:
    assert kinds_of(heard_of(title, (given,), Reply((f(1),)), Reply((f(2),)))) == kinds
    refused = heard_of(title, (given,), Reply((f(1),)), Reply(refusal="no"))
    assert set(kinds_of(refused)) == {*kinds, "refusal"} - {"meaning"}


def test_every_question_of_the_page_has_a_kind(opened: Page) -> None:
    kinds = opened.locator(".question").evaluate_all("all => all.map(q => q.dataset.kinds)")
    found = {kind for text in kinds for kind in text.split()}
    assert all(kinds)
    assert found == set(KINDS)


def test_pairs_are_those_of_other_answers() -> None:
    one = heard_of("x?", (f(1),), Reply((f(1),)), Reply((f(2),)), Reply((f(1),)))
    assert differing_pairs(one) == ["paddle tensorflow", "paddle torch"]
