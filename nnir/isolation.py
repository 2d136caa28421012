"""How a process is started that sees files of a user: nothing is imported from where they lie."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Sequence
from pathlib import Path

from .sandbox import NO_LIMITS

HOME = Path(__file__).parents[1]
"""Where the packages of this project lie: a checkout, or the site's packages."""

CACHES = {
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "MPLCONFIGDIR": "matplotlib",
    "KERAS_HOME": "keras",
    "HF_HOME": "huggingface",
    "TORCH_HOME": "torch",
    "TORCHINDUCTOR_CACHE_DIR": "inductor",
    "TRITON_CACHE_DIR": "triton",
    "TORCH_EXTENSIONS_DIR": "extensions",
    "PADDLE_EXTENSION_DIR": "paddle",
}
"""Where frameworks write for themselves, and the part of a process's own folder that is for it."""


SANDBOX = str(HOME / "nnir" / "sandbox.py")


PACKAGES = ("nnadapter", "conformance", "frontends", "hal", "nnir")
"""What another interpreter needs of this project."""

REFUSED = frozenset({"ORT_LOAD_CONFIG_FROM_MODEL"})
"""What lets a framework take its options from a model."""


def command(
    module: str,
    *arguments: str,
    python: str = sys.executable,
    folders: Sequence[str] | None = None,
) -> list[str]:
    """The command that runs a module; the current folder is no place to import from (`-P`).

    `folders`: it can write there and nowhere else, see `sandbox`; None sets no such limit.
    """
    limits = NO_LIMITS if folders is None else os.pathsep.join(folders)
    return [python, "-P", "-W", "ignore", SANDBOX, limits, module, *arguments]


def environment(folder: str, python: str = sys.executable) -> dict[str, str]:
    """The environment of a process whose own folder is `folder`: what it writes goes there.

    It reads the bytecode that lies beside modules, as a framework takes three times as long to
    import without, and writes none. Another interpreter `python` finds our packages and none that
    were installed with them: it has its own.
    """
    caches = {name: os.path.join(folder, part) for name, part in CACHES.items()}
    entries = search_path(is_folder_trusted=False)
    if python != sys.executable:
        entries = [link_packages(Path(folder) / "packages"), *entries[1:]]
    path = os.pathsep.join(entries)
    home = {"HOME": folder, "PYTHONUSERBASE": site.getuserbase(), "PYTHONDONTWRITEBYTECODE": "1"}
    kept = {k: v for k, v in os.environ.items() if k not in REFUSED}
    return {**kept, **home, **caches, "TMPDIR": folder, "PYTHONPATH": path}


def search_path(*, is_folder_trusted: bool) -> Sequence[str]:
    """The entries of PYTHONPATH for another process: absolute ones, whatever folder is current.

    The current folder is left out, by whatever name, unless it `is_folder_trusted`: it may be a
    repository that somebody has downloaded, with a `keras.py` in it.
    """
    here = os.path.realpath(os.curdir)
    entries = [e for e in os.environ.get("PYTHONPATH", "").split(os.pathsep) if e]
    if is_folder_trusted:
        kept = [os.path.abspath(e) for e in entries]
    else:
        kept = [e for e in entries if os.path.isabs(e) and os.path.realpath(e) != here]
    return list(dict.fromkeys([str(HOME), *kept]))


def link_packages(folder: Path) -> str:
    """A folder with our packages alone, made of links."""
    folder.mkdir()
    for name in PACKAGES:
        (folder / name).symlink_to(HOME / name, target_is_directory=True)
    return str(folder)
