"""What several versions of a framework or engine answer to the same cases: what changed, a page."""
