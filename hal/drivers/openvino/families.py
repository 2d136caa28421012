"""All lowerings in one table."""

from __future__ import annotations

from ...lowering import LateLowerings
from .emitter import Ref

LOWERINGS = LateLowerings[Ref](__package__)
