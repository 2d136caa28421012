"""Proof: cases, origin frameworks in workers, comparison and reports."""
