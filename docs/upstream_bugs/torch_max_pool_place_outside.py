"""PyTorch: max_pool2d gives a place that the image does not have.

Kind: wrong value
Says: The places are "useful for max_unpool2d later", which refuses this one: the image has one
element, in place 0.
Seen: 2.13.0
Here: refused, where sizes are known.
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

image = torch.ones(1, 1, 1, 1)
how = {"padding": (0, 1), "dilation": (1, 2), "ceil_mode": True, "return_indices": True}
value, place = torch.nn.functional.max_pool2d(image, (1, 2), (1, 2), **how)
print(f"the largest is {value.item()} in place {place.item()} of an image of {image.numel()}")
sys.exit(int(place.max() >= image.numel()))
