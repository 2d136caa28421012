"""OpenVINO's NNCF; it has an environment of its own."""

from __future__ import annotations

import nncf
import openvino
from nncf.quantization.range_estimator import RangeEstimatorParametersSet

from .job import Job, run_job

BLOCK = 32


def quantise(job: Job) -> None:
    """Variants: default, mixed and minmax, each also with -transformer, int4-rtn and int4-gptq.

    By default NNCF takes the mean of the extremes of all samples; minmax covers them.
    """
    model = openvino.Core().read_model(job.source)
    data = nncf.Dataset(job.samples)
    preset, _, kind = job.variant.partition("-")
    if preset == "int4":
        made = nncf.compress_weights(
            model, mode=nncf.CompressWeightsMode.INT4_SYM, group_size=BLOCK, ratio=1.0,
            dataset=data if kind == "gptq" else None, gptq=kind == "gptq" or None,
        )  # fmt: skip
    else:
        made = nncf.quantize(
            model, data, subset_size=len(job.samples),
            preset=None if preset == "default" else nncf.QuantizationPreset.MIXED,
            advanced_parameters=nncf.AdvancedQuantizationParameters(
                activations_range_estimator_params=RangeEstimatorParametersSet.MINMAX
            ) if preset == "minmax" else None,
            model_type=nncf.ModelType.TRANSFORMER if kind == "transformer" else None,
        )  # fmt: skip
    openvino.save_model(made, job.target, compress_to_fp16=False)


if __name__ == "__main__":
    run_job(quantise)
