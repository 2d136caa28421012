"""What happens before anything else is imported.

`python -m nnadapter` has the current folder in front of everything that can be imported; it may
be one that was downloaded, with a `numpy.py` in it.
"""

import sys
from itertools import pairwise


def leave_current_folder() -> None:
    """Import nothing from the current folder where this process is the command line."""
    if is_command(sys.orig_argv) and sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
        del sys.path[0]


def is_command(arguments: list[str]) -> bool:
    """Whether Python was started to run this package (`-m nnadapter`)."""
    for option, following in pairwise([*arguments, ""]):
        if option.startswith("-m"):
            return option + following == "-mnnadapter" or option == "-mnnadapter"
    return False
