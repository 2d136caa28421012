"""Nothing writes over what it reads: commands and the Python face ask here before they work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

from nnir.errors import BadInput
from nnir.mapping import opened_files, place_of
from nnir.model import Model
from nnir.staging import require_place

Place = str | os.PathLike[str]


class Sources:
    """What is read: files, folders with all that is in them, and the files of weights of models."""

    def __init__(self, given: Iterable[Any]) -> None:
        several = list(given)
        self.places = [Path(s) for s in several if isinstance(s, (str, os.PathLike))]
        self.models = [s for s in several if isinstance(s, Model)]

    def require_apart(self, *outputs: Path) -> None:
        """BadInput where a file to write is one of these, by any name, or lies in a folder of
        them; but a new name beside its files is nobody's, as in `convert . model.onnx`."""
        for output in outputs:
            for place in self.places:
                _require_apart(output, place)
            if output.is_file() and any(_has_weights_in(m, output) for m in self.models):
                raise _source_error(output)


@contextmanager
def keeping_sources(
    sources: Iterable[Any], outputs: Mapping[str, Place | None], folder: Place | None = None
) -> Iterator[Sources]:
    """Nothing that is read inside of the block is one of `outputs`: they are written behind it.

    `sources`: paths, models whose weights are views into files, and other objects, which have none.
    `outputs` are files by what the user calls them (`--html`); None is not asked for. `folder` is
    one that will be made, with those above it. Files that belong to a source, such as weights
    beside it, are known once they are opened: the block ends there.

    Raises BadInput for an output that is a source or another output, and BadFile for one where no
    file can be written, before anything is read where that can be known.
    """
    files = {name: Path(path) for name, path in outputs.items() if path is not None}
    named = files if folder is None else files | {"the folder": Path(folder)}
    _require_distinct(named)
    found = Sources(sources)
    found.require_apart(*named.values())
    for path in files.values():
        require_place(path)

    def notice(opened: Path) -> None:
        found.places.append(opened)
        for path in files.values():
            _require_apart(path, opened)

    with opened_files(notice):
        yield found


def _require_distinct(outputs: Mapping[str, Path]) -> None:
    """BadInput where two outputs are one file."""
    for (name, path), (other, same) in combinations(outputs.items(), 2):
        if path.resolve() == same.resolve() or _is_same(path, same):
            raise BadInput(
                f"cannot write {str(path)!r} twice: {name} and {other} are the same file; give "
                "each a name of its own"
            )


def _require_apart(output: Path, source: Path) -> None:
    if source.is_dir():
        home, place = source.resolve(), output.parent.resolve() / output.name
        is_inside = place.is_relative_to(home) or output.resolve().is_relative_to(home)
        is_new_beside = place.parent == home and not os.path.lexists(output)
        if is_inside and not is_new_beside:
            raise BadInput(
                f"cannot write {str(output)!r}: the source is read from the folder "
                f"{str(source)!r}; choose a place outside of it"
            )
        if output.is_file() and any(_is_same(output, p) for p in source.rglob("*")):
            raise _source_error(output)
    elif _is_same(output, source):
        raise _source_error(output)


def _source_error(output: Path) -> BadInput:
    return BadInput(
        f"cannot write {str(output)!r}: the source is read from it; choose another name"
    )


def _is_same(path: Path, other: Path) -> bool:
    """Whether two names, links too, are one file."""
    return path.exists() and other.exists() and path.samefile(other)


def _has_weights_in(model: Model, path: Path) -> bool:
    """Whether weights of a model are views into a file."""
    own = path.stat()
    arrays = (v.constant for v in model.values() if v.constant is not None)
    places = (place_of(a) for a in arrays)
    descriptors = {place[0] for place in places if place is not None}
    return any(os.path.samestat(own, os.fstat(d)) for d in descriptors)
