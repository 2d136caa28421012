"""All lowerings in one table."""

from __future__ import annotations

from ...lowering import Lowerings
from .emitter import Ref

LOWERINGS = Lowerings[Ref].of_package(__package__)
