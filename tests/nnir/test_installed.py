"""Entry points of installed packages, read as importlib.metadata reads them."""

from __future__ import annotations

import sys
from importlib.metadata import distributions, entry_points, version
from pathlib import Path

import pytest

from nnir.installed import EntryPoint, points, version_of, version_of_provider

POINTS = """
# a remark
[nnadapter.made]
second = made_package.inner:Class.member [extra]
first=made_package
[console_scripts]
other = made_package:main
"""


def install(place: Path, folder: str, text: str) -> None:
    about = place / folder
    about.mkdir(parents=True)
    (about / "entry_points.txt").write_text(text)


@pytest.mark.parametrize("group", ["nnadapter.frontends", "nnadapter.devices", "nnadapter.plugins"])
def test_they_are_those_of_the_standard_library(group: str) -> None:
    wanted = {(p.name, p.value) for p in entry_points(group=group)}
    assert {(p.name, p.value) for p in points(group)} == wanted


def test_lines_and_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "a", "made_package-1.0.dist-info", POINTS)
    install(tmp_path / "b", "Made.Package-2.0.dist-info", "[nnadapter.made]\nhidden = x\n")
    install(tmp_path / "b", "another.egg-info", "[nnadapter.made]\nthird = os.path:join\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / n) for n in ("absent", "a", "b")])
    found = sorted(points("nnadapter.made"))
    assert [p.name for p in found] == ["first", "second", "third"]
    assert [p.module for p in found] == ["made_package", "made_package.inner", "os.path"]
    assert found[2].load() is __import__("os").path.join
    assert {(p.name, p.value) for p in entry_points(group="nnadapter.made")} == {
        (p.name, p.value) for p in found
    }


def test_archives_and_other_finders_are_asked_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed-1.0.dist-info/METADATA", "Name: packed\nVersion: 1.0\n")
        archive.writestr("packed-1.0.dist-info/entry_points.txt", "[nnadapter.made]\nzipped = os\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packed.zip"), *sys.path])
    assert points("nnadapter.made") == [EntryPoint("zipped", "os", "nnadapter.made")]


def test_versions() -> None:
    assert version_of("numpy") == version("numpy") == version_of("NumPy")
    for package in {found.metadata["Name"] for found in distributions()}:
        assert version_of(package) == version(package), package
    assert version_of("no-such-package") is None


def test_a_module_may_come_from_another_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As onnxruntime does from onnxruntime-gpu, which caches of its programs depend on."""
    about = tmp_path / "engine_gpu-7.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: engine-gpu\nVersion: 7.1\n\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    owners = {"engine": ["engine-gpu", "engine-gpu"]}
    monkeypatch.setattr("importlib.metadata.packages_distributions", lambda: owners)
    version_of_provider.cache_clear()
    assert version_of_provider("engine") == "engine-gpu 7.1"
    assert version_of_provider("engine-gpu") == "7.1"
    assert version_of_provider("numpy") == version("numpy")
    assert version_of_provider("no-such-package") is None
