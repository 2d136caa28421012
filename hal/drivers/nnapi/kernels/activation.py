"""Elementwise activations and the softmax."""

from __future__ import annotations

from functools import partial

import numpy as np

from nnir.formats.nnapi.structures import FusedActivation

from . import fixed
from .call import Call, Kernel, Results


def rectify(code: FusedActivation, call: Call) -> Results:
    """RELU, RELU1 and RELU6."""
    x = call.array()
    if not call.is_quantized:
        return [fixed.activate(x, code)]
    sums = fixed.centre(x, call.operand())
    return [fixed.rescale(sums, call.operand().scale / call.output.scale, call.output, code)]


def logistic(call: Call) -> Results:
    """1 / (1 + exp(-x))."""
    if call.is_quantized:
        reals = fixed.dequantize(call.array(), call.operand())
        return [fixed.quantize(sigmoid(reals), call.output)]
    return [sigmoid(call.array())]


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Without overflow: exp takes what is not above 0."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def tanh(call: Call) -> Results:
    return [np.tanh(call.array())]


def softmax(call: Call) -> Results:
    """exp((x - max) * beta) over its sum, along the last axis."""
    x, beta = call.array(), call.real("beta")
    if call.is_quantized:
        reals = fixed.dequantize(x, call.operand())
        return [fixed.quantize(_softmax(reals, np.float64(beta)), call.output)]
    return [_softmax(x, beta)]


def _softmax(x: np.ndarray, beta: np.floating) -> np.ndarray:
    parts = np.exp((x - x.max(-1, keepdims=True)) * beta)
    return np.asarray(parts / parts.sum(-1, keepdims=True))


KERNELS: dict[str, Kernel] = {
    "RELU": partial(rectify, FusedActivation.RELU),
    "RELU1": partial(rectify, FusedActivation.RELU1),
    "RELU6": partial(rectify, FusedActivation.RELU6),
    "LOGISTIC": logistic,
    "TANH": tanh,
    "SOFTMAX": softmax,
}
