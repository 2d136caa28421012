"""Integer kernels in place of dequantised numbers, a float kernel, and rounding to integers.

The float steps are there when this begins, and stay where there is no integer kernel: a result may
differ from theirs by one step of the output's scale. Source of the kernels' rules:
tensorflow.org/lite/performance/quantization_spec.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from nnir.dim import Dim, Expr
from nnir.formats.tflite import schema
from nnir.types import Precision

from .affine import BYTES, LEAST, MOST, SHIFT, Affine, affine_of, shift_kind, stored_integers
from .emitter import Emitter
from .kernels import FUSED, FUSING, RECTIFIERS
from .writer import Field, Step, Tensor

INT8 = Precision.INT8
FIRST = slice(1)
MOVES = {
    **dict.fromkeys(("RESHAPE", "TRANSPOSE", "SLICE", "STRIDED_SLICE", "GATHER", "PAD"), FIRST),
    **dict.fromkeys(("PADV2", "MAX_POOL_2D", "RESIZE_NEAREST_NEIGHBOR", "TILE", "UNPACK"), FIRST),
    **dict.fromkeys(("CONCATENATION", "PACK"), slice(None)),
    "SPLIT": slice(1, 2),
}
"""Steps that commute with scales, and which of their inputs they move."""
CARRIED = frozenset({"RESHAPE", "TRANSPOSE", "SLICE", "STRIDED_SLICE", "GATHER", "SPLIT"}) | {
    *("CONCATENATION", "PACK", "UNPACK"),
}
"""Steps that do the same to plain integers as to those with a scale."""
VERSIONS = {"CONV_2D": 3, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 4}
VERSIONS |= dict.fromkeys(("RESHAPE", "HARD_SWISH", "ELU"), 1)
"""The versions of operators that take integers with a scale, where that is not 2."""


def rewrite(g: Emitter, kernels: Mapping[str, Kernel]) -> None:
    """Put integer kernels into the graph of an emitter, whose outputs are known.

    The first round finds what integer kernels read, so that the second rounds it only once. Where
    there are such kernels, what is rounded between float ones has its scale in the file, too.
    """
    if not g.quantised or not g.dequantised:
        return
    first = Rewriter(g, {}, kernels)
    first.run()
    first.reset()
    if first.kernels:
        rounded = {made: made.precision for made in g.quantised}
        g.graph.steps = Rewriter(g, rounded | first.demanded, kernels).run()


Kernel = Callable[["Rewriter", Step, Affine], Tensor | None]
"""A step on integers that gives those of a result, or None where it does not fit."""


class Rewriter:
    """The steps of a graph once more, with integer kernels.

    `codes` holds the integers with a scale that stand for a tensor of plain ones, by their type;
    `scaled` those tensors of the graph itself that have a scale now; `renamed` says what a tensor
    that other steps may read already is called since it became one of the graph.
    """

    def __init__(
        self, g: Emitter, demanded: dict[Tensor, Precision], table: Mapping[str, Kernel]
    ) -> None:
        self.g, self.table = g, table
        self.demanded = dict(demanded)
        self.given = g.graph.live()
        self.makers = {t: s for s in self.given for t in s.outputs}
        reads = [t for s in self.given for t in s.inputs]
        self.readers = Counter([*reads, *g.graph.outputs])
        self.out: list[Step] = []
        self.kernels = 0
        self.codes: dict[tuple[Tensor, Affine], dict[Precision, Tensor]] = {}
        self.scaled: dict[Tensor, tuple[Tensor, Affine]] = {}
        self.known: dict[Tensor, Affine | None] = {}
        self.moved: dict[tuple[Tensor, Precision], Tensor] = {}
        self.plain: dict[Tensor, Tensor] = {}
        self.flat: dict[Tensor, Tensor] = {}
        self.renamed: dict[Tensor, Tensor] = {}

    def run(self) -> list[Step]:
        """All steps in order."""
        for tensor in self.g.graph.inputs:
            self._head(tensor)
        for step in self.given:
            made = step.outputs[0]
            if made in self.g.quantised and self._round(made):
                continue
            if made in self.g.dequantised and self._real(made):
                continue
            self._keep(step)
        for step in self.out:
            step.inputs = [self.renamed.get(t, t) for t in step.inputs]
        return self.out

    def reset(self) -> None:
        """Take the scales off the tensors of the graph."""
        for tensor, _ in self.scaled.values():
            tensor.quantization = None

    def _head(self, tensor: Tensor) -> None:
        for whole, described in self.g.dequantised.values():
            affine = affine_of(whole, described)
            if whole is tensor and affine is not None:
                self._scale(tensor, affine)
                return

    def _scale(self, tensor: Tensor, affine: Affine) -> None:
        """Give a tensor of the graph a scale."""
        tensor.quantization = affine.of(tensor.precision)
        self.scaled[tensor] = tensor, affine
        self.codes.setdefault((tensor, affine), {})[tensor.precision] = tensor

    # Steps

    def add(
        self,
        name: str,
        inputs: Sequence[Tensor],
        made: list[Tensor],
        fields: dict[str, Field],
    ) -> None:
        """Append a step on integers with a scale."""
        version = VERSIONS.get(name, 2)
        options = schema.table_of(name)
        self.out.append(Step(name, list(inputs), made, options, fields, version))

    def result(
        self,
        name: str,
        inputs: Sequence[Tensor],
        shape: tuple[Dim, ...],
        affine: Affine,
        kind: Precision,
        **fields: Field,
    ) -> Tensor:
        """Append a step with one result."""
        made = Tensor(kind, shape, quantization=affine.of(kind))
        self.add(name, inputs, [made], fields)
        return made

    def requantised(self, tensor: Tensor, affine: Affine, kind: Precision) -> Tensor:
        """Integers for the same numbers with another scale, or of another type."""
        if tensor.quantization == affine.of(kind) and tensor.precision == kind:
            return tensor
        return self.result("QUANTIZE", [tensor], tensor.shape, affine, kind)

    def copied(self, tensor: Tensor, to: Tensor) -> None:
        """The same integers as a tensor of another scale, or of none."""
        rank = len(to.shape)
        if not any(isinstance(d, Expr) for d in to.shape):
            sizes = self.g.constant(np.array(to.shape, np.int32)).tensor
            vector = [int(d) for d in to.shape if isinstance(d, int)]
            self.add("RESHAPE", [tensor, sizes] if rank else [tensor], [to], {"new_shape": vector})
            return
        bounds = [self.g.ints(*[n] * rank).tensor for n in (0, -1)]
        self.add("SLICE", [tensor, *bounds], [to], {})

    # What the graph has

    def _keep(self, step: Step) -> None:
        """A step that stays: with its scale, where it only moves integers, else without."""
        reads = [self.scaled.get(t) for t in step.inputs]
        if not any(reads) or step.name == "CAST":
            self.out.append(step)
            return
        moved = {None if r is None else r[1] for r in reads[MOVES.get(step.name, FIRST)]}
        affine = next(iter(moved))
        if step.name in CARRIED and len(moved) == 1 and affine is not None:
            for tensor in step.outputs:
                self._scale(tensor, affine)
            if step.name == "RESHAPE":
                self.flat[step.outputs[0]] = step.inputs[0]
            self.out.append(replace(step, version=VERSIONS.get(step.name, 2)))
            return
        inputs = [
            t if r is None else self._without_scale(r[0])
            for t, r in zip(step.inputs, reads, strict=True)
        ]
        self.out.append(replace(step, inputs=inputs))

    def _without_scale(self, tensor: Tensor) -> Tensor:
        if tensor not in self.plain:
            self.plain[tensor] = Tensor(tensor.precision, tensor.shape)
            self.copied(tensor, self.plain[tensor])
        return self.plain[tensor]

    def _real(self, made: Tensor) -> bool:
        """Dequantise integers that have a scale."""
        whole, described = self.g.dequantised[made]
        affine = affine_of(whole, described)
        held = None if affine is None else self.codes.get((whole, affine))
        if not held:
            return False
        self.add("DEQUANTIZE", [next(iter(held.values()))], [made], {})
        return True

    def _round(self, made: Tensor) -> bool:
        """The integers that are made of real numbers, by an integer kernel or for one."""
        real, described = self.g.quantised[made]
        affine = affine_of(made, described)
        if affine is None:
            return False
        found = self.quantised(real, affine)
        if found is None:  # what it began nobody reads
            if made not in self.demanded:
                return False
            kind = self.demanded[made]
            found = self.result("QUANTIZE", [real], real.shape, affine, kind)
        else:
            self.kernels += 1
        self._take(found, made, affine)
        return True

    def _take(self, found: Tensor, made: Tensor, affine: Affine) -> None:
        """Let `found` be what the graph calls `made`."""
        last = self.out[-1] if self.out else None
        places = [] if last is None else [k for k, t in enumerate(last.outputs) if t is found]
        if found.precision == made.precision and places and last is not None:
            last.outputs[places[0]] = self.renamed[found] = made
        elif found.precision == made.precision:
            self.copied(found, made)
        else:
            self.codes.setdefault((made, affine), {})[found.precision] = found
            self.add("QUANTIZE", [found], [made], {})
        self._scale(made, affine)

    # What stands for real numbers

    def code(self, real: Tensor) -> Affine | None:
        """How the integers are to be read that `real` is made of; None where it is not."""
        if real not in self.known:
            self.known[real] = self._code(real)
        return self.known[real]

    def _code(self, real: Tensor) -> Affine | None:
        constant = stored_integers(self.g, real)
        if constant is not None:
            whole = Tensor(Precision[constant.data.dtype.name.upper()], constant.data.shape)
            single = len(constant.scales) == 1 and whole.precision in BYTES
            return (
                Affine(constant.scales[0], constant.zeros[0] - SHIFT[whole.precision])
                if single
                else None
            )
        if real in self.g.dequantised:
            return affine_of(*self.g.dequantised[real])
        step = self.makers.get(real)
        if step is None or not is_move(step):
            return None
        found = {self.code(t) for t in data_of(step)}
        affine = next(iter(found))
        if len(found) > 1 or affine is None or not self._fills(step, affine):
            return None
        return affine

    def _fills(self, step: Step, affine: Affine) -> bool:
        """Whether what a PADV2 puts around is an integer too, or never wins."""
        if step.name != "PADV2":
            return True
        fill = step.inputs[2]
        if fill.data is None:
            return False
        value = float(fill.data.item())
        if value == -np.inf:
            users = [s for s in self.given if any(t is step.outputs[0] for t in s.inputs)]
            return all(s.name == "MAX_POOL_2D" for s in users)
        return bool(np.isfinite(value)) and affine.holds(value)

    def kind(self, *reals: Tensor) -> Precision:
        """The type in which most of these are there already, INT8 where none is."""
        votes = Counter(k for r in reals for k in self._kinds(r))
        return max(votes, key=lambda k: (votes[k], k == INT8), default=INT8)

    def _kinds(self, real: Tensor) -> list[Precision]:
        if real in self.g.dequantised:
            affine = self.code(real)
            whole = self.g.dequantised[real][0]
            return [] if affine is None else list(self.codes.get((whole, affine), ()))
        step = self.makers.get(real)
        if step is None or not is_move(step):
            return []
        return [k for t in data_of(step) for k in self._kinds(t)]

    def tensor(self, real: Tensor, kind: Precision) -> Tensor:
        """The integers, of this type, that `real` is made of: it has a code."""
        key = real, kind
        if key not in self.moved:
            self.moved[key] = self._tensor(real, kind)
        return self.moved[key]

    def _tensor(self, real: Tensor, kind: Precision) -> Tensor:
        affine = self.code(real)
        if affine is None:
            raise ValueError("a tensor without a code")
        constant = stored_integers(self.g, real)
        if constant is not None:
            return Tensor(kind, real.shape, shift_kind(constant.data, kind), "", affine.of(kind))
        if real in self.g.dequantised:
            return self._encode(self.g.dequantised[real][0], affine, kind)
        step = self.makers[real]
        parts = [self.tensor(t, kind) for t in data_of(step)]
        made = self.shift(step, parts, affine, kind)
        self.moved.update(zip(((t, kind) for t in step.outputs), made, strict=True))
        return self.moved[real, kind]

    def shift(
        self, step: Step, parts: list[Tensor], affine: Affine, kind: Precision
    ) -> list[Tensor]:
        """A step that moves numbers, on integers."""
        inputs = list(step.inputs)
        fill = inputs[-1]
        if step.name == "PADV2" and fill.data is not None:
            value = float(fill.data.item())
            whole = -128 if value == -np.inf else round(value / affine.scale) + affine.zero
            data = np.full(fill.data.shape, whole + SHIFT[kind], kind.dtype)
            inputs[-1] = Tensor(kind, data.shape, data, "", affine.of(kind))
        if step.name == "RESHAPE":  # of what is a reshape itself
            parts = [self.flat.get(p, p) for p in parts]
        inputs[MOVES[step.name]] = parts
        made = [Tensor(kind, t.shape, quantization=affine.of(kind)) for t in step.outputs]
        self.add(step.name, inputs, made, step.fields)
        if step.name == "RESHAPE":
            self.flat[made[0]] = parts[0]
        return made

    def _encode(self, whole: Tensor, affine: Affine, kind: Precision) -> Tensor:
        """A tensor of integers with this scale and of this type."""
        held = self.codes.setdefault((whole, affine), {})
        if kind in held:
            return held[kind]
        if not held and whole in self.g.quantised:
            real, described = self.g.quantised[whole]
            if affine_of(whole, described) == affine:
                self.demanded[whole] = kind
                held[kind] = self.result("QUANTIZE", [real], real.shape, affine, kind)
                return held[kind]
        if not held:
            held[whole.precision] = Tensor(
                whole.precision, whole.shape, quantization=affine.of(whole.precision)
            )
            self.copied(whole, held[whole.precision])
        if kind not in held:
            held[kind] = self.requantised(next(iter(held.values())), affine, kind)
        return held[kind]

    def quantised(self, real: Tensor, affine: Affine) -> Tensor | None:
        """Integers for real numbers that integer kernels make; None where there are none."""
        have = self.code(real)
        if have is not None:
            kind = self.kind(real)
            if not LEAST < have.scale / affine.scale < MOST:
                return None
            return self.requantised(self.tensor(real, kind), affine, kind)
        step = self.makers.get(real)
        if step is None or self.readers[real] != 1:
            return None
        if is_move(step) and step.name != "PADV2":
            return self._join(step, affine) if len(step.outputs) == 1 else None
        if step.name in RECTIFIERS:
            inner = self.makers.get(step.inputs[0])
            free = inner is not None and inner.name in FUSING and not inner.fields.get(FUSED)
            if free and inner is not None and self.readers[step.inputs[0]] == 1:
                fused = {**inner.fields, FUSED: RECTIFIERS[step.name]}
                found = self._kernel(replace(inner, fields=fused), affine)
                if found is not None:
                    return found
        return self._kernel(step, affine)

    def _join(self, step: Step, affine: Affine) -> Tensor | None:
        """What is moved has the scale before it is moved."""
        parts = []
        for real in data_of(step):
            part = self.quantised(real, affine)
            if part is None:
                return None
            parts.append(part)
        kind = Counter(p.precision for p in parts).most_common(1)[0][0]
        alike = [self.requantised(p, affine, kind) for p in parts]
        (made,) = self.shift(step, alike, affine, kind)
        return made

    def _kernel(self, step: Step, affine: Affine) -> Tensor | None:
        kernel = self.table.get(step.name)
        return None if kernel is None else kernel(self, step, affine)


def is_move(step: Step) -> bool:
    """Whether a step moves numbers, or picks some of them."""
    return step.name in MOVES and not step.fields.get(FUSED)


def data_of(step: Step) -> list[Tensor]:
    """What a step moves."""
    return step.inputs[MOVES[step.name]]
