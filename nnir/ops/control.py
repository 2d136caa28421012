"""Control flow over sub-models."""

from __future__ import annotations
