"""What goes away says so, and is gone when its version has come."""

from __future__ import annotations

import re
import tomllib
import warnings
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from nnadapter.cli import main
from nnadapter.deprecations import (
    DEPRECATIONS,
    Deprecation,
    deprecate,
    find_expired,
    find_row,
    numbers_of,
    warn_of,
)

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
ROW = Deprecation("nna.old", "0.2.0", "0.4.0", "nna.new")
SAID = "nna.old is deprecated since nnadapter 0.2.0 and is removed in 0.4.0: use nna.new"


def test_none_has_outlived_its_version() -> None:
    assert find_expired(VERSION) == [], f"remove them: this is {VERSION}"


def test_each_is_announced_long_enough() -> None:
    """Two minor versions, or one major: docs/versioning.md."""
    assert len({row.name for row in DEPRECATIONS}) == len(DEPRECATIONS)
    for row in DEPRECATIONS:
        since, gone = numbers_of(row.since), numbers_of(row.removed_in)
        assert gone[0] > since[0] or gone[1] >= since[1] + 2, row.name
        assert row.instead


def test_the_changelog_names_each() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert [row.name for row in DEPRECATIONS if row.name not in text] == []


def test_a_function_warns_its_caller() -> None:
    @deprecate("nna.old", [ROW])
    def old(x: int) -> int:
        """Kept."""
        return x + 1

    with pytest.warns(DeprecationWarning, match=re.escape(SAID)) as seen:
        assert old(1) == 2
    assert seen[0].filename == __file__
    assert (old.__name__, old.__doc__) == ("old", "Kept.")


def test_an_option_warns_the_caller_of_its_function() -> None:
    def function() -> None:
        warn_of("nna.old", [ROW])

    with pytest.warns(DeprecationWarning, match=re.escape(SAID)) as seen:
        function()
    assert seen[0].filename == __file__


def test_the_command_line_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def old() -> None:
        """Kept for a while."""
        warn_of("nna.old", [ROW])

    monkeypatch.setitem(main.commands, "old", old)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as Python does
        done = CliRunner().invoke(main, ["old"])
    assert (done.exit_code, done.stderr) == (0, f"warning: {SAID}\n")


@pytest.mark.parametrize(
    ("version", "rows"), [("0.3.9", []), ("0.4.0", [ROW]), ("0.10.0", [ROW]), ("1.0.0", [ROW])]
)
def test_expiry(version: str, rows: list[Deprecation]) -> None:
    assert find_expired(version, [ROW]) == rows


def test_a_name_without_a_row_is_a_mistake_of_ours() -> None:
    with pytest.raises(LookupError, match=r"'nna\.older' has no row"):
        find_row("nna.older")
