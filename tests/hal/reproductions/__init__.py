"""Bugs of engines, each shown in the engine alone.

Each program ends with status 0 where the engine is right, 1 where it is wrong, or dies of it.
"""
