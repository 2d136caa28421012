"""Read a legacy program (`.pdmodel`, `__model__`) without Paddle.

Its variables are written again and again; here each write makes a new value. Its operators become
those of PIR, which converters are written for: `rules` says how.
"""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nnir.budget import beside
from nnir.collector import paused_collector
from nnir.errors import DAMAGE, VALUES, BadFile, BadModel, NNAdapterError, Unsupported, describe
from nnir.mapping import map_file
from nnir.types import TensorType

from ....source import Ref, SourceGraph, SourceModel, SourceNode, SourceValue, dims, refs
from .. import params
from ..desc import Block, Op, Variable, program
from ..pir import forget, read_names
from .call import Call, Env, Pending, value
from .rules import RULES

NEWEST = 3_003_999
"""The version of the programs that this reader was tested on."""

ARRAY = 13
"""The kind of variables that are arrays of tensors."""

MOST = 20_000
"""So many operators a program may have besides ten times its own, with blocks written out."""

DEEPEST = 60


def read(path: Path, parameters: Path | None = None) -> SourceModel:
    """The program in a file; its weights are views into the parameters beside it.

    These are one file (`.pdiparams`, `__params__`) or one for each parameter in the same folder.
    """
    try:
        with paused_collector():
            version, blocks = program(map_file(path))
            if version > NEWEST:
                warnings.warn(f"a program of Paddle {version}; tested up to {NEWEST}", stacklevel=4)
            return Reader(blocks).read(path, parameters, version)
    except DAMAGE as error:
        if getattr(error, "__notes__", ()):  # of a rule: a bug of ours, not of the bytes
            raise
        raise BadFile(f"damaged program: {describe(error)}") from None


@contextmanager
def applying(op: str) -> Iterator[None]:
    """Around a rule: what it raises that no bytes explain says where it was."""
    try:
        yield
    except (NNAdapterError, *VALUES):
        raise
    except Exception as error:
        error.add_note(f"in the rule of Paddle's {op}")
        raise


class Reader:
    """Runs through the blocks and notes what is made of what."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks
        self.numbers = itertools.count(1)
        self.left = MOST + 10 * sum(len(b.ops) for b in blocks)
        self.inputs: dict[int, SourceValue] = {}
        self.outputs: dict[int, SourceValue] = {}
        self.weights: dict[str, Variable] = {
            v.name: v for b in blocks for v in b.variables.values() if v.is_stored
        }

    def read(self, path: Path, parameters: Path | None, version: int) -> SourceModel:
        """The whole program."""
        self.require_rules()
        graph = SourceGraph("program")
        env: Env = {n: Ref(n) for n in self.weights}
        self.run(0, env, graph, 0)
        graph.inputs = [self.inputs[k] for k in sorted(self.inputs)]
        graph.outputs = [self.outputs[k] for k in sorted(self.outputs)]
        read = read_names(graph)
        forget(graph, read)
        graph.weights = self._values(path, parameters)
        producer = {"producer": f"paddle program {version}"}
        return SourceModel("paddle", graph, {"": 1}, metadata=producer)

    def _values(self, path: Path, parameters: Path | None) -> dict[str, Any]:
        declared = {n: (v.precision, v.sizes) for n, v in self.weights.items()}
        if parameters is not None:
            return params.read_combined(parameters, declared)
        for place in (path.with_suffix(".pdiparams"), path.with_name("__params__")):
            if place.exists():
                return params.read_combined(beside(path.parent, place.name), declared)
        found = {}
        for name, (kind, sizes) in declared.items():
            if "/" in name or "\\" in name or name in ("", ".", ".."):
                raise BadFile(f"the parameter {name[:60]!r} cannot be a file beside the program")
            array, _ = params.read_one(map_file(beside(path.parent, name)), 0)
            params.require(name, array, kind, sizes)
            found[name] = array
        return found

    def require_rules(self) -> None:
        """Unsupported with every operator that is not on the list."""
        missing = Counter(
            o.type for b in self.blocks for o in b.ops if o.type not in RULES | CONTROL
        )
        if missing:
            rows = ", ".join(f"{op} (x{count})" for op, count in missing.most_common())
            raise Unsupported(
                f"no converter for {rows}; `nnadapter ops --frontend paddle` lists what is "
                "supported"
            )

    def run(self, number: int, env: Env, graph: SourceGraph, depth: int) -> None:
        """Note what a block makes, in `env` and `graph`."""
        if depth > DEEPEST:
            raise BadModel(f"blocks in blocks, more than {DEEPEST} deep")
        if not 0 <= number < len(self.blocks):
            raise BadFile(f"the program has {len(self.blocks)} blocks, no {number}")
        for name, variable in self.blocks[number].variables.items():
            if variable.kind == ARRAY and name not in env:
                env[name] = Ref(self.fresh(name))
                graph.nodes.append(SourceNode("create_array", [], [str(env[name])], {}, name))
        self.left -= len(self.blocks[number].ops) + 1
        if self.left < 0:
            raise Unsupported("blocks that are in other blocks again and again")
        for op in self.blocks[number].ops:
            control = CONTROL.get(op.type)
            if control is not None:
                control(self, op, env, graph, depth)
            else:
                call = Call(self.fresh, op, env, graph)
                with applying(op.type):
                    RULES[op.type](call)
                call.finish()

    def fresh(self, variable: str) -> str:
        """A name for what is written to a variable."""
        return f"{variable}@{next(self.numbers)}"

    def written(self, number: int) -> Iterator[str]:
        """The variables that a block writes; operators with blocks name what these write."""
        for op in self.blocks[number].ops:
            for names in op.outputs.values():
                yield from names

    def matters(self, name: str, number: int) -> bool:
        """Whether a loop must carry a variable: an iteration or what is outside reads it.

        Programs set variables to anything before a loop that sets them again.
        """
        for op in self.blocks[number].ops:
            if self._reads(op, name):
                return True
            if any(name in names for names in op.outputs.values()):
                break
        inside = self._below(number)
        around = (b for k, b in enumerate(self.blocks) if k not in inside)
        return any(self._reads(op, name, inside) for b in around for op in b.ops)

    def _reads(self, op: Op, name: str, without: Collection[int] = ()) -> bool:
        """Whether an operator reads a variable, or a block of it does."""
        number = op.attributes.get("sub_block")
        if not isinstance(number, int):
            return any(name in names for names in op.inputs.values())
        if name in (*op.inputs.get("Condition", ()), *op.inputs.get("Cond", ())):
            return True
        blocks = self._below(number) - set(without)
        inner = [o for k in blocks for o in self.blocks[k].ops]
        plain = (o for o in inner if not isinstance(o.attributes.get("sub_block"), int))
        return any(name in names for o in plain for names in o.inputs.values())

    def _below(self, number: int) -> set[int]:
        """A block and the blocks in it."""
        found: set[int] = set()
        left = [number]
        while left:
            block = left.pop()
            if block in found or not 0 <= block < len(self.blocks):
                continue
            found.add(block)
            inner = (o.attributes.get("sub_block") for o in self.blocks[block].ops)
            left += [k for k in inner if isinstance(k, int)]
        return found

    def variable(self, name: str) -> Variable | None:
        """What the program says of a variable."""
        return next((b.variables[name] for b in self.blocks if name in b.variables), None)


def _feed(reader: Reader, op: Op, env: Env, graph: SourceGraph, depth: int) -> None:
    (name,) = op.outputs["Out"]
    found = reader.variable(name)
    if found is None or found.precision is None:
        raise Unsupported(f"the input {name!r}, which is no tensor")
    kind = TensorType(found.precision, dims(name, found.sizes))
    reader.inputs[int(op.attributes.get("col", 0))] = SourceValue(name, kind)
    env[name] = Ref(name)


def _fetch(reader: Reader, op: Op, env: Env, graph: SourceGraph, depth: int) -> None:
    (name,) = op.inputs["X"]
    entry = value(env, name, op)
    if not isinstance(entry, Ref):
        raise Unsupported(f"the output {name!r}, which is no tensor")
    reader.outputs[int(op.attributes.get("col", 0))] = SourceValue(str(entry), called=name)


def _while(reader: Reader, op: Op, env: Env, graph: SourceGraph, depth: int) -> None:
    """What the block writes and was there before is carried from one round to the next."""
    (condition,) = op.inputs["Condition"]
    number = int(op.attributes["sub_block"])
    if not 0 <= number < len(reader.blocks):
        raise BadFile(f"the program has {len(reader.blocks)} blocks, no {number}")
    changed = dict.fromkeys(n for n in reader.written(number) if n in env and n != condition)
    changed = dict.fromkeys(n for n in changed if reader.matters(n, number))
    body = SourceGraph(f"block{number}")
    inner: Env = dict(env)
    for name in changed:
        inner[name] = Ref(reader.fresh(name))
        body.inputs.append(SourceValue(str(inner[name])))
    reader.run(number, inner, body, depth + 1)
    kept = [inner[n] for n in (condition, *changed)]
    body.outputs = [SourceValue(str(k)) for k in kept]
    given = {
        "cond": value(env, condition, op),
        "inputs": [value(env, n, op) for n in changed],
        "body": body,
    }
    results = [reader.fresh(n) for n in changed]
    graph.nodes.append(SourceNode("while", refs(given), results, given, f"while_{number}"))
    env.update(zip(changed, map(Ref, results), strict=True))


def _conditional(reader: Reader, op: Op, env: Env, graph: SourceGraph, depth: int) -> None:
    """Whoever selects what the block writes decides; what was there before stays otherwise."""
    number = int(op.attributes["sub_block"])
    names = op.outputs.get("Out", [])
    before = dict(env)
    pending: dict[str, Any] = {n: Pending(number, n, before) for n in names}
    old = [n for n in names if isinstance(env.get(n), Ref)]
    if old:
        (condition,) = op.inputs["Cond"]
        sides = [[before[n] for n in old], [pending[n] for n in old]]
        found = _branch(reader, value(env, condition, op), sides, graph, depth)
        pending.update(zip(old, found, strict=True))
    env.update(pending)


def _select(reader: Reader, op: Op, env: Env, graph: SourceGraph, depth: int) -> None:
    """The first of two where the mask is 0, else the second."""
    (target,) = op.outputs["Out"]
    entries = [env.get(n) for n in op.inputs["X"]]
    if len(entries) != 2 or None in entries:
        raise BadModel(f"select_input of {op.inputs['X']}")
    (mask,) = op.inputs["Mask"]
    sides = [[entries[0]], [entries[1]]]
    (env[target],) = _branch(reader, value(env, mask, op), sides, graph, depth)


def _branch(
    reader: Reader, condition: Any, sides: Sequence[Sequence[Any]], graph: SourceGraph, depth: int
) -> list[Ref]:
    """An `if` that gives the entries of the second side where the condition holds."""
    graphs = []
    for entries in sides:
        side = SourceGraph("side")
        envs: dict[int, Env] = {}
        for entry in entries:
            if isinstance(entry, Pending) and entry.block not in envs:
                envs[entry.block] = dict(entry.env)
                reader.run(entry.block, envs[entry.block], side, depth + 1)
        found = [envs[e.block].get(e.name) if isinstance(e, Pending) else e for e in entries]
        if not all(isinstance(f, Ref) for f in found):
            raise Unsupported("a conditional block that gives no tensor")
        side.outputs = [SourceValue(str(f)) for f in found]
        graphs.append(side)
    given = {"cond": condition, "then": graphs[1], "otherwise": graphs[0]}
    results = [reader.fresh("if") for _ in sides[0]]
    graph.nodes.append(SourceNode("if", refs(given), results, given, results[0]))
    return [Ref(r) for r in results]


def _nothing(reader: Reader, op: Op, env: Env, graph: SourceGraph, depth: int) -> None:
    """An operator for training or debugging."""


Control = Callable[[Reader, Op, Env, SourceGraph, int], None]
CONTROL: dict[str, Control] = {
    "feed": _feed,
    "fetch": _fetch,
    "while": _while,
    "conditional_block": _conditional,
    "conditional_block_infer": _conditional,
    "select_input": _select,
    "assert": _nothing,
    "print": _nothing,
}
"""Operators that the reader itself understands."""
