"""Converting many models: a plan, processes with limits, a journal that is gone on with, a page."""
