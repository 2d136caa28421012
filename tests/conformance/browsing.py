"""A browser without a window for the page of a run, and what the page shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from conformance.judging.result import PASS, Result, Run
from conformance.reports import against, summary
from conformance.reports import page as report

from .test_reports import make_run

RUN = make_run()
FAILING = RUN.failures
ROW = summary.row_names(RUN.results)

Opened = Callable[..., Page]


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Page:
    """One tab for all tests, each of which opens a file of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(10_000)
    return context.new_page()


@pytest.fixture
def opened(tab: Page, tmp_path: Path) -> Iterator[Opened]:
    """Opens the page of a run; fails when the page complains or asks for anything."""
    heard: list[str] = []
    path = tmp_path / "page.html"
    listeners: dict[str, Callable[[Any], None]] = {
        "console": lambda message: heard.append(message.text),
        "dialog": lambda dialog: (heard.append(dialog.message), dialog.dismiss()),
        "pageerror": lambda error: heard.append(str(error)),
        "request": lambda request: heard.append(request.url) if is_foreign(request.url) else None,
    }

    def is_foreign(url: str) -> bool:
        return not url.startswith((path.as_uri(), "data:"))

    def open_run(run: Run = RUN, older: Run | None = None, hash: str = "", text: str = "") -> Page:
        if text or (run is RUN and older is None):
            path.write_text(text or plain_page(), encoding="utf-8")
        else:
            report.write(run, path, None if older is None else against.compare(older, run))
        tab.goto(path.as_uri() + hash)
        return tab

    for event, listener in listeners.items():
        tab.on(event, listener)
    yield open_run
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    assert heard == []


@cache
def plain_page() -> str:
    return report.render(RUN)


SIX = (
    *(("ERF", "onnx", "builtin"), ("RELU", "torch", "onnxruntime"), ("GRU", "onnx", "openvino")),
    *(("MAT_MUL", "paddle", "builtin"), ("CONV_2D", "tflite", "litert")),
    ("LEAKY_RELU", "tensorflow", "torch"),
)
"""What is wrong in `full_page`: standard operators, frameworks and devices."""


@cache
def full_page() -> str:
    """The page of 182,500 results, as many as all frameworks have on five devices, with `SIX`."""
    results = [
        replace(r, suite="cases", device=device, op=f"{r.op}-{k % 113}", reason=f"{r.reason} {k}")
        for k, r in enumerate(make_run(36_500, failing=0).results)
        for device in ("builtin", "onnxruntime", "openvino", "torch", "litert")
    ]
    passing = {
        (r.subject, r.frontend, r.device): k for k, r in enumerate(results) if r.verdict == PASS
    }
    for k in map(passing.__getitem__, SIX):
        results[k] = replace(results[k], verdict="wrong", reason="0.25 instead of 0.5")
    return report.render(Run(results))


def places(page: Page) -> dict[tuple[str, str, str], Counter[str]]:
    """What the matrix shows: counts by standard operator, framework and device."""
    found = {}
    for title in page.eval_on_selector_all(".box .cell", "cells => cells.map(c => c.title)"):
        op, frontend, device, counts = re.fullmatch(r"(.*), (\S+) on (\S+): (.*)", title).groups()
        pairs = (text.split() for text in counts.split(", "))
        found[op, frontend, device] = Counter({verdict: int(n) for n, verdict in pairs})
    return found


def expected(results: list[Result]) -> dict[tuple[str, str, str], Counter[str]]:
    found: dict[tuple[str, str, str], Counter[str]] = {}
    for r in results:
        found.setdefault((ROW(r), r.frontend, r.device), Counter())[r.verdict] += 1
    return found


def failures(page: Page) -> list[str]:
    while (more := page.locator("#failures .more")).is_visible():
        more.click()
    return sorted(page.locator("#failures .card summary b").all_text_contents())


def names(results: list[Result]) -> list[str]:
    return sorted(r.case for r in results)
