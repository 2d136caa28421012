"""Attention and its parts."""

from __future__ import annotations
