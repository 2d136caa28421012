"""Lets TensorFlow know `AcmeSnake`: importing this loads its kernels."""

from __future__ import annotations

import tensorflow as tf

from .build import library

snake = tf.load_op_library(str(library("tensorflow"))).acme_snake
