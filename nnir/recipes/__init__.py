"""What several frameworks mean alike, as functions of values that append operators.

A recipe takes the union of the options of the frameworks that use it; a converter names them.
"""
