"""Fixtures that several files of tests share, and which tests are run once only."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import ledger

from .browsing import opened, tab

__all__ = ["opened", "tab"]

TESTS = Path(__file__).parents[1]

EACH = {"test_case", "test_case_of_open_sizes", "test_model"}
"""One case each, on `builtin` and `onnxruntime`."""

ALL = "test_every_case_does_what_the_ledger_says"
"""All cases of a frontend, on all devices."""


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Item] | None:
    """Where everything is run, what would be left out at once is not listed: it is a half of all
    tests, and each process lists them."""
    if name in EACH and callable(obj) and is_whole_run(collector.config):
        return [] if frontend_of(collector.path) in ledger.FRONTENDS else None
    return None


def is_whole_run(config: pytest.Config) -> bool:
    """Whether the tests of all cases at once are among those that are run."""
    chooses = config.option.keyword or config.option.markexpr or config.option.deselect
    return not chooses and [Path(a).resolve() for a in config.args] == [TESTS]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where all cases of a frontend are tested at once, they are not tested one by one again."""
    whole = {i.callspec.params["frontend"] for i in items if _named(i) == ALL}  # type: ignore[attr-defined]
    again = [i for i in items if _named(i) in EACH and frontend_of(i.path) in whole]
    if again:
        gone = set(again)
        items[:] = [i for i in items if i not in gone]
        config.hook.pytest_deselected(items=again)


def _named(item: pytest.Item) -> str:
    return getattr(item, "originalname", "")


def frontend_of(path: Path) -> str:
    """The frontend of a file of cases, such as `test_paddle_legacy_cases.py`."""
    return path.stem.removeprefix("test_").removesuffix("_cases").replace("_", "-")
