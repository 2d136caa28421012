"""Models and written files against their origin, on inputs that prove something."""
