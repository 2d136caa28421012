"""What PyTorch may be given of a TorchScript archive: programs of operators that only compute.

`torch.jit.load` compiles the code of an archive, and runs the parts of it that restore objects;
`forward` runs the rest. Operators of TorchScript can also write files, so each name that the code
calls must be one of those that are known here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from nnir.errors import BadFile, Unsupported

from ..reading.container import CODE
from ..reading.screening import SIDE_EFFECTS
from .archive import CONSTANTS, DATA, Archive
from .functions import containers, numbers, tensors, texts  # noqa: F401  # they fill the table
from .functions.table import PLAIN, SPECIAL
from .library import CUSTOM, full_name, parse
from .overloads import packets
from .unpickling import unpickle

STORAGE = re.compile(r"(data|constants)/\w{1,40}")
FILE = re.compile(r"code/[\w/]{1,400}\.py")
WORDS = {"version", ".data/version", "byteorder"}
NAMESPACES = frozenset({"aten", "prim", "prims", "torchvision"})
REFUSED = frozenset({"fork", "wait"})
WHOLE = frozenset({"torch", "ops", "__torch__"})
"""Names that must spell what they lead to: `getattr(torch, "save")` would not."""


def members_for_framework(archive: Archive) -> list[str]:
    """The members that PyTorch needs, after a look into each; what is refused is an error."""
    unpickle(archive, DATA)
    if f"{CONSTANTS}.pkl" in archive:
        unpickle(archive, CONSTANTS)
    found = []
    for name in archive.members:
        if FILE.fullmatch(name):
            for call in _names_called(parse(archive.text(name), name)):
                check_call(call)
            found.append(name)
        elif STORAGE.fullmatch(name) or name in WORDS | {f"{DATA}.pkl", f"{CONSTANTS}.pkl"}:
            found.append(name)
        elif name.startswith(CODE) and not name.endswith(".debug_pkl"):
            raise BadFile(f"a TorchScript archive with the member {name[:80]!r}")
    return found


def _names_called(tree: ast.Module) -> Iterator[str]:
    """The full names that code speaks of, called or not, and plain names that it calls."""
    inner = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.Attribute) and (name := full_name(node)) is not None:
            if name.startswith(("torch.", "ops.", CUSTOM)):
                yield name
        elif isinstance(node, ast.Name) and node.id in REFUSED | WHOLE:
            yield node.id


def check_call(name: str) -> None:
    """Unsupported for an operator that is not known to compute and nothing else."""
    if name.startswith(CUSTOM) or name in REFUSED | WHOLE:
        raise Unsupported(f"a TorchScript program with {name}, which PyTorch is not given")
    head, _, rest = name.partition(".")
    if head == "torch":
        packet = f"aten.{rest}"
        is_known = rest in SPECIAL or rest in PLAIN
    else:
        packet = rest
        is_known = name in SPECIAL or name in PLAIN or packet in HARMLESS
    namespace = packet.partition(".")[0]
    acts = any(op.rpartition(".")[0] == packet for op in SIDE_EFFECTS)
    if acts or not (is_known or (packet in packets() and namespace in NAMESPACES)):
        raise Unsupported(f"a TorchScript program with the operator {name}, which is not known")


HARMLESS = frozenset(
    {"prim.unchecked_unwrap_optional", "prim.unchecked_cast", "prim.grad", "prim.rangelist"}
    | {"prim.index", "prim.name", "prim.itemsize", "prim.tolist", "prim.TupleIndex", "prim.id"}
)
"""Operators that are not translated, and only ask something."""
