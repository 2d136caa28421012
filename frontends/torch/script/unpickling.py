"""The pickles of a TorchScript archive, read by the few opcodes and names that it uses.

Nothing is imported or called: the names that may stand in such a pickle are in a table, and each
makes one of our own objects. Compare torch/csrc/jit/serialization/pickler.cpp.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from nnir.errors import BadFile, Unsupported
from nnir.types import Precision

from .archive import Archive
from .library import CUSTOM
from .things import REEXPORT, Device, Instance, Items, Opaque, Stored, Table

STORAGES: dict[str, Precision] = {
    "BFloat16Storage": Precision.BFLOAT16,
    "BoolStorage": Precision.BOOL8,
    "ByteStorage": Precision.UINT8,
    "CharStorage": Precision.INT8,
    "ComplexDoubleStorage": Precision.COMPLEX128,
    "ComplexFloatStorage": Precision.COMPLEX64,
    "DoubleStorage": Precision.FLOAT64,
    "FloatStorage": Precision.FLOAT32,
    "HalfStorage": Precision.FLOAT16,
    "IntStorage": Precision.INT32,
    "LongStorage": Precision.INT64,
    "ShortStorage": Precision.INT16,
}
CLASSES = "__torch__."
MOST = 1 << 24
"""Objects in one pickle."""


class Global:
    """A name that a pickle asks for."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Mark:
    """Where the items of a list, tuple or dictionary begin."""


MARK = Mark()


class Unpickler:
    """Reads one pickle of an archive; its tensors are views into the archive."""

    def __init__(self, archive: Archive, name: str) -> None:
        self.archive = archive
        self.folder = name
        self.data = archive.read(f"{name}.pkl")
        self.at = 0
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.tensors: dict[tuple[Any, ...], Stored] = {}

    def read(self) -> Any:
        """The object; BadFile for what such an archive never holds."""
        try:
            for _ in range(MOST):
                code = self.take(1)
                if code == b".":
                    return self._last()
                opcode = OPCODES.get(code)
                if opcode is None:
                    raise BadFile(f"{self.folder}.pkl: an opcode {code!r}, which is not for data")
                opcode(self)
        except (IndexError, KeyError, TypeError, ValueError, struct.error) as error:
            raise BadFile(f"damaged {self.folder}.pkl: {type(error).__name__}: {error}") from None
        raise BadFile(f"{self.folder}.pkl: more than {MOST} objects")

    def take(self, size: int) -> bytes:
        """The next bytes."""
        if size < 0 or self.at + size > len(self.data):
            raise BadFile(f"truncated {self.folder}.pkl")
        self.at += size
        return self.data[self.at - size : self.at]

    def line(self) -> str:
        """The bytes up to the end of the line."""
        end = self.data.index(b"\n", self.at)
        text = self.take(end - self.at).decode()
        self.at += 1
        return text

    def number(self, form: str) -> Any:
        """The next number in a form of `struct`."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def items(self) -> list[Any]:
        """What lies above the last mark, which goes too."""
        at = len(self.stack) - 1
        while self.stack[at] is not MARK:
            at -= 1
            if at < 0:
                raise IndexError("no mark")
        found = self.stack[at + 1 :]
        del self.stack[at:]
        return found

    def _last(self) -> Any:
        if len(self.stack) != 1:
            raise BadFile(f"damaged {self.folder}.pkl: {len(self.stack)} objects at its end")
        return self.stack[0]

    def storage(self, identity: Any) -> tuple[str, Precision]:
        """A storage by its persistent identity: the member it lies in, and its elements."""
        kind, storage, key, _, _ = identity
        if kind != "storage" or not isinstance(storage, Global) or not isinstance(key, str):
            raise BadFile(f"{self.folder}.pkl: a persistent object that is no storage")
        name = storage.name.removeprefix("torch.")
        if name not in STORAGES:
            raise Unsupported(
                f"tensors in a {storage.name}, which holds no plain numbers: {REEXPORT}"
            )
        return f"{self.folder}/{key}", STORAGES[name]

    def tensor(self, arguments: Any) -> Stored:
        """A tensor over its storage; the same object for the same view of it."""
        (member, precision), offset, sizes, strides, is_trained, *_ = arguments
        if not all(type(n) is int for n in (offset, *sizes, *strides)):
            raise BadFile(f"{self.folder}.pkl: a tensor of sizes {sizes!r}")
        key = member, precision, offset, sizes, strides
        if key not in self.tensors:
            array = self.elements(member, precision, list(sizes), list(strides), offset)
            array.flags.writeable = False
            self.tensors[key] = Stored(array, member, bool(is_trained))
        return self.tensors[key]

    def elements(
        self, member: str, precision: Precision, sizes: list[int], strides: list[int], offset: int
    ) -> np.ndarray:
        """The elements of a tensor, where they lie in the archive."""
        return self.archive.tensor(member, precision.dtype, sizes, strides, offset)

    def call(self) -> None:
        """REDUCE: a name applied to arguments, where the name is in the table."""
        arguments, function = self.stack.pop(), self.stack.pop()
        if not isinstance(function, Global) or not isinstance(arguments, tuple):
            raise BadFile(f"{self.folder}.pkl: a call of what is no name")
        maker = CALLS.get(function.name)
        if maker is None:
            raise BadFile(f"{self.folder}.pkl: a call of {function.name}, which could run code")
        self.push(maker(self, arguments))

    def instance(self) -> None:
        """NEWOBJ: an object of a class of the archive."""
        arguments, kind = self.stack.pop(), self.stack.pop()
        if not isinstance(kind, Global) or not kind.name.startswith(CLASSES) or arguments != ():
            raise BadFile(f"{self.folder}.pkl: an object of a class that is not of the archive")
        self.push(Instance(kind.name))

    def build(self) -> None:
        """BUILD: what an object holds."""
        state, made = self.stack.pop(), self.stack[-1]
        if not isinstance(made, Instance) or made.attributes:
            raise BadFile(f"{self.folder}.pkl: a state of what is no object")
        if made.kind.startswith(CUSTOM):
            made.attributes = {"": Opaque(f"an object of {made.kind.removeprefix(CLASSES)}")}
        elif isinstance(state, dict) and all(isinstance(k, str) for k in state):
            made.attributes = dict(state)
        else:
            made.attributes = {"": Opaque(f"an object of {made.kind} with a state of its own")}

    def name(self) -> None:
        """GLOBAL: a name, which must be one of those that archives use."""
        name = f"{self.line()}.{self.line()}"
        is_known = name in CALLS or name.removeprefix("torch.") in STORAGES
        if not is_known and not name.startswith((CLASSES, "torch.")):
            raise BadFile(f"{self.folder}.pkl: the name {name[:80]!r}, which could run code")
        self.push(Global(name))


class Describing(Unpickler):
    """Reads a pickle whose storages are empty: of its tensors only the types are told."""

    def elements(
        self, member: str, precision: Precision, sizes: list[int], strides: list[int], offset: int
    ) -> np.ndarray:
        return np.broadcast_to(np.zeros((), precision.dtype), sizes)


def _empty(unpickler: Unpickler, arguments: Any) -> Any:
    return Table(is_stored=True)


def _quantised_tensor(unpickler: Unpickler, arguments: Any) -> Any:
    return Opaque("a quantised tensor")


def _sparse_tensor(unpickler: Unpickler, arguments: Any) -> Any:
    return Opaque("a sparse tensor")


def _first(unpickler: Unpickler, arguments: Any) -> Any:
    return arguments[0]


def _list(unpickler: Unpickler, arguments: Any) -> Any:
    return Items(arguments[0], is_stored=True)


def _device(unpickler: Unpickler, arguments: Any) -> Any:
    return Device(str(arguments[0]))


def _complex(unpickler: Unpickler, arguments: Any) -> Any:
    real, imaginary = arguments
    return complex(float(real), float(imaginary))


Maker = Callable[[Unpickler, Any], Any]
CALLS: dict[str, Maker] = {
    "torch._utils._rebuild_tensor_v2": Unpickler.tensor,
    "torch._utils._rebuild_qtensor": _quantised_tensor,
    "torch._utils._rebuild_sparse_tensor": _sparse_tensor,
    "torch._utils._rebuild_sparse_csr_tensor": _sparse_tensor,
    "collections.OrderedDict": _empty,
    "torch.jit._pickle.build_intlist": _list,
    "torch.jit._pickle.build_doublelist": _list,
    "torch.jit._pickle.build_boollist": _list,
    "torch.jit._pickle.build_tensorlist": _list,
    "torch.jit._pickle.restore_type_tag": _first,
    "torch.device": _device,
    "builtins.complex": _complex,
}


def _set_items(unpickler: Unpickler) -> None:
    items = unpickler.items()
    table = unpickler.stack[-1]
    if type(table) is not Table or len(items) % 2:
        raise BadFile(f"{unpickler.folder}.pkl: items of what is no dictionary")
    for key, value in zip(items[::2], items[1::2], strict=True):
        table[_plain_key(key)] = value


def _set_item(unpickler: Unpickler) -> None:
    value, key, table = unpickler.stack.pop(), unpickler.stack.pop(), unpickler.stack[-1]
    if type(table) is not Table:
        raise BadFile(f"{unpickler.folder}.pkl: an item of what is no dictionary")
    table[_plain_key(key)] = value


def _plain_key(key: Any) -> Any:
    if not isinstance(key, (str, int, float, bool)):
        raise TypeError(f"a key of type {type(key).__name__}")
    return key


def _append(unpickler: Unpickler) -> None:
    value = unpickler.stack.pop()
    _require_list(unpickler).append(value)


def _appends(unpickler: Unpickler) -> None:
    values = unpickler.items()
    _require_list(unpickler).extend(values)


def _require_list(unpickler: Unpickler) -> Items:
    found = unpickler.stack[-1]
    if type(found) is not Items:
        raise BadFile(f"{unpickler.folder}.pkl: items of what is no list")
    return found


def _persistent(unpickler: Unpickler) -> None:
    unpickler.push(unpickler.storage(unpickler.stack.pop()))


def _pushes(read: Callable[[Unpickler], Any]) -> Callable[[Unpickler], None]:
    return lambda unpickler: unpickler.push(read(unpickler))


def _tuple_of(count: int) -> Callable[[Unpickler], None]:
    def make(unpickler: Unpickler) -> None:
        if len(unpickler.stack) < count:
            raise IndexError("too few items")
        items = tuple(unpickler.stack[-count:])
        del unpickler.stack[-count:]
        unpickler.push(items)

    return make


def _keeps(form: str) -> Callable[[Unpickler], None]:
    def keep(unpickler: Unpickler) -> None:
        unpickler.memo[unpickler.number(form)] = unpickler.stack[-1]

    return keep


def _text(form: str) -> Callable[[Unpickler], str]:
    return lambda unpickler: unpickler.take(unpickler.number(form)).decode()


def _protocol(unpickler: Unpickler) -> None:
    version = unpickler.number("<B")
    if version > 4:
        raise BadFile(f"{unpickler.folder}.pkl: protocol {version}")


def _drop(unpickler: Unpickler) -> None:
    unpickler.stack.pop()


OPCODES: dict[bytes, Callable[[Unpickler], None]] = {
    b"\x80": _protocol,
    b"c": Unpickler.name,
    b"R": Unpickler.call,
    b"\x81": Unpickler.instance,
    b"b": Unpickler.build,
    b"Q": _persistent,
    b"(": lambda u: u.push(MARK),
    b")": lambda u: u.push(()),
    b"]": lambda u: u.push(Items(is_stored=True)),
    b"}": lambda u: u.push(Table(is_stored=True)),
    b"N": lambda u: u.push(None),
    b"\x88": lambda u: u.push(True),
    b"\x89": lambda u: u.push(False),
    b"t": _pushes(lambda u: tuple(u.items())),
    b"\x85": _tuple_of(1),
    b"\x86": _tuple_of(2),
    b"\x87": _tuple_of(3),
    b"K": _pushes(lambda u: u.number("<B")),
    b"M": _pushes(lambda u: u.number("<H")),
    b"J": _pushes(lambda u: u.number("<i")),
    b"\x8a": _pushes(lambda u: int.from_bytes(u.take(u.take(1)[0]), "little", signed=True)),
    b"G": _pushes(lambda u: u.number(">d")),
    b"X": _pushes(_text("<I")),
    b"\x8c": _pushes(_text("<B")),
    b"q": _keeps("<B"),
    b"r": _keeps("<I"),
    b"h": _pushes(lambda u: u.memo[u.number("<B")]),
    b"j": _pushes(lambda u: u.memo[u.number("<I")]),
    b"a": _append,
    b"e": _appends,
    b"s": _set_item,
    b"u": _set_items,
    b"0": _drop,
}
"""What PyTorch's pickler writes; everything that imports or calls in another way is left out."""


def unpickle(archive: Archive, name: str, *, is_described: bool = False) -> Any:
    """The object of one of the pickles of an archive.

    `is_described`: the types of tensors count, their elements may be missing.
    """
    return (Describing if is_described else Unpickler)(archive, name).read()
