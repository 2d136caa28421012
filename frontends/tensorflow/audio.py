"""TensorFlow's features of sound: spectrograms, and the cepstrum of their mel bands."""

from __future__ import annotations

from nnir.model import Value
from nnir.recipes.signal import mel_cepstrum, spectrogram

from ..table import Table

table = Table()


@table.convert("AudioSpectrogram")
def audio_spectrogram(
    input: Value, *, window_size: int, stride: int, magnitude_squared: bool = False
) -> Value:
    return spectrogram(
        input, window_size=window_size, stride=stride, magnitude_squared=magnitude_squared
    )


@table.convert("Mfcc")
def mfcc(
    spectrogram: Value,
    sample_rate: int,
    *,
    upper_frequency_limit: float = 4000.0,
    lower_frequency_limit: float = 20.0,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
) -> Value:
    return mel_cepstrum(
        spectrogram,
        sample_rate,
        upper_frequency_limit=upper_frequency_limit,
        lower_frequency_limit=lower_frequency_limit,
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count,
    )
