"""All lowerings in one table."""

from __future__ import annotations

from ...lowering import LateLowerings
from .emitter import Result

LOWERINGS = LateLowerings[Result](__package__)
