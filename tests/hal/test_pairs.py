"""Engines fuse operators, and move them past each other: what comes out is what it was."""

from __future__ import annotations

import pytest

from .pairs import FOLLOWERS, MAKERS, chains, pairs, problems

DEVICES = ("onnxruntime", "openvino", "litert", "torch")
SOME = 41
"""One pair in so many is tried each time, all of them in the long test."""


@pytest.mark.parametrize("device", DEVICES)
def test_some_pairs(device: str) -> None:
    assert problems(pairs(), [device], SOME) == []


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_all_pairs(device: str) -> None:
    assert problems(pairs(), [device]) == []


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_random_chains(device: str) -> None:
    assert problems(chains(101, 800), [device]) == []


def test_every_operator_is_in_pairs() -> None:
    """What refuses a value is left out, and nothing is to be left out by accident."""
    names = [model.name.rsplit(" ", 1) for model, _ in pairs()]
    assert len(names) > 8000
    assert {maker for maker, _ in names} == {*MAKERS}
    assert {follower for _, follower in names} == {*FOLLOWERS}
