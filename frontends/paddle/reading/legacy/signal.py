"""Legacy Fourier transforms and overlapping frames of a signal."""

from __future__ import annotations

from .rule import Rules

RULES = Rules()
RULES.same("fft_c2c", "fft_c2r", "fft_r2c", "frame", "overlap_add", "stft")
