"""Write `schemas.json`: the signatures of PyTorch's operators, from an installed PyTorch;
`outs.json`: which of them return what another one puts into tensors that it is given; and
`pointwise.json`: which of them compute each element by itself.

    python -m frontends.torch.reading.make_schemas

`.pt2` files name the arguments of a node but leave out defaults, and do not say which argument an
operator overwrites or which result is a view: both are in the signatures. torchvision's
operators are written out: its wheel needs the CUDA build of torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed

from .schema import FILE, OUTS, parse
from .vmaps import POINTWISE

NAMESPACES = ("aten", "prims", "quantized_decomposed")
SCRIPT = {"t", "t1", "t2", "Any", "AnyEnumType", "Dict", "Future", "RRef", "Storage", "Stream"}
OTHERS = Path(__file__).with_name("schemas_of_others.json")


def signatures() -> dict[str, str]:
    """Operator and overload to its arguments and results, as PyTorch prints them."""
    found = {}
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, name = schema.name.partition("::")
        overload = schema.overload_name or "default"
        if namespace in NAMESPACES and "." not in name and "out" not in overload.split("_"):
            text = str(schema)
            text = text[text.index("(") :]
            if _is_exportable(text):
                found[f"{namespace}.{name}.{overload}"] = text
    return found


def _is_exportable(text: str) -> bool:
    """Whether it can occur in an exported graph: TorchScript has operators on lists and more."""
    try:
        schema = parse(text)
    except ValueError:
        return False
    does_nothing_else = bool(schema.results) or not schema.written  # an assertion has no results
    return does_nothing_else and not {a.type.rstrip("[]?") for a in schema.arguments} & SCRIPT


def functions(known: Iterable[str]) -> dict[str, list[str]]:
    """Operator and overload with `out` to the one with the same other arguments and results for
    these, and to the names of what is written to."""
    found = {}
    for schema in torch._C._jit_get_all_schemas():
        outs = [a for a in schema.arguments if a.is_out]
        namespace, _, name = schema.name.partition("::")
        if namespace != "aten" or not outs or any(str(a.type) != "Tensor" for a in outs):
            continue
        rest = [(a.name, str(a.type)) for a in schema.arguments if not a.is_out]
        for overload in torch._C._jit_get_schemas_for_operator(schema.name):
            op = f"aten.{name}.{overload.overload_name or 'default'}"
            same = [(a.name, str(a.type)) for a in overload.arguments] == rest
            results = [str(r.type) for r in overload.returns]
            if op in known and same and results == ["Tensor"] * len(outs):
                found[f"aten.{name}.{schema.overload_name}"] = [op, *(a.name for a in outs)]
    return found


def is_pointwise(name: str) -> bool:
    """Whether PyTorch says of an operator, which overwrites nothing, that it broadcasts."""
    namespace, packet, overload = name.split(".")
    found = getattr(getattr(getattr(torch.ops, namespace), packet, None), overload, None)
    return found is not None and torch.Tag.pointwise in found.tags and not found._schema.is_mutable


if __name__ == "__main__":
    everything = signatures() | json.loads(OTHERS.read_text())
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(everything.items()))
    FILE.write_text(f"{{\n{lines}\n}}\n")
    pairs = sorted(functions(everything).items())
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in pairs)
    OUTS.write_text(f"{{\n{lines}\n}}\n")
    plain = ",\n".join(json.dumps(k) for k in sorted(signatures()) if is_pointwise(k))
    POINTWISE.write_text(f"[\n{plain}\n]\n")
