"""What all handles share: one that was given back is of no use."""

from __future__ import annotations

from nnir.errors import BadCall

from .arguments import show


class Handle:
    """A thing of the standard, alive until it is destroyed."""

    _is_alive = True

    def require(self) -> None:
        """BadCall for a handle that was given back."""
        if not self._is_alive:
            raise BadCall(f"this {type(self).__name__.lower()} was destroyed")

    def _end(self) -> bool:
        """Whether this is the first time that the handle is given back."""
        was_alive, self._is_alive = self._is_alive, False
        return was_alive


def require_kind(thing: object, kind: type[Handle], what: str) -> None:
    """BadCall for a null or foreign handle, or one that was destroyed."""
    if not isinstance(thing, kind):
        raise BadCall(f"{what} is {show(thing)}, not a {kind.__name__.lower()}")
    thing.require()
