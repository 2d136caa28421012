"""Operators of this family are decomposed: torch has none of them."""

from __future__ import annotations

from ...lowering import Lowerings
from .emitter import Result

table = Lowerings[Result]()
