"""One operator with kernels for TensorFlow, Paddle and ONNX Runtime, as a plug-in of nnadapter."""
