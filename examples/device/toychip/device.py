"""A chip with a list of instructions: registers in, a function of NumPy, a register out."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hal.device import Device
from hal.emission import Emission, refusal
from hal.lowering import Lowerings
from nnir import archive
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import binary, linear, shape, unary
from nnir.types import Precision

Register = int
table = Lowerings[Register]()


class Program(Emission[Register]):
    """A program, while it is made and when it runs."""

    device = "toychip"

    def __init__(self) -> None:
        super().__init__(table)
        self.steps: list[tuple[Callable[..., np.ndarray], list[Register], Register]] = []
        self.constants: dict[Register, np.ndarray] = {}
        self.ends: tuple[list[Register], list[Register]] = [], []
        self.count = 0

    def stand_in(self, value: Value) -> Register:
        """A new register."""
        self.count += 1
        return self.count

    def ref(self, operand: Value | Register | None) -> Register | None:
        """The register of an operand; a constant has one from its first use."""
        if not isinstance(operand, Value):
            return operand
        if operand not in self.names and operand.constant is not None:
            self.names[operand] = self.stand_in(operand)
            self.constants[self.names[operand]] = operand.constant
        return self.names[operand]

    def mark(self) -> int:
        return len(self.steps)

    def undo(self, mark: int) -> None:
        del self.steps[mark:]

    def step(self, kernel: Callable[..., Any], *operands: Value) -> Register:
        """Append an instruction; the register of its result."""
        for value in (*operands, *self.operation.outputs):
            if value.precision != Precision.FLOAT32:
                raise NoLowering(f"toychip computes FLOAT32, not {value.precision.name}")
        made = self.stand_in(self.operation.outputs[0])
        self.steps.append((kernel, [self.take(o) for o in operands], made))
        return made


KERNELS = {binary.add: np.add, binary.sub: np.subtract, binary.mul: np.multiply, unary.exp: np.exp}


@table.each(KERNELS)
def elementwise(g: Program, kernel: Callable[..., Any], *inputs: Value) -> Register:
    return g.step(kernel, *inputs)


@table.lower(linear.mat_mul)
def mat_mul(g: Program, x: Value, y: Value) -> Register:
    return g.step(np.matmul, x, y)


@table.lower(shape.transpose)
def transpose(g: Program, input: Value, *, perm: tuple[int, ...] | None) -> Register:
    return g.step(lambda a: a.transpose(perm), input)


class ToyChip(Device[None, Program]):
    """All that the runtime asks of a device."""

    name = "toychip"
    vendor = "nobody"

    def create_context(self, properties: Any, callback: Any) -> None:
        """Programs share nothing."""

    def explain_program(self, context: None, model: Any) -> list[str | None]:
        return [refusal(operation, Program) for operation in model.operations]

    def create_program(self, context: None, model: Any, cache: Any) -> Program:
        """The instructions of a model, which the cache keeps as it is."""
        model = archive.loads(cache.view) if model is None else model
        if cache is not None:
            cache.buffer = archive.dumps(model)
        made = Program()
        made.names.update({value: made.stand_in(value) for value in model.inputs})
        for operation in model.sorted():
            made.lower(operation)
        made.require_lowered()
        made.ends = [made.take(v) for v in model.inputs], [made.take(v) for v in model.outputs]
        return made

    def execute_program(
        self, program: Program, inputs: Sequence[np.ndarray], outputs: Any = ()
    ) -> list[np.ndarray]:
        """Run the instructions on fresh registers, so that several threads can."""
        registers = program.constants | dict(zip(program.ends[0], inputs, strict=True))
        for kernel, sources, target in program.steps:
            registers[target] = np.asarray(kernel(*(registers[s] for s in sources)), np.float32)
        return [np.array(registers[end], order="C") for end in program.ends[1]]
