"""Parts of a model that were compiled for one processor: refused, with what to do instead."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.model import Value

from ...table import Table

table = Table(prefix="com.microsoft::")
CURE = "what was compiled for one processor is no model: convert the file from before that"


@table.convert("EPContext")
def context_of_provider(
    *inputs: Value,
    embed_mode: bool = True,
    ep_cache_context: object = None,
    ep_sdk_version: str = "",
    hardware_architecture: str = "",
    main_context: bool = True,
    max_size: int = 0,
    notes: str = "",
    onnx_model_filename: str = "",
    partition_name: str = "",
    source: str = "",
) -> Value:
    raise Unsupported(f"EPContext of {source or 'an execution provider'}: {CURE}")


@table.convert("Snpe")
def container_of_snpe(
    *inputs: Value,
    DLC: object,  # noqa: N803  the name is that of ONNX Runtime
    notes: str = "",
    snpe_version: str = "",
    target_device: str = "",
) -> Value:
    raise Unsupported(f"Snpe {snpe_version or 'of Qualcomm'}: {CURE}")
