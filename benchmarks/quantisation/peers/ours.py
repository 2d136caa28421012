"""`nna.quantize`, as a user calls it."""

from __future__ import annotations

import nnadapter as nna

from .job import Job, run_job

WEIGHTS = {"weights": "int4", "activations": None, "block": 32}
GPTQ = {**WEIGHTS, "weight_method": "gptq"}
INT4 = {
    "int4": WEIGHTS,
    "int4-zeros": {**WEIGHTS, "weight_zero_points": True},
    "int4-gptq": GPTQ,
    "int4-gptq-zeros": {**GPTQ, "weight_zero_points": True},
}


def quantise(job: Job) -> None:
    """Variants: a method (minmax, percentile, entropy, mse), or one of INT4."""
    options = INT4.get(job.variant, {"method": job.variant})
    data = [tuple(sample.values()) for sample in job.samples]
    nna.quantize(job.source, data, job.target, **options)


if __name__ == "__main__":
    run_job(quantise)
