"""`nna.quantize`, as a user calls it."""

from __future__ import annotations

import nnadapter as nna

from .job import Job, run_job

WEIGHTS = {"weights": "int4", "activations": None, "block": 32}


def quantise(job: Job) -> None:
    """Variants: a method (mse, minmax, percentile, entropy), or int4."""
    options = WEIGHTS if job.variant == "int4" else {"method": job.variant}
    data = [tuple(sample.values()) for sample in job.samples]
    nna.quantize(job.source, data, job.target, **options)


if __name__ == "__main__":
    run_job(quantise)
