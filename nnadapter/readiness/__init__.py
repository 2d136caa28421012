"""Will it run? What stands between a model and a format or devices, and what would help."""
