"""What is known of the language of TorchScript archives: its statements and expressions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from nnir.errors import BadFile, Unsupported

from .branching import branch
from .calls import call
from .functions.containers import getitem, key_of
from .functions.numbers import neg, not_
from .library import CUSTOM, full_name
from .looping import count_up, repeat
from .machine import Machine, Returned
from .things import REEXPORT, Class, Function, Items, Number, Table, Withheld


def _assign(machine: Machine, statement: ast.Assign) -> None:
    target = statement.targets[0]
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
    if isinstance(first, ast.Name):
        machine.stem = f"{machine.path}.{first.id}" if machine.path else first.id
    value = machine.evaluate(statement.value)
    for each in statement.targets:
        machine.assign(each, value)


def _declare(machine: Machine, statement: ast.AnnAssign) -> None:
    if statement.value is not None:
        machine.assign(statement.target, machine.evaluate(statement.value))


def _expression(machine: Machine, statement: ast.Expr) -> None:
    machine.evaluate(statement.value)


def _pass(machine: Machine, statement: ast.Pass) -> None:
    return None


def _return(machine: Machine, statement: ast.Return) -> Returned:
    machine.stem = f"{machine.path}.output" if machine.path else "output"
    return Returned(None if statement.value is None else machine.evaluate(statement.value))


def _if(machine: Machine, statement: ast.If) -> Returned | None:
    condition = machine.truth(machine.evaluate(statement.test))
    if isinstance(condition, Number):
        return branch(machine, condition, statement.body, statement.orelse)
    return machine.execute(statement.body if condition else statement.orelse)


def _for(machine: Machine, statement: ast.For) -> Returned | None:
    match statement:
        case ast.For(
            target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[limit])
        ) if not statement.orelse:
            return count_up(machine, name, machine.evaluate(limit), statement.body)
    raise BadFile("a loop of a TorchScript program that is none over range(n)")


def _while(machine: Machine, statement: ast.While) -> Returned | None:
    return repeat(machine, statement.test, statement.body)


def _with(machine: Machine, statement: ast.With) -> Returned | None:
    entered = []
    for item in statement.items:
        instance = machine.evaluate(item.context_expr)
        value = machine.call(machine.attribute(instance, "__enter__"), [], {})
        if item.optional_vars is not None:
            machine.assign(item.optional_vars, value)
        entered.append(instance)
    returned = machine.execute(statement.body)
    for instance in reversed(entered):
        machine.call(machine.attribute(instance, "__exit__"), [None, None, None], {})
    return returned


STATEMENTS: dict[type[ast.stmt], Callable[[Machine, Any], Returned | None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _declare,
    ast.Expr: _expression,
    ast.For: _for,
    ast.If: _if,
    ast.Pass: _pass,
    ast.Return: _return,
    ast.While: _while,
    ast.With: _with,
}


# Expressions


FLOATS = {"inf": math.inf, "nan": math.nan, "infj": complex(0, math.inf)}
"""Numbers without digits, which are written as names."""


def _name(machine: Machine, node: ast.Name) -> Any:
    if node.id not in machine.frame.names:
        if node.id in FLOATS:
            return FLOATS[node.id]
        raise BadFile(f"a variable {node.id!r} that nothing sets")
    value = machine.frame.names[node.id]
    if isinstance(value, Withheld):
        machine.refuse_reading(value)
    return value


def _constant(machine: Machine, node: ast.Constant) -> Any:
    value = node.value
    if value is not None and not isinstance(value, (bool, int, float, complex, str)):
        raise BadFile(f"a constant {value!r}")
    if type(value) is int and not -(1 << 63) <= value <= 1 << 63:
        raise BadFile("an integer of more than 64 bits")
    return value


def _tuple(machine: Machine, node: ast.Tuple) -> Any:
    return tuple(machine.evaluate(e) for e in node.elts)


def _list(machine: Machine, node: ast.List) -> Any:
    return Items((machine.evaluate(e) for e in node.elts), machine.region)


def _dict(machine: Machine, node: ast.Dict) -> Any:
    made = Table(region=machine.region)
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise BadFile("a dictionary that takes another one apart")
        made[key_of(machine.evaluate(key))] = machine.evaluate(value)
    return made


def _attribute(machine: Machine, node: ast.Attribute) -> Any:
    name = full_name(node)
    if name is not None:
        head = name.partition(".")[0]
        if head == "CONSTANTS" and node.attr[1:].isdecimal():
            position = int(node.attr[1:])
            if position >= len(machine.constants):
                raise BadFile(f"the constant {name} of {len(machine.constants)}")
            return machine.constant(position)
        if head == "__torch__":
            return _reference(machine, name)
    return machine.attribute(machine.evaluate(node.value), node.attr)


def _reference(machine: Machine, name: str) -> Any:
    """A function or a class of the archive by its full name."""
    if machine.library.has_function(name):
        return Function(name)
    if machine.library.has_class(name):
        return Class(name)
    owner, _, member = name.rpartition(".")
    if member in ("__new__", "__init__") and machine.library.has_class(owner):
        return Class(name)
    if name.startswith(CUSTOM):
        raise Unsupported(f"the class {name.removeprefix('__torch__.')}: {REEXPORT}")
    raise BadFile(f"the TorchScript archive has no {name!r}")


def _subscript(machine: Machine, node: ast.Subscript) -> Any:
    owner = machine.evaluate(node.value)
    return machine.loaded(getitem(machine, owner, machine.evaluate(node.slice)))


def _unary(machine: Machine, node: ast.UnaryOp) -> Any:
    operand = machine.evaluate(node.operand)
    match node.op:
        case ast.USub():
            return neg(machine, operand)
        case ast.UAdd():
            return operand
        case ast.Not():
            return not_(machine, operand)
    raise BadFile(f"a TorchScript program with the operator {type(node.op).__name__}")


def _conditional(machine: Machine, node: ast.IfExp) -> Any:
    condition = machine.truth(machine.evaluate(node.test))
    if isinstance(condition, Number):
        raise Unsupported("a choice of two values by a condition that is only known while running")
    return machine.evaluate(node.body if condition else node.orelse)


def _call(machine: Machine, node: ast.Call) -> Any:
    return call(machine, node)


EXPRESSIONS: dict[type[ast.expr], Callable[[Machine, Any], Any]] = {
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Constant: _constant,
    ast.Dict: _dict,
    ast.IfExp: _conditional,
    ast.List: _list,
    ast.Name: _name,
    ast.Subscript: _subscript,
    ast.Tuple: _tuple,
    ast.UnaryOp: _unary,
}
