"""Fixtures that several files of tests share, and which tests are run once only."""

from __future__ import annotations

import pytest

from .browsing import opened, tab

__all__ = ["opened", "tab"]

EACH = {"test_case", "test_case_of_open_sizes", "test_model"}
"""One case each, on `builtin` and `onnxruntime`."""

ALL = "test_every_case_does_what_the_ledger_says"
"""All cases of a frontend, on all devices."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where all cases of a frontend are tested at once, they are not tested one by one again."""
    whole = {i.callspec.params["frontend"] for i in items if _named(i) == ALL}  # type: ignore[attr-defined]
    again = [i for i in items if _named(i) in EACH and _frontend_of(i) in whole]
    if again:
        gone = set(again)
        items[:] = [i for i in items if i not in gone]
        config.hook.pytest_deselected(items=again)


def _named(item: pytest.Item) -> str:
    return getattr(item, "originalname", "")


def _frontend_of(item: pytest.Item) -> str:
    """The frontend of a file of cases, such as `test_paddle_legacy_cases.py`."""
    return item.path.stem.removeprefix("test_").removesuffix("_cases").replace("_", "-")
