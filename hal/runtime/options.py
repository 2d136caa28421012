"""Paddle-Lite's settings of NNAdapter as one object."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from nnir.errors import BadCall, Unsupported
from nnir.model import Model
from nnir.records import dataclass

from ..device import Callback
from . import manager
from .cache import fingerprint, token_of
from .context import Context
from .program import Program
from .subgraph_config import Rules


@dataclass
class Options:
    """What Paddle-Lite's MobileConfig says about NNAdapter, with its calls.

    `Options().set_nnadapter_device_names(["openvino", "builtin"])` and so on; each call gives the
    object back. `nnadapter.compile(model, options)` makes a program.
    """

    device_names: list[str] = field(default_factory=list)
    context_properties: str = ""
    context_callback: Callback | None = None
    model_cache_dir: Path | None = None
    model_cache_buffers: dict[str, bytes] = field(default_factory=dict)
    subgraph_partition_config_path: Path | None = None
    subgraph_partition_config_buffer: str = ""

    @staticmethod
    def check_nnadapter_device_name(device_name: str) -> bool:
        """Whether the device is installed and opens."""
        return manager.is_available(device_name)

    def set_nnadapter_device_names(self, device_names: Sequence[str]) -> Options:
        """The devices in order of preference."""
        self.device_names = list(device_names)
        return self

    def set_nnadapter_context_properties(self, context_properties: str) -> Options:
        """`KEY=value;` text for all devices."""
        self.context_properties = context_properties
        return self

    def set_nnadapter_context_callback(self, callback: Callback) -> Options:
        """What devices call with their events."""
        self.context_callback = callback
        return self

    def set_nnadapter_model_cache_dir(self, model_cache_dir: str | os.PathLike[str]) -> Options:
        """A folder for `.nnc` files, which are written and read from now on."""
        self.model_cache_dir = Path(model_cache_dir)
        return self

    def set_nnadapter_model_cache_buffers(
        self, model_cache_token: str, model_cache_buffer: bytes
    ) -> Options:
        """A cache in memory, such as one that was decrypted; used once, where the token fits."""
        self.model_cache_buffers[model_cache_token] = model_cache_buffer
        return self

    def set_nnadapter_subgraph_partition_config_path(
        self, subgraph_partition_config_path: str | os.PathLike[str]
    ) -> Options:
        """A file that names operations for the host."""
        self.subgraph_partition_config_path = Path(subgraph_partition_config_path)
        return self

    def set_nnadapter_subgraph_partition_config_buffer(
        self, subgraph_partition_config_buffer: str
    ) -> Options:
        """The same as a text, which counts before the file."""
        self.subgraph_partition_config_buffer = subgraph_partition_config_buffer
        return self

    def rules(self) -> Rules | None:
        """The operations for the host: of the text, else of the file, else of the environment."""
        if self.subgraph_partition_config_buffer:
            return Rules.parse(self.subgraph_partition_config_buffer)
        if self.subgraph_partition_config_path is not None:
            return Rules.read(self.subgraph_partition_config_path)
        return None

    def token(self, model: Model) -> str:
        """The name of the cache of a model under these options: 32 hexadecimal characters."""
        with Context(
            self.device_names, self.context_properties, self.context_callback, rules=self.rules()
        ) as context:
            return token_of(fingerprint(model, context))

    def program(self, model: Model | None) -> Program:
        """Compile a model; without one, restore the one cache in memory."""
        if not self.device_names:
            raise BadCall("set_nnadapter_device_names comes first")
        token, buffer = self._take_cache(model)
        return Program(
            model,
            self.device_names,
            self.context_properties,
            self.context_callback,
            cache_token=token,
            cache_buffer=buffer,
            cache_dir=self.model_cache_dir,
            rules=self.rules(),
        )

    def _take_cache(self, model: Model | None) -> tuple[str, bytes | None]:
        """The token and the bytes of the cache in memory that fits; it is used up."""
        if not self.model_cache_buffers:
            return "", None
        if model is not None:
            token = self.token(model)
        elif len(self.model_cache_buffers) == 1:
            (token,) = self.model_cache_buffers
        else:
            raise Unsupported("several caches in memory and no model to choose one")
        return token, self.model_cache_buffers.pop(token, None)
