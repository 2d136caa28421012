"""Random models of standard operators, run in every way that they can be run."""
