"""The program: `nnadapter` and `python -m nnadapter` are the command line."""

from __future__ import annotations

from .interruption import end_quietly
from .startup import tell_of_others


def run() -> None:
    """Answer signals from the first moment, then load the commands and do what is asked."""
    end_quietly()
    try:
        from .cli import main
    except ImportError:
        tell_of_others()
        raise
    main(prog_name="nnadapter")


if __name__ == "__main__":
    run()
