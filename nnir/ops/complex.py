"""Complex numbers."""

from __future__ import annotations
