"""What legacy operators are in terms of PIR's, whose converters they share: all rules."""

from __future__ import annotations

from collections.abc import Mapping

from . import arrays as legacy_array
from . import detection as legacy_detect
from . import index as legacy_index
from . import math as legacy_math
from . import more as legacy_more
from . import nn as legacy_nn
from . import quant as legacy_quant
from . import shape as legacy_shape
from .call import Rule

THEMES: tuple[Mapping[str, Rule], ...] = (
    legacy_array.RULES,
    legacy_detect.RULES,
    legacy_index.RULES,
    legacy_math.RULES,
    legacy_more.RULES,
    legacy_nn.RULES,
    legacy_quant.RULES,
    legacy_shape.RULES,
)
RULES: dict[str, Rule] = {name: rule for theme in THEMES for name, rule in theme.items()}
if len(RULES) != sum(map(len, THEMES)):
    raise ValueError("a legacy operator has two rules")
