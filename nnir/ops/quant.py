"""Quantisation."""

from __future__ import annotations
