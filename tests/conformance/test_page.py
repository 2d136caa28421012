"""The HTML page of a run, in a real browser without a window."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from conformance.judging.result import GAPS, LIMIT, PASS, SKIP, Run
from conformance.reports import against, summary
from conformance.reports import page as report
from nnir.errors import BadFile, Unsupported

from .browsing import (
    FAILING,
    ROW,
    RUN,
    Opened,
    expected,
    failures,
    names,
    places,
)
from .test_reports import make_run, result

# Counts


def test_headline_and_counts(opened: Opened) -> None:
    page = opened()
    expect(page).to_have_title(re.compile(f"{len(FAILING)} of 600 results fail"))
    expect(page.locator("h1")).to_contain_text(f"{len(FAILING)} of 600 results fail")
    shown = {
        tile.get_attribute("data-verdict"): int(tile.locator("b").inner_text())
        for tile in page.locator(".tile").all()
    }
    assert shown == {**dict.fromkeys(shown, 0), **RUN.counts}
    assert page.get_attribute("html", "lang") == "en"
    for (frontend, device), counts in summary.totals(RUN.results).items():
        total = page.locator(f'.total[data-frontend="{frontend}"][data-device="{device}"]')
        expect(total).to_contain_text(f"{counts[PASS]} pass")


def test_the_matrix_counts_every_result(opened: Opened) -> None:
    page = opened()
    assert places(page) == expected(RUN.results)
    expect(page.locator("#matrix-count")).to_contain_text("600 results")
    assert failures(page) == names(FAILING)


def test_a_cell_says_it_in_signs_too(opened: Opened) -> None:
    page = opened()
    for kind, sign in (("pass", "✓"), ("limit", "~"), ("fail", "✗")):
        for text in page.locator(f".box .cell.{kind}").all_text_contents():
            assert text.startswith(sign)


def test_rows_come_problems_first_or_by_name(opened: Opened) -> None:
    page = opened()
    head = page.locator("#matrix-table thead button")
    rows = page.locator("#matrix-table tbody th")
    worst = Counter(map(ROW, FAILING)).most_common(1)[0][1]
    first = rows.first.inner_text()
    assert sum(ROW(r) == first for r in FAILING) == worst
    head.click()
    found = rows.all_text_contents()
    assert found == sorted(found, key=str.lower)
    assert "order=name" in page.url


def test_a_run_without_failures(opened: Opened) -> None:
    run = Run([r for r in RUN.results if not r.fails])
    page = opened(run)
    expect(page.locator("h1")).to_contain_text("Nothing fails")
    expect(page.locator("#failures-count")).to_have_text("Nothing failed.")
    assert page.locator("#failures .card").count() == 0


def test_an_empty_run(opened: Opened) -> None:
    page = opened(Run())
    expect(page.locator("h1")).to_contain_text("Nothing was run")


# Filters


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("frontend", "paddle-legacy"),
        ("device", "onnxruntime"),
        ("suite", "opinfo"),
        ("verdict", "wrong"),
        ("verdict", LIMIT),
    ],
)
def test_filters(opened: Opened, key: str, value: str) -> None:
    page = opened()
    page.select_option(f"#{key}", value)
    mine = [r for r in RUN.results if getattr(r, key) == value]
    assert places(page) == expected(mine)
    assert failures(page) == names([r for r in mine if r.fails])
    slow = [r for r in summary.slowest(RUN.results) if getattr(r, key) == value]
    assert page.locator("#slowest tbody tr:visible").count() == len(slow)
    assert f"{key}={value}" in page.url
    page.click("text=Clear")
    assert places(page) == expected(RUN.results)
    assert page.locator("#slowest tbody tr:visible").count() == 50


def test_failing_is_every_bad_verdict(opened: Opened) -> None:
    page = opened()
    page.select_option("#verdict", "failing")
    assert places(page) == expected(FAILING)


def test_filters_join(opened: Opened) -> None:
    page = opened()
    page.select_option("#frontend", "onnx")
    page.select_option("#suite", "cases")
    page.fill("#q", "conv")
    mine = [
        r
        for r in RUN.results
        if r.frontend == "onnx" and r.suite == "cases" and ROW(r) == "CONV_2D"
    ]
    assert places(page) == expected(mine)


def test_search(opened: Opened) -> None:
    page = opened()
    page.fill("#q", " LEAKY ")
    mine = [r for r in RUN.results if "leaky" in f"{r.op} {ROW(r)}".lower()]
    assert places(page) == expected(mine)
    assert failures(page) == names([r for r in mine if r.fails])
    wanted = FAILING[0]
    page.fill("#q", wanted.case)
    assert wanted.case in failures(page)
    assert {op for op, _, _ in places(page)} == {ROW(wanted)}
    page.fill("#q", "no such thing")
    expect(page.locator("#matrix-count")).to_have_text("No operator is behind this filter.")
    expect(page.locator("#slowest .empty")).to_be_visible()
    assert failures(page) == []


def test_tiles_and_totals_filter(opened: Opened) -> None:
    page = opened()
    tile = page.locator('.tile[data-verdict="wrong"]')
    tile.click()
    expect(tile).to_have_attribute("aria-pressed", "true")
    assert failures(page) == names([r for r in RUN.results if r.verdict == "wrong"])
    tile.click()
    assert failures(page) == names(FAILING)
    page.click('.total[data-frontend="torch"][data-device="builtin"]')
    mine = [r for r in RUN.results if (r.frontend, r.device) == ("torch", "builtin")]
    assert places(page) == expected(mine)


def test_a_link_restores_what_was_seen(opened: Opened) -> None:
    page = opened(hash="#frontend=onnx&device=builtin&q=relu&order=name&dtype=float32")
    mine = [
        r
        for r in RUN.results
        if (r.frontend, r.device) == ("onnx", "builtin") and "relu" in f"{r.op} {ROW(r)}".lower()
    ]
    assert places(page) == expected(mine)
    assert page.input_value("#q") == "relu"
    assert page.input_value("#frontend") == "onnx"
    expect(page.locator('[data-dtype="float32"]')).to_have_attribute("aria-pressed", "true")
    page.evaluate("location.hash = '#frontend=torch'")
    expect(page.locator("#frontend")).to_have_value("torch")
    assert {frontend for _, frontend, _ in places(page)} == {"torch"}


def test_sections_are_linked_without_losing_the_filters(opened: Opened) -> None:
    page = opened(hash="#suite=fuzz")
    page.click("nav >> text=Not supported")
    expect(page.locator("#limits")).to_be_in_viewport()
    assert page.url.endswith("#suite=fuzz")


# Cases


def test_a_cell_opens_its_cases(opened: Opened) -> None:
    page = opened()
    cell = page.locator(".box button.cell.fail").first
    frontend, device, row = (cell.get_attribute("data-cell") or "").split("/")
    cell.click()
    dialog = page.locator("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.locator("h2")).to_have_text(row)
    here = [r for r in RUN.results if (r.frontend, r.device, ROW(r)) == (frontend, device, row)]
    shown = sorted(dialog.locator(".card summary b").all_text_contents())
    assert shown == names([r for r in here if r.verdict != PASS])
    expect(dialog).to_contain_text(f"{Counter(r.verdict for r in here)[PASS]} pass")
    assert "cell=" in page.url
    page.reload()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page).not_to_have_url(re.compile("cell="))


def test_the_keyboard_is_enough(opened: Opened) -> None:
    page = opened()
    page.locator(".box button.cell").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_be_visible()
    page.locator("dialog summary").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog .body").first).to_be_visible()
    page.locator("dialog .close").focus()
    page.keyboard.press("Space")
    expect(page.locator("dialog")).to_be_hidden()


def test_a_cell_of_passes_opens_nothing(opened: Opened) -> None:
    page = opened(hash="#verdict=pass")
    assert page.locator(".box button.cell").count() == 0
    page = opened(hash="#cell=onnx/builtin/NoSuchOperator")
    expect(page.locator("dialog")).to_be_hidden()


def test_a_failure_in_full(opened: Opened) -> None:
    wrong = next(r for r in RUN.results if r.verdict == "wrong")
    page = opened()
    page.fill("#q", wrong.case)
    card = page.locator(".card", has_text=wrong.case).first
    card.locator("summary").click()
    for text in (*wrong.inputs, wrong.got, wrong.want, wrong.row, wrong.command, wrong.reason):
        expect(card).to_contain_text(text)
    expect(card).to_contain_text("at [1, 2]: 0.25 instead of 0.2500001")
    expect(card).to_contain_text("infinite")
    for title, text in (("Reproduce", wrong.command), ("Case, ready to paste", wrong.row)):
        card.get_by_role("button", name=f"Copy: {title}").click()
        expect(page.locator("#said")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == text


def test_limits_and_skips_stand_under_their_reasons(opened: Opened) -> None:
    page = opened()
    for part, verdicts in (("limits", GAPS), ("skipped", (SKIP,))):
        groups = page.locator(f"#{part}-list .group")
        counts = [int(text) for text in groups.locator(".count").all_text_contents()]
        found = {k: r for v in verdicts for k, r in summary.by_reason(RUN.results, v).items()}
        found = dict(sorted(found.items(), key=lambda item: -len(item[1])))
        assert counts == [len(results) for results in found.values()]
        expect(groups.first).to_contain_text(next(iter(found)))
        groups.first.locator("summary").click()
        first = next(iter(found.values()))
        shown = groups.first.locator("tbody th")
        expect(shown).to_have_count(len(first))
        assert sorted(shown.all_text_contents()) == names(first)
    expect(page.locator("#skipped")).to_contain_text("openvino is not installed")


def test_reasons_come_fifty_at_a_time(opened: Opened) -> None:
    page = opened(Run([result(f"case {k}", LIMIT, reason=f"reason {k}") for k in range(120)]))
    groups = page.locator("#limits-list .group")
    more = page.locator("#limits-list .more")
    for shown in (50, 100):
        expect(groups).to_have_count(shown)
        expect(more).to_have_text(f"Show more of the {120 - shown} left")
        more.click()
    expect(groups).to_have_count(120)
    expect(more).to_be_hidden()


def test_slowest(opened: Opened) -> None:
    page = opened()
    shown = page.locator("#slowest tbody th").all_text_contents()
    assert shown == [r.case for r in summary.slowest(RUN.results)]


def test_setup(opened: Opened) -> None:
    page = opened()
    expect(page.locator("#setup")).to_contain_text("2.4.6")
    expect(page.locator("#setup")).to_contain_text("onnx, torch")


def test_the_comparison_with_an_older_run(opened: Opened) -> None:
    older = [replace(r, verdict=PASS, reason="") for r in RUN.results[20:]]
    older[5] = replace(older[5], verdict="wrong", case="only then")
    page = opened(older=Run(older))
    found = against.compare(Run(older), RUN)
    shown = page.locator("#against summary").all_text_contents()
    assert f"{len(found.new_failures)} new failures" in shown[0]
    section = page.locator("#against")
    for summary_line in section.locator("summary").all():
        summary_line.click()
    expect(section).to_contain_text(found.new_failures[0].case)
    expect(section).to_contain_text("only then")


def test_nothing_changed(opened: Opened) -> None:
    expect(opened(older=RUN).locator("#against")).to_contain_text("Nothing changed.")


# Plots


def test_plots_count_what_was_measured(opened: Opened) -> None:
    page = opened()
    for dtype in ("", "float16"):
        page.click(f'[data-dtype="{dtype}"]')
        figure = page.locator("#ulps figure", has_text="onnxruntime")
        mine = [
            r
            for r in RUN.results
            if r.device == "onnxruntime" and r.max_ulp is not None and dtype in ("", r.dtype)
        ]
        good = sum(not r.fails for r in mine)
        expect(figure.locator("figcaption")).to_contain_text(f"{good} passing")
        expect(figure.locator("figcaption")).to_contain_text(f"{len(mine) - good} failing")
        titles = figure.locator("rect title").all_text_contents()
        bars = Counter(
            summary.LABELS[summary.bin_of(r.max_ulp or 0.0)] for r in mine if not r.fails
        )
        assert {f"{k}: {n} passing" for k, n in bars.items()} <= set(titles)
    expect(page.locator("#ratios figure")).to_have_count(2)


# What may be in a name


HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&amp;\u2028\ud800\0"


def test_names_are_text(opened: Opened) -> None:
    bad = result(
        HOSTILE,
        "wrong",
        op=HOSTILE,
        suite=HOSTILE,
        reason=HOSTILE,
        seconds=1.0,
        dtype="<b>",
        row=HOSTILE,
        command=HOSTILE,
        inputs=(HOSTILE,),
        got=HOSTILE,
    )
    more = [replace(bad, verdict=v, case=f"{HOSTILE}{v}") for v in (LIMIT, SKIP, "crash")]
    run = Run([bad, *more], {"<i>": HOSTILE}, {"<i>": HOSTILE}, [{"<i>": HOSTILE}])
    page = opened(run, Run())
    text = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&amp;"
    for place in ("#matrix tbody th", "#failures summary b", "#slowest tbody th", "#setup dd"):
        expect(page.locator(place).first).to_contain_text(text)
    page.locator("#failures summary").first.click()
    page.locator("#limits summary").first.click()
    page.locator(".box button.cell").first.click()
    expect(page.locator("dialog h2")).to_contain_text(text)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


def test_numbers_that_json_lacks(opened: Opened) -> None:
    run = Run([result(verdict="wrong", max_ulp=float("nan"), max_absolute=float("inf"))])
    page = opened(run)
    page.locator("#failures summary").click()
    expect(page.locator("#failures")).to_contain_text("nan")


# How it looks


def test_nothing_is_wider_than_a_phone(opened: Opened) -> None:
    long = replace(FAILING[0], case="x" * 300, reason="y" * 300, command="z" * 300)
    limit = replace(long, verdict=LIMIT, op="o" * 200)
    page = opened(replace(RUN, results=[*RUN.results, long, limit]), Run(RUN.results[9:]))
    open_all = "for (const node of document.querySelectorAll('details')) node.open = true"
    page.evaluate(open_all)
    page.locator(".card", has_text="xxxxx").locator("pre").first.wait_for()
    for width in (360, 390, 768):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("[document.documentElement.scrollWidth, innerWidth]") == [width] * 2
    page.set_viewport_size({"width": 360, "height": 740})
    expect(page.locator("#matrix .box")).to_be_hidden()  # problems are listed in words instead
    expect(page.locator("#problems .problem").first).to_be_visible()
    page.locator("#problems .problem").first.click()
    page.evaluate(open_all)
    assert page.evaluate("document.querySelector('dialog').scrollWidth") <= 360
    page.set_viewport_size({"width": 1280, "height": 900})


CONTRAST = """selectors => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(x => x / 255)
    .map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
    .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
  const paper = node => {
    const found = parts(getComputedStyle(node).backgroundColor);
    return found.length === 4 && found[3] === 0 ? paper(node.parentElement) : found;
  };
  return selectors.map(selector => {
    const node = document.querySelector(selector);
    const [a, b] = [light(parts(getComputedStyle(node).color)), light(paper(node))];
    return [selector, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
}"""
TEXTS = (
    *("body", "h1", ".scope", ".lead", "nav a", "small", ".what", ".filters label span", "#q"),
    *(".box .cell.pass", ".box .cell.fail", ".mark.limit", ".mark.skip", ".badge.fail"),
    *(".tile.pass b", ".tile.limit b", ".tile.fail b", "thead th", "#theme", ".what .fail"),
    *(".problem b", ".problem span", ".problem small"),
)


def look(page: Page) -> dict[str, Any]:
    found = page.evaluate(CONTRAST, TEXTS)
    assert [(name, ratio) for name, ratio in found if ratio < 4.5] == []
    paper = "getComputedStyle(document.body).backgroundColor"
    return {"paper": page.evaluate(paper), "body": dict(found)["body"]}


def test_light_and_dark(opened: Opened) -> None:
    page = opened()
    page.emulate_media(color_scheme="light")
    light = look(page)
    page.emulate_media(color_scheme="dark")
    dark = look(page)
    assert light["paper"] != dark["paper"]
    assert min(light["body"], dark["body"]) >= 7
    button = page.locator("#theme")
    expect(button).to_have_text("Light")
    button.click()
    expect(button).to_have_text("Dark")
    assert look(page) == light
    assert page.evaluate("localStorage.getItem('nnadapter-theme')") == "light"
    page.evaluate("localStorage.clear()")


def test_a_theme_is_kept(opened: Opened) -> None:
    """What a tab stores reaches the next one some time later, so it is set in the same one."""
    page = opened()
    later = page.context.new_page()
    later.add_init_script("localStorage.setItem('nnadapter-theme', 'dark')")
    later.emulate_media(color_scheme="light")
    later.goto(page.url)
    expect(later.locator("#theme")).to_have_text("Light")
    expect(later.locator("html")).to_have_attribute("data-theme", "dark")
    later.evaluate("localStorage.clear()")
    later.close()


# Size


def test_what_has_no_room_is_counted(opened: Opened) -> None:
    long = [
        result(f"case {k}", "wrong", got="g" * 9000, want="<" * 9000, row="r" * 9000)
        for k in range(1000)
    ]
    page = opened(Run(long))
    assert Path(page.url.removeprefix("file://")).stat().st_size < 3_000_000
    note = page.locator("#failures-count")
    expect(note).to_contain_text("of 1,000 failures.")
    expect(note).to_contain_text("for which this page has no room are in the JSON report")
    expect(page.locator("#matrix-count")).to_contain_text("1,000 results")


def test_half_a_row_is_no_row() -> None:
    (case,) = report.data_of(Run([result(verdict="wrong", row="r" * 50_000)]))["cases"]
    assert "row" not in case[-1]


# Files


def test_the_page_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot write"):
        report.write(RUN, tmp_path / "none" / "page.html")
    report.write(RUN, tmp_path / "page.html")
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_equal_runs_give_equal_pages() -> None:
    assert report.render(make_run(100)) == report.render(make_run(100))


def test_without_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(Unsupported, match=r"pip install 'nnadapter\[report\]'"):
        report.render(RUN)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 ms"),
        (0.0421, "42 ms"),
        (1.25, "1.2 s"),
        (201.5, "3 min 21 s"),
        (7290, "2 h 2 min"),
        (float("nan"), "nan s"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert report.duration(seconds) == text
