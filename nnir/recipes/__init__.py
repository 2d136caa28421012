"""What several frameworks mean alike, as functions of values: a module for each family.

A recipe takes the union of the options of the frameworks that use it; a converter names those of
its own. Recipes import nnir only.
"""
