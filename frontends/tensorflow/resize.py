"""TensorFlow's resampling of images."""

from __future__ import annotations

from ..table import Table

table = Table()
