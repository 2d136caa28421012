"""Memory for results: nobody sees it while somebody reads it."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from hal.room import LEAST, MOST, Room
from nnir.types import precision_of


def place_of(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def test_memory_is_used_again_when_the_last_view_is_gone() -> None:
    room = Room(np.dtype(np.float32))
    first = room.take((4, 5))
    assert (first.shape, first.dtype) == ((4, 5), np.float32)
    assert first.flags.carray
    place, view = place_of(first), first[1:, ::2].T
    del first
    gc.collect()
    other = room.take((4, 5))
    assert place_of(other) != place
    view[...] = 3
    del view
    assert place_of(room.take((4, 5))) == place


def test_results_that_grow_find_room_in_it() -> None:
    room = Room(np.dtype(np.float32))
    grown = [room.take((1000,))]
    first = place_of(grown.pop())
    places = {place_of(room.take((1000 + k,))) for k in range(0, 200, 10)}
    assert places == {first}
    larger = room.take((5000,))
    assert larger.shape == (5000,)
    larger[...] = 1


def test_a_small_result_does_not_hold_the_memory_of_a_large_one() -> None:
    room = Room(np.dtype(np.uint8))
    large = room.take((1000,))
    del large
    small = room.take((10,))
    assert room.free == []
    assert small.shape == (10,)
    del small
    assert [memory.size for memory in room.free] == [12]


def test_copies_of_large_results_use_memory_again() -> None:
    room = Room(np.dtype(np.float32))
    small, large = (np.arange(size // 4, dtype=np.float32) for size in (LEAST - 4, LEAST))
    first = room.copy(large)
    assert (first == large).all()
    place = place_of(first)
    del first
    assert (place_of(room.copy(large)) == place, len(room.free)) == (True, 1)
    assert (room.copy(small) == small).all()
    assert len(room.free) == 1


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float8_e4m3fn", "int4", "bool"])
def test_types_that_numpy_lacks_are_kept(kind: str) -> None:
    dtype = precision_of(kind).dtype
    given = np.zeros((3, LEAST), dtype)
    given[1, 5] = 1
    found = Room(dtype).copy(given)
    assert found.dtype == dtype
    assert (found.view(np.uint8) == given.view(np.uint8)).all()


def test_results_without_elements_are_arrays_too() -> None:
    room = Room(np.dtype(np.float64))
    assert room.take((0, 3)).shape == (0, 3)
    assert room.take(()).shape == ()


def test_no_more_is_kept_than_a_program_needs() -> None:
    room = Room(np.dtype(np.int64))
    several = [room.take((3,)) for _ in range(MOST + 3)]
    assert len({place_of(a) for a in several}) == MOST + 3
    del several
    assert len(room.free) == MOST


def test_memory_outlives_its_room() -> None:
    room = Room(np.dtype(np.float64))
    array = room.take((1000,))
    array[...] = 7
    del room
    gc.collect()
    assert (array == 7).all()
