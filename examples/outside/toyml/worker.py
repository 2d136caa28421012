"""The process that answers for toyml."""

import toyml
from conformance.oracles.functions import serve_functions

if __name__ == "__main__":
    serve_functions(lambda name: getattr(toyml, name))
