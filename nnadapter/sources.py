"""Loading models: who reads a source, and what becomes of its ends."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontends.frontend import FOLDER, GROUP, Frontend, check_frontend
from nnir import archive
from nnir.budget import read_head
from nnir.collector import paused_collector
from nnir.errors import BadFile, BadInput
from nnir.formats.archives import SUFFIX, is_archive
from nnir.installed import points
from nnir.model import Model
from nnir.plugins import REGISTRY
from nnir.progress import note

from .foreign import explain_foreign
from .net import guard

if TYPE_CHECKING:
    from nnir.passes.ends import Layouts

Source = str | os.PathLike[str] | bytes | Any
STANDARD = "NCHW"
"""The order of axes that images have in the standard."""


@guard("source", "params")
def load(
    source: Source,
    inputs: Sequence[Any] | None = None,
    *,
    keywords: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    outputs: Sequence[str] | None = None,
    signature: str | None = None,
    tags: Sequence[str] | None = None,
    params: str | os.PathLike[str] | None = None,
    input_layout: Layouts | None = None,
    output_layout: Layouts | None = None,
    state: str | Mapping[str, str] | None = None,
    shapes: Mapping[str, Sequence[int | str | None]] | None = None,
    sizes: Mapping[str, int] | None = None,
    values: Mapping[str, Any] | None = None,
    trust: bool = False,
    qdq: bool = False,
) -> Model:
    """A model of standard operators from a path, bytes or a framework's object.

    The format is found by content. Weights are views into the mapped file, which must not be
    changed while the model is used, or share the memory of the framework's tensors. A module whose
    graph is not known yet, such as a `torch.nn.Module`, is exported on example `inputs` and
    `keywords` (arrays or tensors); `dynamic_shapes` is torch.export's.

    Of a frozen TensorFlow graph, `inputs` and `outputs` are the names of tensors where the model
    begins and ends. `signature` and `tags` choose a graph of a SavedModel, `signature` also one of
    a TFLite file. `params` is the file with the parameters of a Paddle program, where it does not
    lie beside it under the same name. `input_layout` and `output_layout` ("NCHW", "NHWC", ... or
    such by name) are the order of the axes of images at the ends; by default as in the source.

    What a source keeps from call to call, its program keeps (`program.states`, `program.reset`):
    buffers that a PyTorch program changes, variables that TensorFlow or TFLite write. With `state`
    "explicit" these are inputs and outputs behind the others. Names of outputs by names of inputs
    let the program keep ends of the source; they begin with zeros, empty along axes of open size.

    `shapes` gives inputs shapes ({"x": [1, "length", 80]}: a name stays open, None is as in the
    source), `sizes` numbers to named dimensions, `values` fixes inputs, which are none of the model
    then. They count before translation: branches that they choose are taken.

    `trust`: let Keras run what is in a `.keras` archive; reading any other file runs nothing.
    `qdq`: QLinear operators of ONNX and quantisers of Paddle as QDQ, within one integer.

    Raises BadFile for what no frontend reads or what is damaged, BadInput for options that are
    missing or not wanted, and Unsupported with a list of everything that cannot be expressed.
    """
    from frontends.choices import Choices, choosing

    given: dict[str, Any] = {"keywords": keywords, "outputs": outputs, "signature": signature}
    given |= {"inputs": _require_sequence(inputs), "dynamic_shapes": dynamic_shapes, "tags": tags}
    given |= {"params": params, "trust": trust or None, "qdq": qdq or None}
    chosen = Choices(shapes or {}, sizes or {}, values or {})
    options = {k: v for k, v in given.items() if v is not None}
    runs_code = not isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview))
    with nullcontext() if runs_code else paused_collector():  # a framework may leave much behind
        with choosing(chosen):
            model, images = _translate_source(source, options)
        if isinstance(source, (str, os.PathLike)):
            model.provenance.file = Path(source)
        return _arrange_ends(model, images, input_layout, output_layout, state)


def _require_sequence(inputs: Sequence[Any] | None) -> Sequence[Any] | None:
    """The same; BadInput for a text, or one array."""
    if inputs is not None and (isinstance(inputs, str) or not isinstance(inputs, Sequence)):
        kind = type(inputs).__name__
        raise BadInput(f"inputs of type {kind}; a list or tuple is accepted, such as inputs=(x,)")
    return inputs


def _arrange_ends(
    model: Model,
    images: str,
    input_layout: Layouts | None,
    output_layout: Layouts | None,
    state: str | Mapping[str, str] | None,
) -> Model:
    """The model with the ends that its caller wants, cleaned; changed in place."""
    from nnir.passes import CLEAN, apply
    from nnir.stateful import choose_state

    if state is not None:
        choose_state(model, state)
    if input_layout is not None or output_layout is not None:
        from nnir.passes import ends, sink_transposes
    if input_layout is not None:
        ends.order_inputs(model, input_layout, images)
    if output_layout is not None:
        ends.order_outputs(model, output_layout, images)
    if input_layout is not None or output_layout is not None:
        apply(model, (sink_transposes,))
    with paused_collector():
        apply(model, CLEAN)
    return model


def _translate_source(source: Source, options: dict[str, Any]) -> tuple[Model, str]:
    """The model, and the order of axes that images have in its source."""
    if isinstance(source, (str, os.PathLike)):
        source = Path(source)
        if not source.exists():
            raise BadFile(f"no such file: {str(source)!r}")
    if isinstance(source, (bytearray, memoryview)):
        source = bytes(source)
    if is_archive(_head(source)):
        if options:
            raise BadInput(f"{', '.join(options)}: not for a {SUFFIX} file")
        found = archive.load(source) if isinstance(source, Path) else archive.loads(source)
        return found, STANDARD
    for frontend in candidate_frontends(source):
        if frontend.detects(source):
            takes = frontend.options(source)
            unknown = [o for o in options if o not in takes]
            if unknown:
                known = ", ".join(sorted(takes)) or "none"
                raise BadInput(
                    f"{', '.join(unknown)}: not for this {frontend.name} source, whose options "
                    f"are {known}"
                )
            note(f"read by the frontend {frontend.name}")
            return frontend.load(source, **options), frontend.image_layout
    if isinstance(source, Path) and (why := explain_foreign(source, _head(source))):
        raise BadFile(f"{source}: no frontend recognises it: {why}")
    known = ", ".join(frontends())
    what = str(source) if isinstance(source, Path) else f"an object of {type(source).__name__}"
    raise BadFile(f"{what}: no frontend recognises it; installed are {known} and .nnir")


def _head(source: Any) -> bytes:
    if isinstance(source, bytes):
        return source[:64]
    return read_head(source, 64) if isinstance(source, Path) else b""


def candidate_frontends(source: Any) -> Iterator[Frontend]:
    """The frontends in the order in which to ask them; none is imported after one that agrees.

    The content decides whose a file is, its suffix only who is asked first.
    """
    suffix = ""
    if isinstance(source, Path):
        suffix = FOLDER if source.is_dir() else source.suffix
    others = []
    for _, frontend in _installed_frontends(first=suffix.removeprefix(".")):
        if suffix in frontend.suffixes:
            yield frontend
        else:
            others.append(frontend)
    yield from others


def _installed_frontends(first: str = "") -> Iterator[tuple[str, Frontend]]:
    """Every installed frontend by its name, those of plug-ins first, then that which is called
    `first`; each is imported when its turn comes."""
    for plugin in REGISTRY.plugins():
        for name, frontend in plugin.frontends.items():
            yield name, check_frontend(frontend, name)
    for point in sorted(points(GROUP), key=lambda e: (e.name != first, e.name)):
        yield point.name, check_frontend(point.load(), point.name)


def frontends() -> dict[str, Frontend]:
    """The installed frontends by name."""
    return dict(_installed_frontends())
