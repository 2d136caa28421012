"""Modules that are imported when something of them is first asked for."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = """
from nnir.deferred import deferring
__getattr__ = deferring(__name__)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package whose one module is deferred."""
    folder = tmp_path / "late_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "part.py").write_text("LIMIT = 1\ndef double():\n    return 2 * LIMIT\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "late_package"
    for name in [n for n in sys.modules if n.startswith("late_package")]:
        del sys.modules[name]


def test_module_is_imported_when_something_of_it_is_asked_for(package: str) -> None:
    from late_package import part

    assert "late_package.part" not in sys.modules
    assert part.double() == 2
    assert "late_package.part" in sys.modules


def test_stand_in_says_what_the_module_has(package: str) -> None:
    from late_package import part

    assert {"LIMIT", "double"} <= set(vars(part))
    with pytest.raises(AttributeError, match=r"late_package\.part"):
        part.missing  # noqa: B018


def test_what_is_set_is_set_in_the_module(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from late_package import part

    with monkeypatch.context() as changed:
        changed.setattr(part, "LIMIT", 3)
        assert part.double() == 6
    assert part.double() == 2
    assert part.LIMIT == 1


def test_what_is_no_module_is_no_attribute(package: str) -> None:
    import late_package

    with pytest.raises(AttributeError, match="'other'"):
        late_package.other  # noqa: B018
    with pytest.raises(ImportError):
        from late_package import other  # noqa: F401


def test_import_by_name_is_at_once(package: str) -> None:
    from late_package.part import LIMIT

    assert LIMIT == 1
    import late_package

    assert late_package.part is sys.modules["late_package.part"]
