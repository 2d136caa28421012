"""Android's Neural Networks HAL 1.0: structures, operations, rules and the `.nnapi` file.

`structures`       operands, operations, models, requests and their codes
`operations`       the 29 operations as a table
`rules`            every rule by its name
`binding`          the operands of an operation by the names of its arguments
`shapes`           the dimensions of results
`operation_rules`  the numbers and scales of operations
`check`            whether a model is valid
`requests`         whether a request fits a model
`files`            reading and writing
"""

MAGIC = b"NNAPI1.0"
"""How a file begins."""

SUFFIX = ".nnapi"
