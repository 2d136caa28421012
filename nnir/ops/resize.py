"""Resizing and sampling at positions."""

from __future__ import annotations
