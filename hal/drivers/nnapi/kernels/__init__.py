"""The kernels of our implementation of NNAPI 1.0, by family; they use NumPy alone.

`fixed` says once how integers are summed, rounded and saturated.
"""
