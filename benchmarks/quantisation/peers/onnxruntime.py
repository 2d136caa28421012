"""ONNX Runtime's own quantisation, with its preparation of the model before."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from .job import Job, run_job

METHODS = {
    "minmax": CalibrationMethod.MinMax,
    "entropy": CalibrationMethod.Entropy,
    "percentile": CalibrationMethod.Percentile,
}
BLOCK = 32


class Reader(CalibrationDataReader):
    """Gives each sample once."""

    def __init__(self, samples: list[dict[str, np.ndarray]]) -> None:
        self.samples = samples
        self.rest = iter(samples)

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.rest, None)

    def rewind(self) -> None:
        self.rest = iter(self.samples)

    def __iter__(self) -> Iterator[dict[str, np.ndarray]]:
        return iter(self.samples)


def quantise(job: Job) -> None:
    """Variants: METHOD, METHOD-products (of matrices alone), int4-default, -rtn, -gptq, -hqq."""
    if job.variant.startswith("int4"):
        return quantise_weights(job)
    method, _, part = job.variant.partition("-")
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder, "prepared.onnx")
        quant_pre_process(job.source, prepared)
        quantize_static(
            prepared, job.target, Reader(job.samples), per_channel=True,
            calibrate_method=METHODS[method],
            op_types_to_quantize=["MatMul", "Gemm"] if part else None,
        )  # fmt: skip
    return None


def quantise_weights(job: Job) -> None:
    """Products of matrices with weights of 4 bits, a scale for 32 of them."""
    from onnxruntime.quantization import matmul_nbits_quantizer as nbits

    model = onnx.load(job.source)
    match job.variant.removeprefix("int4-"):
        case "rtn":
            config = nbits.RTNWeightOnlyQuantConfig()
        case "gptq":
            config = nbits.GPTQWeightOnlyQuantConfig(Reader(job.samples))
        case "hqq":
            config = nbits.HQQWeightOnlyQuantConfig(block_size=BLOCK)
        case _:
            config = None
    quantizer = nbits.MatMulNBitsQuantizer(model, block_size=BLOCK, algo_config=config)
    quantizer.process()
    quantizer.model.save_model_to_file(str(job.target))


if __name__ == "__main__":
    run_job(quantise)
