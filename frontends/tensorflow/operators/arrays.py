"""TensorFlow 1's arrays of tensors: the flow is the list, the handle says what it may hold."""

from __future__ import annotations

from typing import Any

from nnir.errors import BadType
from nnir.model import Value
from nnir.records import dataclass
from nnir.types import Precision

from ...table import Table
from ...translate import Translator
from .lists import count_of, join_elements, split_lengths
from .tensor_list import (
    List,
    Places,
    Sizes,
    are_known,
    pick_elements,
    reserve_list,
    scatter_rows,
)

table = Table()


@dataclass(frozen=True)
class Array:
    """What an array may hold, and whether it grows."""

    precision: Precision
    element: Sizes | None
    grows: bool

    def require(self, kind: Precision) -> None:
        """BadType for elements of another precision."""
        if kind != self.precision:
            raise BadType(f"elements of {kind.name} in an array of {self.precision.name}")


def shape_of(given: Any) -> Sizes | None:
    """A shape among the attributes; None for an unknown rank."""
    return None if given is None else tuple(int(d) for d in given)


@table.convert("TensorArrayV3")
def array(
    size: Value,
    *,
    dtype: Precision,
    element_shape: Any = None,
    dynamic_size: bool = False,
    clear_after_read: bool = True,
    identical_element_shapes: bool = False,
    tensor_array_name: str = "",
    translator: Translator,
) -> tuple[Array, List]:
    element = shape_of(element_shape)
    return Array(dtype, element, dynamic_size), reserve_list(size, dtype, element, translator)


@table.convert("TensorArrayReadV3")
def read(
    handle: Array, index: Value, flow_in: List, *, dtype: Precision, translator: Translator
) -> Value:
    handle.require(dtype)
    return flow_in.item(index, handle.element, translator)


@table.convert("TensorArrayWriteV3")
def write(
    handle: Array, index: Value, value: Value, flow_in: List, *, translator: Translator
) -> List:
    handle.require(value.precision)
    return flow_in.with_item(index, value, grows=handle.grows, translator=translator)


@table.convert("TensorArrayGatherV3")
def gather(
    handle: Array,
    indices: Value,
    flow_in: List,
    *,
    dtype: Precision,
    element_shape: Any = None,
    translator: Translator,
) -> Value:
    handle.require(dtype)
    wanted = shape_of(element_shape)
    return pick_elements(
        flow_in, indices, wanted if are_known(wanted) else handle.element, translator
    )


@table.convert("TensorArrayScatterV3")
def scatter(
    handle: Array, indices: Value, value: Value, flow_in: List, *, translator: Translator
) -> List:
    handle.require(value.precision)
    return scatter_rows(flow_in, value, indices, translator)


@table.convert("TensorArrayConcatV3")
def concat(
    handle: Array,
    flow_in: List,
    *,
    dtype: Precision,
    element_shape_except0: Any = None,
    translator: Translator,
) -> tuple[Value, Value]:
    handle.require(dtype)
    return join_elements(flow_in, handle.element, translator)


@table.convert("TensorArraySplitV3")
def split(
    handle: Array, value: Value, lengths: Places, flow_in: List, *, translator: Translator
) -> List:
    handle.require(value.precision)
    return split_lengths(value, lengths, handle.element)


@table.convert("TensorArraySizeV3")
def size(handle: Array, flow_in: List, *, translator: Translator) -> Value:
    return count_of(flow_in.count(translator), translator)


@table.convert("TensorArrayCloseV3")
def close(handle: Array) -> tuple[()]:
    return ()
