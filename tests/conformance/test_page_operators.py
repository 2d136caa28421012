"""The page of a run by standard operator: rows that open, and problems in words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from playwright.sync_api import expect

from conformance.judging.result import PASS, Run

from .browsing import FAILING, ROW, RUN, Opened
from .test_reports import make_run


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


def test_six_planted_problems_are_the_six_of_the_page(opened: Opened) -> None:
    """In a large run, at both widths, in light and dark: the operators, frameworks and devices."""
    planted = [
        *(("ERF", "onnx", "builtin"), ("RELU", "torch", "onnxruntime"), ("GRU", "onnx", "builtin")),
        *(("MAT_MUL", "paddle", "builtin"), ("CONV_2D", "tflite", "onnxruntime")),
        ("LEAKY_RELU", "tensorflow", "onnxruntime"),
    ]
    large = make_run(20_000, failing=0).results
    for row, frontend, device in planted:
        place = next(
            k
            for k, r in enumerate(large)
            if (r.subject, r.frontend, r.device, r.verdict) == (row, frontend, device, PASS)
        )
        large[place] = replace(large[place], verdict="wrong", reason="0.25 instead of 0.5")
    page = opened(Run(large))
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            shown = page.locator("#problems .problem")
            texts = shown.evaluate_all("all => all.map(p => [...p.children].map(c => c.innerText))")
            assert {tuple(text[:2]) for text in texts} == {
                (r, f"{f} on {d}") for r, f, d in planted
            }
            assert shown.first.evaluate("p => p.getBoundingClientRect().width") <= width
    page.set_viewport_size({"width": 1280, "height": 900})
    first = page.locator("#matrix-table tbody th").all_text_contents()[:6]
    assert set(first) == {row for row, _, _ in planted}
