"""Environments with other versions of frameworks and engines, to be asked as origins or devices."""
