"""What several frameworks mean alike, as functions of values: a module for each family.

A converter names the options of its framework; the recipe is written once and imports nnir only.
"""
