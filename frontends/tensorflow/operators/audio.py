"""TensorFlow's features of sound: spectrograms, and the cepstrum of their mel bands."""

from __future__ import annotations

from nnir.recipes.signal import mel_cepstrum, spectrogram

from ...table import Table

table = Table()


table.convert("AudioSpectrogram")(spectrogram)


table.convert("Mfcc")(mel_cepstrum)
