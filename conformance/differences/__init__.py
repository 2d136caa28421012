"""Where frameworks differ: `python -m conformance.differences` asks them and writes a page."""
