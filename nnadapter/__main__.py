"""The program: `nnadapter` and `python -m nnadapter` are the command line."""

from __future__ import annotations

import sys

from .interruption import end_quietly
from .startup import require_own_packages


def run() -> None:
    """Answer signals from the first moment, then load the commands and do what is asked."""
    end_quietly()
    try:
        from .cli import main
    except ImportError:
        _tell_of_others()
        raise
    main(prog_name="nnadapter")


def _tell_of_others() -> None:
    """End with one line where another package has taken the place of one of ours."""
    try:
        require_own_packages()
    except ImportError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    run()
