"""Logical and bitwise operators."""

from __future__ import annotations
