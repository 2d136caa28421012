"""Every code block of the documentation is run."""
