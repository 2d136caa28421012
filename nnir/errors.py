"""Every error this project raises on purpose, each with the NNAdapter result code it stands for."""

from __future__ import annotations

from enum import IntEnum

from .legible import legible
from .records import dataclass


class Result(IntEnum):
    """NNAdapter result codes."""

    NO_ERROR = 0
    OUT_OF_MEMORY = 1
    INVALID_DIMENSIONS = 2
    INVALID_PARAMETER = 3
    DEVICE_NOT_FOUND = 4
    DEVICE_INTERNAL_ERROR = 5
    FEATURE_NOT_SUPPORTED = 6


@dataclass(frozen=True)
class Refusal:
    """One thing that stands in the way of a model, and where it lies.

    `operator` is the standard's, `source` the one of the framework that the model comes from, where
    each is known. `precision` and `attributes` are what the operation has there; `node` is its name
    in the source, `module` and `line` where it was written.
    """

    why: str
    operator: str = ""
    source: str = ""
    precision: str = ""
    attributes: str = ""
    node: str = ""
    module: str = ""
    line: str = ""


class NNAdapterError(Exception):
    """The model, the file or the call is at fault; the message says what to change.

    `refusals`: each thing that stands in the way by itself, where it is known.
    """

    code = Result.INVALID_PARAMETER
    refusals: tuple[Refusal, ...] = ()


class BadFile(NNAdapterError):
    """A file is damaged, truncated, hostile or not of the format it claims to be."""


class BadModel(NNAdapterError):
    """A model is not well formed: a cycle, a missing operand, a duplicate definition."""


class BadType(NNAdapterError):
    """Operands do not satisfy an operation's type rule."""


class BadCall(NNAdapterError):
    """A call out of order, made twice, or with what does not belong there."""


class BadInput(NNAdapterError):
    """What was handed to a program does not fit its inputs."""

    code = Result.INVALID_DIMENSIONS


class Unsupported(NNAdapterError):
    """A valid model asks for something that is not implemented."""

    code = Result.FEATURE_NOT_SUPPORTED


class NotConstant(Unsupported):
    """A value that must be known while converting is only known while running."""


class NoLowering(Unsupported):
    """A device has neither a lowering nor a decomposition for an operation."""


class NoDevice(NNAdapterError):
    """No such device is installed, or it cannot be opened."""

    code = Result.DEVICE_NOT_FOUND


class DeviceError(NNAdapterError):
    """A device failed while compiling or running."""

    code = Result.DEVICE_INTERNAL_ERROR


class OutOfMemory(DeviceError):
    """Results or programs do not fit in memory."""

    code = Result.OUT_OF_MEMORY


class Differs(DeviceError):
    """What was written or compiled does not compute what its origin computes."""


DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What Python raises for bytes of a file that lack a part or have one of another kind: for readers
alone, around what parses. Anywhere else AttributeError, LookupError and TypeError are bugs."""

VALUES = (ArithmeticError, MemoryError, RecursionError, ValueError)
"""What Python and NumPy raise for values that do not go together, or are too large: in a converter,
a type rule or a reference they come from the file or from the data. All else is a bug of ours."""

BREACHES = (BadType, BadModel, BadCall)
"""What an operator's rule or a model raises for what nobody may make: from a decomposition, whose
operands have passed their own rule, it is a bug. What that refuses is Unsupported."""

FAILURES = (NNAdapterError, *DAMAGE)
"""What tools that go on with the next case catch: whatever became of one is its verdict."""

LONGEST = 4000


def summary(error: BaseException) -> str:
    """The error and its notes (where it happened) on one line, as the command line prints it."""
    notes = " ".join(getattr(error, "__notes__", ()))
    text = " ".join(f"{error} {notes}".split())
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    return legible(text)


def describe(error: BaseException) -> str:
    """A Python error in words, for the message of one of ours."""
    return f"{type(error).__name__}: {error}"
