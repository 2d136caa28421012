"""Drivers in C: shared libraries that export the table of `hal/include/nnadapter_hal.h`."""

from .driver import driver_of

__all__ = ["driver_of"]
