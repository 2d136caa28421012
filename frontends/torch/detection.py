"""ATen detection operators of torchvision."""

from __future__ import annotations

from ..table import Table

table = Table()
