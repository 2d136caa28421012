"""Runs of suites: plans, tasks, journals, and the processes that run cases."""
