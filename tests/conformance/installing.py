"""What an installation of a package leaves on the path, and commands that find it there."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def install(folder: Path, points: str) -> None:
    """A package `other` with entry points."""
    about = folder / "other-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(points)


def entry_points(example: Path) -> str:
    """Those of an example, as its installation would write them."""
    project = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    groups = project["entry-points"].items()
    return "".join(
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in rows.items()) for group, rows in groups
    )


def command(
    words: tuple[str, ...], folder: Path, *paths: Path, home: Path
) -> subprocess.CompletedProcess[str]:
    """Run `nnadapter` in a folder `home` with packages from `folder` and `paths` installed."""
    path = os.pathsep.join(map(str, (folder, *paths, ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "NNADAPTER_CACHE": str(folder / "cache")}
    given = [sys.executable, "-m", "nnadapter", *words]
    return subprocess.run(given, cwd=home, env=environment, capture_output=True, text=True)
