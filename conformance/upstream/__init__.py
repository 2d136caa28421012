"""Bugs of frameworks and engines: a program for each, and the page that is made of them."""
