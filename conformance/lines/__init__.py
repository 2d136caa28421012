"""Which lines of converters and lowerings the cases run, and which none does.

`nnadapter conform --lines FOLDER` writes down what runs, `python -m conformance.lines FOLDER` says
what does not.
"""
