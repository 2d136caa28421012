"""The names of NNRt's header in this project's spelling."""

from __future__ import annotations

import keyword
import re


def python_name(name: str) -> str:
    """`padMode` as `pad_mode`; what Python keeps for itself gets an underscore."""
    plain = name.replace("IoU", "Iou")
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
    return f"{snake}_" if keyword.iskeyword(snake) else snake
