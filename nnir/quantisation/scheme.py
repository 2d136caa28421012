"""What becomes integers, and how: what a user chooses, and what a target takes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from ..errors import BadInput, Unsupported
from ..model import Operator
from ..records import dataclass
from ..types import Precision
from .ranges import METHODS, Method
from .roles import ARITHMETIC, INTEGER_NNAPI, OTHER_WINDOWS, PRODUCTS, RESULTS, TABLES

ACTIVATIONS = frozenset({Precision.INT8, Precision.UINT8, Precision.INT16})
WEIGHTS = frozenset({Precision.INT8, Precision.INT4, Precision.UINT4})

WeightMethod = Literal["nearest", "gptq"]
WEIGHT_METHODS: tuple[WeightMethod, ...] = get_args(WeightMethod)


@dataclass(frozen=True)
class Scheme:
    """How the numbers of a model become integers.

    `activations` is the precision of what operations pass on, None where only weights become
    integers; `weights` that of constants. With `per_channel` each filter has a scale of its own;
    `block` is how many weights along the summed axis share one (0: all). `method` chooses ranges of
    activations (`percentile` of the values for "percentile"), `is_symmetric` puts 0 in the middle.
    `reduced`: weights use 7 of 8 bits, for processors whose sums of products saturate.
    `weight_zero_points`: each scale of weights has a zero point of its own, in place of the middle.
    `weight_method` rounds weights to the nearest integers, or ("gptq") so that the products with
    the inputs that data shows are as near as can be.
    """

    activations: Precision | None = Precision.INT8
    weights: Precision = Precision.INT8
    per_channel: bool = True
    block: int = 0
    method: Method = "minmax"
    percentile: float = 99.99
    is_symmetric: bool = False
    reduced: bool = False
    weight_zero_points: bool = False
    weight_method: WeightMethod = "nearest"

    def __post_init__(self) -> None:
        if self.activations is not None and self.activations not in ACTIVATIONS:
            raise BadInput(f"activations of {self.activations.name}, not {_names(ACTIVATIONS)}")
        if self.weights not in WEIGHTS:
            raise BadInput(f"weights of {self.weights.name}, not {_names(WEIGHTS)}")
        if self.method not in METHODS:
            raise BadInput(f"method {self.method!r}, not one of {', '.join(METHODS)}")
        if not 50 < self.percentile <= 100:
            raise BadInput(f"percentile={self.percentile}, not above 50 and up to 100")
        if self.weight_method not in WEIGHT_METHODS:
            accepted = ", ".join(WEIGHT_METHODS)
            raise BadInput(f"weight_method {self.weight_method!r}, not one of {accepted}")
        if self.weight_zero_points and self.activations is not None:
            raise BadInput(
                f"zero points of weights with activations of {self.activations.name}; they are for "
                "weights alone (activations=None)"
            )
        if self.block < 0:
            raise BadInput(f"block={self.block}, not 0 or a number of weights")
        if self.block and self.activations is not None:
            raise BadInput(
                f"block={self.block} with activations of {self.activations.name}; blocks are for "
                "weights alone (activations=None)"
            )


def _names(precisions: Collection[Precision]) -> str:
    return ", ".join(sorted(p.name for p in precisions))


@dataclass(frozen=True)
class Target:
    """What an engine computes with integers.

    `operators` have integer kernels; results of `open_results` may stay real numbers where no
    integer kernel reads them, all others are rounded again at once. `is_whole`: everything that
    can be integers is, for processors that have nothing else. `has_blocks`: blocks of
    weights have scales and zero points of their own, not rows alone. `has_filters`: so have
    filters.
    """

    name: str
    operators: frozenset[Operator]
    open_results: frozenset[Operator]
    is_whole: bool = False
    has_blocks: bool = True
    has_filters: bool = True


def require_fit(scheme: Scheme, target: Target) -> None:
    """Unsupported where a target has no form for the weights of a scheme."""
    if scheme.per_channel and scheme.activations is not None and not target.has_filters:
        raise Unsupported(f"a scale for each filter: {target.name} has one; give --per-tensor")
    if target.has_blocks:
        return
    cure = "leave it out, or write .onnx, .xml or .nnir"
    if scheme.block:
        raise Unsupported(f"block={scheme.block}: {target.name} has a scale for each row; {cure}")
    if scheme.weight_zero_points:
        raise Unsupported(f"weight_zero_points: 0 stands for 0 in {target.name}; {cure}")


def target_of(suffix: str) -> Target:
    """The target of a file's suffix; that of `.onnx` for what has no rules of its own.

    Only LiteRT and NNAPI gain by integers in SOFTMAX and the like: the others compute them as
    fast, and better, with real numbers.
    """
    operators = PRODUCTS | ARITHMETIC
    match suffix:
        case ".tflite":
            whole = (operators | RESULTS | TABLES) - OTHER_WINDOWS
            return Target("LiteRT", whole, frozenset(), is_whole=True, has_blocks=False)
        case ".nnapi":
            kernels = INTEGER_NNAPI
            return Target("NNAPI", kernels, frozenset(), True, has_blocks=False, has_filters=False)
        case ".xml":
            return Target("OpenVINO", operators, operators)
    return Target("ONNX Runtime", operators, PRODUCTS)
