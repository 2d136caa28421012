"""Cases of Paddle's legacy operators, one file per theme."""

from __future__ import annotations

from ...case import Case, Limit
from . import detect, index, math, more, nn, quant, shape, varied

THEMES = (detect, index, math, more, nn, quant, shape, varied)
CASES: list[Case] = [case for theme in THEMES for case in theme.CASES]
LIMITS: list[Limit] = [limit for theme in THEMES for limit in getattr(theme, "LIMITS", ())]
