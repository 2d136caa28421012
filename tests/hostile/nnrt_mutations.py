"""Random mutations of valid NNRt models: each is accepted with equal results, or refused.

    python -m tests.hostile.nnrt_mutations --count 20000 --seed 0

A mutated model goes two ways: through the runtime's calls, and through the frontend and the
references. Both take it and give the same results, or both refuse it with one return code. Nothing
else is raised, and nothing takes long.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import numpy as np

from conformance.cases.nnrt import CASES
from conformance.engines.nnrt import array_of, declare_result, is_held, write_case
from frontends import nnrt as frontend
from hal.drivers.nnrt.runtime import Compilation, Executor
from nnir.errors import VALUES, NNAdapterError
from nnir.evaluate import evaluate
from nnir.formats.nnrt import files
from nnir.formats.nnrt.construction import ModelBuilder, TensorDesc, code_of
from nnir.formats.nnrt.enums import DataType, Format, ReturnCode
from nnir.formats.nnrt.explicit import write_out
from nnir.formats.nnrt.model import Model, QuantParam, Tensor
from nnir.recipes.nnrt.assembly import Assembly, assemble
from nnir.types import TensorType

LARGEST = 1 << 16
SLOWEST = 5.0
OPEN = frozenset({"CONSTANT_OF_SHAPE"})
"""Operations whose cases have results of open sizes."""

REFUSALS = frozenset(
    {
        *(ReturnCode.INVALID_FILE, ReturnCode.INVALID_PARAMETER, ReturnCode.UNSUPPORTED),
        *(ReturnCode.FAILED, ReturnCode.MEMORY_ERROR, ReturnCode.OPERATION_FORBIDDEN),
    }
)


@dataclass(frozen=True)
class Start:
    """A valid model and inputs for it."""

    name: str
    model: Model
    inputs: tuple[np.ndarray, ...]


def starts() -> list[Start]:
    """The models of the cases that run, each operation twice at most."""
    found: list[Start] = []
    seen: Counter[str] = Counter()
    for case in CASES:
        if case.raises is not None or seen[case.op] == 2 or case.op in OPEN:
            continue
        given = [g for g in case.inputs if g is not None]
        inputs = tuple(array_of(g) for g in given if not is_held(g))
        draft = files.read(write_case(case, _results(case)))
        found.append(Start(str(case), draft, inputs))
        seen[case.op] += 1
    return found


class Trial(Assembly):
    """Says what results are, whatever they are declared as."""

    def require(self, tensor: Tensor, found: TensorType, what: str) -> None:
        """Nothing is required."""


def _results(case: Any) -> list[Tensor]:
    """The tensors of the results of a case."""
    count = case.outputs
    if case.op == "SPLIT":
        count = case.attrs["outputNum"]
    hows = case.results or (None,) * count
    blanks = [_blank(how, k) for k, how in enumerate(hows)]
    draft = files.Reader(write_case(case, blanks)).read()
    model = Trial(write_out(draft), None).run()
    ends = [np.empty(v.sizes, v.dtype) for v in model.outputs]
    return [
        declare_result(how, a, f"y{k}") for k, (how, a) in enumerate(zip(hows, ends, strict=True))
    ]


def _blank(how: Any, number: int) -> Tensor:
    """A result of which only the scale is known."""
    if how is None:
        return Tensor(DataType.FLOAT32, (), name=f"y{number}")
    return declare_result(how, how.array, f"y{number}")


# Mutations of bytes


def flip(draw: random.Random, data: bytearray) -> None:
    """Other bits of one byte."""
    data[draw.randrange(len(data))] ^= draw.randrange(1, 256)


def set_word(draw: random.Random, data: bytearray) -> None:
    """A number of four bytes."""
    place = draw.randrange(len(data) - 4) & ~3
    value = draw.choice([0, 1, 2, 4, 64, 0x7FFFFFFF, 0xFFFFFFFF, draw.randrange(200)])
    data[place : place + 4] = value.to_bytes(4, "little")


def cut(draw: random.Random, data: bytearray) -> None:
    """Nothing behind a place."""
    del data[draw.randrange(len(data)) :]


def insert(draw: random.Random, data: bytearray) -> None:
    """Bytes in between."""
    place = draw.randrange(len(data))
    data[place:place] = draw.randbytes(draw.choice([1, 4, 64]))


def move(draw: random.Random, data: bytearray) -> None:
    """Some bytes in the place of others."""
    size = draw.choice([1, 4, 16])
    source, target = (draw.randrange(len(data) - size) for _ in range(2))
    data[target : target + size] = data[source : source + size]


BYTES: tuple[Callable[[random.Random, bytearray], None], ...] = (flip, set_word, cut, insert, move)


# Mutations of models


def change_tensor(draw: random.Random, model: Model) -> Model:
    """Another type, shape, mark, format, scale or data of one tensor."""
    number = draw.randrange(len(model.tensors))
    tensor = model.tensors[number]
    sizes = list(tensor.shape)
    if sizes and draw.random() < 0.8:
        sizes[draw.randrange(len(sizes))] = draw.choice([-1, 0, 1, 2, 3, 5, -2, 1 << 40])
    else:
        sizes.insert(draw.randrange(len(sizes) + 1), draw.choice([1, 2]))
    how = QuantParam(draw.choice([(0.1,), (0.1, 0.2), (), (-1.0,)]), draw.choice([(0,), (300,)]))
    others: list[dict[str, Any]] = [
        {"data_type": draw.choice(list(DataType))},
        {"shape": tuple(sizes)},
        {"type": draw.randrange(-1, 170)},
        {"format": draw.choice(list(Format))},
        {"quantization": how},
        {"quantization": None},
        {"data": None},
    ]
    if tensor.data is not None and tensor.data.size:
        values = tensor.data.copy().reshape(-1)
        noise = np.frombuffer(draw.randbytes(8), np.uint8)[:1].astype(values.dtype)
        values[draw.randrange(len(values))] = noise[0]
        others += [{"data": values.reshape(tensor.data.shape)}] * 4
    changed = replace(tensor, **draw.choice(others))
    return replace(model, tensors=(*model.tensors[:number], changed, *model.tensors[number + 1 :]))


def change_operation(draw: random.Random, model: Model) -> Model:
    """Another code, or other operands, of one operation."""
    number = draw.randrange(len(model.operations))
    operation = model.operations[number]
    name = draw.choice(["code", "parameters", "inputs", "outputs"])
    if name == "code":
        changed = replace(operation, code=draw.choice([0, 109, draw.randrange(1, 109)]))
    else:
        changed = replace(operation, **{name: numbers(draw, getattr(operation, name), model)})
    rest = model.operations[number + 1 :]
    return replace(model, operations=(*model.operations[:number], changed, *rest))


def change_ends(draw: random.Random, model: Model) -> Model:
    """Other inputs or outputs of the model."""
    name = draw.choice(["inputs", "outputs"])
    return replace(model, **{name: numbers(draw, getattr(model, name), model)})


def numbers(draw: random.Random, given: Sequence[int], model: Model) -> tuple[int, ...]:
    """One number more, less, twice or of another tensor."""
    found = list(given)
    wild = draw.choice([draw.randrange(len(model.tensors)), len(model.tensors), 0xFFFFFFFF])
    match draw.randrange(4):
        case 0 if found:
            del found[draw.randrange(len(found))]
        case 1 if found:
            found[draw.randrange(len(found))] = wild
        case 2:
            draw.shuffle(found)
        case _:
            found.insert(draw.randrange(len(found) + 1), wild)
    return tuple(found)


MODELS: tuple[Callable[[random.Random, Model], Model], ...] = (
    *(change_tensor, change_tensor, change_operation, change_operation, change_ends),
)


# The two ways


def build(model: Model) -> tuple[ReturnCode, ModelBuilder]:
    """A model by the calls of the runtime: the first code that is no success."""
    builder = ModelBuilder(model.name)
    for k, tensor in enumerate(model.tensors):
        desc = TensorDesc(tensor.data_type, tensor.shape, tensor.format, tensor.name)
        calls: list[Callable[[], ReturnCode]] = [lambda d=desc: builder.add_tensor(d)]
        if tensor.type:
            calls.append(lambda k=k, t=tensor.type: builder.set_tensor_type(k, t))
        if tensor.quantization is not None:
            how = tensor.quantization
            calls.append(lambda k=k, q=how: builder.set_tensor_quantization(k, q))
        if tensor.data is not None:
            calls.append(lambda k=k, a=tensor.data: builder.set_tensor_data(k, a))
        for call in calls:
            if code := call():
                return code, builder
    for o in model.operations:
        if code := builder.add_operation(o.code, o.parameters, o.inputs, o.outputs):
            return code, builder
    return (
        builder.specify_inputs_and_outputs(model.inputs, model.outputs) or builder.finish(),
        builder,
    )


def run_built(builder: ModelBuilder, inputs: Sequence[np.ndarray]) -> tuple[ReturnCode, list[Any]]:
    """A finished model, compiled and run by calls."""
    compilation = Compilation(builder)
    results: list[Any] = []
    code = compilation.build()
    return code or Executor(compilation).run_sync(list(inputs), results), results


def run_file(content: bytes, inputs: Sequence[np.ndarray]) -> tuple[ReturnCode, list[Any]]:
    """A file through the frontend and the references."""
    try:
        written = files.read(content)
        model = frontend.load(content)
        if [v.type.dtype for v in model.inputs] != [a.dtype for a in inputs]:
            return ReturnCode.INVALID_PARAMETER, []
        assemble(written, [a.shape for a in inputs])
        return ReturnCode.SUCCESS, evaluate(model, list(inputs))
    except NNAdapterError as error:
        return code_of(error), []
    except VALUES as error:
        return code_of(error), []


def is_small(model: Model) -> bool:
    """Whether nothing large is made."""
    sizes = [int(np.prod([max(d, 1) for d in t.shape], dtype=object)) for t in model.tensors]
    return max(sizes, default=0) <= LARGEST


def problem_of(draw: random.Random, start: Start) -> tuple[str, str | None]:
    """What becomes of one mutation, and what is wrong about that."""
    if draw.random() < 0.5:
        return problem_of_bytes(draw, start)
    model = start.model
    for _ in range(draw.choice([1, 1, 2])):
        model = draw.choice(MODELS)(draw, model)
    code, builder = build(model)
    if code:
        wrong = None if code in REFUSALS else f"{code.name}: {builder.problem}"
        return f"refused by the builder: {code.name}", wrong
    if not is_small(builder.model or model):
        return "accepted, too large to run", None
    file = BytesIO()
    files.write(builder.model or model, file)
    code, results = run_built(builder, start.inputs)
    return compare_ways(code, results, run_file(file.getvalue(), start.inputs))


def problem_of_bytes(draw: random.Random, start: Start) -> tuple[str, str | None]:
    """What becomes of the damaged bytes of a model."""
    file = BytesIO()
    files.write(start.model, file)
    data = bytearray(file.getvalue())
    for _ in range(draw.choice([1, 1, 1, 3])):
        if len(data) > 80:
            draw.choice(BYTES)(draw, data)
    content = bytes(data)
    try:
        model = files.read(content)
    except NNAdapterError as error:
        code = code_of(error)
        wrong = None if code == ReturnCode.INVALID_FILE and "\n" not in str(error) else str(error)
        return f"refused by the reader: {code.name}", wrong
    if not is_small(model):
        return "accepted, too large to run", None
    builder = ModelBuilder()
    builder.model = model
    code, results = run_built(builder, start.inputs)
    return compare_ways(code, results, run_file(content, start.inputs))


def compare_ways(
    code: ReturnCode, results: list[Any], other: tuple[ReturnCode, list[Any]]
) -> tuple[str, str | None]:
    """Whether both ways end alike."""
    if bool(code) != bool(other[0]):
        return "one way refuses", f"runtime {code.name}, frontend {other[0].name}"
    if code:
        wrong = None if code in REFUSALS else f"refused with {code.name}"
        return f"refused by the runtime: {code.name}", wrong
    same = len(results) == len(other[1]) and all(
        a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for a, b in zip(results, other[1], strict=True)
    )
    close = same or all(
        a.shape == b.shape and np.allclose(a, b, 1e-5, 1e-6, equal_nan=True)
        for a, b in zip(results, other[1], strict=True)
    )
    return "accepted with equal results", None if close else "results differ"


def attack(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How `count` mutations end, and which end wrong."""
    draw = random.Random(seed)
    every = starts()
    ends: Counter[str] = Counter()
    wrong = []
    for number in range(count):
        start = draw.choice(every)
        begin = time.monotonic()
        try:
            end, problem = problem_of(draw, start)
        except Exception as error:  # noqa: BLE001  whatever it is, it is no refusal of ours
            end, problem = "crashed", f"{type(error).__name__}: {error}"
        if time.monotonic() - begin > SLOWEST:
            problem = problem or "slow"
        ends[end] += 1
        if problem:
            wrong.append(f"{number} of {start.name}: {end}: {problem}"[:400])
    return ends, wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    ends, wrong = attack(given.count, given.seed)
    for end, times in ends.most_common():
        print(f"{times:6} {end}")  # noqa: T201  a program for the command line
    print(f"{len(wrong)} wrong", *wrong[:40], sep="\n")  # noqa: T201  as above
    sys.exit(bool(wrong))
