"""Object detection."""

from __future__ import annotations
