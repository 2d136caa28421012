"""OpenVINO's IR, version 11: graphs of its operators in `.xml`, constants in `.bin`.

`graph` has nodes with types and shapes, `operators` says by family what each gives and which
attributes it has, `runtime` offers them by the names that the package openvino has, and `files`
writes them.
"""

from ...errors import NoLowering


class NoRule(NoLowering):
    """An operator that the tables do not have, as one of a plug-in."""
