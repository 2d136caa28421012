"""Ordering: the largest elements, unique elements."""

from __future__ import annotations
