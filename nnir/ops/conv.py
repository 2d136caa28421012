"""Convolutions."""

from __future__ import annotations
