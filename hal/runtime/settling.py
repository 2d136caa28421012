"""What a program's compilation allocated moves into huge pages, once the program is in use."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from weakref import WeakMethod

import numpy as np

from .. import pages
from .steps import Offers

Compute = Callable[[Sequence[np.ndarray], Offers], list[np.ndarray]]

ENOUGH = 0.5
"""Seconds of calls after which a program is taken to go on running. To move 200 MB takes 70 to 700
ms of another core, once, and calls are two to ten hundredths faster from then on."""

LONGEST = 5.0
"""Seconds after which the rest stays where it is."""


class Settling:
    """Calls `compute`, and moves what is mapped by the end of the first call and was not `before`
    its compilation, once it has run for a while.

    These are the weights that engines pack, some of them while they run first; what other threads
    allocate meanwhile is moved as well. `settled` is called with this when nothing is left to do.
    """

    def __init__(
        self, compute: Compute, before: Sequence[pages.Span], settled: Callable[[Settling], None]
    ) -> None:
        self.compute = compute
        self._before = before
        self._made: list[pages.Span] | None = None
        self._settled = WeakMethod(settled)
        self._seconds = 0.0

    def __call__(self, arrays: Sequence[np.ndarray], outputs: Offers) -> list[np.ndarray]:
        started = time.perf_counter()
        results = self.compute(arrays, outputs)
        self._seconds += time.perf_counter() - started
        if self._made is None:
            self._made = pages.without(pages.own_spans(), self._before)
        elif self._seconds > ENOUGH:
            self._settle(self._made)
        return results

    def _settle(self, made: Sequence[pages.Span]) -> None:
        """Move what was made, once, beside the calls that follow."""
        self._made = []
        settled = self._settled()
        if settled is None:
            return
        settled(self)
        if made:
            threading.Thread(target=pages.collapse, args=(made, LONGEST), daemon=True).start()
