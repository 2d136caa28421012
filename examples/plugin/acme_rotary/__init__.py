"""Rotary position embedding as one operator: what a plug-in of nnadapter looks like."""
