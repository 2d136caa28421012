"""Frontends: files or objects of a framework, translated to the standard operators."""
