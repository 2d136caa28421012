"""What lies between a user's file and the framework that it came from.

Frameworks run what lies in files. A gate knows what: it drops what can run and is not needed, and
refuses by name what can run and is needed. It filters and never regenerates: what passes is the
bytes of the source, so that the framework does not get what our readers understood.
"""

from .entry import admit

__all__ = ["admit"]
