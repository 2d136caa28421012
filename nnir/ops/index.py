"""Taking and putting elements by position."""

from __future__ import annotations
