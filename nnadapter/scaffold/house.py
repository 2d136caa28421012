"""A new operator in a checkout of this project: its parts are put behind those of its family."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from nnir.errors import BadInput
from nnir.ops import NAMES, OPERATORS
from nnir.plugins import FIRST_CODE, REGISTRY
from nnir.staging import replacing

from .package import CODES, fill, words_of
from .remaining import UNSAID
from .signature import Parameter, signature_of, write

FIRST = 1000
"""Codes below are the standard's, codes from FIRST_CODE on those of plug-ins."""

RANGE = 50


def free_codes() -> list[tuple[str, str, int, int]]:
    """Each family with its ranges of codes, how many of them are taken, and the next free one."""
    taken = {o.code for o in OPERATORS.values() if o.code >= FIRST}
    ranges = _ranges()
    rows = []
    for family in NAMES:
        own = ranges.get(family) or [_next_range(ranges)]
        codes = [c for start in own for c in range(start, start + RANGE)]
        free = [c for c in codes if c not in taken] or [_next_range(ranges)]
        texts = ", ".join(f"{start} to {start + RANGE - 1}" for start in own)
        rows.append((family, texts, sum(c in taken for c in codes), free[0]))
    outside = {operator.code for _, operator in REGISTRY.owners().values()}
    first = next(c for c in range(FIRST_CODE, FIRST_CODE + CODES) if c not in outside)
    texts = f"{FIRST_CODE} to {FIRST_CODE + CODES - 1}"
    return [*rows, ("plug-ins", texts, len(outside), first)]


def _ranges() -> dict[str, list[int]]:
    """The ranges of codes by family."""
    found: dict[str, set[int]] = {}
    for operator in OPERATORS.values():
        if operator.code >= FIRST:
            found.setdefault(operator.family, set()).add(operator.code // RANGE * RANGE)
    return {family: sorted(starts) for family, starts in found.items()}


def _next_range(ranges: Mapping[str, Sequence[int]]) -> int:
    """The range behind all others."""
    return max(start for own in ranges.values() for start in own) + RANGE


def add_to_house(
    root: Path,
    family: str,
    name: str,
    parameters: Sequence[Parameter],
    sources: Mapping[str, str],
    devices: Sequence[str],
) -> list[Path]:
    """Put stubs of an operator into the files of a family; the files that changed.

    All texts are made before the first file is written. BadInput where `root` is no checkout or
    the name is taken.
    """
    if REGISTRY.find_operator(name.upper()) is not None:
        raise BadInput(f"there is an operator {name.upper()} already: `nnadapter ops {name}`")
    if family not in NAMES:
        raise BadInput(f"no family {family!r}: there are {', '.join(NAMES)}")
    if not (root / "nnir" / "ops" / f"{family}.py").is_file():
        raise BadInput(f"{str(root)!r} is no checkout of nnadapter: it has no nnir/ops/{family}.py")
    house = _House(root, family, name, parameters)
    house.add_operator()
    house.add_meanings(sources)
    for frontend, op in sources.items():
        house.add_converter(frontend, op)
    for device in devices:
        house.add_lowering(device)
    house.add_case()
    return house.write()


class _House:
    """The texts of files, as they will be."""

    def __init__(self, root: Path, family: str, name: str, parameters: Sequence[Parameter]) -> None:
        self.root, self.family, self.name, self.parameters = root, family, name, parameters
        self.texts: dict[Path, str] = {}
        code = next(free for own, _, _, free in free_codes() if own == family)
        self.words = words_of(name, parameters) | {
            "code": str(code),
            "place": f"nnir/ops/{family}.py",
        }

    def read(self, path: str) -> str:
        """A file as it is by now; "" for a new one."""
        place = self.root / path
        if place not in self.texts and place.is_file():
            return place.read_text(encoding="utf-8")
        return self.texts.get(place, "")

    def append(self, path: str, imports: Iterable[str], text: str, title: str) -> None:
        """Put text behind a module, with the imports that it lacks."""
        before = self.read(path) or f'"""{title}"""\n\nfrom __future__ import annotations\n'
        known = _top_names(before)
        lines = before.rstrip("\n").split("\n")
        last = _end_of_imports(before)
        lacking = [i for i in imports if _bound_name(i) not in known]
        lines[last:last] = lacking
        self.texts[self.root / path] = "\n".join(lines) + "\n\n\n" + text.strip("\n") + "\n"

    def insert(self, path: str, behind: str, line: str) -> None:
        """Put a line behind the first one that is `behind`."""
        lines = self.read(path).split("\n")
        if behind not in lines:
            raise BadInput(f"{path} has no line {behind!r}")
        lines.insert(lines.index(behind) + 1, line)
        self.texts[self.root / path] = "\n".join(lines)

    def add_operator(self) -> None:
        imports = (
            "import numpy as np",
            "from ..model import Value",
            "from ..operator import operator, require",
            "from ..types import TensorType",
        )
        text = fill("definition", self.words)
        self.append(f"nnir/ops/{self.family}.py", imports, text, "")

    def add_meanings(self, sources: Mapping[str, str]) -> None:
        path = "nnir/ops/meanings.py"
        for parameter in self.parameters:
            if parameter.is_keyword:
                key = f"{self.name.upper()}.{parameter.name}"
                head = "ATTRIBUTES: dict[str, str] = {"
                self.insert(path, head, f'    "{key}": "{UNSAID}",')
        source = sources.get("onnx") or next(iter(sources.values()), "nobody")
        table = "_ONNX = {" if "onnx" in sources else "_PYTORCH = {"
        self.insert(path, table, f'    "{self.name.upper()}": "{source}",')

    def add_converter(self, frontend: str, op: str) -> None:
        path = f"frontends/{frontend}/operators/{self.family}.py"
        own = signature_of(frontend, op)
        operator = f"from nnir.ops.{self.family} import {self.name}"
        table = "from ...table import Table"
        head = "" if self.read(path) else "table = Table()\n\n"
        title = f"Converters of {frontend}: {self.family}."
        if own is None:
            text = f'{head}table.same({{"{op}": {self.name}}})'
            self.append(path, [operator, *([table] if head else [])], text, title)
        else:
            text = (
                f'{head}@table.convert("{op}")\ndef {self.name}_of_{frontend}({write(own)}) '
                f'-> Value:\n    raise NotImplementedError("{self.name.upper()}: what {op} is in '
                f'it ({path})")'
            )
            self.append(path, ["from nnir.model import Value", table], text, title)
        self._index(f"frontends/{frontend}/operators/families.json", op)

    def _index(self, path: str, op: str) -> None:
        """The index of a frontend, which says which family has an operator."""
        families = json.loads(self.read(path))
        families[self.family] = sorted({*families.get(self.family, ()), op})
        rows = (f"{json.dumps(name)}: {json.dumps(ops)}" for name, ops in families.items())
        self.texts[self.root / path] = "{\n" + ",\n".join(rows) + "\n}\n"

    def add_lowering(self, device: str) -> None:
        path = f"hal/drivers/{device}/{self.family}.py"
        if not (self.root / f"hal/drivers/{device}/emitter.py").is_file():
            raise BadInput(f"no device {device!r} with lowerings in hal/drivers")
        imports = [
            "from nnir.model import Value",
            f"from nnir.ops.{self.family} import {self.name}",
            "from .emitter import Emitter",
        ]
        head = "" if self.read(path) else "table = Lowerings[Any]()\n\n\n"
        if head:
            imports += ["from typing import Any", "from ...lowering import Lowerings"]
        text = (
            f"{head}@table.lower({self.name})\n"
            f"def lower_{self.name}(g: Emitter, {write(self.parameters)}):\n"
            f'    raise NotImplementedError("{self.name.upper()}: how {device} computes it '
            f'({path})")'
        )
        self.append(path, imports, text, f"Lowerings of {device}: {self.family}.")

    def add_case(self) -> None:
        path = f"conformance/cases/nnir/{self.family}.py"
        is_new = not self.read(path)
        imports = (
            "import numpy as np",
            f"from nnir.ops.{self.family} import {self.name}",
            "from ...case import ROUNDS, rand",
            "from .direct import DirectCase",
        )
        words = self.words | {
            "place": path,
            "more": "" if is_new else "+",
        }
        self.append(path, imports, fill("case", words), f"Cases of {self.family}.")
        if is_new:
            line = f"    {self.family},"
            self.insert("conformance/cases/nnir/__init__.py", "from . import (", line)
            self.insert("conformance/cases/nnir/__init__.py", "FAMILIES = (", line)

    def write(self) -> list[Path]:
        for path, text in self.texts.items():
            try:
                ast.parse(text if path.suffix == ".py" else "")
            except SyntaxError as error:
                raise BadInput(f"{path.name}: {error.msg}: {error.text}") from None
        for path, text in self.texts.items():
            with replacing(path) as file:
                file.write(text.encode())
        return [*self.texts]


def _top_names(text: str) -> set[str]:
    """What a module binds by imports at its top."""
    body = ast.parse(text).body
    imports = (n for n in body if isinstance(n, (ast.Import, ast.ImportFrom)))
    return {a.asname or a.name.partition(".")[0] for n in imports for a in n.names}


def _end_of_imports(text: str) -> int:
    """The number of the last line of the imports."""
    body = ast.parse(text).body
    ends = [n.end_lineno or 0 for n in body if isinstance(n, (ast.Import, ast.ImportFrom))]
    return max(ends)


def _bound_name(line: str) -> str:
    """What an import binds; of several names the last one."""
    return line.rpartition(" ")[2]
