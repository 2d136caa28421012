"""ONNX Fourier transforms and windows of signals."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import signal
from nnir.recipes.frames import make_cosine_window, mel_weight_matrix, transform_frames

from ...table import Table

table = Table()
table.same({"MelWeightMatrix": mel_weight_matrix, "STFT": transform_frames})
table.each(
    {
        "BlackmanWindow": (0.42, -0.5, 0.08),
        "HammingWindow": (25 / 46, -21 / 46),
        "HannWindow": (0.5, -0.5),
    }
)(make_cosine_window)


@table.convert("DFT", since=20)
@table.convert("DFT", attributes={"axis": 1})
def dft(
    input: Value,
    dft_length: Index | None = None,
    axis: Index | None = None,
    *,
    inverse: bool = False,
    onesided: bool = False,
) -> Value:
    if onesided and not inverse and input.shape[-1] == 2:
        raise BadType(f"DFT with onesided=1 of a complex signal {input.type}")
    return signal.dft(input, dft_length, axis, inverse=inverse, onesided=onesided)
