"""Engines by framework: how its cases are asked, converted and run; see `engine`."""
