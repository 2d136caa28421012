"""Other projects' test suites, run as ours."""
