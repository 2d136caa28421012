"""What the package brings: the device, and what is known not to pass on it."""

from nnadapter import Plugin

from .device import ToyChip

PLUGIN = Plugin("toychip", "1.0", devices={"toychip": ToyChip})
