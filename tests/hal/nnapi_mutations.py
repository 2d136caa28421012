"""Mutations of valid NNAPI models: each is refused with the right status, or gives equal results.

    python -m tests.hal.nnapi_mutations --count 20000 --seed 0

A model that is accepted runs in our runtime and, through the frontend, in the standard's own
references, which know nothing of each other.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from conformance.case import Tolerance
from conformance.cases.nnapi import CASES
from conformance.engines.nnapi import make_model
from conformance.engines.tflite import run_inputs
from conformance.judging.compare import compare
from frontends.nnapi.converters import translate
from frontends.nnapi.reading import reader
from hal.drivers.nnapi.runtime import SoftwareDevice
from nnir.errors import BadModel, NNAdapterError, Unsupported
from nnir.evaluate import Plan
from nnir.formats.nnapi.check import check
from nnir.formats.nnapi.structures import (
    DataLocation,
    ErrorStatus,
    LifeTime,
    Model,
    OperandType,
    OperationType,
    Request,
    RequestArgument,
)

ROUNDS = Tolerance(relative=2e-5, absolute=2e-5)
QUANTUM = Tolerance(absolute=1)
TABLES = {OperationType.EMBEDDING_LOOKUP, OperationType.HASHTABLE_LOOKUP}
LARGEST = 1 << 20
"""Inputs of more elements are not made up."""
Mutate = Callable[[Model, np.random.Generator], Model]


@cache
def starts() -> list[Model]:
    """The models of all cases that are valid, with the dimensions of their results."""
    return [close(make_model(c)) for c in CASES if not c.raises and run_inputs(c)]


def close(model: Model) -> Model:
    """The model with all dimensions that are deduced."""
    pairs = zip(model.operands, check(model), strict=True)
    return replace(model, operands=tuple(replace(o, dimensions=d) for o, d in pairs))


def pick(rng: np.random.Generator, values: Sequence[Any]) -> Any:
    return values[int(rng.integers(len(values)))]


def change_operand(model: Model, rng: np.random.Generator) -> Model:
    """One field of one operand."""
    place = int(rng.integers(len(model.operands)))
    operand = model.operands[place]
    dims = list(operand.dimensions)
    if dims:
        dims[int(rng.integers(len(dims)))] = int(
            pick(rng, (0, 1, 2, 3, 5, 8, 1 << 20, (1 << 31) - 1))
        )
    numbers = (0, 1, 2, 7, 128, 255, 256, -1)
    field, value = pick(
        rng,
        (
            ("type", pick(rng, list(OperandType))),
            ("dimensions", tuple(dims)),
            ("dimensions", operand.dimensions[:-1]),
            ("dimensions", (*operand.dimensions, 1)),
            ("number_of_consumers", int(rng.integers(4))),
            ("scale", float(pick(rng, (0.0, 0.5, 1 / 256, -1.0, np.nan, np.inf, 1e-30)))),
            ("zero_point", int(pick(rng, numbers))),
            ("lifetime", pick(rng, list(LifeTime))),
            ("location", DataLocation(*(int(pick(rng, (0, 1, 4, 8, 1 << 31))) for _ in range(3)))),
        ),
    )
    operands = list(model.operands)
    operands[place] = replace(operand, **{field: value})
    return replace(model, operands=tuple(operands))


def change_operation(model: Model, rng: np.random.Generator) -> Model:
    """The type, an input or an output of an operation."""
    where = int(rng.integers(len(model.operations)))
    operation = model.operations[where]
    inputs, outputs = list(operation.inputs), list(operation.outputs)
    index = int(rng.integers(len(model.operands) + 1))
    match int(rng.integers(5)):
        case 0:
            operation = replace(operation, type=pick(rng, list(OperationType)))
        case 1:
            place = int(rng.integers(max(len(inputs), 1)))
            inputs[place : place + 1] = [index]
        case 2:
            place = int(rng.integers(max(len(inputs), 1)))
            del inputs[place : place + 1]
        case 3:
            inputs.insert(int(rng.integers(len(inputs) + 1)), index)
        case _:
            outputs[int(rng.integers(len(outputs)))] = index
    operation = replace(operation, inputs=tuple(inputs), outputs=tuple(outputs))
    operations = list(model.operations)
    operations[where] = operation
    return replace(model, operations=tuple(operations))


def change_ends(model: Model, rng: np.random.Generator) -> Model:
    """The inputs or the outputs of the model."""
    name = pick(rng, ("input_indexes", "output_indexes"))
    indexes = list(getattr(model, name))
    match int(rng.integers(3)):
        case 0:
            indexes.append(int(rng.integers(len(model.operands))))
        case 1:
            del indexes[-1:]
        case _:
            indexes.reverse()
    return replace(model, **{name: tuple(indexes)})


def change_values(model: Model, rng: np.random.Generator) -> Model:
    """Bytes of a constant: most are scalars of the operation."""
    values = model.operand_values.copy()
    if not values.size:
        return change_operand(model, rng)
    words = values[: values.size // 4 * 4].view("<i4")
    words[int(rng.integers(len(words)))] = pick(rng, (0, 1, 2, 3, 4, 7, -1, 1 << 20, 0x3F000000))
    return replace(model, operand_values=values)


MUTATIONS: tuple[Mutate, ...] = (change_operand, change_operation, change_ends, change_values)


@dataclass(frozen=True)
class Found:
    """What became of a mutation: "refused", "failed" (both), "equal", or what is wrong."""

    verdict: str
    problem: str = ""


def judge(model: Model, rng: np.random.Generator) -> Found:
    """The runtime's status and results beside the rules and the references."""
    status, prepared = SoftwareDevice().prepare_model(model)
    try:
        dims = check(model)
    except BadModel as error:
        right = status == ErrorStatus.INVALID_ARGUMENT and prepared is None
        return Found("refused" if right else "wrong", f"{status.name} for {error}")
    if status != ErrorStatus.NONE or prepared is None:
        return Found("wrong", f"{status.name} for a valid model")
    ends = [dims[k] for k in (*model.input_indexes, *model.output_indexes)]
    if any(0 in d or np.prod(d, dtype=object) > LARGEST for d in ends):
        return Found("open")
    arrays = [make_input(model, k, dims[k], rng) for k in model.input_indexes]
    status, got = execute(prepared, model, arrays, ends)
    want = reference(model, arrays)
    if status == ErrorStatus.GENERAL_FAILURE and (want is None or may_fail(model)):
        return Found("failed")
    if want is None:
        return Found("unexpressed")
    if status != ErrorStatus.NONE:
        return Found("wrong", f"{status.name}, where the references give results")
    for name, a, b in zip(model.output_indexes, got, want, strict=True):
        found = compare(a, b, QUANTUM if a.dtype == np.uint8 else ROUNDS)
        if found.problem:
            return Found("wrong", f"output {name}: {found.problem}")
    return Found("equal")


def may_fail(model: Model) -> bool:
    """Rows below 0 and keys that do not ascend are errors in NNAPI; the standard's operators count
    from the end, and need no order."""
    return any(o.type in TABLES for o in model.operations)


def make_input(model: Model, index: int, dims: Any, rng: np.random.Generator) -> np.ndarray:
    """Numbers for an input, those of integers small."""
    dtype = model.operands[index].type.dtype
    if dtype.kind == "f":
        return rng.uniform(-2, 2, dims).astype(dtype)
    most = 255 if dtype == np.uint8 else 2
    return np.sort(rng.integers(0, most + 1, dims).astype(dtype), 0)


def execute(
    prepared: Any, model: Model, arrays: Sequence[np.ndarray], ends: Sequence[Any]
) -> tuple[ErrorStatus, list[np.ndarray]]:
    """One run by the calls of the HAL."""
    outputs = [model.operands[k].type.dtype for k in model.output_indexes]
    count = len(arrays)
    results = [np.zeros(d, t) for d, t in zip(ends[count:], outputs, strict=True)]
    pools = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in (*arrays, *results)]
    pairs = zip(pools, ends, strict=True)
    scalars = [k for k in model.input_indexes if not model.operands[k].type.is_tensor]
    arguments = tuple(
        RequestArgument(False, DataLocation(k, 0, len(p)), () if scalars else tuple(d))
        for k, (p, d) in enumerate(pairs)
    )
    request = Request(arguments[:count], arguments[count:], tuple(pools))
    return prepared.execute(request), results


def reference(model: Model, arrays: Sequence[np.ndarray]) -> list[np.ndarray] | None:
    """The results of the same model as nnir; None where it cannot be said there."""
    try:
        with np.errstate(all="ignore"):
            return Plan(translate(reader.read(model))).run(arrays)
    except (Unsupported, NNAdapterError, ValueError, MemoryError):
        return None


def run(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many mutations ended how, and what is wrong with some."""
    rng = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    problems = []
    for number in range(count):
        model = pick(rng, starts())
        for _ in range(int(rng.integers(1, 3))):
            model = pick(rng, MUTATIONS)(model, rng)
        result = judge(model, rng)
        found[result.verdict] += 1
        if result.verdict == "wrong":
            kinds = ", ".join(o.type.name for o in model.operations)
            problems.append(f"{number} ({kinds}): {result.problem}")
    return found, problems


def main() -> int:
    """Run mutations; status 1 where one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found, problems = run(given.count, given.seed)
    sys.stdout.write("\n".join([str(dict(found)), *problems, ""]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
