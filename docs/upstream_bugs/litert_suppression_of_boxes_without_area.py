"""LiteRT: NON_MAX_SUPPRESSION_V4 takes a box without area again and again.

Kind: wrong value
Says: Each box is selected once. Three boxes that do not overlap are 0, 1 and 2, as TensorFlow's
operator of this name gives them; LiteRT gives the first one, whose height is 0, three times.
Seen: 2.3.0
Here: such boxes are moved aside first (`nnir/recipes/detection.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import option, run
except ModuleNotFoundError:
    sys.exit(2)

boxes = np.array([[0, 0, 0, 1], [2, 2, 3, 3], [4, 4, 5, 5]], np.float32)
operands = boxes, np.array([3, 2, 1], np.float32), np.array(3, np.int32)
operands += np.array(0.5, np.float32), np.array(0, np.float32)
made = np.zeros(3, np.int32), np.zeros((), np.int32)
options = option("NonMaxSuppressionV4Options")
found = run("NON_MAX_SUPPRESSION_V4", *operands, constants=(2,), options=options, results=made)
print(f"got {found}, right is [0 1 2]")
sys.exit(int(found.tolist() != [0, 1, 2]))
