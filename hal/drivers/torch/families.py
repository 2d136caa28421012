"""All lowerings in one table."""

from __future__ import annotations

from ...lowering import Lowerings
from .emitter import Result

LOWERINGS = Lowerings[Result].of_package(__package__)
