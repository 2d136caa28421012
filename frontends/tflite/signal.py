"""TFLite's Fourier transforms, and the features of sound that its custom operators compute."""

from __future__ import annotations

from nnir.model import Index, Value

from ..table import Table
from ..tensorflow import audio
from ..tensorflow import signal as tensorflow

table = Table()
table.convert("AudioSpectrogram")(audio.audio_spectrogram)
table.convert("Mfcc")(audio.mfcc)
(RFFT2D,) = tensorflow.table.entries["RFFT2D"].values()


@table.convert("RFFT2D")
def rfft2d(input: Value, fft_length: Index) -> Value:
    result: Value = RFFT2D.function(input, fft_length)
    return result
