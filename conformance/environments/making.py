"""Make an environment: a folder of its own, whole or not there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from nnir import isolation
from nnir.errors import DeviceError
from nnir.staging import temporary_folder

from ..processes.cache_folder import cache_folder
from .recipes import OURS, TYPES, Recipe, find_recipe, pins_of

PYTHON = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
FOLDER = "environments"
PATIENCE = 3600
NEWEST = 6
"""So many versions are named where one is not there."""

ABSENT = "there is no"
"""What begins the message on a version that is not there."""

Say = Callable[[str], None]


def make_environment(text: str, say: Say = lambda line: None) -> Path:
    """The Python of an environment with NAME==VERSION, which is made where it is not there yet.

    `say` is told what takes time. BadInput for a name that nobody knows, DeviceError with the last
    words of pip, or of the framework where it does not open.
    """
    name, version, recipe = find_recipe(text)
    place = folder_of(name, version)
    python = place.joinpath(*PYTHON)
    if python.exists():
        return python
    place.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(place.parent, hidden=True) as folder:
        made = folder / place.name
        say(f"making {place}: {recipe.package} {version} and what it needs")
        _fill(made, name, version, recipe)
        try:
            made.rename(place)
        except OSError:
            if not python.exists():  # else another process was faster
                raise
    return python


def folder_of(name: str, version: str) -> Path:
    """Where the environment of a version is kept."""
    return cache_folder(FOLDER) / f"{name}-{version}"


def list_environments() -> dict[str, dict[str, Path]]:
    """The Pythons of every whole environment, by name and version."""
    found: dict[str, dict[str, Path]] = {}
    for python in sorted(cache_folder(FOLDER).glob("/".join(("[a-z]*", *PYTHON)))):
        name, _, version = python.parents[len(PYTHON) - 1].name.partition("-")
        found.setdefault(name, {})[version] = python
    return found


def _fill(place: Path, name: str, version: str, recipe: Recipe) -> None:
    _run([sys.executable, "-I", "-m", "venv", str(place)], f"no environment in {place}")
    python = str(place.joinpath(*PYTHON))
    pip = [python, "-I", "-m", "pip", "install", "--quiet", "--no-input"]
    pip += ["--disable-pip-version-check", "--prefer-binary"]
    wanted = ["numpy", *recipe.beside, *(OURS if recipe.device else ()), *pins_of(name, version)]
    _install_one(pip, numbers_for_pip(version, recipe), wanted, recipe)
    _run([*pip, "--no-deps", "--upgrade", TYPES], f"{TYPES} is not installed")
    _link_ours(python)
    for module in recipe.workers:
        command = [python, "-W", "ignore", "-c", f"import {module}"]
        _run(command, f"{recipe.package} {version} is installed, but {module} does not open")


def _install_one(
    pip: Sequence[str], numbers: Sequence[str], wanted: Sequence[str], recipe: Recipe
) -> None:
    """Install the first of some numbers of a version that there is; DeviceError for the last."""
    where = ["--extra-index-url", recipe.index, "--retries", "1"] if recipe.index else []
    for left, number in enumerate(numbers, 1 - len(numbers)):
        command = [*pip, *where, f"{recipe.package}=={number}", *wanted]
        try:
            _run(command, f"{recipe.package} {number} is not installed")
        except DeviceError as error:
            if not left or ABSENT not in str(error):
                raise
        else:
            return


def numbers_for_pip(version: str, recipe: Recipe) -> tuple[str, ...]:
    """A version as pip is asked for it, one after the other: that without CUDA first, unless it
    says another. With CUDA it takes gigabytes, and answers alike on the processor."""
    is_plain = bool(recipe.index) and "+" not in version
    return (f"{version}+cpu", version) if is_plain else (version,)


def _link_ours(python: str) -> None:
    """Let an environment import this project's packages, and find its devices, where they lie."""
    asking = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(_run([python, "-I", "-c", asking], "no folder for packages").strip())
    for name in isolation.PACKAGES:
        (site / name).symlink_to(isolation.HOME / name, target_is_directory=True)
    try:
        place = Path(str(distribution("nnadapter").locate_file("")))
    except PackageNotFoundError:
        return
    for folder in place.glob("nnadapter*.*-info"):
        (site / folder.name).symlink_to(folder, target_is_directory=True)


def _run(command: Sequence[str], wrong: str) -> str:
    """What a command prints; DeviceError, in one line, where it fails."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=kept
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise DeviceError(f"{wrong}: {error}") from None
    if done.returncode:
        raise DeviceError(f"{wrong}: {shorten(done.stderr or done.stdout)}")
    return done.stdout


def shorten(text: str) -> str:
    """What pip or Python says last, in one line; of the versions that there are the newest."""
    absent = re.search(r"requirement (\S+) \(from versions: ([^)]*)\)", text)
    if absent is not None:
        released = [v for v in absent[2].split(", ") if re.fullmatch(r"[\d.]+(\+\w+)?", v)]
        newest = ", ".join(released[: -NEWEST - 1 : -1]) or "none"
        return f"{ABSENT} {absent[1]} for this Python; the newest are {newest}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["no message"])[-1].removeprefix("ERROR: ")


def tell_next(text: str, python: Path) -> str:
    """What to do with an environment, as commands."""
    name, _, recipe = find_recipe(text)
    path = shlex.quote(str(python))
    said = [
        f"nnadapter conform --frontend {f} --origin {f}={path} --json {name}.json"
        for f in recipe.frontends
    ]
    if recipe.device:
        mine = shlex.quote(sys.executable)
        said.append(
            f"{path} -m nnadapter conform --device {recipe.device} --frontend onnx "
            f"--origin onnx={mine} --json {name}.json"
        )
    return "\n".join([*said, "nnadapter report --diff OLD.json NEW.json"])
