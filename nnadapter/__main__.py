"""The program: `nnadapter` and `python -m nnadapter` are the command line."""

from __future__ import annotations

from .interruption import end_quietly


def run() -> None:
    """Answer signals from the first moment, then load the commands and do what is asked."""
    end_quietly()
    from .cli import main

    main(prog_name="nnadapter")


if __name__ == "__main__":
    run()
