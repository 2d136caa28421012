"""JAX as an origin: its functions, by the primitives that their jaxpr has."""
