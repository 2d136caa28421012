"""The page of a run by standard operator: rows that open, problems in words, a full run."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from .browsing import FAILING, ROW, RUN, SIX, Opened, full_page

Scheme = Literal["light", "dark"]
FULL = pytest.mark.long("full page")
VIEWS = tuple(itertools.product((1280, 360), ("light", "dark")))


def test_a_row_opens_into_the_names_of_frameworks(opened: Opened) -> None:
    page = opened()
    row = page.locator("#matrix-table .opener", has_text="CONV_2D").first
    expect(row).to_have_attribute("aria-expanded", "false")
    row.click()
    below = page.locator("#matrix-table tr.below th").all_text_contents()
    assert set(below) == {r.op for r in RUN.results if ROW(r) == "CONV_2D"}
    assert "row=CONV_2D" in page.url
    cell = page.locator("#matrix-table tr.below button.cell").first
    *_, row_name, op = (cell.get_attribute("data-cell") or "").split("/")
    assert row_name == "CONV_2D"
    cell.click()
    expect(page.locator("dialog h2")).to_have_text(op)
    page.reload()
    expect(page.locator("dialog h2")).to_have_text(op)
    page.keyboard.press("Escape")
    page.locator("#matrix-table .opener", has_text="CONV_2D").first.click()
    assert page.locator("#matrix-table tr.below").count() == 0


def test_columns_come_problems_first(opened: Opened) -> None:
    page = opened()
    heads = page.locator("#matrix-table thead tr:first-child th[colspan]").all_text_contents()
    bad = Counter(r.frontend for r in FAILING)
    counts = [bad[name] for name in heads]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0


def test_problems_stand_in_words(opened: Opened) -> None:
    page = opened()
    found = Counter((ROW(r), r.frontend, r.device) for r in FAILING)
    expect(page.locator("#problems-count")).to_contain_text(f"in {len(found)} places")
    row, frontend, device = max(found, key=found.__getitem__)
    first = page.locator("#problems .problem").first
    expect(first).to_contain_text(re.compile(r"\d+ (wrong|crash|error|stale|timeout|memory)"))
    page.locator("#problems .more").click()
    assert page.locator("#problems .problem").count() == len(found)
    place = page.locator(".problem", has_text=f"{frontend} on {device}").locator(f"text={row}")
    expect(place.first).to_be_visible()
    first.click()
    expect(page.locator("dialog")).to_be_visible()
    assert page.locator("dialog .badge.fail").count() > 0


# A full run


@FULL
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_full_run_is_small_and_opens_in_a_second(
    opened: Opened, width: int, scheme: Scheme
) -> None:
    """The best of a few times counts: others may need the machine, too."""
    text = full_page()
    assert len(text.encode()) < 3_000_000
    page = opened(text=text)
    with seen(page, width, scheme):
        assert any(milliseconds_to_open(page) < 1000 for _ in range(5))
        expect(page.locator("h1")).to_have_text("✗6 of 182,500 results fail")
        expect(page.locator("#matrix-count")).to_contain_text("182,500 results")
        expect(page.locator("#failures-count")).to_have_text("6 of 6 failures.")


def milliseconds_to_open(page: Page) -> int:
    """Until the page is there and answers, its tables and plots included."""
    page.reload()
    took = page.evaluate("performance.timing.loadEventEnd - performance.timing.fetchStart")
    assert took > 0
    return int(took)


@contextmanager
def seen(page: Page, width: int, scheme: Scheme) -> Iterator[None]:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    try:
        yield
    finally:
        page.set_viewport_size({"width": 1280, "height": 900})


@FULL
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_six_planted_problems_are_the_six_of_a_full_page(
    opened: Opened, width: int, scheme: Scheme
) -> None:
    """What differs, in which framework, on which device: that takes ten seconds to see."""
    page = opened(text=full_page())
    with seen(page, width, scheme):
        shown = page.locator("#problems .problem")
        texts = shown.evaluate_all("all => all.map(p => [...p.children].map(c => c.innerText))")
        assert {tuple(text[:2]) for text in texts} == {(r, f"{f} on {d}") for r, f, d in SIX}
        for place in shown.all():
            box = place.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= (900 if width == 1280 else 1800)
        shown.first.click()
        card = page.locator("dialog .card", has=page.locator(".badge.fail"))
        expect(card.locator(".why")).to_have_text("0.25 instead of 0.5")
        expect(card.locator(".why")).to_be_in_viewport()
    first = page.locator("#matrix-table tbody th").all_text_contents()[: len(SIX)]
    assert set(first) == {row for row, _, _ in SIX}
