"""Estimators of classical machine learning: trees, linear models, support vectors, features.

They take the numbers of a fitted estimator as plain arrays, and its data as values of rows. What is
left open by the files that hold them is as ONNX Runtime has it (`core/providers/cpu/ml`).
"""
