"""Comparisons and selection by a mask."""

from __future__ import annotations
