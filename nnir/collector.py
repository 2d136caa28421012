"""The cycle collector while a model is read or modules are imported."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


@contextmanager
def paused_collector() -> Iterator[None]:
    """Many objects and no garbage: the cycle collector would only walk over them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_frozen_by_others = False


def import_paused(name: str) -> ModuleType:
    """Import a module, whose objects stay: the collector would walk over all that are there.

    What there is then counts as old, without a walk over it: of a first result two thirds are
    modules. Whoever has frozen objects keeps them so.
    """
    if name in sys.modules:
        return import_module(name)
    with paused_collector():
        found = import_module(name)
        _make_old()
        return found


def _make_old() -> None:
    """Let all objects be of the oldest generation. Those that others have frozen are counted one by
    one, so nobody asks again."""
    global _frozen_by_others
    _frozen_by_others = _frozen_by_others or bool(gc.get_freeze_count())
    if not _frozen_by_others:
        gc.freeze()
        gc.unfreeze()
