"""Which operations of two models are the same one.

In order: those that do the same with what comes before them, those that do the same with what
comes behind them, those of the same name, and what is left by the order of its operators between
its neighbours. Numbers of weights do not count, small integers do: they are axes and sizes.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from operator import attrgetter

from nnir.model import CONTENT_LIMIT, Model, Operation, Value
from nnir.printer import attribute

LONGEST = 2000
"""More operations that are left are taken in order, without looking for the best places."""

Pairs = dict[Operation, Operation]


def match(a: Model, b: Model) -> Pairs:
    """The operation of `b` for each of `a` that has one."""
    first, second = a.sorted(), b.sorted()
    pairs: Pairs = {}
    _pair(pairs, first, second, _forward_keys(a, first), _forward_keys(b, second))
    _pair(pairs, first, second, _backward_keys(a, first), _backward_keys(b, second))
    for key in (_operator_and_name, attrgetter("label")):
        _pair_unique(pairs, first, second, key)
    _pair_in_order(pairs, first, second)
    return pairs


def _hash(*parts: object) -> str:
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()


def describe(operation: Operation) -> str:
    """The operator and its attributes, sub-models as their text."""
    return f"{operation.operator.name}({describe_attributes(operation)})"


def describe_attributes(operation: Operation) -> dict[str, str]:
    """The attributes as text."""
    return {
        k: str(v) if isinstance(v, Model) else attribute(v) for k, v in operation.attributes.items()
    }


def _constant_key(value: Value) -> str:
    array = value.constant
    is_small = array is not None and value.is_integer and array.size <= CONTENT_LIMIT
    return f"{value.type}{array.tolist() if is_small and array is not None else ''}"


def _forward_keys(model: Model, operations: Iterable[Operation]) -> dict[Operation, str]:
    """A key for each operation of what it does and reads, back to the inputs."""
    keys = {v: _hash("input", place, v.type) for place, v in enumerate(model.inputs)}
    found = {}
    for operation in operations:
        read = (_key_of_operand(v, keys) for v in operation.inputs)
        found[operation] = _hash(describe(operation), *read)
        keys.update((v, _hash(found[operation], k)) for k, v in enumerate(operation.outputs))
    return found


def _key_of_operand(value: Value | None, keys: dict[Value, str]) -> str:
    if value is None:
        return ""
    return _constant_key(value) if value.constant is not None else keys.get(value, "")


def _backward_keys(model: Model, operations: list[Operation]) -> dict[Operation, str]:
    """A key for each operation of what it does and who reads it, on to the outputs."""
    readers: dict[Value, list[str]] = defaultdict(list)
    for place, result in enumerate(model.outputs):
        readers[result].append(_hash("output", place))
    found = {}
    for operation in reversed(operations):
        read = [sorted(readers[v]) for v in operation.outputs]
        weights = [
            _constant_key(v) for v in operation.inputs if v is not None and v.constant is not None
        ]
        found[operation] = key = _hash(describe(operation), read, weights)
        for place, value in enumerate(operation.inputs):
            if value is not None:
                readers[value].append(_hash(key, place))
    return found


def _pair(
    pairs: Pairs,
    first: list[Operation],
    second: list[Operation],
    keys: dict[Operation, str],
    others: dict[Operation, str],
) -> None:
    """The first of a key with the first, the second with the second, and so on."""
    taken = set(pairs.values())
    waiting: dict[str, list[Operation]] = defaultdict(list)
    for operation in reversed(second):
        if operation not in taken:
            waiting[others[operation]].append(operation)
    for operation in first:
        if operation not in pairs and waiting.get(keys[operation]):
            pairs[operation] = waiting[keys[operation]].pop()


def _operator_and_name(operation: Operation) -> str:
    return f"{operation.operator.name} {operation.label}"


def _pair_unique(
    pairs: Pairs,
    first: list[Operation],
    second: list[Operation],
    key: Callable[[Operation], str],
) -> None:
    """Operations whose key no other one has."""
    taken = set(pairs.values())
    left = _unique((o for o in first if o not in pairs), key)
    right = _unique((o for o in second if o not in taken), key)
    pairs.update((left[k], right[k]) for k in left if k in right)


def _unique(
    operations: Iterable[Operation], key: Callable[[Operation], str]
) -> dict[str, Operation]:
    found: dict[str, list[Operation]] = defaultdict(list)
    for operation in operations:
        found[key(operation)].append(operation)
    return {k: o[0] for k, o in found.items() if len(o) == 1}


def _pair_in_order(pairs: Pairs, first: list[Operation], second: list[Operation]) -> None:
    """What is left, by its operators in order."""
    taken = set(pairs.values())
    left = [o for o in first if o not in pairs]
    right = [o for o in second if o not in taken]
    if max(len(left), len(right)) > LONGEST:
        pairs.update(zip_equal(left, right))
        return
    names = ([o.operator.name for o in left], [o.operator.name for o in right])
    for i, j, size in SequenceMatcher(None, *names, autojunk=False).get_matching_blocks():
        pairs.update(zip(left[i : i + size], right[j : j + size], strict=True))


def zip_equal(
    left: list[Operation], right: list[Operation]
) -> Iterator[tuple[Operation, Operation]]:
    """The first of an operator with the first of it, and so on."""
    waiting: dict[str, list[Operation]] = defaultdict(list)
    for operation in reversed(right):
        waiting[operation.operator.name].append(operation)
    for operation in left:
        if waiting[operation.operator.name]:
            yield operation, waiting[operation.operator.name].pop()
