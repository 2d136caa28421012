"""OpenHarmony's Neural Network Runtime (NNRt): its operations, tensors, models and their files.

`operations`    the 108 operations with their inputs, typed parameters and outputs, as data
`enums`         the enumerations of the header
`model`         tensors, operations and models
`check`         what makes a model valid
`explicit`      quantised operations written as casts around operations on real numbers
`implicit`      its reverse: operations on integers with scales
`files`         the file form of a model
`construction`  a model built call by call, as the runtime demands it, with return codes
"""

MAGIC = b"OHNNRT\r\n"
"""The first bytes of a file."""
