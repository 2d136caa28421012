"""Linear algebra: factorisations and solutions."""

from __future__ import annotations
