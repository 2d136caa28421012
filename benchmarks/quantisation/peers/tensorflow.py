"""TensorFlow's converter: integers throughout, with a scale for each filter."""

from __future__ import annotations

import tensorflow as tf

from .job import Job, run_job


def quantise(job: Job) -> None:
    """The one variant: int8."""
    converter = tf.lite.TFLiteConverter.from_saved_model(str(job.source))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([*s.values()] for s in job.samples)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    job.target.write_bytes(converter.convert())


if __name__ == "__main__":
    run_job(quantise)
