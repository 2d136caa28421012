"""Build what is published, and install the core alone: `python -m ... FOLDER`.

`sources` and `wheels` hold the distributions; each wheel is made from its source distribution.
`core` is an environment with nnadapter and what it requires, and nothing else; `whole` has the
cases and suites too. Nothing is downloaded: what the core requires is linked from the environment
of the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from importlib.metadata import distribution, requires
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECTS = (".", "distributions/conformance")
"""Folders with a pyproject.toml, the core first."""

KEPT = (
    *("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "distributions"),
    *("nnadapter", "nnir", "frontends", "hal", "conformance", "tests"),
)
BUILD = "from setuptools import build_meta; build_meta.build_{}({!r})"


def main(folder: Path) -> None:
    """Fill the folder."""
    for name in ("repository", "sources", "wheels"):
        (folder / name).mkdir()
    copy_repository(folder / "repository")
    for project in PROJECTS:
        build("sdist", folder / "repository" / project, folder / "sources")
    for source in sorted((folder / "sources").glob("*.tar.gz")):
        with tarfile.open(source) as archive:
            archive.extractall(folder / "sources", filter="data")
        build("wheel", source.with_name(source.name.removesuffix(".tar.gz")), folder / "wheels")
    core, cases = sorted((folder / "wheels").glob("*.whl"))
    install(folder / "core", core)
    install(folder / "whole", core, cases)


def copy_repository(folder: Path) -> None:
    """What a build may see, the links as links: a build leaves its folders behind."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "data")
    for name in KEPT:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(path, folder / name)


def build(kind: str, project: Path, folder: Path) -> None:
    """Build a distribution of a project, with the backend that its pyproject.toml names."""
    command = [sys.executable, "-W", "ignore", "-c", BUILD.format(kind, str(folder))]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert not done.returncode, done.stderr[-2000:]


def install(place: Path, *wheels: Path) -> None:
    """Make an environment with wheels, and links to what the core requires."""
    venv.create(place, symlinks=True)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index"]
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # no other nnadapter
    subprocess.run([*pip, "--no-deps", "--quiet", *map(str, wheels)], check=True, env=clean)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    for name in required("nnadapter"):
        for top in {file.parts[0] for file in distribution(name).files or ()} - {"..", "bin"}:
            (site / top).symlink_to(str(distribution(name).locate_file(top)))


def required(name: str) -> set[str]:
    """The distributions that a distribution requires without its extras, and what they require."""
    plain = (r for r in requires(name) or () if ";" not in r)
    names = {re.split(r"[^\w.-]", r)[0] for r in plain}
    return names.union(*map(required, names))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
