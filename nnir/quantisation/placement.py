"""Where real numbers become integers and back, decided before anything is modified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from ..model import Model, Operation, Value
from ..ops import activation
from ..records import dataclass
from ..types import Precision
from .roles import FIXED, JOINTS, PRODUCTS, data_of, is_movement, weights_of
from .scheme import Scheme, Target

Keep = Callable[[Operation], str | None]
"""Why a person or a measurement wants an operation to stay as it is; None where nobody does."""


def keep_nothing(_: Operation) -> None:
    """No operation is kept for its own sake."""


@dataclass(eq=False)
class Group:
    """Values that have one grid, as operations only move numbers from one to the other.

    `observed` are those whose numbers are all that any of them has.
    """

    values: list[Value] = field(default_factory=list)
    observed: list[Value] = field(default_factory=list)

    @property
    def softmax_axis(self) -> int | None:
        """Along which axis SOFTMAX normalises the one value of the group, where nothing else reads
        it: what is far below the largest element there does not matter."""
        readers = [o for v in self.values for o in v.uses]
        axes = {o.attributes["axis"] for o in readers if o.operator is activation.softmax}
        is_alone = all(o.operator is activation.softmax for o in readers)
        is_output = any(v in v.model.outputs for v in self.values)
        single = len(self.values) == len(axes) == 1
        return axes.pop() if single and is_alone and not is_output else None

    @property
    def fixed(self) -> tuple[float, int] | None:
        """The scale and the INT8 zero point where the range is known without data."""
        makers = [v.producer for v in self.observed]
        found = {None if m is None else FIXED.get(m.operator) for m in makers}
        return next(iter(found)) if len(found) == 1 else None


@dataclass
class Placement:
    """What becomes of a model.

    `integer` are the operations that compute with integers, `movements` those that only pass them
    on, `kept` the others that compute with real numbers, each with the reason. `rounded` are the
    values that are rounded, each with its group; `results` those of them that are made of integers,
    so that there is no other form of them.
    """

    integer: dict[Operation, None] = field(default_factory=dict)
    movements: dict[Operation, None] = field(default_factory=dict)
    kept: dict[Operation, str] = field(default_factory=dict)
    rounded: dict[Value, Group] = field(default_factory=dict)
    results: set[Value] = field(default_factory=set)

    @property
    def groups(self) -> list[Group]:
        """Each group of what is rounded once."""
        return list(dict.fromkeys(self.rounded.values()))

    def reads_rounded(self, reader: Operation, value: Value) -> bool:
        """Whether an operation reads the rounded form of a value."""
        if value not in self.rounded:
            return False
        return value in self.results or reader in self.integer or reader in self.movements


def place(model: Model, scheme: Scheme, target: Target, keep: Keep = keep_nothing) -> Placement:
    """Decide which operations compute with integers, and which values are rounded for them."""
    placement = Placement()
    order = model.sorted()
    moving: dict[Operation, None] = {}
    for operation in order:
        wish = keep(operation)
        if is_movement(operation):
            if wish is None:
                moving[operation] = None
            continue
        reason = _reason_against(operation, scheme, target) or wish
        if reason is None:
            placement.integer[operation] = None
        elif _computes_floats(operation):
            placement.kept[operation] = reason
    if not target.is_whole:
        _keep_without_products(order, moving, placement)
    if scheme.activations is not None:
        groups = _group_values(model, order, moving)
        wanted = {groups[v] for v in _wanted_values(placement, target)}
        for operation in reversed(moving):
            if any(groups.get(v) in wanted for v in operation.outputs):
                wanted.update(groups[v] for v in data_of(operation) if v.constant is None)
        _round_values(order, moving, groups, wanted, placement)
    return placement


def _computes_floats(operation: Operation) -> bool:
    """Whether an operation computes real numbers of what is not known before."""
    reads = [v for v in operation.inputs if v is not None]
    gives_floats = any(v.is_float for v in operation.outputs)
    return gives_floats and any(v.is_float and v.constant is None for v in reads)


def _reason_against(operation: Operation, scheme: Scheme, target: Target) -> str | None:
    """Why an operation cannot compute with integers."""
    operator = operation.operator
    weights = weights_of(operation)
    if scheme.activations is None and weights is None:
        return "only products with constant weights are asked for"
    if operator not in target.operators:
        return f"{operator.name} stays as it is for {target.name}"
    data = data_of(operation)
    others = {v.precision for v in (*data, *operation.outputs)} - {Precision.FLOAT32}
    if others:
        return f"it computes in {', '.join(sorted(p.name for p in others))}, not FLOAT32"
    known = [v.constant is not None for v in data]
    if all(known):
        return "it reads constants only"
    if any(known) and weights is None and not target.is_whole:
        return f"{operator.name} by a constant is as fast with real numbers"
    return None


def _keep_without_products(
    order: Sequence[Operation], moving: Iterable[Operation], placement: Placement
) -> None:
    """Let sums and the like stay real whose result no product with integers reads: rounding for
    them alone costs more than it saves."""
    movements = set(moving)
    leading: set[Operation] = set()
    for operation in reversed(order):
        is_product = operation in placement.integer and operation.operator in PRODUCTS
        reads = [r for v in operation.outputs for r in v.uses]
        leads = any(r in leading for r in reads)
        if is_product or (leads and (operation in placement.integer or operation in movements)):
            leading.add(operation)
    for operation in [o for o in placement.integer if o not in leading]:
        del placement.integer[operation]
        placement.kept[operation] = "no product with integers reads its result"


def _group_values(
    model: Model, order: Sequence[Operation], moving: Iterable[Operation]
) -> dict[Value, Group]:
    """The group of every value of FLOAT32."""
    groups: dict[Value, Group] = {}
    movements = set(moving)
    for value in (*model.inputs, *(v for o in order for v in o.outputs)):
        if value.precision != Precision.FLOAT32:
            continue
        maker = value.producer
        tied = _tied_values(model, maker) if maker is not None and maker in movements else []
        group = _merge([groups[v] for v in tied], groups)
        group.values.append(value)
        groups[value] = group
        if not tied or (maker is not None and maker.operator in JOINTS):
            group.observed.append(value)
    return groups


def _tied_values(model: Model, movement: Operation) -> list[Value]:
    """The operands that have the grid of the result: of several those that nothing else reads."""
    data = [v for v in data_of(movement) if v.constant is None]
    if movement.operator not in JOINTS:
        return data
    return [v for v in data if len(v.uses) == 1 and v not in model.outputs]


def _merge(several: Sequence[Group], groups: dict[Value, Group]) -> Group:
    """One group of several; a new one of none."""
    distinct = list(dict.fromkeys(several))
    if not distinct:
        return Group()
    first, *others = distinct
    for other in others:
        first.values += other.values
        first.observed += other.observed
        groups.update(dict.fromkeys(other.values, first))
    return first


def _wanted_values(placement: Placement, target: Target) -> Iterator[Value]:
    """What integer kernels read, and what they give where that cannot stay real."""
    for operation in placement.integer:
        yield from (v for v in data_of(operation) if v.constant is None)
        if operation.operator not in target.open_results:
            yield from operation.outputs


def _round_values(
    order: Sequence[Operation],
    moving: Iterable[Operation],
    groups: dict[Value, Group],
    wanted: set[Group],
    placement: Placement,
) -> None:
    """Say which values are rounded: what integer kernels read and give, and what only moves it."""
    movements = set(moving)
    read = {v for o in placement.integer for v in data_of(o)}
    for value in (v for v in groups if v.producer is None and v in read):
        placement.rounded[value] = groups[value]
    for operation in order:
        if operation in movements:
            is_result = all(
                v in placement.rounded or v.constant is not None for v in data_of(operation)
            )
            if is_result:
                placement.movements[operation] = None
        else:
            is_result = operation in placement.integer
        for value in operation.outputs:
            if value not in groups or groups[value] not in wanted:
                continue
            if is_result or value in read:
                placement.rounded[value] = groups[value]
            if is_result:
                placement.results.add(value)
