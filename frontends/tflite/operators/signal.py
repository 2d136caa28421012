"""TFLite's Fourier transforms, and the features of sound that its custom operators compute."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.recipes.signal import mel_cepstrum, spectrogram, transform_real
from nnir.types import Precision

from ...table import Table

table = Table()


table.convert("AudioSpectrogram")(spectrogram)


table.convert("Mfcc")(mel_cepstrum)


@table.convert("RFFT2D")
def rfft2d(input: Value, fft_length: Index) -> Value:
    return transform_real(input, fft_length, 2, Precision.COMPLEX64)
