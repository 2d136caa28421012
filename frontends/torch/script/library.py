"""The code of a TorchScript archive: classes and functions by their full names, as syntax trees.

The text is parsed as Python and nothing else; what is not a declaration of a class or a function
is refused. Compare torch/csrc/jit/serialization/python_print.cpp, which writes it.
"""

from __future__ import annotations

import ast
from dataclasses import field

from nnir.budget import DOCUMENT
from nnir.errors import BadFile, Unsupported
from nnir.records import dataclass

from ..reading.container import CODE
from .archive import Archive

CUSTOM = "__torch__.torch.classes."
"""Classes that are written in C++, such as the packed weights of quantised layers."""


@dataclass
class Declared:
    """A class: its methods, the types of its attributes in order, and its constants."""

    name: str
    base: str
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)
    types: dict[str, ast.expr] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    parameters: frozenset[str] = frozenset()
    """The names of tensors that are parameters or buffers."""


class Library:
    """Reads files of code when one of their names is asked for."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.functions: dict[str, ast.FunctionDef] = {}
        self.classes: dict[str, Declared] = {}
        self._seen: set[str] = set()
        self._left = DOCUMENT

    def function(self, name: str) -> ast.FunctionDef:
        """A function by its full name; BadFile where there is none."""
        self._read_file_of(name)
        if name not in self.functions:
            raise BadFile(f"the TorchScript archive has no function {name!r}")
        return self.functions[name]

    def declared(self, name: str) -> Declared:
        """A class by its full name; BadFile where there is none."""
        if not self.has_class(name):
            raise BadFile(f"the TorchScript archive has no class {name!r}")
        return self.classes[name]

    def has_class(self, name: str) -> bool:
        """Whether the archive declares such a class."""
        self._read_file_of(name)
        return name in self.classes

    def has_function(self, name: str) -> bool:
        """Whether the archive declares such a function."""
        self._read_file_of(name)
        return name in self.functions

    def _read_file_of(self, name: str) -> None:
        module = name.rpartition(".")[0]
        member = f"{CODE}{module.replace('.', '/')}.py"
        if module in self._seen or member not in self.archive:
            return
        self._seen.add(module)
        self._left -= self.archive.members[member].file_size
        if self._left < 0:
            raise BadFile("a TorchScript archive with too much code")
        for statement in parse(self.archive.text(member), member).body:
            self._declare(module, statement)

    def _declare(self, module: str, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef(name=name):
                self.functions[f"{module}.{name}"] = statement
            case ast.ClassDef(name=name, bases=bases):
                base = bases[0].id if bases and isinstance(bases[0], ast.Name) else ""
                made = Declared(f"{module}.{name}", base)
                for inner in statement.body:
                    declare_member(made, inner)
                self.classes[made.name] = made
            case ast.Assign() | ast.Import() | ast.ImportFrom():  # of older versions
                return
            case _:
                raise BadFile(f"code of a TorchScript archive with {type(statement).__name__}")


def declare_member(declared: Declared, statement: ast.stmt) -> None:
    """One line of the body of a class."""
    match statement:
        case ast.FunctionDef(name=name):
            declared.methods[name] = statement
        case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=None):
            declared.types[name] = kind
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            declared.constants[name] = value
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id="__annotations__"), slice=ast.Constant(key))]
        ):
            declared.types[str(key)] = statement.value
        case ast.Assign(targets=[ast.Name(id="__parameters__" | "__buffers__")], value=ast.List()):
            names = {e.value for e in statement.value.elts if isinstance(e, ast.Constant)}  # type: ignore[attr-defined]
            declared.parameters |= {n for n in names if isinstance(n, str)}
        case ast.Assign(targets=[ast.Name(id=name)]):
            declared.constants[name] = statement.value
        case ast.Expr() | ast.Pass():
            return
        case _:
            what = type(statement).__name__
            raise BadFile(f"a class of a TorchScript archive with {what}")


def parse(text: str, member: str) -> ast.Module:
    """The syntax tree of a file of code; BadFile for what is no Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadFile(f"{member!r} of the TorchScript archive: {error}") from None


def full_name(node: ast.expr) -> str | None:
    """The full name that an expression of attributes spells; None for any other."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def type_name(node: ast.expr | None) -> tuple[str, list[ast.expr]]:
    """The head of a type and its parameters: `Optional[Tensor]` is Optional of one."""
    match node:
        case None:
            return "Tensor", []
        case ast.Constant(value=None):
            return "NoneType", []
        case ast.Subscript(value=head, slice=ast.Tuple(elts=parts)):
            return full_name(head) or "", list(parts)
        case ast.Subscript(value=head, slice=part):
            return full_name(head) or "", [part]
        case _ if (name := full_name(node)) is not None:
            return name, []
    raise Unsupported(f"a type {ast.unparse(node)[:80]!r} in a TorchScript program")
