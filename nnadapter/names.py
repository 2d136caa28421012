"""Names that stand for something else in the place of a device."""

FASTEST = "fastest"
"""What stands for the device that is found to be the fastest."""
