"""What a tool is asked, as a program: VARIANT SOURCE SAMPLES.npz TARGET.

It needs NumPy alone, as some tools have an environment of their own.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..samples import read_samples

MARK = "@@"
"""Stands in front of how long it took; tools print too, and may not end their lines."""


@dataclass(frozen=True)
class Job:
    """Quantise `source` with `samples` into `target`; `variant` says how."""

    variant: str
    source: Path
    samples: list[dict[str, np.ndarray]]
    target: Path


def run_job(quantise: Callable[[Job], None]) -> None:
    """Do what the command line asks and print the seconds that it took."""
    variant, source, samples, target = sys.argv[1:]
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    job = Job(variant, Path(source), read_samples(Path(samples)), Path(target))
    started = time.perf_counter()
    quantise(job)
    print(MARK + json.dumps(time.perf_counter() - started))


def seconds_in(output: str) -> float:
    """The seconds in what a job printed."""
    return float(json.loads(output.rpartition(MARK)[2]))
