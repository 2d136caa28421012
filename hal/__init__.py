"""The hardware abstraction layer: devices, the runtime and the drivers."""
