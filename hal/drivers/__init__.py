"""Drivers: one module or package per device."""
