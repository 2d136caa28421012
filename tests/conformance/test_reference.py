"""The operator reference says what definitions and ledgers say."""

from __future__ import annotations

from conformance import ledger
from conformance.reference import describe, family_pages, split_docstring, tally
from conformance.running.choosing import sources_of
from conformance.tables import device_tables
from nnir.ops import activation, conv, index, sort


def test_an_operator_is_described() -> None:
    text = describe(conv.conv_2d, device_tables())
    for part in (
        "## CONV_2D { #conv_2d }",
        "Code 14, the standard, v1.",
        "    auto_pad: AutoPad = AutoPad.NONE,",
        "- **Edges**: auto\\_pad SAME gives",
        "| `group` | `int` | `1` | how many groups of channels do not see each other;",
        "| ONNX | `Conv`",
        "| `builtin` | its reference |",
    ):
        assert part in text, part


def test_extensions_say_how_the_standard_has_them() -> None:
    devices = device_tables()
    assert "In the standard's operators alone: exact" in describe(index.gather_nd, devices)
    assert "alone: not possible: its result has a size" in describe(sort.unique, devices)
    assert "operators alone" not in describe(activation.relu, devices)


def test_every_case_of_the_ledgers_is_counted_once() -> None:
    origins = {name: sources_of("SOFTMAX", name) for name in ledger.FRONTENDS}
    cases = sum(rows.count for ops in origins.values() for rows in ops.values())
    assert cases > 50
    for device in ledger.DEVICES:
        found = tally(origins, device)
        assert found.passed + sum(found.others.values()) == cases


def test_rows_with_exceptions_are_counted_by_case() -> None:
    rows = ledger.parse(
        "Op 5 00000000  litert: refused NoLowering; standard: NEG\n"
        "  Op-a  litert: pass -NEG\n  Op-b  litert,torch: limit\n"
    )
    found = tally({"onnx": rows}, "litert")
    assert (found.passed, found.decomposed) == (1, 1)
    assert found.others == {"refused (NoLowering)": 3, "known limit": 1}
    assert tally({"onnx": rows}, "torch").passed == 4


def test_sections_of_a_docstring() -> None:
    summary, *sections = split_docstring(
        "Do it.\n\nAll of it.\n\nTypes: any;\n    more.\nEdges: no."
    )
    assert summary == "Do it.\n\nAll of it."
    assert sections == [("Types", "any; more."), ("Edges", "no.")]


def test_a_page_for_each_family() -> None:
    pages = family_pages()
    assert {"reference.md", "reference/conv.md", "reference/index.md"} <= set(pages)
    assert "[CONV_2D](reference/conv.md#conv_2d)" in pages["reference.md"]
