"""Programs from before PIR: their reader, and rules that say what their operators are in PIR's."""
