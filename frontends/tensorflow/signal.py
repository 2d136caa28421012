"""TensorFlow's Fourier transforms."""

from __future__ import annotations

from ..table import Table

table = Table()
