"""Keras: TimeDistributed gives as many steps as there are rows in the batch where the length is
open.

Kind: wrong value
Says: "This wrapper allows to apply a layer to every temporal slice of an input", says the
documentation. In a graph of TensorFlow whose length is None, as an exported one, it counts to the
size of the batch instead.
Seen: 3.15.1; not in 3.6.0
Here: nothing is done about it.
"""

import sys

import numpy as np

try:
    import keras
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

model = keras.Sequential(
    [keras.Input((None, 3)), keras.layers.TimeDistributed(keras.layers.ReLU())]
)
graph = tf.function(model, input_signature=[tf.TensorSpec((None, None, 3))])
x = np.ones((2, 5, 3), np.float32)
found, eager = tuple(graph(x).shape), tuple(model(x).shape)
print(f"2 rows of 5 steps: in a graph {found}, outside {eager}, right is (2, 5, 3)")
sys.exit(int(found != (2, 5, 3)))
