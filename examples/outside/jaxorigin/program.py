"""A function as its jaxpr in JSON: primitives on numbered values, inner functions written out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import core

INNER = ("jaxpr", "call_jaxpr", "fun_jaxpr")
"""Where primitives such as jit and custom_jvp_call keep the function that they call."""


def describe_program(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> np.ndarray:
    """The program that a call is; arrays among the arguments are its inputs."""
    places = [k for k, a in enumerate(args) if isinstance(a, jax.Array)]

    def call(*arrays: Any) -> Any:
        given = list(args)
        for place, array in zip(places, arrays, strict=True):
            given[place] = array
        return function(*given, **kwargs)

    closed = jax.make_jaxpr(call)(*(args[k] for k in places))
    program = Program()
    inputs = [program.name(v) for v in closed.jaxpr.invars]
    outputs = program.add(closed, inputs)
    found = {"inputs": inputs, "outputs": outputs, "steps": program.steps}
    return np.frombuffer(json.dumps(found).encode(), np.uint8)


class Program:
    """Steps in order; values are numbered as they are met."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self._names: dict[Any, int] = {}
        self._count = 0

    def name(self, variable: Any) -> int:
        """The number of a variable."""
        if variable not in self._names:
            self._names[variable] = self._count
            self._count += 1
        return self._names[variable]

    def add(self, closed: Any, inputs: Sequence[int]) -> list[int]:
        """The steps of a function on numbered inputs; the numbers of its results."""
        jaxpr, outer = closed.jaxpr, self._names
        self._names = dict(zip(jaxpr.invars, inputs, strict=True))
        for variable, value in zip(jaxpr.constvars, closed.consts, strict=True):
            self._names[variable] = self._constant(value)
        for equation in jaxpr.eqns:
            given = [self._operand(v) for v in equation.invars]
            inner = next((equation.params[k] for k in INNER if k in equation.params), None)
            if inner is not None and hasattr(inner, "jaxpr"):
                made = self.add(inner, given)
                self._names |= dict(zip(equation.outvars, made, strict=True))
                continue
            step = {"primitive": equation.primitive.name, "inputs": given}
            step["params"] = {k: _plain(v) for k, v in equation.params.items()}
            step["types"] = [_type(v.aval) for v in equation.outvars]
            step["outputs"] = [self.name(v) for v in equation.outvars]
            self.steps.append(step)
        found = [self._operand(v) for v in jaxpr.outvars]
        self._names = outer
        return found

    def _operand(self, operand: Any) -> int:
        if isinstance(operand, core.Literal):
            return self._constant(operand.val)
        return self.name(operand)

    def _constant(self, value: Any) -> int:
        array = np.asarray(value)
        number = self._count
        self._count += 1
        data = {"dtype": array.dtype.name, "shape": list(array.shape)}
        data["bytes"] = array.tobytes().hex()
        self.steps.append({"constant": data, "outputs": [number]})
        return number


def _type(aval: Any) -> dict[str, Any]:
    return {"dtype": np.dtype(aval.dtype).name, "shape": list(aval.shape)}


def _plain(value: Any) -> Any:
    """A parameter of a primitive for JSON; a class of its own as text."""
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    return str(value)
