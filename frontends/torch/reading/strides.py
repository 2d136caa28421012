"""Whether a reshape shares memory: a question to the strides that an export recorded."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.dim import Dim

Dims = Sequence[Dim]


def is_contiguous(sizes: Dims, strides: Dims) -> bool:
    """Whether the elements lie in memory in order; axes of size 1 do not matter."""
    step: Dim = 1
    inner: Dim = 1
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        step = step * inner
        if size != 1 and stride != step:
            return False
        inner = size
    return True


def is_view(sizes: Dims, strides: Dims, target: Dims) -> bool | None:
    """Whether a reshape to `target` needs no copy; None where the sizes do not tell."""
    if is_contiguous(sizes, strides):
        return True
    sizes, strides, target = _without_common(sizes, strides, target)
    known = [[d for d in dims if isinstance(d, int)] for dims in (sizes, strides, target)]
    if [len(k) for k in known] != [len(d) for d in (sizes, strides, target)]:
        return None
    if 0 in sizes:
        return True
    left = [n for n in known[2] if n != 1]
    for count in runs(known[0], known[1]):
        taken = 1
        while taken < count and left:
            taken *= left.pop(0)
        if taken != count:
            return False
    return True


def _without_common(sizes: Dims, strides: Dims, target: Dims) -> tuple[Dims, Dims, Dims]:
    """Sizes, strides and a target without the axes at their ends that stay as they are, and which a
    reshape leaves where they lie, whatever their sizes."""
    most = min(len(sizes), len(target))
    front = next((k for k in range(most) if sizes[k] != target[k]), most)
    most -= front
    back = next((k for k in range(most) if sizes[-1 - k] != target[-1 - k]), most)
    kept = slice(front, len(sizes) - back)
    return sizes[kept], strides[kept], target[front : len(target) - back]


def runs(sizes: Sequence[int], strides: Sequence[int]) -> list[int]:
    """The numbers of elements of the axes that one step through memory walks over, in order."""
    found: list[int] = []
    after = 0  # the step that an axis must have to go on where the last run begins
    for size, stride in reversed(list(zip(sizes, strides, strict=True))):
        if size == 1:
            continue
        if found and stride == after:
            found[-1] *= size
        else:
            found.append(size)
        after = stride * size
    return found[::-1]
