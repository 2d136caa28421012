"""Fixtures that several files of tests share, and which tests are run once only."""

from __future__ import annotations

import os

import pytest

from .browsing import opened, tab
from .judging import LINES

__all__ = ["opened", "tab"]

EACH = {"test_case", "test_case_of_open_sizes", "test_model"}
"""One case each, on `builtin` and `onnxruntime`."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where `test_devices` runs all cases on all devices, to see which lines run, it tests the same
    as these."""
    if not os.environ.get(LINES):
        return
    again = [i for i in items if _is_case(i)]
    if again:
        gone = set(again)
        items[:] = [i for i in items if i not in gone]
        config.hook.pytest_deselected(items=again)


def _is_case(item: pytest.Item) -> bool:
    name = getattr(item, "originalname", "")
    return name in EACH and item.path.stem.endswith("_cases")
