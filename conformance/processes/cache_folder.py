"""The folder where answers and environments are kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "NNADAPTER_CACHE"


def cache_folder(name: str) -> Path:
    """A folder of the user's caches; `NNADAPTER_CACHE` names another place for all of them."""
    import platformdirs

    root = os.environ.get(VARIABLE)
    return Path(root or platformdirs.user_cache_dir("nnadapter", appauthor=False)) / name
