"""Reports of a run: JUnit XML for machines, a page for people, the comparison of two runs."""
