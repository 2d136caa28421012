"""Huge pages: what is moved, what is left where it is, and when."""

from __future__ import annotations

import ctypes
import mmap
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from hal import pages
from hal.runtime import settling
from hal.runtime.settling import Settling
from nnir.model import Model
from nnir.ops import binary
from nnir.types import Precision, TensorType

HUGE = 1 << 21

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what is mapped")


class Mapping:
    """Memory of its own that begins where a huge page may."""

    def __init__(self, size: int) -> None:
        own = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.map = mmap.mmap(-1, size + HUGE, flags=own)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.start = -(-address // HUGE) * HUGE
        self.span = self.start, self.start + size
        first = self.start - address
        self.bytes = np.frombuffer(self.map, np.uint8)[first : first + size]

    def huge(self) -> int:
        """Kilobytes of the mapping that are on huge pages, as the system says."""
        rows = re.split(
            r"^(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text(), flags=re.M
        )
        for row in filter(None, rows):
            first, end = (int(a, 16) for a in row.split()[0].split("-"))
            if first <= self.start < end:
                return int(re.findall(r"^AnonHugePages: +(\d+)", row, re.M)[0])
        raise AssertionError("the mapping is not mapped")


@pytest.fixture
def collapsing() -> None:
    """Skip where the system does not collapse pages, by asking it without our code."""
    size = pages.SETTINGS / "hpage_pmd_size"
    if not size.exists() or int(size.read_text()) != HUGE:
        pytest.skip("the system has no huge pages of 2 MB")
    found = Mapping(HUGE)
    found.bytes[:] = 1
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.madvise(ctypes.c_void_p(found.start), ctypes.c_size_t(HUGE), 25):
        pytest.skip(f"the system collapses no pages: error {ctypes.get_errno()}")


@pytest.mark.parametrize(
    ("spans", "others", "left"),
    [
        ([(0, 10)], [], [(0, 10)]),
        ([(0, 10)], [(0, 10)], []),
        ([(0, 10)], [(3, 5)], [(0, 3), (5, 10)]),
        ([(0, 10), (20, 30)], [(5, 25)], [(0, 5), (25, 30)]),
        ([(10, 20)], [(0, 5), (20, 30)], [(10, 20)]),
        (
            [(10, 20), (20, 25), (40, 50)],
            [(0, 12), (14, 16), (18, 45)],
            [(12, 14), (16, 18), (45, 50)],
        ),
    ],
)
def test_spans_without_others(
    spans: list[pages.Span], others: list[pages.Span], left: list[pages.Span]
) -> None:
    assert pages.without(spans, others) == left


@linux
def test_what_a_process_allocates_is_its_own() -> None:
    before = pages.own_spans()
    made = Mapping(4 * HUGE)
    found = pages.without(pages.own_spans(), before)
    start, end = made.span
    assert any(first <= start and end <= last for first, last in found)
    assert before == sorted(before)


@linux
def test_files_and_what_is_shared_are_not_own(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(HUGE))
    with path.open("r+b") as file:
        mapped = mmap.mmap(file.fileno(), 0)
        shared = mmap.mmap(-1, HUGE)
        for each in (mapped, shared):
            address = ctypes.addressof(ctypes.c_char.from_buffer(each))
            assert not any(first <= address < end for first, end in pages.own_spans())


def test_full_pages_move_and_keep_what_lies_there(collapsing: None) -> None:
    made = Mapping(4 * HUGE)
    made.bytes[:] = np.arange(made.bytes.size) % 251
    wanted = made.bytes.copy()
    assert made.huge() == 0
    assert pages.collapse([made.span], 10) == 4 * HUGE
    assert made.huge() == 4 * HUGE >> 10
    np.testing.assert_array_equal(made.bytes, wanted)


def test_what_does_not_fill_a_huge_page_stays(collapsing: None) -> None:
    made = Mapping(4 * HUGE)
    made.bytes[: HUGE + HUGE // 2] = 1  # one and a half
    made.bytes[3 * HUGE :] = 1
    start, end = made.span
    assert pages.collapse([(start, end)], 10) == 2 * HUGE
    assert pages.collapse([(start + 1, end - 1)], 10) == 0  # neither lies in it as a whole
    assert pages.collapse([(start, start + HUGE - 1)], 10) == 0


def test_no_longer_than_it_is_told(collapsing: None) -> None:
    made = Mapping(4 * HUGE)
    made.bytes[:] = 1
    assert pages.collapse([made.span], 0) == HUGE


def test_refusals_end_it(monkeypatch: pytest.MonkeyPatch, collapsing: None) -> None:
    asked = []
    monkeypatch.setattr(pages, "advise", lambda: lambda *given: asked.append(given) or -1)
    made = Mapping(2 * pages.FAILURES * HUGE)
    made.bytes[:] = 1
    assert pages.collapse([made.span], 10) == 0
    assert len(asked) == pages.FAILURES


def wait_for(moved: list[list[pages.Span]]) -> None:
    """Until another thread has moved something, once."""
    end = time.monotonic() + 10
    while not moved and time.monotonic() < end:
        time.sleep(0.001)
    assert len(moved) == 1


class Owner:
    """Calls what it has, as a program does."""

    def __init__(self, compute: Any, before: list[pages.Span]) -> None:
        self.compute: Any = Settling(compute, before, self.pass_by)

    def pass_by(self, settling: Settling) -> None:
        self.compute = settling.compute


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[pages.Span]]]:
    """What is asked to be moved; nothing is."""
    found: list[list[pages.Span]] = []
    monkeypatch.setattr(pages, "collapse", lambda spans, longest: found.append(spans))
    return found


@linux
def test_what_is_made_until_the_end_of_the_first_call_is_moved(
    monkeypatch: pytest.MonkeyPatch, moved: list[list[pages.Span]]
) -> None:
    kept: list[Mapping] = [Mapping(HUGE)]

    def compute(arrays: Any, outputs: Any) -> Any:
        kept.append(Mapping(HUGE))
        return arrays

    owner = Owner(compute, pages.own_spans())
    assert owner.compute([1], ()) == [1]
    monkeypatch.setattr(settling, "ENOUGH", 0.0)
    assert owner.compute([2], ()) == [2]
    assert owner.compute is compute
    wait_for(moved)
    (spans,) = moved
    covered = [any(a <= m.start < b for a, b in spans) for m in kept]
    assert covered == [False, True, False]


@linux
def test_a_program_that_is_hardly_used_stays(moved: list[list[pages.Span]]) -> None:
    owner = Owner(lambda arrays, outputs: arrays, [])
    for _ in range(20):
        owner.compute([], ())
    assert isinstance(owner.compute, Settling)
    assert not moved


@pytest.mark.parametrize("properties", ["", "NNADAPTER_HUGE_PAGES=0;"])
def test_a_settled_program_gives_the_same(monkeypatch: pytest.MonkeyPatch, properties: str) -> None:
    monkeypatch.setattr(pages, "waits_to_be_asked", lambda: sys.platform == "linux")
    monkeypatch.setattr(settling, "ENOUGH", 0.0)
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [binary.add(x, x)]
    array = np.arange(3, dtype=np.float32)
    with nna.compile(model, "builtin", properties) as program:
        is_watched = sys.platform == "linux" and not properties
        assert isinstance(program._compute, Settling) is is_watched
        for _ in range(4):
            np.testing.assert_array_equal(program(array)[0], 2 * array)
        assert not isinstance(program._compute, Settling)


def test_a_closed_program_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "waits_to_be_asked", lambda: sys.platform == "linux")
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [binary.add(x, x)]
    program = nna.compile(model, "builtin")
    compute = program._compute
    program.close()
    if isinstance(compute, Settling):
        program._pass_by(compute)
    with pytest.raises(nna.NNAdapterError, match="closed"):
        program(np.zeros(3, np.float32))
