"""What several frameworks mean alike, as functions of values: a module for each family.

A converter names the options of its framework; the recipe is written once and imports nnir only.
"""

from __future__ import annotations

from ..deferred import deferring

__getattr__ = deferring(__name__)
