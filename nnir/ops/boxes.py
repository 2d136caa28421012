"""Arithmetic on boxes and regions: overlap, suppression, sampling of bins."""

from __future__ import annotations

import numpy as np

from ..numeric import at_positions


def overlaps(box: np.ndarray, others: np.ndarray, *, extra: float = 0.0) -> np.ndarray:
    """Intersection over union of corners (a, b, c, d), a <= c and b <= d; 0 for empty boxes."""
    extra = box.dtype.type(extra)
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    apart = (high < low).any(axis=1)
    common = np.where(apart, 0, np.prod(high - low + extra, axis=1))
    areas = [_area(box[None], extra), _area(others, extra)]
    union = areas[0] + areas[1] - common
    good = (common > 0) & (union > 0)  # both areas are at least what is common
    return np.where(good, common / np.where(good, union, 1), 0)


def _area(boxes: np.ndarray, extra: float) -> np.ndarray:
    sides = boxes[:, 2:] - boxes[:, :2]
    return np.where((sides < 0).any(axis=1), 0, np.prod(sides + extra, axis=1))


@at_positions()
def suppress(
    boxes: np.ndarray,
    scores: np.ndarray,
    candidates: np.ndarray,
    limit: int,
    threshold: float,
    *,
    eta: float = 1.0,
    extra: float = 0.0,
) -> list[int]:
    """The boxes that are kept, best score first; equal scores keep their order."""
    order = candidates[np.argsort(-scores[candidates], kind="stable")]
    kept: list[int] = []
    bound = boxes.dtype.type(threshold)
    for candidate in order:
        if len(kept) >= limit:
            break
        found = overlaps(boxes[candidate], boxes[kept], extra=extra)
        if (found > bound).any():
            continue
        kept.append(int(candidate))
        if eta < 1 and bound > 0.5:
            bound = boxes.dtype.type(bound * eta)
    return kept


def samples(start: float, length: float, bins: int, ratio: int) -> tuple[np.ndarray, int]:
    """Positions [bins, count] at which a region is sampled on one axis, and the count."""
    step = length / bins
    count = ratio if ratio > 0 else int(np.ceil(step))
    at = start + np.arange(bins)[:, None] * step
    return at + (np.arange(count) + 0.5) * step / max(count, 1), count


def taps(at: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The two neighbours of each position, the weight of the second, and what lies outside."""
    outside = (at < -1) | (at > size)
    inner = np.maximum(at, 0)
    low = np.minimum(inner.astype(np.int64), max(size - 1, 0))
    part = np.where(low >= size - 1, 0, inner - low)
    return low, np.minimum(low + 1, max(size - 1, 0)), part, outside


def multiclass(
    bboxes: np.ndarray,
    scores: np.ndarray,
    *,
    offset: int,
    in_order: bool,
    background_label: int,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float,
    nms_eta: float,
    keep_top_k: int,
    normalized: bool,
) -> tuple[list[list[float]], list[int]]:
    """Detections of one image from boxes [C or 1, M, 4] and scores [C, M].

    Those of a class come with the best score first, or `in_order` as their boxes do.
    """
    found: list[tuple[float, int, int]] = []
    classes, count = scores.shape
    for label in range(classes):
        if label == background_label:
            continue
        mine = scores[label]
        good = np.flatnonzero(mine > mine.dtype.type(score_threshold))
        best = good[np.argsort(-mine[good], kind="stable")]
        best = best if nms_top_k < 0 else best[:nms_top_k]
        kept = suppress(
            bboxes[label % len(bboxes)],
            mine,
            best,
            count,
            nms_threshold,
            eta=nms_eta,
            extra=0.0 if normalized else 1.0,
        )
        found += [(float(mine[k]), label, k) for k in kept]
    if 0 <= keep_top_k < len(found):
        found = sorted(found, key=lambda f: -f[0])[:keep_top_k]
        found.sort(key=lambda f: f[1])
    if in_order:
        found.sort(key=lambda f: f[1:])
    rows = [[label, score, *bboxes[label % len(bboxes), k].tolist()] for score, label, k in found]
    shared = len(bboxes) == 1
    return rows, [offset + (k if shared else k * classes + label) for _, label, k in found]
