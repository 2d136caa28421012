"""Worker processes, one module per origin framework."""
