"""Synthetic tasks that a network learns in a minute, and whose activations have structure.

Each is a function of a generator of random numbers and a count: inputs by name, and the answers.
"""

from __future__ import annotations

import numpy as np

CLASSES = 10
SIDE = 48
MEAN, DEVIATION = 0.5, 0.25
"""What images are normalised by."""

WORDS, LENGTH, TOPICS = 500, 32, 8
LETTERS, CONTEXT = 64, 48

Samples = tuple[dict[str, np.ndarray], np.ndarray]


def images(rng: np.random.Generator, count: int) -> Samples:
    """Textures and shapes of ten kinds, Nx3x48x48, in random colours, sizes, light and noise."""
    kinds = rng.integers(0, CLASSES, count)
    patterns = np.stack([_pattern(rng, int(kind)) for kind in kinds])
    colours = rng.uniform(0, 1, (2, count, 3, 1, 1))
    apart = np.abs(colours[0] - colours[1]).max(axis=1, keepdims=True) < 0.5
    colours[1] = np.where(apart, (colours[0] + 0.5) % 1, colours[1])
    pixels = colours[0] * patterns[:, None] + colours[1] * (1 - patterns[:, None])
    y, x = _raster()
    slopes = rng.uniform(-0.2, 0.2, (2, count, 1, 1, 1))
    pixels = pixels * (1 + slopes[0] * y + slopes[1] * x)
    pixels += rng.normal(0, 1, pixels.shape) * rng.uniform(0, 0.08, (count, 1, 1, 1))
    normal = (np.clip(pixels, 0, 1) - MEAN) / DEVIATION
    return {"image": normal.astype(np.float32)}, kinds


def _raster() -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of an image, from -1 to 1."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] * (2 / (SIDE - 1)) - 1
    return y, x


def _pattern(rng: np.random.Generator, kind: int) -> np.ndarray:
    """One picture of a kind, between 0 and 1."""
    y, x = _raster()
    angle = rng.uniform(-0.2, 0.2)
    y, x = y * np.cos(angle) - x * np.sin(angle), y * np.sin(angle) + x * np.cos(angle)
    pitch, phase = rng.uniform(8, 22), rng.uniform(0, 2 * np.pi)
    y_middle, x_middle = rng.uniform(-0.35, 0.35, 2)
    size = rng.uniform(0.3, 0.6)
    across, down = np.abs(x - x_middle), np.abs(y - y_middle)
    away = np.hypot(across, down)
    match kind:
        case 0 | 1 | 2:
            along = (y, x, (x + y) / np.sqrt(2))[kind]
            return _sharpen(np.sin(pitch * along + phase))
        case 3:
            return _sharpen(np.sin(pitch / 1.5 * x + phase) * np.sin(pitch / 1.5 * y))
        case 4:
            return _sharpen(np.sin(pitch * away + phase))
        case 5:
            return _sharpen((size - away) * 20)
        case 6:
            return _sharpen((size * 0.9 - np.maximum(across, down)) * 20)
        case 7:
            return _sharpen((size - away) * 20) * _sharpen((away - size * 0.6) * 20)
        case 8:
            arms = np.minimum(across, down) < size * 0.25
            return (arms & (np.maximum(across, down) < size * 1.3)).astype(np.float64)
    places = rng.uniform(-1, 1, (2, 12, 1, 1))
    return (np.hypot(y - places[0], x - places[1]).min(axis=0) < size * 0.25).astype(np.float64)


def _sharpen(wave: np.ndarray) -> np.ndarray:
    """The sign of a wave with smooth edges, from 0 to 1."""
    return 0.5 + 0.5 * np.tanh(2 * wave)


def sequences(rng: np.random.Generator, count: int) -> Samples:
    """Sentences of up to 32 words of eight topics: tokens, and a mask of those that are there.

    A topic prefers some words, and one word behind another; the rest says nothing.
    """
    world = np.random.default_rng(7)
    preferred = world.integers(2, WORDS, (TOPICS, 60))
    follow = world.integers(2, WORDS, (TOPICS, WORDS))
    topics = rng.integers(0, TOPICS, count)
    lengths = rng.integers(LENGTH // 3, LENGTH + 1, count)
    tokens = rng.integers(2, WORDS, (count, LENGTH))
    favoured = preferred[topics[:, None], rng.integers(0, 60, (count, LENGTH))]
    draws = rng.uniform(size=(count, LENGTH))
    tokens = np.where(draws < 0.35, favoured, tokens)
    for place in range(1, LENGTH):
        after = follow[topics, tokens[:, place - 1]]
        tokens[:, place] = np.where(draws[:, place] > 0.75, after, tokens[:, place])
    tokens[:, 0] = 1
    mask = np.arange(LENGTH) < lengths[:, None]
    return {"tokens": np.where(mask, tokens, 0), "mask": mask.astype(np.int64)}, topics


def text(rng: np.random.Generator, count: int) -> Samples:
    """Texts of 48 letters of a language whose next letter depends on the last two.

    The answers are the letters that follow.
    """
    world = np.random.default_rng(11)
    choices = world.integers(0, LETTERS, (2, LETTERS, 4))
    weights = np.array([0.6, 0.25, 0.1, 0.05])
    letters = rng.integers(0, LETTERS, (count, CONTEXT + 1))
    picks = rng.choice(4, (count, CONTEXT + 1), p=weights)
    for place in range(2, CONTEXT + 1):
        odd = letters[:, place - 2] % 2
        following = choices[odd, letters[:, place - 1], picks[:, place]]
        is_free = rng.uniform(size=count) < 0.05
        letters[:, place] = np.where(is_free, letters[:, place], following)
    return {"letters": letters[:, :-1]}, letters[:, 1:]
