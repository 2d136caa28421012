"""Attention and its parts."""

from __future__ import annotations

from ...lowering import Lowerings
from .emitter import Ref

table = Lowerings[Ref]()
