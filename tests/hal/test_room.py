"""Memory for results: nobody sees it while somebody reads it."""

from __future__ import annotations

import gc

import numpy as np

from hal.room import MOST, Room


def place_of(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def test_memory_is_used_again_when_the_last_view_is_gone() -> None:
    room = Room((4, 5), np.dtype(np.float32))
    first = room.take()
    assert (first.shape, first.dtype) == ((4, 5), np.float32)
    assert first.flags.carray
    place, view = place_of(first), first[1:, ::2].T
    del first
    gc.collect()
    other = room.take()
    assert place_of(other) != place
    view[...] = 3
    del view
    assert place_of(room.take()) == place


def test_no_more_is_kept_than_a_program_needs() -> None:
    room = Room((3,), np.dtype(np.int64))
    several = [room.take() for _ in range(MOST + 3)]
    assert len({place_of(a) for a in several}) == MOST + 3
    del several
    assert len(room.free) == MOST


def test_memory_outlives_its_room() -> None:
    room = Room((1000,), np.dtype(np.float64))
    array = room.take()
    array[...] = 7
    del room
    gc.collect()
    assert (array == 7).all()
