"""Programs that call a tool, each in its environment: they import nothing of this project."""
