"""What a frontend offers: `nnadapter.load` asks each that is installed, and knows no more of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from nnir.errors import Unsupported
from nnir.model import Model

GROUP = "nnadapter.frontends"
"""The group of entry points that name frontends: modules, or objects in modules."""

FOLDER = "/"
"""Among the suffixes of a frontend: folders."""


class Frontend(Protocol):
    """Reads the files, bytes and objects of one framework or format.

    A module with these members is one, as is an object of a class that inherits from this one and
    says what differs. Importing it brings no framework, and no readers before they are needed.
    A source is a `Path` that exists, bytes, or an object of the framework.
    """

    name: str

    suffixes: tuple[str, ...] = ()
    """The files that are likely its own (".onnx", `FOLDER`): it is asked about these first."""

    image_layout: str = "NCHW"
    """The order of axes that images have in its sources."""

    def detects(self, source: Any) -> bool:
        """Whether a source is its own, by content where there is a mark, else by name."""
        raise NotImplementedError

    load: Callable[..., Model]
    """`load(source, **options)`: the model of a source that it detects.

    BadFile for what is damaged, Unsupported with everything that cannot be expressed. Weights are
    views into the file or share the memory of the framework.
    """

    def options(self, source: Any) -> frozenset[str]:
        """The options that `load` takes for this source; others are refused."""
        return frozenset()

    def exports(self, source: Any) -> bool:
        """Whether a source has no graph yet, and is traced on example `inputs`."""
        return False

    def supported_operators(self) -> Mapping[str, Iterable[int]]:
        """The operators that are converted, with the versions whose meaning is told apart."""
        return {}


MEMBERS = (
    *("name", "suffixes", "image_layout", "detects"),
    *("load", "options", "exports", "supported_operators"),
)


def check_frontend(found: Any, name: str) -> Frontend:
    """What an entry point names; Unsupported where it is no frontend."""
    missing = [member for member in MEMBERS if not hasattr(found, member)]
    if missing:
        raise Unsupported(
            f"the installed frontend {name!r} has no {', '.join(missing)}: a frontend has "
            f"{', '.join(MEMBERS)}"
        )
    frontend: Frontend = found
    return frontend
