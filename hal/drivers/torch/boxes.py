"""Boxes: suppression of those that overlap, and anchors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import torch

from .borders import count_beside


def between(boxes: torch.Tensor, others: torch.Tensor, extra: float) -> torch.Tensor:
    """Intersection over union of two sets of corners [M, 4]; 0 for empty boxes."""
    count = len(boxes)
    low = torch.maximum(boxes[:, None, :2], others[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:], others[None, :, 2:])
    common = _area(high - low, extra)
    whole = torch.cat([boxes, others])
    area = _area(whole[:, 2:] - whole[:, :2], extra)
    first, second = area[:count, None], area[None, count:]
    union = first + second - common
    good = (common > 0) & (first > 0) & (second > 0) & (union > 0)
    return torch.where(good, common / torch.where(good, union, 1.0), 0.0)


def _area(sides: torch.Tensor, extra: float) -> torch.Tensor:
    return torch.where((sides < 0).any(-1), 0.0, (sides + extra).prod(-1))


BLOCK = 1024
"""So many boxes are compared with one another at once."""


def suppress(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    limit: int,
    threshold: float,
    eta: float = 1.0,
    extra: float = 0.0,
) -> torch.Tensor:
    """The boxes that are kept, best score first; equal scores keep their order."""
    order = torch.argsort(-scores, stable=True)
    ranked = boxes[order]
    if eta < 1:
        return order[_falling(ranked, threshold, eta, extra)[:limit]]
    bound = boxes.new_tensor(threshold)
    alive = boxes.new_ones(len(order), dtype=torch.bool)
    kept: list[torch.Tensor] = [order[:0]]
    found, start = 0, 0
    while start < len(order) and found < limit:
        block = torch.nonzero(alive[start:]).reshape(-1)[:BLOCK] + start
        if not block.numel():
            break
        hits = between(ranked[block], ranked[block], extra) > bound
        rows = block[_greedy(hits, limit - found)]
        kept.append(order[rows])
        found, start = found + len(rows), int(block[-1]) + 1
        if start < len(order):
            alive[start:] &= ~(between(ranked[rows], ranked[start:], extra) > bound).any(0)
    return torch.cat(kept)


def _falling(ranked: torch.Tensor, threshold: float, eta: float, extra: float) -> torch.Tensor:
    """One after the other: the threshold falls with every box that stays."""
    bound = torch.tensor(threshold, dtype=ranked.dtype)
    kept: list[int] = []
    for candidate in range(len(ranked)):
        box = ranked[candidate : candidate + 1]
        if (between(box, ranked[kept], extra) > bound).any():
            continue
        kept.append(candidate)
        if bound > 0.5:
            bound = bound * torch.tensor(eta, dtype=torch.float64)
            bound = bound.to(ranked.dtype)
    return ranked.new_tensor(kept, dtype=torch.int64)


def _greedy(hits: torch.Tensor, limit: int) -> torch.Tensor:
    """Which rows stay when each that stays takes the later ones that it hits."""
    rows = hits.tolist()
    gone = [False] * len(rows)
    kept: list[int] = []
    for k, row in enumerate(rows):
        if gone[k]:
            continue
        kept.append(k)
        if len(kept) == limit:
            break
        gone = [a or b for a, b in zip(gone, row, strict=True)]
    return hits.new_tensor(kept, dtype=torch.int64)


def select_boxes(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    limit: int,
    threshold: float,
    least: torch.Tensor | None,
    centred: bool,
) -> torch.Tensor:
    """Rows (image, class, box) of the boxes that stay."""
    if centred:
        half = boxes[..., 2:] / 2
        corners = torch.cat([boxes[..., :2] - half, boxes[..., :2] + half], -1)
    else:
        low, high = boxes[..., :2], boxes[..., 2:]
        corners = torch.cat([torch.minimum(low, high), torch.maximum(low, high)], -1)
    rows = [boxes.new_zeros([0, 3], dtype=torch.int64)]
    for image in range(scores.shape[0]):
        for label in range(scores.shape[1]):
            mine = scores[image, label]
            good = count_beside(boxes, len(mine))
            if least is not None:
                good = torch.nonzero(mine > least).reshape(-1)
            kept = good[suppress(corners[image][good], mine[good], limit, threshold)]
            head = boxes.new_tensor([image, label], dtype=torch.int64).expand(len(kept), 2)
            rows.append(torch.cat([head, kept[:, None]], 1))
    return torch.cat(rows)


class Suppression(TypedDict):
    """The attributes of NON_MAX_SUPPRESSION that are read while running."""

    background_label: int
    score_threshold: float
    nms_top_k: int
    nms_threshold: float
    nms_eta: float
    keep_top_k: int
    normalized: bool


def of_classes(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    counts: torch.Tensor | None,
    how: Suppression,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """NON_MAX_SUPPRESSION: rows, detections per image, and the box of each row."""
    if counts is None:
        images = [(boxes[n][None], s, n * s.shape[1]) for n, s in enumerate(scores)]
    else:
        ends = torch.cumsum(counts, 0).tolist()
        spans = zip([0, *ends], ends, strict=False)
        images = [
            (boxes[a:b].transpose(0, 1), scores[a:b].t(), a * scores.shape[1]) for a, b in spans
        ]
    rows = [boxes.new_zeros([0, 6])]
    places = [boxes.new_zeros(0, dtype=torch.int64)]
    numbers = []
    for image, score, offset in images:
        made, where = _of_image(image, score, offset, counts is not None, how)
        rows.append(made)
        places.append(where)
        numbers.append(len(made))
    found = boxes.new_tensor(numbers, dtype=torch.int32)
    return torch.cat(rows), found, torch.cat(places).to(torch.int32)


def _of_image(
    boxes: torch.Tensor, scores: torch.Tensor, offset: int, in_order: bool, how: Suppression
) -> tuple[torch.Tensor, torch.Tensor]:
    """Detections of one image from boxes [C or 1, M, 4] and scores [C, M]."""
    classes, count = scores.shape
    found: list[tuple[float, int, int]] = []
    for label in range(classes):
        if label == how["background_label"]:
            continue
        mine, own = scores[label], boxes[label % len(boxes)]
        least = mine.new_tensor(how["score_threshold"])
        good = torch.nonzero(mine > least).reshape(-1)
        best = good[torch.argsort(-mine[good], stable=True)]
        best = best if how["nms_top_k"] < 0 else best[: how["nms_top_k"]]
        extra = 0.0 if how["normalized"] else 1.0
        given = (count, how["nms_threshold"], how["nms_eta"], extra)
        kept = best[suppress(own[best], mine[best], *given)].tolist()
        found += [(float(mine[k]), label, k) for k in kept]
    if 0 <= how["keep_top_k"] < len(found):
        found = sorted(found, key=lambda f: -f[0])[: how["keep_top_k"]]
        found.sort(key=lambda f: f[1])
    if in_order:
        found.sort(key=lambda f: f[1:])
    return _rows(boxes, scores, found, offset)


def _rows(
    boxes: torch.Tensor, scores: torch.Tensor, found: Sequence[tuple[float, int, int]], offset: int
) -> tuple[torch.Tensor, torch.Tensor]:
    labels = boxes.new_tensor([f[1] for f in found], dtype=torch.int64)
    places = boxes.new_tensor([f[2] for f in found], dtype=torch.int64)
    score = scores[labels, places]
    head = torch.stack([labels.to(boxes.dtype), score], 1)
    rows = torch.cat([head, boxes[labels % len(boxes), places]], 1)
    shared = len(boxes) == 1
    return rows, offset + (places if shared else places * scores.shape[0] + labels)
