"""Packages that are installed: what that leaves on the path, and environments of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Home:
    """A folder with an environment of its own, `own`, and the frameworks of the tests in it."""

    folder: Path

    @classmethod
    def with_package(cls, folder: Path, example: Path) -> Home:
        """An environment in which pip has installed a package."""
        own = folder / "own"
        venv.create(own, symlinks=True)
        site = Path(sysconfig.get_path("purelib", vars={"base": str(own)}))
        shared = [sysconfig.get_path("purelib"), str(ROOT)]
        rows = [f"import site; site.addsitedir({place!r})" for place in shared]
        (site / "frameworks.pth").write_text("\n".join(rows))
        source = shutil.copytree(example, folder / "source")  # a build leaves folders behind
        pip = [sys.executable, "-m", "pip", "--python", str(own / "bin" / "python"), "install"]
        pip += ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", str(source)]
        done = subprocess.run(pip, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return cls(folder)

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the interpreter of the environment in the folder."""
        clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        clean |= {"TF_CPP_MIN_LOG_LEVEL": "3", "GLOG_minloglevel": "3"}
        return subprocess.run(
            [str(self.folder / "own" / "bin" / "python"), "-W", "ignore", *words],
            cwd=self.folder,
            env={**clean, "NNADAPTER_CACHE": str(self.folder / "cache")},
            capture_output=True,
            text=True,
        )

    def nnadapter(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of nnadapter there."""
        return self.python("-m", "nnadapter", *words)
